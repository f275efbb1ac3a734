import { definedMean } from '../../agreement/summary.js'
import { humanWordAgreement } from '../../agreement/words.js'
import { AccordError } from '../../errors.js'
import type { Dataset } from '../../store/entities.js'
import { listSystems } from '../../store/systems.js'
import type { PartOfSpeech } from '../../text/part-of-speech.js'
import type { Context } from '../context.js'
import { toReferences } from '../references.js'
import type { DatasetLeaderboardArgs, ResolversTypes } from '../schema-types.js'
import { summarizePhr } from '../system/phr.js'
import { vocabularyOf } from './summaries.js'

type Row = Awaited<ResolversTypes['LeaderboardRow']>

/** Systems in order with the human row among them. */
export async function leaderboard(
  dataset: Dataset,
  { by, metric, partOfSpeech }: DatasetLeaderboardArgs,
  context: Context,
): Promise<Row[]> {
  switch (by) {
    case 'PHR':
      return rank(await phrRows(dataset, partOfSpeech, context), true)
    case 'METRIC': {
      const { name, higherIsBetter } = context.metrics.require(requireName(metric))
      return rank(await metricRows(dataset, name, context), higherIsBetter)
    }
  }
}

function requireName(metric: string | null | undefined): string {
  if (metric != null) return metric
  throw new AccordError('OUT_OF_RANGE', 'a leaderboard by METRIC needs to know which', {
    source: 'metric',
    expected: 'the name of a metric',
    found: 'nothing',
  })
}

async function phrRows(
  dataset: Dataset,
  partOfSpeech: readonly PartOfSpeech[] | null | undefined,
  { database }: Context,
): Promise<Omit<Row, 'rank'>[]> {
  const references = toReferences(dataset.captionsPerImage, undefined)
  const words = await vocabularyOf(database, dataset.id, partOfSpeech)
  // Where human recall is 0 there is no PHR: people and systems are held to the same words.
  const agreements = words.map(({ histogram }) => humanWordAgreement(histogram, references))
  const human = definedMean(agreements.map(({ precision, recall }) => (recall === 0 ? null : precision)))
  const systems = await listSystems(database, dataset.id)
  const rows = systems
    .filter((system) => system.kind === 'WORD_SCORES')
    .map(async (system) => {
      const summary = await summarizePhr(database, system, words, references)
      const { meanPrecisionAtHumanRecall: value, definedWordCount: wordCount } = summary
      return { system, isHuman: false, value, wordCount, references }
    })
  return [
    { isHuman: true, value: human.mean, wordCount: human.defined, references },
    ...(await Promise.all(rows)),
  ]
}

async function metricRows(
  dataset: Dataset,
  metric: string,
  { database, loaders }: Context,
): Promise<Omit<Row, 'rank'>[]> {
  const human = (await loaders.agreement.load(dataset.id)).find((row) => row.metric === metric)
  const systems = await listSystems(database, dataset.id)
  const rows = systems
    .filter((system) => system.kind === 'CAPTIONS')
    .map(async (system) => {
      const score = (await loaders.systemScores.load(system.id)).find((row) => row.metric === metric)
      return { system, isHuman: false, ...(score && cells(score, score.value)) }
    })
  return [{ isHuman: true, ...(human && cells(human, human.mean)) }, ...(await Promise.all(rows))]
}

function cells(
  row: { lower: number; upper: number; signature: string; referenceCount: number },
  value: number,
): Pick<Row, 'value' | 'interval' | 'signature' | 'references'> {
  const { lower, upper, signature, referenceCount: references } = row
  return { value, interval: { lower, upper }, signature, references }
}

/** Best first; equal values share a rank, rows without a value come last. */
function rank(rows: readonly Omit<Row, 'rank'>[], higherIsBetter: boolean): Row[] {
  const sign = higherIsBetter ? 1 : -1
  const worth = ({ value }: Omit<Row, 'rank'>) => (value == null ? Number.NEGATIVE_INFINITY : sign * value)
  const sorted = rows.toSorted((one, other) =>
    worth(one) < worth(other) ? 1 : worth(one) > worth(other) ? -1 : 0,
  )
  return sorted.map((row) => ({
    ...row,
    rank: sorted.findIndex((other) => worth(other) === worth(row)) + 1,
  }))
}

import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { type Metric, scoreImages, type Trial } from '../../core/metrics/metric.js'
import { rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice } from '../../core/metrics/registry.js'
import { type Corpus, concatenate } from '../../core/text/sequences.js'
import type { Progress } from '../../progress.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import {
  type JudgedScores,
  readJudgedCaptions,
  readJudgedScores,
  readJudgedTokens,
  saveJudgedScores,
} from '../../store/judgements.js'
import type { Dataset, JudgedCaption, JudgementSet } from '../../store/schema/entities.js'
import { readTokenTexts } from '../../store/tokens.js'
import { externalMetricsOf } from '../evaluations/external-scores.js'
import { isCurrent, recordDocuments, recordScore } from '../evaluations/record-provenance.js'
import { listReferences } from '../evaluations/reference-lists.js'
import { groupBy } from '../shared/groups.js'

/** The scores of all judged captions by one metric. */
export interface ScoredCaptions extends JudgedScores {
  readonly metric: Metric
  /** The scores, negated where lower ones are better. */
  readonly ordered: Float64Array
}

/**
 * The scores of every judged caption as an image of its own, against the human captions of its image: those that are stored
 * and would be made in the same way, and those that are computed now, and stored unless the database is read-only. In the
 * order of the choice.
 */
export async function scoreJudgedCaptions(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  { families, includes }: MetricChoice,
  progress: Progress,
): Promise<ScoredCaptions[]> {
  const { registry } = threads
  const metrics = families.flatMap((family) => family.metrics.filter(includes))
  const names = metrics.map(({ name }) => name)
  const scored = new Map<string, JudgedScores>()
  for (const stored of await readJudgedScores(database, set.id, names)) {
    const { record } = stored
    const isOfSet = record.dataset === dataset.revision && record.subject.content === set.content
    if (isOfSet && isCurrent(registry, record)) scored.set(record.metric, stored)
  }
  const missing = names.filter((name) => !scored.has(name))
  if (missing.length > 0) {
    const wanted = registry.choose(missing)
    const given = await readGiven(database, set, externalMetricsOf(registry, wanted.families))
    const computed = await computeJudgedScores(database, threads, dataset, set, wanted, progress, given)
    if (!database.isReadOnly) await saveJudgedScores(database, set.id, computed)
    for (const one of computed) scored.set(one.record.metric, one)
  }
  return metrics.map((metric) => {
    const { record, scores } = scored.get(metric.name) as JudgedScores
    return { metric, record, scores, ordered: metric.higherIsBetter ? scores : scores.map((score) => -score) }
  })
}

/** The stored scores by other programs, by metric. */
async function readGiven(
  session: Session,
  set: JudgementSet,
  metrics: readonly string[],
): Promise<Record<string, Float64Array>> {
  const stored = metrics.length > 0 ? await readJudgedScores(session, set.id, metrics) : []
  return Object.fromEntries(stored.map(({ record, scores }) => [record.metric, scores]))
}

/**
 * Computes the scores of all judged captions. The two captions of preferences are in two corpora: in each, document frequencies
 * count one image per preference. The captions of each system are a corpus as well, in which document frequencies count each
 * image once.
 *
 * @param given scores by other programs, by metric
 */
export async function computeJudgedScores(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  choice: MetricChoice,
  progress: Progress,
  given: Readonly<Record<string, Float64Array>>,
): Promise<JudgedScores[]> {
  progress(0, 'reading captions')
  const { corpus, trials: read, positions } = await readJudgedTrials(session, dataset, set)
  const trials = read.map((trial, index): Trial => {
    const own = Object.entries(given).map(([metric, scores]) => [
      metric,
      Float64Array.from(positions[index], (position) => scores[position]),
    ])
    return { ...trial, external: Object.fromEntries(own) }
  })
  const { statistics } = await measureTrials(threads, corpus, trials, choice.families, (share, stage) =>
    progress(share, stage),
  )
  const { revision } = dataset
  const images = { count: set.captionCount, of: set.captionCount, hash: null }
  const documents = { ...images, count: Math.max(...positions.map(({ length }) => length)) }
  const context = {
    dataset: revision,
    subject: { kind: 'judgements', content: set.content },
    references: { count: null, ...rangeOfReferences(trials[0]), folds: null },
    images,
    documentFrequencies: recordDocuments(`${revision} ${set.content}`, documents, 'own'),
  } as const
  return choice.families.flatMap((family, index) => {
    const columns = statistics[index].map((rows) => scoreImages(family, rows))
    return family.metrics.flatMap((metric, column): JudgedScores[] => {
      if (!choice.includes(metric)) return []
      const scores = new Float64Array(set.captionCount)
      for (const [trial, ofTrial] of columns.entries()) {
        for (const [place, position] of positions[trial].entries()) scores[position] = ofTrial[column][place]
      }
      return [{ record: recordScore(threads.registry, family, metric, context), scores }]
    })
  })
}

/** Reads the judged captions of each system as a trial; without systems those of ratings as one, those of preferences as two. */
async function readJudgedTrials(
  session: Session,
  { id }: Dataset,
  set: JudgementSet,
): Promise<{
  readonly corpus: Corpus
  readonly trials: readonly Trial[]
  /** Per trial, the positions of its captions among all. */
  readonly positions: readonly (readonly number[])[]
}> {
  const judged = await readJudgedTokens(session, set.id)
  const captions = await readReferenceCaptions(session, id)
  const placeOfImage = new Map(Array.from(captions.imageIds, (imageId, image) => [imageId, image]))
  const captionCount = captions.sequences.offsets.length - 1
  const positions = trialsOfCaptions(await readJudgedCaptions(session, set.id), set.kind)
  return {
    corpus: { ...concatenate([captions.sequences, judged.sequences]), texts: await readTokenTexts(session) },
    positions,
    trials: positions.map((own) => {
      const lists = listReferences(
        captions,
        own.map((position) => placeOfImage.get(judged.imageIds[position]) as number),
      )
      return { ...lists, candidates: Int32Array.from(own, (position) => captionCount + position) }
    }),
  }
}

/** The positions of the captions of each trial. The two captions of a preference follow each other. */
function trialsOfCaptions(captions: readonly JudgedCaption[], kind: JudgementSet['kind']): number[][] {
  const keyOf = ({ system }: JudgedCaption, position: number) =>
    kind === 'PREFERENCES' ? position % 2 : system
  const all = captions.map((caption, position) => ({ key: keyOf(caption, position), position }))
  return Array.from(groupBy(all, ({ key }) => key).values(), (group) => group.map(({ position }) => position))
}

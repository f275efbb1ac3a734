import { beforeAll, describe, expect, it } from 'vitest'
import { humanWordAgreement } from '../../../src/core/agreement/words.js'
import { compareOnFigures } from '../../../src/services/comparisons/comparisons.js'
import { requireDataset } from '../../../src/services/datasets/datasets.js'
import { readVocabularyWords } from '../../../src/services/datasets/vocabulary.js'
import { completeRows } from '../../../src/services/leaderboard/complete-rows.js'
import { type LeaderboardOptions, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { SEED_DATASET } from '../../../src/services/seed/seed.js'
import type { WordMean, WordMeanFigure } from '../../../src/services/words/compute-word-means.js'
import { phrSummaries } from '../../../src/services/words/phr.js'
import { reportWords } from '../../../src/services/words/word-report.js'
import { meansOverWords, summarizeWords } from '../../../src/services/words/words.js'
import type { Dataset, Word } from '../../../src/store/schema/dataset-tables.js'
import type { System } from '../../../src/store/schema/system-tables.js'
import { listSystems } from '../../../src/store/systems.js'
import { initWorld, loadEvaluatedSeed } from '../../kit/seed.js'

/** A figure has the same digits wherever it is shown, and a difference is that of the figures beside it. */

const world = await initWorld()
const { accord, database } = world
let dataset: Dataset
let systems: readonly System[]
let vocabulary: readonly Word[]
/** Some of the vocabulary, of all frequencies. */
let listed: readonly Word[]

beforeAll(async () => {
  await loadEvaluatedSeed(accord)
  dataset = await requireDataset(accord, SEED_DATASET)
  systems = await listSystems(database, [dataset.id])
  vocabulary = await readVocabularyWords(database, dataset)
  listed = vocabulary.filter((_, index) => index % 16 === 0)
})

const ofKind = (kind: System['kind']) => systems.filter((system) => system.kind === kind)

const meanOf = (means: readonly WordMean[], figure: WordMeanFigure) =>
  means.find((mean) => mean.figure === figure)?.value

async function board(options: LeaderboardOptions) {
  const rows = await completeRows(accord, dataset, await rankSystems(accord, dataset, options), options)
  return new Map(rows.map((row) => [row.system?.name ?? null, row]))
}

/** The comparisons of systems with people, by the name of the system, and those of systems. */
async function compared(figure: { kind: 'PHR' | 'WORD_PRECISION'; word?: string }) {
  const pairs = await compareOnFigures(accord, dataset, { words: [figure], people: true })
  for (const { firstScore, secondScore, difference } of pairs)
    expect(difference).toBe((firstScore as number) - (secondScore as number))
  return pairs
}

describe.each([2, 4])('with %d references', (references) => {
  it('the figures of a word in a listing, with and without their intervals', async () => {
    const { words } = await reportWords(accord, {
      dataset: SEED_DATASET,
      systems: systems.map(({ name }) => name),
      words: listed.map(({ text }) => text),
      references,
    })
    for (const { name } of systems) {
      let figures = 0
      for (const { word, human, systems: stored, estimates } of words) {
        expect(human.precision).toBe(humanWordAgreement(word.histogram, references).precision)
        const [row, found] = [stored.get(name), estimates.get(name)]
        if (!row || !found) continue
        const { precisionAtHumanRecall: phr, averagePrecision, precision, recall, gapToPeople } = found
        figures++
        const shown = [phr, averagePrecision, precision, recall].map((estimate) => estimate?.value ?? null)
        expect(shown).toEqual([row.precisionAtHumanRecall, row.averagePrecision, row.precision, row.recall])
        const own = row.precisionAtHumanRecall ?? row.precision
        const gap = own === null || human.precision === null ? null : own - human.precision
        expect(gapToPeople.value).toBe(gap)
      }
      expect(figures).toBeGreaterThan(15)
    }
  })

  it('means of word scores in summaries, with intervals and on the board', async () => {
    const scored = ofKind('WORD_SCORES')
    const summaries = await phrSummaries(
      accord,
      dataset,
      scored.map(({ id }) => id),
      { references },
    )
    const rows = await board({ by: 'PHR', references })
    const [people, ...ofSystems] = await meansOverWords(accord, dataset, [null, ...scored], { references })
    expect(rows.get(null)?.value).toBe(meanOf(people, 'AGREED_HUMAN_PRECISION'))
    for (const [index, { id, name }] of scored.entries()) {
      const summary = summaries.get(id)!
      const means = ofSystems[index]
      expect(meanOf(means, 'PHR')).toBe(summary.meanPrecisionAtHumanRecall)
      expect(meanOf(means, 'AVERAGE_PRECISION')).toBe(summary.meanAveragePrecision)
      expect(meanOf(means, 'HUMAN_PRECISION_OF_SAME_WORDS')).toBe(summary.meanHumanPrecision)
      const gap = summary.meanPrecisionAtHumanRecall! - summary.meanHumanPrecision!
      expect(meanOf(means, 'GAP_TO_PEOPLE')).toBe(gap)
      expect(rows.get(name)).toMatchObject({
        value: summary.meanPrecisionAtHumanRecall,
        gapToPeople: { value: gap },
      })
    }
  })

  it('means of people', async () => {
    const [people] = await meansOverWords(accord, dataset, [null], { references })
    const summary = await summarizeWords(accord, dataset, { references })
    expect(meanOf(people, 'HUMAN_PRECISION')).toBe(summary.meanPrecision)
    expect(meanOf(people, 'HUMAN_RECALL')).toBe(summary.meanRecall)
  })
})

it('means of word scores in comparisons', async () => {
  const scored = ofKind('WORD_SCORES')
  const means = await meansOverWords(accord, dataset, scored, {})
  const pairs = await compared({ kind: 'PHR' })
  for (const [index, { name }] of scored.entries()) {
    const [pair] = pairs.filter(({ first, second }) => first?.name === name && second === null)
    expect(pair).toMatchObject({
      firstScore: meanOf(means[index], 'PHR'),
      secondScore: meanOf(means[index], 'HUMAN_PRECISION_OF_SAME_WORDS'),
      difference: meanOf(means[index], 'GAP_TO_PEOPLE'),
    })
  }
})

it('means of captions, with intervals, on the board and in comparisons', async () => {
  const captioning = ofKind('CAPTIONS')
  const means = await meansOverWords(accord, dataset, captioning, {})
  const rows = await board({ by: 'WORD_PRECISION' })
  const pairs = await compared({ kind: 'WORD_PRECISION' })
  for (const [index, { name }] of captioning.entries()) {
    const [own, people, gap] = (['WORD_PRECISION', 'HELD_OUT_PRECISION', 'GAP_TO_PEOPLE'] as const).map(
      (figure) => meanOf(means[index], figure),
    )
    expect(gap).toBe(own! - people!)
    expect(rows.get(name)).toMatchObject({ value: own, gapToPeople: { value: gap } })
    expect(rows.get(null)?.value).toBe(people)
    const [pair] = pairs.filter(({ first, second }) => first?.name === name && second === null)
    expect(pair).toMatchObject({ firstScore: own, secondScore: people, difference: gap })
  }
})

it('the figures of single words in comparisons', async () => {
  const used = vocabulary.filter(({ imageCount }) => imageCount >= 30).slice(0, 5)
  for (const kind of ['PHR', 'WORD_PRECISION'] as const) {
    const [{ name }] = ofKind(kind === 'PHR' ? 'WORD_SCORES' : 'CAPTIONS')
    const { words } = await reportWords(accord, {
      dataset: SEED_DATASET,
      systems: [name],
      words: used.map(({ text }) => text),
    })
    for (const { word, human, estimates } of words) {
      const pairs = await compared({ kind, word: word.text })
      const [pair] = pairs.filter(({ first, second }) => first?.name === name && second === null)
      const { precisionAtHumanRecall, precision, gapToPeople } = estimates.get(name)!
      expect(pair).toMatchObject({
        firstScore: (precisionAtHumanRecall ?? precision)?.value,
        secondScore: human.precision,
        difference: gapToPeople.value,
      })
    }
  }
})

it.each(['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR'])('%s on the board and in comparisons', async (metric) => {
  const references = dataset.captionsPerImage - 1
  const rows = await board({ by: 'METRIC', metric, references })
  const pairs = await compareOnFigures(accord, dataset, { metrics: [metric], people: true })
  const compared = pairs.filter(({ difference }) => difference !== null)
  expect(compared.length).toBeGreaterThan(0)
  for (const { first, second, firstScore, secondScore, difference } of compared) {
    expect(firstScore).toBe(rows.get(first?.name ?? null)?.value)
    expect(secondScore).toBe(rows.get(second?.name ?? null)?.value)
    expect(difference).toBe((firstScore as number) - (secondScore as number))
  }
})

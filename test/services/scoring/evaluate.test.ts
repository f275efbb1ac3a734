import { beforeAll, describe, expect, it } from 'vitest'
import { createThreads } from '../../../src/compute/pool.js'
import { findDifference } from '../../../src/core/metrics/provenance.js'
import { storedAgreement } from '../../../src/services/agreement/human-agreement.js'
import { planEvaluation } from '../../../src/services/evaluations/evaluate-job.js'
import { measurePart } from '../../../src/services/evaluations/plan.js'
import type { ImageRange } from '../../../src/store/caption-search.js'
import type { Database } from '../../../src/store/engine/session.js'
import { listImageIds } from '../../../src/store/images.js'
import { readScores, readStatistics } from '../../../src/store/scores.js'
import { deleteSystem, insertSystem } from '../../../src/store/systems.js'
import { longCaption } from '../../core/metrics/trials.js'
import { rejectionOf, rowCounts } from '../../kit/boxes.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import { GUESS, HUMAN, repeated } from '../../kit/scenes.js'
import { isSlow } from '../../kit/slow.js'
import {
  cancelEverywhere,
  computeAgreement,
  computeInParts,
  differences,
  directScores,
  evaluate,
  evaluateSystem,
  importCaptions,
  METRICS,
  namedScores,
  rangesOf,
  readReport,
  systemOf,
  threads,
} from '../evaluations/caption-metrics.js'

const reversed = <Value>(byId: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(byId).reverse())

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })

  /** Names of datasets, each its own. */
  let count = 0
  const fresh = (name: string) => `${name} ${count++}`

  async function importPair(
    images: Readonly<Record<string, readonly string[]>>,
    captions: Readonly<Record<string, string>>,
  ) {
    const dataset = await importCaptions(database, fresh('scenes'), images)
    await dataset.captionSystem('guesser', captions)
    return dataset
  }

  describe('an evaluation', () => {
    it('stores the scores that the metrics compute directly', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const report = await evaluate(database, dataset, 'guesser')
      expect(report.scores.map(({ metric }) => metric)).toEqual(METRICS)
      const found = await namedScores(database, dataset, report)
      expect(Object.keys(found.images)).toEqual(Object.keys(HUMAN))
      expect(differences(found, directScores(GUESS, HUMAN))).toEqual([])
    })

    it('assigns scores to images in any order of images, references and results', async () => {
      const orders = [
        [HUMAN, GUESS],
        [reversed(HUMAN), GUESS],
        [HUMAN, reversed(GUESS)],
        [
          Object.fromEntries(Object.entries(HUMAN).map(([id, captions]) => [id, captions.toReversed()])),
          GUESS,
        ],
      ] as const
      const expected = directScores(GUESS, HUMAN)
      for (const [human, guess] of orders) {
        const dataset = await importPair(human, guess)
        const report = await evaluate(database, dataset, 'guesser')
        expect(differences(await namedScores(database, dataset, report), expected)).toEqual([])
      }
    })

    it('includes the images that the system described', async () => {
      const { b, a } = GUESS
      const dataset = await importPair(HUMAN, { a, b })
      const report = await evaluate(database, dataset, 'guesser')
      const found = await namedScores(database, dataset, report)
      expect(differences(found, directScores({ a, b }, HUMAN))).toEqual([])
      expect(report.imageIds).toHaveLength(2)
    })

    it('includes the images that people described, without the others', async () => {
      const dataset = await importPair(
        { x: [], ...HUMAN, y: [] },
        { x: 'A dog.', y: 'A red bus in the city.', ...GUESS },
      )
      const report = await evaluate(database, dataset, 'guesser')
      expect(report.imageIds).toHaveLength(4)
      expect(differences(await namedScores(database, dataset, report), directScores(GUESS, HUMAN))).toEqual(
        [],
      )
    })

    it('uses all captions of an image as references', async () => {
      const human = { ...HUMAN, b: ['People.'], c: [...HUMAN.c, 'A city bus.', 'A red bus.'] }
      const dataset = await importPair(human, GUESS)
      const report = await evaluate(database, dataset, 'guesser')
      expect(differences(await namedScores(database, dataset, report), directScores(GUESS, human))).toEqual(
        [],
      )
      for (const { referenceCount, signature } of report.scores) {
        expect(referenceCount).toBe(1)
        expect(signature).toContain('|refs:1-5|')
      }
    })

    it('has intervals that contain the scores and are the same every time', async () => {
      const dataset = await importPair(repeated(HUMAN, 3), repeated(GUESS, 3))
      const first = await evaluate(database, dataset, 'guesser')
      const second = await evaluate(database, dataset, 'guesser')
      expect(second).toEqual(first)
      for (const { metric, value, lower, upper } of first.scores) {
        if (metric === 'ROUGE-4') {
          expect({ value, lower, upper }).toEqual({ value: 0, lower: null, upper: null })
          continue
        }
        // Their document frequencies are those of few images.
        if (/^CIDEr|^SPIDEr/.test(metric)) {
          expect([lower, upper], metric).toEqual([null, null])
          continue
        }
        expect(lower as number, metric).toBeLessThanOrEqual(value)
        expect(upper as number, metric).toBeGreaterThanOrEqual(value)
      }
      const [{ lower, upper }] = first.scores
      expect((upper as number) - (lower as number)).toBeGreaterThan(0.1)
    })

    it('has intervals that do not depend on other metrics', async () => {
      const dataset = await importPair(repeated(HUMAN, 3), repeated(GUESS, 3))
      const all = await evaluate(database, dataset, 'guesser')
      const some = await evaluate(database, dataset, 'guesser', { metrics: ['METEOR', 'BLEU-2'] })
      expect(some.scores).toEqual(
        all.scores.filter(({ metric }) => metric === 'METEOR' || metric === 'BLEU-2'),
      )
    })
  })

  describe('on folds of references', () => {
    const MORE = { ...HUMAN, c: [...HUMAN.c, 'A fourth caption of a bus.'] }

    /** The mean over folds of what the metrics say of the candidate against two of the first three captions. */
    function onFolds(guess: Readonly<Record<string, string>>, human: typeof HUMAN, k: number) {
      const folds = [0, 1, 2].map((fold) => {
        const references = Object.fromEntries(
          Object.keys(guess).map((id) => {
            const next = Array.from({ length: k }, (_, i) => (fold + 1 + i) % 3).sort()
            return [id, next.map((position) => human[id as keyof typeof HUMAN][position])]
          }),
        )
        return directScores(guess, references).corpus
      })
      return METRICS.map((metric) => folds.map((scores) => scores[metric]))
    }

    it.each([1, 2])('of %i: the value is the mean over the folds that people have', async (k) => {
      const dataset = await importPair(MORE, GUESS)
      const { scores } = await evaluate(database, dataset, 'guesser', { references: k })
      for (const [index, folds] of onFolds(GUESS, MORE, k).entries()) {
        const { metric, value, folds: found, record, signature, referenceCount } = scores[index]
        expect(
          found!.map((score, fold) => Math.abs(score - folds[fold]) < 1e-12),
          metric,
        ).toEqual([true, true, true])
        expect(value).toBeCloseTo(folds.reduce((sum, score) => sum + score, 0) / 3, 12)
        expect(record.references).toEqual({ count: k, least: k, most: k, folds: 3 })
        expect([signature, referenceCount]).toEqual([expect.stringContaining(`|refs:${k}|folds:3|`), k])
      }
    })

    it('equals people where the captions are theirs: fold 1 of the first captions', async () => {
      const first = Object.fromEntries(Object.entries(HUMAN).map(([id, captions]) => [id, captions[0]]))
      const dataset = await importPair(HUMAN, first)
      const { scores } = await evaluate(database, dataset, 'guesser', { references: 2 })
      await computeAgreement(database, threads, dataset.row, { references: 2 }, () => {})
      const { rows } = await storedAgreement(database, threads.registry, dataset.row, { references: 2 })
      expect(scores.map(({ folds }) => folds![0])).toEqual(rows.map(({ folds }) => folds[0]))
    })

    it('of a part of the images: document frequencies are those of all, rows those of a complete system', async () => {
      const { b, a } = GUESS
      const dataset = await importPair(HUMAN, GUESS)
      await dataset.captionSystem('part', { a, b })
      const all = await evaluate(database, dataset, 'guesser', { references: 2 })
      const part = await evaluate(database, dataset, 'part', { references: 2 })
      const images = await namedScores(database, dataset, all)
      const partImages = await namedScores(database, dataset, part)
      for (const [id, ofMetrics] of Object.entries(partImages.images)) {
        expect(ofMetrics).toEqual(images.images[id])
      }
      const cider = METRICS.indexOf('CIDEr')
      expect(part.scores[cider].record.documentFrequencies).toEqual(
        all.scores[cider].record.documentFrequencies,
      )
      expect(part.scores[cider].record.images).toEqual({ count: 2, of: 4, hash: expect.any(String) })
      expect(part.scores[cider].signature).toMatch(/\|images:2\/4-[0-9a-f]{8}\|/)
    })

    it('leaves out images with fewer than K captions', async () => {
      const human = { ...HUMAN, b: ['People.'] }
      const dataset = await importPair(human, GUESS)
      const report = await evaluate(database, dataset, 'guesser', { references: 2 })
      expect(report.imageIds.length).toBe(3)
    })

    it('stays beside the score against all references', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      await evaluate(database, dataset, 'guesser')
      await evaluate(database, dataset, 'guesser', { references: 2 })
      await evaluate(database, dataset, 'guesser', { references: 2 })
      const { id } = await systemOf(database, dataset, 'guesser')
      const stored = await readScores(database, [id], ['CIDEr'])
      expect(stored.map(({ folds, referenceCount }) => [folds?.length, referenceCount])).toEqual([
        [undefined, 3],
        [3, 2],
      ])
    })

    it.each([1, 2, 1_000])('in steps on ranges of %i images is the same to the last bit', async (size) => {
      const images = { none: [], ...HUMAN, one: ['A bus.'], more: MORE.c }
      const { d, a, c } = GUESS
      const dataset = await importPair(images, { d, a, more: c, one: 'A bus.' })
      const input = { references: 2 }
      const whole = await evaluate(database, dataset, 'guesser', input)
      const { id } = await systemOf(database, dataset, 'guesser')
      const statisticsOf = async () => {
        const scores = await readScores(database, [id])
        return Promise.all(scores.map(({ statisticsId }) => readStatistics(database, statisticsId)))
      }
      const before = await statisticsOf()
      const system = await systemOf(database, dataset, 'guesser')
      const plan = await planEvaluation(database, threads, system, input)
      const { scoreIds } = await computeInParts(database, plan, size)
      expect(await readReport(database, system, scoreIds)).toEqual(whole)
      expect(await statisticsOf()).toEqual(before)
    })

    it.each([
      [
        { references: 3 },
        'OUT_OF_RANGE references: invalid number of references: expected an integer from 1 to 2, found 3',
      ],
      [{ references: 0 }, /^OUT_OF_RANGE references/],
      [{ references: 2, documents: 'any' }, /^NOT_APPLICABLE documents: on folds/],
    ])('is refused for %o', async (input, message) => {
      const dataset = await importPair(HUMAN, GUESS)
      const rejection = await rejectionOf(evaluate(database, dataset, 'guesser', input))
      if (typeof message === 'string') expect(rejection).toBe(message)
      else expect(rejection).toMatch(message)
    })

    it('is refused where no image of the system has K captions', async () => {
      const dataset = await importPair({ ...HUMAN, one: ['A bus.'] }, { one: 'A bus.' })
      expect(await rejectionOf(evaluate(database, dataset, 'guesser', { references: 2 }))).toBe(
        'NOT_APPLICABLE system: no image of the system has 3 human captions: found "guesser"',
      )
    })
  })

  describe('the record of how scores were made', () => {
    it('is of content: the same in another dataset of the same content, another for other captions', async () => {
      const [one, same, other] = await Promise.all([
        importPair(HUMAN, GUESS),
        importPair(HUMAN, GUESS),
        importPair({ ...HUMAN, a: ['A dog.', 'A dog.', 'A dog.'] }, GUESS),
      ])
      const [first, second, third] = [
        await evaluate(database, one, 'guesser'),
        await evaluate(database, same, 'guesser'),
        await evaluate(database, other, 'guesser'),
      ]
      expect(second.scores).toEqual(first.scores)
      expect(third.scores[0].record.dataset).not.toBe(first.scores[0].record.dataset)
      expect(third.scores[0].record.subject).toEqual(first.scores[0].record.subject)
    })

    it('tells document frequencies of a part from those of all, which may be named or not', async () => {
      const { b, a } = GUESS
      const dataset = await importPair(HUMAN, GUESS)
      await dataset.captionSystem('part', { a, b })
      const documents = dataset.row.name
      const [all, named, part, partNamed] = (
        await Promise.all([
          evaluate(database, dataset, 'guesser', { metrics: ['CIDEr'] }),
          evaluate(database, dataset, 'guesser', { metrics: ['CIDEr'], documents }),
          evaluate(database, dataset, 'part', { metrics: ['CIDEr'] }),
          evaluate(database, dataset, 'part', { metrics: ['CIDEr'], documents }),
        ])
      ).map(({ scores: [{ record }] }) => record)
      const reason = (one: typeof all, other: typeof all) =>
        findDifference(one, other, { sharedImages: true })
      expect(reason(all, part)).toBe('OTHER_DOCUMENT_FREQUENCIES')
      expect(reason(all, named)).toBeNull()
      expect(reason(all, partNamed)).toBeNull()
      expect(findDifference(all, partNamed, { sharedImages: false })).toBe('PARTIAL')
    })
  })

  describe('document frequencies', () => {
    it('can be those of another dataset: CIDEr and its signature change, other metrics do not', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const source = await importCaptions(database, 'a source | of counts', {
        1: ['A dog on a couch.'],
        2: [],
        3: ['A zebra.', 'A red dog.'],
        4: ['A bench.', 'The park.'],
        5: ['Grass.'],
      })
      const own = await evaluate(database, dataset, 'guesser')
      const other = await evaluate(database, dataset, 'guesser', { documents: source.row.name })
      for (const [index, { metric, signature, value }] of other.scores.entries()) {
        if (metric.startsWith('CIDEr')) {
          expect(own.scores[index].signature).toMatch(/\|df:own-[0-9a-f]{8}\|/)
          expect(signature).toMatch(/\|df:dataset-[0-9a-f]{8}\|/)
          expect(value).not.toBeCloseTo(own.scores[index].value, 3)
        } else {
          expect(other.scores[index]).toEqual(own.scores[index])
        }
      }
      const { id } = await systemOf(database, dataset, 'guesser')
      const stored = await readScores(database, [id])
      expect(stored).toHaveLength(METRICS.length + 2)
    })

    it('of the dataset itself are its own', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const report = await evaluate(database, dataset, 'guesser', { documents: dataset.row.name })
      expect(differences(await namedScores(database, dataset, report), directScores(GUESS, HUMAN))).toEqual(
        [],
      )
    })

    it('by hand: one word, four documents, two of them with the word', async () => {
      const dataset = await importPair({ x: ['dog'], y: ['cat'] }, { x: 'dog', y: 'dog' })
      const source = await importCaptions(database, fresh('source'), {
        1: ['dog'],
        2: ['dog', 'a dog'],
        3: ['bird'],
        4: ['bird', 'bird'],
      })
      const report = await evaluate(database, dataset, 'guesser', { documents: source.row.name })
      const { images } = await namedScores(database, dataset, report)
      // One of four orders of n-grams matches, with cosine 1 as idf = ln(4/2) is not 0.
      expect(images.x['CIDEr-D']).toBeCloseTo(2.5, 12)
      expect(images.y['CIDEr-D']).toBe(0)
    })
  })

  describe('evaluations in a row', () => {
    it('score each system as if it were alone, including words added in between', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const systems: Record<string, Record<string, string>> = {
        guesser: GUESS,
        swapped: { d: GUESS.c, b: GUESS.a, c: GUESS.d, a: GUESS.b },
        newcomer: {
          ...GUESS,
          a: 'A zorilla dozes 22 3/4 times on a couchette.',
          d: 'A zorilla dozes outside.',
        },
      }
      const check = async (name: string, input = {}) => {
        const report = await evaluate(database, dataset, name, input)
        const found = await namedScores(database, dataset, report)
        expect(differences(found, directScores(systems[name], HUMAN))).toEqual([])
      }
      await dataset.captionSystem('swapped', systems.swapped)
      for (const name of ['guesser', 'swapped', 'guesser']) await check(name)
      await dataset.captionSystem('newcomer', systems.newcomer)
      for (const name of ['newcomer', 'swapped', 'newcomer']) await check(name)
      await check('guesser', { documents: dataset.row.name })
    })
  })

  describe('storing again', () => {
    it('replaces scores of the same signature and leaves no unused rows', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      await evaluate(database, dataset, 'guesser')
      const before = await rowCounts(database)
      await evaluate(database, dataset, 'guesser')
      expect(await rowCounts(database)).toEqual(before)
      await evaluate(database, dataset, 'guesser', { metrics: ['BLEU-1'] })
      await evaluate(database, dataset, 'guesser', { metrics: ['BLEU-1', 'BLEU-3', 'METEOR'] })
      await evaluate(database, dataset, 'guesser')
      expect(await rowCounts(database)).toEqual(before)
    })

    it('retains the statistics of scores that were not replaced', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      await evaluate(database, dataset, 'guesser')
      const { id } = await systemOf(database, dataset, 'guesser')
      const statisticsOf = async (wanted: string) => {
        const [{ statisticsId }] = await readScores(database, [id], [wanted])
        return { statisticsId, ...(await readStatistics(database, statisticsId)) }
      }
      const before = await statisticsOf('BLEU-4')
      await evaluate(database, dataset, 'guesser', { metrics: ['BLEU-1'] })
      expect(await statisticsOf('BLEU-4')).toEqual(before)
      const replaced = await statisticsOf('BLEU-1')
      expect(replaced.statisticsId).not.toBe(before.statisticsId)
      expect(replaced.statistics).toEqual(before.statistics)
    })

    it('stores only the requested metrics', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const report = await evaluate(database, dataset, 'guesser', { metrics: ['CIDEr-D', 'BLEU-2'] })
      const stored = await readScores(database, [(await systemOf(database, dataset, 'guesser')).id])
      for (const scores of [report.scores, stored]) {
        expect(scores.map(({ metric }) => metric)).toEqual(['BLEU-2', 'CIDEr-D'])
      }
    })

    it('does not touch other systems', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      await dataset.captionSystem('other', { ...GUESS, d: 'A bus.' })
      await evaluate(database, dataset, 'other')
      const { id } = await systemOf(database, dataset, 'other')
      const before = await readScores(database, [id])
      await evaluate(database, dataset, 'guesser')
      expect(await readScores(database, [id])).toEqual(before)
      await deleteSystem(database, (await systemOf(database, dataset, 'guesser')).id)
      expect(await readScores(database, [id])).toEqual(before)
    })
  })

  describe('progress', () => {
    it('increases from 0 to 1', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const fractions: number[] = []
      const messages = new Set<string>()
      await evaluate(database, dataset, 'guesser', {}, (fraction, message) => {
        fractions.push(fraction)
        messages.add(message)
      })
      expect(fractions[0]).toBe(0)
      expect(fractions.at(-1)).toBe(1)
      expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
      // Short stages may end without a report.
      const stages = [
        'reading captions',
        'counting n-grams',
        'measuring',
        'computing intervals',
        'writing',
        'done',
      ]
      expect([...messages]).toEqual(stages.filter((stage) => messages.has(stage)))
      expect([...messages]).toEqual(expect.arrayContaining(['reading captions', 'writing', 'done']))
    })

    it('can be cancelled at any report; nothing is stored before the scores are written', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const before = await rowCounts(database)
      let full: Record<string, number> | undefined
      let isWritten = false
      const points = await cancelEverywhere(
        (progress) =>
          evaluate(database, dataset, 'guesser', {}, (fraction, message) => {
            isWritten = fraction === 1
            progress(fraction, message)
          }),
        async () => {
          const counts = await rowCounts(database)
          if (isWritten) full = counts
          expect(counts).toEqual(full ?? before)
        },
      )
      expect(points).toBeGreaterThan(2)
      expect(await rowCounts(database)).toMatchObject({ metric_score: before.metric_score + METRICS.length })
    })
  })

  describe('hard captions', () => {
    it('of a single image have 0 for CIDEr, with a warning', async () => {
      const dataset = await importPair({ only: HUMAN.d }, { only: HUMAN.d[0] })
      const report = await evaluate(database, dataset, 'guesser')
      const stored = await readScores(database, [(await systemOf(database, dataset, 'guesser')).id])
      for (const { metric, value, lower, upper, warnings } of [...report.scores, ...stored]) {
        expect([lower, upper], metric).toEqual([null, null])
        if (metric.startsWith('CIDEr')) {
          expect(value).toBe(0)
          expect(warnings).toEqual([expect.stringContaining('document frequencies come from one image only')])
        } else {
          expect(value, metric).toBeGreaterThan(0)
          expect(warnings, metric).toEqual([])
        }
      }
    })

    it('without words have numbers as scores', async () => {
      const human = { ...HUMAN, b: ['...', 'Two people sit on a bench.'], c: ['!', '...'] }
      const guess = { ...GUESS, d: '', b: '? !', c: ' . , ', a: '-- "' }
      const dataset = await importPair(human, guess)
      const report = await evaluate(database, dataset, 'guesser')
      const found = await namedScores(database, dataset, report)
      expect(differences(found, directScores(guess, human))).toEqual([])
      for (const { metric, value } of report.scores) {
        expect(Number.isFinite(value), metric).toBe(true)
        // The toolkit's ROUGE-L splits a caption without words into one empty word, which such a reference has too.
        if (metric !== 'ROUGE-L') expect(value, metric).toBeLessThan(1e-6)
      }
      expect(Object.values(found.images).map((scores) => scores['ROUGE-L'])).toEqual([0, 1, 1, 0])
    })

    it.runIf(isSlow)('of 10,000 words are scored like others', async () => {
      const long = longCaption(10_000, 60)
      const human = { ...HUMAN, d: [longCaption(9_999, 60), ...HUMAN.d], b: [long] }
      const guess = { ...GUESS, b: long }
      const dataset = await importPair(human, guess)
      const report = await evaluate(database, dataset, 'guesser')
      const { images } = await namedScores(database, dataset, report)
      expect(images.b['ROUGE-L']).toBe(1)
      expect(images.b['BLEU-4']).toBeCloseTo(1, 9)
      expect(images.b['CIDEr-D']).toBeCloseTo(10, 9)
      expect(images.b.METEOR).toBeCloseTo(1, 9)
      expect(images.d['ROUGE-L']).toBeCloseTo(directScores({ d: GUESS.d }, human).images.d['ROUGE-L'], 12)
    })
  })

  describe('an invalid evaluation is refused, and the database does not change', () => {
    async function failure(act: () => Promise<unknown>): Promise<string> {
      const before = await rowCounts(database)
      const message = await rejectionOf(act())
      expect(await rowCounts(database)).toEqual(before)
      return message
    }

    it('a metric that does not exist', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const metrics = ['BLEU-4', 'bleu-5']
      expect(await failure(() => evaluate(database, dataset, 'guesser', { metrics }))).toEqual(
        expect.stringMatching(
          /^UNKNOWN_METRIC metrics: unknown metric: expected one of BLEU-1, .*, found "bleu-5"; did you mean BLEU-1\?$/,
        ),
      )
    })

    it('a system of word scores', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const counts = { imageCount: 1, missingImageCount: 3 }
      await insertSystem(database, { datasetId: dataset.row.id, name: 'detector', ...counts }, 'WORD_SCORES')
      expect(await failure(() => evaluate(database, dataset, 'detector'))).toBe(
        'NOT_APPLICABLE system: caption metrics require captions: expected a captioning system,' +
          ' found "detector", a system of word scores',
      )
    })

    it('a system without captions of described images', async () => {
      const dataset = await importPair({ ...HUMAN, x: [] }, { x: 'A dog.' })
      expect(await failure(() => evaluate(database, dataset, 'guesser'))).toBe(
        'NOT_APPLICABLE system: no image of the system has a human caption: found "guesser"',
      )
    })

    it('document frequencies of an unknown dataset', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const documents = 'nowhere'
      expect(await failure(() => evaluate(database, dataset, 'guesser', { documents }))).toMatch(
        /^UNKNOWN_DATASET .*found "nowhere"$/,
      )
    })

    it('a missing METEOR folder', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const system = await systemOf(database, dataset, 'guesser')
      const without = createThreads({ threadCount: 1, meteorFolder: 'nowhere/absent' })
      expect(await failure(() => evaluateSystem(database, without, system, {}, () => {}))).toMatch(
        /^RESOURCE_MISSING .*\/absent: METEOR data folder not found/,
      )
    })

    it('a system that is removed during the evaluation', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const { id } = await systemOf(database, dataset, 'guesser')
      let removal: Promise<void> | undefined
      const removing = Object.create(database, {
        transaction: {
          value: async (...work: Parameters<Database['transaction']>) => {
            await removal
            return database.transaction(...work)
          },
        },
      }) as Database
      const evaluation = evaluate(removing, dataset, 'guesser', {}, (_, message) => {
        if (message === 'writing') removal = deleteSystem(database, id)
      })
      expect(await rejectionOf(evaluation)).toBe('UNKNOWN_SYSTEM system: the system was removed')
    })
  })

  describe('an evaluation in steps on ranges of images', () => {
    const human = { x: [], ...HUMAN, y: ['A bird in a tree.', 'A bird.'], z: ['A bus.'] }
    const guess = { z: 'A red bus.', x: 'Nothing.', ...GUESS }

    it.each([1, 2, 4, 1_000])('of %i images has the same scores to the last bit', async (imagesPerRange) => {
      const source = await importCaptions(database, fresh('source'), {
        1: [],
        2: ['A dog.'],
        3: ['A bus.', 'Dogs.'],
      })
      const dataset = await importPair(human, guess)
      for (const input of [{}, { documents: source.row.name }, { metrics: ['BLEU-4', 'METEOR'] }]) {
        const expected = await evaluate(database, dataset, 'guesser', input)
        const { id } = await systemOf(database, dataset, 'guesser')
        const readNewestStatistics = async () => {
          const [{ statisticsId }] = (await readScores(database, [id])).slice(-1)
          return readStatistics(database, statisticsId)
        }
        const statistics = await readNewestStatistics()
        const system = await systemOf(database, dataset, 'guesser')
        const plan = await planEvaluation(database, threads, system, input)
        expect(await rangesOf(database, plan.measured, imagesPerRange)).toHaveLength(
          Math.ceil(5 / imagesPerRange),
        )
        const { scoreIds } = await computeInParts(database, plan, imagesPerRange)
        expect(await readReport(database, system, scoreIds)).toEqual(expected)
        expect(await readNewestStatistics()).toEqual(statistics)
      }
    })

    it('has ranges that contain each image once', async () => {
      const dataset = await importPair(human, guess)
      const plan = await planEvaluation(database, threads, await systemOf(database, dataset, 'guesser'), {})
      expect(plan.measured.imageCount).toBe(5)
      const ranges = await rangesOf(database, plan.measured, 2)
      const ids = Array.from(await listImageIds(database, dataset.row.id))
      const idsIn = ({ first, last }: ImageRange) => ids.filter((id) => first <= id && id <= last)
      // x and y have no score; z is last.
      expect(ranges.map(idsIn)).toEqual([ids.slice(1, 3), ids.slice(3, 5), ids.slice(6)])
      expect(plan.documents).toBe(plan.measured)
      const bleu = { metrics: ['BLEU-1'] }
      const system = await systemOf(database, dataset, 'guesser')
      expect(await planEvaluation(database, threads, system, bleu)).toMatchObject({ documents: null })
    })

    it('can be cancelled during measuring and scoring, and stores nothing', async () => {
      const dataset = await importPair(HUMAN, GUESS)
      const before = await rowCounts(database)
      const plan = await planEvaluation(database, threads, await systemOf(database, dataset, 'guesser'), {
        metrics: ['BLEU-1'],
      })
      const [range] = await rangesOf(database, plan.measured, 10)
      const stop = () => {
        throw new Error('stop')
      }
      await expect(measurePart(threads, plan, range, [], stop)).rejects.toThrow('stop')
      const measured = await measurePart(threads, plan, range, [], () => {})
      await expect(plan.finish(measured, undefined, stop)).rejects.toThrow('stop')
      expect(await rowCounts(database)).toEqual(before)
    })
  })
})

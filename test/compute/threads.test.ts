import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { computeEvaluation } from '../../src/compute/evaluation.js'
import { computeDocumentFrequencies, measureTrials } from '../../src/compute/measuring.js'
import { createThreads, type Threads } from '../../src/compute/pool.js'
import { allocateShared } from '../../src/compute/shared-memory.js'
import { shareThreads } from '../../src/compute/shared-threads.js'
import { measureShard } from '../../src/compute/works.js'
import { leaveOneOutTrials } from '../../src/core/agreement/leave-one-out.js'
import { createWordReplicator, replicateWord } from '../../src/core/agreement/word-replicates.js'
import { countDocumentFrequencies } from '../../src/core/metrics/document-frequencies.js'
import { encodeTables } from '../../src/core/metrics/frequency-tables.js'
import { scoreCorpus, scoreImages } from '../../src/core/metrics/metric.js'
import { imageGroups, scoreEstimates } from '../../src/core/stats/jackknife.js'
import { createRandom } from '../../src/core/stats/random.js'
import { sequence } from '../../src/core/text/sequences.js'
import { ENGLISH } from '../../src/core/text/tokenization.js'
import { AccordError } from '../../src/errors.js'
import { writeTrial } from '../core/metrics/trials.js'

const WORDS = [
  'a',
  'the',
  'man',
  'men',
  'dog',
  'dogs',
  'runs',
  'run',
  'on',
  'red',
  'auto',
  'car',
  '1\u00a0/2',
]
const IMAGE_COUNT = 1700

/** Enough images to divide every kind of work. */
const { corpus, trial } = writeTrial(writeImages())
const captions = { references: trial.references, referenceOffsets: trial.referenceOffsets }

const shared = shareThreads(2)
const pools = [createThreads({ threadCount: 5 }), createThreads({ ports: shared.connect() })]
afterAll(async () => {
  for (const threads of pools) await threads.close()
  await shared.close()
})

function writeImages() {
  const random = createRandom(1)
  const caption = () => Array.from({ length: 4 + random.below(6) }, () => WORDS[random.below(WORDS.length)])
  return Array.from({ length: IMAGE_COUNT }, () => ({
    candidate: caption().join(' '),
    references: [caption().join(' '), caption().join(' '), caption().join(' ')],
  }))
}

/** Compared to the last bit: assertions on large arrays take longer than what computes them. */
function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}

const { trials: folds } = leaveOneOutTrials(captions, 3, 2)

/** What this thread alone measures. */
const expected = (() => {
  const { families } = pools[0].registry.choose()
  return { rows: measureShard(families, corpus, [trial]), folds: measureShard(families, corpus, folds) }
})()

test('two threads divide the images of families that parse captions, and of no others', async () => {
  const threads = createThreads({ threadCount: 2 })
  try {
    const { families } = threads.registry.choose(['METEOR', 'SPICE'])
    const begun = new Map<string, number>()
    const begin: Threads['begin'] = (kind, input, taskCount) => {
      begun.set((input as { readonly families: readonly string[] }).families.join(), taskCount)
      return threads.begin(kind, input, taskCount)
    }
    const { statistics } = await measureTrials({ ...threads, begin }, corpus, [trial], families, undefined)
    expect(begun.get('METEOR')).toBe(1)
    expect(begun.get('SPICE')).toBeGreaterThan(2)
    const alone = measureShard(families, corpus, [trial])
    for (const [index, { name }] of families.entries())
      expect(bytesOf(statistics[index][0]).equals(bytesOf(alone[index][0])), name).toBe(true)
  } finally {
    await threads.close()
  }
})

describe.each(pools.map((threads) => [threads.threadCount, threads] as const))(
  'computations with %i threads',
  (_, threads) => {
    const { families } = threads.registry.choose()
    const few = threads.registry.choose(['CIDEr-D', 'METEOR']).families

    test('an evaluation equals one on a single thread, to the last bit', async () => {
      const scores = await computeEvaluation(threads, corpus, [trial], families)
      expect(scores.map(({ family }) => family.name)).toEqual(families.map(({ name }) => name))
      scores.forEach(({ family, trials: [statistics], scores: results, warnings }, index) => {
        const [rows] = expected.rows[index]
        expect(bytesOf(statistics).equals(bytesOf(rows)), family.name).toBe(true)
        expect(results.map(({ metric }) => metric)).toEqual(family.metrics)
        expect(results.map(({ value }) => value)).toEqual(Array.from(scoreCorpus(family, rows)))
        const ofImages = scoreImages(family, rows)
        for (const [metric, { imageScores }] of results.entries())
          expect(imageScores.map((one) => bytesOf(one).equals(bytesOf(ofImages[metric])))).toEqual([true])
        expect(results.map(({ interval }) => interval)).toEqual(
          scoreEstimates({ family, trials: [rows] }).map((estimate) => estimate?.interval),
        )
        expect(warnings).toEqual([])
      })
    })

    test('folds equal those on a single thread', async () => {
      const measured = await measureTrials(threads, corpus, folds, families, undefined)
      measured.statistics.forEach((ofFamily, index) => {
        const [found, alone] = [ofFamily, expected.folds[index]].map((rows) => rows.map(bytesOf))
        expect(
          found.map((bytes, fold) => bytes.equals(alone[fold])),
          families[index].name,
        ).toEqual(folds.map(() => true))
      })
    })

    test.each([false, true])('document frequencies; partial: %s', async (partial) => {
      const tables = await computeDocumentFrequencies(threads, corpus, folds, { partial })
      expect(encodeTables(tables)).toEqual(encodeTables(countDocumentFrequencies(corpus, folds, { partial })))
    })

    test('replicates of words equal those on a single thread, of scores of either precision', async () => {
      const random = createRandom(2)
      const groups = imageGroups(IMAGE_COUNT, 1)
      const images = Int32Array.from({ length: IMAGE_COUNT }, (_, image) => image)
      const words = Array.from({ length: 60 }, (_, index) => {
        const used = images.filter(() => random.below(1 + (index % 7)) === 0)
        const scores = Float64Array.from(images, () => random.below(1000) / 1000)
        return {
          images: { images: used, counts: Uint8Array.from(used, () => 1 + random.below(3)) },
          predicted: index % 3 === 0 ? used : null,
          scores:
            index % 3 === 1 ? { images, scores: index % 2 === 0 ? scores : new Float32Array(scores) } : null,
        }
      })
      const figures = { hasAveragePrecision: true, hasPeople: true }
      const method = { groups, captionsPerImage: 3, references: 2, ...figures }
      const found = await threads.run('replicateWords', { ...method, words }, words.length)
      const replicator = createWordReplicator(groups, 3, 2)
      expect(found).toEqual(words.map((word) => replicateWord(replicator, word, figures)))
    })

    test('document frequencies of other images are used', async () => {
      const half = { ...captions, referenceOffsets: captions.referenceOffsets.subarray(0, 900) }
      const [table] = await computeDocumentFrequencies(threads, corpus, [half])
      const [expected] = countDocumentFrequencies(corpus, [half])
      expect(table).toEqual(expected)
      const ciders = threads.registry.choose(['CIDEr-D']).families
      const withTable = { ...trial, documentFrequencies: table }
      const [
        {
          trials: [statistics],
        },
      ] = await computeEvaluation(threads, corpus, [withTable], ciders)
      const [[rows]] = measureShard(ciders, corpus, [withTable])
      const [[own]] = measureShard(ciders, corpus, [trial])
      expect([rows, own].map((other) => bytesOf(statistics).equals(bytesOf(other)))).toEqual([true, false])
    })

    test('progress rises from 0 to 1 through the stages', async () => {
      const reports: [number, string][] = []
      await computeEvaluation(threads, corpus, [trial], few, (share, stage) => reports.push([share, stage]))
      const shares = reports.map(([share]) => share)
      expect(shares.at(-1)).toBe(1)
      expect(shares).toEqual(shares.toSorted((a, b) => a - b))
      expect(new Set(reports.map(([, stage]) => stage))).toContain('measuring')
      expect(reports.at(-1)).toEqual([1, 'computing intervals'])
    })

    test.each(['measuring', 'computing intervals'])(
      '%s can be cancelled, and work goes on',
      async (wanted) => {
        const onProgress = (_: number, stage: string) => {
          if (stage === wanted) throw new AccordError('CANCELLED', 'enough')
        }
        const cancelled = computeEvaluation(threads, corpus, [trial], few, onProgress)
        await expect(cancelled).rejects.toThrow('enough')
        const [scores] = await computeEvaluation(threads, corpus, [trial], [families[0]])
        expect(bytesOf(scores.trials[0]).equals(bytesOf(expected.rows[0][0]))).toBe(true)
      },
    )

    test('several computations at the same time do not disturb each other', async () => {
      const evaluate = () => computeEvaluation(threads, corpus, [trial], few)
      const [one, other] = await Promise.all([evaluate(), evaluate()])
      expect(one.map(({ scores }) => scores.map(({ value }) => value))).toEqual(
        other.map(({ scores }) => scores.map(({ value }) => value)),
      )
    })
  },
)

test('threads are shared by several pools, which are closed independently', async () => {
  const [one, other] = [1, 2].map(() => createThreads({ ports: shared.connect() }))
  const evaluate = (threads: typeof one) =>
    computeEvaluation(threads, corpus, [trial], threads.registry.choose(['METEOR', 'CIDEr-D']).families)
  const valuesOf = (families: Awaited<ReturnType<typeof evaluate>>) =>
    families.flatMap(({ scores }) => scores.map(({ value }) => value))
  const [first, second] = await Promise.all([evaluate(one), evaluate(other)])
  expect(valuesOf(first)).toEqual(valuesOf(second))
  await one.close()
  expect(valuesOf(await evaluate(other))).toEqual(valuesOf(first))
  await other.close()
})

test('a run fails with the shared threads that take part in it', async () => {
  const fragile = shareThreads(1)
  const [port] = fragile.connect()
  const closed = once(port, 'close')
  const run = createThreads({ ports: [port] }).begin(
    'tokenize',
    { captions: ['a dog'], tokenization: ENGLISH },
    1,
  )
  await fragile.close()
  await closed
  await expect(run.finish()).rejects.toThrow('ended unexpectedly')
})

test('worker threads find objects as this thread does, by words of a file and as the published program', async () => {
  const objectWordsFile = join(mkdtempSync(join(tmpdir(), 'accord-words-')), 'words.csv')
  writeFileSync(objectWordsFile, 'object,words\nbus,bus\ncar,car|auto\n')
  const written = Array.from({ length: corpus.offsets.length - 1 }, (_, caption) =>
    Array.from(sequence(corpus, caption), (token) => corpus.texts[token]).join(' car and buses '),
  )
  const measured = []
  for (const isChairCompatible of [false, true]) {
    const threads = createThreads({ threadCount: 3, objectWordsFile, isChairCompatible })
    const { families } = threads.registry.choose(['CHAIR'])
    const [chair] = families
    const alone = chair.measure(chair.prepare({ ...corpus, written }), trial)
    const rows = allocateShared(alone.length)
    const starts = Int32Array.of(0, IMAGE_COUNT)
    const run = threads.begin(
      'measure',
      {
        corpus: { ...corpus, written },
        trials: [trial],
        families: [chair.name],
        starts,
        statistics: [[rows]],
      },
      1,
    )
    // By a worker thread: this one has not joined the run.
    await vi.waitFor(() => expect(rows.some((value) => value > 0)).toBe(true), { timeout: 20_000 })
    await run.finish()
    expect(bytesOf(rows).equals(bytesOf(alone))).toBe(true)
    measured.push(bytesOf(alone))
    await threads.close()
  }
  expect(measured[0].equals(measured[1])).toBe(false)
  rmSync(dirname(objectWordsFile), { recursive: true })
})

test('worker threads have the metrics of modules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'accord-module-'))
  const module = join(folder, 'length.mjs')
  writeFileSync(
    module,
    "export default { name: 'length', lowest: 0, highest: 1e3, text: 'tokens', score: (words) => words.length }\n",
  )
  const threads = createThreads({ threadCount: 3, metricModules: [module] })
  const { families } = threads.registry.choose(['length'])
  const rows = allocateShared(IMAGE_COUNT)
  const starts = Int32Array.of(0, IMAGE_COUNT)
  const input = { corpus, trials: [trial], families: [families[0].name], starts, statistics: [[rows]] }
  const run = threads.begin('measure', input, 1)
  // By a worker thread: this one has not joined the run.
  await vi.waitFor(() => expect(rows.some((value) => value > 0)).toBe(true), { timeout: 20_000 })
  await run.finish()
  expect([...rows]).toEqual(Array.from(trial.candidates, (caption) => sequence(corpus, caption).length))
  await threads.close()
  rmSync(folder, { recursive: true })
})

describe('abuse', () => {
  const [threads] = pools

  test('an image without references is reported with its position in the trial', async () => {
    const { families } = threads.registry.choose()
    const referenceOffsets = trial.referenceOffsets.map((offset, image) =>
      image > 1500 ? offset - 3 : offset,
    )
    const broken = { ...trial, referenceOffsets }
    await expect(computeEvaluation(threads, corpus, [broken], families)).rejects.toThrow(
      'image 1500 of the trial: an image without references has no score',
    )
  })

  test('a trial without images has no score', async () => {
    const { families } = threads.registry.choose()
    const empty = writeTrial([])
    await expect(computeEvaluation(threads, empty.corpus, [empty.trial], families)).rejects.toThrow(
      'a corpus without images has no score',
    )
  })

  test('a missing METEOR folder is refused', () => {
    const { registry } = createThreads({ threadCount: 2, meteorFolder: 'nowhere' })
    expect(registry.choose(['BLEU-1']).families).toHaveLength(1)
    expect(() => registry.choose()).toThrow('nowhere')
  })

  test('an unknown family is refused', async () => {
    const [family] = threads.registry.choose(['ROUGE-L']).families
    const unknown = { ...family, name: 'ROUGE-X' }
    const evaluation = computeEvaluation(threads, corpus, [trial], [unknown])
    await expect(evaluation).rejects.toThrow('one of BLEU, ROUGE-L')
  })

  test('threads that are closed during a run', async () => {
    const closing = createThreads({ threadCount: 2 })
    const { families } = closing.registry.choose()
    const evaluation = computeEvaluation(closing, corpus, [trial], families)
    const refused = expect(evaluation).rejects.toMatchObject({ code: 'CANCELLED' })
    await closing.close()
    await refused
  })
})

import type { TableOptions } from '../core/metrics/document-frequencies.js'
import { type FrequencyTables, joinParts } from '../core/metrics/frequency-tables.js'
import type { MetricFamily, Trial } from '../core/metrics/metric.js'
import { countImages, type ReferenceLists } from '../core/metrics/reference-lists.js'
import { wordKeys } from '../core/text/ngrams.js'
import type { Corpus } from '../core/text/sequences.js'
import type { RunProgress, Threads } from './pool.js'
import { allocateShared } from './shared-memory.js'

/**
 * Minimum number of candidates of a task, divided by the number of threads. A thread that first measures a family
 * compiles its code, which takes as long as measuring some thousand candidates.
 */
const MIN_CANDIDATES = 8192

/** The same for families that parse captions, each of which takes as long as a hundred others. */
const MIN_PARSED_CANDIDATES = 1024

/** Bounds the memory of a task. */
const MAX_IMAGES_PER_TASK = 32_768

/** Minimum number of candidates to measure on several threads. */
const MIN_SPLIT_CANDIDATES = 1000

/** Minimum number of captions to count document frequencies on several threads. */
const MIN_SPLIT_CAPTIONS = 4000

/** {@link countDocumentFrequencies} on all threads, divided by the first word of the n-grams. */
export async function computeDocumentFrequencies(
  threads: Threads,
  corpus: Corpus,
  lists: readonly ReferenceLists[],
  { partial = false }: TableOptions = {},
  onProgress?: RunProgress,
): Promise<FrequencyTables> {
  for (const list of lists) countImages(list)
  const isSplit = corpus.offsets.length > MIN_SPLIT_CAPTIONS
  const parts = isSplit ? threads.threadCount : 1
  const input = { words: wordKeys(corpus), lists: lists.map(onlyReferences), parts, partial }
  return joinParts(await threads.run('count', input, parts, onProgress))
}

/** Statistics, and the trials with the document frequencies that were used. */
export interface MeasuredTrials {
  /** For each family and trial, the rows of all images. */
  readonly statistics: readonly (readonly Float64Array[])[]
  readonly trials: readonly Trial[]
}

/**
 * Measures trials over one corpus on all threads, divided by families and images. The trials have the same number of
 * images. If a family needs document frequencies and a trial has none, they are counted in its references.
 *
 * This thread measures the families that count n-grams, which share the counts, while worker threads measure the
 * others. A thread that has finished takes remaining tasks of the others.
 */
export async function measureTrials(
  threads: Threads,
  corpus: Corpus,
  trials: readonly Trial[],
  families: readonly MetricFamily[],
  onProgress: ComputeProgress | undefined,
): Promise<MeasuredTrials> {
  const isSplit = trials.length * trials[0].candidates.length >= MIN_SPLIT_CANDIDATES
  const together = families.filter(({ needs }) => needs.ngrams || !isSplit)
  const apart = families.filter((family) => !together.includes(family)).sort(byResources)
  const rows = new Map<MetricFamily, readonly Float64Array[]>()
  const begun = apart.map((family) => {
    const { input, taskCount } = splitMeasuring(threads, corpus, trials, [family])
    return { run: threads.begin('measure', input, taskCount), family, statistics: input.statistics[0] }
  })
  try {
    const complete = await addDocumentFrequencies(threads, corpus, trials, together, onProgress)
    const { input, taskCount } = splitMeasuring(threads, corpus, complete, together)
    const partOf = (first: number, count: number) =>
      stageProgress(onProgress, 'measuring', first / families.length, (first + count) / families.length)
    await threads.run('measure', input, taskCount, partOf(0, together.length))
    together.forEach((family, index) => {
      rows.set(family, input.statistics[index])
    })
    let finished = together.length
    for (const { run, family, statistics } of begun.toReversed()) {
      await run.finish(partOf(finished++, 1))
      rows.set(family, statistics)
    }
    return { statistics: families.map((family) => rows.get(family) as Float64Array[]), trials: complete }
  } finally {
    for (const { run } of begun) run.cancel()
  }
}

/** Sorts families with resources first, because they take longest. */
function byResources(one: MetricFamily, other: MetricFamily): number {
  return other.needs.resources.length - one.needs.resources.length
}

/** The input of a run that measures families, and the number of its tasks. */
function splitMeasuring(
  threads: Threads,
  corpus: Corpus,
  trials: readonly Trial[],
  families: readonly MetricFamily[],
) {
  const images = families.length === 0 ? 0 : trials[0].candidates.length
  const minCandidates = families.some(parsesCaptions) ? MIN_PARSED_CANDIDATES : MIN_CANDIDATES
  const starts = isMeasuredAtOnce(threads, trials, families)
    ? Int32Array.of(0, images)
    : splitImages(images, threads.threadCount, minCandidates / trials.length)
  const statistics = families.map(({ width }) => trials.map(() => allocateShared(images * width)))
  const input = { corpus, trials, families: families.map(({ name }) => name), starts, statistics }
  return { input, taskCount: starts.length - 1 }
}

function parsesCaptions({ needs }: MetricFamily): boolean {
  return needs.resources.includes('spice')
}

/**
 * Whether all images of families are measured as one task. This is best with two threads, unless a family takes as long as all
 * others: those that count n-grams take as long as the rest, all n-grams are numbered once, also for document frequencies, and no
 * code is compiled twice.
 */
function isMeasuredAtOnce(
  { threadCount }: Threads,
  trials: readonly Trial[],
  families: readonly MetricFamily[],
): boolean {
  if (trials[0].candidates.length > MAX_IMAGES_PER_TASK) return false
  return threadCount === 1 || (threadCount === 2 && !families.some(parsesCaptions))
}

/** The trials with the document frequencies of their own references, required by tasks on a part of the images. */
async function addDocumentFrequencies(
  threads: Threads,
  corpus: Corpus,
  trials: readonly Trial[],
  families: readonly MetricFamily[],
  onProgress: ComputeProgress | undefined,
): Promise<readonly Trial[]> {
  const areNeeded = families.some(({ needs }) => needs.documentFrequencies)
  if (!areNeeded || isMeasuredAtOnce(threads, trials, families)) return trials
  if (trials.every(({ documentFrequencies }) => documentFrequencies)) return trials
  const progress = stageProgress(onProgress, 'counting n-grams')
  const counted = await computeDocumentFrequencies(threads, corpus, trials, {}, progress)
  return trials.map((trial, index) => ({ ...trial, documentFrequencies: counted[index] }))
}

function onlyReferences({ references, referenceOffsets }: ReferenceLists): ReferenceLists {
  return { references, referenceOffsets }
}

/**
 * Positions of the images at which tasks start, and the number of images. Each task is a share of the remaining images:
 * large tasks first, whose preparation is cheaper per image, and smaller ones at the end, so that all threads finish at
 * nearly the same time.
 *
 * @param minImages minimum number of images of a task, divided by the number of threads
 */
function splitImages(images: number, threadCount: number, minImages: number): Int32Array {
  const leastImages = minImages / threadCount
  const starts = [0]
  const divisor = threadCount === 1 ? 1 : 2 * threadCount
  for (let start = 0; start < images; ) {
    const size = Math.min(MAX_IMAGES_PER_TASK, Math.ceil(Math.max(leastImages, (images - start) / divisor)))
    start = images - start - size < leastImages / 2 ? images : start + size
    starts.push(start)
  }
  return Int32Array.from(starts)
}

/** The current step of a computation, for progress messages. */
export type Stage = 'counting n-grams' | 'measuring' | 'computing intervals'

/**
 * Receives the completed share, 0 to 1, every few tens of milliseconds. If it throws, the work is cancelled on all
 * threads and the computation fails with its error.
 */
export type ComputeProgress = (share: number, stage: Stage) => void

/** Progress of the computation at the start and end of each stage. */
const BOUNDS: Readonly<Record<Stage, readonly [start: number, end: number]>> = {
  'counting n-grams': [0, 0.1],
  measuring: [0.1, 0.95],
  'computing intervals': [0.95, 1],
}

/** Maps the progress of one stage, or of its part from `from` to `to`, to that of the computation. */
export function stageProgress(
  onProgress: ComputeProgress | undefined,
  stage: Stage,
  from = 0,
  to = 1,
): RunProgress | undefined {
  const [start, end] = BOUNDS[stage]
  return onProgress && ((share) => onProgress(start + (from + share * (to - from)) * (end - start), stage))
}

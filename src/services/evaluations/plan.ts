import { computeDocumentFrequencies, measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { createTableMerger, type FrequencyTables } from '../../core/metrics/frequency-tables.js'
import type { HashedFrequencies } from '../../core/metrics/hashed-frequencies.js'
import type { MetricFamily, Trial } from '../../core/metrics/metric.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import type { Corpus } from '../../core/text/sequences.js'
import { type Progress, part, step } from '../../progress.js'
import type { ImageRange } from '../../store/caption-search.js'
import type { Session } from '../../store/engine/session.js'
import { type CaptionedImages, splitImages } from '../../store/image-ranges.js'

import { type Division, IN_PROCESS } from './division.js'

/**
 * How an evaluation or a human agreement table is computed, in parts on ranges of images:
 *
 * 1. {@link countPart} of every range of `documents`, if there are any; the tables are merged.
 * 2. {@link measurePart} of every range of `measured`; the parts are joined.
 * 3. `finish`.
 *
 * {@link computePlan} does all this in one process. Results are identical to the last bit for any division into ranges,
 * and wherever the parts are computed.
 */
export interface Plan<Result> {
  readonly families: readonly MetricFamily[]
  readonly measured: Source<Trial>
  /** Where document frequencies are counted, one table for each trial; null if no family needs them. */
  readonly documents: Source<ReferenceLists> | null
  /** Document frequencies that are not counted, for all trials. */
  readonly fixed?: HashedFrequencies
  /**
   * Computes and stores scores and intervals.
   *
   * @param documentFrequencies those of the first trial. Default: those of its references
   */
  finish(
    measured: Measured,
    documentFrequencies: Trial['documentFrequencies'],
    progress: Progress,
  ): Promise<Result>
}

/** Images whose captions are read in ranges. */
export interface Source<List extends ReferenceLists> {
  readonly images: CaptionedImages
  /** At least 1. */
  readonly imageCount: number
  read(range: ImageRange): Promise<Material<List>>
}

/** The captions of a range of images, and which are compared with which. */
export interface Material<List extends ReferenceLists = Trial> {
  readonly corpus: Corpus
  readonly trials: readonly List[]
  /** Images of the trials, ascending. */
  readonly imageIds: Int32Array
}

/** Statistics of images. */
export interface Measured {
  /** Ascending. */
  readonly imageIds: Int32Array
  /** Per image, its number of references. */
  readonly referenceCounts: Int32Array
  /** For each family and trial, the rows of all images. */
  readonly statistics: readonly (readonly Float64Array[])[]
}

/** Ranges of nearly equal size. */
export function divide(
  session: Session,
  { images, imageCount }: Source<ReferenceLists>,
  { parts, imagesPerPart }: Division,
): Promise<ImageRange[]> {
  const count = Math.max(parts, Math.ceil(imageCount / imagesPerPart))
  return splitImages(session, images, Math.ceil(imageCount / count))
}

/** Document frequencies of a range of images, which contain all n-grams; one table per trial. */
export async function countPart(
  threads: Threads,
  documents: Source<ReferenceLists>,
  range: ImageRange,
): Promise<FrequencyTables> {
  const { corpus, trials } = await documents.read(range)
  return computeDocumentFrequencies(threads, corpus, trials, { partial: true })
}

/**
 * Measures a range of images.
 *
 * @param tables document frequencies of all images, one table per trial; none if no family needs them, or if there is
 *   one range, in whose references they are counted
 */
export async function measurePart(
  threads: Threads,
  { families, measured, fixed }: Plan<unknown>,
  range: ImageRange,
  tables: FrequencyTables,
  progress: Progress,
): Promise<Measured> {
  progress(0, 'reading captions')
  const { corpus, trials, imageIds } = await measured.read(range)
  const complete = trials.map((trial, index) => ({
    ...trial,
    documentFrequencies: fixed ?? tables.at(index),
  }))
  const { statistics } = await measureTrials(threads, corpus, complete, families, part(progress, 0.1, 1))
  const [{ referenceOffsets }] = trials
  return {
    imageIds,
    referenceCounts: referenceOffsets.subarray(1).map((end, image) => end - referenceOffsets[image]),
    statistics,
  }
}

/** Concatenates parts, whose images are in ascending order. */
export function joinMeasured(parts: readonly Measured[]): Measured {
  const [{ statistics }] = parts
  return {
    imageIds: joinArrays(parts.map(({ imageIds }) => imageIds)),
    referenceCounts: joinArrays(parts.map(({ referenceCounts }) => referenceCounts)),
    statistics: statistics.map((trials, family) =>
      trials.map((_, trial) => joinArrays(parts.map(({ statistics }) => statistics[family][trial]))),
    ),
  }
}

export function joinArrays<Numbers extends Int32Array | Float64Array>(arrays: readonly Numbers[]): Numbers {
  if (arrays.length === 1) return arrays[0]
  const length = arrays.reduce((sum, array) => sum + array.length, 0)
  const joined = new (arrays[0].constructor as new (length: number) => Numbers)(length)
  let start = 0
  for (const array of arrays) {
    joined.set(array, start)
    start += array.length
  }
  return joined
}

/** Computes a plan in this process. @throws AccordError as the plan; errors of `progress` */
export async function computePlan<Result>(
  session: Session,
  threads: Threads,
  plan: Plan<Result>,
  progress: Progress,
  division: Division = IN_PROCESS,
): Promise<Result> {
  progress(0, 'reading captions')
  threads.start()
  const ranges = await divide(session, plan.measured, division)
  const countsItself = ranges.length === 1 && plan.documents === plan.measured
  const { documents } = plan
  const tables =
    countsItself || documents === null
      ? []
      : await countAll(session, threads, documents, division, part(progress, 0.02, 0.2))
  const parts: Measured[] = []
  for (const [index, range] of ranges.entries()) {
    const measuring = step(part(progress, 0.2, 0.9), index, ranges.length)
    parts.push(await measurePart(threads, plan, range, tables, measuring))
  }
  return plan.finish(joinMeasured(parts), plan.fixed ?? tables.at(0), part(progress, 0.9, 1))
}

/** Document frequencies of all images, one table per trial. */
export async function countAll(
  session: Session,
  threads: Threads,
  documents: Source<ReferenceLists>,
  division: Division,
  progress: Progress,
): Promise<FrequencyTables> {
  const merger = createTableMerger()
  const ranges = await divide(session, documents, division)
  for (const [index, range] of ranges.entries()) {
    progress(index / ranges.length, 'counting n-grams')
    merger.add(await countPart(threads, documents, range))
  }
  return merger.merged()
}

import type { DocumentFrequencies } from '../../core/metrics/document-frequencies.js'
import type { MetricFamily } from '../../core/metrics/metric.js'
import type { Progress } from '../../progress.js'
import type { ImageRange } from '../../store/caption-search.js'

/**
 * An evaluation or a human agreement table as steps on ranges of images, which any process can execute. Results are
 * identical to the last bit for any division into ranges.
 *
 * 1. `countDocuments` of every range of `documentRanges`, if there are any; the tables of each trial are merged.
 * 2. `measure` of every range of `imageRanges`.
 * 3. `finish` with all rows.
 */
export interface SplitComputation<Result> {
  readonly families: readonly MetricFamily[]
  /** Number of measured images, at least 1. */
  readonly imageCount: number
  /** Ranges of the images in whose captions document frequencies are counted; none if no family needs them. */
  documentRanges(imagesPerRange: number): Promise<ImageRange[]>
  /** Counts partial document frequencies of a range, one table per trial. */
  countDocuments(range: ImageRange): Promise<DocumentFrequencies[]>
  /** Ranges of the measured images. */
  imageRanges(imagesPerRange: number): Promise<ImageRange[]>
  /**
   * Measures the images of a range.
   *
   * @param tables document frequencies of all ranges, one table per trial; none if there are no document ranges
   * @returns rows of statistics for each family and trial, by image id
   */
  measure(
    range: ImageRange,
    tables: readonly DocumentFrequencies[],
    progress: Progress,
  ): Promise<Float64Array[][]>
  /**
   * Computes and stores scores and intervals.
   *
   * @param rows for each family and trial, the rows of all ranges in ascending order
   * @param tables as for `measure`
   */
  finish(
    rows: readonly (readonly Float64Array[])[],
    tables: readonly DocumentFrequencies[],
    progress: Progress,
  ): Promise<Result>
}

/** Concatenates arrays, such as the rows of ranges of images. */
export function joinArrays(arrays: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(arrays.reduce((length, array) => length + array.length, 0))
  let start = 0
  for (const array of arrays) {
    joined.set(array, start)
    start += array.length
  }
  return joined
}

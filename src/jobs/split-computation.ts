import type { DocumentFrequencies } from '../metrics/document-frequencies.js'
import type { MetricFamily } from '../metrics/metric.js'
import type { ImageRange } from '../store/images.js'
import type { Progress } from './progress.js'

/**
 * An evaluation or a human table as steps on ranges of images, for any process that has the database: results are the
 * same to the last bit however the images are divided.
 *
 * 1. `countDocuments` of every range of `documentRanges`, where there is one; the tables of each trial are merged.
 * 2. `measure` of every range of `imageRanges`.
 * 3. `finish` with all rows.
 */
export interface SplitComputation<Result> {
  readonly families: readonly MetricFamily[]
  /** Images that are measured, 1 or more. */
  readonly imageCount: number
  /** Ranges of the images whose captions document frequencies are counted in; none where no family needs any. */
  documentRanges(imagesPerRange: number): Promise<ImageRange[]>
  /** Partial document frequencies of a range, one table per trial. */
  countDocuments(range: ImageRange): Promise<DocumentFrequencies[]>
  /** Ranges of the images that are measured. */
  imageRanges(imagesPerRange: number): Promise<ImageRange[]>
  /**
   * Measures the images of a range.
   *
   * @param tables document frequencies of all ranges, one table per trial; none where there are no document ranges
   * @returns rows of statistics per family and trial, images by id
   */
  measure(
    range: ImageRange,
    tables: readonly DocumentFrequencies[],
    progress: Progress,
  ): Promise<Float64Array[][]>
  /**
   * Computes scores and intervals from the rows, and saves them.
   *
   * @param rows per family and trial, of all ranges in ascending order
   * @param tables as for `measure`
   */
  finish(
    rows: readonly (readonly Float64Array[])[],
    tables: readonly DocumentFrequencies[],
    progress: Progress,
  ): Promise<Result>
}

/** Arrays in one, such as the rows of ranges of images. */
export function joinArrays(arrays: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(arrays.reduce((length, array) => length + array.length, 0))
  let start = 0
  for (const array of arrays) {
    joined.set(array, start)
    start += array.length
  }
  return joined
}

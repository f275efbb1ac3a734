import type { MetricFamily } from '../metrics/metric.js'

/** What statistics use of a family: how many scores there are, their largest value, and how they are computed. */
export interface Scorer extends Pick<MetricFamily, 'width' | 'corpusScores'> {
  /** One entry per score. */
  readonly metrics: readonly Pick<MetricFamily['metrics'][number], 'highest'>[]
}

/** What a family measured on the images: one array of rows per trial, the same images in the same order. */
export interface Measurement<Family extends Scorer = MetricFamily> {
  readonly family: Family
  readonly trials: readonly Float64Array[]
}

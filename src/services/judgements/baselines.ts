import type { TrainedComposite } from '../../core/composite/artefact.js'
import { toFeatures } from '../../core/composite/features.js'
import {
  compareJudged,
  type Judged,
  type MetricDifference,
  mainFigure,
} from '../../core/judgements/meta-evaluation.js'

/** What a composite metric is compared with: its features without any training. */
export interface Baselines {
  /** τ-c, or the mean accuracy, of the mean of the standardised features. */
  readonly meanOfFeatures: number | null
  /** The feature that agrees best with people. */
  readonly bestFeature: string
  readonly bestFeatureFigure: number | null
  /** The composite minus the better of both, on resampled images; null where a figure is undefined. */
  readonly difference: MetricDifference | null
  /** Whether the composite was chosen by these judgements: a difference then says nothing about its training. */
  readonly isValidation: boolean
}

/** The mean of the standardised features of captions, which orders them without any training. */
export function meanOfFeatures(
  { header: { features } }: TrainedComposite,
  scoresOf: (metric: string) => Float64Array,
): Float64Array {
  const rows = toFeatures(
    features.map(({ metric }) => scoresOf(metric)),
    features,
  )
  const width = features.length
  return Float64Array.from({ length: rows.length / width }, (_, caption) => {
    let sum = 0
    for (let feature = 0; feature < width; feature++) sum += rows[caption * width + feature]
    return sum / width
  })
}

/**
 * Compares a composite with its baselines.
 *
 * @param mean of the mean of its features
 * @param content hash of the judgements
 */
export function compareWithBaselines(
  { header }: TrainedComposite,
  { composite, mean, judgedOf }: JudgedBaselines,
  content: string,
): Baselines {
  const figure = (judged: Judged) => mainFigure(judged.figures) ?? Number.NEGATIVE_INFINITY
  const names = header.features.map(({ metric }) => metric)
  const best = names.reduce((one, other) => (figure(judgedOf(other)) > figure(judgedOf(one)) ? other : one))
  const baseline = figure(mean) >= figure(judgedOf(best)) ? mean : judgedOf(best)
  return {
    meanOfFeatures: mainFigure(mean.figures),
    bestFeature: best,
    bestFeatureFigure: mainFigure(judgedOf(best).figures),
    difference: compareJudged(composite, baseline),
    isValidation: header.validation.revision === content,
  }
}

interface JudgedBaselines {
  readonly composite: Judged
  readonly mean: Judged
  judgedOf(metric: string): Judged
}

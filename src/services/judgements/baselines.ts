import type { TrainedComposite } from '../../core/composite/artefact.js'
import { meanOfFeatures, toFeatures } from '../../core/composite/features.js'
import { countWeights, createNetwork, initialWeights } from '../../core/composite/network.js'
import type { Judgements } from '../../core/judgements/judgement.js'
import * as metaEvaluation from '../../core/judgements/meta-evaluation.js'
import { createRandom } from '../../core/stats/random.js'

/**
 * A composite, or what it is compared with. Baselines, which no training chose: the mean of its standardised features, its
 * feature that agrees best with people, and the median of networks of the same shapes with random weights.
 */
export type CandidateKind = 'TRAINED' | 'OTHER_SEED' | 'MEAN_OF_FEATURES' | 'BEST_FEATURE' | 'RANDOM_NETWORK'

/** How well a candidate agrees with people. */
export interface Candidate {
  readonly kind: CandidateKind
  /** Of the metric, or of the feature; with its seed that of a network. */
  readonly name: string
  /** τ-c, or the mean accuracy. */
  readonly figure: number | null
  /** From the best baseline, on resampled images; null for the latter, and where a figure is undefined. */
  readonly comparison: metaEvaluation.MetricDifference | null
}

/** A composite beside its baselines. */
export interface Baselines {
  readonly candidates: readonly Candidate[]
  /** What the difference of the composite from the best baseline shows; null where it is undefined. */
  readonly verdict: TrainingVerdict | null
}

/**
 * `USED`: it was trained on these judgements, or chosen by them, so that they show nothing. `HELPS` and `HARMS`: the interval
 * excludes 0.
 */
export type TrainingVerdict = 'USED' | 'HELPS' | 'HARMS' | 'NOT_SHOWN'

/** The scores of captions by a candidate that is no metric. */
export interface CandidateScores {
  readonly kind: CandidateKind
  readonly name: string
  readonly scores: Float64Array
}

/** The candidates of a composite beside itself and its features. */
export function candidatesOf(
  { header, weights }: TrainedComposite,
  judgements: Judgements,
  scoresOf: (metric: string) => Float64Array,
): CandidateScores[] {
  const rows = toFeatures(
    header.features.map(({ metric }) => scoresOf(metric)),
    header.features,
  )
  const networks = [header, ...header.others]
  const random = networks
    .map(({ seed, network }) => {
      const scores = createNetwork(network).predict(initialWeights(network, createRandom(seed)), rows)
      return { name: `seed ${seed}`, scores, figure: metaEvaluation.agreementOf(judgements, scores) ?? 0 }
    })
    .sort((one, other) => one.figure - other.figure)
  let start = countWeights(header.network)
  const others = header.others.map(({ seed, network }): CandidateScores => {
    const own = weights.subarray(start)
    start += countWeights(network)
    return { kind: 'OTHER_SEED', name: `seed ${seed}`, scores: createNetwork(network).predict(own, rows) }
  })
  return [
    ...others,
    { kind: 'MEAN_OF_FEATURES', name: 'mean', scores: meanOfFeatures(rows, header.features.length) },
    { kind: 'RANDOM_NETWORK', ...random[random.length >> 1] },
  ]
}

/** A candidate whose scores were judged. */
export interface JudgedCandidate extends Pick<CandidateScores, 'kind' | 'name'> {
  readonly judged: metaEvaluation.Judged
}

/**
 * Compares a composite, and all other candidates, with the best of the baselines.
 *
 * @param features the features, judged as metrics
 * @param others as {@link candidatesOf}
 * @param content hash of the judgements
 */
export function compareWithBaselines(
  trained: TrainedComposite,
  { composite, features, others }: JudgedCandidates,
  content: string,
): Baselines {
  const feature = bestOf(features.map((one) => ({ kind: 'BEST_FEATURE', ...one })))
  const all: JudgedCandidate[] = [
    { kind: 'TRAINED', name: `seed ${trained.header.seed}`, judged: composite },
    ...others,
    feature,
  ]
  const baseline = bestOf(all.filter(({ kind }) => kind !== 'TRAINED' && kind !== 'OTHER_SEED'))
  const candidates = all.map(
    ({ judged, ...candidate }): Candidate => ({
      ...candidate,
      figure: metaEvaluation.mainFigure(judged.figures),
      comparison: judged === baseline.judged ? null : metaEvaluation.compareJudged(judged, baseline.judged),
    }),
  )
  const verdict = isChosenBy(trained, content) ? 'USED' : verdictOf(candidates[0].comparison)
  return { candidates, verdict }
}

/** Whether a composite was trained on judgements, or chosen by them. @param content hash of the judgements */
export function isChosenBy({ header: { training, validation } }: TrainedComposite, content: string): boolean {
  return training.revision === content || validation.revision === content
}

function verdictOf(comparison: metaEvaluation.MetricDifference | null): TrainingVerdict | null {
  if (comparison === null) return null
  if (comparison.interval === null) return 'NOT_SHOWN'
  const { lower, upper } = comparison.interval
  return lower > 0 ? 'HELPS' : upper < 0 ? 'HARMS' : 'NOT_SHOWN'
}

function bestOf(candidates: readonly JudgedCandidate[]): JudgedCandidate {
  const figure = ({ judged }: JudgedCandidate) =>
    metaEvaluation.mainFigure(judged.figures) ?? Number.NEGATIVE_INFINITY
  return candidates.reduce((one, other) => (figure(other) > figure(one) ? other : one))
}

interface JudgedCandidates {
  readonly composite: metaEvaluation.Judged
  readonly features: readonly Omit<JudgedCandidate, 'kind'>[]
  readonly others: readonly JudgedCandidate[]
}

import { requireInteger } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { findRoot } from '../stats/optimise.js'
import { type CurvePoint, requirePoints } from './phr.js'

/**
 * Word-usage model (Chen et al. 2015, Microsoft COCO Captions, section 4.2): the object that the word refers
 * to is in an image with probability q. If it is, each person independently uses the word with probability p;
 * otherwise nobody does. The number of an image's K captions that contain the word therefore follows a
 * zero-inflated binomial distribution.
 *
 * - `MOMENT`: method of moments as in the paper, p = human recall, q = (mean fraction of captions with the
 *   word) / p.
 * - `BINOMIAL`: maximum likelihood.
 * - `BETA_BINOMIAL`: maximum likelihood with p varying between images according to a beta distribution. Not in
 *   the paper.
 */
export type UsageModelKind = 'MOMENT' | 'BINOMIAL' | 'BETA_BINOMIAL'

/** All models, from that of the paper to the one with the most parameters. */
export const USAGE_MODELS = [
  'MOMENT',
  'BINOMIAL',
  'BETA_BINOMIAL',
] as const satisfies readonly UsageModelKind[]

/** A usage model fitted to one word. */
export interface UsageFit {
  readonly kind: UsageModelKind
  /** p = P(a person uses the word | object in image), 0..1. The mean if p varies between images. */
  readonly usageProbability: number
  /** q = P(object in image), 0..1. */
  readonly objectProbability: number
  /** ρ = 1 / (α + β + 1), 0 ≤ ρ < 1: correlation between two people. 0 if p is the same for all images. */
  readonly overdispersion: number
  /** Parameters of the beta distribution. Null if ρ = 0, where both are infinite. */
  readonly alpha: number | null
  readonly beta: number | null
  /** ln P(histogram) without the multinomial coefficient, which is the same for all models. */
  readonly logLikelihood: number
  /** Akaike information criterion: 2 · (number of parameters) − 2 · logLikelihood. Lower is better. */
  readonly aic: number
  /**
   * Whether the counts barely determine q, and with it p: a q that is three times as large or as small is within
   * the 95 % likelihood interval. Always false for `MOMENT`, which is not a likelihood fit.
   */
  readonly isWeaklyIdentified: boolean
}

/** The fit, or the reason why there is none. */
export type UsageFitResult =
  | { readonly fit: UsageFit; readonly undefinedReason: null }
  | { readonly fit: null; readonly undefinedReason: UndefinedReason }

const parameterCount: Record<UsageModelKind, number> = { MOMENT: 2, BINOMIAL: 2, BETA_BINOMIAL: 3 }

/** Margin of the interval (0, 1) for root search. Roots closer to 0 or 1 require more than 1e11 captions. */
const EDGE = 1e-12

const MAX_REFERENCES = 10_000

/** Half the 95th percentile of the χ² distribution with one degree of freedom: reach of a 95 % likelihood interval. */
export const LIKELIHOOD_REACH = 3.841458820694124 / 2

/** A fit is weakly identified if q may be this many times as large or as small. */
const WEAK_FACTOR = 3

/**
 * Fits a usage model to one word.
 *
 * A rare word is often explained as well by an object in few images that people mention now and then as by one in
 * all images (q = 1) that hardly anybody mentions. The likelihood fits are the global maximum all the same, the
 * boundaries q = 1 and ρ = 0 included; `isWeaklyIdentified` tells that other values of q are nearly as likely.
 *
 * q is at most 1: the moment fit clamps q to 1 and leaves p unchanged. There is no fit (null) if no caption uses the word; for `MOMENT` if human recall is 0; for `BINOMIAL`
 * if K = 1; for `BETA_BINOMIAL` if K ≤ 2, or if in every image either all captions or none contain the word.
 * In the last case, a small q with p = 1 and a large q with p close to 0 or 1 in each image have the same
 * likelihood.
 *
 * @param histogram h_0 … h_K, where h_c is the number of images in which exactly c of the K captions contain the
 *   word
 */
export function fitUsageModel(kind: UsageModelKind, histogram: ArrayLike<number>): UsageFitResult {
  const sample = summarise(histogram)
  if (sample.using[0] === 0) return { fit: null, undefinedReason: 'NO_CAPTION_USES_WORD' }
  switch (kind) {
    case 'MOMENT':
      return fitMoments(sample)
    case 'BINOMIAL':
      return fitBinomial(sample)
    case 'BETA_BINOMIAL':
      return fitBetaBinomial(sample)
  }
}

/**
 * Predicted human precision with k = `references` references, 0..1: k·E[p²] / (k·E[p²] + E[p(1−p)^k]), which is
 * kp / (kp + (1−p)^k) if p is the same for all images. k may exceed K − 1, because this is a prediction.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ 10,000
 */
export function predictedPrecision(
  fit: Pick<UsageFit, 'usageProbability' | 'overdispersion'>,
  references: number,
): number {
  requireReferences(references)
  const agreeing = references * predictedRecall(fit)
  return agreeing / (agreeing + probabilityOfNoUseGivenUse(fit, references))
}

/** Predicted human recall, E[p²] / E[p], 0..1. Equal to p if p is the same for all images. */
export function predictedRecall({
  usageProbability,
  overdispersion,
}: Pick<UsageFit, 'usageProbability' | 'overdispersion'>): number {
  return usageProbability * (1 - overdispersion) + overdispersion
}

/**
 * The expected numbers of images in which exactly 0 … K of K captions contain the word: with u = 1 − ρ,
 * N·q·C(K, c) · Π_{i<c} (pu + iρ) · Π_{i<K−c} ((1−p)u + iρ) / Π_{i<K} (u + iρ) for c > 0; the others have none.
 *
 * @param images N
 * @param captionsPerImage K
 */
export function expectedHistogram(
  { usageProbability: p, objectProbability: q, overdispersion }: Parameters,
  images: number,
  captionsPerImage: number,
): number[] {
  const u = 1 - overdispersion
  const expected = Array.from({ length: captionsPerImage + 1 }, (_, count) => {
    let probability = 1
    for (let i = 0; i < captionsPerImage; i++) {
      probability *=
        i < count
          ? ((p * u + i * overdispersion) * (captionsPerImage - i)) / (i + 1)
          : (1 - p) * u + (i - count) * overdispersion
      probability /= u + i * overdispersion
    }
    return images * q * probability
  })
  expected[0] += images * (1 - q)
  return expected
}

/**
 * Predicted precision-recall curve for p evenly spaced from 0 to 1, with p the same for all images. The end
 * points are the limits (0, 0) and (1, 1).
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ 10,000 and points ≥ 2
 */
export function usageCurve(references: number, points: number): CurvePoint[] {
  requirePoints(points)
  return Array.from({ length: points }, (_, point) => {
    const usageProbability = point / (points - 1)
    return {
      recall: usageProbability,
      precision: predictedPrecision({ usageProbability, overdispersion: 0 }, references),
    }
  })
}

/** The number of references is limited because the time of a prediction is proportional to it. */
function requireReferences(references: number): void {
  requireInteger(references, 1, MAX_REFERENCES, 'references', 'invalid number of references')
}

/** Statistics of a word's histogram used by the fits. */
interface Sample {
  readonly histogram: ArrayLike<number>
  readonly images: number
  /** Entry i, 0 ≤ i < K: number of images in which more than i captions contain the word. */
  readonly using: Float64Array
  /** Entry i, 0 ≤ i < K: number of images with the word in which more than i captions do not contain it. */
  readonly notUsing: Float64Array
}

function summarise(histogram: ArrayLike<number>): Sample {
  const captionsPerImage = histogram.length - 1
  const using = new Float64Array(captionsPerImage)
  const notUsing = new Float64Array(captionsPerImage)
  for (let count = 1; count <= captionsPerImage; count++) {
    for (let i = 0; i < count; i++) using[i] += histogram[count]
    for (let i = 0; i < captionsPerImage - count; i++) notUsing[i] += histogram[count]
  }
  return { histogram, images: using[0] + histogram[0], using, notUsing }
}

function fitMoments(sample: Sample): UsageFitResult {
  const { histogram, images } = sample
  const captionsPerImage = histogram.length - 1
  let captions = 0
  let pairs = 0
  for (let count = 1; count <= captionsPerImage; count++) {
    captions += count * histogram[count]
    pairs += count * (count - 1) * histogram[count]
  }
  if (pairs === 0) return { fit: null, undefinedReason: 'HUMAN_RECALL_ZERO' }
  const usageProbability = pairs / ((captionsPerImage - 1) * captions)
  const objectProbability = Math.min(1, captions / (images * captionsPerImage * usageProbability))
  return fitted('MOMENT', sample, { usageProbability, objectProbability, overdispersion: 0 })
}

function fitBinomial(sample: Sample): UsageFitResult {
  if (sample.using.length < 2) return { fit: null, undefinedReason: 'NOT_IDENTIFIABLE' }
  return fitted('BINOMIAL', sample, maximizeLikelihood(sample, 0))
}

/**
 * Maximizes the profile likelihood: for each ρ, p and q are optimal, and the derivative with respect to ρ is 0 at
 * the maximum. The profile likelihood has at most one maximum and tends to −∞ as ρ tends to 1.
 */
function fitBetaBinomial(sample: Sample): UsageFitResult {
  if (sample.using.length < 3 || sample.notUsing[0] === 0) {
    return { fit: null, undefinedReason: 'NOT_IDENTIFIABLE' }
  }
  return fitted('BETA_BINOMIAL', sample, maximizeLikelihood(sample, maximizeOverdispersion(sample)))
}

function maximizeOverdispersion(sample: Sample): number {
  return rootOfScore((overdispersion) =>
    overdispersionScore(sample, maximizeLikelihood(sample, overdispersion).usageProbability, overdispersion),
  )
}

/** The ρ at which a decreasing score is 0, or 0 if it is negative everywhere. */
function rootOfScore(score: (overdispersion: number) => number): number {
  return score(0) <= 0 ? 0 : findRoot(score, 0, 1 - EDGE)
}

/** Whether a q three times as large or as small is within the 95 % likelihood interval. */
function isWeak(kind: LikelihoodKind, sample: Sample, maximum: Parameters): boolean {
  const q = maximum.objectProbability
  const least = logLikelihoodOf(sample, maximum) - LIKELIHOOD_REACH
  const isLikely = (other: number) =>
    other <= 1 && logLikelihoodOf(sample, maximizeAtObjectProbability(kind, sample, other)) >= least
  return isLikely(q / WEAK_FACTOR) || isLikely(q * WEAK_FACTOR)
}

/** The models fitted by maximum likelihood. */
export type LikelihoodKind = Exclude<UsageModelKind, 'MOMENT'>

/** ln of the highest likelihood of a word's histogram for one value of p, or of q, strictly between 0 and 1. */
interface ProfileLikelihoods {
  readonly maximum: Parameters
  readonly logLikelihood: number
  usage(p: number): number
  object(q: number): number
}

/** Profile likelihoods of a model that has a fit. The maximum is the unrestricted one. */
export function profileLikelihoods(kind: LikelihoodKind, histogram: ArrayLike<number>): ProfileLikelihoods {
  const sample = summarise(histogram)
  const maximum = maximizeLikelihood(sample, kind === 'BINOMIAL' ? 0 : maximizeOverdispersion(sample))
  return {
    maximum,
    logLikelihood: logLikelihoodOf(sample, maximum),
    usage: (p) => logLikelihoodOf(sample, maximizeAtUsageProbability(kind, sample, p)),
    object: (q) => logLikelihoodOf(sample, maximizeAtObjectProbability(kind, sample, q)),
  }
}

/** Maximizes the likelihood over q, and over ρ for `BETA_BINOMIAL`, for a given p. */
function maximizeAtUsageProbability(kind: LikelihoodKind, sample: Sample, p: number): Parameters {
  const overdispersion = kind === 'BINOMIAL' ? 0 : rootOfScore((rho) => overdispersionScore(sample, p, rho))
  const noUse = probabilityOfNoUse(p, overdispersion, sample.using.length)
  return { usageProbability: p, objectProbability: objectProbabilityOf(sample, noUse), overdispersion }
}

/** Maximizes the likelihood over p, and over ρ for `BETA_BINOMIAL`, for a given q. */
function maximizeAtObjectProbability(kind: LikelihoodKind, sample: Sample, q: number): Parameters {
  const best = (rho: number) => bestUsage(sample, rho, q)
  const overdispersion =
    kind === 'BINOMIAL' ? 0 : rootOfScore((rho) => overdispersionScore(sample, best(rho), rho, q))
  return { usageProbability: best(overdispersion), objectProbability: q, overdispersion }
}

/** Points at which a second maximum is looked for. */
const SCAN = 64

/**
 * The most likely p for given ρ and q. If all captions of an image or none contain the word, p = 1 is a maximum
 * beside one below it at which many objects go unmentioned.
 */
function bestUsage(sample: Sample, overdispersion: number, q: number): number {
  const score = (p: number) => usageScore(sample, p, overdispersion, q)
  if (score(1 - EDGE) < 0) return findRoot(score, EDGE, 1 - EDGE)
  let below = 1
  while (below < SCAN && score(below / SCAN) > 0) below++
  if (below === SCAN) return 1
  const p = findRoot(score, EDGE, below / SCAN)
  const logLikelihood = (usageProbability: number) =>
    logLikelihoodOf(sample, { usageProbability, objectProbability: q, overdispersion })
  return logLikelihood(p) > logLikelihood(1) ? p : 1
}

type Parameters = Pick<UsageFit, 'usageProbability' | 'objectProbability' | 'overdispersion'>

function fitted(kind: UsageModelKind, sample: Sample, parameters: Parameters): UsageFitResult {
  const { usageProbability, overdispersion } = parameters
  const logLikelihood = logLikelihoodOf(sample, parameters)
  const concentration = overdispersion === 0 ? null : (1 - overdispersion) / overdispersion
  return {
    fit: {
      kind,
      ...parameters,
      alpha: concentration === null ? null : usageProbability * concentration,
      beta: concentration === null ? null : (1 - usageProbability) * concentration,
      logLikelihood,
      aic: 2 * parameterCount[kind] - 2 * logLikelihood,
      isWeaklyIdentified: kind !== 'MOMENT' && isWeak(kind, sample, parameters),
    },
    undefinedReason: null,
  }
}

/** Maximizes the likelihood over p and q for a given ρ. */
function maximizeLikelihood(sample: Sample, overdispersion: number): Parameters {
  const usageProbability =
    sample.notUsing[0] === 0 ? 1 : findRoot((p) => usageScore(sample, p, overdispersion), EDGE, 1 - EDGE)
  const noUse = probabilityOfNoUse(usageProbability, overdispersion, sample.using.length)
  return { usageProbability, objectProbability: objectProbabilityOf(sample, noUse), overdispersion }
}

/*
 * With u = 1 − ρ, the probability that c specific people of K use the word and the others do not is
 *
 *     Π_{i<c} (pu + iρ) · Π_{i<K−c} ((1−p)u + iρ) / Π_{i<K} (u + iρ),
 *
 * a form of the beta-binomial distribution that is also valid for ρ = 0. The derivatives of the log-likelihood
 * depend only on `using` and `notUsing`. Images that show the object but in whose captions the word does not
 * occur are not observable; their expected number at the optimal q is used instead.
 */

/** A positive multiple of the derivative of the log-likelihood with respect to p, at the optimal q unless given. */
function usageScore(sample: Sample, p: number, overdispersion: number, q?: number): number {
  const { using, notUsing } = sample
  const u = 1 - overdispersion
  const unused = expectedUnusedObjects(sample, p, overdispersion, q)
  let score = 0
  for (let i = 0; i < using.length; i++) {
    const shift = i * overdispersion
    score += using[i] / (p * u + shift) - (notUsing[i] + unused) / ((1 - p) * u + shift)
  }
  return score * p * (1 - p)
}

/** The derivative of the log-likelihood with respect to ρ, at the optimal q unless given. */
function overdispersionScore(sample: Sample, p: number, overdispersion: number, q?: number): number {
  const { using, notUsing } = sample
  const u = 1 - overdispersion
  const unused = expectedUnusedObjects(sample, p, overdispersion, q)
  let score = 0
  for (let i = 0; i < using.length; i++) {
    const shift = i * overdispersion
    score +=
      (using[i] * (i - p)) / (p * u + shift) +
      ((notUsing[i] + unused) * (i - 1 + p)) / ((1 - p) * u + shift) -
      ((using[0] + unused) * (i - 1)) / (u + shift)
  }
  return score
}

/** The expected number of images that show the object although nobody uses the word, at the optimal q unless given. */
function expectedUnusedObjects(
  sample: Sample,
  p: number,
  overdispersion: number,
  objectProbability?: number,
): number {
  const images = sample.histogram[0]
  if (images === 0) return 0
  const noUse = probabilityOfNoUse(p, overdispersion, sample.using.length)
  const q = objectProbability ?? objectProbabilityOf(sample, noUse)
  return (images * q * noUse) / (1 - q + q * noUse)
}

/** The optimal q, given the probability that nobody uses the word for an image that shows the object. */
function objectProbabilityOf({ using, images }: Sample, noUse: number): number {
  return Math.min(1, using[0] / images / (1 - noUse))
}

/** E[(1−p)^people]: probability that none of the people uses the word for an image that shows the object. */
function probabilityOfNoUse(p: number, overdispersion: number, people: number): number {
  const u = 1 - overdispersion
  let probability = 1
  for (let i = 0; i < people; i++)
    probability *= ((1 - p) * u + i * overdispersion) / (u + i * overdispersion)
  return probability
}

/** E[p(1−p)^people] / E[p]: probability that none of the people uses the word, given that one other person does. */
function probabilityOfNoUseGivenUse(
  { usageProbability, overdispersion }: Pick<UsageFit, 'usageProbability' | 'overdispersion'>,
  people: number,
): number {
  const u = 1 - overdispersion
  let probability = 1
  for (let i = 0; i < people; i++) {
    probability *= ((1 - usageProbability) * u + i * overdispersion) / (u + (i + 1) * overdispersion)
  }
  return probability
}

/** Σ_c h_c ln P(c), where P(0) = 1 − q + q·P(0 | object) and P(c) = q·P(c | object) for c > 0. */
function logLikelihoodOf(sample: Sample, parameters: Parameters): number {
  const { histogram, using, notUsing } = sample
  const { usageProbability: p, objectProbability: q, overdispersion } = parameters
  const people = using.length
  const u = 1 - overdispersion
  let sum =
    timesLog(histogram[0], 1 - q + q * probabilityOfNoUse(p, overdispersion, people)) + timesLog(using[0], q)
  for (let i = 0; i < people; i++) {
    const shift = i * overdispersion
    sum +=
      timesLog(using[i], ((p * u + shift) * (people - i)) / (i + 1)) +
      timesLog(notUsing[i], (1 - p) * u + shift) -
      timesLog(using[0], u + shift)
  }
  // Rounding must not make the likelihood exceed 1.
  return Math.min(0, sum)
}

/** count · ln x, and 0 if count is 0, for any x. */
function timesLog(count: number, x: number): number {
  return count === 0 ? 0 : count * Math.log(x)
}

/** Agreement of metrics with people on rated captions of systems and of images, with and without people among the systems. */

import { percentileInterval } from '../stats/bootstrap.js'
import { countPairs, pearson, tauBOf } from '../stats/correlation.js'
import { type Interval, judgeSampleSize } from '../stats/interval.js'
import { createRandom, type Random } from '../stats/random.js'
import {
  agreeOnCaptions,
  type CalibratedAccuracy,
  type CaptionAgreement,
  calibrateTies,
  groupCaptions,
  pairCaptions,
} from './caption-level.js'
import type { CaptionImages, CaptionSystems, Judgements } from './judgement.js'
import { limitPValue, type TestedCaptions, type TestedFigure, testMetrics } from './metric-tests.js'
import {
  agreeOnSystems,
  rankSystems,
  type SystemAgreement,
  type SystemValues,
  systemPairs,
} from './system-level.js'

/** Rated captions that take part. */
export interface Contest {
  /** Per caption, the mean rating; NaN where it does not take part. */
  readonly ratings: Float64Array
  readonly images: CaptionImages
  /** The systems that take part; null where the source names none. */
  readonly systems: CaptionSystems | null
}

/** How well a metric agrees with people. */
export interface ContestFigures {
  /** Null where fewer than two systems are named. */
  readonly systemLevel: (SystemAgreement & { readonly intervals: SystemIntervals | null }) | null
  readonly ungrouped: CaptionAgreement
  readonly byImage: CaptionAgreement & { readonly [Figure in keyof CalibratedAccuracy]: number | null }
  /** Null where no systems are named. */
  readonly bySystem: CaptionAgreement | null
}

/** All rated captions, and those that people did not write; null where no system stands for people. */
export interface Contests<Content> {
  readonly all: Content
  readonly withoutPeople: Content | null
}

/** The contests of ratings. */
export function contestsOf({
  ratings: values,
  offsets,
  images,
  systems,
}: Judgements & { readonly kind: 'RATINGS' }): Contests<Contest> {
  const ratings = Float64Array.from({ length: offsets.length - 1 }, (_, caption) => {
    const own = values.subarray(offsets[caption], offsets[caption + 1])
    return own.reduce((sum, value) => sum + value, 0) / own.length
  })
  const all = { ratings, images, systems }
  if (systems === null || !systems.arePeople.includes(true)) return { all, withoutPeople: null }
  const isMachine = (caption: number) => !systems.arePeople[systems.positions[caption]]
  const ofMachines = ratings.map((rating, caption) => (isMachine(caption) ? rating : Number.NaN))
  return { all, withoutPeople: { ratings: ofMachines, images, systems: withoutPeople(systems) } }
}

/** The systems that are not people, with new positions. */
function withoutPeople({ names, positions, arePeople }: CaptionSystems): CaptionSystems {
  const machines = names.filter((_, place) => !arePeople[place])
  const places = names.map((name) => machines.indexOf(name))
  return {
    names: machines,
    arePeople: machines.map(() => false),
    positions: positions.map((position) => places[position]),
  }
}

/** Judges metrics by their scores: per caption, higher for better; NaN where there is none. */
export function judgeContest(
  contest: Contest,
  options: { readonly seed: number; readonly resamples: number },
): (scores: Float64Array) => ContestFigures {
  const { systems, ratings } = contest
  if (systems === null || systems.names.length < 2) {
    return (scores) => ({ ...agreeOnRated(contest, scores), systemLevel: null })
  }
  const rated = tabulate({ ...contest, systems }, ratings)
  const people = rankSystems(rated, options.seed)
  const intervalsOf = createSystemResampler(rated, options)
  return (scores) => {
    const scored = tabulate({ ...contest, systems }, scores)
    const agreement = agreeOnSystems(systems.names, people, rankSystems(scored, options.seed))
    const systemLevel = { ...agreement, intervals: intervalsOf(scored) }
    return { ...agreeOnRated(contest, scores), systemLevel }
  }
}

function agreeOnRated(
  { ratings, images, systems }: Contest,
  scores: Float64Array,
): Omit<ContestFigures, 'systemLevel'> {
  const scored = { scores, ratings }
  const byImage = groupCaptions(scored, images.positions, images.count)
  const all = groupCaptions(scored, new Int32Array(scores.length), 1)
  const { calibratedAccuracy = null, tieThreshold = null } =
    calibrateTies(pairCaptions(ratings, byImage), scores) ?? {}
  return {
    ungrouped: agreeOnCaptions(scored, all),
    byImage: { ...agreeOnCaptions(scored, byImage), calibratedAccuracy, tieThreshold },
    bySystem:
      systems && agreeOnCaptions(scored, groupCaptions(scored, systems.positions, systems.names.length)),
  }
}

function tabulate(
  { ratings, images, systems }: Contest & { readonly systems: CaptionSystems },
  scores: Float64Array,
): SystemValues {
  const values = new Float64Array(systems.names.length * images.count).fill(Number.NaN)
  for (let caption = 0; caption < scores.length; caption++) {
    if (Number.isNaN(ratings[caption])) continue
    values[systems.positions[caption] * images.count + images.positions[caption]] = scores[caption]
  }
  return { values, imageCount: images.count, systemCount: systems.names.length }
}

/** The p-value of the difference of two metrics; null below 10 images, or without pairs of captions of an image. */
export function testContest(
  { ratings, images, systems }: Contest,
  figure: TestedFigure,
  scores: readonly [Float64Array, Float64Array],
  options: { readonly seed: number; readonly resamples: number },
): number | null {
  if (judgeSampleSize(images.count).undefinedReason !== null) return null
  const [first, second] = scores
  const shared = { scores: first.map((score, caption) => score + second[caption]), ratings }
  const groups = groupCaptions(shared, images.positions, images.count)
  if (systems !== null) {
    for (const group of groups) group.sort((one, other) => systems.positions[one] - systems.positions[other])
  }
  const pairs = pairCaptions(ratings, groups)
  if (pairs.first.length === 0) return null
  const captions: TestedCaptions = {
    pairs,
    ratings,
    imageCount: images.count,
    ...numberSystemPairs(pairs, systems),
  }
  return testMetrics(captions, figure, scores, options)
}

function numberSystemPairs(
  { first, second }: TestedCaptions['pairs'],
  systems: CaptionSystems | null,
): Pick<TestedCaptions, 'systemPairs' | 'systemPairCount'> {
  if (systems === null) return { systemPairs: new Int32Array(), systemPairCount: 0 }
  const { names, positions } = systems
  const all = systemPairs(names.length)
  const places = new Int32Array(names.length * names.length)
  for (const [place, [one, other]] of all.entries()) places[one * names.length + other] = place
  return {
    systemPairs: first.map(
      (caption, pair) => places[positions[caption] * names.length + positions[second[pair]]],
    ),
    systemPairCount: all.length,
  }
}

/**
 * Intervals of how well a metric ranks systems: BOOT-BOTH (Deutsch, Dror, Roth 2021). Other systems, and other images, could
 * have been judged: both are resampled.
 */

/** Figures of the ranking of systems. */
const FIGURES = ['pearson', 'kendall', 'pairwiseAccuracy', 'softPairwiseAccuracy'] as const

/** Percentile 95 % intervals over resampled systems and images; null for a figure that does not vary. */
type SystemIntervals = Readonly<Record<(typeof FIGURES)[number], Interval | null>>

/** Equal figures, computed from other sums, differ by less than this. */
const ROUNDING = 1e-9

/** Fewest systems with intervals: fewer are drawn as one system too often. */
const MIN_SYSTEMS = 4

/**
 * Most systems with intervals. Ratings and scores of few images are noisy, which lowers every correlation: with more systems the
 * intervals would be shorter, about the wrong value (bench/SIMULATION.md, "Judging metrics").
 */
const MAX_SYSTEMS = 8

/**
 * Judges metrics on the same resamples by means of captions. The permutation tests within the soft accuracy are taken by their
 * normal limit, since they are repeated for every resample; pairs of a system with itself count nowhere.
 *
 * @returns judges the values of a metric on the same captions; null for fewer than 4 systems, more than 8, or fewer than 10 images
 */
function createSystemResampler(
  people: SystemValues,
  { seed, resamples }: { readonly seed: number; readonly resamples: number },
): (metric: SystemValues) => SystemIntervals | null {
  const { systemCount, imageCount } = people
  const isPossible = systemCount >= MIN_SYSTEMS && systemCount <= MAX_SYSTEMS
  if (!isPossible || judgeSampleSize(imageCount).undefinedReason !== null) return () => null
  const forEachResample = (use: (resample: number, weights: Float64Array, systems: number[]) => void) => {
    const random = createRandom(seed)
    for (let resample = 0; resample < resamples; resample++) {
      const weights = drawCounts(imageCount, random)
      const systems = Array.from({ length: systemCount }, () => random.below(systemCount))
      use(resample, weights, systems)
    }
  }
  const rated: ComparedSystems[] = []
  forEachResample((_resample, weights) => rated.push(compareSystems(people, weights)))
  return (metric) => {
    const resampled = FIGURES.map((): number[] => [])
    forEachResample((resample, weights, systems) => {
      const figures = judgeResample(rated[resample], compareSystems(metric, weights), systems)
      for (const [place, values] of resampled.entries()) {
        const value = figures[FIGURES[place]]
        // A system can have no caption of the resampled images.
        if (value !== null && !Number.isNaN(value)) values.push(value)
      }
    })
    const intervals = resampled.map((values) => {
      const interval = percentileInterval(Float64Array.from(values))
      return interval.upper - interval.lower > ROUNDING ? interval : null
    })
    return Object.fromEntries(FIGURES.map((figure, place) => [figure, intervals[place]])) as SystemIntervals
  }
}

/** How often each of `count` items is drawn in `count` draws. */
function drawCounts(count: number, random: Random): Float64Array {
  const counts = new Float64Array(count)
  for (let draw = 0; draw < count; draw++) counts[random.below(count)]++
  return counts
}

/** Systems on weighted images. */
interface ComparedSystems {
  readonly means: readonly number[]
  /**
   * One-sided p-values of the difference of two systems, at first · systems + second for first < second; NaN where they have
   * captions of no common image.
   */
  readonly pValues: Float64Array
}

function compareSystems(
  { values, systemCount, imageCount }: SystemValues,
  weights: Float64Array,
): ComparedSystems {
  const means = Array.from({ length: systemCount }, (_, system) => {
    let [sum, count] = [0, 0]
    for (let image = 0; image < imageCount; image++) {
      const value = values[system * imageCount + image]
      if (Number.isNaN(value)) continue
      sum += weights[image] * value
      count += weights[image]
    }
    return sum / count
  })
  const pValues = new Float64Array(systemCount * systemCount)
  for (let one = 0; one < systemCount; one++) {
    for (let other = one + 1; other < systemCount; other++) {
      let [sum, squares, shared] = [0, 0, 0]
      for (let image = 0; image < imageCount; image++) {
        const difference = values[one * imageCount + image] - values[other * imageCount + image]
        if (Number.isNaN(difference)) continue
        sum += weights[image] * difference
        squares += weights[image] * difference * difference
        shared += weights[image]
      }
      pValues[one * systemCount + other] = shared === 0 ? Number.NaN : limitPValue(sum, squares)
    }
  }
  return { means, pValues }
}

/** The figures of some systems, of which one can occur several times; null where they are undefined. */
function judgeResample(
  people: ComparedSystems,
  metric: ComparedSystems,
  systems: readonly number[],
): Record<keyof SystemIntervals, number | null> {
  const [x, y] = [metric.means, people.means].map((means) =>
    Float64Array.from(systems, (system) => means[system]),
  )
  const count = people.means.length
  let [pairs, agreeing, shared, gaps] = [0, 0, 0, 0]
  systems.forEach((one, place) => {
    for (const other of systems.slice(place + 1)) {
      if (one === other) continue
      pairs++
      const sign = Math.sign(metric.means[one] - metric.means[other])
      if (sign === Math.sign(people.means[one] - people.means[other])) agreeing++
      const pair = Math.min(one, other) * count + Math.max(one, other)
      const gap = Math.abs(people.pValues[pair] - metric.pValues[pair])
      if (Number.isNaN(gap)) continue
      shared++
      gaps += gap
    }
  })
  return {
    pearson: pearson(x, y),
    kendall: tauBOf(countPairs(x, y)),
    pairwiseAccuracy: pairs === 0 ? null : agreeing / pairs,
    softPairwiseAccuracy: shared === 0 ? null : 1 - gaps / shared,
  }
}

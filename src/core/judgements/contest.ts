/** Agreement of metrics with people on rated captions of systems and of images, with and without people among the systems. */

import { judgeSampleSize } from '../stats/sample-size.js'
import {
  agreeOnCaptions,
  type CalibratedAccuracy,
  type CaptionAgreement,
  calibrateTies,
  groupCaptions,
  pairCaptions,
} from './caption-level.js'
import { type CaptionImages, type CaptionSystems, isPeople, type Judgements } from './judgement.js'
import { type TestedCaptions, type TestedFigure, testMetrics } from './metric-tests.js'
import { createSystemResampler, type SystemIntervals } from './system-intervals.js'
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
  if (systems === null || !systems.names.some(isPeople)) return { all, withoutPeople: null }
  const isMachine = (caption: number) => !isPeople(systems.names[systems.positions[caption]])
  const ofMachines = ratings.map((rating, caption) => (isMachine(caption) ? rating : Number.NaN))
  return { all, withoutPeople: { ratings: ofMachines, images, systems: withoutPeople(systems) } }
}

/** The systems that are not people, with new positions. */
function withoutPeople({ names, positions }: CaptionSystems): CaptionSystems {
  const machines = names.filter((name) => !isPeople(name))
  const places = names.map((name) => machines.indexOf(name))
  return { names: machines, positions: positions.map((position) => places[position]) }
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
  const captions: TestedCaptions = { pairs, ratings, ...numberSystemPairs(pairs, systems) }
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

/**
 * Figures of what captions say and what of it others confirm, METHODS section 14, from rows of images (image-coverage.ts).
 * All are ratios of sums over images and folds. Intervals are by the jackknife over images of all that enters a figure: of the
 * system and of the people that it is beside.
 *
 * Where words weigh by the measured images themselves, coverage and confirmed share fall as the number of images grows: words
 * that people say rarely get their full weight only from many images. This is bias, not variance, so that no interval covers it,
 * not even one that counts the words of each replicate anew (bench/SIMULATION.md). Such figures have none, see
 * {@link PeopleRows}. With weights that do not come from the measured images, and without weights, intervals hold.
 */
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Interval } from '../stats/interval.js'
import {
  ARCSINE,
  type Estimate,
  estimate,
  estimateDifference,
  type GroupSizes,
  IDENTITY,
  influenceOf,
  type Replicates,
  ROUNDING,
  subtract,
} from '../stats/jackknife.js'
import type { Uncertainty } from '../stats/min-p.js'
import {
  CANDIDATE_WIDTH,
  CONFIRMED,
  type CoverageDesign,
  columnOfPeople,
  mostPeople,
  peopleWidth,
  REFERENCES_SAY,
  REFERENCES_SHARE,
  SAID,
  SHARED,
} from './image-coverage.js'

/** Increased whenever the same captions get other figures. */
export const COVERAGE_REVISION = 1

/** A figure with its uncertainty. */
export interface CoverageFigure {
  /** Null with `undefinedReason`. */
  readonly value: number | null
  readonly standardError: number | null
  /** 95 % confidence interval. Null with `undefinedReason`. */
  readonly interval: Interval | null
  readonly undefinedReason: UndefinedReason | null
  /** Whether there are so few images that the interval is approximate. */
  readonly isSmall: boolean
}

/** What is said, and what of it others confirm. All are shares, 0 to 1. */
export interface CoverageShares {
  /** Of what the references say, how much the candidate says. */
  readonly coverage: CoverageFigure
  /** Of what all references say, how much the candidate says. */
  readonly consensusCoverage: CoverageFigure
  /** Of what the candidate says, how much a reference says. */
  readonly confirmedShare: CoverageFigure
}

/** A point of the human curve: several people as one. */
export interface CurvePoint extends CoverageShares {
  /** j, from 1. */
  readonly people: number
}

/** A system beside people, by one of the two coverages. */
export interface BesidePeople {
  /** The number of people whose captions together have the coverage of the system, from 1 to K − r, linear between whole numbers. */
  readonly peopleEquivalent: CoverageFigure
  /** The confirmed share of the system minus that of people with the same coverage, −1 to 1. */
  readonly confirmedShareBesidePeople: CoverageFigure
}

export interface SystemCoverage extends CoverageShares, BesidePeople {
  /** The same with the consensus coverage in place of the coverage. */
  readonly byConsensus: BesidePeople
}

/** A system minus people by one figure, before the table that it is in is tested. */
export interface PeopleDifference {
  readonly figure: keyof CoverageShares
  /** How many people as one; of the confirmed share those who have the coverage of the system. Null if nobody has. */
  readonly people: number | null
  readonly systemValue: number | null
  readonly peopleValue: number | null
  /** Null with `undefinedReason`. */
  readonly difference: number | null
  /** Null where there is no test, with `undefinedReason`. */
  readonly uncertainty: Uncertainty | null
  readonly undefinedReason: UndefinedReason | null
  readonly isSmall: boolean
}

/** Rows of images, row-major. */
export interface PeopleRows {
  readonly design: CoverageDesign
  readonly rows: Float64Array
  /** Why figures have no intervals and no tests; null if they have. */
  readonly untested: UndefinedReason | null
}

/** The human curve: points for 1 to K − r people; none if all captions are references. */
export function humanCurve(people: PeopleRows): CurvePoint[] {
  const replicates = replicatePeople(people)
  return replicates.map((shares, index) => ({
    people: index + 1,
    ...estimateShares(shares, people.untested),
  }))
}

/** A system's figures. @param rows of the system, row-major @param people rows of the same images */
export function systemCoverage(rows: Float64Array, people: PeopleRows): SystemCoverage {
  const system = replicateShares(people, { rows, width: CANDIDATE_WIDTH, column: 0 })
  const curve = replicatePeople(people)
  return {
    ...estimateShares(system, people.untested),
    ...besidePeople(system, curve, 'coverage', people.untested),
    byConsensus: besidePeople(system, curve, 'consensusCoverage', people.untested),
  }
}

/**
 * How a system differs from people: its coverage from that of one person and of K − r people, which says whether it says less or more
 * than them; its consensus coverage from that of one person; its confirmed share from that of people with the same coverage. None
 * if all captions are references.
 *
 * @param rows of the system, row-major
 * @param people rows of the same images
 * @param imageIds of the rows
 */
export function differencesFromPeople(
  rows: Float64Array,
  people: PeopleRows,
  imageIds: Int32Array,
): PeopleDifference[] {
  const system = replicateShares(people, { rows, width: CANDIDATE_WIDTH, column: 0 })
  const curve = replicatePeople(people)
  if (curve.length === 0) return []
  const differ = (figure: keyof CoverageShares, count: number): PeopleDifference => ({
    figure,
    people: count,
    ...differenceOf(system[figure], curve[count - 1][figure], people.untested, imageIds),
  })
  const places = placesOnCurve(system, curve, 'coverage')
  const place = definedOrNull(places)
  const outside = reasonOutside(place, curve.length)
  const human = confirmedOnCurve(places, curve)
  return [
    differ('coverage', 1),
    ...(curve.length > 1 ? [differ('coverage', curve.length)] : []),
    differ('consensusCoverage', 1),
    {
      figure: 'confirmedShare',
      people: outside === null ? place : null,
      ...(outside === null
        ? differenceOf(system.confirmedShare, human, people.untested, imageIds)
        : undefinedDifference(definedOrNull(system.confirmedShare), null, outside)),
    },
  ]
}

type Difference = Omit<PeopleDifference, 'figure' | 'people'>

function differenceOf(
  own: Replicates,
  human: Replicates,
  untested: UndefinedReason | null,
  imageIds: Int32Array,
): Difference {
  const replicates = subtract(own, human)
  const groups = groupsOf(replicates)
  const [systemValue, peopleValue] = [definedOrNull(own), definedOrNull(human)]
  const found = estimateDifference(replicates, groups)
  if (found === null) return undefinedDifference(systemValue, peopleValue, 'UNDEFINED_FIGURE')
  const { value: difference, standardError, freedom, isSmall } = found
  const reason = found.undefinedReason ?? untested
  const isTested = reason === null || reason === 'NO_VARIATION'
  const first = { imageIds, values: influenceOf(replicates, groups) }
  return {
    systemValue,
    peopleValue,
    difference,
    uncertainty: isTested ? { standardError: standardError ?? 0, freedom, first } : null,
    undefinedReason: reason,
    isSmall,
  }
}

function undefinedDifference(
  systemValue: number | null,
  peopleValue: number | null,
  undefinedReason: UndefinedReason,
): Difference {
  const none = { difference: null, uncertainty: null, isSmall: false }
  return { systemValue, peopleValue, ...none, undefinedReason }
}

function definedOrNull([value]: Replicates): number | null {
  return Number.isNaN(value) ? null : value
}

type ShareReplicates = Readonly<Record<keyof CoverageShares, Replicates>>

function replicatePeople(people: PeopleRows): ShareReplicates[] {
  const width = peopleWidth(people.design)
  return Array.from({ length: mostPeople(people.design) }, (_, index) =>
    replicateShares(people, { rows: people.rows, width, column: columnOfPeople(index + 1) }),
  )
}

/** Columns of a candidate within rows. */
interface CandidateRows {
  readonly rows: Float64Array
  readonly width: number
  readonly column: number
}

/** The shares over all images, and without each image. */
function replicateShares(
  { design, rows }: PeopleRows,
  { rows: own, width, column }: CandidateRows,
): ShareReplicates {
  const peopleColumns = peopleWidth(design)
  const images = rows.length / peopleColumns
  const sumOf = (values: Float64Array, columns: number, at: number) => {
    let sum = 0
    for (let i = at; i < values.length; i += columns) sum += values[i]
    return sum
  }
  const said = sumOf(own, width, column + SAID)
  const confirmed = sumOf(own, width, column + CONFIRMED)
  const shared = sumOf(own, width, column + SHARED)
  const referencesSay = sumOf(rows, peopleColumns, REFERENCES_SAY)
  const referencesShare = sumOf(rows, peopleColumns, REFERENCES_SHARE)
  const replicates = {
    coverage: new Float64Array(images + 1),
    consensusCoverage: new Float64Array(images + 1),
    confirmedShare: new Float64Array(images + 1),
  }
  replicates.coverage[0] = ratio(confirmed, referencesSay)
  replicates.consensusCoverage[0] = ratio(shared, referencesShare)
  replicates.confirmedShare[0] = ratio(confirmed, said)
  for (let image = 0; image < images; image++) {
    const at = image * width + column
    const people = image * peopleColumns
    const rest = confirmed - own[at + CONFIRMED]
    replicates.coverage[image + 1] = ratio(rest, referencesSay - rows[people + REFERENCES_SAY])
    replicates.consensusCoverage[image + 1] = ratio(
      shared - own[at + SHARED],
      referencesShare - rows[people + REFERENCES_SHARE],
    )
    replicates.confirmedShare[image + 1] = ratio(rest, said - own[at + SAID])
  }
  return replicates
}

/** The shares of single images. */
export interface ImageShares {
  /** NaN where the references say nothing that counts. */
  readonly coverage: Float64Array
  /** NaN where the candidate says nothing that counts. */
  readonly confirmedShare: Float64Array
}

/**
 * What a system says of each image, and what of it others confirm: ratios of the sums over the folds of the image.
 *
 * @param rows of the system, row-major
 * @param people rows of the same images
 */
export function imageSharesOfSystem(
  rows: Float64Array,
  people: Pick<PeopleRows, 'design' | 'rows'>,
): ImageShares {
  return imageShares(people, { rows, width: CANDIDATE_WIDTH, column: 0 })
}

/** The same of one person. Null if all captions are references. */
export function imageSharesOfPerson(people: Pick<PeopleRows, 'design' | 'rows'>): ImageShares | null {
  if (mostPeople(people.design) === 0) return null
  return imageShares(people, {
    rows: people.rows,
    width: peopleWidth(people.design),
    column: columnOfPeople(1),
  })
}

function imageShares(
  { design, rows }: Pick<PeopleRows, 'design' | 'rows'>,
  { rows: own, width, column }: CandidateRows,
): ImageShares {
  const peopleColumns = peopleWidth(design)
  const images = rows.length / peopleColumns
  const shares = { coverage: new Float64Array(images), confirmedShare: new Float64Array(images) }
  for (let image = 0; image < images; image++) {
    const at = image * width + column
    shares.coverage[image] = ratio(own[at + CONFIRMED], rows[image * peopleColumns + REFERENCES_SAY])
    shares.confirmedShare[image] = ratio(own[at + CONFIRMED], own[at + SAID])
  }
  return shares
}

/** NaN where nothing is said: what is left of sums after subtraction may be rounding. */
function ratio(part: number, whole: number): number {
  return whole > ROUNDING ? part / whole : Number.NaN
}

function estimateShares(shares: ShareReplicates, untested: UndefinedReason | null): CoverageShares {
  return {
    coverage: toFigure(shares.coverage, ARCSINE, untested),
    consensusCoverage: toFigure(shares.consensusCoverage, ARCSINE, untested),
    confirmedShare: toFigure(shares.confirmedShare, ARCSINE, untested),
  }
}

function besidePeople(
  system: ShareReplicates,
  curve: readonly ShareReplicates[],
  by: 'coverage' | 'consensusCoverage',
  untested: UndefinedReason | null,
): BesidePeople {
  if (curve.length === 0) {
    const none = undefinedFigure('NO_CAPTION_LEFT')
    return { peopleEquivalent: none, confirmedShareBesidePeople: none }
  }
  const equivalents = placesOnCurve(system, curve, by)
  const differences = subtract(system.confirmedShare, confirmedOnCurve(equivalents, curve))
  const equivalent = toFigure(equivalents, IDENTITY, untested)
  const outside = reasonOutside(equivalent.value, curve.length)
  return {
    peopleEquivalent: withinCurve(
      equivalent,
      system[by],
      curve.map((point) => point[by]),
    ),
    confirmedShareBesidePeople: outside
      ? undefinedFigure(outside)
      : toFigure(differences, IDENTITY, untested),
  }
}

function placesOnCurve(
  system: ShareReplicates,
  curve: readonly ShareReplicates[],
  by: 'coverage' | 'consensusCoverage',
): Replicates {
  return system[by].map((coverage, replicate) =>
    placeOnCurve(
      coverage,
      curve.map((point) => point[by][replicate]),
    ),
  )
}

/** The confirmed share of so many people. */
function confirmedOnCurve(places: Replicates, curve: readonly ShareReplicates[]): Replicates {
  return places.map((people, replicate) =>
    valueOnCurve(
      people,
      curve.map(({ confirmedShare }) => confirmedShare[replicate]),
    ),
  )
}

/**
 * The number of people with a coverage, linear between points. Outside the curve it is in proportion to the coverage, which serves
 * intervals alone: what is outside has no value. NaN where no person says what another says.
 *
 * @param points coverages of 1, 2, … people, which do not decrease
 */
function placeOnCurve(coverage: number, points: readonly number[]): number {
  const [first] = points
  const last = points[points.length - 1]
  if (!(first > 0)) return Number.NaN
  if (coverage < first) return coverage / first
  if (coverage > last) return (points.length * coverage) / last
  const right = points.findIndex((point) => point >= coverage)
  if (right < 1) return right + 1
  const left = right - 1
  return left + 1 + (coverage - points[left]) / (points[right] - points[left])
}

/** The value of a curve at a number of people, on the line through the nearest two points. */
function valueOnCurve(people: number, points: readonly number[]): number {
  if (points.length === 1) return points[0]
  const left = Math.min(Math.max(Math.floor(people), 1), points.length - 1)
  return points[left - 1] + (people - left) * (points[left] - points[left - 1])
}

/** Why a system is not beside people; null where it is, or where its coverage is undefined. */
function reasonOutside(people: number | null, most: number): UndefinedReason | null {
  if (people === null) return null
  if (people < 1 - ROUNDING) return 'LESS_THAN_ONE_PERSON'
  return people > most + ROUNDING ? 'MORE_THAN_ALL_PEOPLE' : null
}

/** A number of people that is outside the curve has a reason; its interval is what of it is on the curve, if anything. */
function withinCurve(
  figure: CoverageFigure,
  coverage: Replicates,
  points: readonly Replicates[],
): CoverageFigure {
  const { value } = figure
  const interval =
    value === null || figure.interval === null ? null : equivalentInterval(value, coverage, points)
  const reason = reasonOutside(value, points.length)
  if (reason === null) return { ...figure, interval }
  return { ...figure, value: null, standardError: null, interval, undefinedReason: reason }
}

/**
 * The numbers of people, from 1 to K − r, whose coverage does not differ significantly from that of the system: the interval of
 * people equivalent. That of the jackknife would be too short where the curve bends, at whole numbers.
 *
 * @param value the number of people with this coverage, which may be outside
 * @param points coverages of 1, 2, … people
 */
function equivalentInterval(
  value: number,
  coverage: Replicates,
  points: readonly Replicates[],
): Interval | null {
  const isEqual = (people: number): boolean => {
    const left = Math.min(Math.floor(people), points.length - 1)
    const human =
      left === 0
        ? points[0]
        : points[left].map(
            (upper, i) => points[left - 1][i] + (people - left) * (upper - points[left - 1][i]),
          )
    const difference = subtract(coverage, human)
    const { interval = null } = estimateDifference(difference, groupsOf(difference)) ?? {}
    return interval === null
      ? Math.abs(difference[0]) <= ROUNDING
      : interval.lower <= 0 && interval.upper >= 0
  }
  const inside = Math.min(points.length, Math.max(1, value))
  if (!isEqual(inside)) return null
  const endTowards = (end: number): number => {
    if (isEqual(end)) return end
    let [equal, different] = [inside, end]
    while (Math.abs(equal - different) > EQUIVALENT_PRECISION) {
      const middle = (equal + different) / 2
      if (isEqual(middle)) equal = middle
      else different = middle
    }
    return equal
  }
  return { lower: endTowards(1), upper: endTowards(points.length) }
}

/** Of the ends of intervals of numbers of people. */
const EQUIVALENT_PRECISION = 1e-6

function toFigure(
  replicates: Replicates,
  scale: typeof IDENTITY,
  untested: UndefinedReason | null,
): CoverageFigure {
  const found: Estimate | null = estimate(replicates, groupsOf(replicates), scale, freedomOf(replicates))
  if (found === null) return undefinedFigure('UNDEFINED_FIGURE')
  if (untested === null) return found
  return { ...found, standardError: null, interval: null, undefinedReason: found.undefinedReason ?? untested }
}

/** Each image is left out. */
function groupsOf(replicates: Replicates): GroupSizes {
  return { partitions: 1, sizes: new Uint32Array(replicates.length - 1).fill(1) }
}

/** Images that the figure depends on, minus 1: those whose pseudo-value is not 0. */
function freedomOf(replicates: Replicates): number {
  const images = replicates.length - 1
  let count = 0
  for (let image = 1; image <= images; image++) {
    const pseudoValue = images * replicates[0] - (images - 1) * replicates[image]
    if (Math.abs(pseudoValue) > ROUNDING) count++
  }
  return Math.max(1, count - 1)
}

function undefinedFigure(undefinedReason: UndefinedReason): CoverageFigure {
  return { value: null, standardError: null, interval: null, undefinedReason, isSmall: false }
}

/**
 * Figures of what captions say and what of it others confirm, METHODS section 14, from rows of images (image-coverage.ts).
 * All are ratios of sums over images and folds. Intervals are by the jackknife over images of all that enters a figure: of the
 * system and of the people that it is beside.
 *
 * Words weigh by the images that are measured, so that coverage and confirmed share fall as their number grows, which no
 * interval covers (bench/SIMULATION.md): those of samples contain the figure of 5,000 images in .59 to .96, without weights in .93
 * to .97. The difference of a system from people hardly depends on the number.
 */
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Interval } from '../stats/interval.js'
import {
  ARCSINE,
  type Estimate,
  estimate,
  type GroupSizes,
  IDENTITY,
  type Replicates,
  ROUNDING,
} from '../stats/jackknife.js'
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

/** Rows of images, row-major. */
export interface PeopleRows {
  readonly design: CoverageDesign
  readonly rows: Float64Array
}

/** The human curve: points for 1 to K − r people; none if all captions are references. */
export function humanCurve(people: PeopleRows): CurvePoint[] {
  const replicates = replicatePeople(people)
  return replicates.map((shares, index) => ({ people: index + 1, ...estimateShares(shares) }))
}

/**
 * A system's figures.
 *
 * @param rows of the system, row-major
 * @param people rows of the same images
 */
export function systemCoverage(rows: Float64Array, people: PeopleRows): SystemCoverage {
  const system = replicateShares(people, { rows, width: CANDIDATE_WIDTH, column: 0 })
  const curve = replicatePeople(people)
  return {
    ...estimateShares(system),
    ...besidePeople(system, curve, 'coverage'),
    byConsensus: besidePeople(system, curve, 'consensusCoverage'),
  }
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

/** NaN where nothing is said: what is left of sums after subtraction may be rounding. */
function ratio(part: number, whole: number): number {
  return whole > ROUNDING ? part / whole : Number.NaN
}

function estimateShares(shares: ShareReplicates): CoverageShares {
  return {
    coverage: toFigure(shares.coverage, ARCSINE),
    consensusCoverage: toFigure(shares.consensusCoverage, ARCSINE),
    confirmedShare: toFigure(shares.confirmedShare, ARCSINE),
  }
}

function besidePeople(
  system: ShareReplicates,
  curve: readonly ShareReplicates[],
  by: 'coverage' | 'consensusCoverage',
): BesidePeople {
  if (curve.length === 0) {
    const none = undefinedFigure('NO_CAPTION_LEFT')
    return { peopleEquivalent: none, confirmedShareBesidePeople: none }
  }
  const equivalents = system[by].map((coverage, replicate) =>
    placeOnCurve(
      coverage,
      curve.map((point) => point[by][replicate]),
    ),
  )
  const differences = equivalents.map((people, replicate) => {
    const human = curve.map(({ confirmedShare }) => confirmedShare[replicate])
    return system.confirmedShare[replicate] - valueOnCurve(people, human)
  })
  const equivalent = toFigure(equivalents, IDENTITY)
  const outside = reasonOutside(equivalent.value, curve.length)
  return {
    peopleEquivalent: withinCurve(equivalent, curve.length),
    confirmedShareBesidePeople: outside ? undefinedFigure(outside) : toFigure(differences, IDENTITY),
  }
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
function withinCurve(figure: CoverageFigure, most: number): CoverageFigure {
  const { value, interval } = figure
  const reason = reasonOutside(value, most)
  const lower = Math.max(1, interval?.lower ?? 1)
  const upper = Math.min(most, interval?.upper ?? most)
  const onCurve = interval === null || lower > upper ? null : { lower, upper }
  if (reason === null) return { ...figure, interval: onCurve }
  return { ...figure, value: null, standardError: null, interval: onCurve, undefinedReason: reason }
}

function toFigure(replicates: Replicates, scale: typeof IDENTITY): CoverageFigure {
  const images = replicates.length - 1
  const groups: GroupSizes = { partitions: 1, sizes: new Uint32Array(images).fill(1) }
  const found: Estimate | null = estimate(replicates, groups, scale, freedomOf(replicates))
  return found ?? undefinedFigure('UNDEFINED_FIGURE')
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

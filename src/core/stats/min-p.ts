/**
 * Intervals, p-values and verdicts of a table of differences by one procedure, so that an interval excludes 0 exactly where the
 * corrected p-value is below .05: the single-step minimum p method (Westfall and Young 1993, "Resampling-Based Multiple
 * Testing", section 2.3) with normal draws that have the correlations of the jackknife's influence values. A difference
 * alone has Student's t.
 *
 * The maximum |z| of the rows of a table is drawn 9,999 times; its 95 % quantile gives the level of each interval, and its
 * distribution the adjusted p-values. Both are at least as narrow as Bonferroni's correction. bench/SIMULATION.md has the size.
 */
import { normalPValue, studentPValue, studentQuantile } from './distributions.js'
import type { Interval } from './interval.js'
import { ROUNDING } from './jackknife.js'
import { createRandom, type Random } from './random.js'

/** How much each image moves a statistic: centred values of the images, in their order. */
export interface Influence {
  /** Distinct ids or positions. */
  readonly imageIds: Int32Array
  readonly values: Float64Array
}

/** What the test of a difference is made of. */
export interface Uncertainty {
  /** 0 or more; up to {@link ROUNDING} the difference is the same on all images, and has no test. */
  readonly standardError: number
  /** Degrees of freedom, 1 or more. */
  readonly freedom: number
  /** The influence on the difference is that of `first` minus that of `second`. Rows share those of the same subject. */
  readonly first: Influence
  /** Absent: `first` is the influence on the difference. */
  readonly second?: Influence
}

/** A row of a table: how two differ by one figure. */
export interface TableRow extends Uncertainty {
  /** First minus second. */
  readonly difference: number
}

/** What a test says of a difference. */
interface Tested {
  /** Null where the difference does not vary. */
  readonly interval: Interval | null
  /** 0..1: 1 for a difference of 0 without variation; null for another one without variation. */
  readonly pValue: number | null
}

/** What a table says of its rows. */
export interface TestedTable {
  /** Number of rows that are tested. */
  readonly tests: number
  /** The probability outside of each interval, .05 / tests to .05. Null without a test. */
  readonly level: number | null
  /** In the order of the rows: by itself, and corrected for all tests of the table. */
  readonly rows: readonly { readonly alone: Tested; readonly together: Tested }[]
}

/** The probability of a wrong verdict, of a row by itself and of a whole table. */
export const LEVEL = 0.05

const DRAWS = 9_999

/** Of 9,999 draws, the largest ones that are reached with a probability of 5 %. */
const CRITICAL_RANK = Math.round(LEVEL * (DRAWS + 1)) - 1

const SEED = 1

/** A row whose remaining variance is at most this depends on the rows before it. */
const DEPENDENT = 1e-10

/** Below this number of images the correlations of many rows are fitted too closely: they are shrunk towards 0. */
const SHRUNK_BELOW = 30

/**
 * Tests the rows of a table, each alone and all together.
 *
 * Time: subjects² × images + rows × independent rows × 10,000 multiplications.
 *
 * @param rows in an order, and with signs, that do not depend on who asks: the seeded draws follow it
 */
export function testTable(rows: readonly TableRow[]): TestedTable {
  const tested = rows.filter(({ standardError }) => standardError > ROUNDING)
  const tests = tested.length
  const maxima = tests > 1 ? drawMaxima(tested) : null
  const level = tests === 0 ? null : maxima === null ? LEVEL : levelOf(maxima, tests)
  return {
    tests,
    level,
    rows: rows.map((row) => {
      const { difference, standardError, freedom } = row
      if (standardError <= ROUNDING) {
        const constant = { interval: null, pValue: difference === 0 ? 1 : null }
        return { alone: constant, together: constant }
      }
      const pValue = studentPValue(difference / standardError, freedom)
      return {
        alone: { interval: intervalOf(row, LEVEL), pValue },
        together: {
          interval: intervalOf(row, level as number),
          pValue: maxima === null ? pValue : adjust(pValue, maxima, tests),
        },
      }
    }),
  }
}

function intervalOf({ difference, standardError, freedom }: TableRow, level: number): Interval {
  const margin = studentQuantile(freedom, level) * standardError
  return { lower: difference - margin, upper: difference + margin }
}

/** The level of each interval of a table, at least that of Bonferroni's correction. */
function levelOf(maxima: Float64Array, tests: number): number {
  const critical = maxima[DRAWS - CRITICAL_RANK]
  return Math.min(LEVEL, Math.max(LEVEL / tests, normalPValue(critical)))
}

/** @param maxima ascending */
function adjust(pValue: number, maxima: Float64Array, tests: number): number {
  let low = 0
  let high = DRAWS
  while (low < high) {
    const middle = (low + high) >>> 1
    if (normalPValue(maxima[middle]) <= pValue) high = middle
    else low = middle + 1
  }
  const reached = DRAWS - low
  return Math.min(1, Math.max(pValue, Math.min(tests * pValue, (reached + 1) / (DRAWS + 1))))
}

/** Maxima over the rows of |z| in draws with the correlations of the rows, ascending. */
function drawMaxima(rows: readonly TableRow[]): Float64Array {
  const { factors, ranks } = factor(correlate(rows), rows.length)
  const columns = ranks[rows.length - 1]
  const random = createRandom(SEED)
  const normals = Array.from({ length: columns }, () => drawNormals(random, DRAWS + 1))
  const maxima = new Float64Array(DRAWS)
  const sums = new Float64Array(DRAW_BLOCK)
  for (let start = 0; start < DRAWS; start += DRAW_BLOCK) {
    const count = Math.min(DRAW_BLOCK, DRAWS - start)
    for (let row = 0; row < rows.length; row++) {
      sums.fill(0)
      const first = row * rows.length
      for (let column = 0; column < ranks[row]; column++) {
        addScaled(sums, normals[column], start, count, factors[first + column])
      }
      for (let draw = 0; draw < count; draw++) {
        const size = Math.abs(sums[draw])
        if (size > maxima[start + draw]) maxima[start + draw] = size
      }
    }
  }
  return maxima.sort()
}

/** Draws that pass through the cache at once. */
const DRAW_BLOCK = 512

function addScaled(
  sums: Float64Array,
  values: Float64Array,
  start: number,
  count: number,
  factor: number,
): void {
  for (let i = 0; i < count; i++) sums[i] += factor * values[start + i]
}

/** Independent standard normal numbers, an even count of them (Box and Muller 1958). */
function drawNormals(random: Random, count: number): Float64Array {
  const normals = new Float64Array(count)
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
    const angle = 2 * Math.PI * random.next()
    normals[i] = radius * Math.cos(angle)
    normals[i + 1] = radius * Math.sin(angle)
  }
  return normals
}

/** The Cholesky factors of correlations in the order of the rows; a row that depends on those before has no column. */
function factor(
  correlations: Float64Array,
  rows: number,
): { readonly factors: Float64Array; readonly ranks: Uint32Array } {
  const factors = new Float64Array(rows * rows)
  /** Number of columns of each row. */
  const ranks = new Uint32Array(rows)
  const kept: number[] = []
  for (let row = 0; row < rows; row++) {
    const start = row * rows
    let rest = 1
    for (let column = 0; column < kept.length; column++) {
      const other = kept[column] * rows
      let sum = correlations[start + kept[column]]
      for (let k = 0; k < column; k++) sum -= factors[start + k] * factors[other + k]
      const value = sum / factors[other + column]
      factors[start + column] = value
      rest -= value * value
    }
    if (rest > DEPENDENT) {
      factors[start + kept.length] = Math.sqrt(rest)
      kept.push(row)
    }
    ranks[row] = kept.length
  }
  return { factors, ranks }
}

/** Correlations of the rows, row-major. */
function correlate(rows: readonly TableRow[]): Float64Array {
  const sides = rows.map(({ first, second }) => (second ? [first, second] : [first]))
  const shared = new Set(sides.flat())
  // Each product of two subjects counts for many pairs, unless each pair has images of its own.
  const influences = shared.size <= rows.length ? [...shared] : rows.map(influenceOfRow)
  const places = new Map(influences.map((influence, place) => [influence, place]))
  const termsOf = (row: number): readonly (readonly [place: number, sign: number])[] =>
    shared.size <= rows.length
      ? sides[row].map((side, index) => [places.get(side) as number, index === 0 ? 1 : -1] as const)
      : [[row, 1]]
  const products = multiplyAll(influences)
  const count = influences.length
  const covariance = (row: number, other: number): number => {
    let sum = 0
    for (const [one, sign] of terms[row]) {
      for (const [two, otherSign] of terms[other]) sum += sign * otherSign * products[one * count + two]
    }
    return sum
  }
  const terms = rows.map((_, row) => termsOf(row))
  const deviations = rows.map((_, row) => Math.sqrt(covariance(row, row)))
  const images = Math.min(...rows.map(({ first }) => first.imageIds.length))
  const kept = images < SHRUNK_BELOW ? 1 - 2 / images : 1
  const correlations = new Float64Array(rows.length ** 2)
  for (let row = 0; row < rows.length; row++) {
    correlations[row * rows.length + row] = 1
    for (let other = 0; other < row; other++) {
      const value = (kept * covariance(row, other)) / (deviations[row] * deviations[other])
      correlations[row * rows.length + other] = value
      correlations[other * rows.length + row] = value
    }
  }
  return correlations
}

function influenceOfRow({ first, second }: TableRow): Influence {
  if (!second) return first
  return { imageIds: first.imageIds, values: first.values.map((value, i) => value - second.values[i]) }
}

/** Sums over images of the products of influences, row-major; an image that one of them lacks counts as 0. */
function multiplyAll(influences: readonly Influence[]): Float64Array {
  const vectors = alignImages(influences)
  const count = vectors.length
  const products = new Float64Array(count * count)
  for (let row = 0; row < count; row++) {
    for (let column = 0; column <= row; column += 4) {
      const other = (offset: number) => vectors[Math.min(column + offset, row)]
      const sums = multiplyFour(vectors[row], other(0), other(1), other(2), other(3))
      for (let offset = 0; offset < 4 && column + offset <= row; offset++) {
        products[row * count + column + offset] = sums[offset]
        products[(column + offset) * count + row] = sums[offset]
      }
    }
  }
  return products
}

/** The products of a vector with four others: five numbers are read for four multiplications. */
function multiplyFour(
  vector: Float64Array,
  first: Float64Array,
  second: Float64Array,
  third: Float64Array,
  fourth: Float64Array,
): readonly number[] {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i]
    s0 += value * first[i]
    s1 += value * second[i]
    s2 += value * third[i]
    s3 += value * fourth[i]
  }
  return [s0, s1, s2, s3]
}

/** Values of the same images in the same order. */
function alignImages(influences: readonly Influence[]): Float64Array[] {
  const [{ imageIds }] = influences
  if (influences.every((other) => haveSameImages(other.imageIds, imageIds))) {
    return influences.map(({ values }) => values)
  }
  const places = new Map<number, number>()
  for (const influence of influences) {
    for (const id of influence.imageIds) if (!places.has(id)) places.set(id, places.size)
  }
  return influences.map((influence) => {
    const aligned = new Float64Array(places.size)
    influence.imageIds.forEach((id, i) => {
      aligned[places.get(id) as number] = influence.values[i]
    })
    return aligned
  })
}

function haveSameImages(one: Int32Array, other: Int32Array): boolean {
  return one === other || (one.length === other.length && one.every((id, i) => id === other[i]))
}

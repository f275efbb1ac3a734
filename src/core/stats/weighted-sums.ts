import type { Measurement } from './measurement.js'

/** Rows of weights whose sums are computed together by {@link multiply}. */
export const BLOCK = 4

/** Images that pass through the cache at once. */
const CHUNK = 1024

/**
 * sums[r, c] = Σ over images of weights[r, image] · columns[c, image], for the {@link BLOCK} rows of `weights`.
 *
 * @param columns column by column, an even number of columns
 */
export function multiply(
  columns: Float64Array,
  columnCount: number,
  weights: Float64Array,
  images: number,
  sums: Float64Array,
): void {
  sums.fill(0)
  for (let start = 0; start < images; start += CHUNK) {
    const end = Math.min(start + CHUNK, images)
    for (let column = 0; column < columnCount; column += 2) {
      multiplyTile(columns, columnCount, column, weights, images, start, end, sums)
    }
  }
}

/** Four rows by two columns: eight sums stay in registers while six numbers are read per image. */
function multiplyTile(
  columns: Float64Array,
  columnCount: number,
  column: number,
  weights: Float64Array,
  images: number,
  start: number,
  end: number,
  sums: Float64Array,
): void {
  const columnStart = column * images
  let s00 = 0
  let s01 = 0
  let s10 = 0
  let s11 = 0
  let s20 = 0
  let s21 = 0
  let s30 = 0
  let s31 = 0
  for (let image = start; image < end; image++) {
    const left = columns[columnStart + image]
    const right = columns[columnStart + images + image]
    const first = weights[image]
    const second = weights[images + image]
    const third = weights[2 * images + image]
    const fourth = weights[3 * images + image]
    s00 += first * left
    s01 += first * right
    s10 += second * left
    s11 += second * right
    s20 += third * left
    s21 += third * right
    s30 += fourth * left
    s31 += fourth * right
  }
  sums[column] += s00
  sums[column + 1] += s01
  sums[columnCount + column] += s10
  sums[columnCount + column + 1] += s11
  sums[2 * columnCount + column] += s20
  sums[2 * columnCount + column + 1] += s21
  sums[3 * columnCount + column] += s30
  sums[3 * columnCount + column + 1] += s31
}

/**
 * The statistics that are summed, column by column, each of one entry per image; a column of zeros makes their
 * number even. Statistics of families whose scores need all rows are not summed.
 */
export function gatherColumns(measurements: readonly Measurement[]): Float64Array {
  const images = countRows(measurements)
  const summed = measurements.filter(({ family }) => family.corpusScores.from === 'sums')
  const width = summed.reduce((sum, { family, trials }) => sum + family.width * trials.length, 0)
  const columns = new Float64Array((width + (width % 2)) * images)
  let start = 0
  for (const { family, trials } of summed) {
    for (const statistics of trials) {
      for (let column = 0; column < family.width; column++, start += images) {
        for (let image = 0; image < images; image++) {
          columns[start + image] = statistics[image * family.width + column]
        }
      }
    }
  }
  return columns
}

function countRows(measurements: readonly Measurement[]): number {
  const rows = new Set(
    measurements.flatMap(({ family, trials }) => trials.map((t) => t.length / family.width)),
  )
  const [images] = rows
  if (rows.size !== 1 || images === 0) {
    throw new RangeError(`expected measurements of the same images, but got [${[...rows]}] images`)
  }
  return images
}

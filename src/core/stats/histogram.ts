import { AccordError, requireInteger } from '../../errors.js'

/** An interval of values, and the number of values in it. */
export interface Bin {
  readonly lower: number
  /** Not included, except in the last bin. */
  readonly upper: number
  readonly count: number
}

/** Maximum number of bins. */
const MAX_BINS = 1000

export interface BinOptions {
  /** Number of bins of equal width, 1 to {@link MAX_BINS}. */
  readonly bins: number
  /** Lower end of the first bin. Default: the smallest value. */
  readonly from?: number | null
  /** Upper end of the last bin. Default: the largest value. */
  readonly to?: number | null
}

/**
 * Counts values in bins of equal width. Values outside the bins are not counted. If all values are equal and no ends are
 * given, there is one bin.
 *
 * @throws AccordError OUT_OF_RANGE for the number of bins, or unless `from` < `to`
 */
export function histogram(values: Float64Array, { bins, from, to }: BinOptions): Bin[] {
  requireInteger(bins, 1, MAX_BINS, 'bins', 'invalid number of bins')
  if (values.length === 0) return []
  const lower = from ?? smallest(values)
  const upper = to ?? largest(values)
  if (from == null && to == null && lower === upper) return [{ lower, upper, count: values.length }]
  if (!(lower < upper)) {
    throw new AccordError('OUT_OF_RANGE', 'the bins have no width', {
      source: 'from, to',
      expected: 'from less than to',
      found: `${lower} and ${upper}`,
    })
  }
  const counts = new Uint32Array(bins)
  const edge = (index: number) => (index === bins ? upper : lower + (index * (upper - lower)) / bins)
  for (const value of values) {
    if (value < lower || value > upper) continue
    let bin = Math.min(bins - 1, Math.floor(((value - lower) / (upper - lower)) * bins))
    // Rounding of the quotient must not place a value on the wrong side of an edge.
    while (bin > 0 && value < edge(bin)) bin--
    while (bin < bins - 1 && value >= edge(bin + 1)) bin++
    counts[bin]++
  }
  return Array.from(counts, (count, index) => ({ lower: edge(index), upper: edge(index + 1), count }))
}

/**
 * Quantiles by linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
 *
 * @param values at least one
 * @param probabilities 0 to 1
 * @throws AccordError OUT_OF_RANGE for a probability
 */
export function quantiles(values: Float64Array, probabilities: readonly number[]): number[] {
  const sorted = values.toSorted()
  return probabilities.map((probability) => {
    if (!(probability >= 0 && probability <= 1)) {
      throw new AccordError('OUT_OF_RANGE', 'invalid quantile', {
        source: 'quantiles',
        expected: 'a number from 0 to 1',
        found: String(probability),
      })
    }
    const place = probability * (sorted.length - 1)
    const below = Math.floor(place)
    const above = Math.min(below + 1, sorted.length - 1)
    return sorted[below] + (place - below) * (sorted[above] - sorted[below])
  })
}

function smallest(values: Float64Array): number {
  return values.reduce((least, value) => Math.min(least, value))
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value))
}

/**
 * Holm's correction: p-values of several hypotheses tested together, adjusted so that the probability of rejecting
 * any true one stays below the level (Holm 1979, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6). The i-th smallest of m p-values is multiplied by m − i + 1, and is at least
 * the adjusted value of the one before, at most 1.
 *
 * @returns the adjusted p-values in the order given
 */
export function holm(pValues: readonly number[]): number[] {
  const ascending = pValues.map((_, index) => index).sort((one, other) => pValues[one] - pValues[other])
  const adjusted = new Array<number>(pValues.length)
  let largest = 0
  ascending.forEach((index, rank) => {
    largest = Math.min(1, Math.max(largest, pValues[index] * (pValues.length - rank)))
    adjusted[index] = largest
  })
  return adjusted
}

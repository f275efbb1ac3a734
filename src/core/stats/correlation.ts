import type { UndefinedReason } from '../../shared/undefined-reason.js'
/**
 * Correlation of scores with ratings, where an item (a judged caption) has one score and one rating or several, and
 * every (item, single rating) pair counts.
 *
 *     τ-b = (P − Q) / √((n0 − n1)(n0 − n2))          τ-c = 2 (P − Q) / (n² (m − 1) / m)
 *
 * n pairs; P and Q concordant and discordant pairs of pairs; n0 = n(n − 1)/2; n1 and n2 those with tied scores and
 * tied ratings; m the smaller number of distinct values (Kendall 1945, Stuart 1953). P − Q is counted in
 * O(n log n), in the order of scores with a Fenwick tree over ratings (Knight 1966 counts exchanges of a sort).
 */

/** Item i has the score `scores[i]` and the ratings `ratings[offsets[i]] … ratings[offsets[i + 1] - 1]`. */
export interface RatedItems {
  readonly scores: Float64Array
  readonly ratings: Float64Array
  readonly offsets: Int32Array
}

/** Kendall's τ of one set of pairs, −1 to 1; both null where scores or ratings are constant. */
interface Kendall {
  readonly tauB: number | null
  readonly tauC: number | null
}

/** Computes τ repeatedly on the same items. */
interface KendallCounter {
  /** @param weights how often each item counts, whole numbers; once when absent */
  tau(weights?: Float64Array): Kendall
  /** P − Q */
  difference(): number
  /** Per item, its concordant minus its discordant pairs. */
  contributions(): Float64Array
}

/** Linear correlation coefficient (Pearson) of pairs, −1 to 1; null where `x` or `y` is constant or empty. */
export function pearson(x: Float64Array, y: Float64Array): number | null {
  if (isConstant(x) || isConstant(y)) return null
  const meanX = mean(x)
  const meanY = mean(y)
  let product = 0
  let squaresX = 0
  let squaresY = 0
  for (let i = 0; i < x.length; i++) {
    const differenceX = x[i] - meanX
    const differenceY = y[i] - meanY
    product += differenceX * differenceY
    squaresX += differenceX * differenceX
    squaresY += differenceY * differenceY
  }
  return clamp(product / Math.sqrt(squaresX) / Math.sqrt(squaresY))
}

/** Rank correlation coefficient (Spearman) of pairs, tied values having their mean rank; null as for `pearson`. */
export function spearman(x: Float64Array, y: Float64Array): number | null {
  return pearson(meanRanks(x), meanRanks(y))
}

/** The ranks of values, from 1; tied values have the mean of their ranks. */
export function meanRanks(values: Float64Array): Float64Array {
  const order = sortedPositions(values)
  const ranks = new Float64Array(values.length)
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && values[order[end]] === values[order[start]]) end++
    for (let i = start; i < end; i++) ranks[order[i]] = (start + 1 + end) / 2
  }
  return ranks
}

/** All four coefficients of items; null with the reason where they are undefined. */
export interface Correlations extends Kendall {
  readonly spearman: number | null
  readonly pearson: number | null
  readonly undefinedReason: UndefinedReason | null
}

export function correlate(items: RatedItems): Correlations {
  const { ratings } = items
  const scores = scorePerRating(items)
  return {
    ...createKendallCounter(items).tau(),
    spearman: spearman(scores, ratings),
    pearson: pearson(scores, ratings),
    undefinedReason: correlationReason(items),
  }
}

/** Why the correlation of items is undefined; null where it is defined. */
function correlationReason(items: RatedItems): UndefinedReason | null {
  if (items.ratings.length < 2) return 'TOO_FEW_RATINGS'
  if (isConstant(items.ratings)) return 'CONSTANT_RATINGS'
  return isConstant(scorePerRating(items)) ? 'CONSTANT_SCORES' : null
}

/** Sorts the items once: each τ then takes time in proportion to their ratings. */
export function createKendallCounter({ scores, ratings, offsets }: RatedItems): KendallCounter {
  const order = sortedPositions(scores)
  const groupEnds = endsOfTies(scores, order)
  const grouped = groupRatings(ratings, offsets)
  const { levels, counts, levelOffsets, levelCount } = grouped
  const earlier = createEarlierRatings(levelCount)
  const { perLevel } = earlier
  const ones = new Float64Array(scores.length).fill(1)

  function count(weights: Float64Array): KendallCounts {
    earlier.clear()
    let total = 0
    let difference = 0
    let tiedScores = 0
    let distinctScores = 0
    for (let group = 0, start = 0; group < groupEnds.length; start = groupEnds[group++]) {
      const end = groupEnds[group]
      for (let place = start; place < end; place++) {
        const item = order[place]
        const weight = weights[item]
        if (weight === 0) continue
        for (let i = levelOffsets[item]; i < levelOffsets[item + 1]; i++) {
          difference += weight * counts[i] * earlier.difference(levels[i])
        }
      }
      let added = 0
      for (let place = start; place < end; place++) {
        const item = order[place]
        const weight = weights[item]
        if (weight === 0) continue
        for (let i = levelOffsets[item]; i < levelOffsets[item + 1]; i++) {
          earlier.add(levels[i], weight * counts[i])
          added += weight * counts[i]
        }
      }
      if (added === 0) continue
      total += added
      tiedScores += (added * (added - 1)) / 2
      distinctScores++
    }
    return { total, difference, tiedScores, distinctScores, perLevel }
  }

  function contributions(): Float64Array {
    const own = new Float64Array(scores.length)
    for (const sign of [1, -1]) {
      earlier.clear()
      for (let step = 0; step < groupEnds.length; step++) {
        const group = sign > 0 ? step : groupEnds.length - 1 - step
        const items = order.subarray(group === 0 ? 0 : groupEnds[group - 1], groupEnds[group])
        for (const item of items) {
          for (let i = levelOffsets[item]; i < levelOffsets[item + 1]; i++) {
            own[item] += sign * counts[i] * earlier.difference(levels[i])
          }
        }
        for (const item of items) {
          for (let i = levelOffsets[item]; i < levelOffsets[item + 1]; i++) earlier.add(levels[i], counts[i])
        }
      }
    }
    return own
  }

  const counted = levelCount <= FEW_LEVELS ? createDenseCount(order, groupEnds, grouped) : count
  return {
    contributions,
    tau: (weights = ones) => kendall(counted(weights)),
    difference: () => counted(ones).difference,
  }
}

/** Number of levels up to which a table of items and levels is faster than a tree. */
const FEW_LEVELS = 10

/** Counts with a table of the ratings of each level in the order of scores. */
function createDenseCount(
  order: Int32Array,
  groupEnds: Int32Array,
  { levels, counts, levelOffsets, levelCount }: GroupedRatings,
): (weights: Float64Array) => KendallCounts {
  const table = new Float64Array(order.length * levelCount)
  for (let place = 0; place < order.length; place++) {
    const item = order[place]
    for (let i = levelOffsets[item]; i < levelOffsets[item + 1]; i++) {
      table[place * levelCount + levels[i]] = counts[i]
    }
  }
  const perLevel = new Float64Array(levelCount)
  return (weights) => {
    perLevel.fill(0)
    let [total, difference, tiedScores, distinctScores] = [0, 0, 0, 0]
    for (let group = 0, start = 0; group < groupEnds.length; start = groupEnds[group++]) {
      const end = groupEnds[group]
      for (let place = start; place < end; place++) {
        let [own, lower] = [0, -total]
        for (let level = 0, i = place * levelCount; level < levelCount; level++, i++) {
          own += table[i] * (lower + perLevel[level])
          lower += 2 * perLevel[level]
        }
        difference += weights[order[place]] * own
      }
      let added = 0
      for (let place = start; place < end; place++) {
        const weight = weights[order[place]]
        for (let level = 0, i = place * levelCount; level < levelCount; level++, i++) {
          const ratings = weight * table[i]
          perLevel[level] += ratings
          added += ratings
        }
      }
      total += added
      tiedScores += (added * (added - 1)) / 2
      if (added > 0) distinctScores++
    }
    return { total, difference, tiedScores, distinctScores, perLevel }
  }
}

/** Counts of the ratings of items with lower scores, in a Fenwick tree: O(log levels) per rating. */
function createEarlierRatings(levelCount: number) {
  /** The number of ratings of each level. */
  const perLevel = new Float64Array(levelCount)
  const tree = new Float64Array(levelCount + 1)
  let total = 0
  return {
    perLevel,
    clear() {
      perLevel.fill(0)
      tree.fill(0)
      total = 0
    },
    add(level: number, count: number) {
      total += count
      perLevel[level] += count
      for (let node = level + 1; node <= levelCount; node += node & -node) tree[node] += count
    },
    /** Ratings of lower levels minus those of higher levels. */
    difference(level: number) {
      let upTo = 0
      for (let node = level + 1; node > 0; node &= node - 1) upTo += tree[node]
      return 2 * upTo - perLevel[level] - total
    },
  }
}

/** Per distinct value, the place in the order after its last occurrence. */
function endsOfTies(values: Float64Array, order: Int32Array): Int32Array {
  const ends: number[] = []
  for (let place = 1; place <= order.length; place++) {
    if (place === order.length || values[order[place]] !== values[order[place - 1]]) ends.push(place)
  }
  return Int32Array.from(ends)
}

interface KendallCounts {
  /** n */
  readonly total: number
  /** P − Q */
  readonly difference: number
  /** n1 */
  readonly tiedScores: number
  readonly distinctScores: number
  /** The number of ratings of each value. */
  readonly perLevel: Float64Array
}

function kendall({ total, difference, tiedScores, distinctScores, perLevel }: KendallCounts): Kendall {
  let tiedRatings = 0
  let distinctRatings = 0
  for (let level = 0; level < perLevel.length; level++) {
    tiedRatings += (perLevel[level] * (perLevel[level] - 1)) / 2
    if (perLevel[level] > 0) distinctRatings++
  }
  const least = Math.min(distinctScores, distinctRatings)
  if (least < 2) return { tauB: null, tauC: null }
  const pairs = (total * (total - 1)) / 2
  return {
    tauB: clamp(difference / Math.sqrt(pairs - tiedScores) / Math.sqrt(pairs - tiedRatings)),
    tauC: clamp((2 * difference) / ((total * total * (least - 1)) / least)),
  }
}

interface GroupedRatings {
  readonly levels: Int32Array
  readonly counts: Float64Array
  /** The levels and counts of item i: `levelOffsets[i]` … `levelOffsets[i + 1] − 1`. */
  readonly levelOffsets: Int32Array
  readonly levelCount: number
}

/** Ratings as levels, 0 for the lowest value; equal ratings of one item together with their count. */
function groupRatings(ratings: Float64Array, offsets: Int32Array): GroupedRatings {
  const values = Float64Array.from(new Set(ratings)).sort()
  const levelOf = new Map(Array.from(values, (value, level) => [value, level]))
  const levels = new Int32Array(ratings.length)
  const counts = new Float64Array(ratings.length)
  const levelOffsets = new Int32Array(offsets.length)
  let size = 0
  for (let item = 0; item + 1 < offsets.length; item++) {
    const start = size
    for (let i = offsets[item]; i < offsets[item + 1]; i++) {
      const level = levelOf.get(ratings[i]) as number
      let place = start
      while (place < size && levels[place] !== level) place++
      if (place === size) levels[size++] = level
      counts[place]++
    }
    levelOffsets[item + 1] = size
  }
  return { levels, counts, levelOffsets, levelCount: values.length }
}

/** The score of the item of each rating. */
function scorePerRating({ scores, ratings, offsets }: RatedItems): Float64Array {
  const perRating = new Float64Array(ratings.length)
  for (let item = 0; item < scores.length; item++) {
    perRating.fill(scores[item], offsets[item], offsets[item + 1])
  }
  return perRating
}

/** Positions of values in ascending order of the values, equal ones in the order of positions. */
function sortedPositions(values: Float64Array): Int32Array {
  return Int32Array.from(values, (_, position) => position).sort(
    (one, other) => values[one] - values[other] || one - other,
  )
}

function isConstant(values: Float64Array): boolean {
  return values.every((value) => value === values[0])
}

function mean(values: Float64Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length
}

/** The pairs of two positions i < j, by the order of x and the order of y in them. */
export interface PairCounts {
  readonly concordant: number
  readonly discordant: number
  /** Tied in x, or in y, alone. */
  readonly tiedX: number
  readonly tiedY: number
  readonly tiedBoth: number
}

/** Counts all n(n − 1)/2 pairs in O(n log n). */
export function countPairs(x: Float64Array, y: Float64Array): PairCounts {
  const offsets = Int32Array.from({ length: x.length + 1 }, (_, position) => position)
  const difference = createKendallCounter({ scores: x, ratings: y, offsets }).difference()
  const tiedBoth = countTies(x, y)
  const tiedX = countTies(x, x) - tiedBoth
  const tiedY = countTies(y, y) - tiedBoth
  const ordered = (x.length * (x.length - 1)) / 2 - tiedX - tiedY - tiedBoth
  const concordant = (ordered + difference) / 2
  return { concordant, discordant: ordered - concordant, tiedX, tiedY, tiedBoth }
}

/** Pairs that are equal in both. */
function countTies(x: Float64Array, y: Float64Array): number {
  const order = Int32Array.from(x, (_, position) => position).sort(
    (one, other) => x[one] - x[other] || y[one] - y[other],
  )
  let ties = 0
  for (let place = 1, equal = 0; place < order.length; place++) {
    const [one, other] = [order[place - 1], order[place]]
    equal = x[one] === x[other] && y[one] === y[other] ? equal + 1 : 0
    ties += equal
  }
  return ties
}

/** τ-b of counted pairs, −1 to 1; null where x or y is constant. */
export function tauBOf({ concordant, discordant, tiedX, tiedY }: PairCounts): number | null {
  const ordered = concordant + discordant
  const product = Math.sqrt(ordered + tiedX) * Math.sqrt(ordered + tiedY)
  return product === 0 ? null : clamp((concordant - discordant) / product)
}

/** Removes what rounding adds beyond ±1. */
function clamp(coefficient: number): number {
  return Math.max(-1, Math.min(1, coefficient))
}

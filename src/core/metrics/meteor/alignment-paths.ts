/** Partial alignments of the words of a reference up to a position, by which the search extends them. */

/** Maximum number of paths per position of the search. */
export const BEAM = 40

/**
 * The paths of one position of the search; path `p` has row `p` of each array. What all paths gain alike (by
 * definite matches) is left out: it does not decide between them. Working memory, reused.
 */
export interface Paths {
  count: number
  /** Rows, best path first. */
  readonly order: Int32Array
  /** Chunks − what the search counts for words covered on both sides; {@link Options.gain}. */
  readonly cost: Float64Array
  readonly distance: Float64Array
  /** Candidate position after the last match, −1 where the last reference word is not matched. */
  readonly end: Int32Array
  /** Reference position that the path has reached. */
  readonly reached: Int32Array
  /** Last choice of the path, −1 for none. */
  readonly choice: Int32Array
  /** Row of the path that this one continues, and the match that it adds (−1 for none). */
  readonly parent: Int32Array
  readonly added: Int32Array
  /** Per path, `stride` integers with a bit for each candidate word that is used. */
  used: Int32Array
  stride: number
}

export function createPaths(): Paths {
  return {
    count: 0,
    order: new Int32Array(BEAM),
    cost: new Float64Array(BEAM),
    distance: new Float64Array(BEAM),
    end: new Int32Array(BEAM),
    reached: new Int32Array(BEAM),
    choice: new Int32Array(BEAM),
    parent: new Int32Array(BEAM),
    added: new Int32Array(BEAM),
    used: new Int32Array(BEAM),
    stride: 1,
  }
}

/** Prepares for candidates of a length. */
export function setCandidateLength(paths: Paths, length: number): void {
  paths.stride = (length + 31) >>> 5
  if (paths.used.length < BEAM * paths.stride) paths.used = new Int32Array(BEAM * paths.stride)
}

/** Starts with one path, which has chosen nothing. */
export function startPath(paths: Paths): void {
  paths.count = 1
  paths.order[0] = 0
  paths.cost[0] = 0
  paths.distance[0] = 0
  paths.choice[0] = -1
  paths.used.fill(0, 0, paths.stride)
}

/** Puts a path after those at least as good; beyond the beam the worst is dropped. */
export function insertPath(
  paths: Paths,
  beam: number,
  parent: number,
  added: number,
  cost: number,
  distance: number,
  end: number,
  reached: number,
): void {
  const { order } = paths
  let rank = paths.count
  let row = rank
  if (rank === beam) {
    row = order[--rank]
    if (!precedes(cost, distance, paths, row)) return
  } else paths.count++
  for (; rank > 0 && precedes(cost, distance, paths, order[rank - 1]); rank--) order[rank] = order[rank - 1]
  order[rank] = row
  paths.parent[row] = parent
  paths.added[row] = added
  paths.cost[row] = cost
  paths.distance[row] = distance
  paths.end[row] = end
  paths.reached[row] = reached
}

/** Closes the chunk of every path that does not go on at candidate position `start` (−1: of every path). */
export function closeChunks(paths: Paths, start: number): void {
  const { count, cost, end } = paths
  for (let path = 0; path < count; path++) if (end[path] >= 0 && end[path] !== start) cost[path]++
  sortPaths(paths)
}

/**
 * Whether some path is in the middle of a phrase at reference position `j`. If so, no match starts there, and the other
 * paths move on without one.
 */
export function waitForPhrases(paths: Paths, j: number): boolean {
  const { count, cost, end, reached } = paths
  let waiting = 0
  for (let path = 0; path < count; path++) if (reached[path] > j) waiting++
  if (waiting === 0) return false
  for (let path = 0; path < count; path++) {
    if (reached[path] > j) continue
    if (end[path] >= 0) cost[path]++
    end[path] = -1
    reached[path] = j + 1
  }
  sortPaths(paths)
  return true
}

/** Sorts paths best first; the sort is stable. */
function sortPaths(paths: Paths): void {
  const { order, cost, distance, count } = paths
  for (let i = 1; i < count; i++) {
    const path = order[i]
    let rank = i
    for (; rank > 0 && precedes(cost[path], distance[path], paths, order[rank - 1]); rank--)
      order[rank] = order[rank - 1]
    order[rank] = path
  }
}

function precedes(cost: number, distance: number, paths: Paths, path: number): boolean {
  const other = paths.cost[path]
  return cost < other || (cost === other && distance < paths.distance[path])
}

/** Whether a path uses a candidate word of a range. */
export function usesWords({ used, stride }: Paths, path: number, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((used[path * stride + (i >>> 5)] & (1 << (i & 31))) !== 0) return true
  return false
}

/** Gives a path the used words of the path that it continues, and a range. */
export function inheritWords(paths: Paths, from: Paths, path: number, start: number, end: number): void {
  const { used, stride, parent } = paths
  const [into, source] = [path * stride, parent[path] * stride]
  for (let word = 0; word < stride; word++) used[into + word] = from.used[source + word]
  for (let i = start; i < end; i++) used[into + (i >>> 5)] |= 1 << (i & 31)
}

/**
 * Exact optimal transport between two small distributions (the transportation problem), by successive shortest paths
 * with potentials (Edmonds and Karp 1972): each path is a shortest one in the residual graph, found by Dijkstra's
 * algorithm on reduced costs.
 */

/** Solves transport problems one after the other, reusing its memory. */
interface TransportSolver {
  /**
   * The smallest Σ flow · cost that moves all supplies to the demands.
   *
   * @param supplies, demands positive whole numbers with equal sums
   * @param costs row-major, one row per supply; none is negative
   */
  solve(
    supplies: Int32Array,
    supplyCount: number,
    demands: Int32Array,
    demandCount: number,
    costs: Float64Array,
  ): number
}

export function createTransportSolver(): TransportSolver {
  let capacity = 0
  let flows = new Float64Array(0)
  // Rows (supplies) first, then columns (demands).
  let potentials = new Float64Array(0)
  let distances = new Float64Array(0)
  let parents = new Int32Array(0)
  let isFinal = new Uint8Array(0)
  let unmet = new Int32Array(0)

  function reserve(rows: number, columns: number): void {
    const size = Math.max(rows, columns)
    if (size > capacity) {
      capacity = 2 * size
      flows = new Float64Array(capacity * capacity)
      potentials = new Float64Array(2 * capacity)
      distances = new Float64Array(2 * capacity)
      parents = new Int32Array(2 * capacity)
      isFinal = new Uint8Array(2 * capacity)
      unmet = new Int32Array(capacity)
    }
    flows.fill(0, 0, rows * columns)
    potentials.fill(0, 0, rows + columns)
  }

  /** Finds a shortest path from a row to a column with unmet demand. @returns the node of the column */
  function findPath(source: number, rows: number, columns: number, costs: Float64Array): number {
    const nodes = rows + columns
    distances.fill(Number.POSITIVE_INFINITY, 0, nodes)
    isFinal.fill(0, 0, nodes)
    distances[source] = 0
    for (;;) {
      let nearest = -1
      let distance = Number.POSITIVE_INFINITY
      for (let node = 0; node < nodes; node++) {
        if (isFinal[node] === 0 && distances[node] < distance) {
          nearest = node
          distance = distances[node]
        }
      }
      isFinal[nearest] = 1
      if (nearest >= rows) {
        const column = nearest - rows
        if (unmet[column] > 0) {
          for (let node = 0; node < nodes; node++) {
            if (isFinal[node] === 0) continue
            const change = distance - distances[node]
            potentials[node] += node < rows ? change : -change
          }
          return nearest
        }
        // Flow can be taken back at no reduced cost.
        for (let row = 0; row < rows; row++) {
          if (isFinal[row] === 1 || flows[row * columns + column] === 0 || distances[row] <= distance)
            continue
          distances[row] = distance
          parents[row] = nearest
        }
      } else {
        for (let column = 0; column < columns; column++) {
          const node = rows + column
          if (isFinal[node] === 1) continue
          const reduced = costs[nearest * columns + column] - potentials[nearest] - potentials[node]
          // Rounding may make a reduced cost negative.
          const reached = distance + Math.max(0, reduced)
          if (reached >= distances[node]) continue
          distances[node] = reached
          parents[node] = nearest
        }
      }
    }
  }

  /** The most that can move along the path that ends at a column. */
  function bottleneck(target: number, source: number, left: number, rows: number, columns: number): number {
    let amount = Math.min(left, unmet[target - rows])
    for (let column = target; ; ) {
      const row = parents[column]
      if (row === source) return amount
      column = parents[row]
      amount = Math.min(amount, flows[row * columns + column - rows])
    }
  }

  function move(target: number, source: number, amount: number, rows: number, columns: number): void {
    unmet[target - rows] -= amount
    for (let column = target; ; ) {
      const row = parents[column]
      flows[row * columns + column - rows] += amount
      if (row === source) return
      column = parents[row]
      flows[row * columns + column - rows] -= amount
    }
  }

  return {
    solve(supplies, rows, demands, columns, costs) {
      reserve(rows, columns)
      for (let column = 0; column < columns; column++) unmet[column] = demands[column]
      for (let row = 0; row < rows; row++) {
        for (let left = supplies[row]; left > 0; ) {
          const target = findPath(row, rows, columns, costs)
          const amount = bottleneck(target, row, left, rows, columns)
          move(target, row, amount, rows, columns)
          left -= amount
        }
      }
      let total = 0
      for (let cell = 0; cell < rows * columns; cell++) {
        if (flows[cell] > 0) total += flows[cell] * costs[cell]
      }
      return total
    },
  }
}

/** Vectors of words, all of one length. */
export interface WordVectors {
  /** Enters the signature, e.g. `glove-6B-100d`. */
  readonly name: string
  /** Whether they are the built-in ones, which are of English words. */
  readonly isBuiltIn: boolean
  /** The vectors of words, scaled to unit length. @throws AccordError for what is wrong with the source */
  lookUp(words: readonly string[]): FoundVectors
}

export interface FoundVectors {
  /** Per word the row of its vector in `values`; −1 for a word without one. */
  readonly rows: Int32Array
  readonly dimension: number
  /** Rows of `dimension` numbers. */
  readonly values: Float64Array
}

/** Scales the vector at `start` to unit length. A vector of zeros remains. */
export function normalize(values: Float64Array, start: number, dimension: number): void {
  let squares = 0
  for (let i = start; i < start + dimension; i++) squares += values[i] * values[i]
  if (squares === 0) return
  const scale = 1 / Math.sqrt(squares)
  for (let i = start; i < start + dimension; i++) values[i] *= scale
}

/**
 * Kernels of the language model, compiled from `kernels/` for numbers of single or double precision. All work on one shared
 * memory; arguments are addresses and counts. Matrices are row by row; numbers of columns are multiples of
 * {@link COLUMNS}, except where a kernel says otherwise.
 */
export interface Kernels {
  /**
   * C = A · B, or C += A · B.
   *
   * A has m rows and k columns, B has k rows and n columns (n a multiple of {@link COLUMNS}; m and k any). The element in
   * row r and column c of A is at `a + r · aRow + c · aColumn` in bytes, likewise of B. One of the steps of each matrix is
   * the size of a number.
   *
   * @param scratch {@link scratchSize} numbers
   */
  multiply(
    c: number,
    cRow: number,
    a: number,
    aRow: number,
    aColumn: number,
    b: number,
    bRow: number,
    bColumn: number,
    m: number,
    n: number,
    k: number,
    accumulate: number,
    scratch: number,
  ): void
  /** x += y, `count` numbers. */
  add(x: number, y: number, count: number): void
  /** x = y + z */
  sum(x: number, y: number, z: number, count: number): void
  /** x = 0 */
  clear(x: number, count: number): void
  /** x *= y */
  multiplyBy(x: number, y: number, count: number): void
  /** x *= factor */
  scale(x: number, count: number, factor: number): void
  /** x = tanh x */
  tanh(x: number, count: number): void
  /** dx *= 1 − y², for y = tanh x */
  tanhGradient(dx: number, y: number, count: number): void
  /**
   * Gates and state of one row, section 4.3. Replaces z = [f, i, o, c̃] before activation by their values.
   *
   * @param size that of the state
   */
  step(z: number, previous: number, c: number, h: number, size: number): void
  /** The gradient of {@link step} for one row: from dh and dc to dz and, in the place of dc, that of the previous c. */
  stepGradient(z: number, previous: number, c: number, dh: number, dc: number, dz: number, size: number): void
  /** The maximum of numbers. */
  max(x: number, count: number): number
  /** x = exp(x − offset). @returns the sum */
  exponential(x: number, count: number, offset: number): number
  /**
   * Adadelta (Zeiler 2012) on `count` parameters: E[g²] = ρ E[g²] + (1 − ρ) g²; Δ = −√(E[Δ²] + ε) / √(E[g²] + ε) · g;
   * E[Δ²] = ρ E[Δ²] + (1 − ρ) Δ²; x += Δ, with g + decay · x in the place of g.
   */
  adadelta(
    x: number,
    g: number,
    squares: number,
    updates: number,
    count: number,
    rho: number,
    epsilon: number,
    decay: number,
  ): void
}

export type Precision = 'single' | 'double'

/** Numbers of columns of matrices are padded to multiples of this. */
export const COLUMNS = 8

/** Numbers of the scratch memory of a product with `m` rows: the packed parts of A and B, and a tile (kernels/product.ts). */
export function scratchSize(m: number): number {
  const depth = 384
  const tileRows = 4
  return (Math.ceil(m / tileRows) * tileRows + COLUMNS) * depth + tileRows * COLUMNS
}

/** Maximum size of the memory: 2 GiB. */
export const MAX_PAGES = 32_768
export const PAGE_BYTES = 65_536

/** The kernels on a memory. @param module compiled for the precision of the numbers in it */
export function createKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, host: { exp: Math.exp } })
  return exports as unknown as Kernels
}

import {
  bits,
  type Code,
  createModule,
  double,
  I32,
  i32,
  increase,
  type Local,
  load,
  type ModuleBuilder,
  type Numbers,
  repeat,
  single,
  store,
  V128,
  when,
} from './assembler.js'

/**
 * Kernels of the language model, assembled for numbers of single or double precision. All work on one shared memory;
 * arguments are addresses and counts. Matrices are row by row; numbers of columns are multiples of {@link COLUMNS}, except
 * where a kernel says otherwise.
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

/** Rows of a tile of a product. */
const TILE_ROWS = 4
/** Depth of the packed parts of A and B. */
const DEPTH = 384

/** Numbers of the scratch memory of a product with `m` rows. */
export function scratchSize(m: number): number {
  return (Math.ceil(m / TILE_ROWS) * TILE_ROWS + COLUMNS) * DEPTH + TILE_ROWS * COLUMNS
}

/** Maximum size of the memory: 2 GiB, because addresses are compared as signed integers. */
export const MAX_PAGES = 32_768
export const PAGE_BYTES = 65_536

const modules = new Map<Precision, WebAssembly.Module>()

/** The kernels on a memory. The module is compiled once per thread. */
export function createKernels(precision: Precision, memory: WebAssembly.Memory): Kernels {
  let module = modules.get(precision)
  if (module === undefined) {
    module = new WebAssembly.Module(assembleKernels(precision === 'single' ? single : double))
    modules.set(precision, module)
  }
  const { exports } = new WebAssembly.Instance(module, { host: { memory, exp: Math.exp } })
  return exports as unknown as Kernels
}

function assembleKernels(numbers: Numbers): Uint8Array<ArrayBuffer> {
  const module = createModule()
  // Double precision serves to check the formulas: its exponential is that of the host, number by number.
  if (numbers.lanes === 2) module.import('exp', [numbers.type], [numbers.type])
  defineExp(module, numbers)
  defineElementwise(module, numbers)
  defineRows(module, numbers)
  defineStep(module, numbers)
  defineAdadelta(module, numbers)
  defineProduct(module, numbers)
  return module.assemble(MAX_PAGES)
}

/** `exp4`: the exponential of a vector. */
function defineExp(module: ModuleBuilder, numbers: Numbers): void {
  const { lanes, lane, withLane } = numbers
  if (lanes === 2) {
    module.define('exp4', [V128], [V128], ([x], local) => {
      const result = local(V128)
      return [
        result.set(withLane(x.get, 0, module.call('exp', lane(x.get, 0)))),
        result.set(withLane(result.get, 1, module.call('exp', lane(x.get, 1)))),
        result.get,
      ]
    })
    return
  }
  // exp x = 2^n · exp r, |r| ≤ ln 2 / 2, by the polynomial of the Cephes library (expf). Relative error about 1e-7.
  const constant = (value: number) => numbers.splat(numbers.constant(value))
  const polynomial = [1.9875691e-4, 1.3981999e-3, 8.333452e-3, 4.1665796e-2, 0.16666665, 0.5, 1, 1]
  module.define('exp4', [V128], [V128], ([x], local) => {
    const n = local(V128)
    const r = local(V128)
    const power = local(V128)
    const clamped = numbers.min(numbers.max(x.get, constant(EXP_LOWEST)), constant(88))
    return [
      power.set(numbers.isAtLeast(x.get, constant(EXP_LOWEST))),
      x.set(clamped),
      n.set(numbers.nearest(numbers.multiply(x.get, constant(Math.LOG2E)))),
      r.set(numbers.subtract(x.get, numbers.multiply(n.get, constant(0.693359375)))),
      r.set(numbers.add(r.get, numbers.multiply(n.get, constant(2.1219444e-4)))),
      x.set(constant(polynomial[0])),
      ...polynomial
        .slice(1)
        .map((term) => x.set(numbers.add(numbers.multiply(x.get, r.get), constant(term)))),
      n.set(bits.shiftLeft(bits.addIntegers(bits.truncate(n.get), bits.splatInteger(127)), 23)),
      bits.and(power.get, numbers.multiply(x.get, n.get)),
    ]
  })
}

/** The exponentials of smaller numbers are 0, which avoids subnormal numbers in products with them. */
const EXP_LOWEST = -60

/** Defines a loop over `count` numbers. */
type Vectors = (counter: Local, count: Code, body: (offset: Code) => Code) => Code

const vectorsOf =
  ({ bytes, lanes }: Numbers): Vectors =>
  (counter, count, body) =>
    repeat(
      counter,
      i32.constant(0),
      i32.shiftLeft(count, Math.log2(bytes)),
      i32.constant(bytes * lanes),
      body(counter.get),
    )

function defineElementwise(module: ModuleBuilder, numbers: Numbers): void {
  const { add, subtract, multiply, splat, constant } = numbers
  const each = vectorsOf(numbers)
  const one = splat(constant(1))
  module.define('add', [I32, I32, I32], [], ([x, y, count], local) =>
    each(local(I32), count.get, (offset) => {
      const [at, from] = [i32.add(x.get, offset), i32.add(y.get, offset)]
      return store(at, add(load(at), load(from)))
    }),
  )
  module.define('sum', [I32, I32, I32, I32], [], ([x, y, z, count], local) =>
    each(local(I32), count.get, (offset) =>
      store(i32.add(x.get, offset), add(load(i32.add(y.get, offset)), load(i32.add(z.get, offset)))),
    ),
  )
  module.define('clear', [I32, I32], [], ([x, count], local) =>
    each(local(I32), count.get, (offset) => store(i32.add(x.get, offset), splat(constant(0)))),
  )
  module.define('multiplyBy', [I32, I32, I32], [], ([x, y, count], local) =>
    each(local(I32), count.get, (offset) => {
      const at = i32.add(x.get, offset)
      return store(at, multiply(load(at), load(i32.add(y.get, offset))))
    }),
  )
  module.define('scale', [I32, I32, numbers.type], [], ([x, count, factor], local) =>
    each(local(I32), count.get, (offset) => {
      const at = i32.add(x.get, offset)
      return store(at, multiply(load(at), splat(factor.get)))
    }),
  )
  defineTanh(module, numbers)
  module.define('tanh', [I32, I32], [], ([x, count], local) =>
    each(local(I32), count.get, (offset) => {
      const at = i32.add(x.get, offset)
      return store(at, module.call('tanh4', load(at)))
    }),
  )
  module.define('tanhGradient', [I32, I32, I32], [], ([dx, y, count], local) => {
    const value = local(V128)
    return each(local(I32), count.get, (offset) => {
      const at = i32.add(dx.get, offset)
      return [
        value.set(load(i32.add(y.get, offset))),
        store(at, multiply(load(at), subtract(one, multiply(value.get, value.get)))),
      ]
    })
  })
}

/** `tanh4` and `sigmoid4`: of a vector. */
function defineTanh(module: ModuleBuilder, { add, subtract, divide, splat, constant }: Numbers): void {
  const one = splat(constant(1))
  const two = splat(constant(2))
  // tanh x = 1 − 2 / (1 + exp 2x)
  module.define('tanh4', [V128], [V128], ([x]) =>
    subtract(one, divide(two, add(one, module.call('exp4', add(x.get, x.get))))),
  )
  module.define('sigmoid4', [V128], [V128], ([x]) =>
    divide(one, add(one, module.call('exp4', subtract(splat(constant(0)), x.get)))),
  )
}

function defineRows(module: ModuleBuilder, numbers: Numbers): void {
  const { type, lanes, lane, addOne, maxOne } = numbers
  const each = vectorsOf(numbers)
  const fold = (value: Local, combine: (left: Code, right: Code) => Code): Code =>
    Array.from({ length: lanes }, (_, index) => lane(value.get, index)).reduce(combine)
  module.define('max', [I32, I32], [type], ([x, count], local) => {
    const best = local(V128)
    return [
      best.set(load(x.get)),
      each(local(I32), count.get, (offset) => best.set(numbers.max(best.get, load(i32.add(x.get, offset))))),
      fold(best, maxOne),
    ]
  })
  module.define('exponential', [I32, I32, type], [type], ([x, count, offset], local) => {
    const sum = local(V128)
    const value = local(V128)
    return [
      each(local(I32), count.get, (position) => {
        const at = i32.add(x.get, position)
        return [
          value.set(module.call('exp4', numbers.subtract(load(at), numbers.splat(offset.get)))),
          sum.set(numbers.add(sum.get, value.get)),
          store(at, value.get),
        ]
      }),
      fold(sum, addOne),
    ]
  })
}

function defineStep(module: ModuleBuilder, numbers: Numbers): void {
  const { add, subtract, multiply, splat, constant, bytes } = numbers
  const each = vectorsOf(numbers)
  const one = splat(constant(1))
  const parameters = (count: number) => new Array<typeof I32>(count).fill(I32)
  module.define('step', parameters(5), [], ([z, previous, c, h, size], local) => {
    const stride = local(I32)
    const at = local(I32)
    const gates = [local(V128), local(V128), local(V128), local(V128)]
    const [f, i, o, g] = gates
    const state = local(V128)
    return [
      stride.set(i32.shiftLeft(size.get, Math.log2(bytes))),
      each(local(I32), size.get, (offset) => [
        at.set(i32.add(z.get, offset)),
        gates.map((gate) => [
          gate.set(module.call(gate === g ? 'tanh4' : 'sigmoid4', load(at.get))),
          store(at.get, gate.get),
          increase(at, stride.get),
        ]),
        state.set(add(multiply(f.get, load(i32.add(previous.get, offset))), multiply(i.get, g.get))),
        store(i32.add(c.get, offset), state.get),
        store(i32.add(h.get, offset), multiply(o.get, state.get)),
      ]),
    ]
  })
  module.define('stepGradient', parameters(7), [], ([z, previous, c, dh, dc, dz, size], local) => {
    const stride = local(I32)
    const at = local(I32)
    const gates = [local(V128), local(V128), local(V128), local(V128)]
    const [f, i, o, g] = gates
    const dState = local(V128)
    const dOutput = local(V128)
    const ofSigmoid = (gradient: Code, gate: Local) =>
      multiply(gradient, multiply(gate.get, subtract(one, gate.get)))
    return [
      stride.set(i32.shiftLeft(size.get, Math.log2(bytes))),
      each(local(I32), size.get, (offset) => [
        at.set(i32.add(z.get, offset)),
        gates.map((gate) => [gate.set(load(at.get)), increase(at, stride.get)]),
        dOutput.set(load(i32.add(dh.get, offset))),
        at.set(i32.add(dc.get, offset)),
        dState.set(add(load(at.get), multiply(dOutput.get, o.get))),
        store(at.get, multiply(dState.get, f.get)),
        at.set(i32.add(dz.get, offset)),
        [
          ofSigmoid(multiply(dState.get, load(i32.add(previous.get, offset))), f),
          ofSigmoid(multiply(dState.get, g.get), i),
          ofSigmoid(multiply(dOutput.get, load(i32.add(c.get, offset))), o),
          multiply(multiply(dState.get, i.get), subtract(one, multiply(g.get, g.get))),
        ].map((gradient) => [store(at.get, gradient), increase(at, stride.get)]),
      ]),
    ]
  })
}

function defineAdadelta(module: ModuleBuilder, numbers: Numbers): void {
  const { type, add, subtract, multiply, divide, root, splat, constant } = numbers
  const each = vectorsOf(numbers)
  const types = [I32, I32, I32, I32, I32, type, type, type] as const
  module.define('adadelta', types, [], (parameters, local) => {
    const [x, g, squares, updates, count, rho, epsilon, decay] = parameters
    const [gradient, square, update, value] = [local(V128), local(V128), local(V128), local(V128)]
    const average = (old: Code, fresh: Local) =>
      add(
        multiply(splat(rho.get), old),
        multiply(subtract(splat(constant(1)), splat(rho.get)), multiply(fresh.get, fresh.get)),
      )
    const rms = (mean: Code) => root(add(mean, splat(epsilon.get)))
    return each(local(I32), count.get, (offset) => {
      const [atX, atSquares, atUpdates] = [x, squares, updates].map((array) => i32.add(array.get, offset))
      return [
        value.set(load(atX)),
        gradient.set(add(load(i32.add(g.get, offset)), multiply(splat(decay.get), value.get))),
        square.set(average(load(atSquares), gradient)),
        store(atSquares, square.get),
        update.set(load(atUpdates)),
        square.set(multiply(divide(rms(update.get), rms(square.get)), gradient.get)),
        store(atUpdates, average(update.get, square)),
        store(atX, subtract(value.get, square.get)),
      ]
    })
  })
}

/**
 * Products by tiles of 4 rows and two vectors of columns (Goto & van de Geijn 2008): a part of A, {@link DEPTH} columns
 * of all its rows, is packed so that the numbers of a tile follow one another; then each strip of columns of B is packed
 * and multiplied by all tiles of rows.
 */
function defineProduct(module: ModuleBuilder, numbers: Numbers): void {
  const { bytes, lanes } = numbers
  const columns = 2 * lanes
  definePack(module, numbers, 'packRows', TILE_ROWS)
  definePack(module, numbers, 'packColumns', columns)
  defineTile(module, numbers, columns)
  module.define('multiply', new Array<typeof I32>(13).fill(I32), [], (parameters, local) => {
    const [c, cRow, a, aRow, aColumn, b, bRow, bColumn, m, n, k, accumulate, scratch] = parameters
    const [depth, row, column, start, strip, panel, at, spare] = Array.from({ length: 8 }, () => local(I32))
    const size = i32.constant(bytes)
    const panelBytes = i32.multiply(depth.get, i32.constant(TILE_ROWS * bytes))
    const eachRow = (body: Code) => [
      panel.set(strip.get),
      increase(panel, i32.multiply(i32.constant(columns * bytes), i32.constant(DEPTH))),
      repeat(row, i32.constant(0), m.get, i32.constant(TILE_ROWS), [body, increase(panel, panelBytes)]),
    ]
    return [
      spare.set(scratch.get),
      strip.set(i32.add(scratch.get, i32.constant(TILE_ROWS * columns * bytes))),
      repeat(start, i32.constant(0), k.get, i32.constant(DEPTH), [
        depth.set(i32.subtract(k.get, start.get)),
        when(i32.isLess(i32.constant(DEPTH), depth.get), depth.set(i32.constant(DEPTH))),
        eachRow(
          module.call(
            'packRows',
            i32.add(a.get, i32.add(i32.multiply(row.get, aRow.get), i32.multiply(start.get, aColumn.get))),
            panel.get,
            depth.get,
            aRow.get,
            aColumn.get,
          ),
        ),
        repeat(column, i32.constant(0), n.get, i32.constant(columns), [
          module.call(
            'packColumns',
            i32.add(b.get, i32.add(i32.multiply(start.get, bRow.get), i32.multiply(column.get, bColumn.get))),
            strip.get,
            depth.get,
            bColumn.get,
            bRow.get,
          ),
          at.set(i32.add(c.get, i32.multiply(column.get, size))),
          eachRow([
            module.call(
              'tile',
              panel.get,
              strip.get,
              at.get,
              cRow.get,
              depth.get,
              i32.add(accumulate.get, start.get),
              i32.subtract(m.get, row.get),
              spare.get,
            ),
            increase(at, i32.multiply(cRow.get, i32.constant(TILE_ROWS))),
          ]),
        ]),
      ]),
    ]
  })
}

/**
 * Packs `width` lines of `depth` numbers: for each depth the number of each line. Either the numbers of a line or those of
 * a depth follow one another in the source.
 *
 * (source, target, depth, step between lines, step between depths)
 */
function definePack(module: ModuleBuilder, numbers: Numbers, name: string, width: number): void {
  const { bytes, lanes } = numbers
  module.define(name, [I32, I32, I32, I32, I32], [], ([from, to, depth, line, step], local) => {
    const [end, at, index] = [local(I32), local(I32), local(I32)]
    const bytesPerDepth = width * bytes
    const byVectors = [
      repeat(to, to.get, end.get, i32.constant(bytesPerDepth), [
        Array.from({ length: width / lanes }, (_, part) =>
          store(to.get, load(from.get, part * lanes * bytes), part * lanes * bytes),
        ),
        increase(from, step.get),
      ]),
    ]
    const byNumbers = repeat(index, i32.constant(0), i32.constant(width), i32.constant(1), [
      at.set(i32.add(from.get, i32.multiply(index.get, line.get))),
      to.set(
        i32.add(
          i32.subtract(end.get, i32.multiply(depth.get, i32.constant(bytesPerDepth))),
          i32.multiply(index.get, i32.constant(bytes)),
        ),
      ),
      repeat(to, to.get, end.get, i32.constant(bytesPerDepth), [
        numbers.storeOne(to.get, numbers.loadOne(at.get)),
        increase(at, step.get),
      ]),
    ])
    return [
      end.set(i32.add(to.get, i32.multiply(depth.get, i32.constant(bytesPerDepth)))),
      when(i32.isLess(i32.constant(bytes), line.get), byNumbers, byVectors),
    ]
  })
}

/**
 * One tile: (A packed, B packed, C, bytes per row of C, depth, whether to add to C, number of rows, spare memory for a tile
 * with fewer than 4 rows).
 */
function defineTile(module: ModuleBuilder, numbers: Numbers, columns: number): void {
  const { bytes, lanes, add, multiply } = numbers
  module.define('tile', new Array<typeof I32>(8).fill(I32), [], (parameters, local) => {
    const [a, b, c, cRow, depth, accumulate, rows, spare] = parameters
    const sums = Array.from({ length: TILE_ROWS * 2 }, () => local(V128))
    const [left, right, factor] = [local(V128), local(V128), local(V128)]
    const [end, at, source, row, column] = [local(I32), local(I32), local(I32), local(I32), local(I32)]
    const half = lanes * bytes
    const inner = [
      left.set(load(b.get)),
      right.set(load(b.get, half)),
      Array.from({ length: TILE_ROWS }, (_, row) => [
        factor.set(numbers.loadSplat(a.get, row * bytes)),
        sums[2 * row].set(add(sums[2 * row].get, multiply(factor.get, left.get))),
        sums[2 * row + 1].set(add(sums[2 * row + 1].get, multiply(factor.get, right.get))),
      ]),
      increase(b, i32.constant(columns * bytes)),
    ]
    const eachRow = (body: (row: number) => Code, address: Local, step: Code) =>
      Array.from({ length: TILE_ROWS }, (_, row) => [body(row), increase(address, step)])
    const write = (row: number, value: (part: number) => Code) => [
      store(at.get, value(2 * row)),
      store(at.get, value(2 * row + 1), half),
    ]
    const whole = [
      at.set(c.get),
      when(
        accumulate.get,
        eachRow(
          (row) => write(row, (part) => add(sums[part].get, load(at.get, part % 2 === 0 ? 0 : half))),
          at,
          cRow.get,
        ),
        eachRow((row) => write(row, (part) => sums[part].get), at, cRow.get),
      ),
    ]
    const partial = [
      at.set(spare.get),
      eachRow((row) => write(row, (part) => sums[part].get), at, i32.constant(columns * bytes)),
      source.set(spare.get),
      at.set(c.get),
      repeat(row, i32.constant(0), rows.get, i32.constant(1), [
        repeat(column, i32.constant(0), i32.constant(columns * bytes), i32.constant(half), [
          factor.set(load(i32.add(source.get, column.get))),
          when(accumulate.get, factor.set(add(factor.get, load(i32.add(at.get, column.get))))),
          store(i32.add(at.get, column.get), factor.get),
        ]),
        increase(source, i32.constant(columns * bytes)),
        increase(at, cRow.get),
      ]),
    ]
    return [
      end.set(i32.add(a.get, i32.multiply(depth.get, i32.constant(TILE_ROWS * bytes)))),
      repeat(a, a.get, end.get, i32.constant(TILE_ROWS * bytes), inner),
      when(i32.isLess(rows.get, i32.constant(TILE_ROWS)), partial, whole),
    ]
  })
}

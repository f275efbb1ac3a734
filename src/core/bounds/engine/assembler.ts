/**
 * A small assembler of WebAssembly modules with 128-bit vectors (WebAssembly Core Specification 2.0, binary format, and
 * threads for shared memory). Instructions are nested lists of bytes: an expression pushes one value, a statement none.
 */
export type Code = readonly (number | Code)[]

/** Codes of the types of values. */
export const I32 = 0x7f
export const F32 = 0x7d
export const F64 = 0x7c
export const V128 = 0x7b
export type ValueType = typeof I32 | typeof F32 | typeof F64 | typeof V128

/** A parameter or local variable of a function. */
export interface Local {
  readonly get: Code
  set(value: Code): Code
}

/** Functions of a module are called by name. */
export interface ModuleBuilder {
  /** Declares an imported function of the module "host". Call it before the first `define`. */
  import(name: string, parameters: readonly ValueType[], results: readonly ValueType[]): void
  /**
   * Defines and exports a function.
   *
   * @param body receives a local for each parameter, and a function that creates further locals
   */
  define(
    name: string,
    parameters: readonly ValueType[],
    results: readonly ValueType[],
    body: (parameters: readonly Local[], local: (type: ValueType) => Local) => Code,
  ): void
  call(name: string, ...values: readonly Code[]): Code
  /** The module. It imports the shared memory `memory` of "host". */
  assemble(maxPages: number): Uint8Array<ArrayBuffer>
}

interface Declaration {
  readonly name: string
  readonly parameters: readonly ValueType[]
  readonly results: readonly ValueType[]
  /** Null for an imported function. */
  readonly code: number[] | null
}

export function createModule(): ModuleBuilder {
  const functions: Declaration[] = []

  return {
    import(name, parameters, results) {
      functions.push({ name, parameters, results, code: null })
    },
    define(name, parameters, results, body) {
      const locals: ValueType[] = []
      const toLocal = (index: number): Local => ({
        get: [0x20, unsigned(index)],
        set: (value) => [value, 0x21, unsigned(index)],
      })
      const code = body(
        parameters.map((_, index) => toLocal(index)),
        (type) => toLocal(parameters.length + locals.push(type) - 1),
      )
      const bytes = flatten([list(locals.map((type) => [1, type])), code, END])
      functions.push({ name, parameters, results, code: flatten([unsigned(bytes.length), bytes]) })
    },
    call(name, ...values) {
      const index = functions.findIndex((declared) => declared.name === name)
      if (index < 0) throw new Error(`The function ${name} is not defined yet.`)
      return [...values, 0x10, unsigned(index)]
    },
    assemble: (maxPages) => assemble(functions, maxPages),
  }
}

function assemble(functions: readonly Declaration[], maxPages: number): Uint8Array<ArrayBuffer> {
  const imported = functions.filter(({ code }) => code === null)
  const defined = functions.filter(({ code }) => code !== null)
  const memory: Code = [name('host'), name('memory'), 0x02, 0x03, unsigned(1), unsigned(maxPages)]
  return Uint8Array.from(
    flatten([
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(
        1,
        functions.map(({ parameters, results }) => [
          0x60,
          list(parameters.map((type) => [type])),
          list(results.map((type) => [type])),
        ]),
      ),
      section(2, [
        memory,
        ...imported.map((declared, index) => [name('host'), name(declared.name), 0x00, unsigned(index)]),
      ]),
      section(
        3,
        defined.map((_, index) => unsigned(imported.length + index)),
      ),
      section(
        7,
        defined.map((declared, index) => [name(declared.name), 0x00, unsigned(imported.length + index)]),
      ),
      section(
        10,
        defined.map(({ code }) => code as number[]),
      ),
    ]),
  )
}

function section(id: number, items: readonly Code[]): Code {
  const content = flatten(list(items))
  return [id, unsigned(content.length), content]
}

function list(items: readonly Code[]): Code {
  return [unsigned(items.length), ...items]
}

function name(text: string): Code {
  return list(Array.from(text, (character) => [character.charCodeAt(0)]))
}

function flatten(code: Code): number[] {
  const bytes: number[] = []
  const add = (part: number | Code): void => {
    if (typeof part === 'number') bytes.push(part)
    else part.forEach(add)
  }
  add(code)
  return bytes
}

/** LEB128 of a number that is not negative. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  do {
    const rest = Math.floor(value / 128)
    bytes.push((value % 128) + (rest > 0 ? 128 : 0))
    value = rest
  } while (value > 0)
  return bytes
}

/** LEB128 of a 32-bit integer. */
function signed(value: number): number[] {
  const bytes: number[] = []
  for (;;) {
    const low = value & 127
    value >>= 7
    if ((value === 0 && low < 64) || (value === -1 && low >= 64)) return [...bytes, low]
    bytes.push(low | 128)
  }
}

const END = 0x0b
/** A block without a value. */
const EMPTY = 0x40

const binary =
  (code: number) =>
  (left: Code, right: Code): Code => [left, right, code]

export const i32 = {
  constant: (value: number): Code => [0x41, signed(value)],
  add: binary(0x6a),
  subtract: binary(0x6b),
  multiply: binary(0x6c),
  shiftLeft: (value: Code, bits: number): Code => [value, 0x41, signed(bits), 0x74],
  isAtLeast: binary(0x4e),
  isLess: binary(0x48),
}

/** Adds a constant to a local. */
export const increase = (local: Local, value: Code): Code => local.set(i32.add(local.get, value))

/** `for (counter = 0; counter < end; counter += step) body`, for numbers or addresses below 2^31. */
export function repeat(counter: Local, start: Code, end: Code, step: Code, body: Code): Code {
  return [
    counter.set(start),
    [0x02, EMPTY, 0x03, EMPTY],
    [i32.isAtLeast(counter.get, end), 0x0d, 1],
    body,
    increase(counter, step),
    [0x0c, 0, END, END],
  ]
}

export function when(condition: Code, then: Code, otherwise: Code = []): Code {
  return [condition, 0x04, EMPTY, then, otherwise.length > 0 ? [0x05, otherwise] : [], END]
}

const vector = (opcode: number): number[] => [0xfd, ...unsigned(opcode)]
const vectorBinary =
  (opcode: number) =>
  (left: Code, right: Code): Code => [left, right, vector(opcode)]
/** Alignment is only a hint: that of a byte is always valid. */
const memoryArgument = (offset: number): number[] => [0, ...unsigned(offset)]

/** Vectors of 32-bit integers and bits. */
export const bits = {
  and: vectorBinary(0x4e),
  addIntegers: vectorBinary(0xae),
  shiftLeft: (value: Code, count: number): Code => [value, 0x41, signed(count), vector(0xab)],
  splatInteger: (value: number): Code => [0x41, signed(value), vector(0x11)],
  /** The integers nearest to the numbers towards 0. */
  truncate: (value: Code): Code => [value, vector(0xf8)],
}

export const load = (address: Code, offset = 0): Code => [address, vector(0x00), memoryArgument(offset)]
export const store = (address: Code, value: Code, offset = 0): Code => [
  address,
  value,
  vector(0x0b),
  memoryArgument(offset),
]

/** Instructions on numbers of one precision, single ones and vectors of them. */
export interface Numbers {
  readonly type: typeof F32 | typeof F64
  readonly bytes: 4 | 8
  /** Numbers in a vector. */
  readonly lanes: 4 | 2
  constant(value: number): Code
  loadOne(address: Code, offset?: number): Code
  storeOne(address: Code, value: Code, offset?: number): Code
  addOne(left: Code, right: Code): Code
  maxOne(left: Code, right: Code): Code
  /** A vector of equal numbers. */
  splat(value: Code): Code
  loadSplat(address: Code, offset?: number): Code
  add(left: Code, right: Code): Code
  subtract(left: Code, right: Code): Code
  multiply(left: Code, right: Code): Code
  divide(left: Code, right: Code): Code
  max(left: Code, right: Code): Code
  min(left: Code, right: Code): Code
  /** All bits where the left number is not less. */
  isAtLeast(left: Code, right: Code): Code
  root(value: Code): Code
  /** The integers nearest to the numbers, as numbers. */
  nearest(value: Code): Code
  lane(value: Code, index: number): Code
  withLane(value: Code, index: number, one: Code): Code
}

export const single: Numbers = {
  type: F32,
  bytes: 4,
  lanes: 4,
  constant: (value) => [0x43, ...bytesOf(new Float32Array([value]))],
  loadOne: (address, offset = 0) => [address, 0x2a, memoryArgument(offset)],
  storeOne: (address, value, offset = 0) => [address, value, 0x38, memoryArgument(offset)],
  addOne: binary(0x92),
  maxOne: binary(0x97),
  splat: (value) => [value, vector(0x13)],
  loadSplat: (address, offset = 0) => [address, vector(0x09), memoryArgument(offset)],
  add: vectorBinary(0xe4),
  subtract: vectorBinary(0xe5),
  multiply: vectorBinary(0xe6),
  divide: vectorBinary(0xe7),
  max: vectorBinary(0xe9),
  min: vectorBinary(0xe8),
  isAtLeast: vectorBinary(0x46),
  root: (value) => [value, vector(0xe3)],
  nearest: (value) => [value, vector(0x6a)],
  lane: (value, index) => [value, vector(0x1f), index],
  withLane: (value, index, one) => [value, one, vector(0x20), index],
}

export const double: Numbers = {
  type: F64,
  bytes: 8,
  lanes: 2,
  constant: (value) => [0x44, ...bytesOf(new Float64Array([value]))],
  loadOne: (address, offset = 0) => [address, 0x2b, memoryArgument(offset)],
  storeOne: (address, value, offset = 0) => [address, value, 0x39, memoryArgument(offset)],
  addOne: binary(0xa0),
  maxOne: binary(0xa5),
  splat: (value) => [value, vector(0x14)],
  loadSplat: (address, offset = 0) => [address, vector(0x0a), memoryArgument(offset)],
  add: vectorBinary(0xf0),
  subtract: vectorBinary(0xf1),
  multiply: vectorBinary(0xf2),
  divide: vectorBinary(0xf3),
  max: vectorBinary(0xf5),
  min: vectorBinary(0xf4),
  isAtLeast: vectorBinary(0x4c),
  root: (value) => [value, vector(0xef)],
  nearest: (value) => [value, vector(0x94)],
  lane: (value, index) => [value, vector(0x21), index],
  withLane: (value, index, one) => [value, one, vector(0x22), index],
}

/** Bytes of numbers in memory, which is little-endian on all machines that Node supports. */
function bytesOf(numbers: Float32Array | Float64Array): number[] {
  return Array.from(new Uint8Array(numbers.buffer))
}

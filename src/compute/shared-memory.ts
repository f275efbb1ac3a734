type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array

/**
 * Moves all typed arrays of a value to shared memory, so that threads do not copy them. Arrays in shared memory,
 * memories and modules of WebAssembly, and lists of strings do not change.
 */
export function moveToSharedMemory<Value>(value: Value): Value {
  const copies = new Map<unknown, unknown>()

  function copy(part: unknown): unknown {
    if (typeof part !== 'object' || part === null) return part
    let result = copies.get(part)
    if (result === undefined) {
      result = copyObject(part)
      copies.set(part, result)
    }
    return result
  }

  function copyObject(part: object): unknown {
    if (part instanceof WebAssembly.Memory || part instanceof WebAssembly.Module) return part
    if (ArrayBuffer.isView(part)) return shareArray(part as NumberArray)
    if (Array.isArray(part)) return typeof part[0] === 'string' ? part : part.map(copy)
    return Object.fromEntries(Object.entries(part).map(([name, entry]) => [name, copy(entry)]))
  }

  return copy(value) as Value
}

/** An array of zeros in shared memory. */
export function allocateShared(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * length))
}

function shareArray(array: NumberArray): NumberArray {
  if (array.buffer instanceof SharedArrayBuffer) return array
  const Numbers = array.constructor as new (buffer: SharedArrayBuffer) => NumberArray
  const shared = new Numbers(new SharedArrayBuffer(array.byteLength))
  shared.set(array)
  return shared
}

/** Doubles the length of all columns of a table. */
export function doubleColumns(table: Record<string, Int32Array | Float64Array>): void {
  for (const [name, column] of Object.entries(table)) {
    const length = 2 * column.length
    table[name] = column instanceof Int32Array ? new Int32Array(length) : new Float64Array(length)
    table[name].set(column)
  }
}

// Matrix products by tiles of 4 rows and two vectors of columns (Goto & van de Geijn 2008): a part of A, DEPTH columns of
// all its rows, is packed so that the numbers of a tile follow one another; then each strip of columns of B is packed and
// multiplied by all tiles of rows. Both are packed from rows or from columns, so that transposed products are as fast.
import { add, BYTES, splat, VECTOR } from './simd'

/** Depth of the packed parts of A and B. */
const DEPTH: usize = 384

/** Bytes of a row of a tile, and of a column. */
const TILE_ROW: usize = 2 * VECTOR
const TILE_ROWS: usize = 4
const TILE_COLUMN: usize = TILE_ROWS * BYTES
const TILE_COLUMNS: usize = TILE_ROW / BYTES

export function multiply(
  c: usize,
  cRow: usize,
  a: usize,
  aRow: usize,
  aColumn: usize,
  b: usize,
  bRow: usize,
  bColumn: usize,
  m: usize,
  n: usize,
  k: usize,
  accumulate: bool,
  scratch: usize,
): void {
  const strip = scratch + TILE_ROWS * TILE_ROW
  const panels = strip + DEPTH * TILE_ROW
  for (let start: usize = 0; start < k; start += DEPTH) {
    const depth = min(DEPTH, k - start)
    const panelBytes = depth * TILE_COLUMN
    for (let row: usize = 0, panel = panels; row < m; row += TILE_ROWS, panel += panelBytes)
      pack(a + row * aRow + start * aColumn, panel, depth, TILE_COLUMN, aRow, aColumn)
    for (let column: usize = 0; column < n; column += TILE_COLUMNS) {
      pack(b + start * bRow + column * bColumn, strip, depth, TILE_ROW, bColumn, bRow)
      let at = c + column * BYTES
      for (let row: usize = 0, panel = panels; row < m; row += TILE_ROWS, panel += panelBytes) {
        if (m - row < TILE_ROWS) {
          multiplyTile(panel, strip, scratch, TILE_ROW, depth, false)
          copyRows(at, cRow, scratch, m - row, accumulate || start > 0)
        } else multiplyTile(panel, strip, at, cRow, depth, accumulate || start > 0)
        at += TILE_ROWS * cRow
      }
    }
  }
}

/**
 * Packs lines of `depth` numbers: for each depth the number of each line, together `width` bytes, which are one vector or
 * two. Either the numbers of a line or those of a depth follow one another in the source.
 *
 * @param line bytes from one line to the next
 * @param step bytes from one depth to the next
 */
function pack(from: usize, to: usize, depth: usize, width: usize, line: usize, step: usize): void {
  const end = to + depth * width
  if (line === BYTES) {
    for (; to < end; to += width, from += step) {
      v128.store(to, v128.load(from))
      if (width > VECTOR) v128.store(to, v128.load(from, VECTOR), VECTOR)
    }
  } else {
    for (let first: usize = 0; first < width; first += BYTES, from += line)
      for (let at = to + first, source = from; at < end; at += width, source += step)
        store<Real>(at, load<Real>(source))
  }
}

/** C = A · B or C += A · B for a tile of C, from packed lines of A and B. */
function multiplyTile(a: usize, b: usize, c: usize, cRow: usize, depth: usize, accumulate: bool): void {
  let c00 = splat(0)
  let c01 = splat(0)
  let c10 = splat(0)
  let c11 = splat(0)
  let c20 = splat(0)
  let c21 = splat(0)
  let c30 = splat(0)
  let c31 = splat(0)
  for (const end = a + depth * TILE_COLUMN; a < end; a += TILE_COLUMN, b += TILE_ROW) {
    const left = v128.load(b)
    const right = v128.load(b, VECTOR)
    const a0 = v128.load_splat<Real>(a)
    c00 = v128.add<Real>(c00, v128.mul<Real>(a0, left))
    c01 = v128.add<Real>(c01, v128.mul<Real>(a0, right))
    const a1 = v128.load_splat<Real>(a, BYTES)
    c10 = v128.add<Real>(c10, v128.mul<Real>(a1, left))
    c11 = v128.add<Real>(c11, v128.mul<Real>(a1, right))
    const a2 = v128.load_splat<Real>(a, 2 * BYTES)
    c20 = v128.add<Real>(c20, v128.mul<Real>(a2, left))
    c21 = v128.add<Real>(c21, v128.mul<Real>(a2, right))
    const a3 = v128.load_splat<Real>(a, 3 * BYTES)
    c30 = v128.add<Real>(c30, v128.mul<Real>(a3, left))
    c31 = v128.add<Real>(c31, v128.mul<Real>(a3, right))
  }
  write(c, c00, c01, accumulate)
  write(c + cRow, c10, c11, accumulate)
  write(c + 2 * cRow, c20, c21, accumulate)
  write(c + 3 * cRow, c30, c31, accumulate)
}

/** Writes the first rows of a tile. */
function copyRows(c: usize, cRow: usize, tile: usize, rows: usize, accumulate: bool): void {
  for (; rows > 0; rows--, c += cRow, tile += TILE_ROW)
    write(c, v128.load(tile), v128.load(tile, VECTOR), accumulate)
}

/** Writes a row of a tile, or adds it to what is there. */
function write(c: usize, left: v128, right: v128, accumulate: bool): void {
  v128.store(c, accumulate ? add(left, v128.load(c)) : left)
  v128.store(c, accumulate ? add(right, v128.load(c, VECTOR)) : right, VECTOR)
}

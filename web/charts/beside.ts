import { type Frame, overlaps } from './axes'
import { LETTER } from './names'

/** Half the width of a mark, the space between it and its name, and half the height of a name: in pixels. */
const MARK_RADIUS = 9
const SPACE = 3
export const HALF_LINE = 7

interface Named {
  readonly name: string
  /** Pixels. */
  readonly x: number
  readonly y: number
  /** Half the width of what is drawn of it, an interval for example. Default: that of a mark. */
  readonly reach?: number
  /** Whether a line leads from the left down to the right: its name is rather above or below it. */
  readonly isOnSlope?: boolean
}

export interface NameBeside<Mark> {
  readonly mark: Mark
  readonly box: Frame
  /** Whether the name covers no mark and no other name. */
  readonly isFree: boolean
}

/**
 * Names of marks beside them, to the right, to the left, above or below: where they first cover no mark and no other name.
 *
 * @param others marks without a name
 */
export function namesBeside<Mark extends Named>(
  marks: readonly Mark[],
  width: number,
  others: readonly Named[] = [],
): NameBeside<Mark>[] {
  const boxes = [...marks, ...others].map(({ x, y }) => boxAt(x - MARK_RADIUS, y, 2 * MARK_RADIUS, 5))
  const names: NameBeside<Mark>[] = []
  for (const mark of marks) {
    const { name, x, y, isOnSlope, reach = 0 } = mark
    const away = Math.max(MARK_RADIUS, reach) + SPACE
    const length = LETTER * name.length
    const places = [
      ...(isOnSlope ? [boxAt(x + 6, y - 14, length), boxAt(x - length - 6, y + 14, length)] : []),
      boxAt(x + away, y, length),
      boxAt(x - away - length, y, length),
      boxAt(x - length / 2, y - 16, length),
      boxAt(x - length / 2, y + 16, length),
      boxAt(x - length + MARK_RADIUS, y + 16, length),
      boxAt(x - length + MARK_RADIUS, y - 16, length),
    ]
    const taken = [...boxes, ...names.map(({ box }) => box)]
    const free = places.find(
      (box) => box.left >= 0 && box.right <= width && !taken.some((other) => overlaps(box, other)),
    )
    names.push({ mark, box: free ?? places[0], isFree: free !== undefined })
  }
  return names
}

/** @param middle of the height */
const boxAt = (left: number, middle: number, width: number, half = HALF_LINE): Frame => ({
  left,
  right: left + width,
  top: middle - half,
  bottom: middle + half,
})

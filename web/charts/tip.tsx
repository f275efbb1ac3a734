import type { ComponentChildren } from 'preact'

interface TipProps {
  /** Pixels of what it tells about, and of the chart. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly children: ComponentChildren
}

const WIDTH = 240

/** What is told of a mark, at its place: below it, and never beyond the edges of the chart. */
export function Tip({ x, y, width, children }: TipProps) {
  const room = Math.min(WIDTH, width)
  const left = Math.max(0, Math.min(x - room / 2, width - room))
  return (
    <p class="tip" role="status" style={{ left: `${left}px`, top: `${y + 14}px`, width: `${room}px` }}>
      <span>{children}</span>
    </p>
  )
}

/** The mark nearest to a place, at most `reach` pixels away. */
export function nearestOf<Mark extends { readonly x: number; readonly y: number }>(
  marks: readonly Mark[],
  { offsetX, offsetY }: { readonly offsetX: number; readonly offsetY: number },
  reach = 24,
): Mark | undefined {
  let [best, distance]: [Mark | undefined, number] = [undefined, reach ** 2]
  for (const mark of marks) {
    const square = (mark.x - offsetX) ** 2 + (mark.y - offsetY) ** 2
    if (square < distance) [best, distance] = [mark, square]
  }
  return best
}

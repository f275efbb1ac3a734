import { LETTER, lettersIn, shortNames } from './names'
import type { Scale } from './scale'
import { ticks, tickText } from './ticks'

interface AxesProps {
  readonly x: Scale
  readonly y: Scale
  /** Pixels of the four edges of the plot. */
  readonly frame: Frame
  readonly xTitle: string
  readonly yTitle: string
  readonly xText?: (value: number) => string
  readonly yText?: (value: number) => string
  readonly xTicks?: readonly number[]
}

export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Both axes with their grids and titles. */
export function Axes({ x, y, frame, xTitle, yTitle, xText, yText, xTicks }: AxesProps) {
  const xs = xTicks ?? ticks(x, frame.right - frame.left)
  const ys = ticks(y, frame.bottom - frame.top, 60)
  const [xShort, yShort] = shortTitles([xTitle, yTitle], frame.right - frame.left)
  const [showX, showY] = [xText ?? tickText(xs), yText ?? tickText(ys)]
  return (
    <>
      <XAxis x={x} frame={frame} title={xShort} ticks={xs} text={showX} />
      <g class="axes">
        {ys.map((value) => (
          <g key={value}>
            <line x1={frame.left} x2={frame.right} y1={y(value)} y2={y(value)} />
            <text x={frame.left - 8} y={y(value) + 4} text-anchor="end">
              {showY(value)}
            </text>
          </g>
        ))}
        <text class="title" x={frame.left - 8} y={frame.top - 10}>
          ↑ {yShort}
        </text>
      </g>
    </>
  )
}

interface XAxisProps {
  readonly x: Scale
  readonly frame: Frame
  readonly title: string
  readonly ticks: readonly number[]
  readonly text: (value: number) => string
}

/** A horizontal axis with its grid and its title. */
export function XAxis({ x, frame, title, ticks, text }: XAxisProps) {
  const [short] = shortTitles([title], frame.right)
  return (
    <g class="axes">
      {ticks.map((value) => (
        <g key={value}>
          <line x1={x(value)} x2={x(value)} y1={frame.top} y2={frame.bottom} />
          <text x={x(value)} y={frame.bottom + 16} text-anchor="middle">
            {text(value)}
          </text>
        </g>
      ))}
      <text class="title" x={frame.right} y={frame.bottom + 34} text-anchor="end">
        {short} →
      </text>
    </g>
  )
}

/** Titles that leave room for their arrows: those of systems and trained metrics may be longer than the chart. */
function shortTitles(titles: readonly string[], width: number): string[] {
  const short = shortNames(titles, lettersIn(width - 2 * LETTER))
  return titles.map((title) => short.get(title) as string)
}

/** Whether two areas share a part. */
export const overlaps = (a: Frame, b: Frame): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

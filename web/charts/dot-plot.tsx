import { decimalsOf, type Interval, number } from '../app/format'
import { followLink } from '../app/router'
import { tickText } from './axes'
import { extent, linear, ticks, useWidth } from './scale'

export interface DotRow {
  readonly name: string
  readonly isHuman: boolean
  readonly value: number
  readonly interval?: Interval | null
  readonly address?: string
  /** Whether the difference from the row below it cannot be told from 0. */
  readonly isTiedWithNext?: boolean
}

const ROW = 26
const TOP = 8
const AXIS = 26

/** Values with their 95 % intervals in rows, best first; people are a line through all of them. */
export function DotPlot({ label, rows }: { readonly label: string; readonly rows: readonly DotRow[] }) {
  const { ref, width } = useWidth()
  const longest = Math.max(...rows.map(({ name }) => name.length))
  const left = Math.min(width * 0.4, 7.2 * longest + 14)
  const right = width - 74
  const [from, to] = extent(
    rows.flatMap(({ value, interval }) => [value, interval?.lower, interval?.upper]),
    0.06,
  )
  const x = linear(from, to, left, right)
  const bottom = TOP + ROW * rows.length
  const human = rows.find(({ isHuman }) => isHuman)
  const marks = ticks(x, right - left, 90)
  const text = tickText(marks)
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${bottom + AXIS}px` }}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a chart with links in it is a group, and no group of fields
        <svg width={width} height={bottom + AXIS} role="group" aria-label={label}>
          <g class="axes">
            {marks.map((value) => (
              <g key={value}>
                <line x1={x(value)} x2={x(value)} y1={TOP} y2={bottom} />
                <text x={x(value)} y={bottom + 18} text-anchor="middle">
                  {text(value)}
                </text>
              </g>
            ))}
          </g>
          {human && <line class="people-line" x1={x(human.value)} x2={x(human.value)} y1={TOP} y2={bottom} />}
          {rows.map(({ name, isHuman, value, interval, address, isTiedWithNext }, index) => {
            const y = TOP + ROW * (index + 0.5)
            const marks = (
              <>
                <rect class="hit" x={0} y={y - ROW / 2} width={width - 14} height={ROW} />
                <text class="name" x={left - 10} y={y + 4} text-anchor="end">
                  <title>{name}</title>
                  {shorten(name, left)}
                </text>
                {interval && (
                  <line class="whisker" x1={x(interval.lower)} x2={x(interval.upper)} y1={y} y2={y} />
                )}
                <circle cx={x(value)} cy={y} r={4.5} />
                <text class="value" x={width - 18} y={y + 4} text-anchor="end">
                  {number(value, decimalsOf(interval))}
                </text>
              </>
            )
            return (
              <g key={name} class={isHuman ? 'people' : 'system'}>
                {address ? (
                  <a href={address} onClick={followLink}>
                    {marks}
                  </a>
                ) : (
                  marks
                )}
                {isTiedWithNext && (
                  <path class="brace" d={`M${width - 12} ${y - 2}q6 0 6 6v${ROW - 8}q0 6 -6 6`}>
                    <title>The difference of these two cannot be told from 0.</title>
                  </path>
                )}
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

/** A name as far as there is room for it. */
function shorten(name: string, pixels: number): string {
  const length = Math.floor((pixels - 14) / 7.2)
  return name.length > length ? `${name.slice(0, Math.max(1, length - 1))}…` : name
}

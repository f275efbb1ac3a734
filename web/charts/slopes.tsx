import { fixed as number } from '../../src/shared/numbers'
import { spread } from './lines'
import { LETTER, lettersIn, roomOf, shortNames } from './names'
import { linear, useWidth } from './scale'
import { extent, ticks, tickText } from './ticks'

export interface Slope {
  readonly name: string
  readonly from: number
  readonly to: number
}

interface SlopesProps {
  readonly label: string
  readonly yTitle: string
  /** What is on the left, and on the right. */
  readonly ends: readonly [string, string]
  readonly rows: readonly Slope[]
}

const [TOP, BOTTOM, HEIGHT] = [44, 16, 420]

/** How figures change between two conditions: a line for each, which falls or rises from one side to the other. */
export function Slopes({ label, yTitle, ends, rows }: SlopesProps) {
  const { ref, width } = useWidth()
  const names = rows.map(({ name }) => name)
  const space = Math.min(width * 0.4, 6 * LETTER + roomOf(names) + 16)
  const short = shortNames(names, lettersIn(space - 14 - 6 * LETTER))
  const [left, right] = [64, Math.min(width - space, 560)]
  const [from, to] = extent(rows.flatMap((row) => [row.from, row.to]))
  const y = linear(from, to, HEIGHT - BOTTOM, TOP)
  const marks = ticks(y, HEIGHT - TOP - BOTTOM, 60)
  const text = tickText(marks)
  const labels = spread(
    rows.map((row) => ({ ...row, y: y(row.to) })),
    { top: TOP, bottom: HEIGHT - BOTTOM },
  )
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${HEIGHT}px` }}>
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img" aria-label={label}>
          <g class="axes">
            {marks.map((value) => (
              <g key={value}>
                <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
                <text x={left - 8} y={y(value) + 4} text-anchor="end">
                  {text(value)}
                </text>
              </g>
            ))}
            <text class="title" x={0} y={14}>
              ↑ {yTitle}
            </text>
            <text class="title" x={left} y={32}>
              {ends[0]}
            </text>
            <text
              class="title"
              x={Math.max(right - LETTER * ends[1].length, left + LETTER * ends[0].length + 8)}
              y={32}
            >
              {ends[1]}
            </text>
          </g>
          {rows.map((row) => (
            <g key={row.name} class={row.to < row.from ? 'tone-people' : 'tone-system'}>
              <title>{`${row.name}: ${number(row.from, 2)}, ${number(row.to, 2)}`}</title>
              <path class="line" d={`M${left} ${y(row.from)}L${right} ${y(row.to)}`} />
              <circle class="point" cx={left} cy={y(row.from)} r={3.5} />
              <circle class="point" cx={right} cy={y(row.to)} r={3.5} />
            </g>
          ))}
          {labels.map((row) => (
            <text
              key={row.name}
              class={`end ${row.to < row.from ? 'tone-people' : 'tone-system'}`}
              x={right + 10}
              y={row.y + 4}
            >
              <title>{row.name}</title>
              {short.get(row.name)} {number(row.to, 2)}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
}

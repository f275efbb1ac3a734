import { useState } from 'preact/hooks'
import type { Interval } from '../../src/shared/numbers'
import { commonDecimals, withDecimals } from '../app/format'
import { followLink } from '../app/router'
import { XAxis } from './axes'
import { lettersIn, roomOf, shortNames } from './names'
import { linear, useWidth } from './scale'
import { extent, ticks, tickText } from './ticks'
import { Tip } from './tip'

export interface DotRow {
  readonly name: string
  readonly isHuman: boolean
  /** Whether it is the viewer's own. */
  readonly isMarked?: boolean
  readonly value: number
  readonly interval?: Interval | null
  readonly address?: string
  /** Whether a paired test shows no difference from the row below it. */
  readonly isTiedWithNext?: boolean
}

interface DotPlotProps {
  readonly label: string
  readonly xTitle: string
  readonly rows: readonly DotRow[]
  /** Ends of the axis, where several charts have one. Default: those of the values. */
  readonly range?: readonly [number, number]
}

const ROW = 26
const TOP = 8
const AXIS = 44

/** Values with their 95 % intervals in rows, best first; people are a line through all of them. */
export function DotPlot({ label, xTitle, rows, range }: DotPlotProps) {
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<number>()
  const whole = rows.map(({ name }) => name)
  const left = Math.min(width * 0.4, roomOf(whole) + 18)
  const names = shortNames(whole, lettersIn(left - 18))
  const right = width - 74
  const [from, to] =
    range ??
    extent(
      rows.flatMap(({ value, interval }) => [value, interval?.lower, interval?.upper]),
      0.06,
    )
  const x = linear(from, to, left, right)
  const bottom = TOP + ROW * rows.length
  const human = rows.find(({ isHuman }) => isHuman)
  const marks = ticks(x, right - left, 90)
  const text = tickText(marks)
  const decimals = commonDecimals(rows.map(({ interval }) => interval))
  const told = focus === undefined ? undefined : rows[focus]
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${bottom + AXIS}px` }}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a chart with links in it is a group, and no group of fields
        <svg
          viewBox={`0 0 ${width} ${bottom + AXIS}`}
          width={width}
          height={bottom + AXIS}
          role="group"
          aria-label={label}
          onPointerLeave={() => setFocus(undefined)}
        >
          <XAxis x={x} frame={{ left, right, top: TOP, bottom }} title={xTitle} ticks={marks} text={text} />
          {human && <line class="people-line" x1={x(human.value)} x2={x(human.value)} y1={TOP} y2={bottom} />}
          {rows.map(({ name, isHuman, isMarked, value, interval, address, isTiedWithNext }, index) => {
            const y = TOP + ROW * (index + 0.5)
            const marks = (
              <>
                <rect
                  class={isMarked ? 'hit own' : 'hit'}
                  x={0}
                  y={y - ROW / 2}
                  width={width - 14}
                  height={ROW}
                />
                <text class="name" x={left - 8} y={y + 4} text-anchor="end">
                  <title>{name}</title>
                  {names.get(name)}
                </text>
                {interval && (
                  <line class="whisker" x1={x(interval.lower)} x2={x(interval.upper)} y1={y} y2={y} />
                )}
                <circle cx={x(value)} cy={y} r={4.5} />
                <text class="value" x={width - 18} y={y + 4} text-anchor="end">
                  {withDecimals(value, null, decimals)}
                </text>
              </>
            )
            return (
              <g
                key={`${isHuman} ${name}`}
                class={isHuman ? 'people' : 'system'}
                onPointerEnter={() => setFocus(index)}
              >
                {address ? (
                  <a href={address} onClick={followLink}>
                    {marks}
                  </a>
                ) : (
                  marks
                )}
                {isTiedWithNext && (
                  <path class="brace" d={`M${width - 12} ${y + 4}q6 0 6 6v${ROW - 20}q0 6 -6 6`}>
                    <title>These two do not differ significantly.</title>
                  </path>
                )}
              </g>
            )
          })}
        </svg>
      )}
      {told && focus !== undefined && (
        <Tip x={x(told.value)} y={TOP + ROW * (focus + 0.5)} width={width}>
          <strong>{told.name}</strong> {withDecimals(told.value, told.interval, decimals)}
        </Tip>
      )}
    </div>
  )
}

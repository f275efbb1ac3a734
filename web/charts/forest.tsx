import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Interval } from '../../src/shared/numbers'
import { followLink } from '../app/router'
import { XAxis } from './axes'
import { lettersIn, roomOf, shortNames } from './names'
import { linear, useWidth } from './scale'
import { extent, ticks, tickText } from './ticks'
import { Tip } from './tip'

export interface ForestRow {
  readonly name: string
  readonly value: number
  readonly interval: Interval | null
  readonly address?: string
  /** Whether a test shows that it is not 0. */
  readonly isShown: boolean
  /** What is told of it. */
  readonly text: string
}

export interface ForestGroup {
  readonly name: string
  readonly rows: readonly ForestRow[]
}

interface ForestProps {
  readonly label: string
  readonly xTitle: string
  /** What 0 stands for. */
  readonly zero: string
  readonly groups: readonly ForestGroup[]
}

/** Height of a row, in pixels. */
export const FOREST_ROW = 19
const GAP = 13
const TOP = 24
const AXIS = 44

/** Below this width, and where it would take more than this share, the name of a group is above its rows. */
const NARROW = 560
const MOST_GROUP_SHARE = 0.3

/** Groups of differences from 0 with their intervals, on one axis. A hollow dot does not differ from 0. */
export function Forest({ label, xTitle, zero, groups }: ForestProps) {
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<{ row: ForestRow; y: number }>()
  const rows = groups.flatMap((group) => group.rows)
  const names = rows.map(({ name }) => name)
  const groupNames = groups.map(({ name }) => name)
  const beside = roomOf(groupNames) + 24
  const isAbove = width < NARROW || beside > MOST_GROUP_SHARE * width
  const groupRoom = isAbove ? 0 : beside
  // They are bold.
  const shortGroups = shortNames(groupNames, lettersIn(0.95 * width))
  const nameRoom = Math.min(width * 0.32, roomOf(names) + 14)
  const short = shortNames(names, lettersIn(nameRoom - 12))
  const [left, right] = [groupRoom + nameRoom, width - 16]
  const [from, to] = extent([
    0,
    ...rows.flatMap(({ value, interval }) => [value, interval?.lower, interval?.upper]),
  ])
  const x = linear(from, to, left, right)
  const head = isAbove ? FOREST_ROW : 0
  const placed: { readonly group: ForestGroup; readonly top: number }[] = []
  let bottom = TOP
  for (const group of groups) {
    placed.push({ group, top: bottom })
    bottom += head + FOREST_ROW * group.rows.length + GAP
  }
  const marks = ticks(x, right - left, 90)
  const text = tickText(marks)
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
          <XAxis
            x={x}
            frame={{ left, right, top: TOP, bottom }}
            title={xTitle}
            ticks={marks}
            text={(value) => `${value > 0 ? '+' : ''}${text(value)}`}
          />
          <line class="people-line" x1={x(0)} x2={x(0)} y1={TOP - 6} y2={bottom} />
          <text class="people-text" x={x(0)} y={TOP - 10} text-anchor="middle">
            {zero}
          </text>
          {placed.map(({ group, top }) => (
            <Fragment key={group.name}>
              <text class="strong" x={0} y={top + FOREST_ROW / 2 + 4}>
                <title>{group.name}</title>
                {shortGroups.get(group.name)}
              </text>
              {group.rows.map((row, index) => {
                const y = top + head + FOREST_ROW * (index + 0.5)
                const marks = (
                  <g
                    class={row.isShown ? 'system' : 'system hollow'}
                    onPointerEnter={() => setFocus({ row, y })}
                  >
                    <rect
                      class="hit"
                      x={groupRoom}
                      y={y - FOREST_ROW / 2}
                      width={width - groupRoom}
                      height={FOREST_ROW}
                    />
                    <text class="name" x={left - 12} y={y + 4} text-anchor="end">
                      <title>{`${row.name}, ${group.name}: ${row.text}`}</title>
                      {short.get(row.name)}
                    </text>
                    {row.interval && (
                      <line
                        class="whisker"
                        x1={x(row.interval.lower)}
                        x2={x(row.interval.upper)}
                        y1={y}
                        y2={y}
                      />
                    )}
                    <circle cx={x(row.value)} cy={y} r={4} />
                  </g>
                )
                return row.address ? (
                  <a key={row.name} href={row.address} onClick={followLink} class="system">
                    {marks}
                  </a>
                ) : (
                  <Fragment key={row.name}>{marks}</Fragment>
                )
              })}
            </Fragment>
          ))}
        </svg>
      )}
      {focus && (
        <Tip x={x(focus.row.value)} y={focus.y} width={width}>
          <strong>{focus.row.name}</strong> {focus.row.text}
        </Tip>
      )}
    </div>
  )
}

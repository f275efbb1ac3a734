import { useState } from 'preact/hooks'
import { grouped as count, type Interval, fixed as number, scored } from '../../src/shared/numbers'
import { commonDecimals, withDecimals } from '../app/format'
import { Axes, type Frame } from './axes'
import { HALF_LINE, namesBeside } from './beside'
import { LETTER, lettersIn, shortNames } from './names'
import { linear, useWidth } from './scale'
import { extent } from './ticks'
import { nearestOf, Tip } from './tip'
import { pathOf } from './word-plane'

export interface LinePoint {
  readonly x: number
  readonly y: number
  readonly interval?: Interval | null
}

export interface Line {
  readonly name: string
  readonly points: readonly LinePoint[]
  /** `people`, `system`, or a number of the palette. */
  readonly tone: string
  readonly isDashed?: boolean
  readonly hasDots?: boolean
}

export interface Level {
  readonly name: string
  readonly y: number
  readonly tone: string
  /** A band behind the line. */
  readonly interval?: Interval | null
}

export interface Mark {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly tone: string
  readonly isStar?: boolean
  /** Whether its name stands beside it. Others tell it when they are pointed at. */
  readonly isNamed?: boolean
}

interface LinesProps {
  readonly label: string
  readonly xTitle: string
  readonly yTitle: string
  readonly lines: readonly Line[]
  /** Horizontal lines. */
  readonly levels?: readonly Level[]
  readonly marks?: readonly Mark[]
  readonly xRange?: readonly [number, number]
  readonly yRange?: readonly [number, number]
  readonly xTicks?: readonly number[]
  readonly height?: number
}

/** What is told of a mark that is pointed at. */
interface Told {
  readonly x: number
  readonly y: number
  readonly name: string
  readonly text: string
}

/** Curves with their names at their ends. */
export function Lines(props: LinesProps) {
  const {
    label,
    xTitle,
    yTitle,
    lines,
    levels = [],
    marks = [],
    xRange,
    yRange,
    xTicks,
    height = 360,
  } = props
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<Told>()
  const points = lines.flatMap((line) => line.points)
  const xs = xRange ?? extent([...points.map((point) => point.x), ...marks.map((mark) => mark.x)], 0.02)
  const ys =
    yRange ??
    extent([
      ...points.flatMap(({ y, interval }) => [y, interval?.lower, interval?.upper]),
      ...levels.flatMap(({ y, interval }) => [y, interval?.lower, interval?.upper]),
      ...marks.map((mark) => mark.y),
    ])
  const names = [...lines, ...levels].map(({ name }) => name)
  const space = Math.min(width * 0.3, LETTER * Math.max(4, ...names.map(({ length }) => length)) + 16)
  const short = shortNames(names, lettersIn(space - 8))
  const frame: Frame = { left: 52, right: width - space, top: 26, bottom: height - 42 }
  const x = linear(xs[0], xs[1], frame.left, frame.right)
  const y = linear(ys[0], ys[1], frame.bottom, frame.top)
  const ends = spread(
    [
      ...lines.flatMap(({ name, points, tone }) =>
        points.length === 0 ? [] : [{ name, tone, y: y((points.at(-1) as LinePoint).y) }],
      ),
      ...levels.map((level) => ({ name: level.name, tone: level.tone, y: y(level.y) })),
    ],
    frame,
  )
  const placed = marks.map((mark) => ({ ...mark, x: x(mark.x), y: y(mark.y) }))
  const beside = namesBeside(
    placed.filter(({ isNamed }) => isNamed),
    width,
    placed.filter(({ isNamed }) => !isNamed),
  )
  const decimals = commonDecimals(points.map(({ interval }) => interval))
  const xText = (value: number) => (Number.isInteger(value) ? count(value) : number(value))
  const told: readonly Told[] = [
    ...lines.flatMap((line) =>
      line.points.map((point) => ({
        x: x(point.x),
        y: y(point.y),
        name: line.name,
        text: `${xTitle} ${xText(point.x)}: ${withDecimals(point.y, point.interval, decimals)}`,
      })),
    ),
    ...marks.map((mark) => ({
      x: x(mark.x),
      y: y(mark.y),
      name: mark.name,
      text: `${yTitle} ${scored(mark.y)}, ${xTitle} ${number(mark.x)}`,
    })),
  ]
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={label}
          onPointerMove={(event) => setFocus(nearestOf(told, event))}
          onPointerLeave={() => setFocus(undefined)}
        >
          <Axes x={x} y={y} frame={frame} xTitle={xTitle} yTitle={yTitle} xTicks={xTicks} />
          {levels.map(
            ({ name, tone, interval }) =>
              interval && (
                <rect
                  key={`${name} band`}
                  class={`band tone-${tone}`}
                  x={frame.left}
                  width={Math.max(0, frame.right - frame.left)}
                  y={y(interval.upper)}
                  height={y(interval.lower) - y(interval.upper)}
                />
              ),
          )}
          {levels.map((level) => (
            <line
              key={level.name}
              class={`level tone-${level.tone}`}
              x1={frame.left}
              x2={frame.right}
              y1={y(level.y)}
              y2={y(level.y)}
            />
          ))}
          {lines.map(({ name, points, tone, isDashed, hasDots = true }) => (
            <g key={name} class={`tone-${tone}`}>
              <path
                class={isDashed ? 'line dashed' : 'line'}
                d={pathOf(points.map((point) => [x(point.x), y(point.y)]))}
              />
              {points.map(({ x: at, y: value, interval }) => (
                <g key={at}>
                  {interval && (
                    <line
                      class="whisker"
                      x1={x(at)}
                      x2={x(at)}
                      y1={y(interval.lower)}
                      y2={y(interval.upper)}
                    />
                  )}
                  {hasDots && <circle class="point" cx={x(at)} cy={y(value)} r={3.5} />}
                </g>
              ))}
            </g>
          ))}
          {marks.map(({ name, x: at, y: value, tone, isStar }) => (
            <g key={name} class={`tone-${tone}`}>
              <title>{name}</title>
              {isStar ? (
                <path class="star" d={starAt(x(at), y(value))} />
              ) : (
                <circle class="mark" cx={x(at)} cy={y(value)} r={5} />
              )}
            </g>
          ))}
          {ends.map(({ name, tone, y: at }) => (
            <text key={name} class={`end tone-${tone}`} x={frame.right + 8} y={at + 4}>
              <title>{name}</title>
              {short.get(name)}
            </text>
          ))}
          {beside.map(({ mark: { name, tone }, box }) => (
            <text key={name} class={`end tone-${tone}`} x={box.left} y={box.bottom - 3}>
              {name}
            </text>
          ))}
          {focus && <circle class="ring" cx={focus.x} cy={focus.y} r={6} />}
        </svg>
      )}
      {focus && (
        <Tip x={focus.x} y={focus.y} width={width}>
          <strong>{focus.name}</strong> {focus.text}
        </Tip>
      )}
    </div>
  )
}

/** Moves names that would overlap apart, within the height of the plot. More than have room there stand closer. */
export function spread<Entry extends { readonly y: number }>(
  entries: readonly Entry[],
  { top, bottom }: Pick<Frame, 'top' | 'bottom'>,
): Entry[] {
  const sorted = [...entries].sort((a, b) => a.y - b.y)
  const step = Math.min(2 * HALF_LINE, (bottom - top) / Math.max(1, sorted.length - 1))
  let last = top - step
  return sorted.map((entry, index) => {
    const lowest = bottom - step * (sorted.length - 1 - index)
    last = Math.min(lowest, Math.max(entry.y, last + step))
    return { ...entry, y: last }
  })
}

function starAt(x: number, y: number): string {
  const corners = Array.from({ length: 10 }, (_, index) => {
    const [angle, radius] = [(Math.PI * index) / 5 - Math.PI / 2, index % 2 === 0 ? 9 : 4]
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const
  })
  return `${pathOf(corners)}Z`
}

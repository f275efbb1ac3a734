import { useState } from 'preact/hooks'
import { grouped as count } from '../../src/shared/numbers'
import { Axes, type Frame } from './axes'
import { linear, useWidth } from './scale'
import { tickText } from './ticks'
import { Tip } from './tip'

export interface Bar {
  readonly from: number
  readonly to: number
  readonly value: number
}

interface HistogramProps {
  readonly label: string
  readonly xTitle: string
  readonly yTitle: string
  readonly bars: readonly Bar[]
  readonly tone?: string
  /** Outlines over the bars: other distributions, or predictions. */
  readonly outlines?: readonly {
    readonly name: string
    readonly bars: readonly Bar[]
    readonly tone: string
  }[]
  readonly xTicks?: readonly number[]
  readonly height?: number
}

/** Counts as bars; other distributions over them as steps. */
export function Histogram(props: HistogramProps) {
  const { label, xTitle, yTitle, bars, tone = 'people', outlines = [], xTicks, height = 300 } = props
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<Bar>()
  const all = [...bars, ...outlines.flatMap((outline) => outline.bars)]
  const frame: Frame = { left: 60, right: width - 14, top: 26, bottom: height - 42 }
  const x = linear(
    Math.min(...all.map(({ from }) => from)),
    Math.max(...all.map(({ to }) => to)),
    frame.left,
    frame.right,
  )
  const y = linear(0, 1.05 * Math.max(1e-9, ...all.map(({ value }) => value)), frame.bottom, frame.top)
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={label}
          onPointerLeave={() => setFocus(undefined)}
        >
          <Axes x={x} y={y} frame={frame} xTitle={xTitle} yTitle={yTitle} yText={count} xTicks={xTicks} />
          {bars.map(({ from, to, value }) => (
            <rect
              key={from}
              class={`bar tone-${tone}`}
              x={x(from) + 1}
              y={y(value)}
              width={Math.max(1, x(to) - x(from) - 2)}
              height={frame.bottom - y(value)}
            />
          ))}
          {bars.map((bar) => (
            <rect
              key={bar.from}
              class="hit"
              x={x(bar.from)}
              y={frame.top}
              width={Math.max(1, x(bar.to) - x(bar.from))}
              height={frame.bottom - frame.top}
              onPointerEnter={() => setFocus(bar)}
            />
          ))}
          {outlines.map((outline) => (
            <path key={outline.name} class={`line tone-${outline.tone}`} d={steps(outline.bars, x, y)}>
              <title>{outline.name}</title>
            </path>
          ))}
        </svg>
      )}
      {focus && (
        <Tip x={x((focus.from + focus.to) / 2)} y={y(focus.value)} width={width}>
          {[
            `${placeOf(focus, bars)}: ${yTitle} ${valueText(focus.value)}`,
            ...outlines.map(
              (outline) =>
                `${outline.name} ${valueText(outline.bars.find(({ from }) => from === focus.from)?.value)}`,
            ),
          ].join('; ')}
        </Tip>
      )}
      {outlines.length > 0 && (
        <p class="legend">
          {outlines.map(({ name, tone }) => (
            <span key={name} class={`tone-${tone}`}>
              {name}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}

/** Where a bar is: its middle where bars stand for whole numbers, else its ends. */
function placeOf({ from, to }: Bar, bars: readonly Bar[]): string {
  const middle = (from + to) / 2
  if (Number.isInteger(middle) && !Number.isInteger(from)) return count(middle)
  const text = tickText(bars.flatMap((bar) => [bar.from, bar.to]))
  return `${text(from)} to ${text(to)}`
}

const valueText = (value: number | undefined): string =>
  value === undefined ? '–' : count(Math.round(10 * value) / 10)

function steps(bars: readonly Bar[], x: (value: number) => number, y: (value: number) => number): string {
  return bars
    .map(
      ({ from, to, value }, index) => `${index === 0 ? 'M' : 'L'}${x(from)} ${y(value)}L${x(to)} ${y(value)}`,
    )
    .join('')
}

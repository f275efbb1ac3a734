import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { scored } from '../../src/shared/numbers'
import { navigate } from '../app/router'
import { Axes, type Frame } from './axes'
import { linear, useWidth } from './scale'
import { extent } from './ticks'
import { nearestOf, Tip } from './tip'

interface ScatterProps {
  readonly label: string
  readonly xTitle: string
  readonly yTitle: string
  readonly ids: readonly string[]
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  /** Address of the page of a point. */
  readonly addressOf: (id: string) => string
}

const LARGEST = 600

/** Two figures of each image. Points are drawn on a canvas: there are thousands. The diagonal is where both are equal. */
export function Scatter({ label, xTitle, yTitle, ids, xs, ys, addressOf }: ScatterProps) {
  const { ref, width } = useWidth()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [focus, setFocus] = useState<number>()
  // Both axes have the same scale: the plot is a square.
  const side = Math.max(0, Math.min(width, LARGEST) - 66)
  const height = side + 68
  const frame: Frame = { left: 52, right: 52 + side, top: 26, bottom: 26 + side }
  const [from, to] = extent([...xs, ...ys], 0.03)
  const x = linear(from, to, frame.left, frame.right)
  const y = linear(from, to, frame.bottom, frame.top)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, side + 66, height, xs, ys, x, y)
  }, [side, xs, ys])
  const points = useMemo(
    () => ids.map((_, index) => ({ index, x: x(xs[index]), y: y(ys[index]) })),
    [ids, xs, ys, side],
  )
  return (
    <div ref={ref} class="chart scatter" style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        <>
          <canvas ref={canvas} />
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below the chart has links to the same images */}
          <svg
            width={side + 66}
            height={height}
            role="img"
            aria-label={label}
            onPointerMove={(event) => setFocus(nearestOf(points, event, 12)?.index)}
            onPointerLeave={() => setFocus(undefined)}
            onClick={() => focus !== undefined && navigate(addressOf(ids[focus]))}
          >
            <Axes x={x} y={y} frame={frame} xTitle={xTitle} yTitle={yTitle} />
            <line class="diagonal" x1={x(from)} y1={y(from)} x2={x(to)} y2={y(to)} />
            {focus !== undefined && <circle class="ring" cx={x(xs[focus])} cy={y(ys[focus])} r={6} />}
          </svg>
        </>
      )}
      {focus !== undefined && (
        <Tip x={x(xs[focus])} y={y(ys[focus])} width={width}>
          <strong>{ids[focus]}</strong> {yTitle} {scored(ys[focus])}, {xTitle} {scored(xs[focus])}
        </Tip>
      )}
      <p class="readout">Point at a dot to see its image.</p>
    </div>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  xs: readonly number[],
  ys: readonly number[],
  x: (value: number) => number,
  y: (value: number) => number,
): void {
  const ratio = window.devicePixelRatio
  canvas.width = width * ratio
  canvas.height = height * ratio
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.scale(ratio, ratio)
  context.fillStyle = getComputedStyle(canvas).color
  context.globalAlpha = xs.length > 1000 ? 0.25 : 0.5
  for (let index = 0; index < xs.length; index++) {
    context.beginPath()
    context.arc(x(xs[index]), y(ys[index]), 2.2, 0, 2 * Math.PI)
    context.fill()
  }
}

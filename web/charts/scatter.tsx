import { useEffect, useRef, useState } from 'preact/hooks'
import { number } from '../app/format'
import { navigate } from '../app/router'
import { Axes, type Frame } from './axes'
import { extent, linear, useWidth } from './scale'

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

const HEIGHT = 480

/** Two figures of each image. Points are drawn on a canvas: there are thousands. The diagonal is where both are equal. */
export function Scatter({ label, xTitle, yTitle, ids, xs, ys, addressOf }: ScatterProps) {
  const { ref, width } = useWidth()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [focus, setFocus] = useState<number>()
  const frame: Frame = { left: 52, right: width - 14, top: 26, bottom: HEIGHT - 42 }
  const [from, to] = extent([...xs, ...ys], 0.03)
  const x = linear(from, to, frame.left, frame.right)
  const y = linear(from, to, frame.bottom, frame.top)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, width, xs, ys, x, y)
  }, [width, xs, ys])
  const nearest = ({ offsetX, offsetY }: PointerEvent) => {
    let [best, distance] = [-1, 12 ** 2]
    for (let index = 0; index < ids.length; index++) {
      const square = (x(xs[index]) - offsetX) ** 2 + (y(ys[index]) - offsetY) ** 2
      if (square < distance) [best, distance] = [index, square]
    }
    setFocus(best < 0 ? undefined : best)
  }
  return (
    <div ref={ref} class="chart scatter" style={{ minHeight: `${HEIGHT}px` }}>
      {width > 0 && (
        <>
          <canvas ref={canvas} />
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below the chart has links to the same images */}
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={label}
            onPointerMove={nearest}
            onPointerLeave={() => setFocus(undefined)}
            onClick={() => focus !== undefined && navigate(addressOf(ids[focus]))}
          >
            <Axes x={x} y={y} frame={frame} xTitle={xTitle} yTitle={yTitle} />
            <line class="diagonal" x1={x(from)} y1={y(from)} x2={x(to)} y2={y(to)} />
            {focus !== undefined && <circle class="ring" cx={x(xs[focus])} cy={y(ys[focus])} r={6} />}
          </svg>
        </>
      )}
      <p class="readout" role="status">
        {focus === undefined
          ? 'Point at a dot to see its image.'
          : `${ids[focus]}: ${yTitle} ${number(ys[focus])}, ${xTitle} ${number(xs[focus])}`}
      </p>
    </div>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  xs: readonly number[],
  ys: readonly number[],
  x: (value: number) => number,
  y: (value: number) => number,
): void {
  const ratio = window.devicePixelRatio
  canvas.width = width * ratio
  canvas.height = HEIGHT * ratio
  canvas.style.width = `${width}px`
  canvas.style.height = `${HEIGHT}px`
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

import { useState } from 'preact/hooks'
import { nameOfPeople } from '../../src/shared/coverage-sentence'
import type { Interval } from '../../src/shared/numbers'
import { commonDecimals, withDecimals } from '../app/format'
import { navigate } from '../app/router'
import { Axes, type Frame } from './axes'
import { namesBeside } from './beside'
import { lettersIn, shortNames } from './names'
import { linear, useWidth } from './scale'
import { nearestOf, Tip } from './tip'
import { pathOf } from './word-plane'

interface Shares {
  readonly coverage: number
  readonly coverageInterval: Interval | null
  readonly confirmedShare: number
  readonly confirmedShareInterval: Interval | null
}

/** A point of the human curve. */
export interface CurvePoint extends Shares {
  /** From 1. */
  readonly people: number
}

export interface CoveredSystem extends Shares {
  readonly name: string
  /** Of its page. */
  readonly address?: string
}

export interface CoverageMarks {
  readonly people: readonly CurvePoint[]
  readonly systems: readonly CoveredSystem[]
}

interface CoveragePlaneProps extends CoverageMarks {
  readonly label: string
}

/** What captions say, from left to right, and how much of it others confirm: systems beside the curve of one, two and more people. */
export function CoveragePlane({ label, ...marks }: CoveragePlaneProps) {
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<Told>()
  const height = heightOf(width)
  const told = placeMarks(marks, width)
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the table below the chart has links to the same systems
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={label}
          onPointerMove={(event) => setFocus(nearestOf(told, event))}
          onPointerLeave={() => setFocus(undefined)}
          onClick={() => focus?.address !== undefined && navigate(focus.address)}
        >
          <CoverageDrawing {...marks} width={width} />
          {focus && <circle class="ring" cx={focus.x} cy={focus.y} r={8} />}
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

/** Pixels of a chart. */
export const heightOf = (width: number): number => Math.max(320, Math.min(480, width * 0.5))

interface Told {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly text: string
  readonly address?: string
}

function scalesOf({ people, systems }: CoverageMarks, width: number) {
  const all: readonly Shares[] = [...people, ...systems]
  const frame: Frame = { left: 44, right: width - 14, top: 26, bottom: heightOf(width) - 42 }
  const most = (ends: readonly (number | undefined)[], room: number) =>
    Math.min(1, room * Math.max(0.05, ...ends.flatMap((end) => end ?? [])))
  // To the right there is room for a name.
  const toX = most(
    all.flatMap(({ coverage, coverageInterval }) => [coverage, coverageInterval?.upper]),
    1.1,
  )
  const toY = most(
    all.flatMap(({ confirmedShare, confirmedShareInterval }) => [
      confirmedShare,
      confirmedShareInterval?.upper,
    ]),
    1.06,
  )
  return { frame, x: linear(0, toX, frame.left, frame.right), y: linear(0, toY, frame.bottom, frame.top) }
}

function placeMarks(marks: CoverageMarks, width: number): Told[] {
  const { x, y } = scalesOf(marks, width)
  const all: readonly Shares[] = [...marks.people, ...marks.systems]
  const decimals = commonDecimals(
    all.flatMap(({ coverageInterval, confirmedShareInterval }) => [coverageInterval, confirmedShareInterval]),
  )
  const tell = (name: string, shares: Shares, address?: string): Told => ({
    name,
    x: x(shares.coverage),
    y: y(shares.confirmedShare),
    text: `coverage ${withDecimals(shares.coverage, shares.coverageInterval, decimals)}, confirmed ${withDecimals(shares.confirmedShare, shares.confirmedShareInterval, decimals)}`,
    address,
  })
  return [
    ...marks.people.map((point) => tell(nameOfPeople(point.people), point)),
    ...marks.systems.map((system) => tell(system.name, system, system.address)),
  ]
}

/** Below this width the axes have short titles. */
const NARROW = 500

/** Share of the width that a name can have. */
const NAME_SHARE = 0.36

/** The content of the picture, which is as wide as it says. */
export function CoverageDrawing({ people, systems, width }: CoverageMarks & { readonly width: number }) {
  const { x, y, frame } = scalesOf({ people, systems }, width)
  const isNarrow = width < NARROW
  const short = shortNames(
    systems.map(({ name }) => name),
    lettersIn(width * NAME_SHARE),
  )
  const places = [
    ...people.map((point) => ({
      name: nameOfPeople(point.people),
      isHuman: true,
      isOnSlope: true,
      ...placeOf(point),
    })),
    ...systems.map((system) => ({
      name: short.get(system.name) as string,
      isHuman: false,
      ...placeOf(system),
    })),
  ]
  // A name that has no room is told when its mark is pointed at.
  const names = namesBeside(places, width).filter(({ mark, isFree }) => isFree || mark.isHuman)
  function placeOf({ coverage, coverageInterval, confirmedShare }: Shares) {
    const reach = coverageInterval ? (x(coverageInterval.upper) - x(coverageInterval.lower)) / 2 : 0
    return { x: x(coverage), y: y(confirmedShare), reach }
  }
  return (
    <>
      <Axes
        x={x}
        y={y}
        frame={frame}
        xTitle={isNarrow ? 'coverage' : 'coverage: of what others say, how much is said'}
        yTitle={isNarrow ? 'confirmed share' : 'confirmed share: of what is said, how much others say'}
      />
      <g class="tone-people">
        <path
          class="line"
          d={pathOf(people.map(({ coverage, confirmedShare }) => [x(coverage), y(confirmedShare)]))}
        />
      </g>
      {people.map((point) => (
        <g key={point.people} class="people">
          <Whiskers {...point} x={x} y={y} />
          <circle cx={x(point.coverage)} cy={y(point.confirmedShare)} r={6} />
        </g>
      ))}
      {systems.map((system) => (
        <g key={system.name} class="system">
          <Whiskers {...system} x={x} y={y} />
          <circle cx={x(system.coverage)} cy={y(system.confirmedShare)} r={5} />
        </g>
      ))}
      {names.map(({ mark: { name, isHuman }, box }) => (
        <text
          key={name}
          class={isHuman ? 'label strong people-text' : 'label'}
          x={box.left}
          y={box.bottom - 3}
        >
          {name}
        </text>
      ))}
    </>
  )
}

function Whiskers({
  coverage,
  coverageInterval,
  confirmedShare,
  confirmedShareInterval,
  x,
  y,
}: Shares & { readonly x: (value: number) => number; readonly y: (value: number) => number }) {
  const [atX, atY] = [x(coverage), y(confirmedShare)]
  return (
    <>
      {coverageInterval && (
        <line
          class="whisker"
          x1={x(coverageInterval.lower)}
          x2={x(coverageInterval.upper)}
          y1={atY}
          y2={atY}
        />
      )}
      {confirmedShareInterval && (
        <line
          class="whisker"
          x1={atX}
          x2={atX}
          y1={y(confirmedShareInterval.lower)}
          y2={y(confirmedShareInterval.upper)}
        />
      )}
    </>
  )
}

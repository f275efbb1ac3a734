import { useMemo, useState } from 'preact/hooks'
import { grouped as count, type Interval } from '../../src/shared/numbers'
import { hasPartsOfSpeech, PARTS_OF_SPEECH, withInterval } from '../app/format'
import { navigate } from '../app/router'
import { Axes, type Frame, overlaps } from './axes'
import { LETTER } from './names'
import { linear, type Scale, useWidth } from './scale'
import { nearestOf, Tip } from './tip'

export interface PlaneWord {
  readonly text: string
  readonly partOfSpeech: keyof typeof PARTS_OF_SPEECH
  readonly captionCount: number
  readonly precision: number
  readonly recall: number
  readonly precisionInterval: Interval | null
  readonly recallInterval: Interval | null
  readonly address: string
}

export interface PlaneCurve {
  readonly name: string
  readonly isMain: boolean
  readonly points: readonly { readonly recall: number; readonly precision: number }[]
}

/** A part of the plane: the lowest and the highest human recall and precision, 0 to 1. */
export interface Area {
  readonly recall: readonly [number, number]
  readonly precision: readonly [number, number]
}

interface WordPlaneProps {
  readonly label: string
  readonly words: readonly PlaneWord[]
  /** Of the words (BCP 47). */
  readonly language: string
  readonly curves: readonly PlaneCurve[]
  /** Words that are emphasised; the others recede. Default: all. */
  readonly found?: ReadonlySet<string>
  /** The part of the plane that is marked. */
  readonly area?: Area
  /** Receives the part that is marked by drawing a rectangle. Default: none can be. */
  readonly setArea?: (area: Area) => void
  readonly yTitle: string
  /** Class of a dot, and what is told of it, in place of its part of speech. */
  readonly toneOf?: (text: string) => { readonly tone: string; readonly told: string }
  /** A word that is pointed at with a sentence. */
  readonly annotated?: { readonly text: string; readonly note: string }
}

const LABELS = 14
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * Human precision against human recall, a dot for each word (Chen et al. 2015, figure 3). The plane is one stop of the tab
 * key; arrows move between words and Enter opens one.
 */
export function WordPlane({
  label,
  words,
  language,
  curves,
  found,
  area,
  setArea,
  yTitle,
  toneOf,
  annotated,
}: WordPlaneProps) {
  const { ref, width } = useWidth()
  const [focus, setFocus] = useState<number>()
  const [corners, setCorners] = useState<readonly [Point, Point]>()
  const height = Math.max(320, Math.min(620, width * 0.68))
  const frame: Frame = { left: 44, right: width - 14, top: 26, bottom: height - 42 }
  const x = linear(0, 1, frame.left, frame.right)
  const y = linear(0, 1, frame.bottom, frame.top)
  const dots = useMemo(() => {
    const most = Math.max(1, ...words.map(({ captionCount }) => captionCount))
    return words.map((word) => ({
      word,
      x: x(word.recall),
      y: y(word.precision),
      radius: 2.5 + 9 * Math.sqrt(word.captionCount / most),
    }))
  }, [words, width])
  const annotation = useMemo(
    () => annotated && placeAnnotation(annotated, dots, frame),
    [dots, annotated?.text],
  )
  const names = useMemo(
    () => placeNames(curves, [...dots.map(boxOf), ...(annotation ? [annotation.box] : [])], frame, x, y),
    [dots, annotation, curves.map(({ name }) => name).join()],
  )
  const labels = useMemo(
    () => placeLabels(dots, frame, found, annotation, names),
    [dots, found, annotation, names],
  )
  const dot = focus === undefined ? undefined : dots[focus]
  const isFound = (index: number) => !found || found.has(words[index].text)
  const point = (event: PointerEvent) => {
    const found = nearestOf(
      dots.filter((_, index) => isFound(index)),
      event,
    )
    setFocus(found && dots.indexOf(found))
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && dot) return navigate(dot.word.address)
    const direction = DIRECTIONS[event.key]
    if (!direction) return
    event.preventDefault()
    setFocus(nextDot(dots, focus, direction, isFound))
  }
  const marked = corners ? areaOf(corners, x, y) : area
  const draw = (event: PointerEvent) => {
    if (corners) setCorners([corners[0], pointOf(event)])
    else point(event)
  }
  const release = (event: PointerEvent) => {
    if (event.button !== 0) return
    if (corners && isRectangle(corners)) setArea?.(areaOf(corners, x, y))
    else if (dot) navigate(dot.word.address)
    setCorners(undefined)
    point(event)
  }
  return (
    <div ref={ref} class="chart" style={{ minHeight: '320px' }}>
      {width > 0 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="application"
          aria-label={`${label}. Arrow keys move between words.`}
          tabindex={0}
          onKeyDown={press}
          onPointerDown={(event) => {
            if (setArea && event.pointerType !== 'touch' && event.button === 0)
              setCorners([pointOf(event), pointOf(event)])
          }}
          onPointerMove={draw}
          onPointerUp={release}
          onPointerLeave={() => {
            setCorners(undefined)
            setFocus(undefined)
          }}
        >
          <Axes x={x} y={y} frame={frame} xTitle="human recall" yTitle={yTitle} />
          {curves.map(({ name, isMain, points }) => (
            <g key={name} class={isMain ? 'curve main' : 'curve'}>
              <path d={pathOf(points.map(({ recall, precision }) => [x(recall), y(precision)]))} />
            </g>
          ))}
          {marked && (
            <rect
              class="area"
              x={x(marked.recall[0])}
              y={y(marked.precision[1])}
              width={x(marked.recall[1]) - x(marked.recall[0])}
              height={y(marked.precision[0]) - y(marked.precision[1])}
            />
          )}
          {dots.map(({ word, x, y, radius }, index) => (
            <circle
              key={word.text}
              class={`dot ${toneOf?.(word.text).tone ?? word.partOfSpeech}${isFound(index) ? '' : ' faint'}`}
              cx={x}
              cy={y}
              r={radius}
            />
          ))}
          {names.map(({ name, box }) => (
            <text key={name} class="curve-name" x={box.right} y={box.bottom - 3} text-anchor="end">
              {name}
            </text>
          ))}
          {labels.map(({ text, x, y, anchor }) => (
            <text key={text} class="label" x={x} y={y} text-anchor={anchor} lang={language}>
              {text}
            </text>
          ))}
          {annotation && <Annotation {...annotation} />}
          {dot && <Whiskers dot={dot} x={x} y={y} />}
          {dot && <circle class="ring" cx={dot.x} cy={dot.y} r={dot.radius + 3} />}
        </svg>
      )}
      {dot && (
        <Tip x={dot.x} y={dot.y + dot.radius} width={width}>
          <strong lang={language}>{dot.word.text}</strong>
          {hasPartsOfSpeech(language) && `, ${PARTS_OF_SPEECH[dot.word.partOfSpeech]}`}: precision{' '}
          {withInterval(dot.word.precision, dot.word.precisionInterval)}, recall{' '}
          {withInterval(dot.word.recall, dot.word.recallInterval)}, in {count(dot.word.captionCount)} captions
          {toneOf && `; ${toneOf(dot.word.text).told}`}
        </Tip>
      )}
      <p class="readout">
        Point at a dot, or use the arrow keys.
        {setArea && hasPointer() && ' Draw a rectangle to list the words in it.'}
      </p>
    </div>
  )
}

/** With a finger no rectangle can be drawn: it scrolls the page. A report is written without a window. */
const hasPointer = () => globalThis.matchMedia?.('(any-pointer: fine)').matches ?? false

type Point = readonly [number, number]

const pointOf = ({ offsetX, offsetY }: { offsetX: number; offsetY: number }): Point => [offsetX, offsetY]

/** Smaller movements are a click. */
const isRectangle = ([[x0, y0], [x1, y1]]: readonly [Point, Point]): boolean =>
  Math.abs(x1 - x0) > 5 && Math.abs(y1 - y0) > 5

function areaOf([one, other]: readonly [Point, Point], x: Scale, y: Scale): Area {
  const between = (scale: Scale, a: number, b: number): [number, number] => {
    const shares = [a, b].map((place) => Math.min(1, Math.max(0, (place - scale(0)) / (scale(1) - scale(0)))))
    return [Math.min(...shares), Math.max(...shares)]
  }
  return { recall: between(x, one[0], other[0]), precision: between(y, one[1], other[1]) }
}

interface Dot {
  readonly word: PlaneWord
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** The intervals of the word that has the focus: those of all would hide the dots. */
function Whiskers({
  dot: { word, x: atX, y: atY },
  x,
  y,
}: {
  readonly dot: Dot
  readonly x: Scale
  readonly y: Scale
}) {
  const { precisionInterval: precision, recallInterval: recall } = word
  return (
    <>
      {precision && (
        <line class="whisker" x1={atX} x2={atX} y1={y(precision.lower)} y2={y(precision.upper)} />
      )}
      {recall && <line class="whisker" x1={x(recall.lower)} x2={x(recall.upper)} y1={atY} y2={atY} />}
    </>
  )
}

export function pathOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}

interface PlacedAnnotation {
  readonly dot: Dot
  readonly lines: readonly string[]
  /** Of its text, with a margin. */
  readonly box: Frame
}

const LINE_HEIGHT = 17

/** Places around a dot, in pixels of its text's nearest corner: the first one that hides the fewest dots is taken. */
const PLACES = [70, 30, 110, -40, -90, 160].flatMap((dx) =>
  [90, 60, 130, -60, -100, 180, 240].map((dy) => [dx, dy] as const),
)

/** Where the sentence about a word stands: in lines of the width that there is, inside of the plot, off the dots. */
function placeAnnotation(
  { text, note }: { readonly text: string; readonly note: string },
  dots: readonly Dot[],
  frame: Frame,
): PlacedAnnotation | undefined {
  const dot = dots.find(({ word }) => word.text === text)
  if (!dot) return undefined
  const lines = [text, ...wrap(note, Math.floor(Math.min(300, (frame.right - frame.left) * 0.62) / LETTER))]
  const width = LETTER * Math.max(...lines.map(({ length }) => length))
  const height = LINE_HEIGHT * lines.length
  const boxes = PLACES.map(([dx, dy]) => {
    const left = Math.max(frame.left + 4, Math.min(dot.x + dx, frame.right - width - 4))
    const top = Math.max(frame.top + 4, Math.min(dot.y + dy, frame.bottom - height - 4))
    return { left: left - 4, right: left + width + 4, top: top - 4, bottom: top + height + 4 }
  }).filter((box) => !overlaps(box, boxOf(dot)))
  const hidden = boxes.map((box) => dots.filter((other) => overlaps(box, boxOf(other))).length)
  const box = boxes[hidden.indexOf(Math.min(...hidden))]
  return box && { dot, lines, box }
}

const boxOf = ({ x, y, radius }: Dot): Frame => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
})

/** A sentence in lines of at most a number of letters. */
function wrap(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < length) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function Annotation({ dot, lines: [name, ...note], box }: PlacedAnnotation) {
  const [x, y] = [box.left + 4, box.top + 4 + LINE_HEIGHT - 4]
  const isBelow = box.top > dot.y
  const from = [isBelow ? Math.min(x + 20, box.right) : x + 20, isBelow ? box.top : box.bottom]
  const end = dot.y + (dot.radius + 4) * (isBelow ? 1 : -1)
  return (
    <g class="annotation">
      <path d={`M${from[0]} ${from[1]}Q${dot.x} ${(from[1] + end) / 2} ${dot.x} ${end}`} />
      <text x={x} y={y}>
        <tspan class="strong">{name}</tspan>
        {note.map((line) => (
          <tspan key={line} x={x} dy={LINE_HEIGHT}>
            {line}
          </tspan>
        ))}
      </text>
    </g>
  )
}

/** The next dot in a direction: the nearest, where distance across counts double. */
function nextDot(
  dots: readonly Dot[],
  focus: number | undefined,
  [dx, dy]: readonly [number, number],
  isFound: (index: number) => boolean,
): number | undefined {
  if (focus === undefined) return dots.findIndex((_, index) => isFound(index))
  const start = dots[focus]
  let [best, distance] = [focus, Number.POSITIVE_INFINITY]
  for (const [index, dot] of dots.entries()) {
    const along = (dot.x - start.x) * dx + (dot.y - start.y) * dy
    const across = Math.abs((dot.x - start.x) * dy) + Math.abs((dot.y - start.y) * dx)
    if (along > 0.01 && along + 2 * across < distance && isFound(index))
      [best, distance] = [index, along + 2 * across]
  }
  return best
}

interface CurveName {
  readonly name: string
  readonly box: Frame
}

/** Curves begin in a crowd of rare words: their names stand after this share of their points. */
const CROWDED = 0.14

/** How many dots a name rather covers than one part of a curve, whose name it would seem to be. */
const ON_LINE = 20

/** Names of curves, each above and to the left of a point of its curve or below and to the right: where it covers least. */
function placeNames(
  curves: readonly PlaneCurve[],
  others: readonly Frame[],
  frame: Frame,
  x: Scale,
  y: Scale,
): CurveName[] {
  const names: CurveName[] = []
  const lines = curves.flatMap(({ points }) =>
    points
      .slice(1)
      .map((to, index) => ({
        left: x(points[index].recall),
        right: x(to.recall),
        top: y(to.precision),
        bottom: y(points[index].precision),
      })),
  )
  for (const { name, points } of curves) {
    const width = LETTER * name.length
    const places = points
      .slice(Math.floor(points.length * CROWDED))
      .flatMap(({ recall, precision }) => [
        { right: x(recall) - 12, bottom: y(precision) - 5 },
        { right: x(recall) + 6 + width, bottom: y(precision) + 18 },
      ])
      .map(({ right, bottom }) => ({ left: right - width, right, top: bottom - 14, bottom }))
      .filter((box) => box.left > frame.left && box.top > frame.top && box.right < frame.right)
      .filter((box) => !names.some((other) => overlaps(other.box, box)))
    const countIn = (boxes: readonly Frame[], place: Frame) =>
      boxes.filter((other) => overlaps(other, place)).length
    const covered = places.map((place) => ON_LINE * countIn(lines, place) + countIn(others, place))
    const box = places[covered.indexOf(Math.min(...covered))]
    if (box) names.push({ name, box })
  }
  return names
}

interface Label {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
}

/** Labels of the most used words that have room for one, beside their dots and over nothing else. */
function placeLabels(
  dots: readonly Dot[],
  frame: Frame,
  found: ReadonlySet<string> | undefined,
  annotation: PlacedAnnotation | undefined,
  names: readonly CurveName[],
): Label[] {
  const labels: (Label & { readonly box: Frame })[] = []
  const candidates = found ? dots.filter(({ word }) => found.has(word.text)) : dots
  // Words that are far from others first: a label in a crowd names nobody.
  const byRoom = [...candidates].sort((a, b) => crowd(a, dots) - crowd(b, dots) || b.radius - a.radius)
  for (const { word, x, y, radius } of byRoom) {
    if (labels.length === LABELS) break
    const isLeft = x > (frame.left + frame.right) / 2
    // A little more than on average: short words of wide letters.
    const width = LETTER * word.text.length + 6
    const start = isLeft ? x - radius - 4 - width : x + radius + 4
    const box = { left: start - 2, right: start + width + 2, top: y - 8, bottom: y + 8 }
    if (box.left < frame.left || box.right > frame.right || box.top < frame.top) continue
    if ([...names, ...labels].some((other) => overlaps(other.box, box))) continue
    if (annotation && (word.text === annotation.dot.word.text || overlaps(annotation.box, box))) continue
    const text = { left: start, right: start + width, top: y - 6, bottom: y + 6 }
    if (candidates.some((dot) => dot.word !== word && overlaps(text, boxOf(dot)))) continue
    const anchor = isLeft ? 'end' : 'start'
    labels.push({ text: word.text, x: isLeft ? x - radius - 4 : start, y: y + 4, anchor, box })
  }
  return labels
}

const crowd = ({ x, y }: Dot, dots: readonly Dot[]): number => {
  let near = 0
  for (const dot of dots) if (Math.abs(dot.x - x) < 26 && Math.abs(dot.y - y) < 14) near++
  return near
}

/** A shape of a drawing: the name and the attributes of an SVG element. */
export interface Shape {
  readonly tag: 'rect' | 'ellipse' | 'path' | 'line'
  readonly attributes: Readonly<Record<string, string | number>>
}

export interface Stroke {
  readonly color: string
  /** Share of the shorter side of the box. */
  readonly width: number
}

/** Draws in the coordinates of a box: 0 to 1 from the left, and 0 to 1 from the top. Values beyond are outside of it. */
export interface Pen {
  /** Width and height of the box in units of the scene. */
  readonly width: number
  readonly height: number
  /** Whether the object has an attribute. */
  is(...attributes: string[]): boolean
  /** The colour that an attribute names, otherwise the given one. */
  color(standard: string): string
  /** A number from 0 to 1 that stays the same for the object; another one for each index. */
  chance(index: number): number
  /** One of several, the same for the object. */
  pick<Value>(index: number, values: readonly Value[]): Value
  /** @param round radius of the corners, as a share of the shorter side of the box */
  rect(x: number, y: number, width: number, height: number, fill: string, round?: number): void
  oval(x: number, y: number, radiusX: number, radiusY: number, fill: string): void
  /** A circle whose radius is a share of the shorter side of the box. */
  circle(x: number, y: number, radius: number, fill: string): void
  /** A path of the commands M, L, C, Q and Z in coordinates of the box. */
  path(commands: string, fill: string, stroke?: Stroke): void
  line(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void
  /** Draws in a part of the box. */
  within(x: number, y: number, width: number, height: number, draw: (pen: Pen) => void): void
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Drawing {
  readonly pen: Pen
  readonly shapes: readonly Shape[]
}

/** @param seed of choices: the same seed draws the same. @param colorOf the colour that an attribute names */
export function createPen(
  box: Box,
  attributes: readonly string[],
  seed: string,
  colorOf: (attribute: string) => string | undefined,
): Drawing {
  const shapes: Shape[] = []
  const named = attributes.map(colorOf).find((color) => color !== undefined)
  const penOf = ({ x: left, y: top, width, height }: Box): Pen => {
    const [across, down] = [
      (value: number) => round(left + value * width),
      (value: number) => round(top + value * height),
    ]
    const short = Math.min(width, height)
    const add = (tag: Shape['tag'], values: Shape['attributes']) =>
      void shapes.push({ tag, attributes: values })
    return {
      width,
      height,
      is: (...wanted) => wanted.some((name) => attributes.includes(name)),
      color: (standard) => named ?? standard,
      chance: (index) => hash(`${seed} ${index}`),
      pick: (index, values) => values[Math.floor(hash(`${seed} ${index}`) * values.length)],
      rect: (x, y, w, h, fill, corner = 0) =>
        add('rect', {
          ...{ x: across(x), y: down(y), width: round(w * width), height: round(h * height), fill },
          ...(corner > 0 && { rx: round(corner * short) }),
        }),
      oval: (x, y, rx, ry, fill) =>
        add('ellipse', { cx: across(x), cy: down(y), rx: round(rx * width), ry: round(ry * height), fill }),
      circle: (x, y, radius, fill) =>
        add('ellipse', {
          cx: across(x),
          cy: down(y),
          rx: round(radius * short),
          ry: round(radius * short),
          fill,
        }),
      path: (commands, fill, stroke) =>
        add('path', { d: scale(commands, across, down), fill, ...(stroke && strokeOf(stroke, short)) }),
      line: (x1, y1, x2, y2, stroke) =>
        add('line', {
          ...{ x1: across(x1), y1: down(y1), x2: across(x2), y2: down(y2) },
          ...strokeOf(stroke, short),
        }),
      within: (x, y, w, h, draw) =>
        draw(penOf({ x: left + x * width, y: top + y * height, width: w * width, height: h * height })),
    }
  }
  return { pen: penOf(box), shapes }
}

const round = (value: number): number => Math.round(10 * value) / 10

const strokeOf = ({ color, width }: Stroke, short: number) => ({
  stroke: color,
  'stroke-width': round(Math.max(0.8, width * short)),
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
})

/** Moves the coordinates of a path into the scene. */
function scale(commands: string, across: (x: number) => number, down: (y: number) => number): string {
  let isX = true
  return commands.replaceAll(/[A-Z]|-?\d*\.?\d+/g, (token) => {
    if (/[A-Z]/.test(token)) {
      isX = true
      return token
    }
    const value = isX ? across(Number(token)) : down(Number(token))
    isX = !isX
    return String(value)
  })
}

/** A number from 0 to 1 (FNV-1a, mixed). */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return ((value ^ (value >>> 13)) >>> 0) / 2 ** 32
}

import { shade } from './colors.js'
import type { Pen } from './pen.js'

/** The parts by which a beast on four legs is told from others. Lengths are shares of its box. */
export interface Beast {
  readonly color: string
  /** From the bottom: how long the legs are. */
  readonly legs: number
  /** How far the neck leads up from the body, 0 to .5. */
  readonly neck: number
  readonly head: number
  readonly ears: 'round' | 'pointed' | 'long' | 'hanging' | 'large' | 'none'
  readonly tail: 'thin' | 'bushy' | 'short' | 'hair'
  readonly mane?: boolean
  readonly fleece?: boolean
  readonly stripes?: boolean
  readonly patches?: boolean
  readonly spots?: boolean
  readonly horns?: boolean
  readonly trunk?: boolean
  readonly humps?: number
  readonly muzzle?: number
  /** Whether it sits upright in a tall box; the others stand, with a longer neck. */
  readonly sits?: boolean
}

/** Looks to the left or to the right, as the seed wants. */
export function quadruped(pen: Pen, beast: Beast): void {
  const isTall = pen.height > 1.15 * pen.width
  if (pen.is('lying', 'sleeping', 'sitting', 'seated', 'curled') || (isTall && beast.sits)) {
    resting(pen, beast)
    return
  }
  if (isTall && beast.neck < 0.9) {
    // The body keeps its proportions; the neck takes what is above it.
    const body = (0.85 * pen.width) / pen.height
    standing(pen, { ...beast, neck: 1 - body * (1 - beast.neck * 0.6), legs: body * beast.legs * 1.15 })
    return
  }
  standing(pen, beast)
}

function standing(pen: Pen, beast: Beast): void {
  const color = pen.color(beast.color)
  const dark = shade(color, -0.18)
  const top = Math.max(0.12, beast.neck)
  const belly = 1 - beast.legs
  const isRunning = pen.is('running', 'jumping', 'leaping', 'flying')
  const leg = (x: number, foot: number, tone: string) =>
    pen.path(`M${x} ${belly - 0.08} L${foot} .97`, 'none', { color: tone, width: 0.085 })
  const spread = isRunning ? 0.12 : 0.01
  leg(0.38, 0.38 - spread, dark)
  leg(0.84, 0.84 + spread * 0.8, dark)
  tail(pen, beast, color, top)
  pen.path(
    `M.28 ${top + 0.08} Q.58 ${top - 0.04} .9 ${top + 0.06} Q.97 ${(top + belly) / 2} .88 ${belly} Q.58 ${belly + 0.06} .32 ${belly} Q.2 ${(top + belly) / 2} .28 ${top + 0.08} Z`,
    color,
  )
  for (let hump = 0; hump < (beast.humps ?? 0); hump++)
    pen.oval(0.5 + hump * 0.2, top + 0.04, 0.09, 0.13, color)
  leg(0.32, 0.32 + spread, color)
  leg(0.78, 0.78 - spread, color)
  coat(pen, beast, color, top, belly)
  // Neck and head
  const [headX, headY] = [0.14, Math.max(0.16, top - beast.neck * 0.55)]
  pen.path(`M.36 ${top + 0.1} L${headX + 0.06} ${headY}`, 'none', { color, width: 0.2 })
  if (beast.mane) {
    pen.path(`M.4 ${top + 0.02} Q.26 ${headY} ${headX + 0.06} ${headY - 0.08}`, 'none', {
      color: shade(color, -0.45),
      width: 0.09,
    })
  }
  head(pen, beast, color, headX, headY)
}

function tail(pen: Pen, { tail: kind }: Beast, color: string, top: number): void {
  const y = top + 0.1
  if (kind === 'thin') pen.path(`M.9 ${y} Q1 ${y - 0.18} .98 ${y - 0.3}`, 'none', { color, width: 0.045 })
  if (kind === 'bushy')
    pen.path(`M.88 ${y} Q1.02 ${y - 0.1} .97 ${y - 0.3} Q.9 ${y - 0.16} .84 ${y} Z`, shade(color, 0.12))
  if (kind === 'short') pen.oval(0.92, y, 0.04, 0.06, shade(color, 0.25))
  if (kind === 'hair')
    pen.path(`M.9 ${y} Q1 ${y + 0.05} .96 ${y + 0.4}`, 'none', { color: shade(color, -0.4), width: 0.06 })
}

function coat(pen: Pen, beast: Beast, color: string, top: number, belly: number): void {
  const middle = (top + belly) / 2
  if (beast.fleece) {
    for (const [x, y] of [
      [0.34, top + 0.06],
      [0.5, top + 0.01],
      [0.68, top + 0.01],
      [0.84, top + 0.07],
      [0.88, middle + 0.06],
      [0.72, belly],
      [0.52, belly],
      [0.34, middle + 0.08],
      [0.6, middle],
    ]) {
      pen.oval(x, y, 0.13, 0.13, shade(color, 0.3))
    }
  }
  if (beast.stripes) {
    for (let x = 0.32; x < 0.9; x += 0.085) {
      pen.path(`M${x} ${top + 0.03} Q${x + 0.03} ${middle} ${x - 0.01} ${belly}`, 'none', {
        color: '#35343a',
        width: 0.03,
      })
    }
  }
  if (beast.patches) {
    pen.oval(0.48, middle - 0.05, 0.11, 0.12, '#3b3836')
    pen.oval(0.76, middle + 0.02, 0.1, 0.1, '#3b3836')
  }
  if (beast.spots) {
    for (const [x, y] of [
      [0.4, 0],
      [0.52, -0.07],
      [0.62, 0.05],
      [0.74, -0.05],
      [0.84, 0.03],
    ]) {
      pen.oval(x, middle + y, 0.04, 0.05, shade(color, -0.35))
    }
  }
}

function head(pen: Pen, beast: Beast, color: string, x: number, y: number): void {
  const rx = beast.head
  const ry = (rx * pen.width * 0.85) / pen.height
  const dark = shade(color, -0.25)
  ears(pen, beast, color, x, y, rx, ry)
  pen.oval(x + 0.01, y, rx, ry, beast.fleece ? '#45403d' : color)
  const muzzle = beast.muzzle ?? 0.6
  pen.oval(x - rx * 0.75, y + ry * 0.35, rx * muzzle, ry * 0.5, beast.fleece ? '#45403d' : shade(color, 0.14))
  if (beast.trunk) {
    pen.path(
      `M${x - rx * 0.6} ${y + ry * 0.3} Q${x - rx * 1.3} ${y + ry * 1.6} ${x - rx * 0.6} ${y + ry * 3}`,
      'none',
      { color, width: 0.085 },
    )
  } else {
    pen.oval(x - rx * (0.75 + muzzle * 0.7), y + ry * 0.22, rx * 0.14, ry * 0.14, '#2c2628')
  }
  if (beast.horns) {
    pen.path(
      `M${x} ${y - ry * 0.8} Q${x + rx * 0.7} ${y - ry * 2.2} ${x + rx * 1.2} ${y - ry * 1.4}`,
      'none',
      { color: '#d8cdb8', width: 0.03 },
    )
  }
  pen.oval(x - rx * 0.2, y - ry * 0.15, rx * 0.12, ry * 0.14, '#2c2628')
  if (beast.stripes)
    pen.path(`M${x} ${y - ry} L${x - rx * 0.3} ${y + ry * 0.6}`, 'none', { color: dark, width: 0.02 })
}

function ears(
  pen: Pen,
  { ears: kind }: Beast,
  color: string,
  x: number,
  y: number,
  rx: number,
  ry: number,
): void {
  const inner = shade(color, -0.22)
  switch (kind) {
    case 'round':
      pen.oval(x - rx * 0.4, y - ry * 0.9, rx * 0.3, ry * 0.3, inner)
      pen.oval(x + rx * 0.5, y - ry * 0.85, rx * 0.3, ry * 0.3, inner)
      return
    case 'pointed':
      for (const side of [-0.45, 0.5]) {
        const at = x + rx * side
        pen.path(
          `M${at - rx * 0.35} ${y - ry * 0.55} L${at} ${y - ry * 1.5} L${at + rx * 0.35} ${y - ry * 0.55} Z`,
          inner,
        )
      }
      return
    case 'long':
      for (const side of [-0.15, 0.4]) pen.oval(x + rx * side, y - ry * 1.5, rx * 0.22, ry * 0.85, inner)
      return
    case 'hanging':
      pen.oval(x + rx * 0.62, y + ry * 0.25, rx * 0.34, ry * 0.8, inner)
      return
    case 'large':
      pen.oval(x + rx * 1.05, y + ry * 0.15, rx * 0.85, ry * 1.15, inner)
      return
    case 'none':
  }
}

/** Sits upright, or lies in a wide box. */
function resting(pen: Pen, beast: Beast): void {
  const color = pen.color(beast.color)
  const dark = shade(color, -0.15)
  if (pen.width > 1.2 * pen.height) {
    pen.path('M.12 .95 Q.06 .4 .5 .38 Q.98 .36 .96 .95 Z', color)
    pen.path('M.9 .9 Q.6 1.02 .42 .93', 'none', { color: dark, width: 0.1 })
    coat(pen, beast, color, 0.45, 0.9)
    head(pen, beast, color, 0.24, 0.5)
    return
  }
  pen.path('M.88 .95 Q1.02 .7 .9 .6', 'none', { color: dark, width: 0.08 })
  pen.path('M.3 .97 Q.18 .5 .46 .34 Q.9 .42 .88 .97 Z', color)
  pen.path('M.36 .55 L.34 .96', 'none', { color: dark, width: 0.12 })
  pen.path('M.52 .58 L.5 .96', 'none', { color, width: 0.12 })
  const larger = { ...beast, head: Math.max(0.22, beast.head * 1.4) }
  head(pen, larger, color, 0.4, 0.24)
}

export interface Fowl {
  readonly color: string
  readonly wing?: string
  readonly beak?: string
  /** Swims, so that it has no legs. */
  readonly isSwimmer?: boolean
  readonly neck?: number
  readonly comb?: boolean
}

/** Spreads its wings if it flies. */
export function bird(pen: Pen, fowl: Fowl): void {
  const color = pen.color(fowl.color)
  const wing = fowl.wing ?? shade(color, -0.2)
  const beak = fowl.beak ?? '#e0a03c'
  if (pen.is('flying', 'soaring')) {
    pen.path('M.5 .55 Q.25 .05 .02 .3 Q.25 .35 .5 .68 Z', wing)
    pen.path('M.5 .55 Q.75 .05 .98 .3 Q.75 .35 .5 .68 Z', wing)
    pen.path('M.3 .62 Q.5 .45 .8 .6 Q.55 .85 .3 .62 Z', color)
    pen.circle(0.3, 0.58, 0.12, color)
    pen.path('M.22 .56 L.12 .6 L.22 .64 Z', beak)
    return
  }
  const neck = fowl.neck ?? 0
  if (!fowl.isSwimmer) {
    for (const x of [0.5, 0.62]) pen.line(x, 0.75, x, 0.97, { color: shade(beak, -0.2), width: 0.04 })
  }
  pen.path(`M.2 .5 Q.3 .95 .62 .88 Q.9 .85 .99 .42 Q.7 .5 .5 ${0.4 + neck * 0.2} Q.3 .3 .2 .5 Z`, color)
  pen.path('M.42 .55 Q.62 .42 .9 .55 Q.7 .82 .42 .55 Z', wing)
  if (neck > 0) pen.path('M.32 .6 Q.16 .4 .24 .16', 'none', { color, width: 0.13 })
  const y = neck > 0 ? 0.15 : 0.3
  if (fowl.comb) pen.oval(0.26, y - 0.14, 0.08, 0.07, '#c8493c')
  pen.circle(0.26, y, 0.16, color)
  pen.path(`M.14 ${y - 0.05} L-.02 ${y + 0.02} L.14 ${y + 0.07} Z`, beak)
  pen.circle(0.23, y - 0.03, 0.03, '#2c2628')
}

export function penguin(pen: Pen): void {
  pen.oval(0.5, 0.55, 0.4, 0.43, '#34363d')
  pen.oval(0.5, 0.62, 0.27, 0.33, '#f6f3ec')
  pen.circle(0.5, 0.16, 0.26, '#34363d')
  pen.path('M.42 .18 L.5 .28 L.58 .18 Z', '#e0a03c')
  for (const x of [0.42, 0.58]) pen.circle(x, 0.13, 0.03, '#f6f3ec')
  for (const x of [0.36, 0.64]) pen.oval(x, 0.97, 0.13, 0.03, '#e0a03c')
}

export function owl(pen: Pen): void {
  const color = pen.color('#8d6a4a')
  pen.oval(0.5, 0.55, 0.38, 0.43, color)
  pen.path('M.2 .25 L.22 .02 L.42 .16 Z M.8 .25 L.78 .02 L.58 .16 Z', color)
  for (const x of [0.36, 0.64]) {
    pen.circle(x, 0.32, 0.16, '#f3e6c4')
    pen.circle(x, 0.32, 0.08, '#2c2628')
  }
  pen.path('M.45 .4 L.5 .52 L.55 .4 Z', '#e0a03c')
  pen.oval(0.5, 0.7, 0.2, 0.2, shade(color, 0.3))
}

export function fish(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#7fa3b5', '#e08a3c', '#9aa7b0']))
  pen.path('M.72 .5 L.98 .16 L.92 .5 L.98 .84 Z', shade(color, -0.15))
  pen.path('M.02 .5 Q.35 -.02 .78 .5 Q.35 1.02 .02 .5 Z', color)
  pen.path('M.36 .24 Q.46 0 .58 .34 Z', shade(color, -0.15))
  pen.circle(0.18, 0.42, 0.07, '#f6f3ec')
  pen.circle(0.18, 0.42, 0.035, '#2c2628')
}

export function crab(pen: Pen): void {
  const color = pen.color('#c8593c')
  for (const side of [-1, 1]) {
    for (const offset of [0.05, 0.18, 0.31]) {
      pen.path(`M${0.5 + side * 0.2} ${0.55 + offset * 0.6} L${0.5 + side * 0.45} ${0.6 + offset}`, 'none', {
        color,
        width: 0.05,
      })
    }
    pen.path(`M${0.5 + side * 0.25} .45 L${0.5 + side * 0.4} .25`, 'none', { color, width: 0.07 })
    pen.circle(0.5 + side * 0.42, 0.18, 0.13, color)
    pen.circle(0.5 + side * 0.1, 0.32, 0.05, '#2c2628')
  }
  pen.oval(0.5, 0.55, 0.3, 0.24, color)
}

export function bee(pen: Pen): void {
  pen.oval(0.4, 0.25, 0.2, 0.25, '#dfe9ef')
  pen.oval(0.62, 0.25, 0.2, 0.25, '#dfe9ef')
  pen.oval(0.5, 0.6, 0.42, 0.3, '#e9c04b')
  for (const x of [0.38, 0.55, 0.72]) pen.rect(x, 0.34, 0.08, 0.52, '#34343a')
}

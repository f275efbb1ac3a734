import { shade } from './colors.js'
import type { Pen } from './pen.js'

const TYRE = '#3a3a3f'
const GLASS = '#b5d0de'

function wheels(pen: Pen, centers: readonly number[], radius: number, y = 0.98): void {
  const ratio = pen.width / pen.height
  const [rx, ry] = [radius, radius * ratio]
  for (const x of centers) {
    pen.oval(x, y - ry, rx, ry, TYRE)
    pen.oval(x, y - ry, rx * 0.45, ry * 0.45, '#b9bfc6')
  }
}

export function car(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#c65b4b', '#4f82b8', '#d8d3c8', '#5f7f6b', '#8b9098']))
  if (pen.height > 1.05 * pen.width) {
    front(pen, color)
    return
  }
  pen.path('M.02 .82 L.03 .52 Q.12 .46 .24 .44 L.36 .14 Q.5 .08 .68 .14 L.82 .44 Q.98 .48 .98 .82 Z', color)
  pen.path('M.3 .43 L.39 .2 L.51 .18 L.51 .43 Z M.55 .43 L.55 .18 L.66 .2 L.75 .43 Z', GLASS)
  pen.oval(0.04, 0.6, 0.02, 0.05, '#f3e2a0')
  wheels(pen, [0.23, 0.77], 0.1)
}

/** A vehicle from the front. */
function front(pen: Pen, color: string): void {
  pen.rect(0.1, 0.05, 0.8, 0.85, color, 0.12)
  pen.rect(0.18, 0.15, 0.64, 0.3, GLASS, 0.06)
  for (const x of [0.2, 0.8]) pen.circle(x, 0.65, 0.07, '#f3e2a0')
  for (const x of [0.12, 0.7]) pen.rect(x, 0.86, 0.18, 0.14, TYRE)
}

export function bus(pen: Pen): void {
  const color = pen.color('#d9a43c')
  if (pen.height > pen.width) {
    front(pen, color)
    return
  }
  pen.rect(0, 0.05, 1, 0.82, color, 0.1)
  const windows = Math.max(4, Math.round((pen.width / pen.height) * 3))
  for (let index = 0; index < windows; index++)
    pen.rect(0.04 + (0.92 * index) / windows, 0.18, 0.8 / windows, 0.28, GLASS)
  pen.rect(0, 0.58, 1, 0.06, shade(color, -0.2))
  wheels(pen, [0.2, 0.8], 0.075)
}

export function truck(pen: Pen): void {
  const color = pen.color('#5f86ad')
  pen.rect(0.32, 0.08, 0.68, 0.72, shade(color, 0.35), 0.03)
  pen.path('M0 .84 L.01 .5 L.1 .26 L.3 .26 L.3 .84 Z', color)
  pen.path('M.06 .5 L.12 .32 L.25 .32 L.25 .5 Z', GLASS)
  pen.rect(0, 0.78, 1, 0.07, '#5b5f66')
  wheels(pen, [0.16, 0.68, 0.86], 0.08)
}

export function fireEngine(pen: Pen): void {
  pen.rect(0, 0.2, 1, 0.65, '#c8493c', 0.06)
  pen.path('M.03 .5 L.08 .28 L.24 .28 L.24 .5 Z', GLASS)
  pen.rect(0.3, 0.5, 0.66, 0.08, '#f6f3ec')
  pen.line(0.3, 0.12, 0.98, 0.12, { color: '#c9ccd1', width: 0.06 })
  pen.rect(0.1, 0.1, 0.1, 0.1, '#4f82b8')
  wheels(pen, [0.18, 0.78], 0.085)
}

export function tractor(pen: Pen): void {
  const color = pen.color('#5f9a5b')
  pen.path('M.02 .72 L.02 .44 L.42 .42 L.46 .08 L.84 .08 L.88 .72 Z', color)
  pen.path('M.52 .16 L.78 .16 L.8 .42 L.5 .42 Z', GLASS)
  pen.line(0.2, 0.42, 0.2, 0.18, { color: '#4c4a52', width: 0.04 })
  wheels(pen, [0.18], 0.12)
  wheels(pen, [0.72], 0.22)
}

export function train(pen: Pen): void {
  const color = pen.color('#4f82b8')
  if (pen.height > pen.width) {
    front(pen, color)
    return
  }
  pen.path('M.02 .85 L.02 .5 Q.04 .12 .16 .1 L1 .1 L1 .85 Z', color)
  for (let x = 0.18; x < 0.96; x += 0.12) pen.rect(x, 0.22, 0.085, 0.26, GLASS)
  pen.path('M.05 .46 Q.07 .24 .14 .22 L.14 .46 Z', GLASS)
  pen.rect(0.02, 0.62, 0.98, 0.07, '#f0d98a')
  wheels(pen, [0.12, 0.24, 0.5, 0.76, 0.88], 0.035)
}

export function bicycle(pen: Pen): void {
  const color = pen.color('#b8503f')
  const ratio = pen.width / pen.height
  const frame = { color, width: 0.045 }
  for (const x of [0.22, 0.78]) {
    pen.oval(x, 0.98 - 0.2 * ratio, 0.2, 0.2 * ratio, TYRE)
    pen.oval(x, 0.98 - 0.2 * ratio, 0.172, 0.172 * ratio, '#eceae3')
  }
  const axle = 0.98 - 0.2 * ratio
  pen.path(
    `M.22 ${axle} L.38 .34 L.66 .34 L.48 ${axle} L.22 ${axle} M.38 .34 L.48 ${axle} M.66 .34 L.78 ${axle}`,
    'none',
    frame,
  )
  pen.line(0.66, 0.34, 0.62, 0.18, frame)
  pen.line(0.56, 0.16, 0.7, 0.18, { color: TYRE, width: 0.05 })
  pen.line(0.31, 0.28, 0.44, 0.28, { color: TYRE, width: 0.07 })
}

export function motorcycle(pen: Pen): void {
  const color = pen.color('#4c4a52')
  wheels(pen, [0.2, 0.8], 0.17)
  pen.path('M.2 .78 L.34 .42 L.5 .52 L.7 .46 L.92 .4 L.7 .72 L.4 .8 Z', color)
  pen.path('M.34 .42 L.28 .2 L.4 .22', 'none', { color: '#8b9098', width: 0.05 })
  pen.oval(0.46, 0.42, 0.12, 0.11, shade(color, 0.25))
}

export function cart(pen: Pen): void {
  const color = pen.color('#a97f52')
  pen.path('M.06 .2 L.94 .2 L.84 .66 L.16 .66 Z', color)
  pen.line(0.94, 0.2, 1, 0.02, { color: shade(color, -0.3), width: 0.05 })
  wheels(pen, [0.28, 0.72], 0.13)
}

export function airplane(pen: Pen): void {
  const color = pen.color('#e8ebee')
  pen.path('M.02 .52 Q.1 .38 .3 .4 L.86 .42 L.98 .1 L1 .44 Q1 .58 .86 .6 L.2 .64 Q.04 .62 .02 .52 Z', color)
  pen.path('M.4 .5 L.62 .98 L.74 .98 L.62 .52 Z', shade(color, -0.2))
  for (let x = 0.24; x < 0.8; x += 0.07) pen.circle(x, 0.48, 0.035, '#6f8698')
}

export function balloon(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#c8493c', '#e08a3c', '#4f82b8']))
  pen.oval(0.5, 0.38, 0.46, 0.38, color)
  pen.oval(0.5, 0.38, 0.2, 0.38, shade(color, 0.35))
  pen.path('M.2 .66 L.42 .86 L.58 .86 L.8 .66', 'none', { color: '#7d6248', width: 0.02 })
  pen.rect(0.4, 0.86, 0.2, 0.14, '#a97f52', 0.03)
}

export function boat(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#b8694a', '#4f82b8', '#d8d3c8']))
  if (pen.width > 2.2 * pen.height) {
    pen.path('M0 .2 Q.5 .45 1 .2 Q.92 .9 .78 .98 L.22 .98 Q.08 .9 0 .2 Z', color)
    pen.path('M.03 .27 Q.5 .5 .97 .27', 'none', { color: shade(color, 0.35), width: 0.07 })
    return
  }
  pen.path('M.03 .6 L.97 .6 Q.92 .98 .78 1 L.22 1 Q.08 .98 .03 .6 Z', color)
  pen.rect(0.3, 0.34, 0.36, 0.26, shade(color, 0.45))
  pen.rect(0.36, 0.4, 0.1, 0.12, '#6f8698')
}

export function sailboat(pen: Pen): void {
  const color = pen.color('#f6f3ec')
  pen.path('M.52 .02 L.52 .76 L.94 .76 Z', color)
  pen.path('M.47 .14 L.47 .76 L.14 .76 Z', shade(color, -0.1))
  pen.path('M.06 .8 L.96 .8 L.84 1 L.2 1 Z', '#a9643f')
}

export function ship(pen: Pen): void {
  const color = pen.color('#f0eee8')
  pen.path('M0 .55 L1 .55 L.9 1 L.08 1 Z', '#47607e')
  pen.rect(0.14, 0.3, 0.68, 0.26, color)
  for (let x = 0.18; x < 0.78; x += 0.08) pen.circle(x, 0.43, 0.035, '#6f8698')
  pen.rect(0.44, 0.05, 0.13, 0.25, '#c8493c')
}

import { shade } from './colors.js'
import type { Pen } from './pen.js'

const WOOD = '#b08555'
const GLASS = '#cfe1ea'

// Furniture

export function table(pen: Pen): void {
  const color = pen.color(WOOD)
  if (pen.is('round')) {
    pen.rect(0.45, 0.14, 0.1, 0.8, shade(color, -0.2))
    pen.oval(0.5, 0.95, 0.22, 0.05, shade(color, -0.2))
    pen.oval(0.5, 0.14, 0.5, 0.13, color)
    return
  }
  for (const x of [0.05, 0.88]) pen.rect(x, 0.1, 0.07, 0.9, shade(color, -0.2))
  pen.rect(0, 0, 1, Math.min(0.2, 14 / pen.height + 0.06), color, 0.03)
}

/** A table, a desk or a counter from above. */
export function surface(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0, 0, 1, 1, color, 0.02)
  for (const y of [0.25, 0.5, 0.75]) pen.line(0, y, 1, y, { color: shade(color, -0.08), width: 0.008 })
}

export function desk(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0.66, 0.12, 0.3, 0.88, shade(color, -0.12))
  for (const y of [0.22, 0.5, 0.76]) pen.rect(0.7, y, 0.22, 0.18, shade(color, 0.1), 0.02)
  pen.rect(0.05, 0.12, 0.07, 0.88, shade(color, -0.2))
  pen.rect(0, 0, 1, 0.14, color, 0.03)
}

export function counter(pen: Pen): void {
  const color = pen.color('#d8cbb5')
  pen.rect(0, 0.08, 1, 0.92, shade(color, -0.06))
  for (let x = 0.03; x < 0.95; x += 0.24) pen.rect(x, 0.2, 0.2, 0.72, shade(color, 0.2), 0.02)
  pen.rect(0, 0, 1, 0.12, shade(color, -0.35))
}

export function cabinet(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0, 0, 1, 1, shade(color, -0.1))
  const doors = Math.max(2, Math.round(pen.width / Math.max(50, pen.height)) * 2)
  for (let door = 0; door < doors; door++) {
    pen.rect((door + 0.06) / doors, 0.06, 0.88 / doors, 0.88, shade(color, 0.12), 0.02)
    pen.circle((door + (door % 2 === 0 ? 0.84 : 0.16)) / doors, 0.55, 0.03, '#4c4a52')
  }
}

export function shelf(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0, 0, 1, 1, shade(color, -0.35))
  const rows = Math.max(1, Math.round(pen.height / 60))
  for (let row = 0; row < rows; row++) {
    let x = 0.04
    for (let book = 0; x < 0.9; book++) {
      const width = Math.min(0.94 - x, (7 + 9 * pen.chance(row * 40 + book)) / pen.width)
      const height = 0.55 + 0.3 * pen.chance(row * 40 + book + 20)
      const tone = pen.pick(row * 40 + book, [
        '#b5624a',
        '#4f82b8',
        '#d3a245',
        '#5f8f6b',
        '#8361a8',
        '#d8cbb5',
      ])
      pen.rect(x, (row + 0.92 - height) / rows, width, height / rows, tone)
      x += width + 1.5 / pen.width
    }
    pen.rect(0, (row + 0.92) / rows, 1, 0.08 / rows, color)
  }
  for (const x of [0, 0.97]) pen.rect(x, 0, 0.03, 1, color)
}

export function chair(pen: Pen): void {
  const color = pen.color(WOOD)
  const dark = shade(color, -0.18)
  for (const x of [0.14, 0.78]) pen.rect(x, 0.5, 0.08, 0.5, dark)
  pen.rect(0.1, 0, 0.8, 0.44, color, 0.06)
  for (const x of [0.3, 0.5, 0.7]) pen.rect(x - 0.03, 0.1, 0.05, 0.34, dark)
  pen.rect(0.06, 0.46, 0.88, 0.12, shade(color, 0.12), 0.04)
}

export function bench(pen: Pen): void {
  const color = pen.color(WOOD)
  for (const y of [0.05, 0.25]) pen.rect(0, y, 1, 0.13, color)
  pen.rect(0, 0.5, 1, 0.13, shade(color, 0.1))
  for (const x of [0.1, 0.84]) pen.rect(x, 0.05, 0.05, 0.95, shade(color, -0.4))
}

export function stool(pen: Pen): void {
  const color = pen.color(WOOD)
  for (const [from, to] of [
    [0.3, 0.12],
    [0.7, 0.88],
  ]) {
    pen.line(from, 0.15, to, 0.98, { color: shade(color, -0.25), width: 0.08 })
  }
  pen.rect(0.1, 0, 0.8, 0.18, color, 0.08)
}

export function sofa(pen: Pen): void {
  const color = pen.color('#7b8fa6')
  pen.rect(0.08, 0, 0.84, 0.7, color, 0.12)
  pen.rect(0.12, 0.45, 0.37, 0.3, shade(color, 0.14), 0.06)
  pen.rect(0.51, 0.45, 0.37, 0.3, shade(color, 0.14), 0.06)
  for (const x of [0, 0.86]) pen.rect(x, 0.32, 0.14, 0.58, shade(color, -0.12), 0.1)
  pen.rect(0.05, 0.7, 0.9, 0.2, shade(color, -0.05), 0.04)
  for (const x of [0.08, 0.86]) pen.rect(x, 0.9, 0.05, 0.1, '#5a4636')
}

export function bed(pen: Pen): void {
  const color = pen.color('#cfd9e3')
  pen.rect(0, 0, 0.08, 1, WOOD, 0.04)
  pen.rect(0.93, 0.4, 0.07, 0.6, WOOD, 0.04)
  pen.rect(0.06, 0.42, 0.88, 0.42, '#f6f3ec', 0.06)
  pen.rect(0.28, 0.38, 0.66, 0.48, color, 0.06)
  pen.rect(0.09, 0.28, 0.2, 0.2, '#f6f3ec', 0.1)
}

export function lamp(pen: Pen): void {
  pen.line(0.5, 0.35, 0.5, 0.95, { color: '#7d6a58', width: 0.09 })
  pen.oval(0.5, 0.96, 0.26, 0.04, '#7d6a58')
  pen.path('M.3 .02 L.7 .02 L.96 .42 L.04 .42 Z', pen.color('#f1dc9a'))
}

export function streetlight(pen: Pen): void {
  pen.line(0.4, 0.06, 0.4, 1, { color: '#5b5f66', width: 0.12 })
  pen.line(0.4, 0.06, 0.85, 0.06, { color: '#5b5f66', width: 0.12 })
  pen.oval(0.85, 0.1, 0.16, 0.03, '#f1dc9a')
}

export function mirror(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color(WOOD), 0.1)
  pen.rect(0.07, 0.06, 0.86, 0.88, '#dce8ee', 0.08)
  pen.line(0.2, 0.4, 0.5, 0.12, { color: '#f6fafc', width: 0.05 })
}

/** A picture in a frame: a hill and a sun. */
export function picture(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color('#8d6a4a'))
  pen.rect(0.08, 0.08, 0.84, 0.84, '#e4edf2')
  pen.path('M.08 .92 L.08 .7 L.36 .42 L.6 .66 L.76 .5 L.92 .68 L.92 .92 Z', '#8fae84')
  pen.circle(0.72, 0.28, 0.09, '#efc765')
}

export function window(pen: Pen): void {
  pen.rect(0, 0, 1, 1, '#f6f3ec')
  pen.rect(0.05, 0.05, 0.9, 0.9, pen.is('dark') ? '#4a5a74' : '#bcd7e4')
  pen.rect(0.475, 0.05, 0.05, 0.9, '#f6f3ec')
  pen.rect(0.05, 0.48, 0.9, 0.05, '#f6f3ec')
}

export function door(pen: Pen): void {
  const color = pen.color('#8d6242')
  pen.rect(0, 0, 1, 1, color)
  for (const y of [0.08, 0.55]) pen.rect(0.15, y, 0.7, 0.36, shade(color, 0.14))
  pen.circle(0.86, 0.52, 0.06, '#e0c068')
}

export function curtain(pen: Pen): void {
  const color = pen.color('#c9a5a0')
  pen.rect(0, 0, 1, 1, color)
  for (let x = 0.08; x < 1; x += 0.16) pen.rect(x, 0, 0.05, 1, shade(color, -0.12))
}

/** Cloth that lies: with a border. */
export function cloth(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#b5624a', '#7d93ad', '#d3b98a']))
  pen.rect(0, 0, 1, 1, color, 0.08)
  if (pen.is('striped')) {
    for (let x = 0.08; x < 0.95; x += 0.18) pen.rect(x, 0, 0.08, 1, shade(color, 0.4))
  } else {
    pen.rect(0.06, 0.12, 0.88, 0.1, shade(color, 0.3))
    pen.rect(0.06, 0.78, 0.88, 0.1, shade(color, 0.3))
  }
}

export function pillow(pen: Pen): void {
  pen.path('M.04 .1 Q.5 .2 .96 .06 Q.9 .5 .97 .92 Q.5 .84 .03 .95 Q.1 .5 .04 .1 Z', pen.color('#e8e1d2'))
}

export function hammock(pen: Pen): void {
  pen.path('M0 .2 Q.5 1.3 1 .2 Q.5 .8 0 .2 Z', pen.color('#d3a245'))
}

export function stairs(pen: Pen): void {
  const color = pen.color('#b4aa9a')
  for (let step = 0; step < 6; step++)
    pen.rect(step / 6, 1 - (step + 1) / 6, 1 - step / 6, 1 / 6, shade(color, step * 0.05))
}

export function ladder(pen: Pen): void {
  const stroke = { color: pen.color('#c29a5e'), width: 0.1 }
  pen.line(0.15, 0, 0.05, 1, stroke)
  pen.line(0.85, 0, 0.95, 1, stroke)
  for (let y = 0.1; y < 1; y += 0.15) pen.line(0.12, y, 0.88, y, stroke)
}

export function fireplace(pen: Pen): void {
  pen.rect(0, 0.1, 1, 0.9, '#b5624a')
  pen.rect(0, 0, 1, 0.12, '#8d6242')
  pen.path('M.2 1 L.2 .5 Q.5 .26 .8 .5 L.8 1 Z', '#3a3436')
  pen.path('M.5 .55 Q.68 .8 .58 .98 L.42 .98 Q.32 .8 .5 .55 Z', '#e0812e')
}

// Kitchen and bath

export function stove(pen: Pen): void {
  const color = pen.color('#ecebe6')
  pen.rect(0, 0.04, 1, 0.96, color, 0.03)
  pen.rect(0, 0, 1, 0.1, '#4c4a52')
  for (const x of [0.2, 0.4, 0.6, 0.8]) pen.circle(x, 0.2, 0.045, '#4c4a52')
  pen.rect(0.12, 0.36, 0.76, 0.48, '#565b63', 0.04)
  pen.rect(0.12, 0.29, 0.76, 0.035, '#9a9ea5')
}

export function refrigerator(pen: Pen): void {
  const color = pen.color('#e6e9ec')
  pen.rect(0, 0, 1, 1, color, 0.05)
  pen.rect(0, 0.36, 1, 0.015, shade(color, -0.3))
  for (const y of [0.14, 0.5]) pen.rect(0.1, y, 0.06, 0.16, '#9a9ea5')
}

export function machine(pen: Pen): void {
  const color = pen.color('#e6e9ec')
  pen.rect(0, 0, 1, 1, color, 0.05)
  pen.circle(0.5, 0.58, 0.34, '#9fb4c2')
  pen.circle(0.5, 0.58, 0.25, '#5b7486')
  pen.rect(0.08, 0.07, 0.84, 0.1, shade(color, -0.15))
}

export function microwave(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color('#d9dce0'), 0.06)
  pen.rect(0.07, 0.14, 0.62, 0.72, '#4a5058', 0.05)
  for (const y of [0.25, 0.45, 0.65]) pen.circle(0.84, y, 0.06, '#7b8088')
}

export function sink(pen: Pen): void {
  const color = pen.color('#eceeef')
  pen.path('M.7 .4 L.7 .08 L.5 .08 L.5 .2', 'none', { color: '#a3aab1', width: 0.07 })
  pen.path('M.02 .42 L.98 .42 L.86 .98 L.14 .98 Z', color)
  pen.rect(0, 0.36, 1, 0.12, shade(color, -0.12), 0.03)
}

export function bathtub(pen: Pen): void {
  pen.path('M.02 .3 L.98 .3 Q.96 .9 .82 .92 L.18 .92 Q.04 .9 .02 .3 Z', pen.color('#f3f3f0'))
  pen.rect(0, 0.22, 1, 0.12, '#dcdfe1', 0.05)
  for (const x of [0.2, 0.76]) pen.rect(x, 0.9, 0.05, 0.1, '#b9bfc6')
}

export function toilet(pen: Pen): void {
  pen.rect(0.55, 0, 0.4, 0.5, '#f3f3f0', 0.05)
  pen.path('M.05 .5 L.95 .5 Q.9 .82 .62 .86 L.66 1 L.34 1 L.36 .86 Q.1 .8 .05 .5 Z', '#eceeef')
}

export function faucet(pen: Pen): void {
  pen.path('M.3 1 L.3 .3 Q.3 .06 .6 .06 Q.84 .06 .84 .4', 'none', { color: '#a3aab1', width: 0.16 })
}

// What holds something

export function cup(pen: Pen): void {
  const color = pen.color('#f6f3ec')
  pen.path('M.78 .25 Q1.05 .3 .98 .55 Q.92 .75 .7 .68', 'none', { color: shade(color, -0.12), width: 0.1 })
  pen.path('M.06 .1 L.8 .1 L.72 .92 Q.44 1.02 .16 .92 Z', color)
  pen.oval(0.43, 0.1, 0.37, 0.09, '#7d5a40')
}

export function glass(pen: Pen): void {
  const drink = pen.color(pen.pick(1, ['#e7b45a', '#b9d8e4', '#c8604c']))
  pen.path('M.1 0 L.9 0 L.8 1 L.2 1 Z', GLASS)
  pen.path('M.15 .3 L.85 .3 L.79 .95 L.21 .95 Z', drink)
}

export function wineglass(pen: Pen): void {
  pen.path('M.12 0 L.88 0 Q.9 .5 .5 .55 Q.1 .5 .12 0 Z', GLASS)
  pen.path('M.13 .2 L.87 .2 Q.84 .48 .5 .53 Q.16 .48 .13 .2 Z', pen.color('#8f3442'))
  pen.line(0.5, 0.55, 0.5, 0.94, { color: '#b9ccd6', width: 0.07 })
  pen.oval(0.5, 0.96, 0.3, 0.04, '#b9ccd6')
}

export function bottle(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#5f8f6b', '#9fc4d6', '#8d6242']))
  pen.path('M.38 .06 L.62 .06 L.62 .3 Q.92 .38 .9 .55 L.88 1 L.12 1 L.1 .55 Q.08 .38 .38 .3 Z', color)
  pen.rect(0.36, 0, 0.28, 0.07, '#d3a245')
  pen.rect(0.16, 0.6, 0.68, 0.24, '#f6f3ec')
}

export function jar(pen: Pen): void {
  pen.rect(0.08, 0.14, 0.84, 0.86, GLASS, 0.14)
  pen.rect(0.12, 0.42, 0.76, 0.54, pen.color('#d3a245'), 0.12)
  pen.rect(0.16, 0, 0.68, 0.16, '#8d6242', 0.04)
}

export function bowl(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#e6dfd0', '#7fa0b8', '#c98b6a']))
  pen.oval(0.5, 0.24, 0.5, 0.22, shade(color, -0.2))
  pen.path('M0 .24 Q.5 .5 1 .24 Q.94 .86 .66 .96 L.34 .96 Q.06 .86 0 .24 Z', color)
}

export function plate(pen: Pen): void {
  const color = pen.color('#f6f3ec')
  pen.oval(0.5, 0.5, 0.5, 0.46, shade(color, -0.08))
  pen.oval(0.5, 0.47, 0.47, 0.42, color)
  pen.oval(0.5, 0.48, 0.3, 0.26, shade(color, -0.05))
}

export function bucket(pen: Pen): void {
  const color = pen.color('#8b98a5')
  pen.path('M.08 .22 Q.5 -.25 .92 .22', 'none', { color: '#6d737a', width: 0.05 })
  pen.path('M.05 .2 L.95 .2 L.8 1 L.2 1 Z', color)
  pen.oval(0.5, 0.2, 0.45, 0.1, shade(color, -0.25))
}

export function basket(pen: Pen): void {
  const color = pen.color('#bb9560')
  pen.path('M.15 .42 Q.5 -.3 .85 .42', 'none', { color: shade(color, -0.2), width: 0.06 })
  pen.path('M.02 .4 L.98 .4 L.86 1 L.14 1 Z', color)
  for (const y of [0.55, 0.72, 0.88]) pen.line(0.08, y, 0.92, y, { color: shade(color, -0.2), width: 0.03 })
}

export function vase(pen: Pen): void {
  pen.path(
    'M.36 0 L.64 0 Q.58 .2 .84 .5 Q.9 .86 .68 1 L.32 1 Q.1 .86 .16 .5 Q.42 .2 .36 0 Z',
    pen.color('#7fa0b8'),
  )
}

export function pot(pen: Pen): void {
  const color = pen.color('#7b8088')
  for (const x of [0, 0.86]) pen.rect(x, 0.32, 0.14, 0.12, shade(color, -0.3), 0.04)
  pen.rect(0.1, 0.22, 0.8, 0.76, color, 0.1)
  pen.rect(0.06, 0.14, 0.88, 0.1, shade(color, -0.2), 0.05)
  pen.circle(0.5, 0.08, 0.08, shade(color, -0.3))
}

export function pan(pen: Pen): void {
  pen.rect(0.6, 0.36, 0.4, 0.16, '#3a3a3f', 0.05)
  pen.path('M.02 .3 L.66 .3 L.58 .9 L.1 .9 Z', '#4c4a52')
  pen.oval(0.34, 0.3, 0.32, 0.14, '#62666d')
}

export function kettle(pen: Pen): void {
  pen.path('M.28 .38 Q.5 -.2 .72 .38', 'none', { color: '#4c4a52', width: 0.08 })
  pen.path('M.8 .55 L1 .34', 'none', { color: '#a3aab1', width: 0.12 })
  pen.path('M.14 .95 Q.02 .36 .5 .32 Q.98 .36 .86 .95 Z', pen.color('#aab1b8'))
}

export function box(pen: Pen): void {
  const color = pen.color('#c39b66')
  pen.rect(0, 0.1, 1, 0.9, color)
  pen.path('M0 .1 L.14 0 L.86 0 L1 .1 Z', shade(color, 0.2))
  pen.rect(0.44, 0.1, 0.12, 0.9, shade(color, 0.22))
}

export function gift(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.rect(0.04, 0.2, 0.92, 0.8, color)
  pen.rect(0.42, 0.2, 0.16, 0.8, '#f0d98a')
  pen.path('M.5 .2 Q.2 -.1 .24 .18 Z M.5 .2 Q.8 -.1 .76 .18 Z', '#f0d98a')
}

export function crate(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0, 0, 1, 1, shade(color, -0.3))
  for (const y of [0.04, 0.37, 0.7]) pen.rect(0, y, 1, 0.25, color)
}

export function bag(pen: Pen): void {
  const color = pen.color('#9a6b4a')
  pen.path('M.28 .38 Q.5 -.28 .72 .38', 'none', { color: shade(color, -0.25), width: 0.07 })
  pen.path('M.08 .32 L.92 .32 L1 .94 Q.5 1.04 0 .94 Z', color)
}

export function backpack(pen: Pen): void {
  const color = pen.color('#5f86ad')
  pen.rect(0.36, 0, 0.28, 0.14, shade(color, -0.3), 0.08)
  pen.rect(0.06, 0.08, 0.88, 0.9, color, 0.22)
  pen.rect(0.2, 0.52, 0.6, 0.38, shade(color, -0.15), 0.1)
}

export function suitcase(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#9a5a4a', '#4f7fa3', '#5f6b60']))
  pen.rect(0.36, 0, 0.28, 0.16, 'none')
  pen.path('M.36 .14 L.36 .03 L.64 .03 L.64 .14', 'none', { color: '#4c4a52', width: 0.06 })
  pen.rect(0, 0.12, 1, 0.82, color, 0.08)
  for (const x of [0.22, 0.72]) pen.rect(x, 0.12, 0.06, 0.82, shade(color, -0.25))
  for (const x of [0.15, 0.78]) pen.rect(x, 0.94, 0.07, 0.06, '#3a3a3f')
}

// Food

export const ball =
  (color: string, mark?: string) =>
  (pen: Pen): void => {
    const fill = pen.color(color)
    pen.circle(0.5, 0.5, 0.49, fill)
    pen.path('M.2 .2 Q.5 .5 .2 .82', 'none', { color: mark ?? shade(fill, -0.25), width: 0.05 })
    pen.path('M.8 .2 Q.5 .5 .8 .82', 'none', { color: mark ?? shade(fill, -0.25), width: 0.05 })
  }

/** A round fruit with a leaf. */
export const fruit =
  (color: string) =>
  (pen: Pen): void => {
    const fill = pen.color(color)
    pen.oval(0.5, 0.57, 0.47, 0.42, fill)
    pen.oval(0.36, 0.42, 0.12, 0.1, shade(fill, 0.3))
    pen.line(0.5, 0.2, 0.54, 0.04, { color: '#7d5a3c', width: 0.07 })
    pen.path('M.54 .14 Q.7 -.04 .86 .08 Q.72 .24 .54 .14 Z', '#5f9a5b')
  }

export function banana(pen: Pen): void {
  pen.path('M.06 .12 Q.1 .95 .96 .82 Q.9 1.02 .5 .98 Q-.04 .9 .06 .12 Z', '#e9c94b')
}

export function carrot(pen: Pen): void {
  pen.path('M.02 .55 Q.5 .2 .74 .28 Q.84 .5 .74 .68 Q.5 .85 .02 .55 Z', '#e08a3c')
  pen.path('M.74 .48 L.98 .2 M.74 .48 L1 .5 M.74 .48 L.96 .78', 'none', { color: '#5f9a5b', width: 0.09 })
}

export function watermelon(pen: Pen): void {
  pen.path('M0 .2 Q.5 1.6 1 .2 Z', '#5f9a5b')
  pen.path('M.08 .2 Q.5 1.4 .92 .2 Z', '#d9554c')
  for (const x of [0.3, 0.5, 0.7]) pen.oval(x, 0.42, 0.02, 0.05, '#34343a')
}

export function bread(pen: Pen): void {
  const color = pen.color('#cf9a58')
  pen.path('M.02 .9 L.02 .4 Q.06 .02 .5 .04 Q.94 .02 .98 .4 L.98 .9 Q.5 1.02 .02 .9 Z', color)
  for (const x of [0.28, 0.5, 0.72])
    pen.line(x - 0.05, 0.28, x + 0.05, 0.5, { color: shade(color, 0.35), width: 0.05 })
}

export function cake(pen: Pen): void {
  const color = pen.color('#f3dfc6')
  pen.rect(0.04, 0.36, 0.92, 0.62, color, 0.05)
  pen.path(
    'M.04 .5 L.04 .38 L.96 .38 L.96 .5 Q.86 .66 .76 .5 Q.64 .68 .54 .5 Q.42 .68 .32 .5 Q.18 .66 .04 .5 Z',
    '#d9798c',
  )
  for (const x of [0.3, 0.5, 0.7]) {
    pen.line(x, 0.36, x, 0.18, { color: '#7fa0b8', width: 0.04 })
    pen.oval(x, 0.1, 0.02, 0.06, '#f0b94b')
  }
}

export function pizza(pen: Pen): void {
  pen.oval(0.5, 0.5, 0.5, 0.48, '#cf9a58')
  pen.oval(0.5, 0.5, 0.42, 0.4, '#efc765')
  for (let slice = 0; slice < 7; slice++) {
    pen.circle(0.25 + 0.5 * pen.chance(slice), 0.25 + 0.5 * pen.chance(slice + 20), 0.07, '#c8493c')
  }
}

export function doughnut(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#d9798c', '#7d5040', '#e9c98a']))
  pen.oval(0.5, 0.52, 0.49, 0.46, '#cf9a58')
  pen.oval(0.5, 0.48, 0.45, 0.4, color)
  pen.oval(0.5, 0.48, 0.15, 0.13, '#f3ece0')
}

export function cookie(pen: Pen): void {
  pen.oval(0.5, 0.5, 0.48, 0.46, '#c08a52')
  for (let chip = 0; chip < 6; chip++)
    pen.circle(0.25 + 0.5 * pen.chance(chip), 0.25 + 0.5 * pen.chance(chip + 9), 0.07, '#5a3b2a')
}

export function sandwich(pen: Pen): void {
  pen.path('M.04 .34 Q.1 .02 .5 .04 Q.9 .02 .96 .34 Z', '#cf9a58')
  pen.rect(0.02, 0.36, 0.96, 0.12, '#7da761', 0.05)
  pen.rect(0.05, 0.48, 0.9, 0.16, '#8d5a42', 0.05)
  pen.rect(0.02, 0.62, 0.96, 0.08, '#efc765')
  pen.rect(0.05, 0.7, 0.9, 0.26, '#cf9a58', 0.1)
}

export function cheese(pen: Pen): void {
  pen.path('M0 .95 L0 .5 L.9 .1 L1 .5 L1 .95 Z', '#efc765')
  for (const [x, y] of [
    [0.3, 0.7],
    [0.6, 0.55],
    [0.78, 0.8],
  ]) {
    pen.circle(x, y, 0.09, '#d3a245')
  }
}

/** Food in a heap. */
export const heap =
  (...colors: string[]) =>
  (pen: Pen): void => {
    for (let piece = 0; piece < 24; piece++) {
      const x = 0.5 + (pen.chance(piece) - 0.5) * 0.86
      const y = 0.95 - (0.75 - Math.abs(x - 0.5)) * pen.chance(piece + 30)
      pen.oval(x, Math.max(0.12, y), 0.13, 0.1, pen.pick(piece + 60, colors))
    }
  }

export function egg(pen: Pen): void {
  pen.path('M.5 .02 Q.98 .4 .9 .72 Q.8 1 .5 .98 Q.2 1 .1 .72 Q.02 .4 .5 .02 Z', pen.color('#f3e6d4'))
}

// Long things

/** A stick with an optional end. */
export const stick =
  (color: string, end?: { readonly color: string; readonly size: number }) =>
  (pen: Pen): void => {
    const isTall = pen.height >= pen.width
    const fill = pen.color(color)
    const [x1, y1, x2, y2] = isTall
      ? pen.width < 0.3 * pen.height
        ? [0.5, 0.02, 0.5, 0.98]
        : [0.85, 0.03, 0.15, 0.97]
      : pen.height < 0.3 * pen.width
        ? [0.02, 0.5, 0.98, 0.5]
        : [0.03, 0.15, 0.97, 0.85]
    const thin = Math.min(1, Math.max(pen.width, pen.height) / Math.min(pen.width, pen.height) / 7)
    pen.line(x1, y1, x2, y2, { color: fill, width: Math.max(0.09, Math.min(0.7, thin * 0.5)) })
    if (end) pen.circle(x2, y2 - (isTall ? 0.06 : 0), end.size, end.color)
  }

export const rope =
  (color: string) =>
  (pen: Pen): void =>
    pen.path('M.02 .1 Q.35 .9 .6 .5 Q.8 .2 .98 .9', 'none', { color: pen.color(color), width: 0.06 })

export function net(pen: Pen): void {
  const stroke = { color: '#e9e6dc', width: 0.02 }
  for (let x = 0; x <= 1; x += 0.08) pen.line(x, 0, x, 1, stroke)
  for (let y = 0; y <= 1; y += 0.16) pen.line(0, y, 1, y, stroke)
  pen.line(0, 0, 1, 0, { color: '#f6f3ec', width: 0.08 })
}

export function knife(pen: Pen): void {
  if (pen.height > pen.width) {
    pen.path('M.35 .55 L.35 .12 Q.5 -.04 .72 .1 L.72 .55 Z', '#c3c8ce')
    pen.rect(0.32, 0.55, 0.42, 0.43, '#5a4636', 0.1)
    return
  }
  pen.path('M.42 .3 L.9 .3 Q1 .5 .9 .72 L.42 .72 Z', '#c3c8ce')
  pen.rect(0.02, 0.3, 0.42, 0.42, '#5a4636', 0.1)
}

export function fork(pen: Pen): void {
  const stroke = { color: '#aab1b8', width: 0.14 }
  pen.line(0.5, 0.4, 0.5, 0.97, stroke)
  for (const x of [0.2, 0.5, 0.8]) pen.line(x, 0.04, x, 0.28, stroke)
  pen.path('M.2 .28 Q.5 .5 .8 .28', 'none', stroke)
}

export function spoon(pen: Pen): void {
  const isTall = pen.height > pen.width
  const color = pen.color('#b9bfc6')
  if (isTall) {
    pen.line(0.5, 0.3, 0.5, 0.97, { color, width: 0.16 })
    pen.oval(0.5, 0.16, 0.4, 0.16, color)
  } else {
    pen.line(0.3, 0.5, 0.97, 0.5, { color, width: 0.16 })
    pen.oval(0.16, 0.5, 0.16, 0.4, color)
  }
}

export function scissors(pen: Pen): void {
  const blade = { color: '#b9bfc6', width: 0.1 }
  pen.line(0.25, 0.75, 0.85, 0.05, blade)
  pen.line(0.75, 0.75, 0.15, 0.05, blade)
  for (const x of [0.25, 0.75]) pen.circle(x, 0.82, 0.17, pen.color('#c8493c'))
  for (const x of [0.25, 0.75]) pen.circle(x, 0.82, 0.08, '#f3efe6')
}

export function hammer(pen: Pen): void {
  pen.line(0.5, 0.2, 0.5, 0.97, { color: WOOD, width: 0.16 })
  pen.rect(0.12, 0.02, 0.76, 0.24, '#7b8088', 0.05)
}

export function shovel(pen: Pen): void {
  pen.line(0.5, 0.02, 0.5, 0.7, { color: WOOD, width: 0.12 })
  pen.path('M.18 .6 L.82 .6 Q.8 .95 .5 1 Q.2 .95 .18 .6 Z', '#7b8088')
}

export function racket(pen: Pen): void {
  pen.line(0.5, 0.6, 0.5, 0.98, { color: pen.color('#c8493c'), width: 0.13 })
  pen.oval(0.5, 0.32, 0.42, 0.32, pen.color('#c8493c'))
  pen.oval(0.5, 0.32, 0.34, 0.26, '#eceae3')
}

// Screens, paper, clocks

export function book(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#b5624a', '#4f82b8', '#5f8f6b']))
  if (pen.is('open')) {
    pen.path('M0 .25 Q.25 .05 .5 .25 Q.75 .05 1 .25 L1 .95 Q.75 .78 .5 .95 Q.25 .78 0 .95 Z', '#f3eee2')
    pen.line(0.5, 0.25, 0.5, 0.95, { color: '#b9b09c', width: 0.03 })
    return
  }
  pen.rect(0, 0, 1, 1, color, 0.05)
  pen.rect(0.06, 0.1, 0.05, 0.8, shade(color, -0.3))
  pen.rect(0.25, 0.2, 0.5, 0.16, shade(color, 0.5))
}

export function paper(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color('#f3efe4'))
  for (let y = 0.15; y < 0.9; y += 0.14) pen.line(0.12, y, 0.88, y, { color: '#b9b6ac', width: 0.025 })
}

export function sign(pen: Pen): void {
  const color = pen.color('#c8493c')
  if (pen.height > 1.5 * pen.width) {
    pen.line(0.5, 0.3, 0.5, 1, { color: '#7b8088', width: 0.1 })
    pen.rect(0.02, 0, 0.96, 0.36, color, 0.1)
    pen.rect(0.16, 0.14, 0.68, 0.07, '#f6f3ec')
    return
  }
  pen.rect(0, 0, 1, 1, color, 0.1)
  for (const y of [0.3, 0.58]) pen.rect(0.14, y, 0.72, 0.12, '#f6f3ec')
}

export function blackboard(pen: Pen): void {
  pen.rect(0, 0, 1, 1, WOOD)
  pen.rect(0.03, 0.05, 0.94, 0.9, '#3f5a4c')
  for (const y of [0.25, 0.45, 0.65]) pen.line(0.12, y, 0.5 + 0.3 * y, y, { color: '#e4e8e2', width: 0.015 })
}

export function screen(pen: Pen): void {
  pen.rect(0, 0, 1, 0.84, '#3a3d44', 0.04)
  pen.rect(0.05, 0.06, 0.9, 0.7, '#8fb4cc')
  pen.rect(0.4, 0.84, 0.2, 0.1, '#5b5f66')
  pen.rect(0.28, 0.93, 0.44, 0.07, '#5b5f66')
}

export function laptop(pen: Pen): void {
  pen.rect(0.12, 0, 0.76, 0.72, '#4a4d54', 0.04)
  pen.rect(0.17, 0.06, 0.66, 0.58, '#9fc0d4')
  pen.path('M.1 .74 L.9 .74 L1 .98 L0 .98 Z', pen.color('#b9bfc6'))
}

export function phone(pen: Pen): void {
  pen.rect(0, 0, 1, 1, '#3a3d44', 0.16)
  pen.rect(0.1, 0.1, 0.8, 0.76, '#8fb4cc')
}

export function keys(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color('#4a4d54'), 0.1)
  for (let row = 0; row < 3; row++) {
    for (let key = 0; key < 9; key++)
      pen.rect(0.05 + key * 0.102, 0.14 + row * 0.27, 0.08, 0.2, '#d9dce0', 0.02)
  }
}

export function clock(pen: Pen): void {
  pen.circle(0.5, 0.5, 0.49, pen.color('#5a4636'))
  pen.circle(0.5, 0.5, 0.41, '#f6f3ec')
  pen.line(0.5, 0.5, 0.5, 0.22, { color: '#34343a', width: 0.04 })
  pen.line(0.5, 0.5, 0.7, 0.6, { color: '#34343a', width: 0.04 })
}

export function globe(pen: Pen): void {
  pen.rect(0.44, 0.78, 0.12, 0.16, '#7d6248')
  pen.oval(0.5, 0.96, 0.28, 0.04, '#7d6248')
  pen.circle(0.5, 0.42, 0.42, '#6fa3bf')
  pen.path('M.3 .2 Q.5 .1 .56 .3 Q.44 .46 .3 .4 Z M.56 .5 Q.76 .42 .74 .64 Q.6 .76 .56 .5 Z', '#8fb46a')
}

export function camera(pen: Pen): void {
  pen.rect(0.3, 0.04, 0.4, 0.2, '#34343a', 0.05)
  pen.rect(0, 0.18, 1, 0.8, '#43454c', 0.1)
  pen.circle(0.5, 0.58, 0.3, '#9aa7b0')
  pen.circle(0.5, 0.58, 0.18, '#2c3440')
}

export function microphone(pen: Pen): void {
  pen.line(0.5, 0.3, 0.5, 0.98, { color: '#5b5f66', width: 0.12 })
  pen.oval(0.5, 0.18, 0.34, 0.18, '#43454c')
}

export function flag(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.line(0.06, 0.02, 0.06, 1, { color: '#8b8f96', width: 0.06 })
  pen.path('M.08 .05 Q.4 -.05 .6 .1 Q.8 .2 .98 .1 L.98 .56 Q.8 .66 .6 .56 Q.4 .42 .08 .52 Z', color)
}

export function umbrella(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.line(0.5, 0.1, 0.5, 0.95, { color: '#5b4a3c', width: 0.035 })
  pen.path(
    'M0 .5 Q.06 .02 .5 .02 Q.94 .02 1 .5 Q.9 .4 .8 .5 Q.66 .4 .5 .5 Q.34 .4 .2 .5 Q.1 .4 0 .5 Z',
    color,
  )
  pen.path('M.34 .47 Q.36 .1 .5 .02 Q.64 .1 .66 .47 Q.58 .42 .5 .5 Q.42 .42 .34 .47 Z', shade(color, 0.25))
}

export function kite(pen: Pen): void {
  const color = pen.color('#e08a3c')
  pen.path('M.5 0 L.9 .34 L.5 .76 L.1 .34 Z', color)
  pen.path('M.5 0 L.5 .76 M.1 .34 L.9 .34', 'none', { color: shade(color, -0.3), width: 0.025 })
  pen.path('M.5 .76 Q.7 .86 .5 .92 Q.36 .96 .5 1', 'none', { color: '#c8493c', width: 0.03 })
}

export function toyBalloon(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#c8493c', '#e9c04b', '#4f82b8', '#5f9a5b']))
  pen.path('M.5 .74 Q.44 .88 .52 1', 'none', { color: '#8b8f96', width: 0.03 })
  pen.oval(0.5, 0.38, 0.42, 0.37, color)
  pen.oval(0.36, 0.26, 0.09, 0.11, shade(color, 0.45))
}

export function teddy(pen: Pen): void {
  const color = pen.color('#b08555')
  for (const x of [0.3, 0.7]) pen.circle(x, 0.12, 0.12, color)
  for (const x of [0.14, 0.86]) pen.circle(x, 0.58, 0.14, color)
  for (const x of [0.3, 0.7]) pen.circle(x, 0.9, 0.15, color)
  pen.oval(0.5, 0.68, 0.32, 0.28, color)
  pen.circle(0.5, 0.26, 0.25, color)
  pen.circle(0.5, 0.32, 0.1, shade(color, 0.4))
  for (const x of [0.42, 0.58]) pen.circle(x, 0.22, 0.03, '#2c2628')
}

export function snowman(pen: Pen): void {
  pen.circle(0.5, 0.76, 0.42, '#f3f6f9')
  pen.circle(0.5, 0.42, 0.32, '#f3f6f9')
  pen.circle(0.5, 0.17, 0.24, '#f3f6f9')
  pen.path('M.5 .16 L.78 .2 L.5 .22 Z', '#e08a3c')
  for (const x of [0.42, 0.58]) pen.circle(x, 0.13, 0.03, '#34343a')
  for (const y of [0.38, 0.48]) pen.circle(0.5, y, 0.03, '#34343a')
}

export function block(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#c8493c', '#4f82b8', '#e9c04b', '#5f9a5b']))
  pen.rect(0, 0, 1, 1, color, 0.06)
  pen.rect(0.14, 0.14, 0.72, 0.72, shade(color, 0.22), 0.06)
}

export function wheel(pen: Pen): void {
  pen.circle(0.5, 0.5, 0.49, '#3a3a3f')
  pen.circle(0.5, 0.5, 0.3, pen.color('#b9bfc6'))
  pen.circle(0.5, 0.5, 0.09, '#3a3a3f')
}

export function guitar(pen: Pen): void {
  const color = pen.color('#b5793f')
  pen.line(0.36, 0.64, 0.95, 0.05, { color: '#5a4636', width: 0.09 })
  pen.circle(0.26, 0.74, 0.25, color)
  pen.circle(0.42, 0.56, 0.18, color)
  pen.circle(0.33, 0.66, 0.09, '#3a2f2a')
}

export function horn(pen: Pen): void {
  const stroke = { color: '#d9ab4a', width: 0.12 }
  pen.path('M.1 .2 L.7 .2 Q.95 .22 .9 .5 Q.84 .76 .55 .72 L.4 .7', 'none', stroke)
  pen.path('M.45 .55 L.05 .95 L.35 1 L.55 .78 Z', '#d9ab4a')
}

export function drum(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.rect(0.02, 0.16, 0.96, 0.68, color)
  pen.oval(0.5, 0.84, 0.48, 0.14, shade(color, -0.2))
  pen.oval(0.5, 0.16, 0.48, 0.14, '#f3eee2')
}

export function piano(pen: Pen): void {
  pen.rect(0, 0, 1, 0.6, pen.color('#34343a'), 0.04)
  pen.rect(0.03, 0.6, 0.94, 0.1, '#f6f3ec')
  for (let x = 0.06; x < 0.95; x += 0.06) pen.rect(x, 0.6, 0.022, 0.06, '#34343a')
  for (const x of [0.05, 0.88]) pen.rect(x, 0.7, 0.07, 0.3, '#34343a')
}

export function trafficLight(pen: Pen): void {
  pen.rect(0, 0, 1, 1, '#3d4148', 0.2)
  for (const [y, color] of [
    [0.2, '#d9554c'],
    [0.5, '#e9c04b'],
    [0.8, '#5f9a5b'],
  ] as const) {
    pen.circle(
      0.5,
      y,
      0.32,
      pen.is('red', 'green', 'yellow') && pen.color(color) !== color ? '#6d6f73' : color,
    )
  }
}

export function hydrant(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.rect(0.06, 0.36, 0.88, 0.16, shade(color, -0.15), 0.05)
  pen.rect(0.24, 0.18, 0.52, 0.74, color, 0.08)
  pen.oval(0.5, 0.18, 0.26, 0.14, color)
  pen.rect(0.12, 0.9, 0.76, 0.1, shade(color, -0.2))
}

export function candle(pen: Pen): void {
  pen.rect(0.24, 0.34, 0.52, 0.66, pen.color('#f3e9d2'), 0.06)
  pen.path('M.5 .02 Q.78 .22 .5 .32 Q.22 .22 .5 .02 Z', '#f0b94b')
}

export function hoop(pen: Pen): void {
  pen.rect(0.08, 0, 0.84, 0.62, '#f6f3ec')
  pen.rect(0.32, 0.26, 0.36, 0.28, '#c8593c')
  pen.rect(0.37, 0.31, 0.26, 0.18, '#f6f3ec')
  pen.line(0.25, 0.66, 0.75, 0.66, { color: '#e0702e', width: 0.06 })
  for (let x = 0.28; x < 0.75; x += 0.1)
    pen.line(x, 0.68, 0.36 + (x - 0.28) * 0.6, 0.98, { color: '#d9d6cc', width: 0.02 })
}

export function statue(pen: Pen): void {
  const color = pen.color('#a9a59b')
  pen.rect(0.1, 0.78, 0.8, 0.22, shade(color, -0.15))
  pen.path('M.34 .78 L.3 .4 Q.5 .2 .7 .4 L.66 .78 Z', color)
  pen.circle(0.5, 0.16, 0.16, color)
  pen.path('M.68 .4 L.92 .14', 'none', { color, width: 0.12 })
}

export function slide(pen: Pen): void {
  const color = pen.color('#d9554c')
  pen.line(0.12, 0.1, 0.12, 1, { color: '#7b8088', width: 0.05 })
  pen.line(0.26, 0.1, 0.26, 1, { color: '#7b8088', width: 0.05 })
  for (let y = 0.25; y < 1; y += 0.16) pen.line(0.12, y, 0.26, y, { color: '#7b8088', width: 0.04 })
  pen.path('M.12 .1 L.3 .1 Q.6 .7 .98 .86 L.98 .96 Q.5 .86 .24 .2 Z', color)
}

export function swing(pen: Pen): void {
  for (const x of [0.2, 0.8]) pen.line(x, 0, x, 0.9, { color: '#7b8088', width: 0.04 })
  pen.rect(0.1, 0.88, 0.8, 0.12, pen.color(WOOD))
}

// Clothes and what is worn

export function hat(pen: Pen): void {
  const color = pen.color('#b99a62')
  pen.path('M.2 .72 Q.2 .04 .5 .04 Q.8 .04 .8 .72 Z', color)
  pen.oval(0.5, 0.76, 0.5, 0.2, shade(color, -0.1))
  pen.rect(0.2, 0.54, 0.6, 0.14, shade(color, -0.4))
}

export function cap(pen: Pen): void {
  const color = pen.color('#4f82b8')
  pen.path('M.12 .75 Q.1 .05 .5 .05 Q.9 .05 .86 .75 Z', color)
  pen.oval(0.3, 0.8, 0.3, 0.14, shade(color, -0.2))
}

export function helmet(pen: Pen): void {
  const color = pen.color('#d9a43c')
  pen.path('M.04 .85 Q0 .03 .5 .03 Q1 .03 .96 .85 Q.5 .66 .04 .85 Z', color)
  pen.path('M.3 .1 Q.5 0 .7 .1 L.66 .62 Q.5 .58 .34 .62 Z', shade(color, 0.22))
}

export function glasses(pen: Pen): void {
  const dark = pen.is('dark', 'black') ? '#34343a' : '#4d535c'
  for (const x of [0.26, 0.74]) pen.oval(x, 0.55, 0.22, 0.4, dark)
  pen.line(0.4, 0.45, 0.6, 0.45, { color: dark, width: 0.14 })
}

export function shirt(pen: Pen): void {
  const color = pen.color('#c65b4b')
  pen.path('M.3 0 Q.5 .12 .7 0 L1 .2 L.9 .5 L.78 .42 L.78 1 L.22 1 L.22 .42 L.1 .5 L0 .2 Z', color)
  pen.line(0.5, 0.12, 0.5, 1, { color: shade(color, -0.25), width: 0.03 })
}

export function dress(pen: Pen): void {
  const color = pen.color('#c97b95')
  pen.path('M.34 0 Q.5 .1 .66 0 L.66 .34 L.98 1 Q.5 1.04 .02 1 L.34 .34 Z', color)
  pen.rect(0.34, 0.32, 0.32, 0.06, shade(color, -0.25))
}

export function apron(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.path('M.3 0 L.34 .24 M.7 0 L.66 .24', 'none', { color, width: 0.06 })
  pen.path('M.28 .2 L.72 .2 L.74 .42 L.94 .5 Q1 .9 .86 1 L.14 1 Q0 .9 .06 .5 L.26 .42 Z', color)
  pen.rect(0.36, 0.56, 0.28, 0.18, shade(color, -0.18))
}

export function scarf(pen: Pen): void {
  const color = pen.color('#c8493c')
  pen.rect(0, 0, 1, 0.4, color, 0.15)
  pen.rect(0.56, 0.25, 0.3, 0.75, shade(color, -0.1), 0.05)
}

export function glove(pen: Pen): void {
  pen.path('M.2 1 L.14 .5 Q.1 .1 .5 .06 Q.9 .1 .86 .5 L.8 1 Z', pen.color('#8a5a3a'))
}

export function shoe(pen: Pen): void {
  const color = pen.color('#8a5a3a')
  pen.path('M.04 .2 L.4 .15 Q.46 .5 .8 .55 Q1 .62 .98 .9 L.04 .9 Z', color)
  pen.rect(0.02, 0.86, 0.98, 0.14, shade(color, -0.4))
}

export function tie(pen: Pen): void {
  const color = pen.color('#4c4a52')
  pen.path('M.5 .5 L0 .1 L0 .9 Z M.5 .5 L1 .1 L1 .9 Z', color)
  pen.circle(0.5, 0.5, 0.2, shade(color, 0.2))
}

export function mask(pen: Pen): void {
  pen.path('M0 .2 Q.5 -.1 1 .2 Q.96 .95 .5 1 Q.04 .95 0 .2 Z', pen.color('#9fc4d6'))
}

// Sport

/** A board seen from the side or from above. */
export function board(pen: Pen): void {
  const color = pen.color('#e9c98a')
  pen.path('M0 .5 Q.08 0 .5 .02 Q.92 0 1 .5 Q.92 1 .5 .98 Q.08 1 0 .5 Z', color)
  if (pen.width > pen.height) pen.line(0.04, 0.5, 0.96, 0.5, { color: shade(color, -0.3), width: 0.08 })
  else pen.line(0.5, 0.04, 0.5, 0.96, { color: shade(color, -0.3), width: 0.08 })
}

export function skateboard(pen: Pen): void {
  pen.rect(0, 0.2, 1, 0.34, pen.color('#4c4a52'), 0.15)
  for (const x of [0.2, 0.8]) pen.circle(x, 0.74, 0.25, '#e9c04b')
}

export function sled(pen: Pen): void {
  const color = pen.color(WOOD)
  pen.rect(0.06, 0.25, 0.86, 0.2, color)
  for (const x of [0.2, 0.5, 0.8]) pen.line(x, 0.45, x, 0.85, { color: shade(color, -0.3), width: 0.06 })
  pen.path('M.04 .88 L.9 .88 Q1.02 .8 .96 .5', 'none', { color: '#7b8088', width: 0.08 })
}

export function frisbee(pen: Pen): void {
  const color = pen.color('#e08a3c')
  pen.oval(0.5, 0.5, 0.5, 0.42, color)
  pen.oval(0.5, 0.42, 0.34, 0.24, shade(color, 0.25))
}

/** What no painter knows, as a thing of its colour. */
export function thing(pen: Pen): void {
  const color = pen.color('#c2b49c')
  pen.rect(0.04, 0.04, 0.92, 0.92, color, 0.2)
  pen.rect(0.14, 0.12, 0.5, 0.14, shade(color, 0.3), 0.05)
}

/** A tube on three legs that looks up. */
export function telescope(pen: Pen): void {
  const color = pen.color('#5b5f66')
  const leg = { color: shade(color, -0.3), width: 0.06 }
  for (const foot of [0.2, 0.5, 0.8]) pen.line(0.5, 0.5, foot, 0.98, leg)
  pen.line(0.12, 0.62, 0.72, 0.22, { color, width: 0.14 })
  pen.line(0.7, 0.235, 0.92, 0.09, { color: shade(color, 0.25), width: 0.2 })
}

/** A bent arm with a tube over a stage. */
export function microscope(pen: Pen): void {
  const color = pen.color('#5b5f66')
  pen.path('M0.62 0.92Q0.98 0.5 0.55 0.22', 'none', { color, width: 0.12 })
  pen.line(0.3, 0.08, 0.5, 0.56, { color: shade(color, -0.25), width: 0.16 })
  pen.rect(0.22, 0.64, 0.46, 0.07, shade(color, 0.3))
  pen.rect(0.14, 0.88, 0.72, 0.12, shade(color, -0.25), 0.05)
}

/** A pyramid with a pendulum. */
export function metronome(pen: Pen): void {
  const color = pen.color('#8d5a3a')
  pen.path('M0.38 0.02L0.62 0.02L0.95 1L0.05 1Z', color)
  pen.path('M0.42 0.2L0.58 0.2L0.74 0.78L0.26 0.78Z', '#f3ead8')
  pen.line(0.5, 0.76, 0.62, 0.12, { color: '#4c4a52', width: 0.05 })
  pen.circle(0.57, 0.36, 0.07, '#d9ab4a')
}

/** Three legs and a canvas with a beginning of a landscape. */
export function easel(pen: Pen): void {
  const leg = { color: WOOD, width: 0.05 }
  pen.line(0.5, 0, 0.1, 1, leg)
  pen.line(0.5, 0, 0.9, 1, leg)
  pen.line(0.5, 0, 0.5, 0.95, leg)
  pen.rect(0.08, 0.16, 0.84, 0.46, '#fbf8f0')
  pen.path('M0.12 0.56Q0.35 0.34 0.55 0.5Q0.7 0.38 0.88 0.56Z', '#9dbf8a')
  pen.circle(0.74, 0.28, 0.07, '#f0c55a')
  pen.rect(0.04, 0.62, 0.92, 0.04, shade(WOOD, -0.2))
}

/** A barrel with a handle below. */
export function handBlower(pen: Pen): void {
  const color = pen.color('#4c4a52')
  pen.rect(0.5, 0.4, 0.2, 0.58, shade(color, -0.2), 0.08)
  pen.rect(0.18, 0.08, 0.72, 0.42, color, 0.2)
  pen.path('M0.2 0.14L0 0.06L0 0.52L0.2 0.44Z', shade(color, 0.25))
}

import { shade } from './colors.js'
import type { Pen } from './pen.js'

/** A surface that fills its box. */
export const ground =
  (color: string) =>
  (pen: Pen): void =>
    pen.rect(0, 0, 1, 1, pen.color(color))

export function sky(pen: Pen): void {
  const color = pen.is('cloudy', 'gray', 'overcast')
    ? '#c9d0d6'
    : pen.is('dark', 'night', 'starry')
      ? '#2d3652'
      : '#cfe3ef'
  const isWarm = pen.is('orange', 'golden', 'pink', 'red')
  pen.rect(0, 0, 1, 1, isWarm ? pen.color(color) : color)
  if (isWarm) pen.rect(0, 0.55, 1, 0.45, shade(pen.color(color), 0.25))
}

export function water(pen: Pen): void {
  const color = pen.color('#6fa3bf')
  pen.rect(0, 0, 1, 1, color)
  for (let row = 1; row < 6; row++) {
    const [x, y] = [pen.chance(row) * 0.6, row / 6]
    pen.line(x, y, x + 0.18, y, { color: shade(color, 0.25), width: 0.012 })
    pen.line(x + 0.3, y + 0.06, x + 0.42, y + 0.06, { color: shade(color, 0.25), width: 0.012 })
  }
}

export function grass(pen: Pen): void {
  const color = pen.color('#8fb46a')
  pen.rect(0, 0, 1, 1, color)
  for (let tuft = 0; tuft < 26; tuft++) {
    const [x, y] = [pen.chance(tuft), 0.05 + 0.92 * pen.chance(tuft + 50)]
    pen.line(x, y, x + 0.006, y - 0.03, { color: shade(color, -0.15), width: 0.01 })
  }
}

export function street(pen: Pen): void {
  const color = pen.color('#8d8f94')
  pen.rect(0, 0, 1, 1, color)
  for (let x = 0.04; x < 1; x += 0.2) pen.rect(x, 0.48, 0.1, 0.035, '#e8e3d2')
}

export function crosswalk(pen: Pen): void {
  for (let x = 0; x < 1; x += 0.2) pen.rect(x, 0, 0.11, 1, '#ecebe6')
}

export function pavement(pen: Pen): void {
  const color = pen.color('#c3bfb6')
  pen.rect(0, 0, 1, 1, color)
  for (let x = 0.2; x < 1; x += 0.2) pen.line(x, 0, x, 1, { color: shade(color, -0.12), width: 0.012 })
}

export function floor(pen: Pen): void {
  const color = pen.color('#c6a67a')
  pen.rect(0, 0, 1, 1, color)
  for (const y of [0.3, 0.6, 0.9]) pen.line(0, y, 1, y, { color: shade(color, -0.1), width: 0.01 })
}

export function wall(pen: Pen): void {
  const color = pen.color('#e7dccb')
  pen.rect(0, 0, 1, 1, color)
  if (!pen.is('brick', 'stone')) return
  for (let row = 0; row < 8; row++) {
    pen.line(0, row / 8, 1, row / 8, { color: shade(color, 0.3), width: 0.01 })
    for (let x = row % 2 === 0 ? 0.1 : 0.05; x < 1; x += 0.1) {
      pen.line(x, row / 8, x, (row + 1) / 8, { color: shade(color, 0.3), width: 0.01 })
    }
  }
}

export function mountain(pen: Pen): void {
  const color = pen.color('#8796a5')
  pen.path('M0 1 L.28 .25 L.42 .5 L.66 .02 L1 1 Z', color)
  pen.path(
    'M.66 .02 L.56 .24 L.64 .2 L.7 .28 L.77 .22 Z M.28 .25 L.22 .4 L.29 .36 L.33 .4 L.34 .35 Z',
    '#f3f6f9',
  )
}

export function hill(pen: Pen): void {
  pen.path('M0 1 Q.1 .3 .4 .12 Q.75 -.08 1 1 Z', pen.color('#9db57e'))
}

export function rock(pen: Pen): void {
  const color = pen.color('#9b978e')
  pen.path('M.02 .98 L.1 .45 L.36 .08 L.68 .16 L.94 .56 L.99 .98 Z', color)
  pen.path('M.36 .08 L.46 .5 L.3 .98 L.02 .98 L.1 .45 Z', shade(color, 0.14))
}

export function cloud(pen: Pen): void {
  const color = pen.color('#f6f8fa')
  for (const [x, y, rx, ry] of [
    [0.3, 0.62, 0.26, 0.34],
    [0.52, 0.42, 0.26, 0.4],
    [0.74, 0.64, 0.24, 0.32],
  ]) {
    pen.oval(x, y, rx, ry, color)
  }
}

export function sun(pen: Pen): void {
  pen.circle(0.5, 0.5, 0.48, '#f3cf6a')
}

export function moon(pen: Pen): void {
  pen.circle(0.5, 0.5, 0.48, '#f2ecd4')
  pen.circle(0.4, 0.4, 0.09, '#dcd5ba')
  pen.circle(0.62, 0.6, 0.07, '#dcd5ba')
}

export function star(pen: Pen): void {
  pen.path(
    'M.5 0 L.62 .36 L1 .38 L.7 .6 L.81 .98 L.5 .76 L.19 .98 L.3 .6 L0 .38 L.38 .36 Z',
    pen.color('#f0ce62'),
  )
}

export function fire(pen: Pen): void {
  pen.path(
    'M.5 .02 Q.95 .45 .78 .8 Q.65 1 .5 .98 Q.3 1 .2 .78 Q.06 .5 .34 .3 Q.36 .5 .46 .5 Q.42 .25 .5 .02 Z',
    '#e0702e',
  )
  pen.path('M.52 .42 Q.76 .66 .62 .9 Q.5 1 .4 .88 Q.3 .7 .52 .42 Z', '#f4c34e')
}

export function smoke(pen: Pen): void {
  for (const [x, y, r] of [
    [0.5, 0.85, 0.14],
    [0.42, 0.6, 0.2],
    [0.58, 0.36, 0.26],
    [0.46, 0.16, 0.26],
  ]) {
    pen.oval(x, y, r, r * 0.8, '#d4d3d1')
  }
}

export function tree(pen: Pen): void {
  const trunk = '#7d5a3c'
  if (pen.is('palm')) {
    pen.path('M.48 1 Q.42 .6 .52 .22', 'none', { color: trunk, width: 0.1 })
    for (const [x, y] of [
      [0.02, 0.3],
      [0.2, 0.02],
      [0.82, 0.02],
      [0.99, 0.32],
      [0.62, 0.42],
    ]) {
      pen.path(
        `M.52 .2 Q${(0.52 + x) / 2} ${y - 0.06} ${x} ${y + 0.08} Q${(0.52 + x) / 2} ${y + 0.1} .52 .2 Z`,
        '#5f9a5b',
      )
    }
    return
  }
  pen.rect(0.43, 0.55, 0.14, 0.45, trunk)
  if (pen.is('bare')) {
    for (const [x, y] of [
      [0.1, 0.2],
      [0.3, 0.05],
      [0.7, 0.05],
      [0.92, 0.25],
    ]) {
      pen.path(`M.5 .62 L${x} ${y}`, 'none', { color: trunk, width: 0.05 })
    }
    return
  }
  const color = pen.color(pen.pick(1, ['#6a9a58', '#7da761', '#5c8d5a']))
  if (pen.chance(2) > 0.75 && pen.height > 1.4 * pen.width) {
    pen.path('M.5 0 L.98 .75 L.02 .75 Z', shade(color, -0.1))
    pen.path('M.5 0 L.85 .42 L.15 .42 Z', color)
    return
  }
  for (const [x, y, rx, ry] of [
    [0.28, 0.45, 0.28, 0.22],
    [0.72, 0.45, 0.28, 0.22],
    [0.5, 0.27, 0.36, 0.27],
    [0.5, 0.5, 0.3, 0.2],
  ]) {
    pen.oval(x, y, rx, ry, color)
  }
  pen.oval(0.4, 0.2, 0.16, 0.1, shade(color, 0.14))
}

export function christmasTree(pen: Pen): void {
  pen.rect(0.44, 0.85, 0.12, 0.15, '#7d5a3c')
  for (const [y, half] of [
    [0.05, 0.26],
    [0.28, 0.38],
    [0.52, 0.48],
  ]) {
    pen.path(`M.5 ${y} L${0.5 + half} ${y + 0.36} L${0.5 - half} ${y + 0.36} Z`, '#4d8655')
  }
  for (let ball = 0; ball < 9; ball++) {
    pen.circle(
      0.26 + 0.48 * pen.chance(ball),
      0.35 + 0.48 * pen.chance(ball + 20),
      0.035,
      pen.pick(ball + 40, ['#c8493c', '#e9c04b', '#4f82b8']),
    )
  }
}

export function bush(pen: Pen): void {
  const color = pen.color('#739d5c')
  pen.oval(0.28, 0.65, 0.28, 0.35, color)
  pen.oval(0.7, 0.65, 0.29, 0.35, color)
  pen.oval(0.5, 0.45, 0.32, 0.42, shade(color, 0.1))
}

export function flower(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#d9637c', '#e9c04b', '#8f74b8', '#e08a3c']))
  if (pen.width > 1.3 * pen.height) {
    for (let index = 0; index < 7; index++) {
      const x = (index + 0.5) / 7
      pen.line(x, 0.45, x, 1, { color: '#5f9a5b', width: 0.05 })
      pen.circle(x, 0.3 + 0.15 * pen.chance(index), 0.16, color)
      pen.circle(x, 0.3 + 0.15 * pen.chance(index), 0.06, '#f3dc8c')
    }
    return
  }
  pen.line(0.5, 0.4, 0.5, 1, { color: '#5f9a5b', width: 0.06 })
  pen.path('M.5 .8 Q.75 .55 .9 .66 Q.75 .86 .5 .8 Z', '#5f9a5b')
  for (let petal = 0; petal < 6; petal++) {
    const angle = (Math.PI * petal) / 3
    pen.circle(0.5 + 0.18 * Math.cos(angle), 0.28 + 0.14 * Math.sin(angle), 0.15, color)
  }
  pen.circle(0.5, 0.28, 0.11, '#f3dc8c')
}

export function houseplant(pen: Pen): void {
  for (const [x, y] of [
    [0.12, 0.3],
    [0.32, 0.04],
    [0.66, 0.02],
    [0.9, 0.28],
    [0.5, 0.12],
  ]) {
    pen.path(
      `M.5 .7 Q${(0.5 + x) / 2 - 0.08} ${y} ${x} ${y} Q${(0.5 + x) / 2 + 0.12} ${y + 0.2} .5 .7 Z`,
      '#6a9a58',
    )
  }
  pen.path('M.26 .66 L.74 .66 L.66 1 L.34 1 Z', pen.color('#b8694a'))
}

export function leaf(pen: Pen): void {
  const color = pen.color('#c98b3c')
  pen.path('M.05 .9 Q.05 .2 .95 .05 Q.95 .75 .05 .9 Z', color)
  pen.line(0.05, 0.9, 0.7, 0.3, { color: shade(color, -0.2), width: 0.04 })
}

/** A building with a roof. */
export function house(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#e9dcc0', '#d9c9b5', '#c8d3d8', '#e3c4a8']))
  pen.path('M0 .38 L.5 0 L1 .38 Z', '#9c5a48')
  pen.rect(0.07, 0.36, 0.86, 0.64, color)
  pen.rect(0.42, 0.62, 0.17, 0.38, '#7d5a3c')
  for (const x of [0.15, 0.67]) {
    pen.rect(x, 0.5, 0.18, 0.2, '#a8c6d6')
    pen.line(x + 0.09, 0.5, x + 0.09, 0.7, { color: '#f6f3ec', width: 0.015 })
  }
}

/** A building with rows of windows. */
export function building(pen: Pen): void {
  const color = pen.color(pen.pick(1, ['#c9b8a4', '#b9c1c9', '#bf8f78', '#d6cdbb']))
  pen.rect(0, 0, 1, 1, color)
  const columns = Math.max(2, Math.min(8, Math.round(pen.width / 40)))
  const rows = Math.max(2, Math.min(9, Math.round(pen.height / 42)))
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const isLit = pen.chance(row * 9 + column) > 0.85
      pen.rect(
        (column + 0.25) / columns,
        (row + 0.25) / rows,
        0.5 / columns,
        0.5 / rows,
        isLit ? '#f1dc9a' : '#7f9db0',
      )
    }
  }
}

export function shop(pen: Pen): void {
  pen.rect(0, 0, 1, 1, pen.color('#d9c3a1'))
  for (let stripe = 0; stripe < 8; stripe++) {
    pen.rect(stripe / 8, 0.12, 1 / 8, 0.22, stripe % 2 === 0 ? '#c65b4b' : '#f6f3ec')
  }
  pen.rect(0.08, 0.42, 0.5, 0.42, '#a8c6d6')
  pen.rect(0.66, 0.42, 0.24, 0.58, '#7d5a3c')
}

export function barn(pen: Pen): void {
  pen.path('M0 .42 L.2 .14 L.5 0 L.8 .14 L1 .42 L1 1 L0 1 Z', pen.color('#a8463a'))
  pen.rect(0.32, 0.52, 0.36, 0.48, '#7e342b')
  pen.path('M.32 .52 L.68 1 M.68 .52 L.32 1', 'none', { color: '#f6f3ec', width: 0.02 })
}

export function tower(pen: Pen): void {
  const color = pen.color('#c9c2b4')
  pen.path('M.26 .22 L.74 .22 L.86 1 L.14 1 Z', color)
  pen.rect(0.22, 0.12, 0.56, 0.12, shade(color, -0.15))
  pen.path('M.24 .12 L.5 0 L.76 .12 Z', '#9c5a48')
  for (const y of [0.4, 0.62]) pen.rect(0.43, y, 0.14, 0.1, '#6f8698')
}

export function lighthouse(pen: Pen): void {
  pen.path('M.34 .2 L.66 .2 L.8 1 L.2 1 Z', '#f6f3ec')
  for (const y of [0.35, 0.65]) pen.path(`M.3 ${y} L.7 ${y} L.74 ${y + 0.14} L.26 ${y + 0.14} Z`, '#c8493c')
  pen.rect(0.38, 0.08, 0.24, 0.13, '#f0d98a')
  pen.path('M.34 .09 L.5 0 L.66 .09 Z', '#c8493c')
}

export function castle(pen: Pen): void {
  const color = pen.color('#d8bd84')
  pen.rect(0.1, 0.45, 0.8, 0.55, color)
  for (const x of [0, 0.4, 0.8]) {
    pen.rect(x, 0.25, 0.2, 0.75, shade(color, -0.06))
    pen.path(`M${x} .25 L${x + 0.1} .02 L${x + 0.2} .25 Z`, shade(color, -0.2))
  }
  pen.path('M.42 1 L.42 .78 Q.5 .66 .58 .78 L.58 1 Z', shade(color, -0.4))
}

export function church(pen: Pen): void {
  const color = pen.color('#e6ddcb')
  pen.rect(0.32, 0.5, 0.68, 0.5, color)
  pen.path('M.3 .5 L.66 .3 L1 .5 Z', '#8d6a58')
  pen.rect(0.06, 0.35, 0.3, 0.65, shade(color, -0.05))
  pen.path('M.03 .36 L.21 .06 L.39 .36 Z', '#8d6a58')
  pen.line(0.21, 0, 0.21, 0.09, { color: '#5a5550', width: 0.02 })
}

export function tent(pen: Pen): void {
  const color = pen.color('#d98a45')
  pen.path('M0 1 L.5 .04 L1 1 Z', color)
  pen.path('M.34 1 L.5 .04 L.66 1 Z', shade(color, -0.3))
}

export function bridge(pen: Pen): void {
  const color = pen.color('#a9907a')
  pen.path('M0 .35 Q.5 .05 1 .35 L1 .55 Q.5 .25 0 .55 Z', color)
  for (const x of [0.06, 0.94]) pen.rect(x - 0.05, 0.35, 0.1, 0.65, shade(color, -0.15))
  pen.path('M.1 1 Q.5 .3 .9 1', 'none', { color: shade(color, -0.15), width: 0.06 })
}

export function pier(pen: Pen): void {
  const color = pen.color('#a98a66')
  for (let x = 0.05; x < 1; x += 0.18) pen.rect(x, 0.3, 0.03, 0.7, shade(color, -0.25))
  pen.rect(0, 0.2, 1, 0.22, color)
}

export function fence(pen: Pen): void {
  const color = pen.color('#b99a72')
  for (const y of [0.3, 0.68]) pen.rect(0, y, 1, 0.1, shade(color, -0.1))
  const posts = Math.max(4, Math.round(pen.width / 22))
  for (let post = 0; post < posts; post++) pen.rect((post + 0.25) / posts, 0.05, 0.5 / posts, 0.95, color)
}

export function railroad(pen: Pen): void {
  for (let x = 0.03; x < 1; x += 0.09) pen.rect(x, 0.1, 0.035, 0.8, '#7d6248')
  for (const y of [0.25, 0.7]) pen.rect(0, y, 1, 0.08, '#8f949a')
}

export function fountain(pen: Pen): void {
  pen.path('M.5 .1 Q.2 .2 .16 .6 M.5 .1 Q.8 .2 .84 .6 M.5 .1 L.5 .6', 'none', {
    color: '#a9cfe0',
    width: 0.03,
  })
  pen.oval(0.5, 0.62, 0.36, 0.07, '#b9b5ab')
  pen.rect(0.44, 0.62, 0.12, 0.25, '#a5a197')
  pen.path('M.02 .8 L.98 .8 L.86 1 L.14 1 Z', '#b9b5ab')
}

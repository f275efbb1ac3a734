import { CLOTHES, HAIR, SKIN, shade, TROUSERS } from './colors.js'
import type { Pen } from './pen.js'

export interface Figure {
  readonly hair: 'short' | 'long' | 'none'
  /** Head as a share of the height: children have larger ones. */
  readonly head: number
  readonly hasSkirt?: boolean
}

type Pose = 'standing' | 'walking' | 'seated' | 'kneeling' | 'lying' | 'riding'

function poseOf(pen: Pen): Pose {
  if (pen.is('lying', 'sleeping', 'reclining') || pen.width > 1.5 * pen.height) return 'lying'
  if (pen.is('seated', 'sitting', 'waiting') || pen.width > 1.05 * pen.height) return 'seated'
  if (pen.is('riding', 'driving')) return 'riding'
  if (pen.is('kneeling', 'crouching', 'squatting', 'bending')) return 'kneeling'
  if (pen.is('running', 'walking', 'jumping', 'dancing', 'skating', 'skiing', 'climbing', 'flying'))
    return 'walking'
  return 'standing'
}

/** A person in any of a few poses; skin, hair and clothes are choices of the seed. */
export function person(pen: Pen, { hair, head, hasSkirt }: Figure): void {
  const pose = poseOf(pen)
  const skin = pen.pick(1, SKIN)
  const tone = pen.is('elderly', 'old', 'gray-haired')
    ? '#d8d6d2'
    : pen.is('blonde')
      ? '#e3c46f'
      : pen.pick(2, HAIR)
  const cloth = pen.pick(3, CLOTHES)
  const legs = hasSkirt && pen.chance(4) > 0.6 ? skin : pen.pick(5, TROUSERS)
  const colors = { skin, tone, cloth, legs }
  if (pose === 'lying') {
    lying(pen, colors, head)
    return
  }
  // A person keeps its proportions in a wide box.
  const share = Math.min(1, (pen.height * 0.55) / pen.width)
  pen.within((1 - share) / 2, 0, share, 1, (inner) => upright(inner, pose, colors, { hair, head, hasSkirt }))
}

interface Colors {
  readonly skin: string
  readonly tone: string
  readonly cloth: string
  readonly legs: string
}

function upright(
  pen: Pen,
  pose: Pose,
  { skin, tone, cloth, legs }: Colors,
  { hair, head, hasSkirt }: Figure,
): void {
  const isLow = pose === 'seated' || pose === 'kneeling' || pose === 'riding'
  const size = isLow ? head * 1.3 : head
  const [neck, hip] = [size * 0.96, isLow ? 0.68 : 0.54]
  const radius = (size * pen.height) / 2 / pen.width
  const shoe = '#3a3638'
  const limb = (width: number, color: string) => ({ color, width })
  // Hair that falls is behind the shoulders.
  if (hair === 'long') pen.rect(0.5 - radius * 0.95, size * 0.3, radius * 1.9, size * 1.15, tone, 0.16)
  // Legs
  if (pose === 'walking') {
    pen.path(`M.46 ${hip} L.3 .77 L.14 .95`, 'none', limb(0.17, legs))
    pen.path(`M.54 ${hip} L.68 .76 L.8 .95`, 'none', limb(0.17, legs))
    pen.oval(0.15, 0.97, 0.13, 0.025, shoe)
    pen.oval(0.83, 0.97, 0.13, 0.025, shoe)
  } else if (pose === 'seated' || pose === 'riding') {
    pen.path(`M.42 ${hip} L.26 .76 L.26 .95`, 'none', limb(0.19, legs))
    pen.path(`M.58 ${hip} L.74 .76 L.74 .95`, 'none', limb(0.19, legs))
    pen.oval(0.24, 0.975, 0.12, 0.025, shoe)
    pen.oval(0.76, 0.975, 0.12, 0.025, shoe)
  } else if (pose === 'kneeling') {
    pen.path(`M.42 ${hip} L.2 .9 L.5 .95`, 'none', limb(0.19, legs))
    pen.path(`M.58 ${hip} L.75 .8 L.75 .95`, 'none', limb(0.19, legs))
  } else {
    pen.path(`M.4 ${hip} L.39 .95`, 'none', limb(0.2, legs))
    pen.path(`M.6 ${hip} L.61 .95`, 'none', limb(0.2, legs))
    pen.oval(0.36, 0.975, 0.14, 0.025, shoe)
    pen.oval(0.64, 0.975, 0.14, 0.025, shoe)
  }
  // Arms
  const arm = shade(cloth, -0.08)
  const [handY, reach] = pose === 'standing' ? [hip + 0.02, 0.12] : [hip - 0.06, 0.08]
  const isRaised = pen.is('waving', 'cheering', 'pointing', 'jumping', 'dancing', 'throwing', 'hanging')
  const hands = isRaised
    ? ([
        [0.08, neck - 0.04],
        [0.92, neck - 0.06],
      ] as const)
    : ([
        [reach, handY],
        [1 - reach, handY],
      ] as const)
  pen.path(
    `M.3 ${neck + 0.05} Q.14 ${(neck + hands[0][1]) / 2 + 0.05} ${hands[0][0]} ${hands[0][1]}`,
    'none',
    limb(0.14, arm),
  )
  pen.path(
    `M.7 ${neck + 0.05} Q.86 ${(neck + hands[1][1]) / 2 + 0.05} ${hands[1][0]} ${hands[1][1]}`,
    'none',
    limb(0.14, arm),
  )
  for (const [x, y] of hands) pen.circle(x, y, 0.075, skin)
  // Body
  const waist = hasSkirt ? 0.3 : 0.28
  pen.path(
    `M.28 ${neck + 0.03} Q.5 ${neck - 0.03} .72 ${neck + 0.03} L${1 - waist} ${hip + 0.02} L${waist} ${hip + 0.02} Z`,
    cloth,
    limb(0.03, cloth),
  )
  if (hasSkirt && !isLow && pen.chance(6) > 0.5) {
    pen.path(`M.3 ${hip - 0.04} L.7 ${hip - 0.04} L.84 ${hip + 0.2} L.16 ${hip + 0.2} Z`, cloth)
  }
  face(pen, 0.5, size / 2, radius, size / 2, { skin, tone }, hair)
}

/** A head; the radii are shares of the width and the height. */
function face(
  pen: Pen,
  x: number,
  y: number,
  rx: number,
  ry: number,
  { skin, tone }: Pick<Colors, 'skin' | 'tone'>,
  hair: Figure['hair'],
): void {
  pen.rect(x - rx * 0.35, y + ry * 0.6, rx * 0.7, ry * 0.7, shade(skin, -0.12))
  pen.oval(x, y, rx * 0.86, ry * 0.94, skin)
  if (hair !== 'none') {
    pen.path(
      `M${x - rx} ${y + ry * 0.1} Q${x - rx * 1.05} ${y - ry * 1.15} ${x} ${y - ry * 1.05} Q${x + rx * 1.05} ${y - ry * 1.15} ${x + rx} ${y + ry * 0.1} Q${x + rx * 0.6} ${y - ry * 0.45} ${x} ${y - ry * 0.4} Q${x - rx * 0.6} ${y - ry * 0.45} ${x - rx} ${y + ry * 0.1} Z`,
      tone,
    )
  }
  if (pen.is('bearded')) {
    pen.path(
      `M${x - rx * 0.8} ${y + ry * 0.1} Q${x} ${y + ry * 0.5} ${x + rx * 0.8} ${y + ry * 0.1} Q${x + rx * 0.7} ${y + ry * 1.2} ${x} ${y + ry * 1.2} Q${x - rx * 0.7} ${y + ry * 1.2} ${x - rx * 0.8} ${y + ry * 0.1} Z`,
      tone,
    )
  }
  if (rx * pen.width < 7) return
  const ink = '#3b2f2b'
  const isAsleep = pen.is('sleeping')
  for (const side of [-1, 1]) {
    if (isAsleep) {
      pen.line(x + side * rx * 0.5, y + ry * 0.08, x + side * rx * 0.22, y + ry * 0.08, {
        color: ink,
        width: 0.012,
      })
    } else {
      pen.oval(x + side * rx * 0.36, y + ry * 0.05, rx * 0.09, ry * 0.09, ink)
    }
  }
  const mouth = pen.is('laughing', 'cheering') ? ry * 0.75 : ry * 0.6
  pen.path(`M${x - rx * 0.3} ${y + ry * 0.45} Q${x} ${y + mouth} ${x + rx * 0.3} ${y + ry * 0.45}`, 'none', {
    color: shade(ink, 0.2),
    width: 0.015,
  })
}

function lying(pen: Pen, { skin, tone, cloth, legs }: Colors, head: number): void {
  const radius = Math.min(0.42, (head * pen.width * 0.62) / pen.height)
  const rx = (radius * pen.height) / pen.width
  pen.path('M.5 .62 L.94 .68', 'none', { color: legs, width: 0.26 })
  pen.oval(0.97, 0.66, 0.03, 0.14, '#3a3638')
  pen.path('M.24 .6 L.56 .62', 'none', { color: cloth, width: 0.42 })
  pen.path('M.3 .62 Q.42 .9 .54 .78', 'none', { color: shade(cloth, -0.1), width: 0.15 })
  pen.circle(0.54, 0.78, 0.08, skin)
  face(pen, rx * 1.1, 0.55, rx, radius, { skin, tone }, 'short')
}

/** Heads and shoulders in rows. */
export function crowd(pen: Pen): void {
  const columns = Math.max(3, Math.round((pen.width / pen.height) * 4))
  for (const row of [0, 1, 2]) {
    for (let column = 0; column < columns; column++) {
      const index = row * columns + column
      const [x, y] = [(column + (row % 2 === 0 ? 0.5 : 0)) / columns, 0.18 + row * 0.28]
      pen.rect(x - 0.42 / columns, y + 0.06, 0.84 / columns, 0.5, pen.pick(index, CLOTHES), 0.1)
      pen.oval(x, y, 0.28 / columns, 0.11, pen.pick(index + 100, SKIN))
      pen.oval(x, y - 0.05, 0.28 / columns, 0.07, pen.pick(index + 200, HAIR))
    }
  }
}

export function baby(pen: Pen): void {
  const skin = pen.pick(1, SKIN)
  pen.oval(0.5, 0.72, 0.4, 0.28, pen.color(pen.pick(3, ['#a9cbe3', '#f0c9d0', '#efe0a8'])))
  face(pen, 0.5, 0.3, 0.3, 0.3, { skin, tone: pen.pick(2, HAIR) }, 'none')
}

import { colorOf } from './colors.js'
import { type Kind, kindOf, Level, lemmaOf, type SceneBox } from './painters.js'
import { createPen, type Shape } from './pen.js'

export interface SceneImage {
  readonly externalId: string
  readonly width: number
  readonly height: number
  readonly boxes: readonly SceneBox[]
}

interface Drawn {
  readonly box: SceneBox
  readonly shapes: readonly Shape[]
}

/** Draws a scene from its boxes, each object as what it is. @returns an SVG file */
export function drawScene(image: SceneImage): string {
  const { width, height } = image
  const objects = draw(image).map(
    ({ box, shapes }) => `<g><title>${box.label}</title>${shapes.map(toElement).join('')}</g>\n`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${backdrop(image).map(toElement).join('')}
${objects.join('')}</svg>
`
}

function toElement({ tag, attributes }: Shape): string {
  const values = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`)
  return `<${tag}${values.join('')}/>`
}

function draw({ externalId, boxes }: SceneImage): Drawn[] {
  const kinds = new Map<SceneBox, Kind>(boxes.map((box) => [box, kindOf(box, boxes)]))
  const order = [...boxes].sort((a, b) => compare(a, b, kinds))
  return order.map((box) => {
    const { pen, shapes } = createPen(box, box.attributes, `${externalId} ${box.externalId}`, colorOf)
    kinds.get(box)?.paint(pen)
    return { box, shapes }
  })
}

/** From the back to the front: by level, then by the lower edge; grounds by their upper edge. */
function compare(a: SceneBox, b: SceneBox, kinds: ReadonlyMap<SceneBox, Kind>): number {
  const [first, second] = [kinds.get(a)?.level ?? Level.Held, kinds.get(b)?.level ?? Level.Held]
  if (first !== second) return first - second
  if (first <= Level.Ground) return b.width * b.height - a.width * a.height
  return a.y + a.height - (b.y + b.height)
}

const INDOORS =
  /^(table|desk|sofa|bed|stove|sink|counter|cabinet|shelf|bookshelf|lamp|chair|armchair|bathtub|curtain|refrigerator|television_receiver|picture|piano|crib|desk|rug|blackboard|stool|mirror|fireplace|bowl|plate|cup|laptop|monitor|workbench|easel)$/

const OUTDOORS =
  /^(sky|tree|grass|ocean|lake|sand|beach|street|road|mountain|field|snow|river|building|house|car|bus|boat|fence|hill|sidewalk|path)$/

/** What is behind all boxes: a wall with a floor, or air above a ground. */
function backdrop({ width, height, boxes }: SceneImage): Shape[] {
  const names = boxes.map(lemmaOf)
  const isOutside = names.some((name) => OUTDOORS.test(name)) || !names.some((name) => INDOORS.test(name))
  const line = height * 0.74
  const hasWater = names.some((name) => ['ocean', 'lake', 'river', 'pond', 'swimming_pool'].includes(name))
  const hasStreet = names.some((name) =>
    ['street', 'road', 'sidewalk', 'car', 'bus', 'building'].includes(name),
  )
  const hasSnow = names.some((name) => ['snow', 'ski', 'sled', 'snowman', 'ice', 'snowboard'].includes(name))
  const ground = hasSnow ? '#f1f5f8' : hasWater ? '#8db5c9' : hasStreet ? '#c3bfb6' : '#a9c283'
  const rect = (attributes: Shape['attributes']): Shape => ({ tag: 'rect', attributes })
  const below = height - line
  return [
    rect({ width, height, fill: isOutside ? '#d9e8f0' : '#eae1d2' }),
    rect({ y: line, width, height: below, fill: isOutside ? ground : '#c9ab80' }),
    ...(isOutside ? [] : [rect({ y: line - 4, width, height: 5, fill: '#f4efe6' })]),
  ]
}

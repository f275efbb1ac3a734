import { useMemo } from 'preact/hooks'
import { colorOf } from './colors'
import { type Kind, kindOf, Level, lemmaOf, type SceneBox } from './painters'
import { createPen, type Shape } from './pen'

export interface SceneImage {
  readonly externalId: string
  readonly width: number
  readonly height: number
  readonly boxes: readonly SceneBox[]
}

interface SceneProps {
  readonly image: SceneImage
  readonly label: string
  /** Ids of the boxes that are marked. */
  readonly marked?: ReadonlySet<string>
  readonly onPoint?: (boxId: string | undefined) => void
}

interface Drawn {
  readonly box: SceneBox
  readonly shapes: readonly Shape[]
}

/** A scene drawn from its boxes: each object as what it is. */
export function Scene({ image, label, marked, onPoint }: SceneProps) {
  const drawn = useMemo(() => draw(image), [image])
  const { width, height } = image
  return (
    <svg
      class="scene"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid slice"
      role="img"
      aria-label={label}
    >
      <Backdrop image={image} />
      {drawn.map(({ box, shapes }) => (
        <g
          key={box.externalId}
          data-box={box.externalId}
          class={marked?.has(box.externalId) ? 'marked' : undefined}
          onPointerEnter={onPoint && (() => onPoint(box.externalId))}
          onPointerLeave={onPoint && (() => onPoint(undefined))}
        >
          <title>{box.label}</title>
          {shapes.map(({ tag: Tag, attributes }, index) => (
            <Tag key={index} {...attributes} />
          ))}
          {marked?.has(box.externalId) && (
            <rect class="frame" x={box.x} y={box.y} width={box.width} height={box.height} />
          )}
        </g>
      ))}
    </svg>
  )
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
function Backdrop({ image: { width, height, boxes } }: { readonly image: SceneImage }) {
  const names = boxes.map(lemmaOf)
  const isOutside = names.some((name) => OUTDOORS.test(name)) || !names.some((name) => INDOORS.test(name))
  const line = height * 0.74
  const hasWater = names.some((name) => ['ocean', 'lake', 'river', 'pond', 'swimming_pool'].includes(name))
  const hasStreet = names.some((name) =>
    ['street', 'road', 'sidewalk', 'car', 'bus', 'building'].includes(name),
  )
  const hasSnow = names.some((name) => ['snow', 'ski', 'sled', 'snowman', 'ice', 'snowboard'].includes(name))
  const ground = hasSnow ? '#f1f5f8' : hasWater ? '#8db5c9' : hasStreet ? '#c3bfb6' : '#a9c283'
  return (
    <>
      <rect width={width} height={height} fill={isOutside ? '#d9e8f0' : '#eae1d2'} />
      <rect y={line} width={width} height={height - line} fill={isOutside ? ground : '#c9ab80'} />
      {!isOutside && <rect y={line - 4} width={width} height={5} fill="#f4efe6" />}
    </>
  )
}

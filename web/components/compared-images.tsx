import { scored, signed } from '../../src/shared/numbers'
import { PEOPLE } from '../../src/shared/verdict'
import { splitAtWords } from '../app/caption-words'
import { type Explored, exploreAddress } from '../app/explore-address'
import { href, Link } from '../app/router'
import type { ComparedImageFragment } from '../generated/documents'
import { Said } from './caption-text'
import { PhotographConsent, Picture } from './picture'

/** Scores of an image by two sides: of people in place of a system, that of their captions. */
export interface Pair {
  readonly id: string
  readonly first: number
  readonly second: number
}

/** A pair of scores, of which the second may not be known. */
export type ShownPair = Omit<Pair, 'second'> & { readonly second: number | null }

/** The scores of images by id; null where an image has none. */
interface Scores {
  readonly externalIds: readonly string[]
  readonly values: readonly (number | null)[] | null | undefined
}

/** The scores of images that both have, by the id of the image. */
export function pairScores(one: Scores | null | undefined, other: Scores | null | undefined): Pair[] {
  const [firsts, seconds] = [one?.values, other?.values]
  if (!one || !other || !firsts || !seconds) return []
  const second = new Map(other.externalIds.map((id, index) => [id, seconds[index]]))
  return firsts.flatMap((value, index) => {
    const id = one.externalIds[index]
    const match = second.get(id) ?? null
    return value === null || match === null ? [] : [{ id, first: value, second: match }]
  })
}

/** The images on which the first side is farthest above the other, and those on which it is farthest below, the farthest first. */
export function farthest(pairs: readonly Pair[], count: number) {
  const sorted = pairs
    .filter(({ first, second }) => first !== second)
    .sort((a, b) => b.first - b.second - (a.first - a.second))
  return {
    above: sorted.filter(({ first, second }) => first > second).slice(0, count),
    below: sorted
      .filter(({ first, second }) => first < second)
      .reverse()
      .slice(0, count),
  }
}

interface ComparedImagesProps {
  readonly dataset: string
  readonly metric: string
  /** Names of both sides: `people` where the second is people. */
  readonly sides: readonly [string, string]
  readonly pairs: readonly ShownPair[]
  readonly images: readonly ComparedImageFragment[]
  /** Captions of the first side by the id of the image, where it is in no list of systems. */
  readonly captions?: ReadonlyMap<string, string>
  /** Systems whose captions are shown beside those of both sides. */
  readonly others?: readonly string[]
  /** That of the pairs by their difference, where the table of all images has it: by a metric. */
  readonly order?: 'ASC' | 'DESC'
  readonly references?: 'equal' | 'all'
}

/** Images with their pictures, what both sides say, how they score, and what people say. */
export function ComparedImages({ pairs, images, order, references, ...common }: ComparedImagesProps) {
  const byId = new Map(images.map((image) => [image.externalId, image]))
  const shown = pairs.flatMap((pair) => {
    const image = byId.get(pair.id)
    return image ? [{ pair, image }] : []
  })
  return (
    <>
      <PhotographConsent images={shown.map(({ image }) => image)} />
      <ul class="compared">
        {shown.map(({ pair, image }) => (
          <Compared key={pair.id} {...common} pair={pair} image={image} />
        ))}
      </ul>
      {order && shown.length > 0 && (
        <p class="note">
          <Link to={exploreAddress(common.dataset, orderOf(common, order, references))}>
            All images in this order
          </Link>
        </p>
      )}
    </>
  )
}

/** The settings of a table with the same order. */
export function orderOf(
  { metric, sides: [by, minus] }: Pick<ComparedImagesProps, 'metric' | 'sides'>,
  order: 'ASC' | 'DESC',
  references: 'equal' | 'all' = 'equal',
): Partial<Explored> {
  const systems = [by, minus].filter((name) => name !== PEOPLE).join('\n')
  return { systems, by, minus, metric, order: order === 'DESC' ? order : '', references }
}

interface ComparedProps extends Omit<ComparedImagesProps, 'pairs' | 'images' | 'order' | 'references'> {
  readonly pair: ShownPair
  readonly image: ComparedImageFragment
}

function Compared({ dataset, metric, sides, pair, image, captions, others = [] }: ComparedProps) {
  const { language } = image.dataset
  const said = wordsOf(image.captions.map(({ text }) => text).join(' '), language)
  const captionOf = (name: string) =>
    (name === sides[0] && captions?.get(image.externalId)) ||
    image.systemCaptions?.nodes.find(({ system }) => system.name === name)?.text
  const scores = [pair.first, pair.second]
  return (
    <li>
      <Link to={href('d', dataset, 'images', image.externalId)}>
        <Picture image={image} />
      </Link>
      <p class="note">
        {metric} {scored(pair.first)}
        {pair.second !== null && ` and ${scored(pair.second)} (${signed(pair.first - pair.second)})`}
      </p>
      <dl>
        {[...sides, ...others].map((name, index) => {
          const text = captionOf(name)
          const score = scores.at(index)
          return (
            text !== undefined && (
              <div key={name}>
                <dt>
                  {name} {typeof score === 'number' && <span class="note">{scored(score)}</span>}
                </dt>
                <dd>
                  <Confirmed text={text} said={said} language={language} />
                </dd>
              </div>
            )
          )
        })}
        <div>
          <dt class="people-text">
            {PEOPLE}{' '}
            {sides[1] === PEOPLE && pair.second !== null && <span class="note">{scored(pair.second)}</span>}
          </dt>
          {image.captions.slice(0, 5).map(({ text }) => (
            <dd key={text}>
              <Said language={language}>{text}</Said>
            </dd>
          ))}
        </div>
      </dl>
    </li>
  )
}

/** Words that say nothing of an image. */
const FUNCTION_WORDS = new Set(
  'a an the of in on at to with and or for from by as is are be being that this it its there their his her up down out into over near next while who which some'.split(
    ' ',
  ),
)

/** The words of a text, in lower case. */
export const wordsOf = (text: string, language: string): ReadonlySet<string> =>
  new Set(splitAtWords(text.toLowerCase(), language))

interface ConfirmedProps {
  readonly text: string
  readonly said: ReadonlySet<string>
  readonly language: string
  /** Whether words that people say are marked, too. */
  readonly isMarked?: boolean
}

/** A caption in which words that no person says of the image are underlined. */
export function Confirmed({ text, said, language, isMarked = false }: ConfirmedProps) {
  return (
    <Said language={language}>
      {splitAtWords(text, language).map((piece, index) => {
        const word = piece.toLowerCase()
        if (index % 2 === 0 || FUNCTION_WORDS.has(word)) return piece
        if (said.has(word)) return isMarked ? <mark key={index}>{piece}</mark> : piece
        return (
          <u key={index} title="No person says this of the image.">
            {piece}
          </u>
        )
      })}
    </Said>
  )
}

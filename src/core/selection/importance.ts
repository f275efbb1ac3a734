import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { keyedRandom } from '../stats/random.js'
import type { MarkedText, Mention } from '../text/mention-markup.js'
import type { Box, BoxedImage, Description } from './scenes.js'

/** Importance of a concept: how often people mention it when an image shows it. */
export interface ConceptImportance {
  readonly concept: string
  /** Number of images with a box of the concept. */
  readonly images: number
  /** Number of descriptions of those images that mention at least one box. */
  readonly present: number
  /** Number of those descriptions that mention a box of the concept. */
  readonly named: number
  /** named / present, 0..1. Null if `present` is 0. */
  readonly importance: number | null
  readonly undefinedReason: UndefinedReason | null
}

/**
 * Computes the importance of every concept that has a box, in order of first appearance. As in the content
 * selection metric, descriptions that mention no box are ignored. A description that mentions several boxes of a
 * concept counts once.
 */
export function conceptImportance(
  images: readonly BoxedImage[],
  descriptions: readonly Description[],
): ConceptImportance[] {
  const mentionsOfImage = new Map<string, (readonly string[])[]>(images.map(({ imageId }) => [imageId, []]))
  for (const { imageId, mentions } of descriptions) {
    if (mentions.length > 0) mentionsOfImage.get(imageId)?.push(mentions)
  }
  const counts = new Map<string, { images: number; present: number; named: number }>()
  for (const { imageId, boxes } of images) {
    const conceptOfBox = new Map(boxes.map(({ id, concept }) => [id, concept]))
    const ofImage = mentionsOfImage.get(imageId)!
    const namedConcepts = ofImage.map((mentions) => new Set(mentions.map((box) => conceptOfBox.get(box))))
    for (const concept of new Set(conceptOfBox.values())) {
      const count = counts.get(concept) ?? { images: 0, present: 0, named: 0 }
      count.images++
      count.present += ofImage.length
      count.named += namedConcepts.filter((named) => named.has(concept)).length
      counts.set(concept, count)
    }
  }
  return [...counts].map(([concept, count]) => ({
    concept,
    ...count,
    importance: count.present > 0 ? count.named / count.present : null,
    undefinedReason: count.present > 0 ? null : 'NO_DESCRIPTIONS',
  }))
}

const CONNECTIVES = [
  'above',
  'against',
  'along',
  'among',
  'and',
  'around',
  'at',
  'behind',
  'below',
  'beneath',
  'beside',
  'by',
  'in',
  'inside',
  'near',
  'on',
  'under',
  'underneath',
  'with',
]

/**
 * Generates the sentence of a baseline (Wang & Gaizauskas 2015, section 4.3 and figure 5): the first term of the
 * concept of each selected box, joined by random prepositions and conjunctions, followed by "the" with
 * probability 1/2. Each term is a mention of its box. Returns an empty text if no box is selected.
 *
 * @param key the random words depend on the seed and this key, usually the image id
 * @throws AccordError OUT_OF_RANGE if the seed is not a safe integer
 */
export function writeSentence(selected: readonly Box[], seed: number, key: string): MarkedText {
  const random = keyedRandom(seed, `sentence of ${key}`)
  const mentions: Mention[] = []
  let text = ''
  for (const { id, concept } of selected) {
    const term = firstTerm(concept)
    if (text !== '') {
      text += ` ${CONNECTIVES[random.below(CONNECTIVES.length)]} ${random.below(2) === 0 ? 'the ' : ''}`
    }
    const words = text === '' ? capitalize(term) : term
    mentions.push({ start: text.length, end: text.length + words.length, text: words, boxIds: [id] })
    text += words
  }
  return { text: text === '' ? '' : `${text}.`, mentions }
}

/**
 * Returns the first term of a concept: `car` for `car, auto, automobile`, `car.n.01` and `car`. Underscores become
 * spaces, as in WordNet.
 */
export function firstTerm(concept: string): string {
  const [first] = concept.split(/[,;]/).filter((term) => term.trim() !== '')
  const term = (first ?? concept).trim()
  return term.replace(/\.[a-z]\.\d+$/, '').replaceAll('_', ' ')
}

function capitalize(term: string): string {
  const [first = '', ...rest] = term
  return first.toUpperCase() + rest.join('')
}

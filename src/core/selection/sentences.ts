import type { MarkedText, Mention } from '../text/mention-markup.js'
import { keyedRandom } from './keyed-random.js'
import type { Box } from './scenes.js'

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

import type { ObjectVocabulary } from './object-vocabulary.js'

/** An object that captions of a system mention and nothing confirms, beside how often people say it. */
export interface UnconfirmedObject {
  readonly name: string
  /** Unconfirmed mentions. */
  readonly mentionCount: number
  /** Numbers of the images with an unconfirmed mention, in the order in which they were added. */
  readonly images: readonly number[]
  /** Of the captions of the system, and of those of people for the same images, how many mention it, confirmed or not. */
  readonly captionCount: number
  readonly humanCaptionCount: number
  /** The same as shares of the captions, 0 to 1. */
  readonly rate: number
  readonly humanRate: number
}

/** What is said of an image, as objects. */
interface MentionedObjects {
  readonly said: Iterable<number>
  /** One list for each caption of people. */
  readonly references: readonly Iterable<number>[]
  readonly annotated: Iterable<number>
}

/** Counts the mentions that CHAIR counts as unconfirmed (src/core/metrics/chair.ts), by object. */
export interface UnconfirmedCounter {
  add(image: number, mentioned: MentionedObjects): void
  /** The most frequent first, equal ones by name. */
  list(): UnconfirmedObject[]
}

interface Counted {
  mentions: number
  captions: number
  humanCaptions: number
  readonly images: number[]
}

export function createUnconfirmedCounter(vocabulary: ObjectVocabulary): UnconfirmedCounter {
  const counted = new Map<number, Counted>()
  let captions = 0
  let humanCaptions = 0
  const countOf = (object: number): Counted => {
    const known = counted.get(object)
    if (known) return known
    const added: Counted = { mentions: 0, captions: 0, humanCaptions: 0, images: [] }
    counted.set(object, added)
    return added
  }
  return {
    add(image, { said, references, annotated }) {
      captions++
      humanCaptions += references.length
      const lists = references.map((reference) => [...new Set(reference)])
      const all = [...annotated, ...lists.flat()]
      const groupOf = vocabulary.groupsOf(all)
      const confirmed = new Set(all.map(groupOf))
      const mentions = [...said]
      for (const object of lists.flat()) countOf(object).humanCaptions++
      for (const object of new Set(mentions)) countOf(object).captions++
      for (const object of mentions) {
        if (confirmed.has(groupOf(object))) continue
        const own = countOf(object)
        own.mentions++
        if (own.images.at(-1) !== image) own.images.push(image)
      }
    },
    list() {
      return [...counted]
        .filter(([, { mentions }]) => mentions > 0)
        .map(([object, own]) => ({
          name: vocabulary.nameOf(object),
          mentionCount: own.mentions,
          images: own.images,
          captionCount: own.captions,
          humanCaptionCount: own.humanCaptions,
          rate: own.captions / captions,
          humanRate: own.humanCaptions / humanCaptions,
        }))
        .sort((one, other) => other.mentionCount - one.mentionCount || (one.name < other.name ? -1 : 1))
    },
  }
}

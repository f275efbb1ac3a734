import type { JudgementKind, Preference, Rating } from '../../core/judgements/judgement.js'
import { quote } from '../../errors.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import {
  captionText,
  describeValue,
  invalidValue,
  type Locate,
  requireCaption,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/** Human judgements on captions, as a file contains them. */
export interface JudgementFile {
  readonly kind: JudgementKind
  readonly images: readonly JudgedImage[]
  /** The judged captions; those of preferences have no ratings. */
  readonly captions: readonly JudgedCaptionText[]
  /** Empty for ratings. */
  readonly preferences: readonly NamedPreference[]
  /** Captions that were left out because they are references of the same image. */
  readonly ownCaptionCount: number
  /**
   * Ratings that are NaN, null or an empty field instead of a number, and comparisons of captions without an answer. They are left
   * out.
   */
  readonly missingRatingCount: number
}

/** An image with its reference captions; null where the file has none: the image belongs to an existing dataset. */
export interface JudgedImage {
  readonly externalId: string
  readonly references: readonly string[] | null
  /** The place of the image, for errors. */
  readonly at: Locate
}

export interface JudgedCaptionText {
  /** Index of the image. */
  readonly image: number
  readonly text: string
  /** Name of the system that wrote the caption; null in all captions where the file names none. */
  readonly system: string | null
  readonly ratings: readonly Rating[]
}

/** A preference with the id that the file gives it; positions are those in `captions`. */
interface NamedPreference extends Preference {
  readonly externalId: string
}

/** How judgements are read. */
/** Names of the fields of a rating: keys of JSON, paths of keys, or columns. */
export interface RatingNames {
  readonly image?: string
  readonly caption?: string
  readonly rating?: string
  readonly references?: string
  readonly system?: string
  readonly rater?: string
}

export interface JudgementReading {
  /** The file of captions that some formats have beside that of the judgements. */
  readonly captions?: InputFile
  /** Of ratings, one in each record or row: what the file calls their fields. Default: recognized. */
  readonly columns?: RatingNames
  readonly onProgress?: ReadProgress
}

/** A rated caption of a file, not checked yet. */
interface RatedCaption {
  /** Index of the image. */
  readonly image: number
  readonly caption: unknown
  /** Undefined where the file names none. */
  readonly system: unknown
  readonly ratings: readonly Rating[]
}

/** A caption of a preference, not checked yet, with its place and that of its system. */
interface ComparedCaption {
  readonly caption: unknown
  /** Undefined where the file names none. */
  readonly system: unknown
  readonly at: Locate
  readonly atSystem: Locate
}

interface ComparedCaptions {
  /** Index of the image. */
  readonly image: number
  readonly captions: readonly [ComparedCaption, ComparedCaption]
  /** Default: the number of the preference. */
  readonly id?: string
  /** 0 for the first caption, 1 for the second, null for a tie. */
  readonly preferred: 0 | 1 | null
  readonly category?: string
}

/** The category of preferences without one. */
const NO_CATEGORY = 'all'

export type JudgementCollector = ReturnType<typeof collectJudgements>

/**
 * Collects the judgements of a file, and checks what all formats have in common. An empty caption is valid: systems produce them,
 * and people rate them.
 */
export function collectJudgements() {
  const images = new Map<string, { readonly index: number; readonly image: JudgedImage }>()
  const captions: (JudgedCaptionText & { readonly ratings: Rating[] })[] = []
  const preferences: NamedPreference[] = []
  const preferenceIds = new Set<string>()
  const systemsOfImages = new Set<string>()
  /** Positions of captions to which ratings are added, by image, system and text. */
  const positions = new Map<string, number>()
  let missingRatingCount = 0
  let ownCaptionCount = 0

  /** The system of a caption: named for all captions, or for none. */
  function systemName(value: unknown, at: Locate): string | null {
    if (value !== undefined && typeof value !== 'string')
      throw wrongShape(at(), 'a name', describeValue(value))
    const system = value === undefined ? null : requireCaption(value, at)
    if (captions.length > 0 && (captions[0].system === null) !== (system === null)) {
      const [expected, found] = system === null ? ['a system', 'none'] : ['none', 'a system']
      throw wrongShape(at(), `${expected}, as in the first caption`, found)
    }
    return system
  }

  function addRated({ image, caption, system: name, ratings }: RatedCaption, at: Locate): void {
    const text = requireText(caption, () => at('caption'))
    const system = systemName(name, () => at('system'))
    captions.push({ image, text, system, ratings: [...ratings] })
  }

  return {
    /**
     * The index of an image.
     *
     * @throws AccordError INVALID_SHAPE unless all records or none have references, those of an image the same
     */
    imageOf(externalId: string, references: JudgedImage['references'], at: Locate): number {
      const known = images.get(externalId)
      if (known === undefined) {
        const [first] = images.values()
        if (first !== undefined) requireSamePresence(references, first.image.references, at)
        images.set(externalId, { index: images.size, image: { externalId, references, at } })
        return images.size - 1
      }
      requireSameReferences(references, known.image.references, at)
      return known.index
    },

    /** Adds a caption with all its ratings. @throws AccordError DUPLICATE_ID for a second caption of a system for an image */
    addRatings(rated: RatedCaption, at: Locate): void {
      const { image, system } = rated
      addRated(rated, at)
      if (typeof system === 'string')
        requireFirst(systemsOfImages, JSON.stringify([image, system]), at('system'), system)
    },

    /** Adds ratings to those of the same caption, by the same system, of the image. */
    addToRatings(rated: RatedCaption, at: Locate): void {
      const key = JSON.stringify([rated.image, rated.system ?? null, rated.caption])
      const position = positions.get(key)
      if (position !== undefined) captions[position].ratings.push(...rated.ratings)
      else {
        positions.set(key, captions.length)
        addRated(rated, at)
      }
    },

    /** @throws AccordError DUPLICATE_ID for an id that another preference has */
    addPreference(compared: ComparedCaptions, at: Locate): void {
      const { image, preferred, category = NO_CATEGORY } = compared
      const externalId = compared.id ?? String(preferences.length + 1)
      requireFirst(preferenceIds, externalId, at('id'), externalId)
      const first = captions.length
      for (const { caption, system, at: atCaption, atSystem } of compared.captions) {
        const text = requireText(caption, atCaption)
        captions.push({ image, text, system: systemName(system, atSystem), ratings: [] })
      }
      preferences.push({ externalId, first, second: first + 1, preferred, category })
    },

    /** A rating as a list; empty where it is missing, which is counted. */
    readRating(value: unknown, rater: string | null, at: Locate): Rating[] {
      const rating = toRating(value, at)
      if (rating !== null) return [{ rater, value: rating }]
      missingRatingCount++
      return []
    },

    /** Counts a comparison of captions that has no answer. */
    leaveUnanswered(): void {
      missingRatingCount++
    },

    /** Counts a judged caption that is left out because it is a reference of its image. */
    leaveOut(): void {
      ownCaptionCount++
    },

    finish(file: InputFile): JudgementFile {
      if (captions.length === 0) throw wrongShape({ source: file }, 'at least one judged caption', 'none')
      const kind = preferences.length > 0 ? 'PREFERENCES' : 'RATINGS'
      const all = Array.from(images.values(), ({ image }) => image)
      return { kind, images: all, captions, preferences, ownCaptionCount, missingRatingCount }
    },
  }
}

function requireText(value: unknown, at: Locate): string {
  if (typeof value !== 'string') throw wrongShape(at(), 'a string', describeValue(value))
  return captionText(value, at)
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

/** A rating, which can be written as text; null where it is missing. */
function toRating(value: unknown, at: Locate): number | null {
  const text = typeof value === 'string' ? value.trim() : null
  if (value === null || text === '' || text?.toLowerCase() === 'nan') return null
  if (typeof value !== 'number' && !(text !== null && NUMBER.test(text))) {
    throw wrongShape(at(), 'a number or null', describeValue(value))
  }
  const rating = Number(value)
  if (Number.isFinite(rating)) return rating
  throw invalidValue('invalid rating', at(), 'a finite number', String(value))
}

/** @throws AccordError DUPLICATE_ID for a key that is known; otherwise adds it */
function requireFirst(known: Set<string>, key: string, at: ReturnType<Locate>, id: string): void {
  if (known.has(key)) {
    throw wrongValue('DUPLICATE_ID', 'duplicate id', at, 'a unique id', `${quote(id)} again`)
  }
  known.add(key)
}

function requireSamePresence(
  references: JudgedImage['references'],
  first: JudgedImage['references'],
  at: Locate,
): void {
  if ((references === null) === (first === null)) return
  const [expected, found] = first === null ? ['none', 'references'] : ['references', 'none']
  throw wrongShape(at('references'), `${expected}, as in the first line`, found)
}

function requireSameReferences(
  references: JudgedImage['references'],
  known: JudgedImage['references'],
  at: Locate,
): void {
  if (references === known || JSON.stringify(references) === JSON.stringify(known)) return
  throw wrongShape(at('references'), 'the same references in all lines of an image', 'others')
}

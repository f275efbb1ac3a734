import type { JudgementKind, Preference, Rating } from '../../core/judgements/judgement.js'
import { quote } from '../../errors.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import { parseJsonLine } from '../io/json-lines.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  type JsonObject,
  type Locate,
  locateLine,
  requireArray,
  requireCaption,
  requireId,
  requireObject,
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

/** The category of preferences without one. */
const NO_CATEGORY = 'all'

/**
 * Reads human judgements from JSON Lines, ratings or preferences in all lines:
 *
 *     {"image_id", "references": [..]?, "captions": [{"caption", "system"?, "ratings": [1, null, 3]}]}
 *     {"image_id", "references": [..]?, "captions": ["..", ".."], "systems"?: ["..", ".."],
 *      "preferred": 0, 1 or "tie", "category"?, "id"?}
 *
 * Ratings are a list, or an object by rater id (`{"anna": 3, "ben": null}`); null is a missing rating. `references` are
 * in all lines or in none, and are equal in all lines of an image. Systems are named for all captions or for none; a
 * system has one rated caption of an image. Other keys are ignored.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON, INVALID_SHAPE and INVALID_VALUE with the number of the line;
 *   DUPLICATE_ID for a preference
 */
export function readJudgementLines(file: InputFile, onProgress?: ReadProgress): JudgementFile {
  const reader = createReader()
  for (const line of readLines(file, onProgress)) {
    const at = locateLine(file, line.number)
    reader.add(requireObject(parseJsonLine(file, line), at), at)
  }
  return reader.finish(file)
}

function createReader() {
  const images = new Map<string, { readonly index: number; readonly image: JudgedImage }>()
  const captions: JudgedCaptionText[] = []
  const preferences: NamedPreference[] = []
  const ids = new Set<string>()
  const rated = new Set<string>()
  let kind: JudgementKind | undefined

  function imageOf(record: JsonObject, at: Locate): number {
    const externalId = requireId(record, 'image_id', at)
    const references = readReferences(record, at)
    const known = images.get(externalId)
    if (known === undefined) {
      const [first] = images.values()
      if (first !== undefined) requireSamePresence(references, first.image.references, at)
      images.set(externalId, { index: images.size, image: { externalId, references, at } })
      return images.size - 1
    }
    requireSameReferences(references, known.image.references, at)
    return known.index
  }

  /** The system of a caption: named for all captions, or for none. */
  function readSystem(value: unknown, at: Locate): string | null {
    if (value !== undefined && typeof value !== 'string')
      throw wrongShape(at(), 'a name', describeValue(value))
    const system = value === undefined ? null : requireCaption(value, at)
    if (captions.length > 0 && (captions[0].system === null) !== (system === null)) {
      const [expected, found] = system === null ? ['a system', 'none'] : ['none', 'a system']
      throw wrongShape(at(), `${expected}, as in the first caption`, found)
    }
    return system
  }

  function addRatings(record: JsonObject, image: number, at: Locate): void {
    for (const [index, value] of requireArray(record, 'captions', at).entries()) {
      const atCaption: Locate = (key) => at(`captions[${index}]${key === undefined ? '' : `.${key}`}`)
      const judged = requireObject(value, atCaption)
      const text = requireCaption(judged.caption, () => atCaption('caption'))
      const system = readSystem(judged.system, () => atCaption('system'))
      if (system !== null) requireFirst(rated, JSON.stringify([image, system]), atCaption('system'), system)
      captions.push({ image, text, system, ratings: readRatings(judged.ratings, () => atCaption('ratings')) })
    }
  }

  function addPreference(record: JsonObject, image: number, at: Locate): void {
    const texts = requireArray(record, 'captions', at)
    if (texts.length !== 2) throw wrongShape(at('captions'), 'two captions', describeLength(texts.length))
    const { preferred } = record
    if (preferred !== 0 && preferred !== 1 && preferred !== 'tie') {
      throw wrongShape(at('preferred'), '0, 1 or "tie"', describeValue(preferred))
    }
    const systems = record.systems === undefined ? [] : requireArray(record, 'systems', at)
    if (systems.length !== 0 && systems.length !== 2) {
      throw wrongShape(at('systems'), 'two systems', describeLength(systems.length))
    }
    const externalId = record.id === undefined ? String(preferences.length + 1) : requireId(record, 'id', at)
    requireFirst(ids, externalId, at('id'), externalId)
    const first = captions.length
    for (const index of [0, 1]) {
      captions.push({
        image,
        text: requireCaption(texts[index], () => at(`captions[${index}]`)),
        system: readSystem(systems[index], () => at(`systems[${index}]`)),
        ratings: [],
      })
    }
    const category = record.category === undefined ? NO_CATEGORY : requireId(record, 'category', at)
    const choice = preferred === 'tie' ? null : preferred
    preferences.push({ externalId, first, second: first + 1, preferred: choice, category })
  }

  return {
    add(record: JsonObject, at: Locate): void {
      const own: JudgementKind = 'preferred' in record ? 'PREFERENCES' : 'RATINGS'
      kind ??= own
      if (own !== kind) {
        const expected = kind === 'RATINGS' ? 'ratings, as before' : 'a preference, as before'
        throw wrongShape(at(), expected, own === 'RATINGS' ? 'ratings' : 'a preference')
      }
      const image = imageOf(record, at)
      if (kind === 'RATINGS') addRatings(record, image, at)
      else addPreference(record, image, at)
    },
    finish(file: InputFile): JudgementFile {
      if (kind === undefined || captions.length === 0) {
        throw wrongShape({ source: file }, 'at least one judged caption', 'none')
      }
      const all = Array.from(images.values(), ({ image }) => image)
      return { kind, images: all, captions, preferences, ownCaptionCount: 0 }
    },
  }
}

/** @throws AccordError DUPLICATE_ID for a key that is known; otherwise adds it */
function requireFirst(known: Set<string>, key: string, at: ReturnType<Locate>, id: string): void {
  if (known.has(key)) {
    throw wrongValue('DUPLICATE_ID', 'duplicate id', at, 'a unique id', `${quote(id)} again`)
  }
  known.add(key)
}

function readReferences(record: JsonObject, at: Locate): string[] | null {
  if (record.references === undefined) return null
  const references = requireArray(record, 'references', at)
  if (references.length === 0) throw wrongShape(at('references'), 'at least one caption', 'none')
  return references.map((reference, index) => requireCaption(reference, () => at(`references[${index}]`)))
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
  if (JSON.stringify(references) === JSON.stringify(known)) return
  throw wrongShape(at('references'), 'the same references in all lines of an image', 'others')
}

function readRatings(value: unknown, at: Locate): Rating[] {
  if (Array.isArray(value)) {
    return value.flatMap((rating: unknown, index) => {
      const place = at()
      return toRating(null, rating, () => ({ ...place, place: `${place.place}[${index}]` }))
    })
  }
  if (typeof value !== 'object' || value === null) {
    throw wrongShape(at(), 'a list of ratings, or an object by rater', describeValue(value))
  }
  return Object.entries(value).flatMap(([rater, rating]) => {
    const place = at()
    return toRating(rater, rating, () => ({ ...place, place: `${place.place}[${quote(rater)}]` }))
  })
}

/** The rating in a list; none where it is missing. */
function toRating(rater: string | null, value: unknown, at: Locate): Rating[] {
  if (value === null) return []
  if (typeof value !== 'number') throw wrongShape(at(), 'a number or null', describeValue(value))
  if (!Number.isFinite(value)) {
    throw wrongValue('INVALID_VALUE', 'invalid rating', at(), 'a finite number', String(value))
  }
  return [{ rater, value }]
}

function describeLength(length: number): string {
  return length === 0 ? 'none' : String(length)
}

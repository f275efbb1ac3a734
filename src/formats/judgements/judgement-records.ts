import type { Rating } from '../../core/judgements/judgement.js'
import { quote } from '../../errors.js'
import { type InputFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json.js'
import { readJsonArray } from '../io/json-stream.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  type JsonObject,
  type Locate,
  locateElement,
  locateLine,
  requireArray,
  requireCaption,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from '../io/values.js'
import {
  collectJudgements,
  type JudgementCollector,
  type JudgementFile,
  type JudgementReading,
} from './judgements.js'

/** A missing rating may be `NaN`, as Python writes it. */
const DIALECT = { isNanNull: true }

/** A record of judgements, with its place. */
export interface JudgementRecord {
  readonly record: JsonObject
  readonly at: Locate
}

/**
 * Reads human judgements from JSON records, in lines or in one list, all ratings or all preferences:
 *
 *     {"image_id", "references": [..]?, "captions": [{"caption", "system"?, "ratings": [1, null, 3]}]}
 *     {"image_id", "references": [..]?, "captions": ["..", ".."], "systems"?: ["..", ".."],
 *      "preferred": 0, 1 or "tie", "category"?, "id"?}
 *
 * Ratings are a list, an object by rater id (`{"anna": 3, "ben": null}`), or one as `rating`; null and NaN are missing ratings.
 * `references` are in all records or in none, and are equal in all records of an image. Systems are named for all captions or for
 * none; a system has one rated caption of an image. Other keys are ignored.
 *
 * Also those of THumB (Kasai et al. 2022), with references in its other file, and of CapArena (Cheng et al. 2025):
 *
 *     {"seg_id", "SYS", "hyp", "image", "human_score"}     and     {"seg_id", "refs": [..]}
 *     {"image" or "img", "caption1", "caption2", "source1", "source2", "winner": the name of a source, "tie" or "equal"}
 *
 * A battle whose winner is `skip`, `bad`, null or empty has no answer, and is counted as a missing rating is.
 *
 * @param captions the other file of THumB
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON, INVALID_SHAPE and INVALID_VALUE with the place of the record; DUPLICATE_ID
 *   for a preference; NOT_APPLICABLE for captions beside other records than those of THumB
 */
export function readJudgementRecords(
  records: Iterable<JudgementRecord>,
  file: InputFile,
  captions: InputFile | undefined,
): JudgementFile {
  const collector = collectJudgements()
  let segments: Segments | null = null
  let kind: Kind | undefined
  for (const { record, at } of records) {
    const own = kindOf(record)
    if (kind === undefined && captions !== undefined) {
      if (own !== 'THUMB') throw needlessCaptions(captions, file)
      segments = readSegments(captions)
    }
    kind ??= own
    if (own !== kind) throw wrongShape(at(), `${KINDS[kind]}, as before`, KINDS[own])
    ADDERS[own](collector, record, at, segments)
  }
  return collector.finish(file)
}

/** The error for a file of captions beside judgements that have theirs. */
export function needlessCaptions(captions: InputFile, file: InputFile) {
  const expected = 'none, or judgements of Flickr8k, THumB or PASCAL-50S'
  return wrongValue(
    'NOT_APPLICABLE',
    'the judgements contain the captions',
    { source: captions },
    expected,
    nameOf(file),
  )
}

/** The records of a file of JSON Lines. */
export function* recordsOfLines(
  file: InputFile,
  { onProgress }: JudgementReading = {},
): Generator<JudgementRecord> {
  for (const line of readLines(file, onProgress)) {
    const at = locateLine(file, line.number)
    yield { record: requireObject(parseJsonLine(file, line, DIALECT), at), at }
  }
}

/** The records of a JSON list. */
export function* recordsOfList(
  file: InputFile,
  { onProgress }: JudgementReading = {},
): Generator<JudgementRecord> {
  for (const { index, value } of readJsonArray(file, onProgress, DIALECT)) {
    const at = locateElement(file, '', index)
    yield { record: requireObject(value, at), at }
  }
}

/** References by segment. */
type Segments = ReadonlyMap<string, readonly string[]>

/**
 * Reads the references of THumB by segment: lines of `{"seg_id", "refs": ["..", ".."]}`.
 *
 * @throws AccordError the errors of `readLines`; INVALID_JSON, INVALID_SHAPE and INVALID_VALUE with the number of the line
 */
function readSegments(file: InputFile): Segments {
  const references = new Map<string, readonly string[]>()
  for (const { record, at } of recordsOfLines(file)) {
    references.set(requireId(record, 'seg_id', at), requireReferences(record, 'refs', at))
  }
  return references
}

const KINDS = {
  RATINGS: 'ratings',
  PREFERENCES: 'a preference',
  THUMB: 'a rating of THumB',
  BATTLES: 'a battle of captions',
} as const

type Kind = keyof typeof KINDS

function kindOf(record: JsonObject): Kind {
  if ('hyp' in record) return 'THUMB'
  if ('caption1' in record || 'caption2' in record) return 'BATTLES'
  return 'preferred' in record ? 'PREFERENCES' : 'RATINGS'
}

const ADDERS: Readonly<
  Record<
    Kind,
    (collector: JudgementCollector, record: JsonObject, at: Locate, segments: Segments | null) => void
  >
> = { RATINGS: addRatings, PREFERENCES: addPreference, THUMB: addSegment, BATTLES: addBattle }

function addRatings(collector: JudgementCollector, record: JsonObject, at: Locate): void {
  const image = collector.imageOf(requireId(record, 'image_id', at), readReferences(record, at), at)
  for (const [index, value] of requireArray(record, 'captions', at).entries()) {
    const atCaption: Locate = (key) => at(`captions[${index}]${key === undefined ? '' : `.${key}`}`)
    const { caption, system, ratings, rating } = requireObject(value, atCaption)
    const read =
      ratings === undefined && rating !== undefined
        ? collector.readRating(rating, null, () => atCaption('rating'))
        : readRatings(collector, ratings, () => atCaption('ratings'))
    collector.addRatings({ image, caption, system, ratings: read }, atCaption)
  }
}

function addPreference(collector: JudgementCollector, record: JsonObject, at: Locate): void {
  const image = collector.imageOf(requireId(record, 'image_id', at), readReferences(record, at), at)
  const captions = requireArray(record, 'captions', at)
  if (captions.length !== 2) throw wrongShape(at('captions'), 'two captions', describeLength(captions.length))
  const { preferred } = record
  if (preferred !== 0 && preferred !== 1 && preferred !== 'tie') {
    throw wrongShape(at('preferred'), '0, 1 or "tie"', describeValue(preferred))
  }
  const systems = record.systems === undefined ? [] : requireArray(record, 'systems', at)
  if (systems.length !== 0 && systems.length !== 2) {
    throw wrongShape(at('systems'), 'two systems', describeLength(systems.length))
  }
  const captionAt = (index: number) => ({
    caption: captions[index],
    system: systems[index],
    at: () => at(`captions[${index}]`),
    atSystem: () => at(`systems[${index}]`),
  })
  const compared = {
    image,
    captions: [captionAt(0), captionAt(1)],
    id: record.id === undefined ? undefined : requireId(record, 'id', at),
    preferred: preferred === 'tie' ? null : preferred,
    category: record.category === undefined ? undefined : requireId(record, 'category', at),
  } as const
  collector.addPreference(compared, at)
}

/** A rating of THumB. Its parts (precision, recall, penalties) are not read: the score is made of them. */
function addSegment(
  collector: JudgementCollector,
  record: JsonObject,
  at: Locate,
  segments: Segments | null,
): void {
  const segment = requireId(record, 'seg_id', at)
  const references = segments?.get(segment) ?? null
  if (segments !== null && references === null) {
    throw wrongShape(at('seg_id'), 'a segment with references in the file of captions', quote(segment))
  }
  const image = collector.imageOf(requireId(record, 'image', at), references, at)
  const ratings = collector.readRating(record.human_score, null, () => at('human_score'))
  collector.addRatings({ image, caption: record.hyp, system: record.SYS, ratings }, (key) =>
    at(key === 'caption' ? 'hyp' : 'SYS'),
  )
}

/** How battles name their sides, and what they call a tie. */
const SIDES = [
  ['model_a', 'model1', 'source1', 'caption1', '1'],
  ['model_b', 'model2', 'source2', 'caption2', '2'],
] as const
const TIE = /^(?:tie|tied|equal|same|both|draw)\b/i
const NO_ANSWER = /^(?:skip|skipped|bad|null|nan)?$/i

function addBattle(collector: JudgementCollector, record: JsonObject, at: Locate): void {
  const { winner } = record
  const name = winner === null ? '' : String(winner).trim()
  if (NO_ANSWER.test(name)) {
    collector.leaveUnanswered()
    return
  }
  const imageKey = ['image', 'img', 'image_id'].find((key) => record[key] !== undefined) ?? 'image'
  const image = collector.imageOf(requireId(record, imageKey, at), readReferences(record, at), at)
  const captionAt = (number: 1 | 2) => {
    const key = [`source${number}`, `model${number}`].find((name) => record[name] !== undefined)
    const system = key === undefined ? undefined : record[key]
    return {
      caption: record[`caption${number}`],
      system,
      at: () => at(`caption${number}`),
      atSystem: () => at(key),
    }
  }
  const captions = [captionAt(1), captionAt(2)] as const
  const byName = captions.map(({ system }) => system === name)
  const side = byName.includes(true)
    ? byName.indexOf(true)
    : SIDES.findIndex((names) => (names as readonly string[]).includes(name.toLowerCase()))
  if (side < 0 && !TIE.test(name)) {
    const names = captions.flatMap(({ system }) => (typeof system === 'string' ? [system] : []))
    const expected = `${[...names, 'model_a', 'model_b'].join(', ')} or tie`
    throw wrongShape(at('winner'), expected, describeValue(winner))
  }
  const id = record.id === undefined ? undefined : requireId(record, 'id', at)
  const category = record.category === undefined ? undefined : requireId(record, 'category', at)
  collector.addPreference({ image, captions, id, preferred: side < 0 ? null : (side as 0 | 1), category }, at)
}

function readReferences(record: JsonObject, at: Locate): readonly string[] | null {
  const key = ['references', 'refs'].find((name) => record[name] !== undefined)
  return key === undefined ? null : requireReferences(record, key, at)
}

/** @throws AccordError INVALID_SHAPE unless it is a list of captions that is not empty */
export function requireReferences(record: JsonObject, key: string, at: Locate): readonly string[] {
  const references = requireArray(record, key, at)
  if (references.length === 0) throw wrongShape(at(key), 'at least one caption', 'none')
  return references.map((reference, index) => requireCaption(reference, () => at(`${key}[${index}]`)))
}

function readRatings(collector: JudgementCollector, value: unknown, at: Locate): Rating[] {
  const place = at()
  if (Array.isArray(value)) {
    return value.flatMap((rating: unknown, index) =>
      collector.readRating(rating, null, () => ({ ...place, place: `${place.place}[${index}]` })),
    )
  }
  if (typeof value !== 'object' || value === null) {
    throw wrongShape(place, 'a list of ratings, or an object by rater', describeValue(value))
  }
  return Object.entries(value).flatMap(([rater, rating]) =>
    collector.readRating(rating, rater, () => ({ ...place, place: `${place.place}[${quote(rater)}]` })),
  )
}

function describeLength(length: number): string {
  return length === 0 ? 'none' : String(length)
}

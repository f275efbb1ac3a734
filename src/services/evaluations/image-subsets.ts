import { detectLanguage } from '../../core/text/languages.js'
import { UNKNOWN_LANGUAGE } from '../../core/text/tokenization.js'
import { AccordError, quote } from '../../errors.js'
import { LANGUAGE } from '../../formats/coco/coco-captions.js'
import { countBoxesOfImages } from '../../store/boxes.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptions, readImageFields } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

/** Some images of a dataset: those with one value of a field. */
export interface Subset<Id> {
  readonly value: string
  /** In the order of the dataset. */
  readonly images: readonly Id[]
}

/** The field of the number of boxes of an image. */
const OBJECTS = 'objects'

/** Maximum number of subsets: a field with more values tells images apart, and not kinds of them. */
const MAX_SUBSETS = 50

/**
 * The images of a dataset by the values of a field that the file of its captions has, such as `domain` or `split`, by `objects`,
 * the number of their boxes, or by `language`, that of their captions as they show it (BCP 47, `und` for none), where the file does
 * not have it. Images without a value are in no subset.
 *
 * @throws AccordError NOT_APPLICABLE for a field that no image has; OUT_OF_RANGE for one with more than 50 values
 */
export async function readSubsets(
  session: Session,
  { id, name }: Dataset,
  field: string,
): Promise<Subset<number>[]> {
  const fields = await readImageFields(session, id)
  const own = groupByField(fields, field, name)
  if (own !== null) return own
  if (field === LANGUAGE) return groupByField(await findLanguages(session, fields.keys()), field, name) ?? []
  const counts = field === OBJECTS ? await countBoxesOfImages(session, id) : new Map<number, number>()
  if (counts.size === 0) throw noField(fields, field, name)
  const kinds = Array.from(
    fields,
    ([image]) => [image, { [OBJECTS]: kindOfCount(counts.get(image) ?? 0) }] as const,
  )
  return groupByField(new Map(kinds), field, name) ?? []
}

/** The language that the captions of each image show. */
async function findLanguages(session: Session, images: Iterable<number>): Promise<ImageFieldsById<number>> {
  const texts = new Map<number, string[]>()
  for (const { imageId, text } of await readCaptions(session, [...images], ['imageId', 'text'])) {
    const own = texts.get(imageId)
    if (own) own.push(text)
    else texts.set(imageId, [text])
  }
  return new Map(
    Array.from(texts, ([image, own]) => [
      image,
      { [LANGUAGE]: detectLanguage(own).language ?? UNKNOWN_LANGUAGE },
    ]),
  )
}

/**
 * The fields by which {@link readSubsets} divides the images of a dataset: those of its file with 2 to 50 values, in the order in
 * which images have them, and `objects` where images have boxes.
 */
export async function listSubsetFields(session: Session, { id }: Dataset): Promise<string[]> {
  const values = new Map<string, Set<string>>()
  for (const own of (await readImageFields(session, id)).values())
    for (const [field, value] of Object.entries(own))
      values.set(field, (values.get(field) ?? new Set()).add(value))
  const names = Array.from(values, ([field, found]) =>
    found.size > 1 && found.size <= MAX_SUBSETS ? field : null,
  )
  const fields = names.filter((field) => field !== null)
  const hasBoxes = !values.has(OBJECTS) && (await countBoxesOfImages(session, id)).size > 0
  return hasBoxes ? [...fields, OBJECTS] : fields
}

/** The images of a file by the values of a field. Fails as {@link readSubsets}. */
export function subsetsOfFile<Id>(fields: ImageFieldsById<Id>, field: string, source: string): Subset<Id>[] {
  const subsets = groupByField(fields, field, source)
  if (subsets === null) throw noField(fields, field, source)
  return subsets
}

/** The fields of images by id. */
type ImageFieldsById<Id> = ReadonlyMap<Id, Readonly<Record<string, string>>>

function groupByField<Id>(fields: ImageFieldsById<Id>, field: string, source: string): Subset<Id>[] | null {
  const groups = new Map<string, Id[]>()
  for (const [image, { [field]: value }] of fields) {
    if (value === undefined) continue
    const group = groups.get(value) ?? []
    group.push(image)
    groups.set(value, group)
  }
  if (groups.size === 0) return null
  if (groups.size > MAX_SUBSETS) {
    throw new AccordError('OUT_OF_RANGE', `${quote(field)} has too many values`, {
      source,
      expected: `at most ${MAX_SUBSETS}`,
      found: String(groups.size),
    })
  }
  return Array.from(groups, ([value, images]) => ({ value, images })).sort((one, other) =>
    compareValues(one.value, other.value),
  )
}

/** Numbers by value, before texts by code units. */
function compareValues(one: string, other: string): number {
  const [first, second] = [Number.parseFloat(one), Number.parseFloat(other)]
  if (Number.isNaN(first) !== Number.isNaN(second)) return Number.isNaN(first) ? 1 : -1
  if (first !== second && !Number.isNaN(first)) return first - second
  return one < other ? -1 : one > other ? 1 : 0
}

function noField<Id>(fields: ImageFieldsById<Id>, field: string, source: string): AccordError {
  const known = new Set([...fields.values()].flatMap((own) => Object.keys(own)))
  const names = [...known].slice(0, 10).join(', ')
  return new AccordError('NOT_APPLICABLE', 'no image has this field', {
    source,
    expected: names === '' ? 'a dataset whose images have fields, or boxes' : `one of ${names}`,
    found: quote(field),
  })
}

/** Ranges of numbers of boxes. */
function kindOfCount(count: number): string {
  if (count <= 2) return '0–2'
  if (count <= 5) return '3–5'
  return count <= 9 ? '6–9' : '10 or more'
}

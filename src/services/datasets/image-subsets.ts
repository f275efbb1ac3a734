import { detectLanguage } from '../../core/text/languages.js'
import { UNKNOWN_LANGUAGE } from '../../core/text/tokenization.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { LANGUAGE } from '../../formats/coco/coco-captions.js'
import { countBoxesOfImages, entryOf, readBoxedDatasets } from '../../store/boxes.js'
import { readContentState } from '../../store/datasets.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readCaptions, readImageFields } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { cached, createCache } from '../shared/cache.js'
import { groupBy } from '../shared/groups.js'
import { groupByField, type ImageFieldsById, MAX_SUBSETS, noField, type Subset } from './field-subsets.js'

/** The field of the number of boxes of an image. */
const OBJECTS = 'objects'

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

/** Images whose language is found between two turns of the event loop. */
const IMAGES_PER_TURN = 200

/** The language that the captions of each image show. */
async function findLanguages(session: Session, images: Iterable<number>): Promise<ImageFieldsById<number>> {
  const languages = new Map<number, Readonly<Record<string, string>>>()
  const all = [...images]
  for (let start = 0; start < all.length; start += IMAGES_PER_TURN) {
    await yieldToEventLoop()
    const ids = all.slice(start, start + IMAGES_PER_TURN)
    const captions = groupBy(await readCaptions(session, ids, ['imageId', 'text']), ({ imageId }) => imageId)
    for (const [image, own] of captions) {
      const { language } = detectLanguage(own.map(({ text }) => text))
      languages.set(image, { [LANGUAGE]: language ?? UNKNOWN_LANGUAGE })
    }
  }
  return languages
}

/**
 * The fields by which {@link readSubsets} divides the images of a dataset: those of its file with 2 to 50 values, in the order in
 * which images have them, and `objects` where images have boxes.
 */
export async function listSubsetFields(session: Session, { id }: Dataset): Promise<string[]> {
  const values = new Map<string, Set<string>>()
  for (const own of (await readImageFields(session, id)).values())
    for (const [field, value] of Object.entries(own)) entryOf(values, field, () => new Set()).add(value)
  const names = Array.from(values, ([field, found]) =>
    found.size > 1 && found.size <= MAX_SUBSETS ? field : null,
  )
  const fields = names.filter((field) => field !== null)
  const hasBoxes = !values.has(OBJECTS) && (await readBoxedDatasets(session, [id])).size > 0
  return hasBoxes ? [...fields, OBJECTS] : fields
}

/** Of each database, by the state of a dataset: its subsets by a field. */
const subsetsIn = createCache<readonly Subset<number>[]>(16)

/** {@link readSubsets}, cached until something of the dataset changes. */
export async function cachedSubsets(
  database: Database,
  dataset: Dataset,
  field: string,
): Promise<readonly Subset<number>[]> {
  return cached(subsetsIn(database), [await readContentState(database, [dataset.id]), field], () =>
    readSubsets(database, dataset, field),
  )
}

const fieldsIn = createCache<readonly string[]>(64)

/** {@link listSubsetFields}, cached until something of the dataset changes. */
export async function cachedSubsetFields(database: Database, dataset: Dataset): Promise<readonly string[]> {
  return cached(fieldsIn(database), [await readContentState(database, [dataset.id])], () =>
    listSubsetFields(database, dataset),
  )
}

/** Ranges of numbers of boxes. */
function kindOfCount(count: number): string {
  if (count <= 2) return '0–2'
  if (count <= 5) return '3–5'
  return count <= 9 ? '6–9' : '10 or more'
}

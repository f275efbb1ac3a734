import { yieldToEventLoop } from '../../event-loop.js'
import { encodeFrequencies } from '../../formats/words/frequencies.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import type { ImageProperty } from '../../store/images.js'
import type { Dataset, Image } from '../../store/schema/dataset-tables.js'
import { requireCaptions } from '../datasets/require-subjects.js'
import { hashDataset } from '../evaluations/document-source.js'
import { listImages } from '../images/image-lists.js'
import { captionsByImage, systemCaptionsByImage } from '../images/images.js'
import type { Accord } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireSystem } from '../systems/systems.js'

/** Images that are read together. */
const IMAGES_PER_READ = 1000

/** The human captions of a dataset as a file in COCO captions format, in parts. Ids of digits are numbers. */
export async function* exportCaptions(accord: Accord, dataset: Dataset): AsyncGenerator<string> {
  yield '{"images":['
  yield* recordsOf(accord, dataset, async (images) =>
    images.map(({ externalId, fileName, url, width, height }) => ({
      id: toCocoId(externalId),
      ...(fileName !== null && { file_name: fileName }),
      ...(url !== null && { coco_url: url }),
      ...(width !== null && { width }),
      ...(height !== null && { height }),
    })),
  )
  yield '],"annotations":['
  yield* recordsOf(accord, dataset, async (images) => {
    const captions = await captionsByImage(accord, idsOf(images))
    return images.flatMap(({ id, externalId }) =>
      (captions.get(id) ?? []).map((caption) => ({
        id: toCocoId(caption.externalId),
        image_id: toCocoId(externalId),
        caption: caption.text,
      })),
    )
  })
  yield ']}\n'
}

/** Document frequencies of all human captions, as a file. @throws AccordError NOT_APPLICABLE for a dataset without captions */
export async function exportFrequencies(accord: Accord, dataset: Dataset): Promise<Buffer> {
  return encodeFrequencies(await hashDataset(accord.database, await accord.threads(), dataset), dataset)
}

/**
 * The captions of a system as a file in COCO results format, in parts.
 *
 * @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a system without captions
 */
export async function* exportResults(accord: Accord, dataset: Dataset, name: string): AsyncGenerator<string> {
  requireCaptions(await requireSystem(accord, dataset, name))
  yield '['
  yield* recordsOf(accord, dataset, async (images) => {
    const captions = await systemCaptionsByImage(accord, idsOf(images), { names: [name] })
    return images.flatMap(({ id, externalId }) =>
      (captions.get(id) ?? []).map(({ text }) => ({ image_id: toCocoId(externalId), caption: text })),
    )
  })
  yield ']\n'
}

/** Records of all images of a dataset as the elements of a JSON array, a line for each, in parts. */
async function* recordsOf(
  accord: Accord,
  dataset: Dataset,
  toRecords: (images: readonly Image[]) => Promise<readonly object[]>,
): AsyncGenerator<string> {
  let separator = ''
  for await (const images of imagesInParts(accord, dataset)) {
    const records = await toRecords(images)
    if (records.length === 0) continue
    yield separator + records.map((record) => JSON.stringify(record)).join(',\n')
    separator = ',\n'
  }
}

/** The images of a dataset in their order, some at a time. @param only the properties that they have. Default: all */
export async function* imagesInParts(
  accord: Accord,
  dataset: Dataset,
  only?: readonly ImageProperty[],
): AsyncGenerator<readonly Image[]> {
  const images = await listImages(accord, dataset, {}, only)
  for (let after: PageRequest['after']; ; ) {
    await yieldToEventLoop()
    const page = await images.page({ limit: IMAGES_PER_READ, after, fromEnd: false })
    yield page.rows.map(({ row }) => row)
    if (!page.hasNextPage) return
    after = page.rows.at(-1)?.position
  }
}

/** Ids of COCO are integers. */
function toCocoId(externalId: string): string | number {
  const number = Number(externalId)
  return Number.isSafeInteger(number) && String(number) === externalId ? number : externalId
}

import { encodeFrequencies } from '../../formats/words/frequencies.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import { readImageIds } from '../../store/images.js'
import type { Dataset, Image } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import { requireCaptions } from '../datasets/subjects.js'
import {
  type DocumentOptions,
  hashDataset,
  hashOfDocuments,
  requireDocuments,
} from '../evaluations/document-source.js'
import { imageScoresById, listMetrics, scoreOfImage, scoresBySystem } from '../evaluations/scores.js'
import { captionsByImage, listImages, systemCaptionsByImage } from '../images/images.js'
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

/** Stored image scores of systems. */
export interface ImageScoreTable {
  /** Metrics by which at least one system has been evaluated. */
  readonly metrics: readonly string[]
  /** By system, images in the order of the dataset. */
  readonly rows: readonly {
    readonly system: string
    readonly imageId: string
    /** Aligned to `metrics`; null for a metric by which the system has not been evaluated. */
    readonly scores: readonly (number | null)[]
    /** How they were made, aligned to `metrics`. */
    readonly signatures: readonly (string | null)[]
  }[]
  /** The systems without any. */
  readonly unscored: readonly string[]
}

export interface ImageScoreOptions extends DocumentOptions {
  /** Names. Default: all captioning systems. */
  readonly systems?: readonly string[]
  /** k: mean scores over the folds of k references. Default: against all captions. */
  readonly references?: number
}

/** @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a named system without captions */
export async function exportImageScores(
  accord: Accord,
  dataset: Dataset,
  { systems: names, references, ...documents }: ImageScoreOptions,
): Promise<ImageScoreTable> {
  const systems = await chooseSystems(accord, dataset, names)
  const source = await requireDocuments(accord.database, documents)
  const hash = await hashOfDocuments(accord.database, source)
  const scores = await scoresBySystem(accord, idsOf(systems), references, hash)
  const evaluated = new Set([...scores.values()].flat().map(({ metric }) => metric))
  const metrics = (await listMetrics(accord)).map(({ name }) => name).filter((name) => evaluated.has(name))
  const idOf = await readImageIds(accord.database, dataset.id)
  const rows: ImageScoreTable['rows'][number][] = []
  for (const system of systems) {
    const ofSystem = scores.get(system.id) ?? []
    const values = await imageScoresById(accord, idsOf(ofSystem))
    const columns = metrics.map((metric) => {
      const score = ofSystem.find((row) => row.metric === metric)
      return score && values.get(score.id)
    })
    const signatures = metrics.map(
      (metric) => ofSystem.find((row) => row.metric === metric)?.signature ?? null,
    )
    for (const [imageId, id] of idOf) {
      const cells = columns.map((column) => (column && scoreOfImage(column, id)) ?? null)
      if (cells.some((cell) => cell !== null))
        rows.push({ system: system.name, imageId, scores: cells, signatures })
    }
  }
  const scored = new Set(rows.map(({ system }) => system))
  const unscored = systems.map(({ name }) => name).filter((name) => !scored.has(name))
  return { metrics, rows, unscored }
}

async function chooseSystems(
  accord: Accord,
  dataset: Dataset,
  names: readonly string[] | undefined,
): Promise<System[]> {
  if (names) {
    const systems = await Promise.all(names.map((name) => requireSystem(accord, dataset, name)))
    systems.forEach(requireCaptions)
    return systems
  }
  const all = await listUsualSystems(accord.database, [dataset.id])
  return all.filter(({ kind }) => kind === 'CAPTIONS')
}

/** Records of all images of a dataset as the elements of a JSON array, a line for each, in parts. */
async function* recordsOf(
  accord: Accord,
  dataset: Dataset,
  toRecords: (images: readonly Image[]) => Promise<readonly object[]>,
): AsyncGenerator<string> {
  const images = listImages(accord, dataset, {})
  let separator = ''
  for (let after: PageRequest['after']; ; ) {
    const page = await images.page({ limit: IMAGES_PER_READ, after, fromEnd: false })
    const records = await toRecords(page.rows.map(({ row }) => row))
    if (records.length > 0) {
      yield separator + records.map((record) => JSON.stringify(record)).join(',\n')
      separator = ',\n'
    }
    if (!page.hasNextPage) return
    after = page.rows.at(-1)?.position
  }
}

/** Ids of COCO are integers. */
function toCocoId(externalId: string): string | number {
  const number = Number(externalId)
  return Number.isSafeInteger(number) && String(number) === externalId ? number : externalId
}

import { createDatasetHash, createResultsHash } from '../../src/compute/content-hash.js'
import { tokenize } from '../../src/core/text/tokenizer.js'
import { createDataset, deleteDataset, finishDataset, listDatasets } from '../../src/store/datasets.js'
import type { Session } from '../../src/store/engine/session.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { findImages, insertCaptions, insertImages, reserveImageIds } from '../../src/store/images.js'
import { ENTITIES } from '../../src/store/schema/entities.js'
import { finishSystem, insertSystem, insertSystemCaptions } from '../../src/store/systems.js'
import { saveTokens } from '../../src/store/tokens.js'
import { failureOf } from '../formats/kit.js'

export interface DatasetOptions {
  /** K. Default: 1. */
  readonly captionsPerImage?: number
  /** Width of every image; unknown if absent. */
  readonly width?: number
  readonly height?: number
}

/** Writes a dataset with captions by image id, without words. Returns its id. */
export function captionedDataset(
  session: Session,
  name: string,
  captionsOf: Readonly<Record<string, readonly string[]>>,
  { captionsPerImage = 1, width, height }: DatasetOptions = {},
): Promise<number> {
  return session.transaction(async (session) => {
    const images = Object.entries(captionsOf)
    const datasetId = await createDataset(session, name)
    const firstId = await reserveImageIds(session, images.length)
    const content = createDatasetHash()
    for (const [externalId, texts] of images) {
      content.addImage(
        externalId,
        texts.map((text, index) => ({ externalId: String(index), text })),
      )
    }
    const rows = images.map(([externalId, { length }]) => ({
      externalId,
      fileName: null,
      url: null,
      width: width ?? null,
      height: height ?? null,
      fields: null,
      captionCount: length,
    }))
    await insertImages(session, datasetId, firstId, rows)
    const captions = images.flatMap(([, texts], image) =>
      texts.map((text, position) => ({ imageId: firstId + image, position, text })),
    )
    const tokens = await tokensOf(
      session,
      captions.map(({ text }) => text),
    )
    await insertCaptions(
      session,
      captions.map((caption, index) => ({
        ...caption,
        externalId: `caption ${index}`,
        tokens: tokens[index],
      })),
    )
    await finishDataset(session, datasetId, {
      captionsPerImage,
      imageCount: images.length,
      captionCount: captions.length,
      excludedImageCount: images.filter(([, { length }]) => length < captionsPerImage).length,
      revision: content.digest(captionsPerImage),
      wordRevision: null,
    })
    return datasetId
  })
}

/** Writes a captioning system with captions by row id of the image, without words. Returns its id. */
export function captioningSystem(
  session: Session,
  datasetId: number,
  name: string,
  captions: readonly { readonly imageId: number; readonly text: string }[],
): Promise<number> {
  return session.transaction(async (session) => {
    const counts = { imageCount: captions.length, missingImageCount: 0 }
    const systemId = await insertSystem(session, { datasetId, name, ...counts }, 'CAPTIONS')
    const tokens = await tokensOf(
      session,
      captions.map(({ text }) => text),
    )
    await insertSystemCaptions(
      session,
      systemId,
      captions.map((caption, index) => ({ ...caption, tokens: tokens[index] })),
    )
    const content = createResultsHash()
    const ids = captions.map(({ imageId }) => imageId)
    const externalIds = new Map((await findImages(session, ids)).map((image) => [image.id, image.externalId]))
    for (const { imageId, text } of captions) content.addCaption(externalIds.get(imageId)!, text)
    const known = { content: content.digest(), wordRevision: null, missingCountedCount: 0 }
    await finishSystem(session, systemId, known)
    return systemId
  })
}

/** Removes all datasets with everything that belongs to them. */
export async function removeDatasets(session: Session): Promise<void> {
  for (const { id } of await listDatasets(session)) await deleteDataset(session, id)
}

/** The number of rows of every table. */
export async function rowCounts(session: Session): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of ENTITIES) {
    const [{ count }] = await session.all<{ count: number }>(sql`SELECT COUNT(*) AS count FROM ${raw(name)}`)
    counts[name] = count
  }
  return counts
}

/** The code and message of the AccordError of a rejected promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([promise])
  return failureOf(() => {
    if (outcome.status === 'rejected') throw outcome.reason
  })
}

/** The token ids of each text, in the order of appearance. */
async function tokensOf(session: Session, texts: readonly string[]): Promise<Int32Array[]> {
  const words = texts.map((text) => tokenize(text))
  const distinct = [...new Set(words.flat())]
  const ids = await saveTokens(session, distinct)
  const idOf = new Map(distinct.map((word, index) => [word, ids[index]]))
  return words.map((caption) => Int32Array.from(caption, (word) => idOf.get(word)!))
}

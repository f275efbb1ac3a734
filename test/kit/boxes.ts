import type { Database } from '../../src/store/database.js'
import { insertDataset } from '../../src/store/datasets.js'
import { insertCaptionSystem } from '../../src/store/systems.js'
import { failureOf } from '../formats/kit.js'

const NO_TOKENS = new Int32Array(0)

/** A data set with the captions of each image, by image id, and no words. Returns its id. */
export function captionedDataset(
  database: Database,
  name: string,
  captionsOf: Readonly<Record<string, readonly string[]>>,
  size: { readonly width: number | null; readonly height: number | null } = { width: null, height: null },
): number {
  const captions = Object.values(captionsOf).flat()
  const firstCaption = new Int32Array(Object.keys(captionsOf).length + 1)
  for (const [index, { length }] of Object.values(captionsOf).entries()) {
    firstCaption[index + 1] = firstCaption[index] + length
  }
  return insertDataset(database, {
    name,
    captionsPerImage: 1,
    excludedImageCount: 0,
    images: Object.keys(captionsOf).map((externalId) => ({ externalId, fileName: null, url: null, ...size })),
    captions: captions.map((text, index) => ({ externalId: `caption ${index}`, text })),
    firstCaption,
    sequences: { tokens: NO_TOKENS, offsets: new Int32Array(captions.length + 1) },
    words: [],
    counts: { words: NO_TOKENS, captionCounts: NO_TOKENS, images: NO_TOKENS },
  })
}

/** A captioning system with the caption of each image, by row of the image. Returns its id. */
export function captioningSystem(
  database: Database,
  datasetId: number,
  name: string,
  captions: readonly { readonly imageId: number; readonly text: string }[],
): number {
  return insertCaptionSystem(database, {
    datasetId,
    name,
    imageCount: captions.length,
    missingImageCount: 0,
    captions,
    sequences: { tokens: NO_TOKENS, offsets: new Int32Array(captions.length + 1) },
    texts: [],
    words: [],
  })
}

/** The number of rows of every table. */
export function rowCounts({ connection }: Database): Record<string, number> {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck()
    .all()
  return Object.fromEntries(
    (tables as string[]).map((table) => [
      table,
      connection.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number,
    ]),
  )
}

/** The code and message of the expected failure that a promise ends in. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([promise])
  return failureOf(() => {
    if (outcome.status === 'rejected') throw outcome.reason
  })
}

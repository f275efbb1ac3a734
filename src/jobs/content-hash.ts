/**
 * Hashes of what was imported: they identify datasets and systems in the records of how figures were made, in any
 * database. Each is a SHA-256 over the sum, modulo 2^256, of the SHA-256 of the parts: it does not depend on their order,
 * and needs no memory.
 */
import { hash } from 'node:crypto'
import { saveRevision } from '../store/datasets.js'
import type { Dataset, System } from '../store/entities.js'
import { listImageIds, readImportedCaptions } from '../store/images.js'
import type { Session } from '../store/session.js'
import { finishSystem, readImportedResults } from '../store/systems.js'
import { readWordScores, type StoredWordScores } from '../store/word-scores.js'
import { listWords } from '../store/words.js'

/** A hash of parts that are added in any order. */
export interface ContentHash {
  add(part: string | Uint8Array): void
  /** @param header what the whole has beside its parts */
  digest(header: readonly (string | number)[]): string
}

const LIMBS = 8
const LIMB = 2 ** 32

export function createContentHash(): ContentHash {
  const sum = new Float64Array(LIMBS)
  let count = 0
  return {
    add(part) {
      const digest = sha256(part)
      let carry = 0
      for (let limb = 0; limb < LIMBS; limb++) {
        const value = sum[limb] + digest.readUInt32LE(4 * limb) + carry
        carry = value >= LIMB ? 1 : 0
        sum[limb] = value - carry * LIMB
      }
      count++
    },
    digest: (header) => sha256(JSON.stringify([...header, count, ...sum])).toString('hex'),
  }
}

function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}

/** The SHA-256 of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex')
}

/** The hash of a dataset: ids of images, captions with their ids in the order of each image, and K. */
export interface DatasetHash {
  addImage(
    externalId: string,
    captions: readonly { readonly externalId: string; readonly text: string }[],
  ): void
  digest(captionsPerImage: number): string
}

export function createDatasetHash(): DatasetHash {
  const content = createContentHash()
  return {
    addImage(externalId, captions) {
      content.add(
        JSON.stringify([externalId, ...captions.flatMap((caption) => [caption.externalId, caption.text])]),
      )
    },
    digest: (captionsPerImage) => content.digest(['dataset', captionsPerImage]),
  }
}

/** The hash of a captioning system: ids of images with the captions. */
export interface ResultsHash {
  addCaption(imageExternalId: string, text: string): void
  digest(): string
}

export function createResultsHash(): ResultsHash {
  const content = createContentHash()
  return {
    addCaption: (imageExternalId, text) => content.add(JSON.stringify([imageExternalId, text])),
    digest: () => content.digest(['captions']),
  }
}

/** The hash of a system's word scores: words with scores by image, images by their place in the dataset. */
export interface ScoresHash {
  addWord(text: string, scores: StoredWordScores): void
  digest(): string
}

/** @param firstImageId id of the first image of the dataset */
export function createScoresHash(firstImageId: number): ScoresHash {
  const content = createContentHash()
  let last: { readonly imageIds: Int32Array; readonly order: Int32Array; readonly hash: string } | undefined
  return {
    addWord(text, { imageIds, scores }) {
      if (imageIds.length === 0) return
      if (last?.imageIds !== imageIds) last = { imageIds, ...orderImages(imageIds, firstImageId) }
      const { order, hash: images } = last
      const sorted = scores.map((_, place) => scores[order[place]])
      const bytes = new Uint8Array(sorted.buffer, sorted.byteOffset, sorted.byteLength)
      content.add(JSON.stringify([text, images, sha256(bytes).toString('hex')]))
    },
    digest: () => content.digest(['word scores']),
  }
}

/** The positions of the images in ascending order, and a hash of their places in the dataset. */
function orderImages(imageIds: Int32Array, firstImageId: number) {
  const order = Int32Array.from(imageIds, (_, index) => index).sort(
    (one, other) => imageIds[one] - imageIds[other],
  )
  const places = order.map((index) => imageIds[index] - firstImageId)
  return { order, hash: sha256(new Uint8Array(places.buffer)).toString('hex') }
}

/** Images whose captions are read at once. */
const IMAGES_PER_READ = 8192

/** Words whose scores are read at once. */
const WORDS_PER_READ = 20

/** The content hash of a dataset. That of a dataset which an older version imported is computed, and stored. */
export async function requireRevision(session: Session, dataset: Dataset): Promise<string> {
  if (dataset.revision !== null) return dataset.revision
  const revision = await hashStoredDataset(session, dataset)
  await saveRevision(session, dataset.id, revision)
  return revision
}

/** The content hash of a captioning system or one with word scores. That of an older version is computed, and stored. */
export async function requireContent(session: Session, system: System): Promise<string> {
  if (system.content !== null) return system.content
  const content =
    system.kind === 'WORD_SCORES'
      ? await hashStoredScores(session, system)
      : await hashStoredResults(session, system.id)
  await finishSystem(session, system.id, { content })
  return content
}

async function hashStoredDataset(session: Session, { id, captionsPerImage }: Dataset): Promise<string> {
  const content = createDatasetHash()
  const imageIds = await listImageIds(session, id)
  for (let start = 0; start < imageIds.length; start += IMAGES_PER_READ) {
    const last = imageIds[Math.min(start + IMAGES_PER_READ, imageIds.length) - 1]
    const rows = await readImportedCaptions(session, id, { first: imageIds[start], last })
    for (let from = 0, to = 0; from < rows.length; from = to) {
      while (to < rows.length && rows[to].imageId === rows[from].imageId) to++
      const captions = rows
        .slice(from, to)
        .flatMap(({ externalId, text }) =>
          externalId === null || text === null ? [] : [{ externalId, text }],
        )
      content.addImage(rows[from].imageExternalId, captions)
    }
  }
  return content.digest(captionsPerImage)
}

async function hashStoredResults(session: Session, systemId: number): Promise<string> {
  const content = createResultsHash()
  for (let after = 0; ; ) {
    const rows = await readImportedResults(session, systemId, after)
    if (rows.length === 0) return content.digest()
    for (const { imageExternalId, text } of rows) content.addCaption(imageExternalId, text)
    after = rows[rows.length - 1].imageId
  }
}

async function hashStoredScores(session: Session, { id, datasetId }: System): Promise<string> {
  const [firstImageId = 0] = await listImageIds(session, datasetId)
  const content = createScoresHash(firstImageId)
  const words = await listWords(session, datasetId, {})
  for (let start = 0; start < words.length; start += WORDS_PER_READ) {
    const some = words.slice(start, start + WORDS_PER_READ)
    const scores = await readWordScores(
      session,
      id,
      some.map((word) => word.id),
    )
    for (const word of some) {
      const stored = scores.get(word.id)
      if (stored) content.addWord(word.text, stored)
    }
  }
  return content.digest()
}

import { humanWordAgreement } from '../../src/core/agreement/words.js'
import type { PartOfSpeech } from '../../src/shared/choices.js'
import { createDataset, finishDataset, requireDataset } from '../../src/store/datasets.js'
import type { Session } from '../../src/store/engine/session.js'
import { insertCaptions, insertImages, reserveImageIds } from '../../src/store/images.js'
import { insertPostings, type Posting } from '../../src/store/postings.js'
import type { Dataset } from '../../src/store/schema/dataset-tables.js'
import type { SystemKind } from '../../src/store/schema/system-tables.js'
import { insertSystem, insertSystemCaptions } from '../../src/store/systems.js'
import { saveTokens } from '../../src/store/tokens.js'
import { insertWords, reserveWordIds } from '../../src/store/words.js'

export interface SmallDataset {
  /** Captions by external image id; tokens are separated by spaces. */
  readonly images: Readonly<Record<string, readonly string[]>>
  readonly captionsPerImage: number
  /** Words of the vocabulary with their parts of speech, in its order. */
  readonly vocabulary?: Readonly<Record<string, PartOfSpeech>>
  /** Id of the first image. Default: an unused one. */
  readonly firstImageId?: number
}

/** Writes a dataset like an import, but counts words one by one. */
export async function addDataset(session: Session, name: string, dataset: SmallDataset): Promise<Dataset> {
  await session.transaction((inner) => writeDataset(inner, name, dataset))
  return requireDataset(session, name)
}

async function writeDataset(
  session: Session,
  name: string,
  { images, captionsPerImage, vocabulary = {}, firstImageId }: SmallDataset,
): Promise<void> {
  const externalIds = Object.keys(images)
  const captions = Object.values(images)
  const datasetId = await createDataset(session, name)
  const firstId = firstImageId ?? (await reserveImageIds(session, externalIds.length))
  await insertImages(
    session,
    datasetId,
    firstId,
    externalIds.map((externalId, index) => ({
      externalId,
      fileName: `${externalId}.jpg`,
      url: null,
      width: 640,
      height: null,
      fields: null,
      captionCount: captions[index].length,
    })),
  )
  const texts = [...new Set([...captions.flatMap((of) => of.flatMap(tokensOf)), ...Object.keys(vocabulary)])]
  const tokenIds = await saveTokens(session, texts)
  const ids = new Map(texts.map((text, index) => [text, tokenIds[index]]))
  await insertCaptions(
    session,
    captions.flatMap((of, image) =>
      of.map((text, position) => ({
        imageId: firstId + image,
        position,
        externalId: `${externalIds[image]}/${position}`,
        text,
        tokens: Int32Array.from(tokensOf(text), (token) => ids.get(token) as number),
      })),
    ),
  )
  const counted = captions.map((of) => (of.length < captionsPerImage ? null : of.slice(0, captionsPerImage)))
  const countIn = (image: number, word: string) =>
    counted[image]?.filter((caption) => tokensOf(caption).includes(word)).length ?? 0
  const firstWordId = await reserveWordIds(session, texts.length)
  await insertPostings(
    session,
    texts.flatMap((word, index) => postingsOf(firstWordId + index, firstId, captions.length, word, countIn)),
  )
  const ranks = new Map(Object.keys(vocabulary).map((word, index) => [word, index + 1]))
  await insertWords(
    session,
    datasetId,
    firstWordId,
    texts.map((text, index) => {
      const histogram = Array.from({ length: captionsPerImage + 1 }, () => 0)
      for (const [image, of] of counted.entries()) if (of) histogram[countIn(image, text)]++
      const human = captionsPerImage < 2 ? undefined : humanWordAgreement(histogram, captionsPerImage - 1)
      return {
        tokenId: tokenIds[index],
        text,
        partOfSpeech: vocabulary[text] ?? 'OTHER',
        vocabularyRank: ranks.get(text) ?? null,
        histogram,
        humanPrecision: human?.precision ?? null,
        humanRecall: human?.recall ?? null,
      }
    }),
  )
  await finishDataset(session, datasetId, {
    captionsPerImage,
    imageCount: captions.length,
    captionCount: captions.flat().length,
    excludedImageCount: counted.filter((of) => of === null).length,
    revision: name,
    wordRevision: null,
  })
}

/** Writes a captioning system; tokens are separated by spaces. */
export async function addCaptionSystem(
  session: Session,
  datasetId: number,
  name: string,
  captions: ReadonlyMap<number, string>,
): Promise<number> {
  return session.transaction(async (inner) => {
    const systemId = await addSystem(inner, datasetId, name, 'CAPTIONS', captions.size)
    const rows = await Promise.all(
      [...captions].map(async ([imageId, text]) => ({
        imageId,
        text,
        tokens: await saveTokens(inner, tokensOf(text)),
      })),
    )
    await insertSystemCaptions(inner, systemId, rows)
    return systemId
  })
}

export function addSystem(
  session: Session,
  datasetId: number,
  name: string,
  kind: SystemKind,
  imageCount = 1,
): Promise<number> {
  return insertSystem(session, { datasetId, name, imageCount, missingImageCount: 2 }, kind)
}

export function tokensOf(caption: string): string[] {
  return caption.split(' ').filter((token) => token !== '')
}

/** The failure of a promise: `CODE message`, or the thrown value. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => 'no failure',
    (thrown) => thrown,
  )
  const { code, message } = Object(error) as { code?: string; message?: string }
  return code === undefined ? error : `${code} ${message}`
}

function postingsOf(
  wordId: number,
  firstId: number,
  imageCount: number,
  word: string,
  countIn: (image: number, word: string) => number,
): Posting[] {
  const blocks = new Map<number, { imageIds: number[]; captionCounts: number[] }>()
  for (let image = 0; image < imageCount; image++) {
    const count = countIn(image, word)
    if (count === 0) continue
    const block = (firstId + image) >> 16
    const posting = blocks.get(block) ?? { imageIds: [], captionCounts: [] }
    posting.imageIds.push(firstId + image)
    posting.captionCounts.push(count)
    blocks.set(block, posting)
  }
  return [...blocks.values()].map(({ imageIds, captionCounts }) => ({
    wordId,
    imageIds: Int32Array.from(imageIds),
    captionCounts: Uint8Array.from(captionCounts),
  }))
}

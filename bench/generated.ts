import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createRandom } from '../src/core/stats/random.js'

export const CAPTIONS_PER_IMAGE = 5

interface CocoFile {
  readonly annotations: readonly { readonly caption: string }[]
}

/** Paths of the files of a generated dataset. */
export interface GeneratedFiles {
  /** COCO captions format. */
  readonly captions: string
  /** The captions of one system, in COCO results format. */
  readonly results: string
}

/**
 * Writes a dataset of images 1, 2, … with five captions each, and the captions of one system. Each caption joins the
 * start of one real caption and the end of another, so that word frequencies are realistic and longer n-grams are
 * mostly new. Memory does not grow with the number of images.
 *
 * @param source a file in COCO captions format, with the real captions
 */
export function writeDataset(
  source: string,
  imageCount: number,
  { captions, results }: GeneratedFiles,
): void {
  const { annotations } = JSON.parse(readFileSync(source, 'utf8')) as CocoFile
  const sentences = annotations.map(({ caption }) => caption.trim().split(/\s+/))
  const random = createRandom(1)
  const words = () => sentences[random.below(sentences.length)]
  const caption = () => {
    const [beginning, end] = [words(), words()]
    return [...beginning.slice(0, beginning.length >> 1), ...end.slice(end.length >> 1)].join(' ')
  }
  writeJson(captions, function* () {
    yield '{"images":['
    yield* list(imageCount, (image) => ({ id: image + 1 }))
    yield '],"annotations":['
    yield* list(imageCount * CAPTIONS_PER_IMAGE, (id) => ({
      id,
      image_id: Math.floor(id / CAPTIONS_PER_IMAGE) + 1,
      caption: caption(),
    }))
    yield ']}'
  })
  writeJson(results, function* () {
    yield '['
    yield* list(imageCount, (image) => ({ image_id: image + 1, caption: caption() }))
    yield ']'
  })
}

function* list(length: number, entryOf: (index: number) => object): Generator<string> {
  for (let index = 0; index < length; index++) {
    yield `${index > 0 ? ',' : ''}${JSON.stringify(entryOf(index))}`
  }
}

/** Number of characters per write. */
const CHUNK_SIZE = 1 << 20

function writeJson(file: string, pieces: () => Iterable<string>): void {
  const handle = openSync(file, 'w')
  try {
    let chunk = ''
    for (const piece of pieces()) {
      chunk += piece
      if (chunk.length < CHUNK_SIZE) continue
      writeSync(handle, chunk)
      chunk = ''
    }
    writeSync(handle, chunk)
  } finally {
    closeSync(handle)
  }
}

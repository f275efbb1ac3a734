/**
 * The readers of the package's library: captions of a file, whose content is given. No file is opened, so that it also runs in a
 * browser. The types of this file are what the package promises; docs/library.md has examples.
 */
import { quote } from './errors.js'
import { readReferences as readHumanCaptions, readResults } from './formats/captions/caption-files.js'
import { type Annotation, compareAnnotations } from './formats/coco/coco-captions.js'
import { type BegunFile, fileInMemory } from './formats/io/files.js'
import { wrongValue } from './formats/io/values.js'

export interface ReadOptions {
  /** What errors call the file. Default: `captions`. */
  readonly name?: string
  /** What the file calls images and captions: keys of JSON or columns of a table. Default: recognized. */
  readonly columns?: { readonly image?: string; readonly caption?: string; readonly references?: string }
  /** Of a file with splits, as Karpathy's: only images of this one. */
  readonly split?: string
}

/** Captions by people, as `score`, `agreement` and `coverage` take them. */
export interface ReferencesOfFile {
  /** Image ids are texts: 139 is "139". The captions of an image are in the order that `accord` gives them. */
  readonly references: Record<string, string[]>
  /** The name of the format. */
  readonly format: string
}

/** The captions of a system, as `score` and `coverage` take them. */
export interface CaptionsOfFile {
  readonly captions: Record<string, string>
  /** The name of the format. */
  readonly format: string
}

const UNNAMED = 'captions'

/** The format of whose name readers say nothing. */
const COCO = 'COCO’s JSON'

/**
 * Reads the captions of people, in any format that `accord import` reads. Images without captions are left out.
 *
 * @param content of the file, decompressed: its text, or its bytes in UTF-8 or UTF-16
 * @throws Error with the name of the file, the place, what was expected and what was found
 */
export function readReferences(
  content: string | Uint8Array,
  { name = UNNAMED, ...reading }: ReadOptions = {},
): ReferencesOfFile {
  const ids: string[] = []
  const annotations: Annotation[] = []
  let format = COCO
  const imageOfKey = readHumanCaptions(
    toFile(content, name),
    {
      addImage: ({ externalId }) => ids.push(externalId),
      addAnnotation: (annotation) => annotations.push(annotation),
    },
    {
      ...reading,
      onFormat: (found) => {
        format = found
      },
    },
  )
  const ofImage = ids.map((): Annotation[] => [])
  for (const annotation of annotations) ofImage[imageOfKey[annotation.imageKey]].push(annotation)
  const references = ids.flatMap((id, image): [string, string[]][] => {
    const own = ofImage[image].sort(compareAnnotations)
    return own.length === 0 ? [] : [[id, own.map(({ text }) => text)]]
  })
  return { references: Object.fromEntries(references), format }
}

/**
 * Reads the captions of a system, in any format that `accord score` reads.
 *
 * @param content as of {@link readReferences}
 * @throws Error as {@link readReferences}, and for a second caption of an image
 */
export function readCaptions(
  content: string | Uint8Array,
  { name = UNNAMED, ...reading }: ReadOptions = {},
): CaptionsOfFile {
  let format = COCO
  const captions = new Map<string, string>()
  const results = readResults(toFile(content, name), {
    ...reading,
    onFormat: (found) => {
      format = found
    },
  })
  for (const { imageId, text, at } of results) {
    if (captions.has(imageId)) {
      const found = `${quote(imageId)} again`
      throw wrongValue(
        'DUPLICATE_ID',
        'duplicate image',
        at?.() ?? { source: name },
        'each image once',
        found,
      )
    }
    captions.set(imageId, text)
  }
  return { captions: Object.fromEntries(captions), format }
}

function toFile(content: string | Uint8Array, name: string): BegunFile {
  return fileInMemory(name, typeof content === 'string' ? Buffer.from(content) : Buffer.from(content))
}

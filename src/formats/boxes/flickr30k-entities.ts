import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import type { BoundingBox, Box, BoxedImage, BoxSource, Description } from '../../core/selection/scenes.js'
import type { MarkedText, Mention } from '../../core/text/mention-markup.js'
import { AccordError, quote } from '../../errors.js'
import { type InputFile, nameOf, type ReadProgress, readWhole } from '../io/files.js'
import { readZip, type ZipEntry } from '../io/zip.js'
import { finishSource, fitBoxes, keepKnown, startTally, type Tally } from './boxes.js'

/**
 * Reads Flickr30k Entities (Plummer et al. 2015) as published: a zip file, or the folder of its files, with
 * `Sentences/<image>.txt`, one annotated sentence per line, and `Annotations/<image>.xml`, the boxes.
 *
 * - The phrase `[/EN#370/people A bride]` mentions chain 370. A chain is one entity across all sentences of an image.
 * - Each chain has one box with the id of the chain. If a chain is annotated with several boxes (a group), the box
 *   is their union, as in evaluations of phrase localization.
 * - The concept of a box is the last word of the phrase that mentions it first, in lower case.
 * - Boxes are in the order of their first mention. Boxes without a mention have no concept; they are excluded and
 *   counted. Mentions of chains without a box (`notvisual`, `scene`, `nobndbox`) are also excluded and counted.
 * - Pixel coordinates in annotations are 1-based and inclusive: xmin..xmax becomes x = xmin − 1,
 *   width = xmax − xmin + 1.
 * - The id of a description is `<image>#<line>` with lines counted from 0. Empty lines are ignored.
 *
 * @param onProgress called with the number of files read and the total number of files, after each image
 * @throws AccordError FILE_NOT_FOUND (a folder or one of the two files of an image is missing), INVALID_VALUE
 *   (invalid phrase markup) or INVALID_SHAPE (invalid annotation XML), with file and line
 */
export function readFlickr30kEntities(file: InputFile, onProgress?: ReadProgress): BoxSource {
  const publication = typeof file === 'string' && !isFile(file) ? folderOf(file) : archiveOf(file)
  const imageIds = pairedFiles(publication)
  const tally = startTally()
  const images: BoxedImage[] = []
  const descriptions: Description[] = []
  for (const [index, imageId] of imageIds.entries()) {
    const sentences = parseSentences(...textOf(publication, SENTENCES, imageId))
    const annotation = parseAnnotation(...textOf(publication, ANNOTATIONS, imageId))
    const image = fitBoxes(boxesOfChains(imageId, annotation, sentences, tally), tally)
    images.push(image)
    for (const { line, sentence } of sentences) {
      const mentions = sentence.mentions.flatMap(({ boxIds }) => boxIds)
      descriptions.push({
        id: `${imageId}#${line}`,
        imageId,
        ...keepKnown({ mentions, sentence }, image, tally),
      })
    }
    onProgress?.((index + 1) / imageIds.length)
  }
  return finishSource(images, descriptions, tally)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

interface MarkedLine {
  /** Line number, starting at 0. */
  readonly line: number
  readonly sentence: MarkedText
}

interface Annotation {
  readonly width: number
  readonly height: number
  /** Annotated boxes by chain id. Does not contain chains without a box. */
  readonly boxes: ReadonlyMap<string, readonly BoundingBox[]>
}

/** One of the two folders of the publication; its files are called by the images. */
interface Part {
  readonly folder: string
  readonly extension: string
}

const SENTENCES: Part = { folder: 'Sentences', extension: '.txt' }
const ANNOTATIONS: Part = { folder: 'Annotations', extension: '.xml' }

/** The files of the publication, in a folder or in a zip file. */
interface Publication {
  readonly name: string
  /** Names of the files of a folder; undefined if it does not exist. */
  names(folder: string): readonly string[] | undefined
  read(folder: string, name: string): Buffer
}

function folderOf(path: string): Publication {
  return {
    name: path,
    names: (folder) => (existsSync(join(path, folder)) ? readdirSync(join(path, folder)) : undefined),
    read: (folder, name) => readWhole(join(path, folder, name)),
  }
}

/** The folders may be in another folder of the zip file. */
function archiveOf(file: InputFile): Publication {
  const entries = readZip(file, (name) => ENTRY.test(name), 'unzip it into a folder').map((entry) => {
    const [, folder, name] = ENTRY.exec(entry.name) as RegExpExecArray
    return { folder, name, entry }
  })
  const byPath = new Map(entries.map(({ folder, name, entry }) => [`${folder}/${name}`, entry]))
  return {
    name: nameOf(file),
    names(folder) {
      const names = entries.filter((entry) => entry.folder === folder).map(({ name }) => name)
      return names.length > 0 ? names : undefined
    },
    read: (folder, name) => (byPath.get(`${folder}/${name}`) as ZipEntry).read(),
  }
}

/** The path of a file in a zip file, but not in the folder of macOS for resource forks. */
const ENTRY = /^(?!__MACOSX\/)(?:.*\/)?(Sentences|Annotations)\/([^/]+)$/

function pathOf({ name }: Publication, { folder, extension }: Part, imageId: string): string {
  return join(name, folder, `${imageId}${extension}`)
}

/** The content of a file and its path. */
function textOf(publication: Publication, part: Part, imageId: string): [content: string, file: string] {
  const content = publication.read(part.folder, `${imageId}${part.extension}`)
  return [content.toString(), pathOf(publication, part, imageId)]
}

/** Returns the image ids. Every image must have a file in both folders. */
function pairedFiles(publication: Publication): string[] {
  const withSentences = idsIn(publication, SENTENCES)
  const withAnnotation = idsIn(publication, ANNOTATIONS)
  for (const [ids, others, other] of [
    [withSentences, withAnnotation, ANNOTATIONS],
    [withAnnotation, withSentences, SENTENCES],
  ] as const) {
    for (const imageId of ids) {
      if (others.has(imageId)) continue
      throw new AccordError('FILE_NOT_FOUND', 'one of the two files of an image is missing', {
        source: pathOf(publication, other, imageId),
        expected: `sentences and annotations of image ${imageId}`,
        found: 'only one of them',
      })
    }
  }
  if (withSentences.size > 0) return [...withSentences]
  throw new AccordError('INVALID_SHAPE', 'no images found', {
    source: publication.name,
    expected: 'Sentences/<image>.txt and Annotations/<image>.xml',
    found: 'neither',
  })
}

function idsIn({ name, names }: Publication, { folder, extension }: Part): Set<string> {
  const files = names(folder)
  if (files === undefined) {
    throw new AccordError('FILE_NOT_FOUND', 'folder not found', {
      source: join(name, folder),
      expected: 'Flickr30k Entities with the folders Sentences and Annotations',
      found: 'nothing',
    })
  }
  const wanted = files.filter((file) => file.endsWith(extension) && !file.startsWith('.'))
  return new Set(wanted.map((file) => file.slice(0, -extension.length)).sort())
}

function boxesOfChains(
  imageId: string,
  { width, height, boxes: annotated }: Annotation,
  sentences: readonly MarkedLine[],
  tally: Tally,
): BoxedImage {
  const boxes = new Map<string, Box>()
  for (const { boxIds, text } of sentences.flatMap(({ sentence }) => sentence.mentions)) {
    const [id] = boxIds
    const bboxes = annotated.get(id)
    if (bboxes === undefined || boxes.has(id)) continue
    boxes.set(id, { id, concept: text.split(' ').at(-1)!.toLowerCase(), bbox: unionOf(bboxes) })
  }
  for (const id of annotated.keys()) if (!boxes.has(id)) tally.boxesWithoutConcept++
  return { imageId, width, height, boxes: [...boxes.values()] }
}

/** Returns the union of all boxes with an area, or a box without area if there are none. */
function unionOf(boxes: readonly BoundingBox[]): BoundingBox {
  const nonEmpty = boxes.filter(([, , width, height]) => width > 0 && height > 0)
  if (nonEmpty.length === 0) return [boxes[0][0], boxes[0][1], 0, 0]
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y, width, height] of nonEmpty) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return [left, top, right - left, bottom - top]
}

function parseSentences(content: string, file: string): MarkedLine[] {
  const lines = content.split(/\r?\n/).map((text, line) => ({ text: text.trim(), line }))
  const sentences = lines
    .filter(({ text }) => text !== '')
    .map(({ text, line }) => ({ line, sentence: parseSentence(text, file, line) }))
  if (sentences.length > 0) return sentences
  throw new AccordError('INVALID_SHAPE', 'no sentences found', {
    source: file,
    expected: 'one sentence per line',
    found: 'an empty file',
  })
}

function parseSentence(markup: string, file: string, line: number): MarkedText {
  const mentions: Mention[] = []
  let text = ''
  let at = 0
  for (let open = markup.indexOf('['); open >= 0; open = markup.indexOf('[', at)) {
    text += markup.slice(at, open)
    const phrase = /^\[\/EN#([^\s/\][]+)(?:\/[^\s/\][]+)+ +([^\][]*[^\s\][]) *\]/.exec(markup.slice(open))
    if (phrase === null) {
      throw new AccordError('INVALID_VALUE', 'invalid Flickr30k Entities phrase', {
        source: file,
        place: `line ${line + 1}, character ${open}`,
        expected: '[/EN#chain/type words]',
        found: quote(markup.slice(open)),
      })
    }
    const [marked, chain, words] = phrase
    mentions.push({ start: text.length, end: text.length + words.length, text: words, boxIds: [chain] })
    text += words
    at = open + marked.length
  }
  return { text: text + markup.slice(at), mentions }
}

/** An element of an XML file. `text` does not include the text of its children. */
interface Element {
  readonly name: string
  /** Line of the start tag, starting at 1. */
  readonly line: number
  readonly children: Element[]
  text: string
}

function parseAnnotation(content: string, file: string): Annotation {
  const root = parseXml(content, file)
  if (root.name !== 'annotation') {
    throw invalidAnnotation(file, root.line, 'the element <annotation>', `<${root.name}>`)
  }
  const size = childOf(root, 'size', file)
  const boxes = new Map<string, BoundingBox[]>()
  for (const object of root.children.filter(({ name }) => name === 'object')) {
    const chains = object.children.filter(({ name }) => name === 'name')
    if (chains.length === 0) childOf(object, 'name', file)
    const box = object.children.find(({ name }) => name === 'bndbox')
    if (box === undefined) {
      if (object.children.some(({ name }) => name === 'scene' || name === 'nobndbox')) continue
      throw invalidAnnotation(file, object.line, '<bndbox>, <scene> or <nobndbox> in <object>', 'none')
    }
    const bbox = readBox(box, file)
    for (const chain of chains) {
      const id = chain.text.trim()
      if (id === '')
        throw invalidAnnotation(file, chain.line, 'the id of a chain in <name>', 'an empty element')
      const known = boxes.get(id)
      if (known) known.push(bbox)
      else boxes.set(id, [bbox])
    }
  }
  return { width: readSide(size, 'width', file), height: readSide(size, 'height', file), boxes }
}

function readBox(element: Element, file: string): BoundingBox {
  const [xmin, ymin, xmax, ymax] = ['xmin', 'ymin', 'xmax', 'ymax'].map((side) =>
    readNumber(childOf(element, side, file), file),
  )
  return [xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1]
}

function readSide(size: Element, name: 'width' | 'height', file: string): number {
  const element = childOf(size, name, file)
  const pixels = readNumber(element, file)
  if (pixels > 0) return pixels
  throw invalidAnnotation(file, element.line, `a positive number of pixels in <${name}>`, String(pixels))
}

function readNumber({ name, text, line }: Element, file: string): number {
  if (/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return Number(text)
  throw invalidAnnotation(file, line, `a number in <${name}>`, quote(text))
}

function childOf({ name: parent, children, line }: Element, wanted: string, file: string): Element {
  const child = children.find(({ name }) => name === wanted)
  if (child !== undefined) return child
  throw invalidAnnotation(file, line, `<${wanted}> in <${parent}>`, 'none')
}

/** Returns the root element of an XML file. Attributes are ignored; the files of Flickr30k Entities have none. */
function parseXml(content: string, file: string): Element {
  const parser = new SaxesParser()
  const document: Element = { name: '', line: 1, children: [], text: '' }
  const open = [document]
  parser.on('error', (error) => {
    throw invalidAnnotation(file, parser.line, 'well-formed XML', error.message)
  })
  parser.on('opentag', ({ name }) => {
    const element: Element = { name, line: parser.line, children: [], text: '' }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    open.at(-1)!.text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(content).close()
  return document.children[0]
}

function invalidAnnotation(file: string, line: number, expected: string, found: string): AccordError {
  const place = `line ${line}`
  return new AccordError('INVALID_SHAPE', 'invalid Flickr30k Entities annotation', {
    source: file,
    place,
    expected,
    found,
  })
}

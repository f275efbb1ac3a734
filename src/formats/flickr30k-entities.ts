import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { AccordError, quote } from '../errors.js'
import type { BoundingBox, Box, BoxedImage, BoxSource, Description } from '../selection/types.js'
import type { MarkedText, Mention } from '../text/mention-markup.js'
import { finishSource, fitBoxes, keepKnown, startTally, type Tally } from './boxes.js'
import { type ReadProgress, readWhole } from './files.js'

/**
 * Flickr30k Entities (Plummer et al. 2015) as published: a folder with `Sentences/<image>.txt`, one marked
 * sentence per line, and `Annotations/<image>.xml`, the boxes.
 *
 * - A phrase `[/EN#370/people A bride]` names the chain 370: one entity through all sentences of the image.
 * - A chain has one box here, whose id is the chain's: where it is annotated with several boxes (a group), the
 *   smallest that holds them all, as evaluations of phrase localization do.
 * - The concept of a box is the last word of the phrase that names it first, in lower case, as published.
 * - Boxes are listed in the order in which the sentences name them first. A box that no sentence names has no
 *   concept: left out and counted. So are mentions of chains without a box (`notvisual`, `scene`, `nobndbox`).
 * - Annotations count pixels from 1, both ends included: xmin..xmax is x = xmin − 1, width = xmax − xmin + 1.
 * - The id of a description is `<image>#<line>`, lines counted from 0; empty lines are skipped.
 *
 * @param onProgress called with files read and files in all, after each image
 * @throws AccordError FILE_NOT_FOUND (a folder or one of the two files of an image is missing), INVALID_VALUE
 *   (markup that does not close) or INVALID_SHAPE (XML that is not Flickr30k's), with file and line
 */
export function readFlickr30kEntities(folder: string, onProgress?: ReadProgress): BoxSource {
  const imageIds = pairedFiles(folder)
  const tally = startTally()
  const images: BoxedImage[] = []
  const descriptions: Description[] = []
  for (const [index, imageId] of imageIds.entries()) {
    const sentences = parseSentences(
      readWhole(sentencesFile(folder, imageId)).toString(),
      sentencesFile(folder, imageId),
    )
    const file = annotationsFile(folder, imageId)
    const annotation = parseAnnotation(readWhole(file).toString(), file)
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
    onProgress?.(2 * (index + 1), 2 * imageIds.length)
  }
  return finishSource(images, descriptions, tally)
}

interface MarkedLine {
  /** From 0. */
  readonly line: number
  readonly sentence: MarkedText
}

interface Annotation {
  readonly width: number
  readonly height: number
  /** Per chain, the boxes it is annotated with; chains without a box are not in it. */
  readonly boxes: ReadonlyMap<string, readonly BoundingBox[]>
}

function sentencesFile(folder: string, imageId: string): string {
  return join(folder, 'Sentences', `${imageId}.txt`)
}

function annotationsFile(folder: string, imageId: string): string {
  return join(folder, 'Annotations', `${imageId}.xml`)
}

/** Ids of the images in both folders; no file may lack the other. */
function pairedFiles(folder: string): string[] {
  const withSentences = idsIn(join(folder, 'Sentences'), '.txt')
  const withAnnotation = idsIn(join(folder, 'Annotations'), '.xml')
  for (const [ids, others, fileOf] of [
    [withSentences, withAnnotation, annotationsFile],
    [withAnnotation, withSentences, sentencesFile],
  ] as const) {
    for (const imageId of ids) {
      if (others.has(imageId)) continue
      throw new AccordError('FILE_NOT_FOUND', 'one of the two files of an image is missing', {
        source: fileOf(folder, imageId),
        expected: `sentences and annotations of image ${imageId}`,
        found: 'only one of them',
      })
    }
  }
  if (withSentences.size > 0) return [...withSentences]
  throw new AccordError('INVALID_SHAPE', 'no images', {
    source: folder,
    expected: 'Sentences/<image>.txt and Annotations/<image>.xml',
    found: 'neither',
  })
}

function idsIn(folder: string, extension: string): Set<string> {
  if (!existsSync(folder)) {
    throw new AccordError('FILE_NOT_FOUND', 'there is no such folder', {
      source: folder,
      expected: 'Flickr30k Entities: a folder with Sentences and Annotations',
      found: 'nothing there',
    })
  }
  const names = readdirSync(folder).filter((name) => name.endsWith(extension) && !name.startsWith('.'))
  return new Set(names.map((name) => name.slice(0, -extension.length)).sort())
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

/** The smallest box that holds all those with an area; of none, a box without area. */
function unionOf(boxes: readonly BoundingBox[]): BoundingBox {
  const solid = boxes.filter(([, , width, height]) => width > 0 && height > 0)
  if (solid.length === 0) return [boxes[0][0], boxes[0][1], 0, 0]
  const left = Math.min(...solid.map(([x]) => x))
  const top = Math.min(...solid.map(([, y]) => y))
  const right = Math.max(...solid.map(([x, , width]) => x + width))
  const bottom = Math.max(...solid.map(([, y, , height]) => y + height))
  return [left, top, right - left, bottom - top]
}

function parseSentences(content: string, file: string): MarkedLine[] {
  const lines = content.split(/\r?\n/).map((text, line) => ({ text: text.trim(), line }))
  const sentences = lines
    .filter(({ text }) => text !== '')
    .map(({ text, line }) => ({ line, sentence: parseSentence(text, file, line) }))
  if (sentences.length > 0) return sentences
  throw new AccordError('INVALID_SHAPE', 'no sentences', {
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
      throw new AccordError('INVALID_VALUE', "not Flickr30k's phrase markup", {
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

/** An element of an XML file; its text without that of its children. */
interface Element {
  readonly name: string
  /** Of its start, from 1. */
  readonly line: number
  readonly children: Element[]
  text: string
}

function parseAnnotation(content: string, file: string): Annotation {
  const root = parseXml(content, file)
  if (root.name !== 'annotation') {
    throw notFlickrs(file, root.line, 'the element <annotation>', `<${root.name}>`)
  }
  const size = childOf(root, 'size', file)
  const boxes = new Map<string, BoundingBox[]>()
  for (const object of root.children.filter(({ name }) => name === 'object')) {
    const chains = object.children.filter(({ name }) => name === 'name')
    if (chains.length === 0) childOf(object, 'name', file)
    const box = object.children.find(({ name }) => name === 'bndbox')
    if (box === undefined) {
      if (object.children.some(({ name }) => name === 'scene' || name === 'nobndbox')) continue
      throw notFlickrs(file, object.line, '<bndbox>, <scene> or <nobndbox> in <object>', 'none')
    }
    const bbox = readBox(box, file)
    for (const chain of chains) {
      const id = chain.text.trim()
      if (id === '') throw notFlickrs(file, chain.line, 'the id of a chain in <name>', 'an empty element')
      boxes.set(id, [...(boxes.get(id) ?? []), bbox])
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
  throw notFlickrs(file, element.line, `a positive number of pixels in <${name}>`, String(pixels))
}

function readNumber({ name, text, line }: Element, file: string): number {
  if (/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return Number(text)
  throw notFlickrs(file, line, `a number in <${name}>`, quote(text))
}

function childOf({ name: parent, children, line }: Element, wanted: string, file: string): Element {
  const child = children.find(({ name }) => name === wanted)
  if (child !== undefined) return child
  throw notFlickrs(file, line, `<${wanted}> in <${parent}>`, 'none')
}

/** The root element of an XML file. Attributes are not looked at: Flickr30k's files have none. */
function parseXml(content: string, file: string): Element {
  const parser = new SaxesParser()
  const document: Element = { name: '', line: 1, children: [], text: '' }
  const open = [document]
  parser.on('error', (error) => {
    throw notFlickrs(file, parser.line, 'well-formed XML', error.message)
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

function notFlickrs(file: string, line: number, expected: string, found: string): AccordError {
  const place = `line ${line}`
  return new AccordError('INVALID_SHAPE', "not Flickr30k's XML", { source: file, place, expected, found })
}

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type {
  BoundingBox,
  Box,
  BoxedImage,
  Description,
  SystemDescription,
} from '../../core/selection/scenes.js'
import { type MarkedText, parseMentionMarkup } from '../../core/text/mention-markup.js'
import { AccordError, quote } from '../../errors.js'
import { readJsonArray } from '../io/json-stream.js'
import {
  describeValue,
  type JsonObject,
  type Locate,
  locateElement,
  optionalPixels,
  requireId,
  requireObject,
  requireString,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/**
 * A synthetic image that is defined by a list of objects, with captions written for people and for captioning
 * systems. A scene is an image with boxes and its captions are descriptions, so that it can be used directly for
 * content selection.
 */
export interface Scene extends BoxedImage {
  readonly width: number
  readonly height: number
  readonly boxes: readonly SceneObject[]
  /** Human captions in the order of the file, with ids `<scene>#1`, `<scene>#2`, … */
  readonly captions: readonly SceneCaption[]
  /** One caption per captioning system, by system name, in the order of the file. */
  readonly systems: ReadonlyMap<string, Linked<SystemDescription>>
}

/** An object. Its concept is a WordNet 3.0 synset such as `dog.n.01`, and its box lies inside the image. */
export interface SceneObject extends Box {
  /** Adjectives and participles that describe the object. */
  readonly attributes: readonly string[]
}

/** A human caption of a scene, with mentions of objects. */
export type SceneCaption = Linked<Description>

type Linked<Described> = Described & { readonly sentence: MarkedText }

/**
 * Reads the scenes of all `.json` files in a folder, ordered by file name and by position in the file. A file is an
 * array of
 *
 *     {
 *       "id": "kitchen-01", "width": 640, "height": 480,
 *       "objects": [{"id": 1, "category": "dog.n.01", "box": [x, y, width, height], "attributes": ["brown"]}],
 *       "captions": ["A brown [dog](1) asleep"],
 *       "systems": {"strong": "a [dog](1)"}
 *     }
 *
 * with captions in the markup of {@link parseMentionMarkup}.
 *
 * @throws AccordError FILE_NOT_FOUND, INVALID_JSON, INVALID_SHAPE, INVALID_VALUE, DUPLICATE_ID or UNKNOWN_BOX,
 *   with the file and the place in it (`[3].objects[2].box`)
 */
export function readScenes(folder: string): Scene[] {
  const scenes = new Map<string, Scene>()
  for (const file of listFiles(folder, '.json')) {
    for (const { index, value } of readJsonArray(file)) {
      const at = locateElement(file, '', index)
      const scene = readScene(requireObject(value, at), at)
      if (scenes.has(scene.imageId)) throw duplicateId(scene.imageId, at)
      scenes.set(scene.imageId, scene)
    }
  }
  return [...scenes.values()]
}

/**
 * Returns the paths of the files in a folder with the given extension, sorted by name.
 *
 * @throws AccordError FILE_NOT_FOUND if there are none
 */
export function listFiles(folder: string, extension: string): string[] {
  let names: string[] = []
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(extension))
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  if (names.length === 0) {
    throw new AccordError('FILE_NOT_FOUND', 'no files found', {
      source: folder,
      expected: `a folder with files named *${extension}`,
      found: 'none',
    })
  }
  return names.sort().map((name) => join(folder, name))
}

function readScene(record: JsonObject, at: Locate): Scene {
  const imageId = requireId(record, 'id', at)
  const width = requirePixels(record, 'width', at)
  const height = requirePixels(record, 'height', at)
  const boxes = readObjects(record, at, { width, height })
  const known = new Set(boxes.map(({ id }) => id))
  const captions = requireArray(record, 'captions', at).map((value, index) => {
    const atCaption = locateElement(at().source, at('captions').place as string, index)
    return { id: `${imageId}#${index + 1}`, imageId, ...readCaption(value, atCaption, known) }
  })
  if (captions.length === 0) throw wrongShape(at('captions'), 'at least one caption', 'none')
  const systems = requireObject(record.systems, () => at('systems'))
  return {
    imageId,
    width,
    height,
    boxes,
    captions,
    systems: new Map(
      Object.entries(systems).map(([system, value]) => [
        system,
        { imageId, ...readCaption(value, () => at(`systems.${system}`), known) },
      ]),
    ),
  }
}

function readObjects(record: JsonObject, at: Locate, size: Size): SceneObject[] {
  const objects = new Map<string, SceneObject>()
  for (const [index, value] of requireArray(record, 'objects', at).entries()) {
    const atObject = locateElement(at().source, at('objects').place as string, index)
    const object = readObject(requireObject(value, atObject), atObject, size)
    if (objects.has(object.id)) throw duplicateId(object.id, atObject)
    objects.set(object.id, object)
  }
  return [...objects.values()]
}

function readObject(record: JsonObject, at: Locate, size: Size): SceneObject {
  return {
    id: requireId(record, 'id', at),
    concept: requireSynset(record, at),
    bbox: requireBoxInside(record, at, size),
    attributes: requireArray(record, 'attributes', at).map((value, index) => {
      if (typeof value === 'string' && value.trim() !== '') return value
      throw wrongShape(at(`attributes[${index}]`), 'a word', describeValue(value))
    }),
  }
}

function requireSynset(record: JsonObject, at: Locate): string {
  const category = requireString(record, 'category', at)
  if (/^[^\s.]+\.n\.\d\d$/.test(category)) return category
  const expected = 'a WordNet noun such as dog.n.01'
  throw wrongValue('INVALID_VALUE', 'invalid category', at('category'), expected, quote(category))
}

interface Size {
  readonly width: number
  readonly height: number
}

function requireBoxInside(record: JsonObject, at: Locate, size: Size): BoundingBox {
  const box = requireArray(record, 'box', at)
  if (box.length !== 4 || !box.every((side) => Number.isFinite(side))) {
    throw wrongShape(at('box'), 'x, y, width and height: four numbers', quote(box))
  }
  const [x, y, width, height] = box as [number, number, number, number]
  const inside = x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height
  if (inside && width > 0 && height > 0) return [x, y, width, height]
  const expected = `x, y, width and height of a box inside the image of ${size.width} × ${size.height} pixels`
  throw wrongValue('INVALID_VALUE', 'invalid box', at('box'), expected, quote(box))
}

function readCaption(
  value: unknown,
  at: Locate,
  known: ReadonlySet<string>,
): Pick<SceneCaption, 'mentions' | 'sentence'> {
  if (typeof value !== 'string') throw wrongShape(at(), 'a string', describeValue(value))
  const sentence = parseMentionMarkup(value, at())
  if (sentence.text.trim() === '') {
    throw wrongValue('INVALID_VALUE', 'empty caption', at(), 'non-blank text', quote(value))
  }
  const mentions = sentence.mentions.flatMap(({ boxIds }) => boxIds)
  for (const id of mentions) {
    if (known.has(id)) continue
    throw wrongValue('UNKNOWN_BOX', 'unknown object', at(), 'the id of an object of this scene', quote(id))
  }
  return { mentions, sentence }
}

function requireArray(record: JsonObject, key: string, at: Locate): readonly unknown[] {
  const value = record[key]
  if (Array.isArray(value)) return value
  throw wrongShape(at(key), 'an array', describeValue(value))
}

function requirePixels(record: JsonObject, key: string, at: Locate): number {
  const pixels = optionalPixels(record, key, at)
  if (pixels !== null) return pixels
  throw wrongShape(at(key), 'a number of pixels', describeValue(record[key]))
}

function duplicateId(id: string, at: Locate): AccordError {
  return wrongValue('DUPLICATE_ID', 'duplicate id', at('id'), 'a unique id', quote(id))
}

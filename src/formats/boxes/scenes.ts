import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  BoundingBox,
  Box,
  BoxedImage,
  Description,
  SystemDescription,
} from '../../core/selection/scenes.js'
import { type MarkedText, parseMentionMarkup } from '../../core/text/mention-markup.js'

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
  readonly captions: readonly Linked<Description>[]
  /** One caption per captioning system, by system name, in the order of the file. */
  readonly systems: ReadonlyMap<string, Linked<SystemDescription>>
}

/** An object. Its concept is a WordNet 3.0 synset such as `dog.n.01`, and its box lies inside the image. */
export interface SceneObject extends Box {
  /** Adjectives and participles that describe the object. */
  readonly attributes: readonly string[]
}

type Linked<Described> = Described & { readonly sentence: MarkedText }

/** A scene in a file. Captions have the markup of {@link parseMentionMarkup}. */
interface WrittenScene {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly objects: readonly {
    readonly id: number
    readonly category: string
    readonly box: BoundingBox
    readonly attributes: readonly string[]
  }[]
  readonly captions: readonly string[]
  readonly systems: Readonly<Record<string, string>>
}

/**
 * Reads the bundled scenes: an array in each file of a folder, ordered by file name. Their content is checked by a test of
 * the files and not here.
 */
export function readScenes(folder: string): Scene[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as WrittenScene[])
    .map(toScene)
}

function toScene({ id: imageId, width, height, objects, captions, systems }: WrittenScene): Scene {
  return {
    imageId,
    width,
    height,
    boxes: objects.map(({ id, category, box, attributes }) => ({
      id: String(id),
      concept: category,
      bbox: box,
      attributes,
    })),
    captions: captions.map((caption, index) => ({
      id: `${imageId}#${index + 1}`,
      imageId,
      ...readCaption(caption),
    })),
    systems: new Map(
      Object.entries(systems).map(([system, caption]) => [system, { imageId, ...readCaption(caption) }]),
    ),
  }
}

function readCaption(markup: string): Pick<Linked<Description>, 'mentions' | 'sentence'> {
  const sentence = parseMentionMarkup(markup)
  return { sentence, mentions: sentence.mentions.flatMap(({ boxIds }) => boxIds) }
}

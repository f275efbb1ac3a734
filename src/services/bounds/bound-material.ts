import { type Atom, createAtomCounter } from '../../core/bounds/atoms.js'
import type { Examples } from '../../core/bounds/engine/examples.js'
import * as material from '../../core/bounds/material.js'
import type { Progress } from '../../progress.js'
import type { BoundSettings } from '../../shared/choices.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptions, readCaptionTokens } from '../../store/images.js'
import { readTexts } from '../../store/tokens.js'
import { idsOf } from '../shared/groups.js'
import { openAtomExtractor } from './atom-jobs.js'

/** A human caption with its atoms. */
export interface MaterialCaption extends material.AnalysedCaption {
  readonly id: number
  readonly imageId: number
}

/** Captions of the images of a split. */
export interface SplitCaptions {
  readonly training: readonly MaterialCaption[]
  readonly validation: readonly MaterialCaption[]
  readonly test: readonly MaterialCaption[]
}

/** Images whose captions are read together. */
const IMAGES_PER_READ = 500

/** Reads the captions of a split and finds their atoms. */
export async function readSplitCaptions(
  session: Session,
  split: material.Split,
  progress: Progress,
): Promise<SplitCaptions> {
  const atomsOf = openAtomExtractor()
  const imageCount = split.training.length + split.validation.length + split.test.length
  let done = 0
  async function read(imageIds: Int32Array): Promise<MaterialCaption[]> {
    const captions: MaterialCaption[] = []
    for (let start = 0; start < imageIds.length; start += IMAGES_PER_READ) {
      progress(done / imageCount, 'finding atoms')
      const some = Array.from(imageIds.subarray(start, start + IMAGES_PER_READ))
      const rows = await readCaptions(session, some, ['id', 'imageId'])
      const stored = await readCaptionTokens(session, idsOf(rows))
      const tokensOf = new Map(stored.map(({ id, tokens }) => [id, Array.from(tokens)]))
      const tokens = rows.map(({ id }) => tokensOf.get(id)!)
      const texts = await readTexts(session, [...new Set(tokens.flat())])
      for (const [index, { id, imageId }] of rows.entries()) {
        const words = tokens[index].map((token) => texts.get(token)!)
        captions.push({ id, imageId, words, atoms: atomsOf(words) })
      }
      done += some.length
    }
    return captions
  }
  return {
    training: await read(split.training),
    validation: await read(split.validation),
    test: await read(split.test),
  }
}

/** What a model is trained and measured on. */
export interface Material {
  readonly vocabulary: material.Vocabulary
  readonly training: Examples
  readonly validation: Examples
  readonly test: Examples
  /**
   * Without words: the atoms of the first caption of each test image, as the model is trained with those of one caption.
   * With those of all captions, which are several times as many, it writes much longer captions.
   */
  readonly testImages: Examples
  /** Aligned to `testImages`. */
  readonly testImageIds: readonly number[]
}

/** @throws AccordError OUT_OF_RANGE where there are fewer atoms */
export function toMaterial(
  captions: SplitCaptions,
  settings: BoundSettings,
  isVisual: (atom: Atom) => boolean,
): Material {
  const counter = createAtomCounter()
  for (const { imageId, atoms } of captions.training) counter.add(imageId, atoms)
  const vocabulary: material.Vocabulary = {
    words: material.chooseWords(captions.training, settings.minWordCount),
    atoms: material.chooseAtoms(counter.list(), settings, isVisual),
  }
  return { vocabulary, ...encodeCaptions(captions, vocabulary, settings) }
}

export function encodeCaptions(
  captions: SplitCaptions,
  vocabulary: material.Vocabulary,
  { replaced, seed }: Pick<BoundSettings, 'replaced' | 'seed'>,
): Omit<Material, 'vocabulary'> {
  const encoder = material.createEncoder(vocabulary, replaced)
  const bagOf = (caption: MaterialCaption) =>
    encoder.bag(caption, material.replacementRandom(seed, caption.id))
  const encode = (some: readonly MaterialCaption[]) =>
    material.toExamples(some.map((caption) => ({ words: encoder.words(caption), bag: bagOf(caption) })))
  const firstOf = new Map<number, MaterialCaption>()
  for (const caption of captions.test)
    if (!firstOf.has(caption.imageId)) firstOf.set(caption.imageId, caption)
  return {
    training: encode(captions.training),
    validation: encode(captions.validation),
    test: encode(captions.test),
    testImages: material.toExamples(
      Array.from(firstOf.values(), (caption) => ({ words: [], bag: bagOf(caption) })),
    ),
    testImageIds: [...firstOf.keys()],
  }
}

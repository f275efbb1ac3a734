/** Builds corpora and trials from captions written out, and scores them. */
import { type MetricFamily, scoreCorpus, scoreImages, type Trial } from '../../../src/core/metrics/metric.js'
import type { Corpus } from '../../../src/core/text/sequences.js'

/** One image: a candidate and its references, words separated by single spaces. */
export interface WrittenImage {
  readonly candidate: string
  readonly references: readonly string[]
}

export interface WrittenTrial {
  readonly corpus: Corpus
  readonly trial: Trial
}

export interface Scores {
  /** By metric. */
  readonly corpus: Readonly<Record<string, number>>
  /** Per image, by metric. */
  readonly images: readonly Readonly<Record<string, number>>[]
}

/** Captions as a corpus; the caption at position i is `captions[i]`. */
export function corpusOf(captions: readonly string[]): Corpus {
  const sentences = captions.map((caption) => caption.split(' ').filter((word) => word !== ''))
  const texts = [...new Set(sentences.flat())]
  const ids = new Map(texts.map((text, id) => [text, id]))
  const offsets = [0]
  for (const sentence of sentences) offsets.push(offsets[offsets.length - 1] + sentence.length)
  return {
    tokens: Int32Array.from(sentences.flat(), (word) => ids.get(word)!),
    offsets: Int32Array.from(offsets),
    texts,
    written: captions,
  }
}

/** References come first in the corpus, candidates after them. */
export function writeTrial(images: readonly WrittenImage[]): WrittenTrial {
  const references = images.flatMap((image) => image.references)
  const referenceOffsets = [0]
  for (const image of images) {
    referenceOffsets.push(referenceOffsets[referenceOffsets.length - 1] + image.references.length)
  }
  return {
    corpus: corpusOf([...references, ...images.map(({ candidate }) => candidate)]),
    trial: {
      candidates: Int32Array.from(images, (_, image) => references.length + image),
      references: Int32Array.from(references, (_, reference) => reference),
      referenceOffsets: Int32Array.from(referenceOffsets),
    },
  }
}

export function scoreTrial(family: MetricFamily, { corpus, trial }: WrittenTrial): Scores {
  const statistics = family.measure(family.prepare(corpus), trial)
  const name = (scores: ArrayLike<number>) =>
    Object.fromEntries(family.metrics.map((metric, index) => [metric.name, scores[index]]))
  const columns = scoreImages(family, statistics)
  return {
    corpus: name(scoreCorpus(family, statistics)),
    images: Array.from(trial.candidates, (_, image) => name(columns.map((column) => column[image]))),
  }
}

export function score(family: MetricFamily, images: readonly WrittenImage[]): Scores {
  return scoreTrial(family, writeTrial(images))
}

/** A caption of `length` words drawn from `vocabulary` different ones in a fixed irregular order. */
export function longCaption(length: number, vocabulary: number): string {
  let state = 1
  const words = Array.from({ length }, () => {
    state = (state * 48271) % 2147483647
    return `w${state % vocabulary}`
  })
  return words.join(' ')
}

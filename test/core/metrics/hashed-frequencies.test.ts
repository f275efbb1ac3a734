import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cider } from '../../../src/core/metrics/cider.js'
import { countDocumentFrequencies } from '../../../src/core/metrics/document-frequencies.js'
import { countTexts, hashFrequencies } from '../../../src/core/metrics/hashed-frequencies.js'
import { toCorpus } from '../../kit/corpus.js'

const captions = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', '1\u00a0/2', '/2', 'é'), { maxLength: 7 }),
  { minLength: 4, maxLength: 12 },
)

/** Two captions for each image, the first of them a candidate as well. */
function trialOf(count: number) {
  const imageCount = Math.floor(count / 2)
  return {
    candidates: Int32Array.from({ length: imageCount }, (_, image) => 2 * image),
    references: Int32Array.from({ length: 2 * imageCount }, (_, caption) => (caption * 7 + 1) % count),
    referenceOffsets: Int32Array.from({ length: imageCount + 1 }, (_, image) => 2 * image),
  }
}

test('scores with hashed n-grams are those with the n-grams, to the last bit', () => {
  fc.assert(
    fc.property(captions, (written) => {
      const corpus = toCorpus(written)
      const trial = trialOf(written.length)
      const [table] = countDocumentFrequencies(corpus, [trial])
      const documentFrequencies = hashFrequencies(table, corpus.texts)
      const measure = (options: object) => cider.measure(cider.prepare(corpus), { ...trial, ...options })
      expect(measure({ documentFrequencies })).toEqual(measure({ documentFrequencies: table }))
      expect(measure({ documentFrequencies })).toEqual(measure({}))
    }),
  )
})

test('texts of tokens have the number of images that they occur in, from two on', () => {
  fc.assert(
    fc.property(captions, (written) => {
      const corpus = toCorpus(written)
      const trial = trialOf(written.length)
      const [table] = countDocumentFrequencies(corpus, [trial])
      const texts = ['a', 'b', 'c', 'é', 'never']
      const expected = texts.map((text) => {
        const images = trial.candidates.filter((_, image) =>
          [0, 1].some((i) => (written[trial.references[2 * image + i]] as readonly string[]).includes(text)),
        )
        return images.length < 2 ? 0 : images.length
      })
      expect([...countTexts(texts, hashFrequencies(table, corpus.texts))]).toEqual(expected)
    }),
  )
})

test('hashes do not depend on the numbers of tokens or on other captions', () => {
  fc.assert(
    fc.property(captions, captions, (written, others) => {
      const size = others.length
      const alone = toCorpus(written)
      const after = toCorpus([...others, ...written])
      const trial = trialOf(written.length)
      const [table] = countDocumentFrequencies(alone, [trial])
      const moved = { ...trial, references: trial.references.map((caption) => caption + size) }
      const [other] = countDocumentFrequencies(after, [moved])
      expect(hashFrequencies(other, after.texts)).toEqual(hashFrequencies(table, alone.texts))
    }),
  )
})

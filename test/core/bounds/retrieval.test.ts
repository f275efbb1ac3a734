import { describe, expect, it } from 'vitest'
import { openMetricRegistry } from '../../../src/compute/resources.js'
import { prepareRetrieval, type RetrievalInput } from '../../../src/core/bounds/retrieval.js'
import { countDocumentFrequencies } from '../../../src/core/metrics/document-frequencies.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import type { MetricRegistry } from '../../../src/core/metrics/registry.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { toCorpus } from '../../kit/corpus.js'

/** With words of the same stem, synonyms, and words that are in most captions. */
const WORDS =
  'a a a the the on in of and dog dogs puppy cat cats runs running run car automobile red blue big large man person street road'.split(
    ' ',
  )

const random = createRandom(7)
const draw = () => WORDS[random.below(WORDS.length)]
const captionOf = (length: number) => Array.from({ length }, draw)

const CANDIDATES = 80
const IMAGES = 12
const captions = [
  ...Array.from({ length: CANDIDATES }, () => captionOf(random.below(12))),
  ...Array.from({ length: IMAGES * 3 }, () => captionOf(random.below(12))),
]
const corpus = toCorpus(captions)
const references: ReferenceLists = {
  references: Int32Array.from({ length: IMAGES * 3 }, (_, index) => CANDIDATES + index),
  referenceOffsets: Int32Array.from({ length: IMAGES + 1 }, (_, image) => image * 3),
}
const [documentFrequencies] = countDocumentFrequencies(corpus, [references])

const registry = openMetricRegistry({})

/** The metrics with changes. */
function changed(change: (family: MetricFamily) => MetricFamily): MetricRegistry {
  return { ...registry, family: (name) => change(registry.family(name)) }
}

function scoresOf(name: string, metrics: MetricRegistry): number[] {
  const { families } = registry.choose([name])
  const [family] = families
  const input: RetrievalInput = {
    corpus,
    family: family.name,
    metric: family.metrics.findIndex((metric) => metric.name === name),
    candidates: Int32Array.from({ length: CANDIDATES }, (_, index) => index),
    references,
    documentFrequencies: family.needs.documentFrequencies ? documentFrequencies : undefined,
  }
  const scoreImage = prepareRetrieval(input, metrics)
  return Array.from({ length: IMAGES }, (_, image) => scoreImage(image))
}

describe('the best score of an image', () => {
  const METRICS = 'BLEU-1 BLEU-2 BLEU-4 ROUGE-L ROUGE-1 CIDEr CIDEr-D METEOR WMD SPICE SPIDEr'.split(' ')

  it.each(METRICS)('by %s is that of all candidates', (name) => {
    const expected = scoresOf(
      name,
      changed((family) => ({ ...family, createLimits: undefined })),
    )
    expect(expected.some((score) => score > 0)).toBe(true)
    expect(scoresOf(name, registry)).toEqual(expected)
  })

  it('is found without measuring most candidates', () => {
    let measured = 0
    scoresOf(
      'CIDEr-D',
      changed((family) => ({
        ...family,
        measure(prepared, trial) {
          measured += trial.candidates.length
          return family.measure(prepared, trial)
        },
      })),
    )
    expect(measured).toBeLessThan((IMAGES * CANDIDATES) / 2)
  })

  it('is undefined where that of each candidate is', () => {
    expect(scoresOf('SPICE-count', registry)).toEqual(Array.from({ length: IMAGES }, () => Number.NaN))
  })

  it('is found if the scores of the candidates that are measured first are undefined', () => {
    const last = CANDIDATES - 1
    const sparse = changed((family) => ({
      ...family,
      createLimits: () => () => new Float64Array(CANDIDATES).fill(1),
      measure: (_prepared, { candidates }) =>
        Float64Array.from(candidates, (candidate) => (candidate === last ? 0.5 : Number.NaN)),
      imageScores(rows, offset, scores) {
        scores[0] = rows[offset]
      },
    }))
    expect(scoresOf('ROUGE-L', sparse)).toEqual(Array.from({ length: IMAGES }, () => 0.5))
  })
})

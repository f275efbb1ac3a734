/**
 * Metrics of the user's own: a module has the score of one caption, and Accord computes everything that follows from image scores.
 * Corpus: mean over images. Range and direction as stated.
 */

import { AccordError, quote } from '../../errors.js'
import { createRandom } from '../stats/random.js'
import { type Corpus, sequence } from '../text/sequences.js'
import {
  type FamilyDefinition,
  type Metric,
  meanOfImageScores,
  measureImages,
  TOKENS_ONLY,
} from './metric.js'
import { countImages } from './reference-lists.js'

/** What a module of a metric exports by default. */
export type OwnMetric = OwnDescription &
  (
    | {
        /** Captions as they are written: cased, with punctuation. The default. */
        readonly text?: 'raw'
        /** The score of a caption against the references of its image: a number from `lowest` to `highest`. */
        score(candidate: string, references: readonly string[]): number
      }
    | {
        /** Captions as the tokens that the other metrics count. */
        readonly text: 'tokens'
        score(candidate: readonly string[], references: readonly (readonly string[])[]): number
      }
  )

interface OwnDescription {
  /** Unlike that of any other metric. */
  readonly name: string
  readonly lowest: number
  readonly highest: number
  /** Default: true. */
  readonly higherIsBetter?: boolean
  /** One sentence on what it measures. */
  readonly description?: string
  /** Authors, year, title. */
  readonly citation?: string
}

/** The metric as a family. @param hash of its module, in signatures @throws AccordError INVALID_VALUE for a wrong field */
export function ownFamily(
  module: unknown,
  { source, hash }: { readonly source: string; readonly hash: string },
): FamilyDefinition {
  const own = requireMetric(module, source)
  const { name, lowest, highest, higherIsBetter = true, text = 'raw' } = own
  const metric: Metric = {
    name,
    description: own.description ?? `The metric of ${source}. Corpus: mean over images.`,
    lowest,
    highest,
    higherIsBetter,
    citation: own.citation ?? source,
    revision: 1,
    parameters: { module: hash.slice(0, 8) },
  }
  const description = {
    name: `module ${name}`,
    layoutRevision: 1,
    width: 1,
    needs: { ...TOKENS_ONLY, text },
    metrics: [metric],
  } as const
  return {
    ...description,
    create: () => ({
      ...description,
      prepare: (corpus) => createReader(corpus, text),
      measure(read, trial, progress) {
        const readCaption = read as (caption: number) => never
        const images = countImages(trial)
        const scores = new Float64Array(images)
        measureImages(images, progress, (start, end) => {
          for (let image = start; image < end; image++) {
            const references = trial.references.subarray(
              trial.referenceOffsets[image],
              trial.referenceOffsets[image + 1],
            )
            const candidate = readCaption(trial.candidates[image])
            scores[image] = requireScore(
              own,
              own.score(candidate, Array.from(references, readCaption)),
              candidate,
            )
          }
        })
        return scores
      },
      ...meanOfImageScores,
    }),
  }
}

/** What a metric gets of a caption. */
function createReader(
  corpus: Corpus,
  text: 'raw' | 'tokens',
): (caption: number) => string | readonly string[] {
  const { written, texts } = corpus
  if (text === 'tokens') return (caption) => Array.from(sequence(corpus, caption), (token) => texts[token])
  if (written === undefined) throw new TypeError('the metric reads captions as they are written')
  return (caption) => written[caption]
}

function requireMetric(module: unknown, source: string): OwnMetric {
  const fields = (typeof module === 'object' && module !== null ? module : {}) as Record<string, unknown>
  const isOptional = (type: string) => (value: unknown) => value === undefined || typeof value === type
  const rules: readonly (readonly [field: string, expected: string, (value: unknown) => boolean])[] = [
    [
      'name',
      'letters, digits, hyphens and underscores',
      (value) => typeof value === 'string' && /^[\p{L}\d][\p{L}\d_-]*$/u.test(value),
    ],
    ['lowest', 'a number', Number.isFinite],
    [
      'highest',
      'a number above lowest',
      (value) => Number.isFinite(value) && (value as number) > (fields.lowest as number),
    ],
    ['score', 'a function (candidate, references) of a number', (value) => typeof value === 'function'],
    ['text', 'raw or tokens', (value) => value === undefined || value === 'raw' || value === 'tokens'],
    ['higherIsBetter', 'true or false', isOptional('boolean')],
    ['description', 'a text', isOptional('string')],
    ['citation', 'a text', isOptional('string')],
  ]
  for (const [field, expected, isValid] of rules) {
    if (isValid(fields[field])) continue
    throw new AccordError('INVALID_VALUE', 'the default export is no metric', {
      source,
      place: field,
      expected,
      found: fields[field] === undefined ? 'nothing' : quote(fields[field]),
    })
  }
  const known = new Set(rules.map(([field]) => field))
  const unknown = Object.keys(fields).find((field) => !known.has(field))
  if (unknown !== undefined)
    throw new AccordError('INVALID_VALUE', 'the default export has an unknown field', {
      source,
      place: unknown,
      expected: [...known].join(', '),
      found: quote(unknown),
    })
  return fields as unknown as OwnMetric
}

function requireScore({ name, lowest, highest }: OwnMetric, score: unknown, candidate: unknown): number {
  if (typeof score === 'number' && score >= lowest && score <= highest) return score
  throw new AccordError('INVALID_VALUE', 'the score is outside of its range', {
    source: name,
    place: `the caption ${quote(candidate)}`,
    expected: `a number from ${lowest} to ${highest}`,
    found: typeof score === 'number' ? String(score) : quote(score),
  })
}

const WORDS = ['A', 'man', 'dog,', 'rides', 'on', 'the', 'horse.', '狗', 'é', '']
const CHECKS = 200

/**
 * Tests a metric of one's own on seeded captions, empty ones among them: that its scores are numbers in its range, the same each time,
 * whatever the order of the references.
 *
 * @throws AccordError INVALID_VALUE for a field, or for the first captions whose score has not these properties
 */
export function checkMetric(metric: OwnMetric): void {
  const own = requireMetric(metric, 'metric')
  const random = createRandom(1)
  const write = () => Array.from({ length: random.below(8) }, () => WORDS[random.below(WORDS.length)])
  const caption = () => (own.text === 'tokens' ? write() : write().join(' ')) as never
  for (let check = 0; check < CHECKS; check++) {
    const candidate = caption()
    const references = Array.from({ length: 1 + random.below(4) }, caption)
    const score = requireScore(own, own.score(candidate, references), candidate)
    for (const [order, again] of [
      ['the same captions', references],
      ['references in another order', references.toReversed()],
    ] as const) {
      const other = own.score(candidate, again)
      if (Math.abs(other - score) <= 1e-9 * Math.max(1, Math.abs(score))) continue
      throw new AccordError('INVALID_VALUE', `${own.name} differs for ${order}`, {
        source: own.name,
        place: `the caption ${quote(candidate)} and references ${quote(references)}`,
        expected: String(score),
        found: String(other),
      })
    }
  }
}

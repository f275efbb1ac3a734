/**
 * The library of the package: scores, human agreement and tokens of captions in memory. No file, database or network is used, so that
 * it also runs in a browser. The types of this file are what the package promises; docs/library.md has examples.
 */
import { leaveOneOutTrials, noFolds } from './core/agreement/leave-one-out.js'
import { humanCurve, systemCoverage } from './core/coverage/coverage-figures.js'
import {
  CANDIDATE_WIDTH,
  createImageMeasure,
  peopleWidth,
  requireDesign,
  usualReferences,
} from './core/coverage/image-coverage.js'
import { createUnitCounter, EQUAL_WEIGHTS } from './core/coverage/unit-weights.js'
import { bleu } from './core/metrics/bleu.js'
import { chrf } from './core/metrics/chrf.js'
import { cider } from './core/metrics/cider.js'
import { type MetricFamily, scoreCorpus, scoreImages, type Trial } from './core/metrics/metric.js'
import { checkMetric as check } from './core/metrics/own-family.js'
import { rougeL } from './core/metrics/rouge-l.js'
import { rougeN } from './core/metrics/rouge-n.js'
import { rougeS } from './core/metrics/rouge-s.js'
import { judgeSampleSize } from './core/stats/interval.js'
import { scoreEstimates } from './core/stats/jackknife.js'
import { sequence } from './core/text/sequences.js'
import { tokenizeCorpus } from './core/text/token-numbers.js'
import {
  defaultTokenizer,
  parseLanguage,
  parseTokenizer,
  type Tokenization,
} from './core/text/tokenization.js'
import { createTokenizer } from './core/text/tokenizers.js'
import { AccordError, quote, unknownName } from './errors.js'

/** What cuts captions into tokens. */
export interface TokenOptions {
  /** BCP 47, or the English name of a language. Default: `en`. */
  readonly language?: string
  /** `ptb`, `13a`, `unicode`, `character` or `none`. Default: `ptb` for English, `unicode` for other languages. */
  readonly tokenizer?: string
}

/** Captions by people: at least one for each image, by image id. */
export type References = Readonly<Record<string, readonly string[]>>

export interface ScoreOptions extends TokenOptions {
  readonly references: References
  /** The caption of a system for each image, by image id: all images of the references. */
  readonly captions: Readonly<Record<string, string>>
  /** Names of {@link METRICS}. Default: all but chrF. */
  readonly metrics?: readonly string[]
}

/** A score of a system. */
export interface Score {
  readonly metric: string
  /** Of all images together. CIDEr and CIDEr-D range from 0 to 10, the others from 0 to 1. */
  readonly value: number
  /**
   * 95 %, by the jackknife over images. Null below 10 images, for CIDEr and CIDEr-D, whose document frequencies are those of the
   * images, and for a score that stays the same without any image.
   */
  readonly interval: { readonly lower: number; readonly upper: number } | null
  /** By image id. */
  readonly images: Readonly<Record<string, number>>
}

export interface AgreementOptions extends TokenOptions {
  readonly references: References
  /** K: images with fewer captions are left out, further captions are not used. Default: the least number of captions of an image. */
  readonly captionsPerImage?: number
  /** k: how many others a held-out caption is compared with, 1 to K − 1. Default: K − 1. */
  readonly others?: number
  /** Names of {@link METRICS}. Default: all but chrF. */
  readonly metrics?: readonly string[]
}

/** How much people agree by a metric: each of K captions in turn as if it came from a system. */
export interface Agreement {
  readonly metric: string
  /** Of the K folds. */
  readonly mean: number
  /** One score for each held-out caption. */
  readonly folds: readonly number[]
  /** As that of a {@link Score}. */
  readonly interval: { readonly lower: number; readonly upper: number } | null
}

export interface CoverageOptions extends TokenOptions {
  readonly references: References
  /** The caption of a system for each image that counts, by image id. Default: people alone. */
  readonly captions?: Readonly<Record<string, string>>
  /** `words` weigh more the fewer images people say them of, `types` all the same. Default: `words`. */
  readonly units?: 'words' | 'types'
  /** K: images with fewer captions are left out, further captions are not used. Default: the least number of captions of an image. */
  readonly captionsPerImage?: number
  /** r: how many people captions are compared with, 1 to K. Default: 2, or 1 where K is below 3. */
  readonly others?: number
}

/** A share, 0 to 1, or another figure. */
export interface Figure {
  /** Null where it is undefined: of nothing said, or beyond the human curve. */
  readonly value: number | null
  /** 95 %, by the jackknife over images. Null below 10 images, and for `words`, whose weights are those of the images. */
  readonly interval: { readonly lower: number; readonly upper: number } | null
}

/** What captions say beside other people. */
export interface Said {
  /** Of what the others say, how much is said. */
  readonly coverage: Figure
  /** Of what all of the others say, how much is said. */
  readonly consensusCoverage: Figure
  /** Of what is said, how much another person says. */
  readonly confirmedShare: Figure
}

export interface Coverage {
  /** One person, two people as one, …, as far as others are left. */
  readonly people: readonly Said[]
  /** Null without captions of a system. */
  readonly system:
    | (Said & { readonly peopleEquivalent: Figure; readonly confirmedShareBesidePeople: Figure })
    | null
}

const FAMILIES = [bleu, rougeL, rougeN, rougeS, cider, chrf] as readonly unknown[] as readonly MetricFamily[]

/** The metrics that need no word lists or models. */
export const METRICS: readonly string[] = FAMILIES.flatMap(({ metrics }) => metrics.map(({ name }) => name))

const DEFAULT_METRICS: readonly string[] = FAMILIES.filter(({ isDefault = true }) => isDefault).flatMap(
  ({ metrics }) => metrics.map(({ name }) => name),
)

/** What a module of `--metric-module` exports by default. */
export type OwnMetric = {
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
} & (
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

/**
 * Tests a metric of one's own on made captions, empty ones among them: that its scores are numbers in its range, the same each time,
 * whatever the order of the references.
 *
 * @throws Error for a field, or for the first captions whose score has not these properties
 */
export const checkMetric: (metric: OwnMetric) => void = check

/** The tokens of a caption. @throws Error for an unknown language or tokenizer */
export function tokenize(caption: string, options: TokenOptions = {}): string[] {
  return createTokenizer(toTokenization(options))(caption)
}

/**
 * Scores the captions of a system, as `accord score` does: the same figures to the last bit.
 *
 * @throws Error for an unknown metric, language or tokenizer, an image without a caption or without references, and an empty input
 */
export function score({ references, captions, metrics, ...tokens }: ScoreOptions): Score[] {
  const ids = requireImages(references)
  requireSameImages(ids, captions)
  const { corpus, lists } = toLists(
    [...ids.map((id) => references[id]), ids.map((id) => captions[id])],
    tokens,
  )
  const referenceOffsets = lists.referenceOffsets.subarray(0, ids.length + 1)
  const [first] = referenceOffsets.subarray(-1)
  const candidates = Int32Array.from(ids, (_, image) => first + image)
  const trial = { candidates, references: lists.references.subarray(0, first), referenceOffsets }
  return measure([trial], corpus, metrics).map(({ metric, values, interval, imageScores }) => ({
    metric,
    value: values[0],
    interval,
    images: Object.fromEntries(ids.map((id, image) => [id, imageScores[0][image]])),
  }))
}

/**
 * The leave-one-out agreement of people (Chen et al. 2015, section 4.1), as `accord agreement` computes it.
 *
 * @throws Error for an unknown metric, language or tokenizer, K or k out of range, and where no image has K captions
 */
export function agreement({
  references,
  captionsPerImage,
  others,
  metrics,
  ...tokens
}: AgreementOptions): Agreement[] {
  const ids = requireImages(references)
  const described = ids.map((id) => references[id])
  const { corpus, lists } = toLists(described, tokens)
  const k = chooseCaptionsPerImage(described, captionsPerImage)
  const { trials } = leaveOneOutTrials(lists, k, others ?? k - 1)
  return measure(trials, corpus, metrics).map(({ metric, values, interval }) => ({
    metric,
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    folds: values,
    interval,
  }))
}

/**
 * What a system says beside one, two and more people, as `accord coverage` computes it; docs/any-length.md says what the figures mean.
 *
 * @throws Error for an unknown language or tokenizer, K or r out of range, an image without a caption, and where no image has K captions
 */
export function coverage({
  references,
  captions,
  units = 'words',
  captionsPerImage,
  others,
  ...tokens
}: CoverageOptions): Coverage {
  if (units !== 'words' && units !== 'types')
    throw invalid('unknown units', 'units', 'words or types', quote(units))
  const ids = requireImages(references)
  const k = chooseCaptionsPerImage(
    ids.map((id) => references[id]),
    captionsPerImage,
  )
  const counted = ids.filter((id) => references[id].length >= k)
  if (counted.length === 0) throw noFolds(k)
  const design = { captionsPerImage: k, references: others ?? usualReferences(k) }
  requireDesign(design)
  const own = captions && Object.fromEntries(counted.map((id) => [id, captions[id]]))
  if (own) requireSameImages(counted, own)
  const ofPeople = counted.map((id) => references[id].slice(0, k))
  const { corpus } = toLists([...ofPeople, ...(own ? counted.map((id) => [own[id]]) : [])], tokens)
  const counter = createUnitCounter()
  for (let image = 0; image < counted.length; image++) counter.add(corpus, image * k, (image + 1) * k)
  const measure = createImageMeasure(design, units === 'words' ? counter.weights() : EQUAL_WEIGHTS)
  const width = peopleWidth(design)
  const rows = new Float64Array(counted.length * width)
  const ofSystem = new Float64Array(counted.length * CANDIDATE_WIDTH)
  for (let image = 0; image < counted.length; image++) {
    measure.addPeople(corpus, image * k, rows.subarray(image * width, (image + 1) * width))
    if (!own) continue
    const caption = sequence(corpus, counted.length * k + image)
    measure.addSystem(caption, ofSystem.subarray(image * CANDIDATE_WIDTH, (image + 1) * CANDIDATE_WIDTH))
  }
  const people = { design, rows, untested: units === 'words' ? ('OWN_DOCUMENTS' as const) : null }
  const toFigure = ({ value, interval }: Figure): Figure => ({ value, interval })
  const toSaid = (said: Said): Said => ({
    coverage: toFigure(said.coverage),
    consensusCoverage: toFigure(said.consensusCoverage),
    confirmedShare: toFigure(said.confirmedShare),
  })
  const system = own ? systemCoverage(ofSystem, people) : null
  return {
    people: humanCurve(people).map(toSaid),
    system: system && {
      ...toSaid(system),
      peopleEquivalent: toFigure(system.peopleEquivalent),
      confirmedShareBesidePeople: toFigure(system.confirmedShareBesidePeople),
    },
  }
}

function toTokenization({ language = 'en', tokenizer }: TokenOptions): Tokenization {
  const parsed = parseLanguage(language)
  return {
    language: parsed,
    tokenizer: tokenizer === undefined ? defaultTokenizer(parsed) : parseTokenizer(tokenizer),
  }
}

/** Captions of images as a corpus, and the positions of those of each image. */
function toLists(captions: readonly (readonly string[])[], tokens: TokenOptions) {
  const written = captions.flat()
  const corpus = { ...tokenizeCorpus(written, toTokenization(tokens)), written }
  const referenceOffsets = new Int32Array(captions.length + 1)
  captions.forEach((list, image) => {
    referenceOffsets[image + 1] = referenceOffsets[image] + list.length
  })
  const references = Int32Array.from({ length: corpus.offsets.length - 1 }, (_, caption) => caption)
  return { corpus, lists: { references, referenceOffsets } }
}

/** The ids of the images. */
function requireImages(references: References): string[] {
  const ids = Object.keys(references)
  if (ids.length === 0) throw invalid('no image', 'references', 'captions of at least one image', 'none')
  for (const id of ids) {
    const list: unknown = references[id]
    if (Array.isArray(list) && list.length > 0 && list.every((caption) => typeof caption === 'string'))
      continue
    throw invalid('an image without captions', id, 'a list of at least one text', quote(list))
  }
  return ids
}

/** K: the number that is given, or the least of an image. */
function chooseCaptionsPerImage(described: readonly (readonly string[])[], given?: number): number {
  if (given === undefined)
    return described.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY)
  if (Number.isInteger(given) && given > 0) return given
  throw invalid('invalid number of captions', 'captionsPerImage', 'an integer from 1 on', quote(given))
}

function requireSameImages(ids: readonly string[], captions: Readonly<Record<string, string>>): void {
  const missing = ids.find((id) => typeof captions[id] !== 'string')
  if (missing !== undefined) {
    const expected = 'a text for each image of the references'
    throw invalid('no caption of an image', missing, expected, quote(captions[missing]))
  }
  const known = new Set(ids)
  const unknown = Object.keys(captions).find((id) => !known.has(id))
  if (unknown !== undefined)
    throw invalid('a caption of an unknown image', unknown, 'images of the references', 'another one')
}

function invalid(summary: string, place: string, expected: string, found: string): AccordError {
  return new AccordError('INVALID_VALUE', summary, { place, expected, found })
}

/** The scores of trials by metrics, in the order of {@link METRICS}. */
function measure(
  trials: readonly Trial[],
  corpus: Parameters<MetricFamily['prepare']>[0],
  metrics = DEFAULT_METRICS,
) {
  const unknown = metrics.find((name) => !METRICS.includes(name))
  if (unknown !== undefined)
    throw unknownName('UNKNOWN_METRIC', 'unknown metric', {
      source: 'metrics',
      known: METRICS,
      found: unknown,
    })
  const images = trials[0].candidates.length
  const { undefinedReason } = judgeSampleSize(images)
  return FAMILIES.flatMap((family) => {
    if (!family.metrics.some(({ name }) => metrics.includes(name))) return []
    const prepared = family.prepare(corpus)
    const statistics = trials.map((trial) => family.measure(prepared, trial))
    const estimates = scoreEstimates({ family, trials: statistics })
    const values = statistics.map((rows) => scoreCorpus(family, rows))
    const imageScores = statistics.map((rows) => scoreImages(family, rows))
    const hasInterval = undefinedReason === null && !family.needs.documentFrequencies
    return family.metrics.flatMap(({ name }, column) =>
      metrics.includes(name)
        ? [
            {
              metric: name,
              values: values.map((ofTrial) => ofTrial[column]),
              interval: hasInterval ? (estimates[column]?.interval ?? null) : null,
              imageScores: imageScores.map((ofTrial) => ofTrial[column]),
            },
          ]
        : [],
    )
  })
}

import { AccordError } from '../../errors.js'
import type { Interval } from '../stats/interval.js'
import { scoreEstimates } from '../stats/jackknife.js'
import { type CorpusScores, type Measurement, type Scorer, sumRows } from '../stats/measurement.js'
import { type CaptionForm, type Corpus, sequence } from '../text/sequences.js'
import type { DocumentFrequencies } from './document-frequencies.js'
import type { HashedFrequencies } from './hashed-frequencies.js'
import type { ReferenceLists } from './reference-lists.js'
import type { MetricResources, ResourceName, ResourceReaders } from './resources.js'

/**
 * Which captions of a {@link Corpus} are compared with which: for image `i` the caption `candidates[i]` is
 * the candidate, and `references[referenceOffsets[i]] … references[referenceOffsets[i + 1] - 1]` are its
 * references. All entries are positions of sequences in the corpus. A system's evaluation is one trial; the
 * leave-one-out table is K trials over the same corpus, and shares everything that `prepare` computed.
 */
export interface Trial extends ReferenceLists {
  readonly candidates: Int32Array
  /** Document frequencies of other images; counted in the trial's own references when absent. */
  readonly documentFrequencies?: DocumentFrequencies | HashedFrequencies
  /** Scores by other programs, one per image, by name of the metric; NaN where there is none. */
  readonly external?: Readonly<Record<string, Float64Array>>
  /** Names of the objects that are annotated in the images, one sequence per image. */
  readonly objects?: Corpus
}

/** A metric as data that is known without any resource: shown by the API and part of the README's table. */
export interface MetricDescription {
  /** The field's standard name: `BLEU-4`, `ROUGE-L`, `METEOR`, `CIDEr-D`. */
  readonly name: string
  /** One paragraph: the formula in words, and where the toolkit and the paper differ, which is followed. */
  readonly description: string
  readonly lowest: number
  readonly highest: number
  readonly higherIsBetter: boolean
  /** Authors, year, title, section. */
  readonly citation: string
  /** Increased whenever the same captions get another score. */
  readonly revision: number
  /** What to know when reading scores of this metric, as sentences to show beside them. */
  readonly notes?: readonly string[]
}

/** A metric whose resources are known. */
export interface Metric extends MetricDescription {
  /** Parameters that enter the signature, in signature order, e.g. `{ beta: '1.2' }`. */
  readonly parameters: Readonly<Record<string, string>>
}

/** What a family needs beside the tokens of captions. */
export interface MetricNeeds {
  /** `external`: what another program reads, whose scores are given. */
  readonly text: CaptionForm | 'external'
  readonly resources: readonly ResourceName[]
  /** Names of metrics whose image scores it needs. */
  readonly metrics: readonly string[]
  /** True where document frequencies enter the score: the signature then names where they come from. */
  readonly documentFrequencies: boolean
  /** True where it has tools for English alone: a parser, word lists, vectors, or training. */
  readonly english: boolean
  /** True where `prepare` counts n-grams: families that do share the counts if they are measured together. */
  readonly ngrams: boolean
  /** True where annotated objects of images enter the score, if they are given: the signature then has their hash. */
  readonly objects: boolean
}

/** The form of captions that all families can be computed from. */
export function captionForm(families: readonly Pick<FamilyDescription, 'needs'>[]): CaptionForm {
  return families.some(({ needs }) => needs.text === 'raw') ? 'raw' : 'tokens'
}

/** The needs of a metric that is computed from tokens alone. */
export const TOKENS_ONLY: MetricNeeds = {
  text: 'tokens',
  resources: [],
  metrics: [],
  documentFrequencies: false,
  english: false,
  ngrams: false,
  objects: false,
}

/** A family of metrics as data that is known without any resource. */
export interface FamilyDescription {
  /** Unique among families; stored beside rows of statistics. */
  readonly name: string
  /** Increased whenever the columns of the statistics change. */
  readonly layoutRevision: number
  /** Columns of one image's row of sufficient statistics. */
  readonly width: number
  /** False for metrics that are computed only where they are named; true when absent. */
  readonly isDefault?: boolean
  readonly needs: MetricNeeds
  readonly metrics: readonly MetricDescription[]
}

/** Receives the completed share of a measurement, from 0 to 1. An error that it throws ends the measurement. */
export type MeasureProgress = (share: number) => void

/** Many candidates that are compared with the same references. */
interface LimitsInput {
  readonly candidates: Int32Array
  /** Index of the metric in its family. */
  readonly metric: number
  readonly documentFrequencies?: DocumentFrequencies
}

/**
 * Computes upper limits of the scores of all candidates against the references of an image. They are valid until the next
 * call.
 */
export type ComputeLimits = (references: Int32Array) => Float64Array

/**
 * A family of metrics that share their statistics (BLEU-1 to BLEU-4 are one family). Image scores, corpus
 * scores, their intervals, the paired test and all leave-one-out folds are computed from the same statistics.
 */
export interface MetricFamily<Prepared = unknown> extends FamilyDescription {
  readonly metrics: readonly Metric[]
  /** What depends on the captions alone (n-gram counts, stems), once per corpus. */
  prepare(corpus: Corpus): Prepared
  /**
   * Sufficient statistics, one row of `width` numbers per image of the trial, row-major. A row depends on the
   * image's own captions and on the document frequencies only, so that any split into images gives the same rows.
   */
  measure(prepared: Prepared, trial: Trial, progress?: MeasureProgress): Float64Array
  /**
   * Upper limits of image scores, which are computed much faster than the scores where many candidates are compared with
   * the same references. Rounding errors apart, no candidate scores higher. Null or absent where there are none.
   */
  createLimits?(prepared: Prepared, input: LimitsInput): ComputeLimits | null
  /** Whether a name of an annotated object stands for one that it counts. Absent where it counts none. */
  countsObject?(name: string): boolean
  /**
   * Scores of one image, one per entry of `metrics`, from the row at `offset`, written to `scores`; NaN where a score is
   * undefined, as that of colors for an image without colors.
   */
  imageScores(statistics: Float64Array, offset: number, scores: Float64Array): void
  readonly corpusScores: CorpusScores
  /**
   * Reasons to read this trial's scores with care, as sentences to show beside them.
   *
   * @param sums of the rows of the trial's images
   */
  warnings?(trial: Trial, sums: Float64Array): readonly string[]
}

/** A family that is created from its resources. */
export interface FamilyDefinition extends FamilyDescription {
  /** @param load other metrics, for a family that needs their scores */
  create(
    resourceOf: <Name extends ResourceName>(name: Name) => MetricResources[Name],
    load: (metric: string) => LoadedMetric,
  ): MetricFamily
  /**
   * The family for captions in another language than English, where it is another one; its name ends in the language. Absent:
   * the same family.
   *
   * @param language without region and script
   */
  inLanguage?(language: string, readers: ResourceReaders): FamilyDefinition
}

/** A metric with its parameters, its family, and the signature of its scores as features of a composite metric. */
export interface LoadedMetric {
  readonly metric: Metric
  readonly family: MetricFamily
  readonly featureSignature: string
}

/** Images between two reports of progress. */
const PROGRESS_STEP = 256

/**
 * Measures all images step by step and reports progress between the steps.
 *
 * @param measureStep measures the images `start` … `end` − 1. The loop over them belongs to each metric: a loop that
 * metrics shared would be compiled for all of them at once, and run slower.
 */
export function measureImages(
  imageCount: number,
  progress: MeasureProgress | undefined,
  measureStep: (start: number, end: number) => void,
): void {
  for (let start = 0; start < imageCount; start += PROGRESS_STEP) {
    progress?.(start / imageCount)
    measureStep(start, Math.min(start + PROGRESS_STEP, imageCount))
  }
  progress?.(1)
}

/** The progress of step `step` of `steps` equally long ones. */
export function stepProgress(
  progress: MeasureProgress | undefined,
  step: number,
  steps: number,
): MeasureProgress | undefined {
  return progress && ((share) => progress((step + share) / steps))
}

/** The scores of a trial's corpus, one per metric of the family, from its images' rows of statistics. */
export function scoreCorpus(
  { width, metrics, corpusScores }: Scorer,
  statistics: Float64Array,
): Float64Array {
  if (statistics.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'a corpus without images has no score')
  }
  const scores = new Float64Array(metrics.length)
  const summarized = corpusScores.from === 'sums' ? sumRows(statistics, width) : statistics
  corpusScores.score(summarized, statistics.length / width, scores)
  return scores
}

/** The scores of every image, one array (in the trial's order of images) per metric of the family. */
export function scoreImages(family: MetricFamily, statistics: Float64Array): Float64Array[] {
  const images = statistics.length / family.width
  const columns = family.metrics.map(() => new Float64Array(images))
  const scores = new Float64Array(columns.length)
  for (let image = 0; image < images; image++) {
    family.imageScores(statistics, image * family.width, scores)
    for (let metric = 0; metric < columns.length; metric++) columns[metric][image] = scores[metric]
  }
  return columns
}

/** One sentence for each metric whose corpus score is undefined. */
export function undefinedScoreWarnings(metrics: readonly Metric[]): string[] {
  return metrics.map(({ name }) => `${name} has no score: it is undefined for every image.`)
}

/**
 * Image and corpus scores of a family whose statistics are the image scores themselves, and whose corpus
 * score is their mean (ROUGE, CIDEr).
 */
export const meanOfImageScores: Pick<MetricFamily, 'imageScores' | 'corpusScores'> = {
  imageScores(statistics, offset, scores) {
    for (let metric = 0; metric < scores.length; metric++) scores[metric] = statistics[offset + metric]
  },
  corpusScores: {
    from: 'sums',
    score(sums, images, scores) {
      for (let metric = 0; metric < scores.length; metric++) scores[metric] = sums[metric] / images
    },
  },
}

/** Some images of trials, over a corpus of their own. */
interface TrialSlice {
  readonly corpus: Corpus
  readonly trials: readonly Trial[]
}

/**
 * The images `start` … `end` − 1 of trials over one corpus, with the captions that they use. Document
 * frequencies stay those given: where a metric needs them, give every trial those of all its images.
 */
export function sliceTrials(
  corpus: Corpus,
  trials: readonly Trial[],
  start: number,
  end: number,
): TrialSlice {
  const positions = new Map<number, number>()
  const renumber = (captions: Int32Array) =>
    captions.map((caption) => {
      let position = positions.get(caption)
      if (position === undefined) {
        position = positions.size
        positions.set(caption, position)
      }
      return position
    })
  const slices = trials.map((trial): Trial => {
    const { candidates, references, referenceOffsets, documentFrequencies, external, objects } = trial
    const first = referenceOffsets[start]
    return {
      candidates: renumber(candidates.subarray(start, end)),
      references: renumber(references.subarray(first, referenceOffsets[end])),
      referenceOffsets: referenceOffsets.subarray(start, end + 1).map((offset) => offset - first),
      documentFrequencies,
      external:
        external &&
        Object.fromEntries(
          Object.entries(external).map(([metric, scores]) => [metric, scores.subarray(start, end)]),
        ),
      objects: objects && { ...objects, offsets: objects.offsets.subarray(start, end + 1) },
    }
  })
  return { corpus: selectCaptions(corpus, [...positions.keys()]), trials: slices }
}

function selectCaptions(corpus: Corpus, captions: readonly number[]): Corpus {
  const offsets = new Int32Array(captions.length + 1)
  captions.forEach((caption, index) => {
    offsets[index + 1] = offsets[index] + corpus.offsets[caption + 1] - corpus.offsets[caption]
  })
  const tokens = new Int32Array(offsets[captions.length])
  captions.forEach((caption, index) => {
    tokens.set(sequence(corpus, caption), offsets[index])
  })
  const { texts, written } = corpus
  return { tokens, offsets, texts, ...(written && { written: captions.map((caption) => written[caption]) }) }
}

/** The score of some of the measured images, by one metric. */
export interface SubsetScore {
  /** The mean over trials; null where it is undefined. */
  readonly value: number | null
  /** 95 % interval by the jackknife over these images; null for too few. */
  readonly interval: Interval | null
}

/**
 * The scores of some of the images, one per metric of the family, from the rows that were measured on all of them: document
 * frequencies are those of all images.
 *
 * @param images positions among the images of the rows, at least one
 */
export function scoreSubset(
  { family, trials }: Measurement<MetricFamily>,
  images: readonly number[],
): SubsetScore[] {
  const { width } = family
  const own = trials.map((rows) => {
    const selected = new Float64Array(images.length * width)
    for (const [index, image] of images.entries()) {
      selected.set(rows.subarray(image * width, (image + 1) * width), index * width)
    }
    return selected
  })
  const values = own.map((rows) => scoreCorpus(family, rows))
  const estimates = scoreEstimates({ family, trials: own })
  return family.metrics.map((_, metric) => {
    const value = values.reduce((sum, ofTrial) => sum + ofTrial[metric], 0) / values.length
    return Number.isNaN(value)
      ? { value: null, interval: null }
      : { value, interval: estimates[metric]?.interval ?? null }
  })
}

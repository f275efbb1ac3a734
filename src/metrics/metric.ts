import { AccordError } from '../errors.js'
import type { Corpus } from '../text/sequences.js'

/**
 * Which captions of a {@link Corpus} are held against which: for image `i` the caption `candidates[i]` is
 * the candidate, and `references[referenceOffsets[i]] … references[referenceOffsets[i + 1] - 1]` are its
 * references. All entries are positions of sequences in the corpus. A system's evaluation is one trial; the
 * leave-one-out table is K trials over the same corpus, and shares everything that `prepare` computed.
 */
export interface Trial extends ReferenceLists {
  readonly candidates: Int32Array
  /** The documents that document frequencies are counted in; the trial's own references when absent. */
  readonly documents?: ReferenceLists
}

/** Per image, the positions of its reference captions in a corpus. */
export interface ReferenceLists {
  readonly references: Int32Array
  readonly referenceOffsets: Int32Array
}

/** What a metric is, as data: shown by the API and part of the README's table. */
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
  /** Parameters that enter the signature, in signature order, e.g. `{ beta: '1.2' }`. */
  readonly parameters: Readonly<Record<string, string>>
  /** True where document frequencies enter the score: the signature then names where they come from. */
  readonly usesDocumentFrequency?: boolean
}

/**
 * A family of metrics that share their statistics (BLEU-1 to BLEU-4 are one family). The split makes
 * everything else cheap: image scores, corpus scores, the bootstrap, the paired test and all leave-one-out
 * folds come out of the same statistics.
 */
export interface MetricFamily<Prepared = unknown> {
  readonly metrics: readonly MetricDescription[]
  /** Length of one image's vector of sufficient statistics. */
  readonly width: number
  /** What depends on the captions alone (n-gram counts, stems), once per corpus. */
  prepare(corpus: Corpus): Prepared
  /** Sufficient statistics, one row of `width` numbers per image of the trial, row-major. */
  measure(prepared: Prepared, trial: Trial): Float64Array
  /** Scores of one image, one per entry of `metrics`, from the row at `offset`, written to `scores`. */
  imageScores(statistics: Float64Array, offset: number, scores: Float64Array): void
  /** Scores of a corpus from the sum of its images' rows and their number, written to `scores`. */
  corpusScores(sums: Float64Array, images: number, scores: Float64Array): void
  /** What makes this trial's scores mean less than they seem to, as sentences to show beside them. */
  warnings?(trial: Trial): readonly string[]
}

/**
 * The number of images of a trial or of reference lists. Every `measure` starts here: an image without a
 * reference has no score, and is refused with `NOT_APPLICABLE`.
 */
export function countImages({ referenceOffsets }: ReferenceLists): number {
  const images = referenceOffsets.length - 1
  for (let image = 0; image < images; image++) {
    if (referenceOffsets[image + 1] > referenceOffsets[image]) continue
    throw new AccordError('NOT_APPLICABLE', 'an image without references has no score', {
      place: `image ${image} of the trial`,
      expected: 'at least one reference',
      found: 'none',
    })
  }
  return images
}

/** The scores of a trial's corpus, one per metric of the family, from its images' rows of statistics. */
export function scoreCorpus(family: MetricFamily, statistics: Float64Array): Float64Array {
  const { width, metrics } = family
  if (statistics.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'a corpus without images has no score')
  }
  const sums = new Float64Array(width)
  for (let row = 0; row < statistics.length; row += width) {
    for (let column = 0; column < width; column++) sums[column] += statistics[row + column]
  }
  const scores = new Float64Array(metrics.length)
  family.corpusScores(sums, statistics.length / width, scores)
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

/**
 * Image and corpus scores of a family whose statistics are the image scores themselves, and whose corpus
 * score is their mean (ROUGE, CIDEr).
 */
export const meanOfImageScores: Pick<MetricFamily, 'imageScores' | 'corpusScores'> = {
  imageScores(statistics, offset, scores) {
    for (let metric = 0; metric < scores.length; metric++) scores[metric] = statistics[offset + metric]
  },
  corpusScores(sums, images, scores) {
    for (let metric = 0; metric < scores.length; metric++) scores[metric] = sums[metric] / images
  },
}

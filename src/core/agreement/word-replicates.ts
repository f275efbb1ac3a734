/**
 * Word agreement without each group of images in turn, for the jackknife (src/core/stats/jackknife.ts): the uncertainty of
 * means over words, of a system's distance from people, and of differences of systems. All words lose the same
 * images together, so that the dependence of words of the same image enters the standard error.
 *
 * Precision and recall of a single word have better intervals: `humanWordIntervals`, `captioningWordIntervals`.
 */
import type { ImageGroups, Replicates } from '../stats/jackknife.js'
import { firstAtOrBelow, type WordRanking, wordScoreResult } from './phr.js'
import { type AgreementWeights, heldOutWeights, predictionWeights } from './weights.js'
import { captioningWordAgreement, humanWordAgreement, type WordAgreement } from './words.js'

/** The images with a word, as positions 0 … N − 1, and in how many of their K captions it occurs, 1..K each. */
export interface WordImages {
  readonly images: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** A system's scores for a word: the scored images as positions 0 … N − 1, without duplicates, and their scores. */
export interface PlacedScores {
  readonly images: ArrayLike<number>
  readonly scores: Float32Array | Float64Array
}

interface AgreementReplicates {
  readonly precision: Replicates
  readonly recall: Replicates
}

interface RankingReplicates {
  readonly precisionAtHumanRecall: Replicates
  readonly averagePrecision: Replicates
}

/**
 * Replicates of one word at a time. Buffers are shared between words, results are not. The values over all images, which are
 * the first replicates, come from `humanWordAgreement`, `captioningWordAgreement` and `wordScoreResults`: they have the
 * digits of stored figures.
 */
export interface WordReplicator {
  /** Human precision and recall. */
  human(word: WordImages): AgreementReplicates
  /** @param predicted positions of the images whose caption by the system contains the word */
  captioning(word: WordImages, predicted: ArrayLike<number>): AgreementReplicates
  /** PHR and average precision. */
  ranking(word: WordImages, scores: PlacedScores): RankingReplicates
  /** PHR alone, in a third of the time: images are ranked down to human recall. */
  precisionAtHumanRecall(word: WordImages, scores: PlacedScores): Replicates
}

/** @param captionsPerImage K @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1 */
export function createWordReplicator(
  groups: ImageGroups,
  captionsPerImage: number,
  references: number,
): WordReplicator {
  const heldOut = heldOutWeights(captionsPerImage, references)
  const prediction = predictionWeights(captionsPerImage, references)
  const { groupOf, partitions } = groups
  const replicateCount = groups.sizes.length + 1
  /** Per image the number of captions with the current word; 0 between calls. */
  const countOf = new Uint8Array(groupOf.length / partitions)

  function withCounts<Result>({ images, counts }: WordImages, use: () => Result): Result {
    for (let i = 0; i < images.length; i++) countOf[images[i]] = counts[i]
    const result = use()
    for (let i = 0; i < images.length; i++) countOf[images[i]] = 0
    return result
  }

  function sumWeights(images: ArrayLike<number>, weights: Float64Array): Float64Array {
    const sums = new Float64Array(replicateCount)
    for (let i = 0; i < images.length; i++) {
      const weight = weights[countOf[images[i]]]
      sums[0] += weight
      const first = images[i] * partitions
      for (let cell = first; cell < first + partitions; cell++) sums[groupOf[cell] + 1] += weight
    }
    return leaveOut(sums)
  }

  function agreement(
    word: WordImages,
    predicted: ArrayLike<number>,
    { truePositive, falsePositive, positive }: AgreementWeights,
    whole: WordAgreement,
  ): AgreementReplicates {
    return withCounts(word, () => {
      const truePositives = sumWeights(predicted, truePositive)
      const falsePositives = sumWeights(predicted, falsePositive)
      const positives = sumWeights(word.images, positive)
      const isPredicted = countWithout(predicted)
      const isUsed = countWithout(word.images)
      const precision = truePositives.map((sum, i) =>
        isPredicted[i] > 0 ? sum / (sum + falsePositives[i]) : Number.NaN,
      )
      const recall = truePositives.map((sum, i) => (isUsed[i] > 0 ? sum / positives[i] : Number.NaN))
      return {
        precision: startingWith(whole.precision, precision),
        recall: startingWith(whole.recall, recall),
      }
    })
  }

  function countWithout(images: ArrayLike<number>): Float64Array {
    const counts = new Float64Array(replicateCount)
    counts[0] = images.length
    for (let i = 0; i < images.length; i++) {
      const first = images[i] * partitions
      for (let cell = first; cell < first + partitions; cell++) counts[groupOf[cell] + 1]++
    }
    return leaveOut(counts)
  }

  /** The images by threshold, and the result over all of them with the digits of stored ones. */
  function order(word: WordImages, scores: PlacedScores) {
    const rows = splitByThreshold(scores, countOf)
    const histogram = histogramOf(word, countOf.length, captionsPerImage)
    const whole = wordScoreResult(rankingOf(rows, countOf, histogram), references)
    return { rows, captions: countCaptions(word, groups), whole }
  }

  return {
    human(word) {
      const all = histogramOf(word, countOf.length, captionsPerImage)
      return agreement(word, word.images, heldOut, humanWordAgreement(all, references))
    },
    captioning(word, predicted) {
      const found = histogramOfPredicted(word, predicted, captionsPerImage)
      const all = histogramOf(word, countOf.length, captionsPerImage)
      return agreement(word, predicted, prediction, captioningWordAgreement(found, all, references))
    },
    ranking: (word, scores) =>
      withCounts(word, () => {
        const { rows, captions, whole } = order(word, scores)
        const curve = createCurve(rows, replicateCount)
        const phr = rank(rows, captions, countOf, groups, captionsPerImage, prediction, curve)
        return {
          precisionAtHumanRecall: startingWith(whole.precisionAtHumanRecall, phr),
          averagePrecision: startingWith(whole.averagePrecision, integrate(curve, captions.captions)),
        }
      }),
    precisionAtHumanRecall: (word, scores) =>
      withCounts(word, () => {
        const { rows, captions, whole } = order(word, scores)
        const phr = rank(rows, captions, countOf, groups, captionsPerImage, prediction, null)
        return startingWith(whole.precisionAtHumanRecall, phr)
      }),
  }
}

/** People, or a system beside them, on a word. */
export interface SubjectOnWord {
  readonly images: WordImages
  /** Positions of the images whose caption by the system contains the word. Null without captions. */
  readonly predicted: ArrayLike<number> | null
  /** Null without scores. */
  readonly scores: PlacedScores | null
}

/** The figures of systems with word scores. */
export interface ReplicatedFigures {
  /** Whether average precision is computed, which takes as long as all other figures. */
  readonly hasAveragePrecision: boolean
  /** Whether people are measured beside a system with word scores. */
  readonly hasPeople: boolean
}

/** Replicates of the figures that a subject has. */
export interface WordReplicates extends Partial<RankingReplicates> {
  /** Of people. */
  readonly human?: AgreementReplicates
  readonly captioning?: AgreementReplicates
}

export function replicateWord(
  replicator: WordReplicator,
  { images, predicted, scores }: SubjectOnWord,
  { hasAveragePrecision, hasPeople }: ReplicatedFigures,
): WordReplicates {
  if (predicted) return { captioning: replicator.captioning(images, predicted) }
  if (scores === null) return { human: replicator.human(images) }
  return {
    ...(hasPeople ? { human: replicator.human(images) } : {}),
    ...(hasAveragePrecision
      ? replicator.ranking(images, scores)
      : { precisionAtHumanRecall: replicator.precisionAtHumanRecall(images, scores) }),
  }
}

/** The replicates with this value over all images. */
function startingWith(value: number | null, replicates: Replicates): Replicates {
  replicates[0] = value ?? Number.NaN
  return replicates
}

/** h_0 … h_K over all images. */
export function histogramOf(
  { images, counts }: WordImages,
  imageCount: number,
  captionsPerImage: number,
): Float64Array {
  const histogram = new Float64Array(captionsPerImage + 1)
  for (let i = 0; i < images.length; i++) histogram[counts[i]]++
  histogram[0] += imageCount - images.length
  return histogram
}

/** h_0 … h_K over the images whose caption by the system contains the word. */
export function histogramOfPredicted(
  { images, counts }: WordImages,
  predicted: ArrayLike<number>,
  captionsPerImage: number,
): Float64Array {
  const countOf = new Map(Array.from(images, (image, i): [number, number] => [image, counts[i]]))
  const histogram = new Float64Array(captionsPerImage + 1)
  for (let i = 0; i < predicted.length; i++) histogram[countOf.get(predicted[i]) ?? 0]++
  return histogram
}

/** Turns [total, part of group 1, …] into [total, total − part of group 1, …]. */
function leaveOut(sums: Float64Array): Float64Array {
  for (let i = 1; i < sums.length; i++) sums[i] = sums[0] - sums[i]
  return sums
}

/** Images by threshold: row r has `images[starts[r]] … images[starts[r + 1] − 1]`, highest scores first. */
interface ThresholdRows {
  readonly starts: Uint32Array
  readonly images: Uint32Array
  /** The score threshold of each row, highest first. The last row has none if it is that of images without a score. */
  readonly thresholds: Float32Array | Float64Array
}

/** The ranking of all images, as `rankWord` has it. */
function rankingOf(
  { starts, images, thresholds }: ThresholdRows,
  countOf: Uint8Array,
  histogram: Float64Array,
): WordRanking {
  const columns = histogram.length
  const cumulative = new Uint32Array((starts.length - 1) * columns)
  for (let row = 0; row + 1 < starts.length; row++) {
    const first = row * columns
    if (row > 0) cumulative.copyWithin(first, first - columns, first)
    for (let i = starts[row]; i < starts[row + 1]; i++) cumulative[first + countOf[images[i]]]++
  }
  return { histogram, cumulative, thresholds: Float64Array.from(thresholds) }
}

/** Precision and recall of all replicates at each threshold, row by row; 0 where no caption is found. */
interface CurveCells {
  readonly precisions: Float64Array
  readonly recalls: Float64Array
}

function createCurve({ starts }: ThresholdRows, replicates: number): CurveCells {
  const cells = (starts.length - 1) * replicates
  return { precisions: new Float64Array(cells), recalls: new Float64Array(cells) }
}

/** PHR of all replicates; fills the curve, if there is one, and ends at human recall otherwise. */
function rank(
  { starts, images }: ThresholdRows,
  { captions, pairs }: ReturnType<typeof countCaptions>,
  countOf: Uint8Array,
  { groupOf, partitions, sizes }: ImageGroups,
  captionsPerImage: number,
  { truePositive, falsePositive }: AgreementWeights,
  curve: CurveCells | null,
): Replicates {
  const replicates = sizes.length + 1
  const phr = new Float64Array(replicates).fill(Number.NaN)
  const truePositives = new Float64Array(replicates)
  const falsePositives = new Float64Array(replicates)
  const found = new Float64Array(replicates)
  /** Replicates that have not reached human recall, and the fewest pairs of one that has a recall. */
  let left = 0
  let fewest = Number.POSITIVE_INFINITY
  for (const pair of pairs) {
    if (pair === 0) continue
    left++
    fewest = Math.min(fewest, pair)
  }
  for (let row = 0; row + 1 < starts.length && (curve !== null || left > 0); row++) {
    for (let i = starts[row]; i < starts[row + 1]; i++) {
      const count = countOf[images[i]]
      const first = images[i] * partitions
      const missed = falsePositive[count]
      falsePositives[0] += missed
      for (let cell = first; cell < first + partitions; cell++) falsePositives[groupOf[cell] + 1] += missed
      // Most images do not have the word.
      if (count === 0) continue
      const hit = truePositive[count]
      truePositives[0] += hit
      found[0] += count
      for (let cell = first; cell < first + partitions; cell++) {
        truePositives[groupOf[cell] + 1] += hit
        found[groupOf[cell] + 1] += count
      }
    }
    // A replicate finds at most what all images have.
    if (curve === null && found[0] * (captionsPerImage - 1) < fewest) continue
    for (let replicate = 0; replicate < replicates; replicate++) {
      const isWhole = replicate === 0
      const foundCaptions = found[0] - (isWhole ? 0 : found[replicate])
      if (foundCaptions === 0) continue
      // Integers are compared, as in `wordScoreResults`.
      const isReached =
        Number.isNaN(phr[replicate]) &&
        pairs[replicate] > 0 &&
        foundCaptions * (captionsPerImage - 1) >= pairs[replicate]
      if (!isReached && curve === null) continue
      const hits = truePositives[0] - (isWhole ? 0 : truePositives[replicate])
      const misses = falsePositives[0] - (isWhole ? 0 : falsePositives[replicate])
      const precision = hits / (hits + misses)
      if (isReached) {
        phr[replicate] = precision
        left--
      }
      if (curve === null) continue
      curve.precisions[row * replicates + replicate] = precision
      curve.recalls[row * replicates + replicate] = foundCaptions / captions[replicate]
    }
  }
  return phr
}

/** Captions with the word, and pairs of such captions of one image, over all images without each group. */
function countCaptions(word: WordImages, { groupOf, partitions, sizes }: ImageGroups) {
  const captions = new Float64Array(sizes.length + 1)
  const pairs = new Float64Array(sizes.length + 1)
  for (let i = 0; i < word.images.length; i++) {
    const count = word.counts[i]
    captions[0] += count
    pairs[0] += count * (count - 1)
    const first = word.images[i] * partitions
    for (let cell = first; cell < first + partitions; cell++) {
      captions[groupOf[cell] + 1] += count
      pairs[groupOf[cell] + 1] += count * (count - 1)
    }
  }
  return { captions: leaveOut(captions), pairs: leaveOut(pairs) }
}

/** Area under the right-to-left maximum of precision, per replicate; NaN without captions. */
function integrate({ precisions, recalls }: CurveCells, captions: Float64Array): Replicates {
  const areas = new Float64Array(captions.length)
  const highest = new Float64Array(captions.length)
  for (let first = precisions.length - captions.length; first >= 0; first -= captions.length) {
    for (let replicate = 0; replicate < captions.length; replicate++) {
      const cell = first + replicate
      if (precisions[cell] > highest[replicate]) highest[replicate] = precisions[cell]
      const step = recalls[cell] - (first === 0 ? 0 : recalls[cell - captions.length])
      areas[replicate] += highest[replicate] * step
    }
  }
  return areas.map((area, replicate) => (captions[replicate] > 0 ? area : Number.NaN))
}

/**
 * One row per distinct score of scored images with the word, and a last row of all images without a score if one of
 * them has the word. Images below the last row are left out: they do not matter.
 */
function splitByThreshold({ images, scores }: PlacedScores, countOf: Uint8Array): ThresholdRows {
  const positives = scores.slice()
  let positiveCount = 0
  for (let i = 0; i < images.length; i++) if (countOf[images[i]] > 0) positives[positiveCount++] = scores[i]
  const thresholds = distinctDescending(positives.subarray(0, positiveCount))
  const rows = thresholds.length
  // Images scored below all thresholds come with images without a score, and count only with them.
  const rowOf = new Uint32Array(countOf.length).fill(rows)
  for (let i = 0; i < images.length; i++) {
    if (scores[i] >= thresholds[rows - 1]) rowOf[images[i]] = firstAtOrBelow(thresholds, scores[i])
  }
  const starts = new Uint32Array(rows + 2)
  let isWordUnscored = false
  for (let image = 0; image < rowOf.length; image++) {
    starts[rowOf[image] + 1]++
    if (rowOf[image] === rows && countOf[image] > 0) isWordUnscored = true
  }
  for (let row = 0; row <= rows; row++) starts[row + 1] += starts[row]
  const next = starts.slice()
  const sorted = new Uint32Array(rowOf.length)
  for (let image = 0; image < rowOf.length; image++) sorted[next[rowOf[image]]++] = image
  return { starts: isWordUnscored ? starts : starts.subarray(0, -1), images: sorted, thresholds }
}

function distinctDescending(scores: Float32Array | Float64Array): Float32Array | Float64Array {
  const sorted = scores.sort()
  sorted.reverse()
  let distinct = 0
  // Subtraction, because 0 and −0 are tied.
  for (const score of sorted) if (distinct === 0 || sorted[distinct - 1] !== score) sorted[distinct++] = score
  return sorted.subarray(0, distinct)
}

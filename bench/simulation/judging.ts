import {
  rateSystems,
  ratingIntervals,
  type SystemComparisons,
} from '../../src/core/judgements/bradley-terry.js'
import { contestsOf, judgeContest } from '../../src/core/judgements/contest.js'
import { imagesOf, preferencesOf, ratingsOf, systemsOf } from '../../src/core/judgements/judgement.js'
import { compareJudged, judgeScores, mainFigure } from '../../src/core/judgements/meta-evaluation.js'
import { clusterMetrics } from '../../src/core/judgements/metric-tests.js'
import { holm } from '../../src/core/stats/multiple-testing.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { contains, createTally, describeOutside, type Section, type Tally } from './tally.js'

/** Resamples of each sample: intervals and tests take their standard deviation. */
const RESAMPLES = 200

/** Images of the populations whose figures are known by their size alone. */
const LARGE = 20_000

/** The lowest coverage of a figure that is shown. */
const LOWEST = 0.9

/** Coverage of the intervals of judging, and how often its claims are false, on drawn judgements. */
export function simulateJudging(
  _population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const coverage = createTally()
  const errors = createTally()
  simulatePreferences(coverage, errors, sizes, samples, createRandom(seed))
  simulateStrengths(coverage, sizes, samples, createRandom(seed))
  simulateRatings(coverage, errors, sizes, samples, createRandom(seed))
  const systems = createTally()
  simulateSystems(systems, sizes, samples, createRandom(seed))
  const [table, systemTable] = [coverage.table('interval of'), systems.table('systems, figure')]
  return [
    '## Judging metrics',
    '',
    `Coverage of 95 % intervals, ${samples.toLocaleString('en')} samples per number of images, drawn from populations with known ` +
      'figures. *Accuracy*: of preferences, with one pair of an image, or with four or ten whose outcomes depend on each other; *four ' +
      'categories*: .6, .95, .9 and .7; *ties*: half of the pairs tie. *Strengths*: Bradley-Terry, four systems, three ' +
      'comparisons of an image, or all six, which depend on each other. *τ-c*: five captions of an image, rated from 1 to 5. Accord shows no interval below 10 images.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, LOWEST, 1),
    '',
    'Share of samples with a false claim, at the level of 5 %. *Chance*: one of five metrics whose scores are unrelated to the ' +
      'ratings is called better than chance; *chance, preferences*: one metric that prefers at random, with the pairs of an image as ' +
      'above. *Best*: one of five metrics is said to agree best although another one is as good.',
    '',
    ...errors.table('claim'),
    '',
    'Coverage of the intervals of figures of systems: systems and images are drawn from 300 systems, and the figure is that of all ' +
      'of them on many images. Ratings and scores of few images are noisy, which lowers every correlation, so that more systems ' +
      'make the interval shorter about the wrong value: Accord shows none above 8 systems.',
    '',
    ...systemTable,
    '',
    describeOutside(systemTable, () => true, LOWEST, 1),
  ]
}

/** Shares of pairs that the metric orders as people do. */
const ACCURACIES = [0.988, 0.9, 0.7, 0.5]
const CATEGORIES = [0.6, 0.95, 0.9, 0.7]
const DEPENDENT_PAIRS = [4, 10]

function simulatePreferences(
  tally: Tally,
  errors: Tally,
  sizes: readonly number[],
  samples: number,
  random: Random,
): void {
  const cases = [
    ...ACCURACIES.map((accuracy) => ({
      row: `accuracy ${shown(accuracy)}`,
      accuracies: [accuracy],
      pairs: 1,
      ties: 0,
    })),
    ...DEPENDENT_PAIRS.flatMap((pairs) =>
      ACCURACIES.map((accuracy) => ({
        row: `accuracy ${shown(accuracy)}, ${pairs} dependent pairs`,
        accuracies: [accuracy],
        pairs,
        ties: 0,
      })),
    ),
    { row: 'accuracy, four categories', accuracies: CATEGORIES, pairs: 1, ties: 0 },
    { row: 'accuracy .9, ties', accuracies: [0.9], pairs: 1, ties: 0.5 },
  ]
  for (const { row, accuracies, pairs, ties } of cases) {
    const truth = accuracies.reduce((sum, own) => sum + (1 - ties) * own + ties / 2, 0) / accuracies.length
    for (const size of sizes) {
      for (let sample = 0; sample < samples; sample++) {
        const outcomes: number[] = []
        for (let image = 0; image < size; image++) {
          const accuracy = accuracies[image % accuracies.length]
          const isWon = () => (random.next() < ties ? 0.5 : Number(random.next() < accuracy))
          // Half of the pairs have the outcome of the image.
          const ofImage = isWon()
          for (let pair = 0; pair < pairs; pair++)
            outcomes.push(pairs > 1 && random.next() < 0.5 ? ofImage : isWon())
        }
        const judgements = preferencesOf(
          outcomes.map((_, pair) => ({
            first: 2 * pair,
            second: 2 * pair + 1,
            preferred: 0,
            category: String(Math.floor(pair / pairs) % accuracies.length),
          })),
          imagesOf(outcomes.flatMap((_, pair) => [0, 0].map(() => ({ imageId: Math.floor(pair / pairs) })))),
          null,
        )
        const scores = Float64Array.from(outcomes.flatMap((outcome) => [outcome, 1 - outcome]))
        const { interval, pValue } = judgeScores(judgements, scores, { seed: 1, resamples: 1 }).figures
        if (interval) tally.count(row, String(size), contains(interval, truth))
        if (truth === 0.5 && pValue !== null)
          errors.count(`chance, preferences, ${pairs} of an image`, String(size), pValue < 0.05)
      }
    }
  }
}

const STRENGTHS = [0, 60, 120, 400]
const EVERY_PAIR = STRENGTHS.flatMap((_, first) =>
  Array.from({ length: first }, (_, second) => [first, second] as const),
)
/** Standard deviation of the strength of a system on an image, where comparisons depend on each other. */
const IMAGE_NOISE = 200

function simulateStrengths(tally: Tally, sizes: readonly number[], samples: number, random: Random): void {
  for (const { row, ties, isDependent } of [
    { row: 'strengths', ties: 0.2, isDependent: false },
    { row: 'strengths, half of them ties', ties: 0.5, isDependent: false },
    { row: 'strengths, dependent comparisons', ties: 0.2, isDependent: true },
    { row: 'strengths, ties alone', ties: 1, isDependent: false },
  ]) {
    const somePair = (): readonly [number, number] => {
      const first = random.below(STRENGTHS.length)
      return [first, (first + 1 + random.below(STRENGTHS.length - 1)) % STRENGTHS.length]
    }
    const drawImage = () => {
      const strengths = STRENGTHS.map(
        (strength) => strength + (isDependent ? IMAGE_NOISE * normal(random) : 0),
      )
      return (isDependent ? EVERY_PAIR : [somePair(), somePair(), somePair()]).map(([first, second]) => {
        const expected = 1 / (1 + 10 ** ((strengths[second] - strengths[first]) / 400))
        return { first, second, outcome: random.next() < ties ? 0.5 : Number(random.next() < expected) }
      })
    }
    const draw = (imageCount: number): SystemComparisons => {
      const drawn = Array.from({ length: imageCount }, drawImage)
      const rows = drawn.flat()
      return {
        systemCount: STRENGTHS.length,
        first: Int32Array.from(rows, ({ first }) => first),
        second: Int32Array.from(rows, ({ second }) => second),
        outcomes: Float64Array.from(rows, ({ outcome }) => outcome),
        images: Int32Array.from(rows, (_, index) => Math.floor(index / drawn[0].length)),
        imageCount,
      }
    }
    const truth = rateSystems(draw(20 * LARGE), 0) as Float64Array
    for (const size of sizes) {
      for (let sample = 0; sample < samples; sample++) {
        const comparisons = draw(size)
        const ratings = rateSystems(comparisons, 0)
        if (ratings === null) continue
        for (const [system, interval] of ratingIntervals(comparisons, ratings, 0).entries()) {
          if (interval) tally.count(row, String(size), contains(interval, truth[system]))
        }
      }
    }
  }
}

/** Five metrics: the noise of each. The first two are equally good. */
const NOISES = [1, 1, 1.5, 2, 3]
const CAPTIONS_PER_IMAGE = 5

function simulateRatings(
  coverage: Tally,
  errors: Tally,
  sizes: readonly number[],
  samples: number,
  random: Random,
): void {
  const draw = (imageCount: number, isRelated: boolean) => {
    const captions = Array.from({ length: imageCount * CAPTIONS_PER_IMAGE }, (_, caption) => ({
      imageId: Math.floor(caption / CAPTIONS_PER_IMAGE),
    }))
    const easy = Array.from({ length: imageCount }, () => normal(random))
    const quality = captions.map(({ imageId }) => 0.7 * easy[imageId] + normal(random))
    const rate = (value: number) => Math.min(5, Math.max(1, Math.round(3 + value + 0.7 * normal(random))))
    const ratings = quality.map((value) => [{ rater: null, value: rate(value) }])
    const metrics = NOISES.map((noise) => {
      const ofImages = Array.from({ length: imageCount }, () => normal(random))
      return Float64Array.from(
        captions,
        ({ imageId }, caption) =>
          Number(isRelated) * quality[caption] + noise * (0.6 * ofImages[imageId] + 0.8 * normal(random)),
      )
    })
    return { judgements: ratingsOf(ratings, imagesOf(captions), null), metrics }
  }
  const { judgements: all, metrics: allScores } = draw(LARGE, true)
  const truths = allScores.map(
    (scores) => mainFigure(judgeScores(all, scores, { seed: 1, resamples: 1 }).figures) as number,
  )
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const { judgements, metrics } = draw(size, true)
      const options = { seed: sample + 1, resamples: RESAMPLES }
      const judged = metrics
        .map((scores, metric) => ({ metric, ...judgeScores(judgements, scores, options) }))
        .sort((one, other) => (mainFigure(other.figures) as number) - (mainFigure(one.figures) as number))
      for (const { metric, figures } of judged) {
        const row = `τ-c ${shown(truths[metric])}`
        if (figures.interval && metric > 0)
          coverage.count(row, String(size), contains(figures.interval, truths[metric]))
      }
      const clusters = clusterMetrics(
        judged.map(({ figures }) => mainFigure(figures) as number),
        (better, worse) => compareJudged(judged[better], judged[worse])?.pValue ?? null,
      )
      errors.count('best', String(size), clusters[1].cluster > 1)
      const unrelated = draw(size, false)
      const pValues = unrelated.metrics.map(
        (scores) => judgeScores(unrelated.judgements, scores, options).figures.pValue ?? 1,
      )
      errors.count('chance', String(size), Math.min(...holm(pValues)) < 0.05)
    }
  }
}

const ALL_SYSTEMS = 300
/** Numbers of systems that are drawn: those with intervals. */
const SYSTEM_COUNTS = [4, 6, 8]
/** Standard deviation of a rating, and of a score, of one caption; systems have .5. */
const CAPTION_NOISE = 2

function simulateSystems(tally: Tally, sizes: readonly number[], samples: number, random: Random): void {
  const qualities = Array.from({ length: ALL_SYSTEMS }, () => {
    const quality = 0.5 * normal(random)
    return { quality, score: quality + 0.4 * normal(random) }
  })
  const figuresOf = (
    systems: readonly (typeof qualities)[number][],
    imageCount: number,
    resamples: number,
    noise: number,
  ) => {
    const captions = systems.flatMap((_, system) =>
      Array.from({ length: imageCount }, (_, imageId) => ({ imageId, system: `system ${system}` })),
    )
    const ofCaption = (caption: number) => systems[Math.floor(caption / imageCount)]
    const ratings = captions.map((_, caption) => [
      { rater: null, value: ofCaption(caption).quality + noise * normal(random) },
    ])
    const scores = Float64Array.from(
      captions,
      (_, caption) => ofCaption(caption).score + noise * normal(random),
    )
    const { all } = contestsOf(ratingsOf(ratings, imagesOf(captions), systemsOf(captions)))
    return judgeContest(all, { seed: 1, resamples })(scores).systemLevel
  }
  // Without noise, one image tells the figures of all systems on many images.
  const truth = figuresOf(qualities, 1, 1, 0)
  for (const size of sizes) {
    for (const count of SYSTEM_COUNTS) {
      for (let sample = 0; sample < samples; sample++) {
        const systems = Array.from({ length: count }, () => qualities[random.below(ALL_SYSTEMS)])
        const found = figuresOf(systems, size, RESAMPLES, CAPTION_NOISE)?.intervals
        for (const figure of ['pearson', 'kendall', 'pairwiseAccuracy'] as const) {
          const interval = found?.[figure]
          const value = truth?.[figure]
          if (interval && value != null)
            tally.count(`${count}, ${figure}`, String(size), contains(interval, value))
        }
      }
    }
  }
}

/** A standard normal number (Box and Muller 1958). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

const shown = (share: number) => share.toFixed(3).replace(/^0/, '').replace(/0+$/, '')

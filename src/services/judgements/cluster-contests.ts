import type { Threads } from '../../compute/pool.js'
import { type ContestFigures, type Contests, contestsOf } from '../../core/judgements/contest.js'
import type { Judgements } from '../../core/judgements/judgement.js'
import * as metaEvaluation from '../../core/judgements/meta-evaluation.js'
import * as metricTests from '../../core/judgements/metric-tests.js'
import { holm } from '../../core/stats/multiple-testing.js'
import { SEED } from '../provenance/record-provenance.js'
import type { ScoredCaptions } from './judged-scores.js'

/** The difference of two metrics, first minus second. */
export interface NamedDifference extends metaEvaluation.MetricDifference {
  /** Names. */
  readonly first: string
  readonly second: string
}

/** Figures with the clusters of permutation tests: by soft pairwise accuracy, and by calibrated accuracy. */
export interface ClusteredFigures extends Omit<ContestFigures, 'systemLevel' | 'byImage'> {
  readonly systemLevel: ClusteredSystems | null
  readonly byImage: Clustered<ContestFigures['byImage']>
}

export type ClusteredSystems = Clustered<NonNullable<ContestFigures['systemLevel']>>

/** The cluster is null for a metric that is chosen by the judgements. */
type Clustered<Figures> = Figures & { readonly cluster: metricTests.Cluster | null }

type JudgedScores = metaEvaluation.Judged & { readonly contests: Contests<ContestFigures> | null }

/** The scores of all judged captions. */
export interface NamedScores extends Pick<ScoredCaptions, 'scores' | 'ordered'> {
  readonly name: string
  readonly signature: string
  /** Whether the metric has a row; features of composites need not. */
  readonly isChosen: boolean
}

/** A metric with what was found about it. */
export interface Result extends NamedScores {
  /** As that of a judged metric. */
  readonly isChosenByJudgements: boolean
  readonly judged: JudgedScores
}

export const isCompared = ({ isChosenByJudgements }: Result) => !isChosenByJudgements

/** The metrics that are compared and have the figure, the highest one first. */
export function orderCompared(
  results: readonly Result[],
  figureOf: (result: Result) => number | null,
): Result[] {
  return inOrder(
    results.filter((result) => isCompared(result) && figureOf(result) !== null),
    figureOf,
  )
}

/** The clusters of the metrics of {@link orderCompared}, by tests of their positions in it. */
export function clustersOf(
  results: readonly Result[],
  figureOf: (result: Result) => number | null,
  pValueOf: (...pair: metricTests.MetricPair) => number | null,
): Map<Result, metricTests.Cluster> {
  const ordered = orderCompared(results, figureOf)
  const clusters = metricTests.clusterMetrics(
    ordered.map((result) => figureOf(result) as number),
    pValueOf,
  )
  return new Map(ordered.map((result, place) => [result, clusters[place]]))
}

/** The p-values of the figures of the metrics that are compared, by Holm's correction. */
export function chancePValues(results: readonly Result[]): Map<Result, number> {
  const tested = results.filter(
    (result) =>
      isCompared(result) &&
      metaEvaluation.mainFigure(result.judged.figures) !== null &&
      result.judged.figures.pValue !== null,
  )
  const adjusted = holm(tested.map(({ judged }) => judged.figures.pValue as number))
  return new Map(tested.map((result, index) => [result, adjusted[index]]))
}

/** Sorts by a figure, the highest first, undefined ones last. */
export function inOrder<Item>(items: readonly Item[], figureOf: (item: Item) => number | null): Item[] {
  const value = (item: Item) => figureOf(item) ?? Number.NEGATIVE_INFINITY
  return items.toSorted((one, other) => (value(one) < value(other) ? 1 : value(one) > value(other) ? -1 : 0))
}

/** The contests of each metric with significance clusters; empty for preferences. */
export async function clusterContests(
  threads: Threads,
  judgements: Judgements,
  results: readonly Result[],
  resamples: number,
  onProgress: (share: number) => void,
): Promise<Map<Result, Contests<ClusteredFigures>>> {
  if (judgements.kind !== 'RATINGS') return new Map()
  const { all, withoutPeople } = contestsOf(judgements)
  const contests = withoutPeople === null ? [all] : [all, withoutPeople]
  const figuresOf = ({ judged }: Result, contest: number) =>
    judged.contests?.[CONTESTS[contest]] as ContestFigures
  const tables = contests.flatMap((_, contest) =>
    (['CAPTIONS', 'SYSTEMS'] as const).map((figure) => ({
      contest,
      figure,
      figureOf: (result: Result) => TESTED[figure](figuresOf(result, contest)),
    })),
  )
  const orders = tables.map(({ figureOf }) => orderCompared(results, figureOf))
  const scores = results.map(({ ordered }) => ordered)
  const tested = new Map<string, number | null>()
  const pValueOf =
    (table: number) =>
    (...[better, worse]: metricTests.MetricPair) =>
      tested.get([table, better, worse].join(' ')) ?? null
  const test = async (
    pairsOf: (count: number, table: number) => metricTests.MetricPair[],
    progress: typeof onProgress,
  ) => {
    const pairs = orders.flatMap((order, table) =>
      pairsOf(order.length, table).map(([better, worse]) => ({ table, better, worse })),
    )
    const tests = pairs.map(({ table, better, worse }) => ({
      contest: tables[table].contest,
      figure: tables[table].figure,
      first: results.indexOf(orders[table][better]),
      second: results.indexOf(orders[table][worse]),
    }))
    const input = { contests, scores, tests, seed: SEED, resamples }
    const pValues = await threads.run('testMetrics', input, tests.length, progress)
    for (const [index, { table, better, worse }] of pairs.entries()) {
      tested.set([table, better, worse].join(' '), pValues[index])
    }
  }
  await test(metricTests.neighbours, (share) => onProgress(share / 4))
  await test(
    (count, table) => metricTests.pairsBetween(count, pValueOf(table)),
    (share) => onProgress((1 + 3 * share) / 4),
  )
  const clusters = tables.map(({ figureOf }, table) => clustersOf(results, figureOf, pValueOf(table)))
  const complete = (result: Result, contest: number): ClusteredFigures => {
    const { systemLevel, byImage, ...figures } = figuresOf(result, contest)
    const clusterBy = (figure: metricTests.TestedFigure) => {
      const table = tables.findIndex((one) => one.contest === contest && one.figure === figure)
      return { cluster: clusters[table].get(result) ?? null }
    }
    return {
      ...figures,
      systemLevel: systemLevel && { ...systemLevel, ...clusterBy('SYSTEMS') },
      byImage: { ...byImage, ...clusterBy('CAPTIONS') },
    }
  }
  return new Map(
    results.map((result) => [
      result,
      { all: complete(result, 0), withoutPeople: withoutPeople === null ? null : complete(result, 1) },
    ]),
  )
}

/** The names of contests in the order of their positions. */
const CONTESTS = ['all', 'withoutPeople'] as const

/** The figures by which metrics are tested. */
const TESTED: Readonly<Record<metricTests.TestedFigure, (figures: ContestFigures) => number | null>> = {
  CAPTIONS: ({ byImage }) => byImage.calibratedAccuracy,
  SYSTEMS: ({ systemLevel }) => systemLevel?.softPairwiseAccuracy ?? null,
}

export function comparePair(
  [first, second]: readonly string[],
  results: readonly Result[],
): NamedDifference | null {
  const find = (metric: string) => (results.find(({ name }) => name === metric) as Result).judged
  const difference = metaEvaluation.compareJudged(find(first), find(second))
  return difference && { first, second, ...difference }
}

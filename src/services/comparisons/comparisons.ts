import { requireReferences } from '../../core/agreement/references.js'
import { checkResamples } from '../../core/stats/permutation.js'
import { FEW_IMAGES_WARNING } from '../../core/stats/sample-size.js'
import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { listUsualSystems } from '../../store/systems.js'
import { type Accord, type Client, clientOfStep } from '../accord.js'
import { differenceFrequencyNotes } from '../evaluations/document-source.js'
import { metricNotes } from '../evaluations/scores.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import {
  phrWordNotes,
  rarefiedNote,
  WORD_DIFFERENCE_NOTE,
  WORD_GAP_NOTE,
  WORD_MEAN_NOTE,
} from '../words/word-notes.js'
import type { ComparedFigure, CompareInput, MetricFigure } from './compare.js'
import type { WordFigure } from './compare-words.js'
import { computeMissing } from './missing-scores.js'
import type { PairComparison } from './pair-comparison.js'

export interface ComparisonOptions {
  /** Names, 1 to 20 different ones; 2 or more without people. */
  readonly systems: readonly string[]
  /** Compare people as well. Default: false. */
  readonly people?: boolean
  readonly figure: ComparedFigure
  /** Random swaps of the permutation test of a metric, 100 to 100,000. Default: 1,000. */
  readonly resamples?: number
  /** Whether p-values are computed. Default: true. */
  readonly isTested?: boolean
  /** Compare only with this side, which is the second of each pair. Default: every pair. */
  readonly baseline?: Side
}

/** A side of comparisons: the name of a system, or people. */
export type Side = { readonly system: string } | { readonly people: true }

/** Two systems, or a system and people, on the images that both have. */
export interface Comparison extends Omit<PairComparison, 'first' | 'second'> {
  /** The one that was asked for before `second`; null for people. */
  readonly first: System | null
  readonly second: System | null
}

/** Maximum number of systems of one comparison. */
const MAX_COMPARED_SYSTEMS = 20

/**
 * Every pair of systems, and of a system and people, on one figure. Only stored scores are compared.
 *
 * @throws AccordError UNKNOWN_METRIC, UNKNOWN_SYSTEM, UNKNOWN_WORD, QUEUE_FULL; OUT_OF_RANGE for the number of systems, for
 * `references` or `resamples`; NOT_APPLICABLE if a system or people cannot have the figure
 */
export async function compare(
  accord: Accord,
  dataset: Dataset,
  options: ComparisonOptions,
  client: Client = {},
): Promise<Comparison[]> {
  return comparePrepared(accord, dataset, await prepare(accord, dataset, options), client)
}

async function comparePrepared(
  accord: Accord,
  { id: datasetId }: Dataset,
  { systems, input }: Prepared,
  client: Client,
): Promise<Comparison[]> {
  const systemIds = idsOf(systems)
  const pairs = await accord.run('compare', { datasetId, systemIds, ...input }, client)
  return pairs.map(({ first, second, ...pair }) => ({
    ...pair,
    first: systems[first] ?? null,
    second: systems[second] ?? null,
  }))
}

export interface RequestedFigures extends Omit<ComparisonOptions, 'systems' | 'figure'> {
  readonly metrics?: readonly string[] | null
  readonly words?: readonly Omit<WordFigure, 'references'>[] | null
  /** Names. Default: all that have the figure. */
  readonly systems?: readonly string[] | null
  readonly references?: number | null
}

/** A comparison and the figure that it is on. */
export interface FigureComparison extends Comparison {
  readonly figure: ComparedFigure
}

/**
 * Comparisons on several figures: as {@link compare} on each. P-values are corrected for the pairs of
 * each figure.
 *
 * @throws AccordError OUT_OF_RANGE without a figure; and as {@link compare}
 */
export async function compareOnFigures(
  accord: Accord,
  dataset: Dataset,
  { metrics, words, systems, references, ...options }: RequestedFigures,
  client: Client = {},
): Promise<FigureComparison[]> {
  const figures: ComparedFigure[] = [
    ...(metrics ?? []).map((metric) => ({ kind: 'METRIC' as const, metric, references })),
    ...(words ?? []).map((figure) => ({ ...figure, references })),
  ]
  if (figures.length === 0) {
    throw new AccordError('OUT_OF_RANGE', 'nothing to compare on', {
      source: 'metrics, words',
      expected: 'at least one metric or figure of words',
    })
  }
  const namesOf = await listNames(accord, dataset, systems)
  const compared = await Promise.all(
    figures.map(async (figure) => {
      const pairs = await compare(accord, dataset, { ...options, systems: namesOf(figure), figure }, client)
      return pairs.map((pair) => ({ ...pair, figure }))
    }),
  )
  return compared.flat()
}

/** The names of systems for a figure: those given, or all systems that can have it. */
async function listNames(accord: Accord, dataset: Dataset, given: readonly string[] | null | undefined) {
  const all = given == null ? await listUsualSystems(accord.database, [dataset.id]) : []
  return ({ kind: figure }: ComparedFigure): readonly string[] => {
    const kind = figure === 'METRIC' || figure === 'WORD_PRECISION' ? 'CAPTIONS' : 'WORD_SCORES'
    return given ?? all.filter((system) => system.kind === kind).map(({ name }) => name)
  }
}

/** The comparisons of all pairs on one figure, with what to know when reading them. */
export interface ComparedOn {
  readonly figure: ComparedFigure
  readonly comparisons: readonly (Comparison & {
    /** The side with the better score. Null if the scores are equal or undefined. */
    readonly better: 'FIRST' | 'SECOND' | null
    readonly notes: readonly string[]
  })[]
}

export interface FiguresOptions extends Omit<ComparisonOptions, 'systems' | 'figure'> {
  /** Names. Default: all that have the figure. */
  readonly systems?: readonly string[]
  /** Name. */
  readonly dataset: string
  /** A figure by `BLEU` or `ROUGE` is one figure for each of these metrics. */
  readonly figures: readonly ComparedFigure[]
}

/**
 * Every pair on several figures. Missing scores are computed. P-values are corrected for the pairs of each figure.
 *
 * @throws AccordError UNKNOWN_DATASET; and as {@link compare}
 */
export async function compareFigures(
  accord: Accord,
  { dataset: name, figures: wanted, systems: names, ...options }: FiguresOptions,
  client: Client = {},
): Promise<ComparedOn[]> {
  const dataset = await requireDataset(accord.database, name)
  await refreshMetrics(accord)
  const figures = splitByMetric(accord, wanted)
  const prepared: Prepared[] = []
  const namesOf = await listNames(accord, dataset, names)
  for (const figure of figures) {
    prepared.push(await prepare(accord, dataset, { ...options, systems: namesOf(figure), figure }))
  }
  const [{ systems, input }] = prepared
  const referencesOf = ({ references }: ComparedFigure) =>
    references ?? (input.people ? dataset.captionsPerImage - 1 : null)
  const byReferences = groupBy(figures.filter(isMetricFigure), referencesOf)
  for (const [references, ofReferences] of byReferences) {
    const metrics = ofReferences.map(({ metric }) => metric)
    const missing = { systems, people: input.people, metrics, references }
    await computeMissing(accord, dataset, missing, clientOfStep(client, 0, 2))
  }
  const compared: ComparedOn[] = []
  for (const [index, figure] of figures.entries()) {
    const ofFigure = clientOfStep(clientOfStep(client, 1, 2), index, figures.length)
    const pairs = await comparePrepared(accord, dataset, prepared[index], ofFigure)
    const comparisons = pairs.map((pair) => ({
      ...pair,
      better: betterSide(accord, pair, figure),
      notes: comparisonNotes(accord, pair, figure),
    }))
    compared.push({ figure, comparisons })
  }
  return compared
}

/** The side with the better score. Null if the scores are equal or undefined. */
export function betterSide(
  accord: Accord,
  { difference }: Comparison,
  figure: ComparedFigure,
): 'FIRST' | 'SECOND' | null {
  if (!difference) return null
  const { higherIsBetter } =
    figure.kind === 'METRIC' ? metricsOf(accord).require(figure.metric) : { higherIsBetter: true }
  return difference > 0 === higherIsBetter ? 'FIRST' : 'SECOND'
}

/** What to know when reading a comparison on a figure. */
export function comparisonNotes(
  accord: Accord,
  {
    isSmall,
    isBound,
    resamples,
    frequencyImageCount,
    ...pair
  }: Pick<
    Comparison,
    'first' | 'second' | 'isSmall' | 'isBound' | 'resamples' | 'frequencyImageCount' | 'rarefied'
  >,
  figure: ComparedFigure,
): string[] {
  return [
    ...(figure.kind === 'METRIC' ? metricNotes(accord, figure.metric) : []),
    ...differenceFrequencyNotes(frequencyImageCount),
    ...(figure.kind !== 'METRIC' && figure.word == null ? meanNotes(figure, pair) : []),
    ...(isSmall ? [FEW_IMAGES_WARNING] : []),
    ...(isBound && resamples !== null
      ? [`The p-value is below the resolution of ${resamples} resamples: more resamples can lower it.`]
      : []),
  ]
}

function meanNotes(
  { kind, vocabularyOf }: WordFigure,
  { first, second, rarefied }: Pick<Comparison, 'first' | 'second' | 'rarefied'>,
): string[] {
  const isWithPeople = first === null || second === null
  return [
    WORD_MEAN_NOTE,
    ...(kind === 'WORD_PRECISION' && isWithPeople ? [WORD_GAP_NOTE] : []),
    WORD_DIFFERENCE_NOTE,
    ...(rarefied ? [rarefiedNote(rarefied.imageCount)] : []),
    ...(kind === 'PHR' ? phrWordNotes(vocabularyOf) : []),
  ]
}

/** What a comparison is asked for. */
interface Prepared {
  readonly systems: readonly System[]
  readonly input: CompareInput
}

async function prepare(
  accord: Accord,
  dataset: Dataset,
  { systems: wanted, people: withPeople = false, figure, resamples, isTested, baseline }: ComparisonOptions,
): Promise<Prepared> {
  await refreshMetrics(accord)
  if (figure.references != null) requireReferences(dataset.captionsPerImage, figure.references)
  if (resamples !== undefined) checkResamples(resamples)
  const names = baseline && 'system' in baseline ? [...wanted, baseline.system] : wanted
  const people = withPeople || (baseline !== undefined && 'people' in baseline)
  const distinct = [...new Set(names)]
  const least = people ? 1 : 2
  if (distinct.length < least || distinct.length > MAX_COMPARED_SYSTEMS) {
    throw new AccordError('OUT_OF_RANGE', 'invalid number of systems', {
      source: 'systems',
      expected: `${least} to ${MAX_COMPARED_SYSTEMS} different names`,
      found: String(distinct.length),
    })
  }
  const systems = await requireSystems(accord, dataset, distinct)
  const position = baseline && ('system' in baseline ? distinct.indexOf(baseline.system) : systems.length)
  return {
    systems,
    input: {
      people,
      figure: figure.kind === 'METRIC' ? withMetricName(accord, figure) : figure,
      ...(resamples !== undefined && { resamples }),
      ...(isTested === false && { isTested }),
      ...(position !== undefined && { baseline: position }),
    },
  }
}

function isMetricFigure(figure: ComparedFigure): figure is MetricFigure {
  return figure.kind === 'METRIC'
}

/** The figure with the name of the metric as it is shown. @throws AccordError UNKNOWN_METRIC */
function withMetricName(accord: Accord, figure: MetricFigure): MetricFigure {
  return { ...figure, metric: metricsOf(accord).require(figure.metric).name }
}

/** Figures whose metric may be a name of several, such as BLEU, as one figure for each metric. */
function splitByMetric(accord: Accord, figures: readonly ComparedFigure[]): ComparedFigure[] {
  return figures.flatMap((figure): ComparedFigure[] =>
    figure.kind === 'METRIC'
      ? metricsOf(accord)
          .resolve([figure.metric])
          .map((metric) => ({ ...figure, metric }))
      : [figure],
  )
}

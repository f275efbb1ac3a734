import { requireReferences } from '../../core/agreement/weights.js'
import { FEW_IMAGES_WARNING } from '../../core/stats/interval.js'
import { checkResamples } from '../../core/stats/permutation.js'
import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import {
  type DocumentOptions,
  differenceFrequencyNotes,
  hashOfDocuments,
  requireDocuments,
} from '../evaluations/document-source.js'
import { readSubsets } from '../evaluations/image-subsets.js'
import { metricNotes, requireFrequencies } from '../evaluations/scores.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import {
  OWN_WORDS_NOTE,
  phrWordNotes,
  rarefiedNote,
  WORD_DIFFERENCE_NOTE,
  WORD_MEAN_NOTE,
} from '../words/word-notes.js'
import type { ComparedFigure, CompareInput, MetricFigure } from './compare.js'
import type { WordFigure } from './compare-words.js'
import { computeMissing } from './evaluate.js'
import { type Difference, type Judged, withVerdicts } from './pair-comparison.js'

export interface ComparisonOptions {
  /** Names, 1 to 20 different ones; 2 or more without people. */
  readonly systems: readonly string[]
  /** Compare people as well. Default: false. */
  readonly people?: boolean
  readonly figure: ComparedFigure
  /** Random swaps of the permutation test of a metric, 100 to 100,000. Default: 1,000. */
  readonly resamples?: number
  /** Hash of the document frequencies of the scores. Default: those of the measured images. */
  readonly documentHash?: string
  /** Whether p-values are computed. Default: true. */
  readonly isTested?: boolean
  /** Compare only with this side, which is the second of each pair. Default: every pair. */
  readonly baseline?: Side
}

/** A side of comparisons: the name of a system, or people. */
export type Side = { readonly system: string } | { readonly people: true }

/** Two systems, or a system and people, on the images that both have. */
export interface Comparison extends Judged<Difference> {
  /** The one that was asked for before `second`; null for people. */
  readonly first: System | null
  readonly second: System | null
}

/** Maximum number of systems of one comparison. */
export const MAX_COMPARED_SYSTEMS = 20

/**
 * Every pair of systems, and of a system and people, on one figure. Only stored scores are compared. P-values and
 * intervals are corrected for these pairs.
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
  return judge(
    accord,
    await comparePrepared(accord, dataset, await prepare(accord, dataset, options), options.figure, client),
  )
}

type Unjudged = Difference & Pick<FigureComparison, 'figure' | 'first' | 'second'>

async function comparePrepared(
  accord: Accord,
  { id: datasetId }: Dataset,
  { systems, input }: Prepared,
  figure: ComparedFigure,
  client: Client,
): Promise<Unjudged[]> {
  const systemIds = idsOf(systems)
  const pairs = await accord.run('compare', { datasetId, systemIds, ...input }, client)
  return pairs.map(({ first, second, ...pair }) => ({
    ...pair,
    figure,
    first: systems[first] ?? null,
    second: systems[second] ?? null,
  }))
}

/** The comparisons of one table with what their tests say. */
function judge(accord: Accord, table: readonly Unjudged[]): FigureComparison[] {
  return withVerdicts(
    table,
    ({ figure }) => figure.kind !== 'METRIC' || metricsOf(accord).require(figure.metric).higherIsBetter,
  )
}

export interface RequestedFigures extends Omit<ComparisonOptions, 'systems' | 'figure' | 'documentHash'> {
  /** Where document frequencies come from: `coco` or the name of a dataset. Default: the measured images. */
  readonly documents?: string | null
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
 * Comparisons on several figures: as {@link compare} on each, except that p-values and intervals are corrected for all of them.
 *
 * @throws AccordError OUT_OF_RANGE without a figure; and as {@link compare}
 */
export async function compareOnFigures(
  accord: Accord,
  dataset: Dataset,
  { metrics, words, systems, references, documents, ...options }: RequestedFigures,
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
  await requireFrequencies(accord, metrics, { documents })
  const source = await requireDocuments(accord.database, { documents })
  const documentHash = await hashOfDocuments(accord.database, source)
  const compared = await Promise.all(
    figures.map(async (figure) => {
      const prepared = await prepare(accord, dataset, {
        ...options,
        documentHash,
        systems: namesOf(figure),
        figure,
      })
      return comparePrepared(accord, dataset, prepared, figure, client)
    }),
  )
  return judge(accord, compared.flat())
}

/**
 * The others, and people, with the first system, which is the second of each pair, by metrics. P-values and intervals are corrected
 * for all of them. Only stored scores are compared.
 *
 * @throws AccordError QUEUE_FULL
 */
export async function compareWithFirst(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  {
    metrics,
    references,
    people,
  }: { readonly metrics: readonly string[]; readonly references: number | null; readonly people: boolean },
  client: Client = {},
): Promise<FigureComparison[]> {
  await refreshMetrics(accord)
  const compared = await Promise.all(
    metrics.map((metric) => {
      const figure: MetricFigure = { kind: 'METRIC', metric, references }
      return comparePrepared(
        accord,
        dataset,
        { systems, input: { people, figure, baseline: 0 } },
        figure,
        client,
      )
    }),
  )
  return judge(accord, compared.flat())
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
  readonly comparisons: readonly (FigureComparison & { readonly notes: readonly string[] })[]
}

export interface FiguresOptions
  extends Omit<ComparisonOptions, 'systems' | 'figure' | 'documentHash'>,
    DocumentOptions {
  /** Names. Default: all that have the figure. */
  readonly systems?: readonly string[]
  /** Name. */
  readonly dataset: string
  /** A figure by `BLEU` or `ROUGE` is one figure for each of these metrics. */
  readonly figures: readonly ComparedFigure[]
  /** A field of the images: figures of metrics are also compared on the images of each of its values. */
  readonly by?: string
}

/**
 * Every pair on several figures, and on subsets of the images. Missing scores are computed. P-values and intervals are corrected
 * for all pairs of all figures and subsets.
 *
 * @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE and OUT_OF_RANGE for a field of subsets; and as {@link compare}
 */
export async function compareFigures(
  accord: Accord,
  {
    dataset: name,
    figures: wanted,
    by,
    systems: names,
    documents,
    documentsFile,
    ...options
  }: FiguresOptions,
  client: Client = {},
): Promise<ComparedOn[]> {
  const dataset = await requireDataset(accord.database, name)
  await refreshMetrics(accord)
  const figures = await withSubsets(accord, dataset, splitByMetric(accord, wanted), by)
  const source = await requireDocuments(accord.database, { documents, documentsFile })
  const documentHash = await hashOfDocuments(accord.database, source)
  const prepared: Prepared[] = []
  const namesOf = await listNames(accord, dataset, names)
  for (const figure of figures) {
    prepared.push(
      await prepare(accord, dataset, { ...options, documentHash, systems: namesOf(figure), figure }),
    )
  }
  const [{ systems, input }] = prepared
  const referencesOf = ({ references }: ComparedFigure) =>
    references ?? (input.people ? dataset.captionsPerImage - 1 : null)
  const byReferences = groupBy(figures.filter(isMetricFigure), referencesOf)
  for (const [references, ofReferences] of byReferences) {
    const metrics = [...new Set(ofReferences.map(({ metric }) => metric))]
    const missing = { systems, people: input.people, metrics, references, source }
    await computeMissing(accord, dataset, missing, clientOfStep(client, 0, 2))
  }
  const compared: Unjudged[] = []
  for (const [index, figure] of figures.entries()) {
    const ofFigure = clientOfStep(clientOfStep(client, 1, 2), index, figures.length)
    compared.push(...(await comparePrepared(accord, dataset, prepared[index], figure, ofFigure)))
  }
  const table = judge(accord, compared).map((pair) => ({
    ...pair,
    notes: comparisonNotes(accord, pair, pair.figure),
  }))
  return figures.map((figure) => ({ figure, comparisons: table.filter((pair) => pair.figure === figure) }))
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

function meanNotes({ kind, vocabularyOf }: WordFigure, { rarefied }: Pick<Comparison, 'rarefied'>): string[] {
  return [
    WORD_MEAN_NOTE,
    ...(kind === 'WORD_PRECISION' ? [OWN_WORDS_NOTE] : []),
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
  {
    systems: wanted,
    people: withPeople = false,
    figure,
    resamples,
    isTested,
    baseline,
    documentHash,
  }: ComparisonOptions,
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
      ...(documentHash !== undefined && { documentHash }),
      ...(position !== undefined && { baseline: position }),
    },
  }
}

/** Figures, and after each figure of a metric the same one on the images of each value of a field. */
async function withSubsets(
  { database }: Accord,
  dataset: Dataset,
  figures: readonly ComparedFigure[],
  field: string | undefined,
): Promise<readonly ComparedFigure[]> {
  if (field === undefined) return figures
  const subsets = await readSubsets(database, dataset, field)
  return figures.flatMap((figure): ComparedFigure[] =>
    figure.kind === 'METRIC'
      ? [figure, ...subsets.map(({ value }) => ({ ...figure, subset: { field, value } }))]
      : [figure],
  )
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

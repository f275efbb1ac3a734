import { requireReferences } from '../../core/agreement/weights.js'
import { FEW_IMAGES_WARNING } from '../../core/stats/interval.js'
import { AccordError } from '../../errors.js'
import { conclude, figureName, PEOPLE } from '../../shared/verdict.js'
import { requireDataset } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { comparedObjectNotes } from '../evaluations/annotated-objects.js'
import { type DocumentOptions, hashOfDocuments, requireDocuments } from '../evaluations/document-source.js'
import { differenceFrequencyNotes } from '../evaluations/fixed-documents.js'
import { metricNotes, requireFrequencies } from '../evaluations/metrics.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf, keyBy } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import * as wordNotes from '../words/word-notes.js'
import type { ComparedFigure, MetricFigure } from './compare.js'
import type { WordFigure } from './compare-words.js'
import { computeMissing } from './compute-missing.js'
import type { Difference } from './pair-comparison.js'

export interface ComparisonOptions {
  /** Names, 1 to 20 different ones; 2 or more without people. */
  readonly systems: readonly string[]
  /** Compare people as well. Default: false. */
  readonly people?: boolean
  readonly figure: ComparedFigure
  /** Hash of the document frequencies of the scores. Default: those of the measured images. */
  readonly documentHash?: string
  /** Compare only with this side, which is the second of each pair. Default: every pair. */
  readonly baseline?: Side
}

/** A side of comparisons: the name of a system, or people. */
export type Side = { readonly system: string } | { readonly people: true }

/** Two systems, or a system and people, by a figure, on the images that both have. */
export interface Comparison extends Difference {
  readonly figure: ComparedFigure
  /** The one that was asked for before `second`; null for people. */
  readonly first: System | null
  readonly second: System | null
}

/** Maximum number of systems of one comparison. */
export const MAX_COMPARED_SYSTEMS = 20

/**
 * Every pair of systems, and of a system and people, on one figure. Only stored scores are compared. The pairs are one table.
 *
 * @throws AccordError UNKNOWN_METRIC, UNKNOWN_SYSTEM, UNKNOWN_WORD, QUEUE_FULL; OUT_OF_RANGE for the number of systems and for
 * `references`; NOT_APPLICABLE if a system or people cannot have the figure
 */
export async function compare(
  accord: Accord,
  dataset: Dataset,
  { documentHash, ...options }: ComparisonOptions,
  client: Client = {},
): Promise<Comparison[]> {
  const prepared = await prepare(accord, dataset, options)
  return (await compareTable(accord, dataset, [prepared], documentHash, client)).flat()
}

/** The comparisons of a table, for each figure. */
async function compareTable(
  accord: Accord,
  { id: datasetId }: Dataset,
  table: readonly Prepared[],
  documentHash: string | undefined,
  client: Client,
): Promise<Comparison[][]> {
  const systems = Array.from(
    keyBy(
      table.flatMap((one) => one.systems),
      ({ id }) => id,
    ).values(),
  )
  const positions = new Map(systems.map(({ id }, position) => [id, position]))
  const positionOf = ({ id }: System) => positions.get(id) as number
  const [{ people, baseline }] = table
  const input = {
    datasetId,
    systemIds: idsOf(systems),
    people,
    figures: table.map(({ figure }) => figure),
    positions: table.map((one) => one.systems.map(positionOf)),
    ...(documentHash !== undefined && { documentHash }),
    ...(baseline !== undefined && { baseline: baseline === null ? systems.length : positionOf(baseline) }),
  }
  const answers = await accord.run('compare', input, client)
  return answers.map((pairs, index) =>
    pairs.map(({ first, second, ...pair }) => ({
      ...pair,
      figure: table[index].figure,
      first: systems[first] ?? null,
      second: systems[second] ?? null,
    })),
  )
}

/** The answer to the question whether the sides of a comparison differ, as if nothing else was asked. */
export function conclusionOf({ figure, first, second, ...comparison }: Comparison): string {
  const nameOf = (system: System | null) => system?.name ?? PEOPLE
  return conclude({ ...comparison, figure: figureName(figure), first: nameOf(first), second: nameOf(second) })
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

/**
 * Comparisons on several figures: as {@link compare} on each, except that all of them are one table.
 *
 * @throws AccordError OUT_OF_RANGE without a figure; and as {@link compare}
 */
export async function compareOnFigures(
  accord: Accord,
  dataset: Dataset,
  { metrics, words, systems, references, documents, ...options }: RequestedFigures,
  client: Client = {},
): Promise<Comparison[]> {
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
  const table = await Promise.all(
    figures.map((figure) => prepare(accord, dataset, { ...options, systems: namesOf(figure), figure })),
  )
  return (await compareTable(accord, dataset, table, documentHash, client)).flat()
}

/**
 * The others, and people, with the first system, which is the second of each pair, by metrics. All of them are one table. Only
 * stored scores are compared.
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
): Promise<Comparison[]> {
  await refreshMetrics(accord)
  const table = metrics.map((metric) => ({
    systems,
    people,
    figure: { kind: 'METRIC' as const, metric, references },
    baseline: systems[0],
  }))
  return (await compareTable(accord, dataset, table, undefined, client)).flat()
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
    readonly conclusion: string
    readonly notes: readonly string[]
  })[]
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
 * Every pair on several figures, and on subsets of the images. Missing scores are computed. All pairs of all figures and subsets are
 * one table.
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
    prepared.push(await prepare(accord, dataset, { ...options, systems: namesOf(figure), figure }))
  }
  const [{ systems, people }] = prepared
  const referencesOf = ({ references }: ComparedFigure) =>
    references ?? (people ? dataset.captionsPerImage - 1 : null)
  const byReferences = groupBy(figures.filter(isMetricFigure), referencesOf)
  for (const [references, ofReferences] of byReferences) {
    const metrics = [...new Set(ofReferences.map(({ metric }) => metric))]
    const missing = { systems, people, metrics, references, source }
    await computeMissing(accord, dataset, missing, clientOfStep(client, 0, 2))
  }
  const table = await compareTable(accord, dataset, prepared, documentHash, clientOfStep(client, 1, 2))
  return figures.map((figure, index) => ({
    figure,
    comparisons: table[index].map((pair) => ({
      ...pair,
      conclusion: conclusionOf(pair),
      notes: comparisonNotes(accord, pair),
    })),
  }))
}

/** What to know when reading a comparison on a figure. */
export function comparisonNotes(
  accord: Accord,
  { figure, isSmall, frequencyImageCount, rarefied, signature }: Comparison,
): string[] {
  return [
    ...(figure.kind === 'METRIC' ? metricNotes(accord, figure.metric) : []),
    ...(figure.kind === 'METRIC' && signature !== null
      ? comparedObjectNotes(metricsOf(accord), figure.metric, signature)
      : []),
    ...differenceFrequencyNotes(frequencyImageCount),
    ...(figure.kind !== 'METRIC' && figure.word == null ? meanNotes(figure, rarefied) : []),
    ...(isSmall ? [FEW_IMAGES_WARNING] : []),
  ]
}

function meanNotes({ kind, vocabularyOf }: WordFigure, rarefied: Comparison['rarefied']): string[] {
  return [
    wordNotes.WORD_MEAN_NOTE,
    ...(kind === 'WORD_PRECISION' ? [wordNotes.OWN_WORDS_NOTE] : []),
    wordNotes.WORD_DIFFERENCE_NOTE,
    ...(rarefied ? [wordNotes.rarefiedNote(rarefied.imageCount)] : []),
    ...(kind === 'PHR' ? wordNotes.phrWordNotes(vocabularyOf) : []),
  ]
}

/** A figure of a table, with the sides that are compared on it. */
interface Prepared {
  readonly systems: readonly System[]
  readonly people: boolean
  readonly figure: ComparedFigure
  /** Null: people. Absent: every pair. */
  readonly baseline?: System | null
}

async function prepare(
  accord: Accord,
  dataset: Dataset,
  { systems: wanted, people: withPeople = false, figure, baseline }: ComparisonOptions,
): Promise<Prepared> {
  await refreshMetrics(accord)
  if (figure.references != null) requireReferences(dataset.captionsPerImage, figure.references)
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
  return {
    systems,
    people,
    figure: figure.kind === 'METRIC' ? withMetricName(accord, figure) : figure,
    ...(baseline && { baseline: 'system' in baseline ? systems[distinct.indexOf(baseline.system)] : null }),
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

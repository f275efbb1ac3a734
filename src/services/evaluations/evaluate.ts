import { isPartial, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { SampleSize } from '../../core/stats/sample-size.js'
import { AccordError, nullFor, quote } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import { readImageIds } from '../../store/images.js'
import { withRecords } from '../../store/provenance.js'
import type { AgreementScore, Dataset, MetricScore, System } from '../../store/schema/entities.js'
import { type ImageScores, readImageScores, readScores } from '../../store/scores.js'
import { listUsualSystems, requireSystem } from '../../store/systems.js'
import { type Accord, type Client, clientOfStep } from '../accord.js'
import { storedAgreement } from '../agreement/human-agreement.js'
import { chooseDataset } from '../datasets/datasets.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { keyBy } from '../shared/groups.js'
import { intervalNotes, judgeInterval } from '../shared/intervals.js'
import { requireCaptions } from './captioning-system.js'
import { type DocumentSource, frequencyNotes, readDocuments, requireDocuments } from './document-source.js'
import type { EvaluateJobInput } from './evaluate-job.js'
import { type EvaluationOptions, planInput } from './evaluations.js'
import { inOrder, metricNotes, usualMetrics } from './scores.js'
import { findCurrentScores } from './stored-scores.js'

/** A score of an evaluation. */
export interface EvaluatedScore extends Omit<MetricScore, 'imageScores'> {
  readonly record: ProvenanceRecord
}

/** Scores of a system and of people. */
export interface EvaluationReport {
  readonly dataset: Dataset
  readonly system: System
  /** k; null for scores against all captions of each image. */
  readonly references: number | null
  /** In the order of the metrics that were named. */
  readonly scores: readonly EvaluatedScore[]
  /** By metric, beside scores on the same folds of references; none where it is not stored. */
  readonly human: ReadonlyMap<string, AgreementScore>
  /** Of the scored images. */
  readonly externalIds: readonly string[]
  /** For each score, aligned to `externalIds`. */
  readonly imageScores: readonly Float64Array[]
  /** Images of the system without a human caption, or without K of them for folds: they have no score. */
  readonly unscoredImageCount: number
}

/**
 * Evaluates a system and reads its scores.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, UNKNOWN_METRIC; NOT_APPLICABLE for a system without captions, or
 *   none of whose images has enough human captions
 */
export async function evaluateSystem(
  accord: Accord,
  options: EvaluationOptions,
  client: Client = {},
): Promise<EvaluationReport> {
  const { database } = accord
  const { dataset, system, input } = await planInput(accord, options)
  const scoreIds = await computeScores(accord, input, client)
  const scores = inOrder(metricsOf(accord), await readEvaluated(accord, system, scoreIds), options.metrics)
  const images = await readImageScores(database, scoreIds)
  const imagesOf = scores.map(({ id }) => images.get(id) as ImageScores)
  const idOf = await readImageIds(database, dataset.id)
  const externalIdOf = new Map(Array.from(idOf, ([externalId, id]) => [id, externalId]))
  const { references = null } = input
  return {
    dataset,
    system,
    references,
    scores,
    human: await readHuman(accord, dataset, scores, input),
    externalIds: Array.from(imagesOf[0]?.imageIds ?? [], (id) => externalIdOf.get(id) as string),
    imageScores: imagesOf.map(({ scores: values }) => values),
    unscoredImageCount: system.imageCount - (imagesOf[0]?.imageIds.length ?? 0),
  }
}

/** Ids of the scores: those that are stored and would be made in the same way, and those that are computed now. */
async function computeScores(accord: Accord, input: EvaluateJobInput, client: Client): Promise<number[]> {
  const { systemId, metrics = usualMetrics(accord), references = null, documents, documentsHash } = input
  const hasOwnDocuments = documents === undefined && documentsHash === undefined
  const wanted = { systemId, metrics: hasOwnDocuments ? metrics : [], references }
  const stored = await findCurrentScores(accord, wanted, isOwn)
  const missing = metrics.filter((metric) => !stored.has(metric))
  if (missing.length === 0) return [...stored.values()]
  const { scoreIds } = await accord.run('evaluate', { ...input, metrics: missing }, client)
  return [...stored.values(), ...scoreIds]
}

/** Whether document frequencies, if any, are those of the system's images. */
function isOwn({ documentFrequencies }: ProvenanceRecord): boolean {
  return documentFrequencies === null || ['own', 'fold'].includes(documentFrequencies.source)
}

async function readEvaluated(
  { database }: Accord,
  { id }: System,
  scoreIds: readonly number[],
): Promise<EvaluatedScore[]> {
  const rows = keyBy(await readScores(database, [id]), (row) => row.id)
  return withRecords(
    database,
    scoreIds.flatMap((scoreId) => rows.get(scoreId) ?? []),
  )
}

/** Scores of a system, and beside them those that people can be compared with. */
export interface FairEvaluation {
  /** On the references that were asked for. */
  readonly report: EvaluationReport
  /**
   * On folds of K − 1 references, if `report` is against all captions of each image. Null if human agreement is not
   * stored, or if there are no such folds: images have one caption, no image of the system has K, or document
   * frequencies come from a named dataset.
   */
  readonly matched: EvaluationReport | null
  /** Whether `matched` is null because human agreement is not stored. */
  readonly isHumanMissing: boolean
  /** What to know when reading the scores. */
  readonly notes: readonly string[]
}

/**
 * Evaluates a system: on a number of references, if one is given; otherwise against all captions, and,
 * if human agreement is stored, also on the folds of K − 1 references that people can be compared on.
 *
 * @throws AccordError as {@link evaluateSystem}
 */
export async function evaluateFairly(
  accord: Accord,
  options: EvaluationOptions,
  client: Client = {},
): Promise<FairEvaluation> {
  const { references, documents, documentsFile } = options
  await refreshMetrics(accord)
  const dataset = await requireDataset(accord.database, options.dataset)
  const { captionsPerImage } = dataset
  const source = await requireDocuments(accord.database, { documents, documentsFile })
  const isCounted = documents != null && (await readDocuments(accord.database, source)) === null
  const canMatch = references == null && !isCounted && captionsPerImage > 1
  const isMatched = canMatch && (await hasHumanScores(accord, dataset, options.metrics, source))
  const isHumanMissing = canMatch && !isMatched && areComputed(accord, options.metrics)
  const report = await evaluateSystem(accord, options, isMatched ? clientOfStep(client, 0, 2) : client)
  const matchedOptions = { ...options, references: captionsPerImage - 1 }
  // It fails where no image of the system has K captions.
  const matched = isMatched
    ? await nullFor('NOT_APPLICABLE', evaluateSystem(accord, matchedOptions, clientOfStep(client, 1, 2)))
    : null
  const scores = [report, matched].flatMap((part) => part?.scores ?? [])
  const notes = [
    ...report.scores.flatMap(({ metric }) => metricNotes(accord, metric)),
    ...frequencyNotes(scores.map(({ record }) => record.documentFrequencies?.imageCount)),
    ...intervalNotes(scores.map(statusOf)),
  ]
  return { report, matched, isHumanMissing, notes: [...new Set(notes)] }
}

export interface EvaluationsOptions extends Omit<EvaluationOptions, 'system' | 'dataset'> {
  /** Name. Default: the only dataset. */
  readonly dataset?: string
  /** Names. Default: all captioning systems of the dataset. */
  readonly systems?: readonly string[]
}

/**
 * Evaluates systems one after the other, as {@link evaluateFairly}.
 *
 * @throws AccordError as {@link evaluateFairly}; NOT_APPLICABLE for a dataset without captioning systems
 */
export async function evaluateSystems(
  accord: Accord,
  { dataset: name, systems: names, ...options }: EvaluationsOptions,
  client: Client = {},
): Promise<FairEvaluation[]> {
  const dataset = await chooseDataset(accord, name)
  const systems = names ?? (await captioningSystems(accord, dataset))
  // Names are checked before the first evaluation, which can take minutes.
  for (const system of systems) requireCaptions(await requireSystem(accord.database, dataset.id, system))
  const evaluations: FairEvaluation[] = []
  for (const [index, system] of systems.entries()) {
    const input = { ...options, dataset: dataset.name, system }
    evaluations.push(await evaluateFairly(accord, input, clientOfStep(client, index, systems.length)))
  }
  return evaluations
}

async function captioningSystems({ database }: Accord, dataset: Dataset): Promise<string[]> {
  const systems = (await listUsualSystems(database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  if (systems.length > 0) return systems.map(({ name }) => name)
  throw new AccordError('NOT_APPLICABLE', 'the dataset has no captioning system', {
    source: 'dataset',
    found: quote(dataset.name),
  })
}

/** What to know about the interval of a score that was just computed. */
export function statusOf({ record, ...ends }: EvaluatedScore): SampleSize {
  return judgeInterval(record.images.count, ends)
}

/** Whether one of the metrics is computed by Accord. */
function areComputed(accord: Accord, metrics: readonly string[] | null | undefined): boolean {
  const registry = metricsOf(accord)
  if (metrics == null) return true
  return registry.resolve(metrics).some((name) => registry.require(name).needs.text !== 'external')
}

/** Whether human agreement with K − 1 references is stored for one of the metrics. */
async function hasHumanScores(
  accord: Accord,
  dataset: Dataset,
  metrics: readonly string[] | null | undefined,
  source: DocumentSource,
): Promise<boolean> {
  const input = { references: dataset.captionsPerImage - 1, metrics: metrics ?? undefined, ...source }
  const { rows } = await storedAgreement(accord.database, metricsOf(accord), dataset, input)
  return rows.length > 0
}

/** People are shown only beside scores that were made as theirs were. */
async function readHuman(
  accord: Accord,
  dataset: Dataset,
  scores: EvaluationReport['scores'],
  { references, documents, documentsHash }: EvaluateJobInput,
): Promise<EvaluationReport['human']> {
  if (references == null) return new Map()
  const metrics = scores.map(({ metric }) => metric)
  const { rows, missing } = await storedAgreement(accord.database, metricsOf(accord), dataset, {
    references,
    metrics,
    documents,
    documentsHash,
  })
  const isShown = ({ metric }: AgreementScore) =>
    !missing.includes(metric) && scores.some((score) => score.metric === metric && !isPartial(score.record))
  return keyBy(rows.filter(isShown), ({ metric }) => metric)
}

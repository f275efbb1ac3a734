import { hasDocuments, isPartial, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import { inOrder } from '../../core/metrics/registry.js'
import type { SampleSize } from '../../core/stats/interval.js'
import { AccordError, nullFor, quote } from '../../errors.js'
import { BUILT_IN_FREQUENCIES } from '../../formats/words/frequencies.js'
import { requireDataset } from '../../store/datasets.js'
import { readImageIds } from '../../store/images.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore, MetricScore } from '../../store/schema/score-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import {
  type ImageScores,
  readAgreementStatistics,
  readImageScores,
  readScores,
  readStatistics,
} from '../../store/scores.js'
import { listUsualSystems, requireSystem } from '../../store/systems.js'
import { humanAgreement } from '../agreement/agreement.js'
import { storedAgreement } from '../agreement/human-agreement.js'
import { chooseDataset } from '../datasets/datasets.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { requireCaptions } from '../datasets/require-subjects.js'
import { objectNotes } from '../evaluations/annotated-objects.js'
import * as documentSource from '../evaluations/document-source.js'
import type { EvaluateJobInput } from '../evaluations/evaluate-job.js'
import { frequencyNotes, metricsBesideBuiltIn } from '../evaluations/fixed-documents.js'
import { metricNotes, usualMetrics } from '../evaluations/metrics.js'
import { findCurrentScores, type StoredScore, scoreStoredSubsets } from '../evaluations/scores.js'
import { type EvaluationOptions, planInput } from '../evaluations/start-evaluation.js'
import type { ScoreOfSubset } from '../evaluations/subset-scores.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { keyBy } from '../shared/groups.js'
import { intervalNotes, judgeScore, namedNotes } from '../shared/intervals.js'

/** A score of an evaluation. */
interface EvaluatedScore extends Omit<MetricScore, 'imageScores'> {
  readonly higherIsBetter: boolean
  readonly record: ProvenanceRecord
}

/** Scores of a system and of people. */
export interface EvaluationReport {
  readonly dataset: Dataset
  readonly system: System
  /** k; null for scores against all captions of each image. */
  readonly references: number | null
  /** In the order in which metrics are shown. */
  readonly scores: readonly EvaluatedScore[]
  /** By metric, beside scores on the same folds of references; none where it is not stored. */
  readonly human: ReadonlyMap<string, AgreementScore>
  /** The same with the built-in document frequencies; see `metricsBesideBuiltIn`. */
  readonly coco: Pick<EvaluationReport, 'scores' | 'human'>
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
  const scoreIds = await computeScores(accord, input, clientOfStep(client, 0, 2))
  const scores = inOrder(metricsOf(accord), await readEvaluated(accord, system, scoreIds))
  const coco = await evaluateBeside(accord, { dataset, system, input, scores }, clientOfStep(client, 1, 2))
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
    coco,
    externalIds: Array.from(imagesOf[0]?.imageIds ?? [], (id) => externalIdOf.get(id) as string),
    imageScores: imagesOf.map(({ scores: values }) => values),
    unscoredImageCount: system.imageCount - (imagesOf[0]?.imageIds.length ?? 0),
  }
}

/**
 * The scores with the built-in document frequencies that stand beside those with the system's own; of a read-only database, those that
 * are stored.
 */
async function evaluateBeside(
  accord: Accord,
  {
    dataset,
    system,
    input,
    scores,
  }: Pick<EvaluationReport, 'dataset' | 'system' | 'scores'> & { readonly input: EvaluateJobInput },
  client: Client,
): Promise<EvaluationReport['coco']> {
  const names = scores.map(({ metric }) => metric)
  const metrics = metricsBesideBuiltIn(names, hasOwnSource(input), dataset)
  if (metrics.length === 0) return { scores: [], human: new Map() }
  const besideInput = { ...input, metrics, documents: BUILT_IN_FREQUENCIES }
  const scoreIds = accord.database.isReadOnly
    ? [...(await storedScores(accord, besideInput)).values()]
    : await computeScores(accord, besideInput, client)
  const beside = inOrder(metricsOf(accord), await readEvaluated(accord, system, scoreIds))
  return { scores: beside, human: await readHuman(accord, dataset, beside, besideInput) }
}

/** Whether document frequencies are those of the measured images. */
function hasOwnSource({ documents, documentsHash }: documentSource.DocumentSource): boolean {
  return documents === undefined && documentsHash === undefined
}

/** Ids of the scores: those that are stored and would be made in the same way, and those that are computed now. */
async function computeScores(accord: Accord, input: EvaluateJobInput, client: Client): Promise<number[]> {
  const { metrics = usualMetrics(accord) } = input
  const stored = await storedScores(accord, { ...input, metrics })
  const missing = metrics.filter((metric) => !stored.has(metric))
  if (missing.length === 0) return [...stored.values()]
  const { scoreIds } = await accord.run('evaluate', { ...input, metrics: missing }, client)
  return [...stored.values(), ...scoreIds]
}

/** Ids of the stored scores that would be made in the same way, by metric. */
async function storedScores(
  accord: Accord,
  {
    systemId,
    metrics,
    references = null,
    ...source
  }: EvaluateJobInput & { readonly metrics: readonly string[] },
): Promise<Map<string, number>> {
  const hash = await documentSource.hashOfDocuments(accord.database, source)
  return findCurrentScores(accord, { systemId, metrics, references }, (record) => hasDocuments(record, hash))
}

async function readEvaluated(
  accord: Accord,
  { id }: System,
  scoreIds: readonly number[],
): Promise<EvaluatedScore[]> {
  const rows = keyBy(await readScores(accord.database, [id]), (row) => row.id)
  const recorded = await withRecords(
    accord.database,
    scoreIds.flatMap((scoreId) => rows.get(scoreId) ?? []),
  )
  return recorded.map((score) => ({
    ...score,
    higherIsBetter: metricsOf(accord).require(score.metric).higherIsBetter,
  }))
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
  const source = await documentSource.requireDocuments(accord.database, { documents, documentsFile })
  const isCounted =
    documents != null && (await documentSource.readDocuments(accord.database, source)) === null
  const canMatch = references == null && !isCounted && captionsPerImage > 1
  const isMatched = canMatch && (await hasHumanScores(accord, dataset, options.metrics, source))
  const isHumanMissing = canMatch && !isMatched && areComputed(accord, options.metrics)
  const report = await evaluateSystem(accord, options, isMatched ? clientOfStep(client, 0, 2) : client)
  const matchedOptions = { ...options, references: captionsPerImage - 1 }
  // It fails where no image of the system has K captions.
  const matched = isMatched
    ? await nullFor('NOT_APPLICABLE', evaluateSystem(accord, matchedOptions, clientOfStep(client, 1, 2)))
    : null
  const tables = [report, matched].flatMap((table) => table ?? [])
  const notes = namedNotes(
    tables.map(({ references: k, scores, coco }) => ({
      name: k === null ? 'All references' : `${k} references`,
      notes: [
        ...scores.flatMap(({ metric }) => metricNotes(accord, metric)),
        ...objectNotes(
          metricsOf(accord),
          scores.map(({ record }) => record),
        ),
        ...frequencyNotes(scores.map(({ record }) => record)),
        ...intervalNotes(
          scores.map((score) => statusOf(coco.scores.find(({ metric }) => metric === score.metric) ?? score)),
        ),
      ],
    })),
  )
  return { report, matched, isHumanMissing, notes }
}

interface EvaluationsOptions extends Omit<EvaluationOptions, 'system' | 'dataset'> {
  /** Name. Default: the only dataset. */
  readonly dataset?: string
  /** Names. Default: all captioning systems of the dataset. */
  readonly systems?: readonly string[]
  /** Whether human agreement that is not stored is computed first. */
  readonly people?: boolean
}

/**
 * Evaluates systems one after the other, as {@link evaluateFairly}.
 *
 * @throws AccordError as {@link evaluateFairly}, and with people as `humanAgreement`; NOT_APPLICABLE for a dataset without captioning systems
 */
export async function evaluateSystems(
  accord: Accord,
  { dataset: name, systems: names, people = false, ...options }: EvaluationsOptions,
  client: Client = {},
): Promise<FairEvaluation[]> {
  const dataset = await chooseDataset(accord, name)
  const systems = names ?? (await captioningSystems(accord, dataset))
  // Names are checked before the first evaluation, which can take minutes.
  for (const system of systems) requireCaptions(await requireSystem(accord.database, dataset.id, system))
  const evaluations: FairEvaluation[] = []
  const steps = systems.length + Number(people)
  if (people) await humanAgreement(accord, dataset, options, clientOfStep(client, 0, steps))
  for (const [index, system] of systems.entries()) {
    const input = { ...options, dataset: dataset.name, system }
    evaluations.push(await evaluateFairly(accord, input, clientOfStep(client, index + Number(people), steps)))
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
function statusOf({ record, ...ends }: EvaluatedScore): SampleSize {
  return judgeScore(ends, record)
}

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
  source: documentSource.DocumentSource,
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

interface EvaluatedSubset extends ScoreOfSubset {
  /** Name of the system; null for people. */
  readonly system: string | null
  /** k; null for scores against all captions of each image. */
  readonly references: number | null
}

/**
 * The scores of evaluated systems on the subsets of the images by a field, and those of people beside scores on the same folds of
 * references. They are computed from stored statistics, so that document frequencies are those of all images.
 */
export async function evaluateSubsets(
  accord: Accord,
  evaluations: readonly FairEvaluation[],
  field: string,
): Promise<EvaluatedSubset[]> {
  const { database } = accord
  const reports = evaluations.flatMap(({ report, matched }) => (matched ? [report, matched] : [report]))
  const [{ dataset }] = reports
  const subsets = await readSubsets(database, dataset, field)
  const score = (
    scored: StoredScore,
    of: Pick<EvaluatedSubset, 'system' | 'references'>,
  ): EvaluatedSubset[] =>
    scoreStoredSubsets(accord, dataset, subsets, scored).map((row) => ({ ...row, ...of }))
  const rows: EvaluatedSubset[] = []
  const withPeople = new Set<string>()
  for (const { system, references, scores, human } of reports) {
    for (const { metric, record, folds, statisticsId } of scores) {
      const statistics = await readStatistics(database, statisticsId)
      const scored = { metric, record, folds: folds?.length ?? null, statistics }
      rows.push(...score(scored, { system: system.name, references }))
      const people = human.get(metric)
      const key = `${metric} ${references}`
      if (people === undefined || withPeople.has(key)) continue
      withPeople.add(key)
      const ofPeople = {
        metric,
        record,
        folds: people.folds.length,
        statistics: await readAgreementStatistics(database, people.statisticsId),
      }
      rows.push(...score(ofPeople, { system: null, references }))
    }
  }
  return inOrderOfSubsets(rows, reports)
}

/** By references, by subset, then the systems, then people; metrics in the order of the scores. */
function inOrderOfSubsets(
  rows: readonly EvaluatedSubset[],
  reports: readonly EvaluationReport[],
): EvaluatedSubset[] {
  const kinds = [...new Set(reports.map(({ references }) => references))]
  const subsets = [...new Set(rows.map(({ subset }) => subset))]
  const systems = [...new Set([...reports.map(({ system }) => system.name as string | null), null])]
  const place = ({ references, subset, system }: EvaluatedSubset) =>
    (kinds.indexOf(references) * subsets.length + subsets.indexOf(subset)) * systems.length +
    systems.indexOf(system)
  return [...rows].sort((one, other) => place(one) - place(other))
}

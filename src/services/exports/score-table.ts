import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import { AccordError } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { ImageScores } from '../../store/scores.js'
import { listUsualSystems } from '../../store/systems.js'
import { agreementByDataset } from '../agreement/agreement.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import { requireCaptions } from '../datasets/require-subjects.js'
import {
  type DocumentOptions,
  type DocumentSource,
  hashOfDocuments,
  requireDocuments,
  requireFixedDocuments,
} from '../evaluations/document-source.js'
import { definedScores, foldScoresById, imageScoresById, meanOverFolds } from '../evaluations/image-scores.js'
import { listMetrics, requireFrequencies, resolveMetrics } from '../evaluations/metrics.js'
import { type RecordedScore, scoresBySystem } from '../evaluations/scores.js'
import type { Accord } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'

/** Which scores of images are meant. */
export interface ScoreTableOptions extends DocumentOptions {
  /** Names. Default: all captioning systems. */
  readonly systems?: readonly string[] | null
  /** Names. Default: the metrics by which at least one of the systems, or people, have scores. */
  readonly metrics?: readonly string[] | null
  /** k: means over the folds of k references. Default: against all captions of each image; with people K − 1. */
  readonly references?: number | null
  /** Whether people follow the systems. Default: no. */
  readonly people?: boolean | null
}

/** The scores of a system, or of people, by a metric. */
export interface ScoreColumn {
  /** Null for people. */
  readonly system: System | null
  readonly metric: string
  /** Of people their mean scores over the folds. Null with `undefinedReason`. */
  readonly score: RecordedScore | (AgreementScore & { readonly record: ProvenanceRecord }) | null
  /** Why there are no scores. */
  readonly undefinedReason: UndefinedReason | null
}

/** What a table of scores has, before the scores are read. */
export interface ScorePlan {
  /** In this order; people are null, and last. */
  readonly subjects: readonly (System | null)[]
  readonly metrics: readonly string[]
  /** By subject, then by metric. */
  readonly columns: readonly ScoreColumn[]
}

/**
 * Chooses the columns of a table of scores of images.
 *
 * @throws AccordError UNKNOWN_SYSTEM, UNKNOWN_METRIC, UNKNOWN_DATASET; OUT_OF_RANGE for `references`; NOT_APPLICABLE for a named
 * system without captions, for metrics without document frequencies, and for those of a dataset with people
 */
export async function planScoreTable(
  accord: Accord,
  dataset: Dataset,
  { systems: names, metrics: wanted, references: given, people, ...documents }: ScoreTableOptions,
): Promise<ScorePlan> {
  const systems = await chooseSystems(accord, dataset, names)
  await requireFrequencies(accord, wanted, documents)
  const source = await requireDocuments(accord.database, documents)
  const noPeople = whyNoAgreement(dataset)
  // Systems have scores against one caption as well, which no folds are made of.
  const isFolded = given != null || (people === true && noPeople === null)
  const references = isFolded ? chooseReferences(dataset, given) : null
  const hash = await hashOfDocuments(accord.database, source)
  const scores = await scoresBySystem(accord, idsOf(systems), references, hash)
  const ofPeople = people && references !== null ? await readPeople(accord, dataset, references, source) : []
  const found = new Set([...scores.values(), ofPeople].flat().map(({ metric }) => metric))
  const metrics = wanted
    ? await resolveMetrics(accord, wanted)
    : (await listMetrics(accord)).map(({ name }) => name).filter((name) => found.has(name))
  const subjects = people ? [...systems, null] : systems
  const columns = subjects.flatMap((system) => {
    const rows = system === null ? ofPeople : (scores.get(system.id) ?? [])
    const reason = (system === null ? noPeople : null) ?? 'NOT_COMPUTED'
    return metrics.map((metric): ScoreColumn => {
      const score = rows.find((row) => row.metric === metric) ?? null
      return { system, metric, score, undefinedReason: score ? null : reason }
    })
  })
  return { subjects, metrics, columns }
}

async function chooseSystems(
  accord: Accord,
  dataset: Dataset,
  names: readonly string[] | null | undefined,
): Promise<System[]> {
  if (names != null) {
    const systems = await requireSystems(accord, dataset, names)
    systems.forEach(requireCaptions)
    return systems
  }
  const all = await listUsualSystems(accord.database, [dataset.id])
  return all.filter(({ kind }) => kind === 'CAPTIONS')
}

async function readPeople(accord: Accord, { id }: Dataset, references: number, source: DocumentSource) {
  requireFixedDocuments(source)
  const tables = await agreementByDataset(accord, [id], references, source.documents)
  return withRecords(accord.database, tables.get(id) ?? [])
}

/**
 * The scores of columns, aligned to them; null where there are none. Images are in the order of the dataset.
 *
 * @throws AccordError CANCELLED if scores were replaced since the columns were planned
 */
export async function readScoreColumns(
  accord: Accord,
  columns: readonly ScoreColumn[],
): Promise<(ImageScores | null)[]> {
  const ids = (isHuman: boolean) =>
    columns.flatMap(({ system, score }) => (score && (system === null) === isHuman ? [score.id] : []))
  const [ofSystems, ofPeople] = [ids(false), ids(true)]
  const scores = ofSystems.length > 0 ? await imageScoresById(accord, ofSystems) : new Map()
  const folds = ofPeople.length > 0 ? await foldScoresById(accord, ofPeople) : new Map()
  return columns.map(({ system, score }) => {
    if (score === null) return null
    const stored: ImageScores | undefined = (system === null ? folds : scores).get(score.id)
    if (stored === undefined) throw wereReplaced()
    return system === null ? meanOverFolds(score as AgreementScore, stored) : definedScores(stored)
  })
}

function wereReplaced(): AccordError {
  return new AccordError('CANCELLED', 'scores were replaced while they were read', {
    expected: 'another request',
  })
}

/** Columns with the scores of images. */
export interface ScoreTable {
  /** The images that have a score in at least one column, in the order of the dataset. */
  readonly imageIds: Int32Array
  readonly columns: readonly FilledColumn[]
}

export interface FilledColumn extends ScoreColumn {
  /** Aligned to the images of the table; NaN where the image has no score. Null with `undefinedReason`. */
  readonly values: Float64Array | null
}

/** Scores in memory at once: the response has 10 million characters at most. */
const MAX_TABLE_SCORES = 2_000_000

/**
 * The scores of images as a table, whose images are those with at least one of the scores.
 *
 * @param turn awaited before each column
 * @throws AccordError TOO_COSTLY for more than {@link MAX_TABLE_SCORES} scores; and as {@link planScoreTable}
 */
export async function readScoreTable(
  accord: Accord,
  dataset: Dataset,
  options: ScoreTableOptions,
  turn: () => Promise<unknown>,
): Promise<ScoreTable> {
  const { columns } = await planScoreTable(accord, dataset, options)
  const count = columns.filter(({ score }) => score !== null).length * dataset.imageCount
  if (count > MAX_TABLE_SCORES) {
    throw new AccordError('TOO_COSTLY', 'the table is too large; ask for fewer systems or metrics', {
      source: 'systems, metrics',
      expected: `at most ${MAX_TABLE_SCORES} scores`,
      found: `${count}, of ${dataset.imageCount} images`,
    })
  }
  const scores = await readScoreColumns(accord, columns)
  const images = new Set<number>()
  for (const column of scores) {
    await turn()
    for (const id of column?.imageIds ?? []) images.add(id)
  }
  const imageIds = Int32Array.from(images).sort()
  const filled: FilledColumn[] = []
  for (const [index, column] of columns.entries()) {
    await turn()
    filled.push({ ...column, values: alignScores(scores[index], imageIds) })
  }
  return { imageIds, columns: filled }
}

/** The scores of images, NaN for those without one. Both are in ascending order, and the images include those of the scores. */
function alignScores(column: ImageScores | null, imageIds: Int32Array): Float64Array | null {
  if (column === null) return null
  const values = new Float64Array(imageIds.length).fill(Number.NaN)
  let index = 0
  for (const [position, id] of column.imageIds.entries()) {
    while (imageIds[index] < id) index++
    values[index] = column.scores[position]
  }
  return values
}

/** Helpers for tests of caption metrics on stored data: scores by name and id, stored and computed directly. */
import { createThreads, type Threads } from '../../../src/compute/pool.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import type { ProvenanceRecord } from '../../../src/core/metrics/provenance.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'
import type { Progress } from '../../../src/progress.js'
import { type AgreementInput, planAgreement } from '../../../src/services/agreement/human-agreement.js'
import { type EvaluateInput, planEvaluation } from '../../../src/services/evaluations/evaluate-job.js'
import { computePlan, divide, type Plan } from '../../../src/services/evaluations/plan.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Session } from '../../../src/store/engine/session.js'
import { readImageIds } from '../../../src/store/images.js'
import { withRecords } from '../../../src/store/provenance-records.js'
import type { Dataset } from '../../../src/store/schema/dataset-tables.js'
import type { MetricScore } from '../../../src/store/schema/score-tables.js'
import type { System } from '../../../src/store/schema/system-tables.js'
import { readImageScores, readScores } from '../../../src/store/scores.js'
import { requireSystem } from '../../../src/store/systems.js'
import { type Scores, score } from '../../core/metrics/trials.js'
import { captionedDataset, captioningSystem } from '../../kit/boxes.js'

/** The scores that an evaluation has stored. */
export interface EvaluateReport {
  /** Without the ids of their rows. */
  readonly scores: readonly (Omit<MetricScore, keyof typeof WITHOUT_IDS> & {
    readonly record: ProvenanceRecord
  })[]
  readonly imageIds: Int32Array
  /** For each score, aligned to `imageIds`. */
  readonly imageScores: readonly Float64Array[]
}

const WITHOUT_IDS = { id: undefined, systemId: undefined, statisticsId: undefined, provenanceId: undefined }

/** Computes and stores the scores of a system in this process. */
export async function evaluateSystem(
  session: Session,
  threads: Threads,
  system: System,
  input: EvaluateInput,
  progress: Progress,
): Promise<EvaluateReport> {
  const plan = await planEvaluation(session, threads, system, input)
  const { scoreIds } = await computePlan(session, threads, plan, progress)
  return readReport(session, system, scoreIds)
}

/** Reads scores of a system, in the order of their ids as given. */
export async function readReport(
  session: Session,
  system: System,
  scoreIds: readonly number[],
): Promise<EvaluateReport> {
  const rows = await withRecords(session, await readScores(session, [system.id]))
  const images = await readImageScores(session, scoreIds)
  return {
    scores: scoreIds.map((id) => ({ ...rows.find((row) => row.id === id)!, ...WITHOUT_IDS })),
    imageIds: images.get(scoreIds[0])!.imageIds,
    imageScores: scoreIds.map((id) => images.get(id)!.scores),
  }
}

/** Computes and stores a table of human agreement in this process. */
export async function computeAgreement(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  input: AgreementInput,
  progress: Progress,
): Promise<void> {
  await computePlan(session, threads, await planAgreement(session, threads, dataset, input), progress)
}

type ById<Value> = Readonly<Record<string, Value>>

/** One thread, because worker threads execute compiled files. */
export const threads = createThreads({ threadCount: 1 })

/** All metrics in the order in which they are shown. */
export const ALL_METRICS = threads.registry.metrics.map(({ name }) => name)

/** The metrics that are computed unless others are named, in the order in which they are shown. */
export const METRICS = threads.registry.metrics.flatMap(({ name, isDefault }) => (isDefault ? name : []))

export interface CaptionedDataset {
  readonly row: Dataset
  /** Caption by image id; images may be missing. */
  captionSystem(name: string, captions: ById<string>): Promise<System>
}

/** Imports captions by image id. Default for K: the most frequent number of captions. */
export async function importCaptions(
  session: Session,
  name: string,
  images: ById<readonly string[]>,
  captionsPerImage = mostFrequent(Object.values(images).map(({ length }) => length)),
): Promise<CaptionedDataset> {
  await captionedDataset(session, name, images, { captionsPerImage })
  const row = await requireDataset(session, name)
  const rowIds = await readImageIds(session, row.id)
  return {
    row,
    async captionSystem(system, captions) {
      const written = Object.entries(captions).map(([id, text]) => ({ imageId: rowIds.get(id)!, text }))
      await captioningSystem(session, row.id, system, written)
      return requireSystem(session, row.id, system)
    },
  }
}

/** Scores of a system by metric, and of each image by its id in the imported file and metric. */
export interface NamedScores {
  readonly corpus: ById<number>
  readonly images: ById<ById<number>>
}

export function systemOf(
  session: Session,
  dataset: Pick<CaptionedDataset, 'row'>,
  name: string,
): Promise<System> {
  return requireSystem(session, dataset.row.id, name)
}

export async function evaluate(
  session: Session,
  dataset: CaptionedDataset,
  system: string,
  input: EvaluateInput = {},
  progress: Progress = () => {},
): Promise<EvaluateReport> {
  return evaluateSystem(session, threads, await systemOf(session, dataset, system), input, progress)
}

export async function namedScores(
  session: Session,
  dataset: CaptionedDataset,
  {
    scores,
    imageIds,
    imageScores,
  }: Pick<EvaluateReport, 'imageIds' | 'imageScores'> & {
    readonly scores: readonly { readonly metric: string; readonly value: number }[]
  },
): Promise<NamedScores> {
  const rowIds = await readImageIds(session, dataset.row.id)
  const externalIds = new Map(Array.from(rowIds, ([id, row]) => [row, id]))
  return {
    corpus: Object.fromEntries(scores.map(({ metric, value }) => [metric, value])),
    images: Object.fromEntries(
      Array.from(imageIds, (row, image) => [
        externalIds.get(row)!,
        Object.fromEntries(scores.map(({ metric }, index) => [metric, imageScores[index][image]])),
      ]),
    ),
  }
}

/** Scores of these captions, by image id, computed directly by the metrics. */
export function directScores(
  candidateOf: ById<string>,
  referencesOf: ById<readonly string[]>,
  families: readonly MetricFamily[] = threads.registry.choose().families,
): NamedScores {
  const ids = Object.keys(candidateOf)
  const words = (caption: string) => tokenize(caption).join(' ')
  const written = ids.map((id) => ({
    candidate: words(candidateOf[id]),
    references: referencesOf[id].map(words),
  }))
  const results: Scores[] = families.map((family) => score(family, written))
  return {
    corpus: Object.assign({}, ...results.map(({ corpus }) => corpus)),
    images: Object.fromEntries(
      ids.map((id, image) => [id, Object.assign({}, ...results.map(({ images }) => images[image]))]),
    ),
  }
}

/** The differences between two sets of scores beyond rounding, one line each. */
export function differences(found: NamedScores, expected: NamedScores): string[] {
  const rows = { corpus: found.corpus, ...found.images }
  const expectedRows: ById<ById<number>> = { corpus: expected.corpus, ...expected.images }
  const places = new Set([...Object.keys(rows), ...Object.keys(expectedRows)])
  return [...places].flatMap((place) => {
    const row: ById<number> = (rows as ById<ById<number>>)[place] ?? {}
    const expectedRow = expectedRows[place] ?? {}
    return [...new Set([...Object.keys(row), ...Object.keys(expectedRow)])]
      .filter((metric) => !(Math.abs(row[metric] - expectedRow[metric]) < 1e-12))
      .map((metric) => `${place}, ${metric}: expected ${expectedRow[metric]}, found ${row[metric]}`)
  })
}

/** Ranges of images of a plan. */
export async function rangesOf(
  session: Session,
  source: Plan<unknown>['documents' | 'measured'],
  imagesPerPart: number,
) {
  return source === null ? [] : divide(session, source, { parts: 1, imagesPerPart })
}

/** Computes a plan in parts on at most as many images. */
export function computeInParts<Result>(
  session: Session,
  plan: Plan<Result>,
  imagesPerPart: number,
): Promise<Result> {
  return computePlan(session, threads, plan, () => {}, { parts: 1, imagesPerPart })
}

/** Repeats `work`, throwing from each progress report in turn, until it ends. @returns the number of reports */
export async function cancelEverywhere(
  work: (progress: Progress) => Promise<unknown>,
  afterEach: () => Promise<void>,
): Promise<number> {
  for (let point = 0; ; point++) {
    const stop = new Error('stop')
    let calls = 0
    try {
      await work(() => {
        if (calls++ === point) throw stop
      })
      return point
    } catch (error) {
      if (error !== stop) throw error
    }
    await afterEach()
  }
}

function mostFrequent(numbers: readonly number[]): number {
  const countOf = (number: number) => numbers.filter((other) => other === number).length
  return numbers.toSorted((one, other) => countOf(other) - countOf(one) || other - one)[0] ?? 0
}

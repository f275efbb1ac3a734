import type { Threads } from '../../compute/pool.js'
import { AccordError, quote } from '../../errors.js'
import { type Matching, matchImages, matchNotes } from '../../formats/coco/known-images.js'
import { type InputFile, nameOf } from '../../formats/io/files.js'
import { wrongShape, wrongValue } from '../../formats/io/values.js'
import {
  type GivenScore,
  readMetricScores,
  type ScoreColumns,
} from '../../formats/judgements/metric-scores.js'
import { type Progress, part, step } from '../../progress.js'
import type { JobContext, RECORDED } from '../../queue/kind.js'
import type { Match } from '../../shared/choices.js'
import type { ImageRange } from '../../store/caption-search.js'
import type { Session } from '../../store/engine/session.js'
import { findImages, readDescribedImages } from '../../store/images.js'
import { findJudgementSets, readJudgedCaptions, saveJudgedScores } from '../../store/judgements.js'
import { insertExternalMetric } from '../../store/metrics.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { JudgedCaption, JudgementSet } from '../../store/schema/judgement-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listSystems } from '../../store/systems.js'
import { planAgreement } from '../agreement/human-agreement.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { planEvaluation } from '../evaluations/evaluate-job.js'
import type { ExternalScores } from '../evaluations/external-scores.js'
import { computePlan, type Plan } from '../evaluations/plan.js'
import { computeJudgedScores } from '../judgements/judged-scores.js'
import { loadMetrics } from '../shared/load-metrics.js'
import { tokenizationOf } from '../shared/tokens.js'
import { type FileSource, importJob } from '../uploads/import-job.js'
import { type StatedMetric, stateMetric } from './external-metrics.js'

export interface ImportMetricScoresInput<File = FileSource> {
  readonly datasetId: number
  /** Of a metric that exists, the name is enough. */
  readonly metric: StatedMetric
  /** Scores as `readMetricScores` reads them. */
  readonly file: File
  /** Name of the system of scores for which the file names none. Default: the only system of the dataset. */
  readonly system?: string
  /** What the file calls the fields of a score. Default: the usual names. */
  readonly columns?: ScoreColumns
  /** The rule by which the file names images. Default: the first one that finds the most. */
  readonly match?: Match
}

export interface ImportMetricScoresReport {
  /** Name of the metric. */
  readonly metric: string
  /** Whether the metric is new. */
  readonly isNew: boolean
  /** Names of the systems with scores against all references, and on folds. */
  readonly systems: readonly string[]
  readonly foldedSystems: readonly string[]
  /** Whether human captions have scores on folds. */
  readonly people: boolean
  /** Judged captions with a score. */
  readonly judgedCaptionCount: number
  /** Scores of images without a caption of their system, or without K human captions for folds: they are left out. */
  readonly unusedCount: number
  /** How its images were matched with those of the dataset. */
  readonly matching: Matching
  /** What to know of it, for people. */
  readonly notes: readonly string[]
}

/**
 * Stores scores that another program has given captions: of systems, of people on folds of K − 1 references, and of judged
 * captions. From then on they are scores like any other. All captions of a system, of people or of the judgements must have one.
 *
 * @throws AccordError as `readMetricScores` and `stateMetric`; UNKNOWN_IMAGE; UNKNOWN_SYSTEM; OUT_OF_RANGE for a fold;
 *   MISSING_IMAGES for captions without a score; NOT_APPLICABLE for folds where images have one caption, and for judged captions
 *   where there are none
 */
export const importMetricScoresJob = importJob<ImportMetricScoresInput, ImportMetricScoresReport>(
  importMetricScores,
)

type Context = JobContext<ImportMetricScoresInput, ImportMetricScoresReport>

async function importMetricScores(
  { database, threads: open, progress, finishWith }: Context,
  input: ImportMetricScoresInput<InputFile>,
): Promise<typeof RECORDED> {
  const threads = await open()
  const { metric, isNew } = await stateMetric(database, threads.registry, input.metric)
  progress(0, 'reading scores')
  const given = readMetricScores(input.file, metric, input.columns)
  return finishWith(async (session) => {
    if (isNew) await insertExternalMetric(session, metric)
    await loadMetrics(session, threads.registry)
    const dataset = await requireDatasetById(session, input.datasetId)
    const writer = { session, threads, dataset, metric: metric.name, source: nameOf(input.file) }
    const { matching, ...subjects } = await assign(writer, given, input)
    const counts = await write(writer, subjects, part(progress, 0.3, 1))
    return { metric: metric.name, isNew, ...counts, matching, notes: matchNotes(matching) }
  })
}

/** What the scores of one file are written with. */
interface Writer {
  readonly session: Session
  readonly threads: Threads
  readonly dataset: Dataset
  /** Name. */
  readonly metric: string
  readonly source: string
}

/** Scores by image id: of captions against all references, and on each fold. */
interface ScoresOfSubject {
  readonly all: Map<number, number>
  readonly folds: readonly Map<number, number>[]
}

interface Subjects {
  readonly systems: ReadonlyMap<System, ScoresOfSubject>
  readonly people: ScoresOfSubject
  /** Null where the file has none of judged captions. */
  readonly judged: JudgedSubject | null
}

interface JudgedSubject {
  readonly set: JudgementSet
  readonly captions: readonly JudgedCaption[]
  /** By {@link judgedKey}. */
  readonly scores: ReadonlyMap<string, number>
}

/** Finds what each score is of. */
async function assign(
  writer: Writer,
  given: readonly GivenScore[],
  { file, system: unnamed, match }: Pick<ImportMetricScoresInput<InputFile>, 'file' | 'system' | 'match'>,
): Promise<Subjects & Pick<ImportMetricScoresReport, 'matching'>> {
  const { session, dataset } = writer
  const described = await readDescribedImages(session, dataset.id)
  const { find, expect, ...matching } = matchImages(new Set(given.map(({ imageId }) => imageId)), described, {
    source: file,
    match,
    areIds: given.every(({ isId }) => isId),
  })
  const all = (await listSystems(session, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const [set] = await findJudgementSets(session, [dataset.id])
  const captions = set ? await readJudgedCaptions(session, set.id) : []
  const judgedSystems = new Set(captions.flatMap(({ system }) => system ?? []))
  const empty = (): ScoresOfSubject => ({
    all: new Map(),
    folds: Array.from({ length: dataset.captionsPerImage }, () => new Map()),
  })
  const systems = new Map<System, ScoresOfSubject>()
  const people = empty()
  const judged = new Map<string, number>()
  for (const { at, imageId: externalId, system: ownName, caption, fold, score } of given) {
    const found = find(externalId)
    if (found === undefined) {
      const expected = expect(externalId)
      throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at('image_id'), expected, quote(externalId))
    }
    const imageId = described.ids.get(found) as number
    if (fold !== null && (fold > dataset.captionsPerImage || dataset.captionsPerImage < 2)) {
      throw new AccordError('OUT_OF_RANGE', 'there is no such fold', {
        ...at('fold'),
        expected:
          dataset.captionsPerImage < 2
            ? 'a dataset with several captions per image'
            : `1 to ${dataset.captionsPerImage}`,
        found: String(fold),
      })
    }
    const isUnnamed = ownName === null && caption === null && fold === null
    const name = isUnnamed ? (unnamed ?? onlySystem(all, at)) : ownName
    const system = all.find((one) => one.name === name)
    if (caption !== null || (name !== null && !system && fold === null && judgedSystems.has(name))) {
      judged.set(judgedKey(imageId, name === null ? { caption: caption as string } : { system: name }), score)
      continue
    }
    if (name !== null && !system) {
      const known = [...all.map((one) => one.name), ...judgedSystems]
      const expected = known.length === 0 ? 'a system; the dataset has none' : `one of ${known.join(', ')}`
      throw new AccordError('UNKNOWN_SYSTEM', 'unknown system', {
        ...at('system'),
        expected,
        found: quote(name),
      })
    }
    const scores = system ? (systems.get(system) ?? empty()) : people
    if (system) systems.set(system, scores)
    const target = fold === null ? scores.all : scores.folds[fold - 1]
    if (target.has(imageId)) {
      const found = `another one of image ${quote(externalId)}`
      throw wrongValue('DUPLICATE_ID', 'a second score', at(), 'one score of each caption', found)
    }
    target.set(imageId, score)
  }
  if (judged.size > 0 && !set) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset has no judged captions', {
      source: writer.source,
      expected: 'scores of systems, or of human captions with their fold',
      found: 'scores with a caption',
    })
  }
  return {
    systems,
    people,
    judged: set && judged.size > 0 ? { set, captions, scores: judged } : null,
    matching,
  }
}

/** The name of the only system. @throws AccordError INVALID_SHAPE where there is none, or several */
function onlySystem(systems: readonly System[], at: GivenScore['at']): string {
  if (systems.length === 1) return systems[0].name
  const names = systems.map(({ name }) => name).join(', ')
  const expected = `a system, a caption or a fold${names === '' ? '' : `, or a system for all scores, one of ${names} (--system)`}`
  throw wrongShape(at(), expected, 'none of them')
}

function judgedKey(imageId: number, of: { readonly system: string } | { readonly caption: string }): string {
  return JSON.stringify([imageId, of])
}

type Counts = Omit<ImportMetricScoresReport, 'metric' | 'isNew' | 'matching' | 'notes'>

async function write(
  writer: Writer,
  { systems, people, judged }: Subjects,
  progress: Progress,
): Promise<Counts> {
  const { session, threads, dataset, metric } = writer
  const metrics = [metric]
  const references = dataset.captionsPerImage - 1
  const hasFolds = ({ folds }: ScoresOfSubject) => folds.some((fold) => fold.size > 0)
  const steps = 2 * systems.size + 1
  let count = 0
  let unusedCount = 0
  const store = async (subject: string, columns: ScoresOfSubject['folds'], plan: PlanOf) => {
    const stored = await storeScores(writer, subject, columns, plan, step(progress, count++, steps))
    unusedCount += columns.reduce((sum, { size }) => sum + size, 0) - stored
  }
  for (const [system, scores] of systems) {
    if (scores.all.size > 0) {
      await store(system.name, [scores.all], (given) =>
        planEvaluation(session, threads, system, { metrics }, given),
      )
    }
    if (hasFolds(scores)) {
      await store(system.name, scores.folds, (given) =>
        planEvaluation(session, threads, system, { metrics, references }, given),
      )
    }
  }
  if (hasFolds(people)) {
    await store('people', people.folds, (given) =>
      planAgreement(session, threads, dataset, { references, metrics }, given),
    )
  }
  const names = (isScored: (scores: ScoresOfSubject) => boolean) =>
    Array.from(systems).flatMap(([{ name }, scores]) => (isScored(scores) ? name : []))
  return {
    systems: names(({ all }) => all.size > 0),
    foldedSystems: names(hasFolds),
    people: hasFolds(people),
    judgedCaptionCount: judged ? await storeJudged(writer, judged) : 0,
    unusedCount,
  }
}

type PlanOf = (given: ExternalScores) => Promise<Plan<unknown>>

/**
 * Stores the scores of a subject as a computation from captions would.
 *
 * @param columns scores by image, of each trial
 * @returns their number
 */
async function storeScores(
  { session, threads, metric, source }: Writer,
  subject: string,
  columns: ScoresOfSubject['folds'],
  planOf: PlanOf,
  progress: Progress,
): Promise<number> {
  const plan = await planOf(new Map([[metric, columns]]))
  let stored = 0
  const read = async (range: ImageRange) => {
    const material = await plan.measured.read(range)
    for (const [trial, { external = {} }] of material.trials.entries()) {
      const place = external[metric].findIndex(Number.isNaN)
      const fold = columns.length > 1 ? ` in fold ${trial + 1}` : ''
      if (place >= 0) throw await missingScore(session, source, `${subject}${fold}`, material.imageIds[place])
      stored += material.imageIds.length
    }
    return material
  }
  await computePlan(session, threads, { ...plan, measured: { ...plan.measured, read } }, progress)
  return stored
}

/** @returns the number of judged captions */
async function storeJudged(
  { session, threads, dataset, metric, source }: Writer,
  { set, captions, scores }: JudgedSubject,
): Promise<number> {
  const found = captions.map(
    ({ imageId, system, text }) =>
      (system === null ? undefined : scores.get(judgedKey(imageId, { system }))) ??
      scores.get(judgedKey(imageId, { caption: text })),
  )
  const missing = found.indexOf(undefined)
  if (missing >= 0) {
    const { imageId, text } = captions[missing]
    throw await missingScore(session, source, `the judged caption ${quote(text)}`, imageId)
  }
  const given = { [metric]: Float64Array.from(found as number[]) }
  const choice = threads.registry.choose([metric], 'metrics', tokenizationOf(dataset))
  const computed = await computeJudgedScores(session, threads, dataset, set, choice, () => {}, given)
  await saveJudgedScores(session, set.id, computed)
  return captions.length
}

async function missingScore(
  session: Session,
  source: string,
  subject: string,
  imageId: number,
): Promise<AccordError> {
  const [{ externalId }] = await findImages(session, [imageId])
  return new AccordError('MISSING_IMAGES', 'a score is missing', {
    source,
    expected: `a score of ${subject} for image ${quote(externalId)}`,
    found: 'none',
  })
}

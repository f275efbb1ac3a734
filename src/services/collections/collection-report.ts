import { computeEvaluation } from '../../compute/evaluation.js'
import type { Threads } from '../../compute/pool.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import { type AnnotatorAgreement, judgeAnnotators } from '../../core/collection/annotators.js'
import type { Trial } from '../../core/metrics/metric.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import { quantiles } from '../../core/stats/histogram.js'
import type { Interval } from '../../core/stats/interval.js'
import type { Corpus } from '../../core/text/sequences.js'
import { tokenizeCorpus } from '../../core/text/token-numbers.js'
import { ENGLISH } from '../../core/text/tokenization.js'
import { type Progress, part } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import { findCollections, readEndedTasks } from '../../store/collections.js'
import type { CollectionTask } from '../../store/schema/collection-tables.js'
import { groupBy } from '../shared/groups.js'

/** Metrics of Table I of COCO Captions (Chen et al. 2015), one of each kind. */
const METRICS = ['METEOR', 'ROUGE-L', 'CIDEr-D']

/** The metric by which annotators are compared: the score of a caption depends on no other images. */
const ANNOTATOR_METRIC = 'METEOR'

/** Numbers of references up to which agreement is computed, beside that of a complete image. */
const MAX_REFERENCES = 4

export interface CollectionReportInput {
  readonly collectionId: number
  /** Tasks that have ended: it identifies what the report is made of. */
  readonly taskCount: number
}

/** Human agreement by a metric with a number of references, as `accord agreement` computes it for a dataset. */
export interface AgreementSoFar {
  readonly metric: string
  readonly references: number
  /** Images with at least one caption more than references. */
  readonly imageCount: number
  readonly value: number
  /** Null for too few images. */
  readonly interval: Interval | null
}

export interface AnnotatorReport {
  /** See `annotatorOf`. */
  readonly annotator: string
  readonly captionCount: number
  readonly skippedTaskCount: number
  readonly reportedTaskCount: number
  /** Median time from taking a task to its caption; null without captions. */
  readonly medianSeconds: number | null
  /** By METEOR, with those of others on the same images. */
  readonly agreement: Omit<AnnotatorAgreement, 'annotator'> | null
}

export interface CollectionReport {
  /** By number of references. */
  readonly agreement: readonly AgreementSoFar[]
  /** What to know when reading the agreement. */
  readonly notes: readonly string[]
  readonly medianSeconds: number | null
  /** Those who agree least with others first; those who are not compared last. */
  readonly annotators: readonly AnnotatorReport[]
}

/** Agreement in a collection so far, and its annotators. */
export const collectionReportQuery: QueryHandler<CollectionReportInput, CollectionReport> = async ({
  input: { collectionId },
  database,
  threads,
  progress,
}) => {
  const [collection] = await findCollections(database, [collectionId])
  const tasks = await readEndedTasks(database, collectionId)
  const captions = tasks.filter(({ status }) => status === 'DESCRIBED')
  const corpus = tokenizeCorpus(
    captions.map(({ caption }) => caption as string),
    ENGLISH,
  )
  const lists = listByImage(captions)
  const pool = await threads()
  const judged = await judgeByOthers(pool, corpus, captions, lists, part(progress, 0, 0.3))
  const { agreement, notes } = await computeAgreement(
    pool,
    corpus,
    lists,
    collection?.captionsPerImage ?? 0,
    part(progress, 0.3, 1),
  )
  return {
    agreement,
    notes,
    medianSeconds: medianSeconds(captions),
    annotators: reportAnnotators(tasks, judged),
  }
}

/** The captions of each image, which follow each other. */
function listByImage(captions: readonly CollectionTask[]): ReferenceLists {
  const starts = captions.flatMap(({ imageId }, index) =>
    imageId === captions[index - 1]?.imageId ? [] : index,
  )
  return {
    references: Int32Array.from(captions, (_, index) => index),
    referenceOffsets: Int32Array.from([...starts, captions.length]),
  }
}

async function computeAgreement(
  threads: Threads,
  corpus: Corpus,
  lists: ReferenceLists,
  captionsPerImage: number,
  progress: Progress,
): Promise<Pick<CollectionReport, 'agreement' | 'notes'>> {
  const { families, includes } = threads.registry.choose(METRICS)
  const mostCaptions = lists.referenceOffsets.reduce(
    (most, end, image) => Math.max(most, end - (lists.referenceOffsets[image - 1] ?? 0)),
    0,
  )
  const points = [1, 2, 3, MAX_REFERENCES, captionsPerImage - 1].filter(
    (references, index, all) =>
      references < mostCaptions && all.indexOf(references) === index && references > 0,
  )
  const agreement: AgreementSoFar[] = []
  const notes = new Set<string>()
  for (const [index, references] of points.entries()) {
    const { trials, images } = leaveOneOutTrials(lists, references + 1, references)
    const onProgress = (share: number) => progress((index + share) / points.length, 'computing agreement')
    onProgress(0)
    for (const { scores, warnings } of await computeEvaluation(
      threads,
      corpus,
      trials,
      families,
      onProgress,
    )) {
      for (const { metric, value, interval } of scores) {
        if (!includes(metric)) continue
        agreement.push({ metric: metric.name, references, imageCount: images.length, value, interval })
      }
      for (const warning of warnings) notes.add(warning)
    }
  }
  return { agreement, notes: [...notes] }
}

/** Scores each caption against the others of its image, and compares annotators by these scores. */
async function judgeByOthers(
  threads: Threads,
  corpus: Corpus,
  captions: readonly CollectionTask[],
  lists: ReferenceLists,
  progress: Progress,
): Promise<ReadonlyMap<string, AnnotatorAgreement>> {
  const { trial, candidates } = trialOfAll(lists)
  if (candidates.length === 0) return new Map()
  const { families } = threads.registry.choose([ANNOTATOR_METRIC])
  const [{ scores }] = await computeEvaluation(threads, corpus, [trial], families, (share) =>
    progress(share, 'comparing annotators'),
  )
  const [imageScores] = scores[0].imageScores
  const scored = Array.from(candidates, (caption, index) => ({
    image: captions[caption].imageId,
    annotator: captions[caption].annotator,
    score: imageScores[index],
  }))
  return new Map(judgeAnnotators(scored).map((row) => [row.annotator, row]))
}

/** Each caption of an image with several is the candidate once; the others of the image are its references. */
function trialOfAll({ referenceOffsets: offsets }: ReferenceLists): { trial: Trial; candidates: Int32Array } {
  const candidates: number[] = []
  const references: number[] = []
  const referenceOffsets = [0]
  for (let image = 0; image + 1 < offsets.length; image++) {
    const own = Array.from(
      { length: offsets[image + 1] - offsets[image] },
      (_, index) => offsets[image] + index,
    )
    if (own.length < 2) continue
    for (const candidate of own) {
      candidates.push(candidate)
      references.push(...own.filter((caption) => caption !== candidate))
      referenceOffsets.push(references.length)
    }
  }
  const positions = Int32Array.from(candidates)
  return {
    candidates: positions,
    trial: {
      candidates: positions,
      references: Int32Array.from(references),
      referenceOffsets: Int32Array.from(referenceOffsets),
    },
  }
}

function reportAnnotators(
  tasks: readonly CollectionTask[],
  judged: ReadonlyMap<string, AnnotatorAgreement>,
): AnnotatorReport[] {
  const byAnnotator = groupBy(tasks, ({ annotator }) => annotator)
  const order = [
    ...judged.keys(),
    ...[...byAnnotator.keys()].filter((annotator) => !judged.has(annotator)).sort(),
  ]
  return order.map((annotator) => {
    const own = byAnnotator.get(annotator) ?? []
    const withStatus = (status: CollectionTask['status']) => own.filter((task) => task.status === status)
    const captions = withStatus('DESCRIBED')
    const { annotator: _, ...agreement } = judged.get(annotator) ?? { annotator }
    return {
      annotator,
      captionCount: captions.length,
      skippedTaskCount: withStatus('SKIPPED').length,
      reportedTaskCount: withStatus('REPORTED').length,
      medianSeconds: medianSeconds(captions),
      agreement: 'score' in agreement ? agreement : null,
    }
  })
}

function medianSeconds(captions: readonly CollectionTask[]): number | null {
  if (captions.length === 0) return null
  const seconds = captions.map(
    ({ takenAt, endedAt }) => (Date.parse(endedAt as string) - Date.parse(takenAt)) / 1000,
  )
  return quantiles(Float64Array.from(seconds), [0.5])[0]
}

import { type ContentHash, createContentHash } from '../../compute/content-hash.js'
import { computeEvaluation, type FamilyScores } from '../../compute/evaluation.js'
import type { Threads } from '../../compute/pool.js'
import { type Trial, undefinedScoreWarnings } from '../../core/metrics/metric.js'
import { type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import { rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice } from '../../core/metrics/registry.js'
import type { Interval, SampleSize } from '../../core/stats/interval.js'
import type { Corpus } from '../../core/text/sequences.js'
import { recordTokens, type Tokenization } from '../../core/text/tokenization.js'
import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { VERSION } from '../../project.js'
import { type AnnotatedObjects, objectsOfTrial } from '../evaluations/annotated-objects.js'
import type { FixedDocuments } from '../evaluations/fixed-documents.js'
import {
  describeImages,
  recordDocuments,
  recordScore,
  type ScoreContext,
} from '../provenance/record-provenance.js'
import { judgeScore, reportedInterval } from '../shared/intervals.js'
import type { ReferenceFile, ResultsFile } from './caption-files.js'

/** A score, and how it was made. */
interface MadeScore {
  readonly value: number
  /** Null with a reason in `status`. */
  readonly interval: Interval | null
  readonly status: SampleSize
  readonly record: ProvenanceRecord
  readonly signature: string
}

export interface MeasuredScore extends MadeScore {
  readonly metric: string
  readonly higherIsBetter: boolean
  readonly warnings: readonly string[]
  /**
   * The same with the built-in document frequencies, beside CIDEr, CIDEr-D and SPIDEr with those of the measured images, which have
   * no interval. Null for other metrics, other languages than English, and where document frequencies are chosen.
   */
  readonly coco: MadeScore | null
}

/** The scores of a system, with the rows of statistics that comparisons need. */
export interface MeasuredFile {
  /** Positions of the scored images in the references, ascending. */
  readonly images: Int32Array
  readonly unscoredImageCount: number
  readonly wordsPerCaption: number
  readonly wordsPerReference: number
  readonly scores: readonly (MeasuredScore &
    Pick<FamilyScores, 'family'> & {
      /** Rows of the scored images. */
      readonly statistics: Float64Array
    })[]
}

/** A content hash that worker threads compute. */
type BegunHash = () => Promise<string>

export function beginHash(
  threads: Threads,
  records: readonly (readonly string[])[],
  digest: (content: ContentHash) => string,
): BegunHash {
  const run = threads.begin('hash', { records }, 1)
  let hash: Promise<string> | undefined
  const finish = async () => {
    const [parts] = await run.finish()
    const content = createContentHash()
    content.merge(parts)
    return digest(content)
  }
  return () => {
    hash ??= finish()
    return hash
  }
}

interface SystemCaptions {
  readonly references: ReferenceFile
  readonly system: ResultsFile
  readonly corpus: Corpus
  readonly hashes: { readonly revision: BegunHash; readonly content: BegunHash }
}

/** How all systems are scored. */
interface ScoreMethod {
  readonly choice: MetricChoice
  readonly tokenization: Tokenization
  /** Null: counted in the references of each system's images. */
  readonly documents: FixedDocuments | null
  /** Metrics that are also scored with the built-in document frequencies; null for none. */
  readonly beside: { readonly choice: MetricChoice; readonly documents: FixedDocuments } | null
  /** Null: none are annotated. */
  readonly objects: AnnotatedObjects | null
}

export async function measure(
  threads: Threads,
  { choice, documents, beside, tokenization, objects }: ScoreMethod,
  { references, system, corpus, hashes }: SystemCaptions,
  progress: Progress,
): Promise<MeasuredFile> {
  const { trial: own, images } = selectTrial(references, system)
  const trial = { ...own, ...(objects && { objects: objectsOfTrial(objects, images) }) }
  const identity = { revision: await hashes.revision(), content: await hashes.content() }
  const context = {
    ...describeContext(references, identity, trial, images),
    ...recordTokens(tokenization),
    objects: objects?.hash,
  }
  const scoreWith = async (
    { families, includes }: MetricChoice,
    fixed: FixedDocuments | null,
    onProgress: Progress,
  ) => {
    const counted = { ...trial, documentFrequencies: fixed?.table }
    const measured = await computeEvaluation(threads, corpus, [counted], families, onProgress)
    const made = fixed ? { ...context, documentFrequencies: fixed.record } : context
    return measured.flatMap(({ family, scores, trials: [statistics], undefinedMetrics, warnings }) =>
      scores
        .filter(({ metric }) => includes(metric))
        .map(({ metric, value, interval }) => ({
          metric: metric.name,
          higherIsBetter: metric.higherIsBetter,
          warnings: [...warnings, ...undefinedScoreWarnings(undefinedMetrics.filter(includes))],
          family,
          statistics,
          ...describeScore(value, interval, recordScore(threads.registry, family, metric, made)),
        })),
    )
  }
  const [scores, built] = await Promise.all([
    scoreWith(choice, documents, progress),
    beside === null ? [] : scoreWith(beside.choice, beside.documents, () => {}),
  ])
  return {
    images,
    unscoredImageCount: system.images.length - images.length,
    wordsPerCaption: meanLength(corpus, trial.candidates),
    wordsPerReference: meanLength(corpus, trial.references),
    scores: scores.map((score) => ({
      ...score,
      coco: madeOf(built.find(({ metric }) => metric === score.metric)),
    })),
  }
}

function madeOf(score: MadeScore | undefined): MadeScore | null {
  if (!score) return null
  const { value, interval, status, record, signature } = score
  return { value, interval, status, record, signature }
}

function describeScore(value: number, interval: Interval | null, record: ProvenanceRecord): MadeScore {
  const reported = reportedInterval(interval, record)
  return {
    value,
    interval: reported,
    status: judgeScore(reported, record),
    record,
    signature: signatureOf(record, VERSION),
  }
}

/** Mean number of tokens of captions, by their positions in the corpus. */
function meanLength({ offsets }: Corpus, captions: Int32Array): number {
  return captions.reduce((sum, caption) => sum + offsets[caption + 1] - offsets[caption], 0) / captions.length
}

/** The captions of a system with their references; images without human captions are left out. */
function selectTrial(
  { lists: { references, referenceOffsets } }: ReferenceFile,
  { file, images: described, candidates }: ResultsFile,
): { readonly trial: Trial; readonly images: Int32Array } {
  const isScored = (image: number) => referenceOffsets[image + 1] > referenceOffsets[image]
  const images = described.filter(isScored)
  if (images.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'no image of the system has a human caption', { source: file })
  }
  const offsets = new Int32Array(images.length + 1)
  const chosen: number[] = []
  for (const [index, image] of images.entries()) {
    for (let i = referenceOffsets[image]; i < referenceOffsets[image + 1]; i++) chosen.push(references[i])
    offsets[index + 1] = chosen.length
  }
  return {
    images,
    trial: {
      candidates: candidates.filter((_, index) => isScored(described[index])),
      references: Int32Array.from(chosen),
      referenceOffsets: offsets,
    },
  }
}

/** How the scores are made, as an evaluation in a database records it. */
function describeContext(
  { lists: { referenceOffsets }, positionOfImage }: ReferenceFile,
  { revision, content }: { readonly revision: string; readonly content: string },
  trial: Trial,
  scored: Int32Array,
): Omit<ScoreContext, 'tokenizer' | 'language'> {
  const of = referenceOffsets.slice(1).filter((end, image) => end > referenceOffsets[image]).length
  const isScored = new Set(scored)
  const externalIds = [...positionOfImage.keys()].filter((_, image) => isScored.has(image))
  const images = describeImages(externalIds, of)
  return {
    dataset: revision,
    subject: { kind: 'system', content },
    references: { count: null, ...rangeOfReferences(trial), folds: null },
    images,
    documentFrequencies: recordDocuments(revision, images, 'own'),
  }
}

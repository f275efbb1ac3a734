import { AccordError } from '../errors.js'
import { type ReferenceLists, scoreCorpus, scoreImages, type Trial } from '../metrics/metric.js'
import { type ScoringContext, signature } from '../metrics/signature.js'
import { bootstrap, type Measurement, percentileInterval } from '../stats/bootstrap.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import type { MetricScore, System } from '../store/entities.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../store/images.js'
import { type NewMeasurement, saveScores } from '../store/scores.js'
import { readSystemSequences } from '../store/systems.js'
import { readLastToken, readTokenTexts } from '../store/tokens.js'
import { type Corpus, concatenate, extendCorpus, type TokenSequences } from '../text/sequences.js'
import { chooseMetrics, loadFamilies, TOKENIZER, VERSION } from './metric-families.js'
import { type Progress, part } from './progress.js'

/** Seed of all bootstraps over images: systems of one data set are measured on the same resamples. */
export const SEED = 1

export interface EvaluateInput {
  /** Names of metrics; all where absent. */
  readonly metrics?: readonly string[]
  /** Name of the data set whose captions document frequencies are counted in; the system's own where absent. */
  readonly documents?: string
  /** A METEOR data folder. */
  readonly meteorData?: string
}

export interface EvaluateReport {
  readonly scores: readonly Omit<MetricScore, 'id' | 'systemId' | 'statisticsId' | 'imageScores'>[]
  readonly imageIds: Int32Array
  /** Per score, aligned to `imageIds`. */
  readonly imageScores: readonly Float64Array[]
  /** Images of the system that no human caption describes: they have no score. */
  readonly unscoredImageCount: number
}

/**
 * Computes a captioning system's scores with their intervals and stores them, replacing those of the same
 * signature. The corpus is the images that the system described.
 *
 * @throws AccordError NOT_APPLICABLE for a word-score system or without a described image; UNKNOWN_METRIC;
 * UNKNOWN_DATASET; UNKNOWN_SYSTEM where it is removed meanwhile; what is wrong with the METEOR folder
 */
export async function evaluateSystem(
  database: Database,
  system: System,
  input: EvaluateInput,
  progress: Progress,
): Promise<EvaluateReport> {
  if (system.kind !== 'CAPTIONS') {
    throw new AccordError('NOT_APPLICABLE', 'only captions can be scored by caption metrics', {
      source: 'system',
      expected: 'a captioning system',
      found: `${JSON.stringify(system.name)}, which has word scores`,
    })
  }
  const choice = chooseMetrics(loadFamilies(input.meteorData), input.metrics)
  progress(0, 'reading captions')
  const { corpus, trial, imageIds, unscoredImageCount } = await readTrial(database, system, input.documents)
  const measurements: Measurement[] = choice.families.map((family, index) => {
    progress(0.1 + (0.5 * index) / choice.families.length, `computing ${family.metrics[0].name}`)
    return { family, trials: [family.measure(family.prepare(corpus), trial)] }
  })
  const resampling = part(progress, 0.6, 0.95)
  const resampled = bootstrap(measurements, {
    seed: SEED,
    onProgress: (share) => resampling(share, 'resampling images'),
  })
  const context = { references: trial, tokenizer: TOKENIZER, documents: input.documents, version: VERSION }
  const results = measurements.map((measurement, index): NewMeasurement => {
    const all = describe(measurement, resampled[index], trial, context)
    return {
      statistics: measurement.trials[0],
      scores: all.filter((_, metric) => choice.includes(measurement.family.metrics[metric])),
    }
  })
  progress(0.95, 'writing')
  saveScores(database, system.id, imageIds, results)
  progress(1, 'done')
  const scores = results.flatMap((result) => result.scores)
  return {
    scores: scores.map(({ imageScores: _imageScores, ...score }) => score),
    imageIds,
    imageScores: scores.map((score) => score.imageScores),
    unscoredImageCount,
  }
}

interface SystemTrial {
  readonly corpus: Corpus
  readonly trial: Trial
  /** Images of the trial. */
  readonly imageIds: Int32Array
  readonly unscoredImageCount: number
}

/** The system's captions, each held against all human captions of its image. */
async function readTrial(
  database: Database,
  system: System,
  documents: string | undefined,
): Promise<SystemTrial> {
  const candidates = readSystemSequences(database, system.id)
  const kept = referencesOf(database, system.datasetId)
  const references = kept.captions
  const captionCount = references.sequences.offsets.length - 1
  const indexOfImage = new Map(Array.from(references.imageIds, (id, index) => [id, index]))
  const described = Array.from(candidates.imageIds, (id, index) => ({
    id,
    candidate: captionCount + index,
    image: indexOfImage.get(id) as number,
  })).filter(({ image }) => references.firstCaption[image + 1] > references.firstCaption[image])
  if (described.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'the system described no image that people described', {
      source: 'system',
      found: JSON.stringify(system.name),
    })
  }
  const trial: Trial = {
    candidates: Int32Array.from(described, ({ candidate }) => candidate),
    ...listReferences(
      references,
      described.map(({ image }) => image),
    ),
  }
  const imageIds = Int32Array.from(described, ({ id }) => id)
  const unscoredImageCount = candidates.imageIds.length - described.length
  if (documents === undefined) {
    return { corpus: appendTo(kept, [candidates.sequences]), trial, imageIds, unscoredImageCount }
  }
  const source = readReferenceCaptions(database, (await requireDataset(database, documents)).id)
  const first = captionCount + candidates.imageIds.length
  return {
    corpus: appendTo(kept, [candidates.sequences, source.sequences]),
    trial: { ...trial, documents: allReferences(source, first).lists },
    imageIds,
    unscoredImageCount,
  }
}

interface References {
  readonly datasetId: number
  readonly captions: ReferenceCaptions
  /** The captions, with the texts of all tokens of the database. */
  readonly corpus: Corpus
  /** True where an evaluation before this one read them. */
  readonly again: boolean
}

const keptReferences = new WeakMap<Database, References>()

/**
 * A data set's captions never change: those read last are kept, for systems are often evaluated in a row, until
 * the database has tokens that they do not know.
 */
function referencesOf(database: Database, datasetId: number): References {
  const kept = keptReferences.get(database)
  if (kept?.datasetId === datasetId && readLastToken(database) < kept.corpus.texts.length) {
    return { ...kept, again: true }
  }
  const captions = readReferenceCaptions(database, datasetId)
  const references = {
    datasetId,
    captions,
    corpus: { ...captions.sequences, texts: readTokenTexts(database) },
    again: false,
  }
  keptReferences.set(database, references)
  return references
}

/**
 * The references, then other captions. To compute what can be said of the references alone takes longer at
 * first, and pays from the third evaluation on: not in a process that evaluates one system.
 */
function appendTo({ corpus, again }: References, parts: readonly TokenSequences[]): Corpus {
  if (again) return extendCorpus(corpus, parts)
  return { ...concatenate([corpus, ...parts]), texts: corpus.texts }
}

/** All captions of some images. @param images positions in `references.imageIds` */
function listReferences({ firstCaption }: ReferenceCaptions, images: readonly number[]): ReferenceLists {
  const referenceOffsets = new Int32Array(images.length + 1)
  const references: number[] = []
  for (const [index, image] of images.entries()) {
    for (let caption = firstCaption[image]; caption < firstCaption[image + 1]; caption++)
      references.push(caption)
    referenceOffsets[index + 1] = references.length
  }
  return { references: Int32Array.from(references), referenceOffsets }
}

/** All captions of all described images, and the ids of these; the first caption has the position `first`. */
export function allReferences(
  source: ReferenceCaptions,
  first: number,
): { readonly imageIds: Int32Array; readonly lists: ReferenceLists } {
  const images = Array.from(source.imageIds, (_, image) => image)
  const described = images.filter((image) => source.firstCaption[image + 1] > source.firstCaption[image])
  const { references, referenceOffsets } = listReferences(source, described)
  return {
    imageIds: Int32Array.from(described, (image) => source.imageIds[image]),
    lists: { references: references.map((caption) => caption + first), referenceOffsets },
  }
}

function describe(
  { family, trials: [statistics] }: Measurement,
  resampled: readonly Float64Array[],
  trial: Trial,
  context: ScoringContext,
): NewMeasurement['scores'] {
  const values = scoreCorpus(family, statistics)
  const imageScores = scoreImages(family, statistics)
  const warnings = [...(family.warnings?.(trial) ?? [])]
  const { referenceOffsets } = trial
  const referenceCount = trial.candidates.reduce(
    (least, _, image) => Math.min(least, referenceOffsets[image + 1] - referenceOffsets[image]),
    Number.POSITIVE_INFINITY,
  )
  return family.metrics.map((metric, index) => ({
    metric: metric.name,
    signature: signature(metric, context),
    referenceCount,
    value: values[index],
    ...percentileInterval(resampled[index]),
    warnings,
    imageScores: imageScores[index],
  }))
}

import { leaveOneOut } from '../agreement/leave-one-out.js'
import { AccordError } from '../errors.js'
import type { MetricDescription, MetricFamily } from '../metrics/metric.js'
import { signature } from '../metrics/signature.js'
import type { Database } from '../store/database.js'
import type { AgreementScore, Dataset } from '../store/entities.js'
import { readReferenceCaptions } from '../store/images.js'
import { readAgreement, saveAgreement } from '../store/scores.js'
import { readTokenTexts } from '../store/tokens.js'
import { allReferences, SEED } from './evaluate.js'
import { TOKENIZER, VERSION } from './metric-families.js'
import { type Progress, part } from './progress.js'

/**
 * The stored leave-one-out table of a data set, one row per metric, or null where it was not computed yet by
 * these metrics, or cannot be: for a k that is not from 1 to K − 1.
 *
 * @param references k
 */
export async function storedAgreement(
  database: Database,
  dataset: Dataset,
  references: number,
  families: readonly MetricFamily[],
): Promise<AgreementScore[] | null> {
  if (!(references >= 1 && references < dataset.captionsPerImage)) return null
  const signatures = families.flatMap((family) =>
    family.metrics.map((metric) => signatureOf(metric, references)),
  )
  const rows = await readAgreement(database, dataset.id, references, signatures)
  const bySignature = new Map(rows.map((row) => [row.signature, row]))
  const table = signatures.flatMap((wanted) => bySignature.get(wanted) ?? [])
  return table.length === signatures.length ? table : null
}

/**
 * Computes the leave-one-out table of a data set and stores it.
 *
 * @param references k, from 1 to K − 1
 * @throws AccordError OUT_OF_RANGE for k; NOT_APPLICABLE where images have one caption; UNKNOWN_DATASET where the
 * data set is removed meanwhile
 */
export function computeAgreement(
  database: Database,
  dataset: Dataset,
  references: number,
  families: readonly MetricFamily[],
  progress: Progress,
): void {
  if (dataset.captionsPerImage < 2) {
    throw new AccordError(
      'NOT_APPLICABLE',
      'people can be compared only where they describe the same image',
      {
        source: 'dataset',
        expected: 'at least two captions per image',
        found: String(dataset.captionsPerImage),
      },
    )
  }
  progress(0, 'reading captions')
  const captions = readReferenceCaptions(database, dataset.id)
  const corpus = { ...captions.sequences, texts: readTokenTexts(database) }
  const { imageIds, lists } = allReferences(captions, 0)
  const holdingOut = part(progress, 0.05, 0.95)
  const table = leaveOneOut(corpus, lists, families, {
    captionsPerImage: dataset.captionsPerImage,
    references,
    seed: SEED,
    onProgress: (share) => holdingOut(share, 'holding out one caption at a time'),
  })
  progress(0.95, 'writing')
  saveAgreement(
    database,
    dataset.id,
    table.scores.map(({ metric, folds, mean, standardDeviation, interval, imageScores, warnings }) => ({
      referenceCount: references,
      metric: metric.name,
      signature: signatureOf(metric, references),
      imageCount: table.images.length,
      folds: [...folds],
      mean,
      standardDeviation,
      ...interval,
      warnings: [...warnings],
      imageIds: table.images.map((image) => imageIds[image]),
      imageScores: joinFolds(imageScores),
    })),
  )
  progress(1, 'done')
}

function joinFolds(folds: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(folds.length * folds[0].length)
  for (const [fold, scores] of folds.entries()) joined.set(scores, fold * scores.length)
  return joined
}

function signatureOf(metric: MetricDescription, references: number): string {
  const oneImage = { references: new Int32Array(references), referenceOffsets: Int32Array.of(0, references) }
  return signature(metric, { references: oneImage, tokenizer: TOKENIZER, version: VERSION })
}

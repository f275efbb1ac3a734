import { type Extrapolation, extrapolate, PUBLISHED_AGREEMENT } from '../../core/agreement/leave-one-out.js'
import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { Interval } from '../../core/stats/interval.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { judgeScore, toInterval } from '../shared/intervals.js'
import { agreementByDataset, type HumanAgreement, humanAgreement } from './agreement.js'

/** People's score with k references. */
export interface ReferencePoint {
  readonly references: number
  readonly mean: number
  readonly interval: Interval | null
  readonly imageCount: number
  /** Why there is no interval. */
  readonly undefinedReason: UndefinedReason | null
}

/** Why our figure differs from the published one. {@link publishedDifferences} has a sentence for each. */
export type PublishedDifference = keyof typeof publishedDifferences

export const publishedDifferences = {
  REFERENCES:
    'The published figures have 5 and 40 references per image; here one of the K captions is held out, which leaves K − 1 at most.',
  IMAGES: 'The published figures are over the images of the COCO test set.',
  PARAPHRASES:
    'The published METEOR also aligns paraphrases. Without a paraphrase table this is a different metric.',
  DOCUMENT_FREQUENCIES:
    'The published CIDEr-D counts document frequencies in the references of the test images; here they are those of each fold.',
} as const satisfies Record<string, string>

/** A metric of Table I of COCO Captions (2015) beside the same figure of a dataset, with K − 1 references. */
export interface PublishedRow extends ReferencePoint {
  readonly metric: string
  readonly published: { readonly c5: number; readonly c40: number }
  /** Whether the two are the same metric: METEOR without paraphrases is not the published one. */
  readonly isSameMetric: boolean
  readonly signature: string
  /** From 1 to K − 1 references. */
  readonly curve: readonly ReferencePoint[]
  /** The scores of which the curve is made. */
  readonly scores: readonly AgreementScore[]
  /** To 5 references; null where K − 1 is 5 or more, the curve is too short, or the metrics are not the same. */
  readonly extrapolation: Extrapolation | null
  readonly differences: readonly PublishedDifference[]
}

/** References of the published column c5. */
const PUBLISHED_REFERENCES = 5

/**
 * People of a dataset beside Table I of COCO Captions (2015), with what makes the figures differ. Leave-one-out tables
 * with 1 to K − 1 references are computed where they are missing.
 *
 * @throws AccordError OUT_OF_RANGE if images have one caption
 */
export function comparePublished(
  accord: Accord,
  dataset: Dataset,
  client: Client = {},
): Promise<PublishedRow[]> {
  const largest = Math.max(1, dataset.captionsPerImage - 1)
  return compareTables(accord, dataset, (references) =>
    humanAgreement(accord, dataset, { references }, clientOfStep(client, references - 1, largest)),
  )
}

/** The same from the tables that are stored; without rows if that of K − 1 references is not. */
export function storedPublished(accord: Accord, dataset: Dataset): Promise<PublishedRow[]> {
  return compareTables(accord, dataset, async (references) => ({
    references,
    rows: (await agreementByDataset(accord, [dataset.id], references)).get(dataset.id) ?? [],
  }))
}

async function compareTables(
  accord: Accord,
  { captionsPerImage }: Dataset,
  tableOf: (references: number) => Promise<HumanAgreement>,
): Promise<PublishedRow[]> {
  const tables: (readonly RecordedScore[])[] = []
  for (let references = 1; references <= Math.max(1, captionsPerImage - 1); references++) {
    tables.push(await withRecords(accord.database, (await tableOf(references)).rows))
  }
  const last = tables[tables.length - 1]
  return [...PUBLISHED_AGREEMENT].flatMap(([metric, published]) => {
    const row = last.find((candidate) => candidate.metric === metric)
    if (!row) return []
    const scores = tables.flatMap((rows) => rows.filter((candidate) => candidate.metric === metric))
    const curve = scores.map(toPoint)
    const isSameMetric = isPublishedMetric(accord, metric)
    const isExtrapolated = isSameMetric && row.referenceCount < PUBLISHED_REFERENCES
    return [
      {
        metric,
        published,
        isSameMetric,
        references: row.referenceCount,
        mean: row.mean,
        interval: toInterval(row),
        imageCount: row.imageCount,
        undefinedReason: judgeScore(row, row.record).undefinedReason,
        signature: row.signature,
        curve,
        scores,
        extrapolation: isExtrapolated ? extrapolate(curve, PUBLISHED_REFERENCES) : null,
        differences: differencesOf(accord, metric, isSameMetric),
      },
    ]
  })
}

type RecordedScore = AgreementScore & { readonly record: ProvenanceRecord }

function toPoint({ referenceCount, mean, ...row }: RecordedScore): ReferencePoint {
  const { undefinedReason } = judgeScore(row, row.record)
  return {
    references: referenceCount,
    mean,
    interval: toInterval(row),
    imageCount: row.imageCount,
    undefinedReason,
  }
}

function isPublishedMetric(accord: Accord, name: string): boolean {
  const { modules } = metricsOf(accord).load(name).metric.parameters
  return modules === undefined || modules.split('+').includes('paraphrase')
}

function differencesOf(accord: Accord, metric: string, isSameMetric: boolean): PublishedDifference[] {
  const { needs } = metricsOf(accord).require(metric)
  return [
    'REFERENCES',
    'IMAGES',
    ...(isSameMetric ? [] : (['PARAPHRASES'] as const)),
    ...(needs.documentFrequencies ? (['DOCUMENT_FREQUENCIES'] as const) : []),
  ]
}

import { PUBLISHED_AGREEMENT } from '../agreement/leave-one-out.js'
import { computeAgreement, storedAgreement } from '../jobs/human-agreement.js'
import { loadFamilies } from '../jobs/metric-families.js'
import type { Progress } from '../jobs/progress.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import type { AgreementScore } from '../store/entities.js'
import { counted, type Renderings, share, toText } from './output.js'

export interface AgreementOptions {
  readonly dataset: string
  readonly references?: number
  readonly meteorData?: string
}

/** The leave-one-out table of a data set. */
export interface AgreementReport {
  readonly dataset: string
  readonly references: number
  /** Images left out for having fewer than K captions. */
  readonly excludedImageCount: number
  readonly rows: readonly AgreementScore[]
}

/** Reads the stored table, or computes it first. */
export async function agree(
  database: Database,
  { dataset: name, references: wanted, meteorData }: AgreementOptions,
  progress: Progress,
): Promise<AgreementReport> {
  const dataset = await requireDataset(database, name)
  const references = wanted ?? dataset.captionsPerImage - 1
  const families = loadFamilies(meteorData)
  const read = () => storedAgreement(database, dataset, references, families)
  let rows = await read()
  if (!rows) {
    computeAgreement(database, dataset, references, families, progress)
    rows = await read()
  }
  if (!rows) throw new Error(`The agreement of ${name} was computed but is not stored.`)
  return { dataset: name, references, excludedImageCount: dataset.excludedImageCount, rows }
}

/** What makes the figures mean less than they seem to, each sentence once. */
export function warningsOf({ rows }: AgreementReport): readonly string[] {
  return [...new Set(rows.flatMap(({ warnings }) => warnings))]
}

/** The table in every format. */
export function renderings({ dataset, references, excludedImageCount, rows }: AgreementReport): Renderings {
  const [{ imageCount, folds }] = rows
  return {
    json: () => ({
      dataset,
      references,
      imageCount,
      excludedImageCount,
      folds: folds.map((_, fold) => Object.fromEntries(rows.map((row) => [row.metric, row.folds[fold]]))),
      scores: rows.map(({ metric, mean, standardDeviation, lower, upper, signature, warnings }) => ({
        metric,
        mean,
        standardDeviation,
        lower,
        upper,
        signature,
        warnings,
      })),
    }),
    csv: () => ({
      header: [
        'metric',
        'mean',
        'sd',
        'lower',
        'upper',
        ...folds.map((_, fold) => `fold_${fold + 1}`),
        'signature',
      ],
      rows: rows.map(({ metric, mean, standardDeviation, lower, upper, folds: scores, signature }) => [
        metric,
        mean,
        standardDeviation,
        lower,
        upper,
        ...scores,
        signature,
      ]),
    }),
    async table() {
      const shownFolds = folds.length <= MOST_FOLDS_SHOWN ? folds.map((_, fold) => fold) : []
      const table = await toText({
        head: [
          [
            'metric',
            ...shownFolds.map((fold) => `fold ${fold + 1}`),
            'mean',
            'sd',
            '95 % interval',
            'c5',
            'c40',
          ],
        ],
        body: [rows.map((row) => tableRow(row, shownFolds))],
        columns: Array.from({ length: shownFolds.length + 6 }, (_, column) => ({
          align: column === 0 ? 'left' : 'right',
        })),
      })
      const notes = [
        `One of ${folds.length} captions of ${counted(imageCount, 'image')} against ${counted(references, 'other')}.`,
        excludedImageCount > 0 &&
          `Left out for having fewer captions: ${counted(excludedImageCount, 'image')}.`,
        'c5, c40: people in Table I of COCO Captions 2015, against 5 and 40.',
      ]
      return `${table}\n${notes.filter(Boolean).join('\n')}\n`
    },
  }
}

/** Folds beyond this many would not fit a terminal; JSON and CSV have all of them. */
const MOST_FOLDS_SHOWN = 7

function tableRow(
  { metric, mean, standardDeviation, lower, upper, folds }: AgreementScore,
  shownFolds: readonly number[],
): string[] {
  const published = PUBLISHED_AGREEMENT.get(metric)
  return [
    metric,
    ...shownFolds.map((fold) => share(folds[fold])),
    share(mean),
    share(standardDeviation),
    `${share(lower)} – ${share(upper)}`,
    share(published?.c5 ?? null),
    share(published?.c40 ?? null),
  ]
}

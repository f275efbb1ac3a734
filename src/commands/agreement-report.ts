import { PUBLISHED_AGREEMENT } from '../agreement/leave-one-out.js'
import type { AgreementReport, AgreementScore } from '../services/agreement.js'
import { counted, type Renderings, share, toText } from './output.js'

/** The distinct warnings of all rows. */
export function warningsOf({ rows }: AgreementReport): readonly string[] {
  return [...new Set(rows.flatMap(({ warnings }) => warnings))]
}

/** The table in every format. */
export function renderings({ dataset, references, rows }: AgreementReport): Renderings {
  const { excludedImageCount } = dataset
  const [{ imageCount, folds }] = rows
  return {
    json: () => ({
      dataset: dataset.name,
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
      const shownFolds = folds.length <= MAX_FOLDS_SHOWN ? folds.map((_, fold) => fold) : []
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
        `One of ${folds.length} captions against ${counted(references, 'other')}, over ${counted(imageCount, 'image')}.`,
        excludedImageCount > 0 && `Excluded, with fewer captions: ${counted(excludedImageCount, 'image')}.`,
        'c5, c40: people in Table I of COCO Captions 2015, against 5 and 40 references.',
      ]
      return `${table}\n${notes.filter(Boolean).join('\n')}\n`
    },
  }
}

/** Maximum number of folds that fit a terminal. JSON and CSV have all of them. */
const MAX_FOLDS_SHOWN = 7

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

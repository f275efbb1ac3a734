import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { AccordError } from '../errors.js'
import { type EvaluateReport, evaluateSystem } from '../jobs/evaluate.js'
import { storedAgreement } from '../jobs/human-agreement.js'
import { chooseMetrics, loadFamilies } from '../jobs/metric-families.js'
import type { Progress } from '../jobs/progress.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import type { AgreementScore } from '../store/entities.js'
import { readImageIds } from '../store/images.js'
import { requireSystem } from '../store/systems.js'
import { counted, type Renderings, share, toCsv, toText } from './output.js'

export interface EvaluationOptions {
  readonly dataset: string
  readonly system: string
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
  readonly meteorData?: string
}

/** Scores of a system, with the human row of each metric where it is stored. */
export interface EvaluationReport {
  readonly dataset: string
  readonly system: string
  /** References per image; where it varies, the smallest number. */
  readonly references: number
  readonly scores: EvaluateReport['scores']
  /** By name of the metric. */
  readonly human: ReadonlyMap<string, AgreementScore>
  /** External ids of the images, and per score one value for each. */
  readonly imageIds: readonly string[]
  readonly imageScores: readonly Float64Array[]
  readonly warnings: readonly string[]
}

export async function evaluate(
  database: Database,
  { dataset: name, system: systemName, metrics, documentFrequencies, meteorData }: EvaluationOptions,
  progress: Progress,
): Promise<EvaluationReport> {
  const dataset = await requireDataset(database, name)
  const system = await requireSystem(database, dataset.id, systemName)
  const input = { metrics, documents: documentFrequencies, meteorData }
  const report = await evaluateSystem(database, system, input, progress)
  const { families } = chooseMetrics(loadFamilies(meteorData), metrics)
  const human = await storedAgreement(database, dataset, dataset.captionsPerImage - 1, families)
  const externalIds = new Map(
    Array.from(readImageIds(database, dataset.id), ([externalId, id]) => [id, externalId]),
  )
  return {
    dataset: name,
    system: systemName,
    references: report.scores[0].referenceCount,
    scores: report.scores,
    human: new Map(human?.map((row) => [row.metric, row])),
    imageIds: Array.from(report.imageIds, (id) => externalIds.get(id) as string),
    imageScores: report.imageScores,
    warnings: warningsOf(report, system.missingImageCount),
  }
}

function warningsOf(report: EvaluateReport, missing: number): string[] {
  const warnings = new Set(report.scores.flatMap((score) => score.warnings))
  if (missing > 0)
    warnings.add(`The system left out ${counted(missing, 'image')}: the scores are over the others.`)
  if (report.unscoredImageCount > 0) {
    warnings.add(`${counted(report.unscoredImageCount, 'image')} without human captions: not scored.`)
  }
  return [...warnings]
}

/** The scores as a table, JSON or CSV. */
export function renderings({ dataset, system, references, scores, human }: EvaluationReport): Renderings {
  const humanOf = (metric: string) => {
    const row = human.get(metric)
    return row && { references: row.referenceCount, mean: row.mean, lower: row.lower, upper: row.upper }
  }
  return {
    json: () => ({
      dataset,
      system,
      references,
      scores: scores.map(({ metric, value, lower, upper, signature, warnings }) => ({
        metric,
        value,
        lower,
        upper,
        signature,
        warnings,
        human: humanOf(metric) ?? null,
      })),
    }),
    csv: () => ({
      header: ['metric', 'value', 'lower', 'upper', 'human', 'human_lower', 'human_upper', 'signature'],
      rows: scores.map(({ metric, value, lower, upper, signature }) => {
        const row = humanOf(metric)
        return [
          metric,
          value,
          lower,
          upper,
          row?.mean ?? null,
          row?.lower ?? null,
          row?.upper ?? null,
          signature,
        ]
      }),
    }),
    async table() {
      const table = await toText({
        head: [['metric', 'score', '95 % interval', 'human', '95 % interval']],
        body: [
          scores.map(({ metric, value, lower, upper }) => {
            const row = humanOf(metric)
            const range = row ? `${share(row.lower)} – ${share(row.upper)}` : '–'
            return [
              metric,
              share(value),
              `${share(lower)} – ${share(upper)}`,
              share(row?.mean ?? null),
              range,
            ]
          }),
        ],
        columns: [
          { align: 'left' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
        ],
      })
      const signatures = scores.map(({ signature }) => `  ${signature}\n`).join('')
      return `${table}\n${humanNote(dataset, human)}Signatures:\n${signatures}`
    },
  }
}

function humanNote(dataset: string, human: EvaluationReport['human']): string {
  const [row] = human.values()
  return row
    ? `Human: one person’s caption against ${counted(row.referenceCount, 'other')}, mean over ${row.folds.length} folds.\n`
    : `Human agreement is not computed yet: accord agreement --dataset ${dataset}\n`
}

/** Writes the scores of every image as CSV, whole or not at all. */
export function writePerImage(file: string, { scores, imageIds, imageScores }: EvaluationReport): void {
  const partial = `${file}.partial`
  const csv = toCsv({
    header: ['image_id', ...scores.map(({ metric }) => metric)],
    rows: imageIds.map((id, image) => [id, ...imageScores.map((values) => values[image])]),
  })
  try {
    writeFileSync(partial, csv)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw new AccordError('FILE_NOT_FOUND', 'the file cannot be written', {
      source: file,
      expected: 'a path in a folder that exists and may be written',
      found: (error as NodeJS.ErrnoException).code ?? String(error),
    })
  }
}

import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../errors.js'
import { type EvaluateInput, type EvaluateReport, evaluateSystem } from '../jobs/evaluate.js'
import { storedAgreement } from '../jobs/human-agreement.js'
import { chooseMetrics, loadFamilies } from '../jobs/metric-families.js'
import type { Progress } from '../jobs/progress.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import type { AgreementScore, Dataset } from '../store/entities.js'
import { readImageIds } from '../store/images.js'
import { requireSystem } from '../store/systems.js'
import { counted, printable, type Renderings, share, toCsv, toText } from './output.js'

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
  /** By name of the metric; none where it is not stored, or not comparable. */
  readonly human: ReadonlyMap<string, AgreementScore>
  /** The command that computes what `human` lacks, where there can be such a thing. */
  readonly humanCommand?: string
  /** External ids of the images, and per score one value for each. */
  readonly imageIds: readonly string[]
  readonly imageScores: readonly Float64Array[]
  /** Images that the system left out. */
  readonly missingImageCount: number
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
  const externalIds = new Map(
    Array.from(readImageIds(database, dataset.id), ([externalId, id]) => [id, externalId]),
  )
  return {
    dataset: name,
    system: systemName,
    references: report.scores[0].referenceCount,
    scores: report.scores,
    human: await readHuman(database, dataset, input),
    humanCommand: dataset.captionsPerImage > 1 ? agreementCommand(name, meteorData) : undefined,
    imageIds: Array.from(report.imageIds, (id) => externalIds.get(id) as string),
    imageScores: report.imageScores,
    missingImageCount: system.missingImageCount,
    warnings: warningsOf(report, system.missingImageCount),
  }
}

async function readHuman(
  database: Database,
  dataset: Dataset,
  { metrics, documents, meteorData }: EvaluateInput,
): Promise<EvaluationReport['human']> {
  const { families } = chooseMetrics(loadFamilies(meteorData), metrics)
  const rows = await storedAgreement(database, dataset, dataset.captionsPerImage - 1, families)
  // People are measured with the document frequencies of their own references.
  const comparable = families
    .flatMap((family) => family.metrics)
    .filter(({ usesDocumentFrequency }) => documents === undefined || !usesDocumentFrequency)
  const names = new Set(comparable.map(({ name }) => name))
  return new Map(rows?.filter(({ metric }) => names.has(metric)).map((row) => [row.metric, row]))
}

function agreementCommand(dataset: string, meteorData: string | undefined): string {
  const flags = meteorData === undefined ? '' : ` --meteor-data ${meteorData}`
  return printable(`accord agreement --dataset ${dataset}${flags}`)
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
export function renderings(report: EvaluationReport): Renderings {
  const { dataset, system, references, scores, human, imageIds, missingImageCount } = report
  const humanOf = (metric: string) => {
    const row = human.get(metric)
    return row && { references: row.referenceCount, mean: row.mean, lower: row.lower, upper: row.upper }
  }
  return {
    json: () => ({
      dataset,
      system,
      references,
      imageCount: imageIds.length,
      missingImageCount,
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
      return `${table}\n${corpusNote(report)}${humanNote(report)}Signatures:\n${signatures}`
    },
  }
}

function corpusNote({ imageIds, references }: EvaluationReport): string {
  return `Over ${counted(imageIds.length, 'image')}, each against ${counted(references, 'reference')} or more.\n`
}

function humanNote({ human, humanCommand }: EvaluationReport): string {
  const [row] = human.values()
  if (row) {
    const others = counted(row.referenceCount, 'other')
    return `Human: one person’s caption against ${others}, mean over ${row.folds.length} folds.\n`
  }
  return humanCommand ? `Human agreement is not computed yet: ${humanCommand}\n` : ''
}

/**
 * Checks that {@link writePerImage} can write the file, before there is anything to write.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function checkPerImage(file: string): void {
  try {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target?.isDirectory()) throw unwritable(file, 'a folder')
    accessSync(target ? file : `${dirname(file)}/`, constants.W_OK)
  } catch (error) {
    throw asUnwritable(file, error)
  }
}

/**
 * Writes the scores of every image as CSV, whole or not at all.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function writePerImage(file: string, { scores, imageIds, imageScores }: EvaluationReport): void {
  const csv = toCsv({
    header: ['image_id', ...scores.map(({ metric }) => metric)],
    rows: imageIds.map((id, image) => [id, ...imageScores.map((values) => values[image])]),
  })
  try {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target && !target.isFile()) writeFileSync(file, csv)
    else replaceFile(target ? realpathSync(file) : file, csv)
  } catch (error) {
    throw asUnwritable(file, error)
  }
}

function replaceFile(file: string, content: string): void {
  const partial = `${file}.${process.pid}.partial`
  try {
    writeFileSync(partial, content)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function asUnwritable(file: string, error: unknown): AccordError {
  if (error instanceof AccordError) return error
  return unwritable(file, (error as NodeJS.ErrnoException).code ?? String(error))
}

function unwritable(file: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the file cannot be written', {
    source: file,
    expected: 'a path in a folder that exists and may be written',
    found,
  })
}

import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../errors.js'
import type { EvaluationReport } from '../services/evaluate.js'
import { counted, printable, type Renderings, share, toCsv, toText } from './output.js'

/** Warnings about the scores. */
export function warningsOf({ scores, system, unscoredImageCount }: EvaluationReport): string[] {
  const { missingImageCount } = system
  const warnings = new Set(scores.flatMap((score) => score.warnings))
  if (missingImageCount > 0) {
    const missing = counted(missingImageCount, 'image')
    warnings.add(`The system has no caption for ${missing}. The scores are over the other images.`)
  }
  if (unscoredImageCount > 0) {
    warnings.add(`Not scored, without human captions: ${counted(unscoredImageCount, 'image')}.`)
  }
  return [...warnings]
}

/**
 * The scores in every format.
 *
 * @param meteorFolder of this command, for the suggested `accord agreement` command
 */
export function renderings(report: EvaluationReport, meteorFolder: string | undefined): Renderings {
  const { dataset, system, scores, human, externalIds } = report
  const humanOf = (metric: string) => {
    const row = human.get(metric)
    return row && { references: row.referenceCount, mean: row.mean, lower: row.lower, upper: row.upper }
  }
  return {
    json: () => ({
      dataset: dataset.name,
      system: system.name,
      references: scores[0].referenceCount,
      imageCount: externalIds.length,
      missingImageCount: system.missingImageCount,
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
      return `${table}\n${corpusNote(report)}${humanNote(report, meteorFolder)}Signatures:\n${signatures}`
    },
  }
}

function corpusNote({ externalIds, scores: [{ referenceCount }] }: EvaluationReport): string {
  return `Over ${counted(externalIds.length, 'image')}, each with at least ${counted(referenceCount, 'reference')}.\n`
}

function humanNote({ dataset, human }: EvaluationReport, meteorFolder: string | undefined): string {
  const [row] = human.values()
  if (row) {
    const others = counted(row.referenceCount, 'other')
    return `Human: one person’s caption against ${others}, mean over ${row.folds.length} folds.\n`
  }
  if (dataset.captionsPerImage < 2) return ''
  const flags = meteorFolder === undefined ? '' : ` --meteor-data ${meteorFolder}`
  const command = printable(`accord agreement --dataset ${dataset.name}${flags}`)
  return `Human agreement has not been computed: ${command}\n`
}

/**
 * Checks that {@link writePerImage} can write the file, before the scores are computed.
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
 * Writes the scores of every image as CSV, atomically.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function writePerImage(file: string, { scores, externalIds, imageScores }: EvaluationReport): void {
  const csv = toCsv({
    header: ['image_id', ...scores.map(({ metric }) => metric)],
    rows: externalIds.map((id, image) => [id, ...imageScores.map((values) => values[image])]),
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
    expected: 'a path in an existing, writable folder',
    found,
  })
}

import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../../errors.js'
import { type EvaluationReport, type FairEvaluation, statusOf } from '../../services/evaluations/evaluate.js'
import { judgeInterval, type StoredEnds, toInterval } from '../../services/shared/intervals.js'
import type { AgreementScore } from '../../store/schema/entities.js'
import { type HintOptions, suggest } from '../output/hints.js'
import { type CsvCell, type Renderings, toCsv } from '../output/output.js'
import { type Cell, counted, interval, share, type TextTable } from '../output/table.js'

/** Warnings about the scores. With several systems they name the system. */
export function warningsOf(evaluations: readonly FairEvaluation[]): string[] {
  const warnings = evaluations.flatMap(({ report }) => {
    const prefix = evaluations.length > 1 ? `${report.system.name}: ` : ''
    return warningsOfReport(report).map((warning) => `${prefix}${warning}`)
  })
  return [...new Set(warnings)]
}

function warningsOfReport({ scores, system, unscoredImageCount }: EvaluationReport): string[] {
  return [
    ...new Set(scores.flatMap((score) => score.warnings)),
    ...coverageWarnings(system.missingImageCount, unscoredImageCount),
  ]
}

/**
 * Warnings about images without a score.
 *
 * @param missing images without a caption of the system
 * @param unscored images without human captions
 */
export function coverageWarnings(missing: number, unscored: number): string[] {
  return [
    ...(missing > 0
      ? [`The system has no caption for ${counted(missing, 'image')}. The scores are over the other images.`]
      : []),
    ...(unscored > 0 ? [`Not scored, without human captions: ${counted(unscored, 'image')}.`] : []),
  ]
}

/**
 * The scores in every format. People are only beside scores on the same folds of references.
 *
 * @param options of this command, for suggested commands
 */
export function renderings(evaluations: readonly FairEvaluation[], options: HintOptions): Renderings {
  const [{ report }] = evaluations
  return {
    json: () => ({ dataset: report.dataset.name, systems: evaluations.map(toJson) }),
    csv: () => ({
      header: [
        'system',
        'metric',
        'references',
        'folds',
        'value',
        'lower',
        'upper',
        'human.mean',
        'human.lower',
        'human.upper',
        'signature',
      ],
      rows: evaluations.flatMap((evaluation) => reportsOf(evaluation).flatMap(toCsvRows)),
    }),
    report: () => [toTable(evaluations), { notes: toNotes(evaluations, options) }],
  }
}

/** Against all references, and on folds if there are such scores. */
function reportsOf({ report, matched }: FairEvaluation): EvaluationReport[] {
  return matched ? [report, matched] : [report]
}

function toJson({ report, matched, notes }: FairEvaluation) {
  const { name, missingImageCount } = report.system
  return {
    system: name,
    missingImageCount,
    ...toJsonReport(report),
    matched: matched && toJsonReport(matched),
    notes,
  }
}

function toJsonReport({ scores, human, externalIds }: EvaluationReport) {
  return {
    references: scores[0].referenceCount,
    folds: scores[0].folds?.length ?? null,
    imageCount: externalIds.length,
    scores: scores.map((score) => ({
      metric: score.metric,
      value: score.value,
      lower: score.lower,
      upper: score.upper,
      ...statusOf(score),
      folds: score.folds,
      signature: score.signature,
      warnings: score.warnings,
      human: toJsonHuman(human.get(score.metric)),
    })),
  }
}

function toJsonHuman(row: AgreementScore | undefined) {
  if (!row) return null
  const { referenceCount: references, mean, lower, upper, imageCount } = row
  return { references, mean, lower, upper, ...judgeInterval(imageCount) }
}

function toCsvRows({ system, scores, human }: EvaluationReport): CsvCell[][] {
  return scores.map(({ metric, referenceCount, folds, value, lower, upper, signature }) => {
    const row = human.get(metric)
    return [
      system.name,
      metric,
      referenceCount,
      folds?.length ?? null,
      value,
      lower,
      upper,
      row?.mean ?? null,
      row?.lower ?? null,
      row?.upper ?? null,
      signature,
    ]
  })
}

/** A group of rows for each metric, with a row for each system. */
function toTable(evaluations: readonly FairEvaluation[]): TextTable {
  const first = reportsOf(evaluations[0])
  const k = evaluations.flatMap(reportsOf).find(({ references }) => references !== null)?.references ?? null
  const all = evaluations.every(({ report }) => report.references === null)
  const kinds = [...(all ? [null] : []), ...(k === null ? [] : [k])]
  const columns = evaluations.length > 1 ? ['metric', 'system'] : ['metric']
  const groups = [...kinds.map(headOf), ...(k === null ? [] : ['people'])]
  const rows = first[0].scores.map(({ metric }) =>
    evaluations.map((evaluation, index) => {
      const reports = reportsOf(evaluation)
      const matched = reports.find(({ references }) => references !== null)
      return [
        index === 0 ? metric : '',
        ...(evaluations.length > 1 ? [evaluation.report.system.name] : []),
        ...kinds.flatMap((kind) => {
          const report = reports.find(({ references }) => references === kind)
          const score = report?.scores.find((candidate) => candidate.metric === metric)
          return [share(score?.value), storedInterval(score)]
        }),
        ...(k === null ? [] : humanCells(matched?.human.get(metric))),
      ]
    }),
  )
  return {
    head: [
      [...columns.map(() => ''), ...groups.map((content) => ({ content, columns: 2 }))],
      [...columns, ...groups.flatMap(() => ['score', '95 % interval'])],
    ],
    body: evaluations.length > 1 ? rows : [rows.flat()],
    columns: [
      ...columns.map(() => ({ align: 'left' as const })),
      ...groups.flatMap(() => [{ align: 'right' as const }, { align: 'right' as const }]),
    ],
    keyColumns: columns.length,
  }
}

function headOf(references: number | null): string {
  return references === null ? 'all references' : counted(references, 'reference')
}

function humanCells(row: AgreementScore | undefined): Cell[] {
  return [share(row?.mean), storedInterval(row)]
}

function storedInterval(ends: StoredEnds | undefined): Cell {
  return interval(ends && toInterval(ends))
}

function toNotes(evaluations: readonly FairEvaluation[], options: HintOptions): string[] {
  const reports = evaluations.flatMap(reportsOf)
  const [{ report, isHumanMissing }] = evaluations
  const notes = [
    ...reports.map(describeReferences),
    ...(isHumanMissing
      ? missingHumanNote(report, options)
      : evaluations.flatMap((one) => humanNote(one, options))),
    ...evaluations.flatMap((evaluation) => evaluation.notes),
    'Signatures:',
    ...reports.flatMap(({ scores }) => scores.map(({ signature }) => `  ${signature}`)),
  ]
  return [...new Set(notes)]
}

function describeReferences({
  references,
  scores: [{ folds, record }],
  externalIds,
}: EvaluationReport): string {
  const { least, most } = record.references
  const images = counted(externalIds.length, 'image')
  if (references !== null) {
    return `${counted(references, 'reference')}: mean over the ${folds?.length} folds that human captions are scored on, over ${images}.`
  }
  const range = least === most ? counted(least, 'reference') : `${least} to ${most} references`
  return `All references: ${range} per image, over ${images}.`
}

function missingHumanNote({ dataset }: EvaluationReport, options: HintOptions): string[] {
  return suggest(
    'To compare systems with people, compute human agreement, then evaluate again:',
    ['agreement', '--dataset', dataset.name],
    options,
  )
}

function humanNote(evaluation: FairEvaluation, options: HintOptions): string[] {
  const beside = reportsOf(evaluation).find(({ references }) => references !== null)
  if (!beside) return []
  const { dataset, system, references, scores, human } = beside
  if (beside.externalIds.length < dataset.imageCount - dataset.excludedImageCount) {
    const words = ['compare', '--dataset', dataset.name, '--system', system.name, '--people']
    return suggest(
      'People are compared with a system that lacks images by:',
      [...words, '--references', String(references)],
      options,
    )
  }
  const missing = scores.filter(({ metric }) => !human.has(metric)).map(({ metric }) => metric)
  const metrics = missing.length < scores.length ? ` by ${missing.join(', ')}` : ''
  const k = references === dataset.captionsPerImage - 1 ? [] : ['--references', String(references)]
  return [
    ...[...human.values()].slice(0, 1).map(describePeople),
    ...(missing.length === 0
      ? []
      : suggest(
          `Human agreement${metrics} has not been computed:`,
          ['agreement', '--dataset', dataset.name, ...k],
          options,
        )),
  ]
}

function describePeople({ referenceCount, folds }: AgreementScore): string {
  const others = counted(referenceCount, 'other')
  return `People: one person’s caption against ${others}, mean over ${folds.length} folds; compare them only with scores on as many references.`
}

/** Instead of the path of a file. */
export const STDOUT = '-'

/**
 * Checks that {@link writePerImage} can write the file, before the scores are computed.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function checkPerImage(file: string): void {
  if (file === STDOUT) return
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
export function writePerImage(file: string, evaluations: readonly FairEvaluation[]): void {
  const [{ report }] = evaluations
  const csv = toCsv({
    header: ['system', 'imageId', ...report.scores.map(({ metric }) => metric)],
    rows: evaluations.flatMap(({ report: { system, externalIds, imageScores } }) =>
      externalIds.map((id, image) => [
        system.name,
        id,
        ...imageScores.map((values) => definedOrEmpty(values[image])),
      ]),
    ),
  })
  if (file === STDOUT) {
    process.stdout.write(csv)
    return
  }
  try {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target && !target.isFile()) writeFileSync(file, csv)
    else replaceFile(target ? realpathSync(file) : file, csv)
  } catch (error) {
    throw asUnwritable(file, error)
  }
}

/** An image without a score has an empty field. */
function definedOrEmpty(value: number): number | string {
  return Number.isNaN(value) ? '' : value
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

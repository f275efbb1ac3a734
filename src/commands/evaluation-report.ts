import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../errors.js'
import type { AgreementScore } from '../services/agreement.js'
import { type EvaluationReport, type FairEvaluation, statusOf } from '../services/evaluate.js'
import { judgeInterval, type StoredEnds, toInterval } from '../services/intervals.js'
import {
  type CsvCell,
  counted,
  type Renderings,
  share,
  showInterval,
  toCsv,
  toLines,
  toText,
} from './output.js'

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
 * The scores in every format. People are only beside scores on the same folds of references.
 *
 * @param meteorFolder of this command, for the suggested `accord agreement` command
 */
export function renderings(evaluation: FairEvaluation, meteorFolder: string | undefined): Renderings {
  const { report, matched, isHumanMissing, notes } = evaluation
  const { dataset, system } = report
  const reports = matched ? [report, matched] : [report]
  return {
    json: () => ({
      dataset: dataset.name,
      system: system.name,
      missingImageCount: system.missingImageCount,
      ...toJson(report),
      matched: matched && toJson(matched),
      notes,
    }),
    csv: () => ({
      header: [
        'metric',
        'references',
        'folds',
        'value',
        'lower',
        'upper',
        'human',
        'human_lower',
        'human_upper',
        'signature',
      ],
      rows: reports.flatMap(toCsvRows),
    }),
    async table() {
      const signatures = reports.flatMap(({ scores }) => scores.map(({ signature }) => `  ${signature}\n`))
      const lines = [
        ...reports.map(describeReferences),
        ...(isHumanMissing ? missingHumanNote(report, meteorFolder) : humanNote(reports, meteorFolder)),
        ...notes,
        'Signatures:',
      ]
      return `${await toTable(reports)}\n${toLines(lines)}${signatures.join('')}`
    },
  }
}

function toJson({ scores, human, externalIds }: EvaluationReport) {
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
  return { references, mean, lower, upper, ...judgeInterval(toInterval(row), imageCount) }
}

function toCsvRows({ scores, human }: EvaluationReport): CsvCell[][] {
  return scores.map(({ metric, referenceCount, folds, value, lower, upper, signature }) => {
    const row = human.get(metric)
    return [
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

function toTable(reports: readonly EvaluationReport[]): Promise<string> {
  const beside = reports.find(({ references }) => references !== null)
  const groups = [...reports.map(headOf), ...(beside ? ['people'] : [])]
  return toText({
    head: [
      ['', ...groups.map((content) => ({ content, columns: 2 }))],
      ['metric', ...groups.flatMap(() => ['score', '95 % interval'])],
    ],
    body: [
      reports[0].scores.map(({ metric }) => [
        metric,
        ...reports.flatMap(({ scores }) => {
          const score = scores.find((candidate) => candidate.metric === metric)
          return showScore(score?.value, score)
        }),
        ...(beside ? showScore(beside.human.get(metric)?.mean, beside.human.get(metric)) : []),
      ]),
    ],
    columns: ['left' as const, ...groups.flatMap(() => ['right', 'right'] as const)].map((align) => ({
      align,
    })),
  })
}

function headOf({ references }: EvaluationReport): string {
  return references === null ? 'all references' : counted(references, 'reference')
}

function showScore(value: number | undefined, ends: StoredEnds | undefined): string[] {
  if (value === undefined || !ends) return ['–', '–']
  return [share(value), showInterval(toInterval(ends))]
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

function missingHumanNote({ dataset }: EvaluationReport, meteorFolder: string | undefined): string[] {
  const flag = meteorFolder === undefined ? '' : ` --meteor-data ${meteorFolder}`
  return [
    'To compare the system with people, compute human agreement, then evaluate again:',
    `  accord agreement --dataset ${dataset.name}${flag}`,
  ]
}

function humanNote(reports: readonly EvaluationReport[], meteorFolder: string | undefined): string[] {
  const beside = reports.find(({ references }) => references !== null)
  if (!beside) return []
  const { dataset, system, references, scores, human } = beside
  if (beside.externalIds.length < dataset.imageCount - dataset.excludedImageCount) {
    return [
      'People are compared with a system that lacks images by:',
      `  accord compare --dataset ${dataset.name} --system ${system.name} --people --references ${references}`,
    ]
  }
  const missing = scores.filter(({ metric }) => !human.has(metric)).map(({ metric }) => metric)
  const metrics = missing.length < scores.length ? ` by ${missing.join(', ')}` : ''
  const flags = [
    references === dataset.captionsPerImage - 1 ? '' : ` --references ${references}`,
    meteorFolder === undefined ? '' : ` --meteor-data ${meteorFolder}`,
  ]
  return [
    ...[...human.values()].slice(0, 1).map(describePeople),
    ...(missing.length === 0
      ? []
      : [
          `Human agreement${metrics} has not been computed:`,
          `  accord agreement --dataset ${dataset.name}${flags.join('')}`,
        ]),
  ]
}

function describePeople({ referenceCount, folds }: AgreementScore): string {
  const others = counted(referenceCount, 'other')
  return `People: one person’s caption against ${others}, mean over ${folds.length} folds; compare them only with scores on as many references.`
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
    rows: externalIds.map((id, image) => [id, ...imageScores.map((values) => definedOrEmpty(values[image]))]),
  })
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

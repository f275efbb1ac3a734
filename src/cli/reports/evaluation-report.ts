import type { EvaluationReport, FairEvaluation } from '../../services/scoring/evaluate.js'
import { judgeScore, namedNotes, toInterval } from '../../services/shared/intervals.js'
import { type CaptionLengths, lengthNotes } from '../../shared/length-notes.js'
import { counted } from '../../shared/numbers.js'
import { shellWord } from '../../shared/shell-word.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { countedReferences, interval, jsonOnly } from '../output/formats.js'
import { type HintOptions, inList, suggest } from '../output/hints.js'
import { type Column, pivot, type Report, untitled } from '../output/report.js'
import {
  builtInColumns,
  builtInNotes,
  INTERVAL,
  METRIC,
  markBest,
  type ScoreLayout,
  SYSTEM,
  scoreColumns,
  signatureNotes,
  systemsByMetrics,
  VALUE,
  withBuiltIn,
} from './score-table.js'

/** Columns of scores, with those of people. */
export const EVALUATIONS: readonly Column[] = [
  ...scoreColumns,
  ...builtInColumns(false),
  { path: 'folds', format: jsonOnly },
  ...untitled('human.references', 'human.mean'),
  { path: 'human.interval', format: interval },
  ...untitled('human.undefinedReason', 'human.isSmall', 'coco.human.mean'),
  { path: 'coco.human.interval', format: interval },
]

/** Mean lengths of captions, and the metrics that compare them with references. */
export interface ShownLengths extends CaptionLengths {
  readonly metrics: readonly string[]
}

/**
 * The scores of systems. People are only beside scores on the same folds of references.
 *
 * @param options of this command, for suggested commands
 */
export function evaluationReport(
  evaluations: readonly FairEvaluation[],
  options: HintOptions & ScoreLayout,
  lengths: ShownLengths,
): Report {
  const reports = evaluations.flatMap(reportsOf)
  const scores = { name: 'scores', columns: EVALUATIONS, rows: reports.flatMap(toRows) }
  return {
    about: { dataset: reports[0].dataset.name, notes: notesOf(evaluations) },
    tables: [scores],
    parts: [
      ...(options.layout === 'wide'
        ? toTables(reports)
        : [toLongTable(reports), { notes: reports.map(describeReferences) }]),
      { notes: toNotes(evaluations, options, lengths) },
    ],
    warnings: warningsOf(evaluations),
  }
}

/** The scores of every image, against all references unless others were asked for. */
export function imageScoreReport(evaluations: readonly FairEvaluation[]): Report {
  const [{ report }] = evaluations
  const metrics = report.scores.map(({ metric }) => metric)
  const signatureOf = (metric: string) => `${metric}.signature`
  const columns = ['system', 'imageId', ...metrics, ...metrics.map(signatureOf)]
  const rows = evaluations.flatMap(({ report: { system, externalIds, imageScores, scores } }) => {
    const signatures = scores.map(({ metric, signature }) => [signatureOf(metric), signature] as const)
    return externalIds.map((imageId, image) => ({
      system: system.name,
      imageId,
      ...Object.fromEntries(metrics.map((metric, index) => [metric, imageScores[index][image]])),
      ...Object.fromEntries(signatures),
    }))
  })
  const table = { name: 'scores', columns: columns.map((name) => ({ path: [name] })), rows }
  return { tables: [table], parts: [], warnings: warningsOf(evaluations) }
}

/** Against all references, and on folds if there are such scores. */
function reportsOf({ report, matched }: FairEvaluation): EvaluationReport[] {
  return matched ? [report, matched] : [report]
}

function toRows({ system, scores, human, coco, externalIds }: EvaluationReport) {
  const builtIn = (name: string) => {
    const score = coco.scores.find(({ metric }) => metric === name)
    if (!score) return null
    const { value, signature } = score
    return {
      value,
      interval: toInterval(score),
      signature,
      human: describeHuman(coco.human.get(name), score),
    }
  }
  return scores.map((score) => ({
    ...score,
    system: system.name,
    missingImageCount: system.missingImageCount,
    imageCount: externalIds.length,
    references: score.record.references,
    interval: toInterval(score),
    ...judgeScore(score, score.record),
    human: describeHuman(human.get(score.metric), score),
    coco: builtIn(score.metric),
  }))
}

/** People, whose scores were made as that of the system beside them. */
function describeHuman(
  row: AgreementScore | undefined,
  { record }: Pick<EvaluationReport['scores'][number], 'record'>,
) {
  if (!row) return null
  const { referenceCount, mean } = row
  return { references: referenceCount, mean, interval: toInterval(row), ...judgeScore(row, record) }
}

/** A table for each kind of references, below a sentence about them. People are a row beside scores on the same folds. */
function toTables(reports: readonly EvaluationReport[]): Report['parts'] {
  const kinds = [...new Set(reports.map(({ references }) => references))]
  return kinds.flatMap((references) => {
    const ofKind = reports.filter((report) => report.references === references)
    const rows = [...ofKind.flatMap(toRows), ...(references === null ? [] : peopleOf(ofKind[0]))]
    return [{ notes: [describeReferences(ofKind[0])] }, systemsByMetrics(rows)]
  })
}

function peopleOf(report: EvaluationReport) {
  return toRows(report).flatMap(({ metric, higherIsBetter, human, coco }) => {
    const people = (row: ReturnType<typeof describeHuman>) =>
      row && { metric, higherIsBetter, system: null, value: row.mean, interval: row.interval }
    const row = people(human)
    return row ? [{ ...row, coco: people(coco?.human ?? null) }] : []
  })
}

/** A group of rows for each metric, with a row for each system; beside each other the kinds of references, and people. */
function toLongTable(reports: readonly EvaluationReport[]) {
  const rows = reports.flatMap((report) =>
    withBuiltIn(toRows(report)).flatMap(({ system, metric, higherIsBetter, value, interval, human }) => [
      { system, metric, higherIsBetter, value, interval, heading: headingOf(report) },
      ...(report.references === null
        ? []
        : [
            {
              system,
              metric,
              higherIsBetter,
              value: human?.mean ?? null,
              interval: human?.interval ?? null,
              heading: 'people',
            },
          ]),
    ]),
  )
  const metrics = [...new Set(rows.map(({ metric }) => metric))]
  const isOne = new Set(rows.map(({ system }) => system)).size === 1
  return pivot(
    metrics.flatMap((metric) =>
      markBest(
        rows.filter((row) => row.metric === metric),
        ({ heading }) => heading,
      ),
    ),
    {
      down: isOne ? [METRIC] : [METRIC, SYSTEM],
      across: ({ heading }) => heading,
      cells: [VALUE, INTERVAL],
      groupBy: ({ metric }) => (isOne ? null : metric),
    },
  )
}

function headingOf({ references }: EvaluationReport): string {
  return references === null ? 'all references' : counted(references, 'reference')
}

function warningsOf(evaluations: readonly FairEvaluation[]): string[] {
  return scoreWarnings(
    evaluations.map(({ report: { system, scores, unscoredImageCount } }) => ({
      system: system.name,
      scores,
      missingImageCount: system.missingImageCount,
      unscoredImageCount,
    })),
  )
}

/** A system, and what its scores leave out. */
interface Coverage {
  readonly system: string
  readonly scores: readonly { readonly warnings: readonly string[] }[]
  /** Images without a caption of the system. */
  readonly missingImageCount: number
  /** Images without human captions. */
  readonly unscoredImageCount: number
}

/** Warnings about scores. With several systems they name the system. */
export function scoreWarnings(systems: readonly Coverage[]): string[] {
  const warnings = systems.flatMap(({ system, scores, missingImageCount: missing, unscoredImageCount }) => {
    const prefix = systems.length > 1 ? `${system}: ` : ''
    const ofSystem = [
      ...scores.flatMap((score) => score.warnings),
      ...(missing > 0
        ? [
            `The system has no caption for ${counted(missing, 'image')}. The scores are over the other images.`,
          ]
        : []),
      ...(unscoredImageCount > 0
        ? [`Not scored, without human captions: ${counted(unscoredImageCount, 'image')}.`]
        : []),
    ]
    return ofSystem.map((warning) => `${prefix}${warning}`)
  })
  return [...new Set(warnings)]
}

/** What to know when reading the scores; of some systems alone, behind their names. */
function notesOf(evaluations: readonly FairEvaluation[]): string[] {
  return namedNotes(evaluations.map(({ report, notes }) => ({ name: report.system.name, notes })))
}

function toNotes(
  evaluations: readonly FairEvaluation[],
  options: HintOptions & ScoreLayout,
  { metrics, ...lengths }: ShownLengths,
): string[] {
  const reports = evaluations.flatMap(reportsOf)
  const [{ report, isHumanMissing }] = evaluations
  const notes = [
    ...(isHumanMissing
      ? missingHumanNote(report, options)
      : evaluations.flatMap((one) => humanNote(one, options))),
    ...lengthNotes(lengths, metrics, coverageCommand(report.dataset.name)),
    ...builtInNotes(reports.flatMap(toRows)),
    ...notesOf(evaluations),
    ...signatureNotes(
      reports.flatMap(({ scores }) => scores.map(({ signature }) => signature)),
      options,
    ),
  ]
  return [...new Set(notes)]
}

/** The command that compares captions of any length. */
export function coverageCommand(dataset: string): string {
  return `accord coverage --dataset ${shellWord(dataset)}`
}

function describeReferences({
  references,
  scores: [{ folds, record }],
  externalIds,
}: EvaluationReport): string {
  const images = counted(externalIds.length, 'image')
  return references === null
    ? `All references: ${countedReferences(record.references)} per image, over ${images}.`
    : `${counted(references, 'reference')}: mean over the ${folds?.length} folds that human captions are scored on, over ${images}.`
}

function missingHumanNote({ dataset }: EvaluationReport, options: HintOptions): string[] {
  return suggest(
    'To compare systems with people:',
    ['evaluate', '--people', '--dataset', dataset.name],
    options,
  )
}

function humanNote(evaluation: FairEvaluation, options: HintOptions): string[] {
  const beside = reportsOf(evaluation).find(({ references }) => references !== null)
  if (!beside) return []
  const { dataset, system, references, scores, human } = beside
  if (beside.externalIds.length < dataset.imageCount - dataset.excludedImageCount) {
    const words = ['compare', '--dataset', dataset.name, '--system', inList(system.name), '--people']
    return suggest(
      'To compare people with a system that lacks images:',
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
          `To compute human agreement${metrics}:`,
          ['agreement', '--dataset', dataset.name, ...k],
          options,
        )),
  ]
}

function describePeople({ referenceCount, folds }: AgreementScore): string {
  const others = counted(referenceCount, 'other')
  return `People: one human caption against ${others}, mean over ${folds.length} folds. Compare them only with scores on the same number of references.`
}

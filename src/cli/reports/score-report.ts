import type { FileScore, ScoredFile, ScoredFiles } from '../../services/evaluations/score-files.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import type { CsvCell, Renderings } from '../output/output.js'
import { type Cell, counted, interval, NONE, share, strong, type TextTable } from '../output/table.js'
import { showP } from './comparison-report.js'
import { coverageWarnings } from './evaluation-report.js'

/** Warnings about the scores. With several systems they name the system. */
export function warningsOf({ systems }: ScoredFiles): string[] {
  const warnings = systems.flatMap(({ system, scores, missingImageCount, unscoredImageCount }) => {
    const prefix = systems.length > 1 ? `${system}: ` : ''
    const ofSystem = [
      ...scores.flatMap((score) => score.warnings),
      ...coverageWarnings(missingImageCount, unscoredImageCount),
    ]
    return ofSystem.map((warning) => `${prefix}${warning}`)
  })
  return [...new Set(warnings)]
}

/** The scores in every format. */
export function renderings(scored: ScoredFiles): Renderings {
  return {
    json: () => ({
      references: scored.references,
      systems: scored.systems.map(toJson),
      notes: scored.notes,
    }),
    csv: () => ({
      header: [
        ...['system', 'metric', 'references', 'imageCount', 'value', 'lower', 'upper'],
        ...['difference', 'lower', 'upper', 'pValue', 'adjustedPValue'].map((name) => `comparison.${name}`),
        'signature',
      ],
      rows: scored.systems.flatMap((system) => system.scores.map((score) => toCsvRow(system, score))),
    }),
    report: () => [toTable(scored), { notes: toNotes(scored) }],
  }
}

function toJson({ system, file, missingImageCount, imageCount, scores }: ScoredFile) {
  return {
    system,
    file,
    missingImageCount,
    references: scores[0].record.references.least,
    folds: null,
    imageCount,
    scores: scores.map(({ metric, value, interval: ends, status, signature, warnings, comparison }) => ({
      metric,
      value,
      lower: ends?.lower ?? null,
      upper: ends?.upper ?? null,
      ...status,
      folds: null,
      signature,
      warnings,
      human: null,
      comparison,
    })),
  }
}

function toCsvRow({ system, imageCount }: ScoredFile, score: FileScore): CsvCell[] {
  const { metric, value, record, comparison, signature } = score
  return [
    system,
    metric,
    record.references.least,
    imageCount,
    value,
    score.interval?.lower ?? null,
    score.interval?.upper ?? null,
    comparison?.difference ?? null,
    comparison?.interval?.lower ?? null,
    comparison?.interval?.upper ?? null,
    comparison?.pValue ?? null,
    comparison?.adjustedPValue ?? null,
    signature,
  ]
}

/** A group of rows for each metric, with a row for each system; the best score is emphasized. */
function toTable({ systems }: ScoredFiles): TextTable {
  const isTested = systems.some(({ scores }) => scores.some(({ comparison }) => comparison !== null))
  const tests = isTested ? ['diff.', '95 % interval', 'p'] : []
  const groups = metricsOf(systems).map(({ metric, higherIsBetter }) => {
    const scores = systems.map((system) => system.scores.find((score) => score.metric === metric))
    const values = scores.flatMap((score) => score?.value ?? [])
    const best = higherIsBetter ? Math.max(...values) : Math.min(...values)
    return scores.map((score, index): Cell[] => {
      const isBest = systems.length > 1 && score?.value === best
      return [
        index === 0 ? metric : '',
        systems[index].system,
        isBest ? strong(share(score?.value)) : share(score?.value),
        interval(score?.interval),
        ...(isTested ? testCells(score) : []),
      ]
    })
  })
  return {
    head: [['metric', 'system', 'score', '95 % interval', ...tests]],
    body: systems.length > 1 ? groups : [groups.flat()],
    columns: ['metric', 'system', 'score', '95 % interval', ...tests].map((_, column) => ({
      align: column < 2 ? 'left' : 'right',
    })),
    keyColumns: 2,
  }
}

/** Metrics by which at least one system has a score. */
function metricsOf(systems: readonly ScoredFile[]): FileScore[] {
  const scores = systems.flatMap((system) => system.scores)
  return scores.filter(({ metric }, index) => scores.findIndex((score) => score.metric === metric) === index)
}

function testCells(score: FileScore | undefined): Cell[] {
  if (!score?.comparison) return ['', '', '']
  const { comparison } = score
  const { difference, adjustedPValue, undefinedReason } = comparison
  return [
    share(difference),
    interval(comparison.interval, ' to '),
    undefinedReason === null ? showP(adjustedPValue, comparison) : `${NONE} *`,
  ]
}

function toNotes({ systems, notes }: ScoredFiles): string[] {
  const comparisons = systems.flatMap(({ scores }) => scores.flatMap(({ comparison }) => comparison ?? []))
  const reasons = new Set(comparisons.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  const signatures = new Set(systems.flatMap(({ scores }) => scores.map(({ signature }) => signature)))
  return [
    ...new Set(systems.map(describeImages)),
    ...(comparisons.length > 0 ? [describeTests(systems)] : []),
    ...Array.from(reasons, (reason) => `* ${UNDEFINED_REASONS[reason]}`),
    ...notes,
    'Signatures:',
    ...Array.from(signatures, (signature) => `  ${signature}`),
  ]
}

function describeImages({ imageCount, scores: [{ record }] }: ScoredFile): string {
  const { least, most } = record.references
  const range = least === most ? counted(least, 'reference') : `${least} to ${most} references`
  return `${range} per image, over ${counted(imageCount, 'image')}.`
}

function describeTests([first, ...others]: readonly ScoredFile[]): string {
  const holm = others.length > 1 ? `, with Holm’s correction for ${counted(others.length, 'system')}` : ''
  return `diff., p: compared with ${first.system} on the images of both, by a permutation test${holm}.`
}

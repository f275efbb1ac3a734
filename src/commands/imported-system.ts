import type { ImportSystemReport } from '../jobs/import-results.js'
import type { ImportScoresReport } from '../jobs/import-scores.js'
import { counted, grouped, printable } from './output.js'

/** Most ids or words of a list that a report names. */
const NAMED = 5

/** What the import of a system did. */
export function describeSystemImport(
  dataset: string,
  system: string,
  report: ImportSystemReport | ImportScoresReport,
): string {
  const { imageCount, missing } = report
  const lines = [
    `Imported system ${printable(system)} into data set ${printable(dataset)}`,
    `  images    ${grouped(imageCount)}`,
  ]
  if (missing.length > 0) lines.push(`  missing   ${counted(missing.length, 'image')}: ${firstOf(missing)}`)
  if ('wordCount' in report) {
    lines.push(`  words     ${grouped(report.wordCount)}`)
    if (report.unknownWords.length > 0) {
      const words = counted(report.unknownWords.length, 'word')
      lines.push(`  left out  ${words} that no caption uses: ${firstOf(report.unknownWords)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function firstOf(items: readonly string[]): string {
  const named = items.slice(0, NAMED).map(printable).join(', ')
  return items.length > NAMED ? `${named}, …` : named
}

import type { ImportSystemReport } from '../services/imports/import-results.js'
import type { ImportScoresReport } from '../services/imports/import-scores.js'
import { counted, grouped, printable } from './output/table.js'

/** Maximum number of ids or words of a list that are shown. */
const MAX_SHOWN = 5

/** Summarizes the import of a system. */
export function describeSystemImport(
  { dataset, system }: { readonly dataset: string; readonly system: string },
  report: ImportSystemReport | ImportScoresReport,
): string {
  const { imageCount, missing } = report
  const lines = [
    `Imported system ${printable(system)} into dataset ${printable(dataset)}`,
    `  images    ${grouped(imageCount)}`,
  ]
  if (missing.length > 0) lines.push(`  missing   ${counted(missing.length, 'image')}: ${firstOf(missing)}`)
  if ('wordCount' in report) {
    lines.push(`  words     ${grouped(report.wordCount)}`)
    if (report.unknownWords.length > 0) {
      const words = counted(report.unknownWords.length, 'word')
      lines.push(`  excluded  ${words} that no caption uses: ${firstOf(report.unknownWords)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function firstOf(items: readonly string[]): string {
  const named = items.slice(0, MAX_SHOWN).map(printable).join(', ')
  return items.length > MAX_SHOWN ? `${named}, …` : named
}

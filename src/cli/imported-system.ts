import type { ImportSystemReport } from '../services/imports/import-results.js'
import type { ImportWordScoresReport } from '../services/imports/import-word-scores.js'
import { counted, grouped, printable } from './output/table.js'

/** Maximum number of ids or words of a list that are shown. */
const MAX_SHOWN = 5

/** Summarizes the import of a system. */
export function describeSystemImport(
  { dataset, system }: { readonly dataset: string; readonly system: string },
  report: ImportSystemReport | ImportWordScoresReport,
): string {
  const { imageCount, missingImageCount, missing } = report
  const lines = [
    `Imported system ${printable(system)} into dataset ${printable(dataset)}`,
    `  images    ${grouped(imageCount)}`,
  ]
  if (missingImageCount > 0) {
    lines.push(`  missing   ${counted(missingImageCount, 'image')}: ${firstOf(missing)}`)
  }
  if ('wordCount' in report) {
    lines.push(`  words     ${grouped(report.wordCount)}`)
    if (report.unknownWordCount > 0) {
      const words = counted(report.unknownWordCount, 'word')
      lines.push(`  excluded  ${words} that no caption uses: ${firstOf(report.unknownWords)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function firstOf(items: readonly string[]): string {
  const named = items.slice(0, MAX_SHOWN).map(printable).join(', ')
  return items.length > MAX_SHOWN ? `${named}, …` : named
}

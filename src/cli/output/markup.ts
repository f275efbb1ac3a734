/** Tables of a report as Markdown (GitHub's tables) and LaTeX. */
import {
  type NumberStyle,
  printable,
  type ReportPart,
  spanOf,
  type TextRow,
  type TextTable,
  textOf,
} from './table.js'

/** Tables, with the notes as paragraphs. */
export function toMarkdown(parts: readonly ReportPart[], numbers: NumberStyle): string {
  return parts
    .map((part) => ('notes' in part ? notesToMarkdown(part.notes) : tableToMarkdown(part, numbers)))
    .filter((text) => text !== '')
    .join('\n')
}

/** Paragraphs; indented notes are code. */
function notesToMarkdown(notes: readonly string[]): string {
  return notes
    .map(printable)
    .map((text, index) => {
      const isCode = text.startsWith(' ')
      const continues = isCode && notes[index + 1]?.startsWith(' ')
      return `${isCode ? `    ${text.trim()}` : escapeMarkdown(text)}\n${continues ? '' : '\n'}`
    })
    .join('')
}

/** Markdown has one row of headings. */
function tableToMarkdown({ head, body, columns }: TextTable, numbers: NumberStyle): string {
  const headings = columns.map((_, column) =>
    head
      .map((row) => cellAt(row, column, numbers))
      .filter((text) => text !== '')
      .join(', '),
  )
  const rules = columns.map(({ align }) => (align === 'left' ? ':--' : '--:'))
  const rows = body.flat().map((row) => columns.map((_, column) => cellAt(row, column, numbers, '**')))
  return [headings, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The text of the cell that covers a column. */
function cellAt(row: TextRow, column: number, numbers: NumberStyle, mark = ''): string {
  let start = 0
  for (const cell of row) {
    const span = spanOf(cell)
    if (column < start + span) {
      const text = escapeMarkdown(textOf(cell, numbers))
      const isStrong = typeof cell === 'object' && 'show' in cell && cell.isStrong
      return isStrong ? `${mark}${text}${mark}` : text
    }
    start += span
  }
  return ''
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\|*_<>`]/g, '\\$&')
}

/** A tabular environment for each table, with the notes as comments. */
export function toLatex(parts: readonly ReportPart[], numbers: NumberStyle): string {
  return parts
    .map((part) =>
      'notes' in part
        ? part.notes.map((note) => `% ${printable(note).trim()}\n`).join('')
        : tableToLatex(part, numbers),
    )
    .filter((text) => text !== '')
    .join('\n')
}

function tableToLatex({ head, body, columns }: TextTable, numbers: NumberStyle): string {
  const rows = (group: readonly TextRow[]) =>
    group.map((row) => `  ${row.map((cell) => cellToLatex(cell, numbers)).join(' & ')} \\\\\n`).join('')
  const groups = [head, ...body].filter((group) => group.length > 0).map(rows)
  return [
    `\\begin{tabular}{${columns.map(({ align }) => align[0]).join('')}}\n`,
    '  \\hline\n',
    groups.join('  \\hline\n'),
    '  \\hline\n',
    '\\end{tabular}\n',
  ].join('')
}

function cellToLatex(cell: TextRow[number], numbers: NumberStyle): string {
  const text = escapeLatex(textOf(cell, numbers))
  const span = spanOf(cell)
  if (span > 1) return `\\multicolumn{${span}}{l}{${text}}`
  return typeof cell === 'object' && 'show' in cell && cell.isStrong ? `\\textbf{${text}}` : text
}

const LATEX_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '–': '--',
  '−': '$-$',
  '±': '$\\pm$',
  '²': '$^2$',
  '<': '$<$',
  '>': '$>$',
}

function escapeLatex(text: string): string {
  return text.replaceAll(
    /[\\~^–−±²<>]|[&%$#_{}]/g,
    (character) => LATEX_ESCAPES[character] ?? `\\${character}`,
  )
}

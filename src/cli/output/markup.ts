/** Tables of a report as Markdown (GitHub's tables) and LaTeX. */

import { printable } from './formats.js'
import { type Cell, type Grid, unitsOf } from './report.js'

/** Markdown has one row of headings. */
export function tableToMarkdown({ columns, groups }: Grid): string {
  const headings = columns.map(({ group, title }) => escapeMarkdown(group ? `${group}, ${title}` : title))
  const rules = columns.map(({ align }) => (align === 'left' ? ':--' : '--:'))
  const rows = groups.flat().map((cells) => cells.map(cellToMarkdown))
  return [headings, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function cellToMarkdown({ text, isStrong }: Cell): string {
  return isStrong ? `**${escapeMarkdown(text)}**` : escapeMarkdown(text)
}

/** Paragraphs; indented notes are code. */
export function notesToMarkdown(notes: readonly string[]): string {
  return notes
    .map(printable)
    .map((text, index) => {
      const isCode = text.startsWith(' ')
      const continues = isCode && notes[index + 1]?.startsWith(' ')
      return `${isCode ? `    ${text.trim()}` : escapeMarkdown(text)}\n${continues ? '' : '\n'}`
    })
    .join('')
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\|*_<>`]/g, '\\$&')
}

/** A tabular environment, with the rules of the package booktabs. */
export function tableToLatex({ columns, groups }: Grid): string {
  const headings = unitsOf(columns).map((unit) => {
    const text = escapeLatex(unit[0].group ?? '')
    return unit.length > 1 ? `\\multicolumn{${unit.length}}{l}{${text}}` : text
  })
  const head = [
    ...(columns.some(({ group }) => group) ? [headings] : []),
    columns.map(({ title }) => escapeLatex(title)),
  ]
  const rows = groups.map((group) => group.map((cells) => cells.map(cellToLatex)))
  const toLines = (lines: readonly string[][]) =>
    lines.map((cells) => `  ${cells.join(' & ')} \\\\\n`).join('')
  return [
    `\\begin{tabular}{${columns.map(({ align }) => align[0]).join('')}}\n`,
    `  \\toprule\n${toLines(head)}`,
    ...rows.filter((group) => group.length > 0).map((group) => `  \\midrule\n${toLines(group)}`),
    '  \\bottomrule\n',
    '\\end{tabular}\n',
  ].join('')
}

function cellToLatex({ text, isStrong }: Cell): string {
  // A hyphen before a number is a minus sign.
  const escaped = escapeLatex(text.replaceAll(/(?<![^ ])-(?=[.\d])/g, '−'))
  return isStrong ? `\\textbf{${escaped}}` : escaped
}

/** Comments. */
export function notesToLatex(notes: readonly string[]): string {
  return notes.map((note) => `% ${printable(note).trim()}\n`).join('')
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

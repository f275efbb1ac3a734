import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a compiler of LaTeX would stop at: braces and environments that do not match, and characters that are commands where text is
 * meant.
 */
export function faultsOfLatex(text: string): string[] {
  const faults: string[] = []
  const open: string[] = []
  const lines = text.split('\n').filter((line) => !line.startsWith('%') && !line.startsWith('\\ifdefined'))
  const pattern = /\\begin\{(\w+)\}|\\end\{(\w+)\}|\\[a-zA-Z]+|\\[^a-zA-Z]|[{}$&%#_^~]/g
  let isMath = false
  for (const line of lines) {
    for (const [found, begun, ended] of line.matchAll(pattern)) {
      if (begun !== undefined) open.push(begun)
      else if (ended !== undefined) {
        if (open.pop() !== ended) faults.push(`\\end{${ended}} in ${line}`)
      } else if (found === '{') open.push('{')
      else if (found === '}') {
        if (open.pop() !== '{') faults.push(`} in ${line}`)
      } else if (found === '$') isMath = !isMath
      else if (found === '&' && !open.includes('tabular')) faults.push(`& in ${line}`)
      else if ('%#'.includes(found)) faults.push(`${found} in ${line}`)
      else if ('_^'.includes(found) && !isMath) faults.push(`${found} in ${line}`)
      else if (found === '~' && !/~\\(ref|cite)/.test(line)) faults.push(`~ in ${line}`)
    }
    if (isMath) faults.push(`$ in ${line}`)
    if (/\\\\\s*[[*]/.test(line)) faults.push(`an argument of \\\\ in ${line}`)
  }
  lines.slice(1).forEach((line, index) => {
    if (/\\\\$/.test(lines[index]) && /^\s*[[*]/.test(line)) faults.push(`an argument of \\\\ in ${line}`)
  })
  return [...faults, ...open.map((name) => `${name} is not closed`)]
}

const hasProgram = (program: string, ...options: string[]) => spawnSync(program, options).status === 0

/** Whether pdfLaTeX is installed, with the packages that a section uses. */
export const hasPdflatex =
  hasProgram('pdflatex', '--version') &&
  ['booktabs.sty', 'pgfplots.sty', 'CJKutf8.sty', 'c70gbsn.fd'].every((file) => hasProgram('kpsewhich', file))

if (!hasPdflatex)
  console.warn('pdflatex with booktabs, pgfplots and CJK is not installed: sections are not compiled.')

/** Compiles a document around a section, with its bibliography. @returns what LaTeX and BibTeX say. Throws where they fail */
export function compileSection(folder: string, name: string): string {
  writeFileSync(
    join(folder, 'paper.tex'),
    `\\documentclass{article}
\\usepackage[T1]{fontenc}\\usepackage{booktabs,pgfplots,graphicx,CJKutf8}
\\begin{document}
\\input{"${name}"}
\\bibliographystyle{plain}\\bibliography{${name}}
\\end{document}
`,
  )
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const
  const latex = () =>
    execFileSync('pdflatex', ['-interaction=nonstopmode', '-halt-on-error', 'paper.tex'], options)
  latex()
  const bibliography = execFileSync('bibtex', ['paper'], options)
  latex()
  return `${bibliography}${latex()}`
}

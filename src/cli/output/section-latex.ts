import { escapeLatex, toLatex } from '../../shared/tables.js'
import { type Block, type CoverageMark, type Inline, numberFloats, type Section } from './section.js'

/**
 * The section as LaTeX, for `\input`. It compiles with pdfLaTeX, XeLaTeX and LuaLaTeX; characters that pdfLaTeX has no font of are
 * shown as question marks by it, Chinese, Japanese and Korean ones as they are.
 *
 * @param bibliography name of the file of BibTeX, without its ending
 */
export function sectionToLatex({ title, version, blocks }: Section, bibliography: string): string {
  const nouns = numberFloats(blocks)
  const body = blocks.map((block) => blockToLatex(block, nouns)).join('\n')
  const packages = [
    'booktabs',
    ...(blocks.some(({ kind }) => kind === 'coverage') ? ['pgfplots'] : []),
    ...(blocks.some(({ kind }) => kind === 'examples') ? ['graphicx'] : []),
    ...(body.includes(CJK) ? ['CJKutf8'] : []),
  ]
  return `% Written by Accord ${version}.
% In the preamble: \\usepackage[T1]{fontenc}\\usepackage{${packages.join(',')}}${body.includes(CJK) ? ' (CJKutf8 for pdfLaTeX; with others a font that has the characters)' : ''}
% At the end, unless the paper has the entries of ${bibliography}.bib: \\bibliographystyle{plain}\\bibliography{${bibliography}}
${MACROS.filter(({ name }) => body.includes(name))
  .map(({ definition }) => definition)
  .join('')}\\section{${latexText(title)}}

${body}`
}

const CJK = '\\accordcjk'
const OTHER = '\\accordother'

/** A macro that leaves text as it is in XeTeX and LuaTeX, which have \\Umathcode and fonts of any characters. */
function macro(name: string, otherwise: string): string {
  const define = `\\DeclareRobustCommand\\${name}[1]`
  return `\\ifdefined\\${name}\\else\\ifdefined\\Umathcode${define}{#1}\\else${define}{${otherwise}}\\fi\\fi\n`
}

const MACROS = [
  { name: CJK, definition: macro('accordcjk', '\\begin{CJK}{UTF8}{gbsn}#1\\end{CJK}') },
  { name: OTHER, definition: macro('accordother', '?') },
]

/** Characters of Chinese, Japanese and Korean. */
const CJK_RUN =
  /[\u2e80-\u303f\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+/gu

/** What pdfLaTeX does not know: all but Latin letters, punctuation, and the characters of {@link CJK_RUN}. */
const OTHER_RUN =
  /(?:[^\u0020-\u007e\u00a0-\u017f\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u20ac\u2122\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167])+/gu

/** Text with what LaTeX would read as commands escaped, and characters of other scripts wrapped in macros. */
export function latexText(text: string): string {
  return escapeLatex(text.normalize('NFC').replaceAll(/\s+/gu, ' '), (escaped) =>
    escaped.replaceAll(OTHER_RUN, (run) => `${OTHER}{${run}}`).replaceAll(CJK_RUN, (run) => `${CJK}{${run}}`),
  )
}

/** Tables that are wider than a column of the paper are made smaller. */
const FITTING = '\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{'

function blockToLatex(block: Block, nouns: ReadonlyMap<string, string>): string {
  switch (block.kind) {
    case 'paragraph':
      return `${block.text.map((part) => inlineToLatex(part, nouns)).join('')}\n`
    case 'signatures':
      return `\\paragraph{Signatures}\n{\\footnotesize\\raggedright\n${block.signatures.map(signatureToLatex).join('\\par\n')}\\par}\n`
    case 'table':
      return `\\begin{table}[t]
\\centering
\\caption{${latexText(block.caption)}}
\\label{tab:${block.label}}
\\small
\\setlength{\\tabcolsep}{4pt}
${FITTING}${toLatex(block.table, latexText).trimEnd()}}
\\end{table}
`
    case 'coverage':
      return figure(block, plotToLatex(block.people, block.systems))
    case 'examples':
      return figure(
        block,
        `\\small
\\begin{tabular}{@{}p{.26\\linewidth}p{.68\\linewidth}@{}}
${block.examples
  .map(({ imageId, picture, captions }) => {
    const image =
      picture === null
        ? `{}${latexText(imageId)}`
        : `\\vspace{0pt}\\includegraphics[width=\\linewidth]{${picture}}`
    const lines = captions.map(({ by, text }) => `\\textbf{${latexText(by)}}\\enspace ${latexText(text)}`)
    return `${image} & ${picture === null ? '' : '\\vspace{0pt}'}${lines.join('\\newline\n')} \\\\\n`
  })
  .join('\\addlinespace\n')}\\end{tabular}`,
      )
  }
}

function figure(
  { label, caption }: { readonly label: string; readonly caption: string },
  content: string,
): string {
  return `\\begin{figure}[t]
\\centering
${content}
\\caption{${latexText(caption)}}
\\label{fig:${label}}
\\end{figure}
`
}

function inlineToLatex(part: Inline, nouns: ReadonlyMap<string, string>): string {
  if (typeof part === 'string') return latexText(part)
  if ('cite' in part) return `~\\cite{${part.cite.join(',')}}`
  const isTable = nouns.get(part.label)?.startsWith('Table')
  return isTable ? `Table~\\ref{tab:${part.label}}` : `Figure~\\ref{fig:${part.label}}`
}

/** A signature, which can be broken behind each of its parts. */
function signatureToLatex(signature: string): string {
  return `\\texttt{${latexText(signature).replaceAll('\\textbar{}', '\\textbar{}\\allowbreak ')}}`
}

/** People as a line of dots, systems as dots, with intervals as bars. */
function plotToLatex(people: readonly CoverageMark[], systems: readonly CoverageMark[]): string {
  const anchors = placeNames([...people, ...systems])
  const most = (of: 'coverage' | 'confirmedShare', room: number) => {
    const ends = [...people, ...systems].map((mark) => mark[of].interval?.upper ?? mark[of].value)
    return Math.min(1, room * Math.max(...ends)).toFixed(3)
  }
  const plot = (marks: readonly CoverageMark[], colour: string, style: string) =>
    marks.length === 0
      ? ''
      : `\\addplot[${style}, ${colour}, mark=*, mark size=1.8pt, error bars/.cd, x dir=both, x explicit, y dir=both, y explicit] coordinates {
${marks.map(coordinateOf).join('')}};
`
  const names = (marks: readonly CoverageMark[], colour: string) =>
    marks
      .map(
        (mark) =>
          `\\node[${colour}, font=\\footnotesize, anchor=${anchors.get(mark)}] at (axis cs:${pointOf(mark)}) {${latexText(mark.name)}};\n`,
      )
      .join('')
  return `\\begin{tikzpicture}
\\definecolor{accordpeople}{HTML}{B03F13}
\\definecolor{accordsystem}{HTML}{1D5A96}
\\begin{axis}[width=\\linewidth, height=.62\\linewidth, xmin=0, xmax=${most('coverage', 1.25)}, ymin=0, ymax=${most('confirmedShare', 1.1)}, grid=major, grid style={black!8}, axis lines=left,
  clip=false, xlabel={coverage: of what others say, how much is said}, ylabel={confirmed share}, label style={font=\\footnotesize}, tick label style={font=\\footnotesize, /pgf/number format/fixed}, scaled ticks=false]
${plot(people, 'accordpeople', 'thick')}${plot(systems, 'accordsystem', 'only marks')}${names(people, 'accordpeople')}${names(systems, 'accordsystem')}\\end{axis}
\\end{tikzpicture}`
}

function pointOf({ coverage, confirmedShare }: Pick<CoverageMark, 'coverage' | 'confirmedShare'>): string {
  return [coverage, confirmedShare].map(({ value }) => value.toFixed(4)).join(',')
}

function coordinateOf({ coverage, confirmedShare }: CoverageMark): string {
  const above = ({ value, interval }: CoverageMark['coverage']) => (interval?.upper ?? value) - value
  const below = ({ value, interval }: CoverageMark['coverage']) => value - (interval?.lower ?? value)
  const both = (of: (figure: CoverageMark['coverage']) => number) =>
    `(${[coverage, confirmedShare].map((figure) => of(figure).toFixed(4)).join(',')})`
  return `(${pointOf({ coverage, confirmedShare })}) += ${both(above)} -= ${both(below)}\n`
}

/** Where names can stand beside their marks: the anchor is the side of the name that is at the mark. */
const ANCHORS = [
  { anchor: 'south west', x: 0, y: 0 },
  { anchor: 'north west', x: 0, y: -1 },
  { anchor: 'south east', x: -1, y: 0 },
  { anchor: 'north east', x: -1, y: -1 },
] as const

/** Size of a letter, as a share of the plane. */
const LETTER = { width: 0.018, height: 0.055 } as const

/** The anchors of names, so that they do not cover each other as far as there is room. */
function placeNames(marks: readonly CoverageMark[]): Map<CoverageMark, string> {
  const largest = (of: (mark: CoverageMark) => number) => Math.max(...marks.map(of))
  const toX = 1.25 * largest(({ coverage }) => coverage.value)
  const toY = 1.1 * largest(({ confirmedShare }) => confirmedShare.value)
  const placed: { left: number; right: number; bottom: number; top: number }[] = marks.map(
    ({ coverage, confirmedShare }) => {
      const [x, y] = [coverage.value / toX, confirmedShare.value / toY]
      return { left: x - 0.008, right: x + 0.008, bottom: y - 0.012, top: y + 0.012 }
    },
  )
  const anchors = new Map<CoverageMark, string>()
  for (const mark of marks) {
    const width = LETTER.width * mark.name.length
    const boxes = ANCHORS.map(({ anchor, x, y }) => {
      const left = mark.coverage.value / toX + x * width + (x === 0 ? 0.01 : -0.01)
      const bottom = mark.confirmedShare.value / toY + y * LETTER.height + (y === 0 ? 0.014 : -0.014)
      return { anchor, box: { left, right: left + width, bottom, top: bottom + LETTER.height } }
    })
    const isFree = ({ box }: (typeof boxes)[number]) =>
      box.left > 0 &&
      placed.every(
        (other) =>
          box.right < other.left ||
          other.right < box.left ||
          box.top < other.bottom ||
          other.top < box.bottom,
      )
    const { anchor, box } = boxes.find(isFree) ?? boxes[0]
    placed.push(box)
    anchors.set(mark, anchor)
  }
  return anchors
}

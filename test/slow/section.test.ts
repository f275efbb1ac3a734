/** Sections compile, whatever names and captions have. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { compileSection, faultsOfLatex, hasPdflatex } from '../kit/latex.js'

const bench = workbench()

/** Characters of Latin scripts, and what LaTeX or pdfLaTeX could stop at. */
const LATIN = Array.from({ length: 0x180 - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
  (character) => character <= '~' || character > '\u00a0',
)
const OTHERS = [...'–—‘’‚“”„†‡•…€™−±²<>≤≥×→↑↓∞τακ猫の犬고양이Приветمرحباहिन्दी😀𝒳\u200b\u0301'].map(
  (character) => `x${character}`,
)
const HOSTILE = [
  '\\input{x}',
  '\\end{table}',
  '%',
  '[x]',
  '*',
  '#1',
  '$x_1^2$',
  '~',
  '``',
  "''",
  '--',
  '?`',
  '"q"',
]
const WORDS = [...LATIN.map((character) => `w${character}w`), ...OTHERS, ...HOSTILE]

const NAMES = ['系统_1 & 50% #2', '[x]*~^{}$', 'Ünïcode – “q” 😀']

beforeAll(() => {
  const images = Array.from({ length: Math.ceil(WORDS.length / 6) }, (_, index) => `img_${index}%&#.jpg`)
  const wordsOf = (index: number, from: number) =>
    Array.from({ length: 6 }, (_, word) => WORDS[(6 * index + word + from) % WORDS.length]).join(' ')
  const by = <Value>(of: (index: number) => Value) =>
    Object.fromEntries(images.map((image, index) => [image, of(index)]))
  bench.write(
    '参考_a%&#.json',
    by((index) => [0, 1, 2, 7].map((from) => wordsOf(index, from))),
  )
  for (const [from, name] of NAMES.entries()) {
    bench.write(
      `${name}.json`,
      by((index) => wordsOf(index, 2 * from)),
    )
  }
})

describe.skipIf(!hasPdflatex)('a section with any characters', () => {
  it.each([
    ['of several systems', NAMES],
    ['of one system', NAMES.slice(1, 2)],
  ])('%s compiles', async (_, names) => {
    const files = names.map((name) => `${name}.json`)
    const { code, stderr } = await bench.run([
      'report',
      '参考_a%&#.json',
      ...files,
      '--latex',
      '--force',
      '-o',
      'evaluation.tex',
    ])
    expect(code, stderr).toBe(0)
    expect(faultsOfLatex(readFileSync(bench.path('evaluation.tex'), 'utf8'))).toEqual([])
    const said = compileSection(bench.folder, 'evaluation')
    expect(said).toMatch(/Output written on paper\.pdf \(\d pages/)
    expect(said).not.toMatch(/undefined|Missing character|I couldn't|I didn't find/i)
  })
})

it('the table of every command compiles as LaTeX, with the same escapes', async () => {
  const { stdout } = await bench.run([
    'score',
    '参考_a%&#.json',
    ...NAMES.slice(1, 2).map((name) => `${name}.json`),
    '--metrics',
    'BLEU-1',
    '--format',
    'latex',
  ])
  expect(faultsOfLatex(stdout)).toEqual([])
  expect(stdout).toContain('{}[x]*\\textasciitilde{}')
})

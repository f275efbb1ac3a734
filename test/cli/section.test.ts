/** `accord report --latex` and `--markdown`: the evaluation section of a paper. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { toBibtex } from '../../src/cli/output/section.js'
import { latexText } from '../../src/cli/output/section-latex.js'
import { bibliographyOf, papersOf } from '../../src/cli/reports/bibliography.js'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { escapeMarkdown } from '../../src/shared/tables.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { faultsOfLatex } from '../kit/latex.js'
import { workbench } from './kit.js'

const bench = workbench()
const read = (name: string) => readFileSync(bench.path(name), 'utf8')

/** The captions of an image: systems say more of what people say, or less. */
const SUBJECTS = [
  'dog',
  'cat',
  'horse',
  'bird',
  'cow',
  'sheep',
  'boat',
  'train',
  'cup',
  'chair',
  'bear',
  'kite',
]
const people = (subject: string, index: number) => [
  `A ${subject} stands in the park.`,
  `The ${index % 2 === 0 ? 'small' : 'large'} ${subject} is on the grass.`,
  `A ${subject} in a park near ${index % 3 === 0 ? 'some trees' : 'a house'}.`,
]
const captions = (of: (subject: string, index: number) => string) =>
  Object.fromEntries(SUBJECTS.map((subject, index) => [index + 1, of(subject, index)]))

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const GOOD = 'good_1 & 50%.json'
const POOR = '[poor]*~^#.json'
const METRICS = '--metrics BLEU-4 METEOR CHAIR-i'

async function report(words: readonly string[], out: string): Promise<string> {
  const outcome = await bench.run(['report', ...words, '-o', out])
  expect(outcome.code, outcome.stderr).toBe(0)
  return outcome.stderr
}

beforeAll(() => {
  const human = Object.fromEntries(SUBJECTS.map((subject, index) => [index + 1, people(subject, index)]))
  bench.write('people.json', cocoCaptions(human))
  bench.write(GOOD, cocoResults(captions((subject, index) => people(subject, index)[index % 3].slice(0, -1))))
  bench.write(
    POOR,
    cocoResults(captions((subject, index) => (index < 3 ? `一只猫 ${subject}` : 'a giraffe'))),
  )
})

describe('as LaTeX', () => {
  let section: string
  beforeAll(async () => {
    const words = ['people.json', GOOD, POOR, '--latex', ...METRICS.split(' ')]
    expect(await report(words, 'evaluation.tex')).toContain('written: evaluation.tex, evaluation.bib')
    section = read('evaluation.tex')
  })

  it('has no command in names and captions', () => {
    expect(faultsOfLatex(section)).toEqual([])
    expect(section).toContain('good\\_1 \\& 50\\%')
    expect(section).toContain('{}[poor]*\\textasciitilde{}\\textasciicircum{}\\# & 3 &')
    expect(section).toContain('\\accordcjk{一只猫} ')
  })

  it('has tables that fit a column of the paper, and says which metric has no interval and why', async () => {
    const tables = section.match(/\\begin\{table\}/g)?.length
    expect(tables).toBeGreaterThan(0)
    expect(
      section.match(
        /\\resizebox\{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi\}\{!\}\{\\begin\{tabular\}/g,
      ),
    ).toHaveLength(tables as number)
    expect(section).not.toContain('no interval, since')
    await report(['people.json', GOOD, '--latex', '--metrics', 'CIDEr-D', 'METEOR'], 'ciderd.tex')
    expect(read('ciderd.tex')).toContain(
      ' CIDEr-D: no interval, since the document frequencies are those of the measured images.}',
    )
  })

  it('has the best of each column in bold, also where lower is better, and marks what tests show', () => {
    const rows = section.match(/^ {2}(good|\{\}\[poor|people).* & [23] & .* \\\\$/gm) ?? []
    expect(rows).toHaveLength(5)
    const [good, poor, goodFolds, poorFolds, ofPeople] = rows
    const best = '\\\\textbf\\{\\d?\\.\\d{3}\\}'
    expect(good).toMatch(new RegExp(`& 3 & ${best} & ${best} & ${best} `))
    expect(poor).toMatch(/& 3 & \$<\$ \.001 & \.\d{3}\* & \.\d{3}\* \\\\$/)
    expect(poor).not.toContain('textbf')
    expect(goodFolds).toMatch(/& 2 & \\textbf/)
    expect(poorFolds).toMatch(/\*\$\\downarrow\$/)
    expect(ofPeople).toContain('& 2 &')
    expect(section).toContain(
      'Bold: the best score of each column and number of references. *: worse than the best.',
    )
    expect(section).toMatch(
      /By paired tests, p \$<\$ \.05, corrected for \d tests .*; with people, corrected for \d+ tests/,
    )
  })

  it('has the picture, words, examples and signatures', () => {
    for (const name of ['one person', 'good\\_1 \\& 50\\%'])
      expect(section).toMatch(new RegExp(`\\\\node\\[.*\\{${name.replaceAll('\\', '\\\\')}\\};`))
    expect(section).toMatch(/^\(0\.\d{4},0\.\d{4}\) \+= \(0\.\d{4},0\.\d{4}\) -= \(/m)
    expect(section).toMatch(/\\textbf\{people\}\\enspace A \w+ stands in the park\./)
    expect(section).toContain('\\texttt{METEOR\\textbar{}\\allowbreak meteor:1.5')
    expect(section).not.toContain('includegraphics')
  })

  it('cites what the file of BibTeX has, and nothing else', () => {
    const cited = new Set(
      Array.from(section.matchAll(/\\cite\{([^}]*)\}/g), ([, keys]) => keys.split(',')).flat(),
    )
    const entries = Array.from(read('evaluation.bib').matchAll(/^@\w+\{(\w+),/gm), ([, key]) => key)
    expect([...cited].sort()).toEqual(entries.sort())
    expect(entries).toContain('rohrbach2018chair')
  })

  it('is of one system too, without marks between systems, in percent', async () => {
    await report(['people.json', GOOD, '--latex', '--metrics', 'METEOR', '--percent'], 'one.tex')
    const one = read('one.tex')
    expect(faultsOfLatex(one)).toEqual([])
    expect(one).toMatch(/^ {2}good\\_1 \\& 50\\% & 3 & \d+\.\d \\\\$/m)
    expect(one).toContain('better than people by METEOR: +')
    expect(one).toContain('the image on which good\\_1 \\& 50\\% is best, and those on which it is worst')
  })
})

describe('as Markdown', () => {
  let section: string
  beforeAll(async () => {
    mkdirSync(bench.path('pictures'))
    for (const id of Object.keys(captions(String))) bench.write(`pictures/${id}.png`, PNG)
    const words = ['people.json', GOOD, POOR, '--markdown', '--images', 'pictures', ...METRICS.split(' ')]
    expect(await report([...words, '--bold', 'tied'], 'section.md')).toContain('section-1.png')
    section = read('section.md')
  })

  it('has tables, the drawing and the pictures of examples', () => {
    expect(section).toMatch(/^\| system \| references \| BLEU-4 \| METEOR \| CHAIR-i \|\n\| :-- \| --: \|/m)
    expect(section).toMatch(/^\| good\\_1 & 50% \| 3 \| \*\*\d?\.\d{3}\*\* \|/m)
    expect(section).toContain('and those that a test does not tell apart from it.')
    expect(section).toMatch(/^!\[\d+\]\(section-1\.png\)$/m)
    expect(readFileSync(bench.path('section-1.png'))).toEqual(PNG)
    expect(section).toContain('](section.svg)')
    expect(read('section.svg')).toContain('<svg')
    expect(existsSync(bench.path('section.bib'))).toBe(false)
  })

  it('numbers what it cites', () => {
    expect(section).toContain('BLEU-4 \\[1\\], METEOR \\[2\\] and CHAIR-i \\[3\\]')
    expect(section).toMatch(/^1\. Kishore Papineni, .*, 2002\.$/m)
    expect(section).toContain('```bibtex\n@inproceedings{papineni2002bleu,')
  })
})

it('needs a file, and one of both formats', async () => {
  const outcomes = [
    await bench.run(['report', 'people.json', GOOD, '--latex', '-o', '-']),
    await bench.run(['report', 'people.json', GOOD, '--latex', '--markdown']),
    await bench.run(['report', 'people.json', GOOD, '--latex', '-o', 'none/section.tex']),
  ]
  expect(outcomes.map(({ code, stderr }) => [code, stderr.trim()])).toEqual([
    [2, expect.stringContaining('accord: a section needs a file (-o FILE), since others stand beside it')],
    [2, expect.stringMatching(/^accord: '--latex' cannot be used with option '--markdown'/)],
    [2, expect.stringMatching(/section\.tex: the file cannot be written: expected/)],
  ])
})

it('escapes what LaTeX reads as commands, and wraps what pdfLaTeX has no characters of', () => {
  expect(latexText('a_b 100% R&D #1 {x} ~ ^ \\c $5 | <')).toBe(
    'a\\_b 100\\% R\\&D \\#1 \\{x\\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{}c \\$5 \\textbar{} $<$',
  )
  expect(latexText('naïve café “q” – 猫と犬, Привет 😀')).toBe(
    'naïve café “q” -- \\accordcjk{猫と犬}, \\accordother{Привет} \\accordother{😀}',
  )
})

it('escapes what GitHub reads as Markdown', () => {
  expect(escapeMarkdown('a_b ~~x~~ $1$ &lt; R&D')).toBe('a\\_b \\~\\~x\\~\\~ \\$1\\$ \\&lt; R&D')
})

it('has a paper of each metric but those of Accord, and BibTeX of each paper', () => {
  const { metrics } = openMetricRegistry()
  const own = metrics.filter(({ name }) => papersOf(name, false).length === 0).map(({ name }) => name)
  expect(own).toEqual(['coverage', 'consensus-coverage', 'confirmed-share'])
  for (const { name, citation } of metrics) {
    const [key] = papersOf(name, false)
    // The first author and the year of the citation that `accord metrics` prints.
    if (key) expect(citation.normalize('NFD').toLowerCase()).toContain(/^[a-z]+/.exec(key)?.[0])
    if (key) expect(citation).toContain(/\d{4}/.exec(key)?.[0])
  }
  const entries = bibliographyOf(['lin2004rouge', 'lin2004rouge', 'popovic2015chrf'])
  expect(toBibtex(entries)).toBe(`@inproceedings{lin2004rouge,
  author = {Lin, Chin-Yew},
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  booktitle = {Text Summarization Branches Out},
  pages = {74--81},
  year = {2004},
}

@inproceedings{popovic2015chrf,
  author = {Popović, Maja},
  title = {{chrF}: character n-gram {F}-score for automatic {MT} evaluation},
  booktitle = {Proceedings of the Tenth Workshop on Statistical Machine Translation},
  pages = {392--395},
  year = {2015},
}
`)
})

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { agreement, checkMetric, coverage, METRICS, type Said, score, tokenize } from '../src/library.js'
import { projectFile } from '../src/project.js'
import { exampleFiles } from '../src/services/seed/example-files.js'
import { runHere } from './cli/kit.js'
import { cocoCaptions, cocoResults } from './kit/coco.js'
import { initWorld } from './kit/seed.js'

const world = await initWorld()

const [people, mine] = exampleFiles().map(({ content, name }) =>
  name.endsWith('.json') ? JSON.parse(content) : null,
)
const references: Record<string, string[]> = {}
for (const { image_id, caption } of people.annotations)
  references[image_id] = [...(references[image_id] ?? []), caption]
const captions: Record<string, string> = Object.fromEntries(
  mine.map(({ image_id, caption }: Record<string, string>) => [image_id, caption]),
)

async function printed(words: string): Promise<Record<string, never>[]> {
  writeFileSync(join(world.folder, 'references.json'), JSON.stringify(cocoCaptions(references)))
  writeFileSync(join(world.folder, 'mine.json'), JSON.stringify(cocoResults(captions)))
  const { code, stdout, stderr } = await runHere(words, {}, world.folder)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout).scores
}

describe('the library', () => {
  it('checks metrics of one’s own', () => {
    const metric = { name: 'length', lowest: 0, highest: 1000, score: (own: string) => own.length }
    expect(() => checkMetric(metric)).not.toThrow()
    expect(() => checkMetric({ ...metric, highest: 1 })).toThrow('outside of its range')
  })

  it('has the scores of accord score to the last bit', async () => {
    const rows = await printed(`score references.json mine.json --json --metrics ${METRICS.join(' ')}`)
    const scores = score({ references, captions, metrics: METRICS })
    expect(scores.map(({ metric, value, interval }) => ({ metric, value, interval }))).toEqual(
      rows.map(({ metric, value, interval }) => ({ metric, value, interval })),
    )
    const [bleu] = scores
    expect(bleu.interval).not.toBeNull()
    expect(Object.keys(bleu.images)).toEqual(Object.keys(references))
    expect(scores.find(({ metric }) => metric === 'CIDEr-D')?.interval).toBeNull()
  })

  it('has the agreement of accord agreement to the last bit', async () => {
    const rows = await printed(
      `agreement references.json --json --references 2 --metrics ${METRICS.join(' ')}`,
    )
    expect(agreement({ references, others: 2, metrics: METRICS })).toEqual(
      rows.map(({ metric, mean, folds, interval }) => ({ metric, mean, folds, interval })),
    )
  })

  it.each(['words', 'types'] as const)(
    'has the figures of accord coverage in units of %s to the last bit',
    async (units) => {
      const options = units === 'words' ? '' : ' --units types'
      const { stdout } = await runHere(
        `coverage references.json mine.json --json${options}`,
        {},
        world.folder,
      )
      const printed: Record<string, Said['coverage']>[] = JSON.parse(stdout).rows
      const { people, system } = coverage({ references, captions, units })
      const figures = (row: Record<string, Said['coverage']>) =>
        ['coverage', 'consensusCoverage', 'confirmedShare'].map((name) => [
          row[name].value,
          row[name].interval,
        ])
      const own = (said: Said) =>
        [said.coverage, said.consensusCoverage, said.confirmedShare].map(({ value, interval }) => [
          value,
          interval,
        ])
      expect([...people.map(own), system && own(system)]).toEqual(printed.map(figures))
      expect(people).toHaveLength(3)
      expect(people[0].coverage.interval === null).toBe(units === 'words')
      expect(coverage({ references }).system).toBeNull()
    },
  )

  it('computes the metrics that are asked for, in the order of the list', () => {
    const names = score({ references, captions, metrics: ['CIDEr-D', 'BLEU-4'] }).map(({ metric }) => metric)
    expect(names).toEqual(['BLEU-4', 'CIDEr-D'])
  })

  it('has no interval of few images', () => {
    const few = Object.fromEntries(Object.entries(references).slice(0, 9))
    const own = Object.fromEntries(Object.keys(few).map((id) => [id, captions[id]]))
    expect(score({ references: few, captions: own, metrics: ['BLEU-1'] })[0].interval).toBeNull()
  })

  it('has agreement and coverage of more images than a function can have arguments', () => {
    const many = Object.fromEntries(Array.from({ length: 150_000 }, (_, image) => [image, ['a b', 'a c']]))
    expect(agreement({ references: many, metrics: ['BLEU-1'] })[0].folds).toHaveLength(2)
    expect(coverage({ references: many, units: 'types', others: 1 }).people[0].coverage.value).toBe(1 / 2)
  })

  it('tokenizes in other languages', () => {
    expect(tokenize('Der Hund läuft.', { language: 'German' })).toEqual(['der', 'hund', 'läuft'])
    expect(tokenize('a  b', { tokenizer: 'none' })).toEqual(['a', 'b'])
  })

  it.each([
    ['without images', () => score({ references: {}, captions: {} }), /no image/],
    [
      'without a caption',
      () => score({ references: { 1: ['a'] }, captions: {} }),
      /^1: no caption of an image/,
    ],
    [
      'without references',
      () => score({ references: { 1: [] }, captions: { 1: 'a' } }),
      /^1: an image without captions/,
    ],
    [
      'of an unknown image',
      () => score({ references: { 1: ['a'] }, captions: { 1: 'a', 2: 'a' } }),
      /^2: a caption of an unknown/,
    ],
    [
      'of an unknown metric',
      () => score({ references, captions, metrics: ['BLUE-1'] }),
      /unknown metric.*BLEU-1/,
    ],
    [
      'with a text for a list of references',
      () => score({ references: { 1: 'a dog' } as never, captions: { 1: 'a' } }),
      /^1: an image without captions: expected a list of at least one text, found "a dog"$/,
    ],
    [
      'with a caption that is no text',
      () => score({ references: { 1: ['a'] }, captions: { 1: ['a'] } as never }),
      /^1: no caption of an image: expected a text for each image of the references, found \["a"\]$/,
    ],
    [
      'of units that the library does not have',
      () => coverage({ references, units: 'objects' as never }),
      /^units: unknown units: expected words or types, found "objects"$/,
    ],
    ...[coverage, agreement].map((use): [string, () => unknown, RegExp] => [
      `of no whole number of captions, ${use.name}`,
      () => use({ references, captionsPerImage: 2.5 }),
      /^captionsPerImage: invalid number of captions: expected an integer from 1 on, found 2.5$/,
    ]),
    ['of no language', () => tokenize('a', { language: 'xx-nothing' }), /no language/],
    ['of too many others', () => agreement({ references, others: 9 }), /invalid number of references/],
  ])('an input %s is an error', (_what, use, message) => {
    expect(use).toThrow(message)
  })
})

it('the examples of docs/library.md run with the modules alone', () => {
  const text = readFileSync(projectFile('docs/library.md'), 'utf8')
  const examples = [...text.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)]
  expect(examples).toHaveLength(2)
  for (const [, code, output] of examples) {
    const example = join(world.folder, 'example.mjs')
    const own = code.replace(/'caption-accord(\/formats)?'/, (_, formats) => {
      const module = projectFile(`dist/library/${formats ? 'formats' : 'index'}.js`)
      return `'${pathToFileURL(module)}'`
    })
    writeFileSync(example, own)
    expect(execFileSync(process.execPath, [example], { encoding: 'utf8' })).toBe(output)
  }
})

it('the module has nothing of Node', () => {
  const bundle = readFileSync(projectFile('dist/library/index.js'), 'utf8')
  expect(/\bimport\b|\brequire\(|\bprocess\b/.test(bundle)).toBe(false)
  expect(bundle.length).toBeLessThan(60_000)
})

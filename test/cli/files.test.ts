import { mkdirSync, readdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { captionFormats } from '../kit/caption-formats.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import type { Json } from '../kit/seed.js'
import { runHere, workbench } from './kit.js'

const { path, write } = workbench()

const IMAGES = Array.from({ length: 12 }, (_, index) => String(index + 1))
const nounOf = (image: string) => ['dog', 'cat', 'horse'][Number(image) % 3]
const captionsOf = (text: (image: string) => string) =>
  cocoResults(Object.fromEntries(IMAGES.map((image) => [image, text(image)])))

const run = (words: string, environment?: NodeJS.ProcessEnv) =>
  runHere(
    words.split(' ').map((word) => (word.endsWith('.json') ? path(word) : word)),
    environment,
  )

async function jsonOf(words: string): Promise<Json> {
  const { code, stdout, stderr } = await run(`${words} --format json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

const HUMAN = Object.fromEntries(
  IMAGES.map((image) => [
    image,
    [`a ${nounOf(image)} runs`, `the ${nounOf(image)} stands`, `one "${nounOf(image)}", or two`],
  ]),
)

beforeAll(() => {
  write('human.json', cocoCaptions(HUMAN))
  write(
    'mine.json',
    captionsOf((image) => `a ${nounOf(image)} runs`),
  )
  write(
    'theirs.json',
    captionsOf((image) => (Number(image) % 2 ? 'a surfer on a wave' : 'a surfer')),
  )
})

describe('files in other formats', () => {
  const metrics = '--metrics BLEU-1 CIDEr-D'
  const figuresOf = (scores: Json[]) =>
    scores.map(({ metric, value, interval }) => ({ metric, value, interval }))
  const expected = async () => figuresOf((await jsonOf(`score human.json mine.json ${metrics}`)).scores)

  it.each(captionFormats(HUMAN))(
    'human captions in $name give the same figures',
    async ({ name, content, imageIds, format }) => {
      write(name, content)
      write('ids.txt', imageIds ?? '')
      const ids = imageIds === undefined ? [] : ['--ids', path('ids.txt')]
      const words = [
        'score',
        path(name),
        path('mine.json'),
        ...metrics.split(' '),
        ...ids,
        '--format',
        'json',
      ]
      const { code, stdout, stderr } = await runHere(words)
      expect(code, stderr).toBe(0)
      expect(figuresOf(JSON.parse(stdout).scores)).toEqual(await expected())
      expect(stderr).toContain(`${path(name)}: ${format}; 12 images, 36 captions\n`)
    },
  )

  const mine = Object.fromEntries(IMAGES.map((image) => [image, [`a ${nounOf(image)} runs`]]))
  it.each(captionFormats(mine))(
    'captions of a system in $name give the same figures',
    async ({ name, content, imageIds, format }) => {
      write(name, content)
      write('ids.txt', imageIds ?? '')
      const ids = imageIds === undefined ? [] : ['--image-ids', path('ids.txt')]
      const words = [
        'score',
        path('human.json'),
        path(name),
        ...metrics.split(' '),
        ...ids,
        '--format',
        'json',
      ]
      const { code, stdout, stderr } = await runHere(words)
      expect(code, stderr).toBe(0)
      expect(figuresOf(JSON.parse(stdout).scores)).toEqual(await expected())
      expect(stderr).toContain(`${path(name)}: ${format}; 12 captions\n`)
    },
  )

  it('are imported, and the format is said', async () => {
    const [karpathy] = captionFormats(HUMAN)
    const tsv = captionFormats(mine).find(({ name }) => name === 'table')!
    write('karpathy.json', karpathy.content)
    write('mine.tsv', tsv.content)
    const database = `--database ${path('formats.sqlite')}`
    const { stdout } = await run(`import captions karpathy.json --split test --dataset k ${database}`)
    expect(stdout).toMatch(/^Imported dataset k from Karpathy’s JSON\n {2}images {4}6\n/)
    const results = ['import', 'results', path('mine.tsv'), '--system', 'mine', ...database.split(' ')]
    expect(await runHere(results)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/line 2, Image: unknown image/),
    })
    await run(`import captions human.json --dataset all ${database}`)
    expect((await runHere([...results, '--dataset', 'all'])).stdout).toMatch(
      /^Imported system mine into dataset all from TSV, columns Image, caption\n/,
    )
  })

  it('are read by commands on files, and the format is said', async () => {
    write('refs.csv', captionFormats(HUMAN).find(({ name }) => name === 'table.csv')!.content)
    write('mine.jsonl', captionFormats(mine).find(({ name }) => name === 'pairs.jsonl')!.content)
    const { code, stderr } = await runHere([
      'compare',
      path('refs.csv'),
      path('mine.jsonl'),
      '--people',
      '--metrics',
      'BLEU-1',
    ])
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(`${path('refs.csv')}: CSV, columns id, caption; 12 images, 36 captions\n`)
    expect(stderr).toContain(`${path('mine.jsonl')}: JSON Lines; 12 captions\n`)
  })

  it.each(['score', 'compare --people'])('%s refuses image ids that no file needs', async (command) => {
    write('ids.txt', '1\n')
    const files = [path('human.json'), path('mine.json')]
    const { code, stderr } = await runHere([...command.split(' '), ...files, '--ids', path('ids.txt')])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'ids.txt: no file needs the image ids: expected a file with a caption per line',
      ),
    })
  })

  it('of lines without image ids are scored line by line, where there are as many in all', async () => {
    const references = ['a dog runs, fast', 'a cat sits', 'a man']
    write('lines.txt', references.join('\n'))
    write('more.txt', 'the dog\n\nmen\n')
    write('ours.txt', 'a dog runs fast\na cat\n\n')
    const scored = ['score', path('lines.txt'), path('ours.txt'), '--metrics', 'ROUGE-L', '--json']
    const { code, stdout, stderr } = await runHere([...scored, '--more-references', path('more.txt')])
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout).scores[0]).toMatchObject({ system: 'ours', imageCount: 3 })
    expect(JSON.parse(stdout).scores[0].value).toBeCloseTo((1 + (2.44 * (2 / 3)) / (2 / 3 + 1.44)) / 3, 10)
    write('ours.txt', 'a dog runs fast\na cat\n')
    write('named.json', cocoResults({ 1: 'a dog', 2: 'a cat', 3: 'a man' }))
    const found = { 'ours.txt': '2 lines in .*ours.txt', 'named.json': 'COCO’s JSON in .*named.json' }
    for (const [file, what] of Object.entries(found)) {
      const { stderr: error } = await runHere(['score', path('lines.txt'), path(file), '--allow-missing'])
      expect(error).toMatch(
        new RegExp(`lines.txt: lines without image ids: expected --ids FILE, or .*, 3, found ${what}\n`),
      )
    }
    const { stderr: unknown } = await runHere(['score', path('named.json'), path('ours.txt')])
    expect(unknown).toMatch(/ours.txt: line 1: unknown format: .* or lines with --ids/)
  })

  it.each([
    [
      'mine.jsonl',
      '{"image":1,"caption":"a dog"}',
      'human.jsonl',
      '{"image":1,"caption":"a"}\n{"image":1,"caption":"b"}',
    ],
    ['mine.json', '{"1":"a dog"}', 'human.json', '{"1":["a","b"]}'],
    ['human.json', '{"1":["a","b"]}', 'human.json', '{"1":["a","b"]}'],
  ])('that are swapped are noticed: %s %s', async (first, content, second, other) => {
    const [one, two] = [path(`swapped-1-${first}`), path(`swapped-2-${second}`)]
    write(`swapped-1-${first}`, content)
    write(`swapped-2-${second}`, other)
    for (const command of ['score', 'compare']) {
      const { code, stderr } = await runHere([command, one, two])
      expect({ code, stderr }).toEqual({
        // A file of another kind, or what is at a place of it.
        code: other.includes('\n') ? 1 : 2,
        stderr: expect.stringMatching(/\(are the files swapped\?\): expected/),
      })
    }
  })
})

describe('files instead of a dataset', () => {
  const files = 'human.json mine.json theirs.json'

  it('are compared with each other and with people, as the imported ones', async () => {
    const { comparisons, documentFrequencies } = await jsonOf(`compare ${files} --people --metrics ROUGE-L`)
    expect(documentFrequencies).toBe('own')
    expect(comparisons.map(({ first, second }: Json) => [first, second])).toEqual([
      ['mine', 'theirs'],
      ['mine', null],
      ['theirs', null],
    ])
    const stored = [
      'import captions human.json --dataset human',
      'import results mine.json --system mine',
      'import results theirs.json --system theirs',
    ]
    for (const words of stored)
      expect((await run(`${words} --database ${path('stored.sqlite')}`)).code).toBe(0)
    const flags = '--system mine theirs --people --metrics ROUGE-L'
    expect(await jsonOf(`compare ${flags} --database ${path('stored.sqlite')}`)).toEqual({
      dataset: 'human',
      documentFrequencies: 'own',
      comparisons,
    })
  })

  it('have their markup of models counted, and removed', async () => {
    write(
      'marked.json',
      captionsOf((image) => `<s>a ${nounOf(image)} runs</s>`),
    )
    const wordsOf = async (results: string) => {
      const { code, stdout, stderr } = await run(`coverage human.json ${results} --format csv`)
      expect(code, stderr).toBe(0)
      return { rows: stdout.replaceAll('marked', 'mine'), stderr }
    }
    const plain = await wordsOf('mine.json')
    const kept = await wordsOf('marked.json')
    const stripped = await wordsOf('marked.json --strip-markup')
    expect(kept.stderr).toContain(
      'marked.json: 12 of 12 captions have markup of models (<s>, </s>); --strip-markup removes it.\n',
    )
    expect(stripped.stderr).toContain(
      'marked.json: Markup of models was removed from 12 of 12 captions (<s>, </s>).\n',
    )
    expect(stripped.rows).toBe(plain.rows)
    expect(kept.rows).not.toBe(plain.rows)
  })

  it('name the better side in a sentence, as scores do', async () => {
    const { stdout } = await run(`compare ${files} --metric rouge_l bleu_1`)
    const [sentence] = stdout.split('\n\n')
    expect(sentence).toMatch(
      /^mine is better than theirs by ROUGE-L: \+\.\d+ \[[^\]]+\], p < \.0001,\s12\simages\.$/,
    )
    const scored = await run('score human.json theirs.json mine.json --metric rouge_l bleu_1 --significance')
    expect(scored.stdout.split('\n\n')[0]).toBe(sentence)
  })

  it('have tables of words and of agreement', async () => {
    const { words, means } = await jsonOf('words human.json mine.json')
    expect(words.map(({ word }: Json) => word)).toContain('horse')
    expect(means.some(({ system }: Json) => system === 'mine')).toBe(true)
    const { scores, dataset } = await jsonOf('agreement human.json --metrics BLEU-1')
    expect({ dataset, metric: scores[0].metric, folds: scores[0].folds.length }).toEqual({
      dataset: 'human',
      metric: 'BLEU-1',
      folds: 3,
    })
  })

  it('give examples: where a system is worst, or best relative to another', async () => {
    const worst = await jsonOf('examples human.json theirs.json --metric rouge_l --worst 2')
    expect(worst).toMatchObject({ dataset: 'human', metric: 'ROUGE-L' })
    expect(worst.examples.map(({ imageId, system }: Json) => [imageId, system])).toEqual(
      ['1', '3'].flatMap((image) => ['theirs', null, null, null].map((system) => [image, system])),
    )
    const { examples } = await jsonOf('examples human.json mine.json theirs.json --best 1')
    const [mine, theirs, ...people] = examples
    expect([mine.system, theirs.system, people.length]).toEqual(['mine', 'theirs', 3])
    expect(mine.score).toBeGreaterThan(theirs.score)
    expect((await run('examples human.json')).code).toBe(2)
  })

  it('are all there before the first is read', async () => {
    const { code, stderr } = await run('compare human.json absent.json --metrics ROUGE-L')
    expect({ code, stderr }).toEqual({ code: 2, stderr: `accord: ${path('absent.json')}: file not found\n` })
  })

  it('leave nothing behind', async () => {
    const own = { TMPDIR: path('temporary') }
    mkdirSync(own.TMPDIR)
    await run(`compare ${files} --metrics ROUGE-L`, own)
    await run('compare human.json absent.json --metrics ROUGE-L', own)
    expect(readdirSync(own.TMPDIR)).toEqual([])
  })

  it.each([
    [
      'compare mine.json human.json',
      1,
      /human\.json: annotations\[1\].image_id: duplicate image \(are the files swapped\?\): expected each image once/,
    ],
    [
      'score mine.json human.json',
      1,
      /human\.json: annotations\[1\].image_id: duplicate image \(are the files swapped\?\): expected each image once/,
    ],
    ['compare human.json mine.json --dataset park', 2, /files cannot be used with option --dataset/],
  ])('%s exits with %i', async (words, code, message) => {
    const outcome = await run(words)
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' })
    expect(outcome.stderr).toMatch(message)
  })
})

import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import type { Json } from '../kit/seed.js'
import { runHere, workbench } from './kit.js'

const { path, write } = workbench()

const IMAGES = Array.from({ length: 12 }, (_, index) => String(index + 1))
const nounOf = (image: string) => ['dog', 'cat', 'horse'][Number(image) % 3]
const captionsOf = (text: (image: string) => string) =>
  cocoResults(Object.fromEntries(IMAGES.map((image) => [image, text(image)])))

const run = (words: string) =>
  runHere(words.split(' ').map((word) => (word.endsWith('.json') ? path(word) : word)))

async function jsonOf(words: string): Promise<Json> {
  const { code, stdout, stderr } = await run(`${words} --format json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

beforeAll(() => {
  const human = IMAGES.map((image) => [
    image,
    [`a ${nounOf(image)} runs`, `the ${nounOf(image)} stands`, `one ${nounOf(image)}`],
  ])
  write('human.json', cocoCaptions(Object.fromEntries(human)))
  write(
    'mine.json',
    captionsOf((image) => `a ${nounOf(image)} runs`),
  )
  write(
    'theirs.json',
    captionsOf(() => 'a surfer on a wave'),
  )
})

describe('files instead of a dataset', () => {
  const files = 'human.json mine.json theirs.json'

  it('are compared with each other and with people, as the imported ones', async () => {
    const { comparisons } = await jsonOf(`compare ${files} --people --metrics ROUGE-L`)
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
      comparisons,
    })
  })

  it('name the better side in a sentence', async () => {
    const { stdout } = await run(`compare ${files} --metric rouge_l bleu_1`)
    expect(stdout).toMatch(/^ROUGE-L: mine is better than theirs by \d?\.\d{3} \(p < \.00\d\)\.$/m)
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
      ['1', '2'].flatMap((image) => ['theirs', null, null, null].map((system) => [image, system])),
    )
    const { examples } = await jsonOf('examples human.json mine.json theirs.json --best 1')
    const [mine, theirs, ...people] = examples
    expect([mine.system, theirs.system, people.length]).toEqual(['mine', 'theirs', 3])
    expect(mine.score).toBeGreaterThan(theirs.score)
    expect((await run('examples human.json')).code).toBe(2)
  })

  it('are all there before the first is read', async () => {
    const { code, stderr } = await run('compare human.json absent.json --metrics ROUGE-L')
    expect({ code, stderr }).toEqual({ code: 1, stderr: `accord: ${path('absent.json')}: file not found\n` })
  })

  it('leave nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('accord-files-'))
    await run(`compare ${files} --metrics ROUGE-L`)
    await run('compare human.json absent.json --metrics ROUGE-L')
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('accord-files-'))).toEqual(before)
  })

  it.each([
    [
      'compare mine.json human.json',
      1,
      /mine\.json: wrong shape \(are the files swapped\?\): expected an object/,
    ],
    [
      'score mine.json human.json',
      1,
      /mine\.json: wrong shape \(are the files swapped\?\): expected an object/,
    ],
    ['compare human.json mine.json --dataset park', 2, /files cannot be used with option --dataset/],
  ])('%s exits with %i', async (words, code, message) => {
    const outcome = await run(words)
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' })
    expect(outcome.stderr).toMatch(message)
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'

const { run, write } = workbench()

write('references.json', cocoCaptions({ 1: ['a dog runs', 'the dog'], 2: ['a cat', 'the cat'] }))
write('single.json', cocoCaptions({ 1: ['a dog runs'], 2: ['a cat'] }))
write('results.json', cocoResults({ 1: 'a dog and a kite', 2: 'a cat' }))
write('silent.json', cocoResults({ 1: '', 2: 'something blue' }))
write('german.json', cocoCaptions({ 1: ['ein Hund läuft'], 2: ['eine Katze schläft'] }))
write('german_results.json', cocoResults({ 1: 'ein Hund', 2: 'eine Katze' }))
const INSTANCES = {
  images: [{ id: 1, width: 640, height: 480 }],
  annotations: [{ id: 1, image_id: 1, category_id: 7, bbox: [0, 0, 9, 9] }],
  categories: [{ id: 1, name: 'dog' }],
}
write('unknown-category.json', JSON.stringify(INSTANCES))
write(
  'unknown-image.json',
  JSON.stringify({ ...INSTANCES, images: [], categories: [{ id: 7, name: 'dog' }] }),
)
write('instances.json', JSON.stringify({ ...INSTANCES, categories: [{ id: 7, name: 'dog' }] }))
write('other-images.csv', 'image_id,objects\n77,dog\n')
write('word-table.csv', 'object,words\ndog,dog\n')

/** 10,000 characters: objects, and one word without an end. */
const LONG = 'a dog beside another umbrella, an elephant '.repeat(250).slice(0, 10_000).trim()
write('long.json', cocoResults({ 1: LONG, 2: 'x'.repeat(10_000) }))

describe('objects', () => {
  beforeAll(async () => {
    await run('import captions references.json --dataset pets')
    await run('import results results.json --dataset pets --system mine')
  })

  it.each([
    [
      'an unknown category',
      'import objects unknown-category.json --dataset pets',
      'annotations[0].category_id: unknown category',
    ],
    [
      'an annotation of no image',
      'import objects unknown-image.json --dataset pets',
      'annotations[0].image_id: unknown image',
    ],
    [
      'other images',
      'import objects other-images.csv --dataset pets',
      'other-images.csv: no image is in the dataset',
    ],
    ['an unknown dataset', 'import objects instances.json --dataset none', 'unknown dataset'],
    ['captions for objects', 'import objects references.json --dataset pets', 'references.json'],
    [
      'other images of files',
      'score references.json results.json --metrics CHAIR --objects other-images.csv',
      'no image of the references has annotated objects',
    ],
    [
      'German captions, by CHAIR',
      'score german.json german_results.json --metrics CHAIR --language de',
      'CHAIR-i, CHAIR-s needs English',
    ],
    [
      'German captions, by open objects',
      'score german.json german_results.json --metrics open-CHAIR --language de',
      'needs English',
    ],
    [
      'German captions, as units',
      'coverage german.json german_results.json --units objects --language de',
      'English',
    ],
    [
      'words of objects for words',
      'coverage references.json results.json --object-words word-table.csv',
      'expected --units objects',
    ],
  ])('refuse %s with one error', async (_, command, message) => {
    const { code, stdout, stderr } = await run(command)
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' })
    expect([1, 2]).toContain(code)
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('accord:')),
    ).toEqual([expect.stringContaining(message)])
  })

  it('of German captions leave their words', async () => {
    const { code, stdout } = await run('coverage german.json german_results.json --language de --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).rows.at(-1).coverage.value).toBeGreaterThan(0)
  })

  it('of images without captions have no figures', async () => {
    await run('import boxes instances.json --dataset boxed')
    for (const command of [
      'coverage --dataset boxed --units objects',
      'evaluate --dataset boxed --metrics CHAIR',
    ]) {
      const { code, stderr } = await run(command)
      expect(code, command).toBe(1)
      expect(stderr, command).toMatch(/^accord: /m)
    }
  })

  it('of one reference per image leave no person beside it, with the reason', async () => {
    const { code, stdout } = await run('coverage single.json results.json --units objects --json')
    expect(code).toBe(0)
    const { rows } = JSON.parse(stdout)
    expect(rows).toHaveLength(1)
    expect(rows[0].peopleEquivalent).toMatchObject({ value: null, undefinedReason: 'NO_CAPTION_LEFT' })
    expect(rows[0].confirmedShare.value).toBeCloseTo(2 / 3, 12)
  })

  it('that no caption mentions are undefined, not 0', async () => {
    const { stdout } = await run('score references.json silent.json --metrics CHAIR object-recall --json')
    const { scores } = JSON.parse(stdout)
    expect(scores.map(({ metric, value }: { metric: string; value: number }) => [metric, value])).toEqual([
      ['CHAIR-s', 0],
      ['object-recall', 0],
    ])
    const { rows } = JSON.parse(
      (await run('coverage references.json silent.json --units objects --json --references 1')).stdout,
    )
    expect(rows.at(-1).confirmedShare).toMatchObject({ value: null, undefinedReason: expect.any(String) })
  })

  it('are found in captions of 10,000 characters', async () => {
    const metrics = 'CHAIR object-recall open-CHAIR open-object-recall'
    const { code, stdout } = await run(`score references.json long.json --metrics ${metrics} --json`)
    expect(code).toBe(0)
    const values = JSON.parse(stdout).scores.map(({ value }: { value: number }) => value)
    expect(values.length).toBeGreaterThanOrEqual(4)
    for (const value of values) expect(value >= 0 && value <= 1).toBe(true)
    const compatible = await run(
      'score references.json long.json --metrics CHAIR --object-words word-table.csv --chair-compatible --json',
    )
    expect(JSON.parse(compatible.stdout).scores[0].value).toBe(0)
  })
})

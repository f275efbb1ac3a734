import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { importPark, workbench } from './kit.js'

const bench = workbench()
const { run, write } = bench

const IMAGES = Array.from({ length: 12 }, (_, i) => `${i + 1}`)
const PEOPLE = ['a dog on grass', 'the dog sits', 'one brown dog', 'dog near a tree']
write('references.json', cocoCaptions(Object.fromEntries(IMAGES.map((id) => [id, PEOPLE]))))
write('dull.json', cocoResults(Object.fromEntries(IMAGES.map((id) => [id, 'a dog']))))
write('few.json', cocoResults({ 1: 'a dog on grass', 2: 'a cat' }))

describe('diversity of files', () => {
  it('prints a person, systems, and how to read them', async () => {
    const { code, stdout } = await run('diversity references.json dull.json --width 160')
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0].trim()).toMatch(/^words +type-token ratio +local recall at$/)
    expect(lines[1]).toMatch(
      /^system +mean +deviation +types +words +bigrams +distinct +vocabulary +1 +2 +3$/,
    )
    expect(lines.find((line) => line.startsWith('one person'))).toMatch(/^one person +3\.5 +\.5 /)
    expect(lines.find((line) => line.startsWith('dull'))).toMatch(/^dull +2\.0 +\.0 +2 +– +– +\.083 /)
    expect(stdout).toContain('Over 12 images with 4 captions by people and a caption of every system.')
    expect(stdout).toContain('Undefined: There are fewer than 1,000 tokens')
    expect(stdout).toContain('diversity|tokens:24|refs:3|folds:4|images:12|')
  })

  it('has figures in JSON, with reasons', async () => {
    const { stdout } = await run('diversity references.json dull.json --json')
    const { rows, ...about } = JSON.parse(stdout)
    expect(about).toMatchObject({
      dataset: 'references',
      captionsPerImage: 4,
      imageCount: 12,
      excludedImageCount: 0,
      tokenCount: 24,
    })
    expect(rows.map(({ system }: { system: string | null }) => system)).toEqual([null, 'dull'])
    expect(rows[1]).toEqual({
      system: 'dull',
      meanLength: { value: 2, undefinedReason: null },
      lengthDeviation: { value: 0, undefinedReason: null },
      types: { value: 2, undefinedReason: null },
      wordTypeTokenRatio: { value: null, undefinedReason: 'TOO_FEW_TOKENS' },
      bigramTypeTokenRatio: { value: null, undefinedReason: 'TOO_FEW_TOKENS' },
      distinctShare: { value: expect.closeTo(1 / 12, 12), undefinedReason: null },
      vocabularyShare: { value: expect.any(Number), undefinedReason: null },
      // One of the others uses each of eight words in three folds, and "a" in the two folds of its users; "dog" is in all.
      localRecall: [
        { value: expect.closeTo(2 / 26, 12), undefinedReason: null },
        { value: 1, undefinedReason: null },
        { value: 1, undefinedReason: null },
      ],
      localRecallOfAll: [
        { value: 0, undefinedReason: null },
        { value: 1, undefinedReason: null },
        { value: null, undefinedReason: 'UNDEFINED_FIGURE' },
        { value: 1, undefinedReason: null },
      ],
      unseenShare: null,
      signature: expect.stringMatching(/^diversity\|/),
    })
  })

  it('has a row of CSV for each', async () => {
    const { stdout } = await run('diversity references.json dull.json --format csv')
    const rows = parse<Record<string, string>>(stdout, { columns: true })
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatchObject({
      'types.value': '2',
      'wordTypeTokenRatio.value': '',
      'wordTypeTokenRatio.undefinedReason': 'TOO_FEW_TOKENS',
      'localRecall.1.value': '1',
    })
  })

  it('is over the images that all systems have', async () => {
    const { stdout } = await run('diversity references.json dull.json few.json --allow-missing')
    expect(stdout).toContain('Over 2 images with 4 captions by people and a caption of every system.')
    expect(stdout).toContain('Left out: 10 images without these.')
  })

  it('has the share of captions that are not in a file of training', async () => {
    write('training.json', cocoCaptions({ 90: ['A dog.', 'the dog sits'], 91: ['a cat'] }))
    const { code, stdout, stderr } = await run(
      'diversity references.json dull.json few.json --allow-missing --training training.json --width 170',
    )
    expect({ code, stderr: stderr.split('\n').filter((line) => !line.includes('matched by id')) }).toEqual({
      code: 0,
      stderr: [''],
    })
    expect(stdout.split('\n')[1]).toMatch(/ distinct +unseen +vocabulary /)
    expect(stdout).toContain('unseen: share of captions whose words are not those of a caption of training,')
    const { rows, training } = JSON.parse(
      (
        await run(
          'diversity references.json dull.json few.json --allow-missing --training training.json --json',
        )
      ).stdout,
    )
    expect(training).toBe('training')
    expect(rows.map(({ unseenShare }: { unseenShare: { value: number } }) => unseenShare.value)).toEqual([
      expect.closeTo(3 / 4, 12),
      0,
      expect.closeTo(1 / 2, 12),
    ])
  })

  it('takes the same file as people for training under another name', async () => {
    const { stdout } = await run('diversity references.json dull.json --training references.json --json')
    const { rows, training } = JSON.parse(stdout)
    expect(training).toBe('references (training)')
    expect(rows[0].unseenShare.value).toBe(0)
    expect(rows[1].unseenShare.value).toBe(1)
  })

  it('has people alone without systems', async () => {
    const { code, stdout } = await run('diversity references.json')
    expect(code).toBe(0)
    expect(stdout).toContain('Over 12 images with 4 captions by people.')
  })
})

it('measures a stored dataset, and stores the answer as a job', async () => {
  await importPark(bench, 'with systems')
  const first = await run('diversity --dataset park --json')
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout).rows.map(({ system }: { system: string }) => system)).toEqual([
    null,
    'captioner',
  ])
  expect(await run('diversity --dataset park --json')).toEqual(first)
  const { code, stderr } = await run('diversity --dataset park --training nothing')
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing') })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { boundReport } from '../../src/cli/reports/bound-report.js'
import { DEFAULT_BOUND_SETTINGS } from '../../src/shared/choices.js'
import type { Bound } from '../../src/store/schema/bound-tables.js'
import type { Dataset } from '../../src/store/schema/dataset-tables.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { textOf, workbench } from './kit.js'

const ANIMALS = ['dog', 'cat', 'bird', 'horse']
const PLACES = ['street', 'beach', 'park']
const IMAGES = Object.fromEntries(
  ANIMALS.flatMap((animal, i) =>
    PLACES.map((place, j) => [
      `${i}${j}`,
      [`A ${animal} runs in the ${place}.`, `The small ${animal} is sitting at a ${place}.`],
    ]),
  ),
)

it('bounds that are not trained are counted, or have the reason', async () => {
  const bound = { settings: { ...DEFAULT_BOUND_SETTINGS, atoms: 7 } } as Bound
  const unfinished = [null, 'the loss is infinite', null].map((failure) => ({ bound, failure }))
  const text = await textOf(
    await boundReport({ dataset: { name: 'animals' } as Dataset, unfinished, figures: null }),
  )
  expect(text).toBe(
    'No bound has been trained. See accord bounds run --help\n\n' +
      'all 7: the training failed: the loss is infinite\n' +
      'Queued, being trained, or interrupted: 2 points.\n',
  )
})

describe('accord atoms, votes and bounds', () => {
  const { run, write } = workbench()

  async function succeed(command: string): Promise<string> {
    const { code, stdout, stderr } = await run(command)
    expect(code, stderr).toBe(0)
    return stdout
  }

  beforeAll(async () => {
    write('animals.json', cocoCaptions(IMAGES))
    write(
      'results.json',
      cocoResults(Object.fromEntries(Object.keys(IMAGES).map((id) => [id, 'A dog runs.']))),
    )
    await succeed('import captions animals.json --dataset animals')
    await succeed('import results results.json --dataset animals --system dogs')
  })

  it('list and compare atoms', async () => {
    write('list.csv', 'atom,count\ndog,5\nstreet,4\nox,1\n')
    const text = await succeed('atoms --kind entity --top 2 --compare list.csv --format json')
    expect(JSON.parse(text)).toMatchObject({
      atomCounts: { entity: 7 },
      atoms: [
        { kind: 'entity', rank: 1, atom: 'beach', count: 8, imageCount: 4 },
        { kind: 'entity', rank: 2, atom: 'park' },
      ],
      comparison: { size: 3, sharedCount: 1, onlyTheirs: ['dog', 'ox'] },
    })
    const { code, stderr } = await run('atoms --compare list.csv')
    expect([code, stderr]).toEqual([2, expect.stringContaining('a list of atoms is of one kind')])
  })

  it('import and cast votes', async () => {
    write('votes.csv', 'atom,voter,visual\nrun,anna,yes\nrun,ben,yes\nsit,anna,no\n')
    expect(await succeed('import votes votes.csv --kind action')).toBe('Imported 3 votes\n')
    await succeed('votes cast --voter cem --kind action --visual run sit')
    const { kinds } = JSON.parse(await succeed('votes --format json'))
    expect(kinds).toMatchObject([{ kind: 'action', atomCount: 2, decidedCount: 1, visualShare: 1 }])
    write('decided.csv', 'atom,count,visual\ndog,5,yes\npark,4,no\nox,1,\n')
    const missing = await run('import votes decided.csv --kind entity')
    expect(missing.stderr).toContain('expected the number of people, as the file has no column voter')
    expect(await succeed('import votes decided.csv --kind entity --people 3')).toBe('Imported 2 votes\n')
  })

  it('train and show bounds, and move models', async () => {
    const options =
      '--validation-images 2 --test-images 4 --min-word-count 1 --embedding 8 --state 8 --epochs 3'
    await succeed(`bounds run --atoms 0 4 ${options}`)
    expect(await succeed(`bounds run --atoms 0 4 ${options}`)).toContain('2 points; 2 existed already')
    const incomplete = await run(`bounds run --atoms 100 4 ${options}`)
    expect(incomplete).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 point; 1 existed already'),
    })
    expect(incomplete.stderr).toContain('all 100: atoms: there are fewer atoms: expected at most 7')
    const figures = JSON.parse(await succeed('bounds --metric ROUGE-L --format json'))
    expect(figures).toMatchObject({
      dataset: 'animals',
      metric: 'ROUGE-L',
      images: { training: 6, validation: 2, test: 4 },
      points: [
        { kind: 'all', atoms: 0, replaced: 0, visualOnly: false, perplexity: expect.any(Number) },
        { kind: 'all', atoms: 4 },
      ],
      capacities: [{ system: 'dogs', kind: 'all' }],
    })
    // Every image has captions of the same two patterns in the training images.
    expect(figures.retrieval.score).toBeGreaterThan(figures.points[1].score)
    // Two words in their order of 6 and 8, in both directions.
    expect(figures.people).toEqual({ score: expect.closeTo(0.2859, 4), interval: null, references: 1 })
    const { systems } = JSON.parse(await succeed('systems --dataset animals --format json'))
    expect(systems.map(({ system }: { system: string }) => system)).toEqual(['dogs'])
    // A metric that bounds are not evaluated with at first.
    expect(await succeed('bounds --dataset animals --metric WMD')).toContain('Semantic capacity')
    await succeed('bounds export bound.model --system bound-all-4')
    const again = await run('bounds import bound.model')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('the dataset has this bound')])
    await succeed('remove system bound-all-4')
    await succeed('bounds import bound.model')
    const imported = JSON.parse(await succeed('bounds --metric ROUGE-L --format json'))
    expect(imported.points).toEqual(figures.points)
    expect(await succeed('bounds')).toContain('Every point is one model')
    // Another seed has the same test images.
    await succeed(`bounds train --atoms 4 --seed 2 ${options}`)
    const { points } = JSON.parse(await succeed('bounds --metric ROUGE-L --format json'))
    expect(points.map(({ atoms, seed }: Record<string, number>) => [atoms, seed])).toEqual([
      [0, 1],
      [4, 1],
      [4, 2],
    ])
    expect(await succeed('bounds')).toContain('up to 2 models of a point')
  })
})

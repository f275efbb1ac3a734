import { beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults, scoreLines } from '../kit/coco.js'
import { workbench } from './kit.js'

describe('a command without options answers', () => {
  const { run, write } = workbench()
  const animals = ['dog', 'cat', 'horse', 'bird', 'cow', 'sheep']
  const captions = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      String(index + 1),
      [`A ${animals[index % 6]} runs.`, `The ${animals[index % 6]} plays.`],
    ]),
  )
  const results = Object.fromEntries(
    Object.keys(captions).map((id, index) => [id, `A ${animals[index % 5]} runs.`]),
  )

  beforeAll(async () => {
    write('references.json', cocoCaptions({ ...captions, 61: ['A unicorn.', 'A griffin.'] }))
    write('mine.json', cocoResults({ ...results, 61: 'A unicorn.' }))
    write('scores.jsonl', scoreLines({ 1: { dog: 0.9, unicorn: 0.9 }, 61: { griffin: 0.1, dog: 0.4 } }))
    expect(await run('import captions references.json --dataset own')).toMatchObject({ code: 0 })
    expect(await run('import results mine.json --dataset own --system mine')).toMatchObject({ code: 0 })
    expect(await run('evaluate --metrics CIDEr-D')).toMatchObject({ code: 0 })
  })

  it('leaderboard: captioning systems beside people', async () => {
    const alone = JSON.parse((await run('leaderboard --json')).stdout).rows
    expect(alone).toContainEqual(expect.objectContaining({ metric: 'CIDEr-D', system: 'mine', rank: 1 }))
    expect(await run('agreement --metrics CIDEr-D')).toMatchObject({ code: 0 })
    expect(await run('evaluate --metrics CIDEr-D')).toMatchObject({ code: 0 })
    const { rows } = JSON.parse((await run('leaderboard --json')).stdout)
    expect(
      rows.map(({ metric, system, rank }: Record<string, unknown>) => ({
        metric,
        system,
        isRanked: rank !== null,
      })),
    ).toEqual(
      expect.arrayContaining([
        { metric: 'CIDEr-D', system: 'mine', isRanked: true },
        { metric: 'CIDEr-D', system: null, isRanked: true },
      ]),
    )
  })

  it('leaderboard: captioning systems also beside systems with word scores, which --phr ranks', async () => {
    expect(
      await run('import scores scores.jsonl --dataset own --system detector --allow-missing'),
    ).toMatchObject({ code: 0 })
    const { rows } = JSON.parse((await run('leaderboard --json')).stdout)
    const systems = rows.map(({ system }: Record<string, unknown>) => system)
    expect(systems).toContain('mine')
    expect(systems).not.toContain('detector')
    expect((await run('leaderboard')).stdout).toMatch(/^ {2}accord leaderboard --dataset \S+ --phr$/m)
    expect((await run('leaderboard --metrics CIDEr-D')).stdout).not.toContain('--phr')
    const phr = JSON.parse((await run('leaderboard --phr --json')).stdout)
    expect(phr).toMatchObject({
      by: 'PHR',
      rows: expect.arrayContaining([expect.objectContaining({ system: 'detector' })]),
    })
    await run('remove system detector --dataset own --yes')
  })

  it('words by gap: first those of enough images', async () => {
    const { words } = JSON.parse((await run('words --system mine --sort gap --json')).stdout)
    const rare = words.map(({ isRare }: { isRare: boolean }) => isRare)
    expect(rare[0]).toBe(false)
    expect(rare.at(-1)).toBe(true)
    expect(rare).toEqual(rare.toSorted())
  })

  it('agreement refuses results of systems', async () => {
    const { code, stderr } = await run('agreement references.json mine.json')
    expect(code).toBe(2)
    expect(stderr).toContain('accord compare --people')
  })

  it('metrics: with and without a database', async () => {
    const stored = JSON.parse((await run('metrics --json')).stdout)
    const builtIn = JSON.parse((await run('metrics --json --database none.sqlite')).stdout)
    expect(stored).toEqual(builtIn)
    expect(stored.metrics).toContainEqual(
      expect.objectContaining({
        name: 'CIDEr-D',
        lowest: 0,
        highest: 10,
        higherIsBetter: true,
        needs: ['document frequencies'],
        citation: expect.stringContaining('Vedantam'),
      }),
    )
    expect((await run('metrics')).stdout).toMatch(/^CIDEr-D +0 to 10 +higher/m)
  })
})

import { expect, it } from 'vitest'
import { openAccord } from '../../src/services/open-accord.js'
import { describeParks, parkCaption, parksFile } from '../kit/parks.js'
import { workbench } from './kit.js'

const { run, write, path } = workbench()

it('collects captions and makes a dataset of them', async () => {
  write('parks.csv', parksFile(2))
  expect(await run('collect create --dataset parks --images parks.csv --per-image 2')).toMatchObject({
    code: 0,
    stdout: 'Created collection parks: 2 captions of each of 2 images\n',
    stderr: '',
  })
  expect((await run('collect create --dataset parks --images parks.csv')).stderr).toMatch(
    /^accord: dataset: a collection of this name exists/,
  )
  const accord = await openAccord({ location: path('accord.sqlite'), threadCount: 1 })
  await describeParks(accord, 'parks', {
    anna: (image) => parkCaption(image, 0),
    ben: (image) => parkCaption(image, 1),
  })
  await accord.close()

  expect((await run('collect list')).stdout).toBe(
    [
      'collection  per image  images  complete  captions  wanted  annotators',
      '─'.repeat(69),
      'parks               2       2         2         4       4           2',
      '',
    ].join('\n'),
  )
  const shown = await run('collect show parks')
  expect(shown.stdout).toMatch(
    /^4 captions of 4; 2 of 2 images complete\.\s+Median time per caption: 0 s\.\n/,
  )
  expect(shown.stdout).toMatch(/\nannotator .*captions.*\n/)
  expect(shown.stdout).toMatch(/\nreferences .*metric .*images .*people .*interval\n/)
  const json = JSON.parse((await run('collect show parks --format json')).stdout)
  expect(json).toMatchObject({
    collection: 'parks',
    captionsPerImage: 2,
    state: { captionCount: 4, annotatorCount: 2 },
    annotators: [{ captionCount: 2, undefinedReason: 'TOO_FEW_IMAGES', isLow: false }, { captionCount: 2 }],
    reports: [],
  })
  expect(json.agreement.map(({ metric }: { metric: string }) => metric)).toContain('METEOR')

  expect((await run('collect finish parks --dataset parks --people People')).stderr).toMatch(
    /^accord: system: reserved name: expected another name: this one stands for/,
  )
  expect(await run('collect finish parks --dataset parks --people held-out')).toMatchObject({
    code: 0,
    stdout: 'Created dataset parks\n  images    2\n  captions  2 (K = 1)\n  system    held-out, 2 captions\n',
  })
  expect((await run('systems --dataset parks --format json')).stdout).toContain('"held-out"')
  expect((await run('collect remove parks')).stdout).toBe('Removed collection parks\n')
  expect((await run('collect show parks')).stderr).toMatch(
    /^accord: collection: unknown collection: expected a collection; there is none yet/,
  )
  expect(await run('collect list')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/no collections yet/),
  })
})

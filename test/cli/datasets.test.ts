import { existsSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { importPark, workbench } from './kit.js'

const bench = workbench()
const { run, dump, path } = bench

it('lists datasets in every format, and removes systems and datasets', async () => {
  await importPark(bench, 'with systems')
  const [table, json, csv] = await Promise.all([
    run('datasets'),
    run('datasets --format json'),
    run('datasets --format csv'),
  ])
  expect(table).toMatchObject({ code: 0, stderr: '' })
  expect(table.stdout).toBe(
    [
      'dataset  K  images  captions  excluded  systems',
      '─'.repeat(59),
      'park     3       4        11         1  captioner, detector',
      '',
    ].join('\n'),
  )
  const park = { name: 'park', captionsPerImage: 3, imageCount: 4, captionCount: 11, excludedImageCount: 1 }
  expect(JSON.parse(json.stdout)).toEqual({ datasets: [{ ...park, systems: ['captioner', 'detector'] }] })
  const cells = Object.fromEntries(Object.entries(park).map(([name, value]) => [name, String(value)]))
  expect(parse(csv.stdout, { columns: true })).toEqual([{ ...cells, systems: 'captioner; detector' }])

  const system = await run('remove system detector --dataset park')
  expect(system).toMatchObject({ code: 0, stdout: 'Removed system detector from dataset park\n', stderr: '' })
  expect(dump()).toMatchObject({ word_scores: [], image_set: [] })
  expect(dump().system).toHaveLength(1)

  const dataset = await run('remove dataset park')
  expect(dataset).toMatchObject({ code: 0, stdout: 'Removed dataset park and its 1 system\n', stderr: '' })
  const { accord_migrations: _migrations, sqlite_sequence: _sequence, token: _token, job, ...tables } = dump()
  // Jobs remain that belong to no dataset.
  expect((job as unknown[][]).map(([, kind]) => kind)).toEqual(['removeDataset'])
  expect(Object.values(tables).flat()).toEqual([])

  const empty = await run('datasets --format json')
  expect(empty).toMatchObject({
    code: 0,
    stdout: '{\n  "datasets": []\n}\n',
    stderr: 'There are no datasets yet. See accord import captions --help\n',
  })
})

it.concurrent.each(['words --dataset park', 'import results r.json --dataset park --system a'])(
  'without a database, %s fails and creates none',
  async (command) => {
    const { code, stdout, stderr } = await run(`${command} --database none.sqlite`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^accord: none\.sqlite: no database found; .+\n$/)
    expect(existsSync(path('none.sqlite'))).toBe(false)
  },
)

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getOperationAST, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { rankSystems } from '../../src/services/leaderboard/leaderboard.js'
import { leaderboardStandings } from '../../src/services/leaderboard/standings.js'
import { SEED_DATASET } from '../../src/services/seed/seed.js'
import { outcomeOf, PROGRAM, runHere } from '../cli/kit.js'
import { DOCUMENTS, execute, prepareFolder, readDocument } from '../kit/documents.js'
import { EXAMPLES } from '../kit/examples.js'
import { drawPicture, type PictureRow } from '../kit/picture.js'
import { initWorld } from '../kit/seed.js'

const METRICS = ['CIDEr-D', 'METEOR', 'SPICE']

describe('the documentation', async () => {
  const world = await initWorld()
  const folder = await prepareFolder(world)
  const api = await world.serve({ workers: 1 })

  const runBuilt = (words: readonly string[]) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    return outcomeOf(spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, stdio: [...stdio] }))
  }

  it.each(DOCUMENTS)('%s shows what the built program and the server answer', async (path) => {
    const real = await execute(readDocument(path), folder, api, runBuilt)
    await expect(real).toMatchFileSnapshot(projectFile(path))
  })

  it('has a picture of people and systems', async () => {
    const computed = ['agreement', 'evaluate'].map((command) => `${command} --dataset scenes --metric SPICE`)
    for (const command of computed) expect(await runHere(command, {}, folder)).toMatchObject({ code: 0 })
    const panels = new Map<string, PictureRow[]>()
    for (const metric of METRICS) {
      const query = `{ dataset(name: "scenes") { leaderboards(metrics: ["${metric}"], references: 4) { rows { nodes {
        subject { name } value interval { lower upper } } } } } }`
      const { nodes } = (await api.ask(query)).dataset.leaderboards[0].rows
      const rows: PictureRow[] = nodes.map(
        ({ subject: { name }, ...row }: { subject: { name: string } } & PictureRow) => ({ ...row, name }),
      )
      panels.set(
        metric,
        rows.sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name)),
      )
    }
    await expect(drawPicture(panels)).toMatchFileSnapshot(projectFile('docs/people-and-systems.svg'))
  })

  it('has a picture of what systems say beside people', async () => {
    expect(
      await runBuilt(
        'coverage --dataset scenes --document-frequencies coco --plot any-length.svg'.split(' '),
      ),
    ).toMatchObject({ code: 0 })
    const picture = readFileSync(join(folder, 'any-length.svg'), 'utf8')
    await expect(picture).toMatchFileSnapshot(projectFile('docs/any-length.svg'))
  })

  it.each(['BLEU-1', 'BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR'])(
    'has a bundled dataset with a complete leaderboard by %s, on which good is above people and verbose last',
    async (metric) => {
      const dataset = await requireDataset(world.accord, SEED_DATASET)
      const rows = await rankSystems(world.accord, dataset, { by: 'METRIC', metric, references: 4 })
      const names = rows.map(({ system }) => system?.name ?? 'people')
      expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
      expect(names.at(-1)).toBe('verbose')
      const standings = await leaderboardStandings(world.accord, dataset, rows, {
        by: 'METRIC',
        metric,
        references: 4,
      })
      // By METEOR the tests do not tell good from people.
      expect(standings[names.indexOf('people')]?.notes.join()).toMatch(
        metric === 'METEOR'
          ? /^$/
          : new RegExp(
              `^Above people by ${metric} \\(paired tests, corrected for all pairs of the board\\): good`,
            ),
      )
    },
  )

  it.each(EXAMPLES.map((text) => [getOperationAST(parse(text))?.name?.value, text]))(
    'has an explorer with the example %s, which works on the bundled dataset',
    async (_name, text) => {
      const data = await api.ask(text as string)
      expect(JSON.stringify(data).length).toBeGreaterThan(200)
    },
  )
})

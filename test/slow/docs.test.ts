import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { runHere } from '../cli/kit.js'
import { DOCUMENTS, execute, prepareFolder, readDocument } from '../kit/documents.js'
import { drawPicture, type PictureRow } from '../kit/picture.js'
import { initWorld } from '../kit/seed.js'

const METRICS = ['CIDEr-D', 'METEOR', 'SPICE']

describe('the documentation', async () => {
  const world = await initWorld()
  const folder = await prepareFolder(world)
  const api = await world.serve({ workers: 1 })

  it.each(DOCUMENTS)('%s shows the real output of its commands and queries', async (path) => {
    const real = await execute(readDocument(path), folder, api)
    await expect(real).toMatchFileSnapshot(projectFile(path))
  })

  it('has a picture of people and systems', async () => {
    const computed = ['agreement', 'evaluate'].map((command) => `${command} --dataset scenes --metric SPICE`)
    for (const command of computed) expect(await runHere(command, {}, folder)).toMatchObject({ code: 0 })
    const panels = new Map<string, PictureRow[]>()
    for (const metric of METRICS) {
      const query = `{ dataset(name: "scenes") { leaderboard(metrics: ["${metric}"], references: 4) { rows { nodes {
        system { name } value interval { lower upper } } } } } }`
      const { nodes } = (await api.ask(query)).dataset.leaderboard[0].rows
      const rows: PictureRow[] = nodes.map(
        ({ system, ...row }: { system: { name: string } | null } & PictureRow) => ({
          ...row,
          name: system?.name ?? 'people',
        }),
      )
      panels.set(
        metric,
        rows.sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name)),
      )
    }
    await expect(drawPicture(panels)).toMatchFileSnapshot(projectFile('docs/people-and-systems.svg'))
  })
})

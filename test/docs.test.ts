/**
 * The promises of the documentation. `npm run docs` writes the real output of commands and queries, the table of metrics
 * and the picture into it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../src/project.js'
import { requireDataset } from '../src/services/datasets/datasets.js'
import { SEED_DATASET } from '../src/services/datasets/load-seed.js'
import { listMetrics } from '../src/services/evaluations/scores.js'
import { leaderboardNotes } from '../src/services/leaderboard/complete-rows.js'
import { rankSystems } from '../src/services/leaderboard/leaderboard.js'
import {
  blocksOf,
  commandsOf,
  DOCUMENTS,
  execute,
  NOT_EXECUTED,
  prepareFolder,
  readDocument,
} from './kit/documents.js'
import { initWorld } from './kit/seed.js'

/** The others are executed by test/slow/docs.test.ts. */
const FAST = ['README.md', 'docs/api.md']

describe('the documentation', async () => {
  const world = await initWorld()
  const folder = await prepareFolder(world)
  const api = await world.serve()

  it.each(FAST)('%s shows the real output of its commands and queries', async (path) => {
    const real = await execute(readDocument(path), folder, api)
    await expect(real).toMatchFileSnapshot(projectFile(path))
  })

  it('has a row for every metric, and no other', async () => {
    const rows = (await listMetrics(world.accord)).map(
      ({ name, lowest, highest, citation, signature }) =>
        `| ${name} | ${lowest} to ${highest} | ${citation} | \`${signature.replaceAll('|', ' ')}\` |\n`,
    )
    const path = 'docs/metrics.md'
    const real = readDocument(path).replace(/(?<=^\| metric \|.*\n\|---.*\n)(\|.*\n)+/m, rows.join(''))
    await expect(real).toMatchFileSnapshot(projectFile(path))
  })

  it('lists every command that is not executed', () => {
    const commands = DOCUMENTS.flatMap((path) =>
      blocksOf(readDocument(path)).flatMap(({ language, text }) =>
        language === 'sh' ? commandsOf(text) : [],
      ),
    )
    for (const { line } of NOT_EXECUTED) expect(commands).toContainEqual(expect.stringMatching(line))
  })

  it('links to files that exist', () => {
    for (const path of DOCUMENTS) {
      const prose = readDocument(path).replaceAll(/^```.*?^```$|^ {4}[^\n]*$/gms, '')
      for (const [, target] of prose.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
        expect(existsSync(projectFile(join(dirname(path), target))), `${path}: ${target}`).toBe(true)
      }
    }
  })

  it('has a README of at most 15 kB that names every page', () => {
    const readme = readDocument('README.md')
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(15_000)
    for (const path of DOCUMENTS.slice(1)) expect(readme).toContain(`](${path})`)
  })

  it.each(['BLEU-1', 'BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR'])(
    'has a bundled dataset with a complete leaderboard by %s, on which good is above people and verbose last',
    async (metric) => {
      const dataset = await requireDataset(world.accord, SEED_DATASET)
      const rows = await rankSystems(world.accord, dataset, { by: 'METRIC', metric, references: 4 })
      const names = rows.map(({ system }) => system?.name ?? 'people')
      expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
      expect(names.at(-1)).toBe('verbose')
      const notes = await leaderboardNotes(world.accord, dataset, rows, { by: 'METRIC', metric })
      expect(notes[names.indexOf('people')].join()).toContain(`Above people by ${metric}: good`)
    },
  )

  it('names every folder of the sources', () => {
    const map = readDocument('CONTRIBUTING.md')
    for (const name of [...foldersOf('src'), ...foldersOf('src/core')])
      expect(map).toMatch(new RegExp(`^ +${name}/ `, 'm'))
  })
})

function foldersOf(path: string): string[] {
  const entries = readdirSync(projectFile(path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

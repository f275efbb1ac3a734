/** The README's promises that can be checked without a browser or another machine. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../src/project.js'
import { requireDataset } from '../src/services/datasets/datasets.js'
import { SEED_DATASET } from '../src/services/datasets/load-seed.js'
import { listMetrics } from '../src/services/evaluations/scores.js'
import { leaderboardNotes } from '../src/services/leaderboard/complete-rows.js'
import { rankSystems } from '../src/services/leaderboard/leaderboard.js'
import { initWorld, loadEvaluatedSeed } from './kit/seed.js'

const readme = readFileSync(projectFile('README.md'), 'utf8')

/** Contents of the fenced blocks of a language, in order. */
function blocks(language: string): string[] {
  return Array.from(
    readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')),
    ([, text]) => text,
  )
}

describe('the README', async () => {
  const world = await initWorld()

  it('shows the real answer to its first query', async () => {
    const [query] = blocks('graphql')
    const [answer] = blocks('json')
    await loadEvaluatedSeed(world.accord)
    const api = await world.serve()
    expect({ data: await api.ask(query) }).toEqual(JSON.parse(answer))
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

  it('has a row for every metric, and no other', async () => {
    const rows = (await listMetrics(world.accord)).map(
      ({ name, lowest, highest, citation, signature }) =>
        `| ${name} | ${lowest} to ${highest} | ${citation} | \`${signature.replaceAll('|', ' ')}\` |`,
    )
    const table = readme.split('\n').filter((line) => /^\| .* \| `.* tok:/.test(line))
    expect(table).toEqual(rows)
  })

  it('names every folder of the sources', () => {
    const map = readme.slice(readme.indexOf('## Map of the code'))
    for (const folder of [...foldersOf('src'), ...foldersOf('src/core')]) {
      expect(map).toMatch(new RegExp(`^ +${folder}/ `, 'm'))
    }
  })
})

function foldersOf(path: string): string[] {
  const entries = readdirSync(projectFile(path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

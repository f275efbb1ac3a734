import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandsOf, execute, readDocument } from '../kit/documents.js'
import { initWorld } from '../kit/seed.js'
import { runHere } from './kit.js'

const world = await initWorld()

const NAMES = ['references.json', 'mine.json', 'baseline.json', 'scores.jsonl', 'judgements.jsonl']

function folder(name: string): string {
  const path = join(world.folder, name)
  mkdirSync(path)
  return path
}

it('writes files into a folder, where the commands of the documentation run', async () => {
  const empty = folder('empty')
  const { code, stdout } = await runHere('demo', {}, empty)
  expect(code).toBe(0)
  for (const name of NAMES) expect(stdout).toMatch(new RegExp(`^${name} +[a-z]`, 'm'))
  const score = await runHere(
    'score references.json mine.json baseline.json --metrics BLEU-1 --significance --json',
    {},
    empty,
  )
  const { scores } = JSON.parse(score.stdout)
  expect(
    scores.map(({ system, imageCount }: { system: string; imageCount: number }) => [system, imageCount]),
  ).toEqual([
    ['mine', 244],
    ['baseline', 244],
  ])
  const imported = [
    'import captions references.json --dataset own',
    'import scores scores.jsonl --dataset own --system detector',
  ]
  for (const command of imported) expect((await runHere(command, {}, empty)).code, command).toBe(0)
  expect((await runHere('judge judgements.jsonl --metrics BLEU-1', {}, empty)).code).toBe(0)
})

it.each(['README.md', 'docs/command-line.md', 'docs/from-pycocoevalcap.md'])(
  'the commands of %s run as printed in an empty folder',
  async (path) => {
    const empty = folder(`of-${path.replace('/', '-')}`)
    expect((await runHere('demo', {}, empty)).code).toBe(0)
    const document = readDocument(path)
    const api = await world.serve()
    expect(await execute(document, empty, api, (words) => runHere(words, {}, empty))).toBe(document)
    const lists = commandsOf(document.match(/^```sh\n(accord .*?)^```/ms)?.[1] ?? '')
    expect(lists.length).toBeGreaterThan(0)
  },
)

it('overwrites nothing', async () => {
  const used = folder('used')
  writeFileSync(join(used, 'mine.json'), 'mine')
  const { code, stdout, stderr } = await runHere('demo', {}, used)
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('mine.json: the file exists; nothing was written'),
  })
  expect(readFileSync(join(used, 'mine.json'), 'utf8')).toBe('mine')
  expect(existsSync(join(used, 'references.json'))).toBe(false)
  expect((await runHere('demo --force', {}, used)).code).toBe(0)
  expect(readFileSync(join(used, 'mine.json'), 'utf8')).toMatch(/^\[\{/)
})

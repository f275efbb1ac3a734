import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { listMetricNames } from '../../src/services/evaluations/metric-names.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { workbench } from './kit.js'

const { run, write, path } = workbench()
const NAMED = ['METEOR', 'CIDEr-D', 'ROUGE-L', 'BLEU-4', 'BLEU-1']
const METRICS = `--metrics ${NAMED.join(' ')}`
const SHOWN = listMetricNames().filter((name) => NAMED.includes(name))
const IMAGES = Array.from({ length: 12 }, (_, index) => String(index + 1))
const byImage = <Value>(value: Value) => Object.fromEntries(IMAGES.map((id) => [id, value]))

beforeAll(async () => {
  const captions = ['a dog runs in the park', 'the brown dog is running', 'a dog is in a park']
  write('human.json', cocoCaptions(byImage(captions)))
  write('one.json', cocoResults(byImage('a dog runs in a park')))
  write('two.json', cocoResults(byImage('a cat is in the park')))
  await succeed('import captions human.json --dataset park --captions-per-image 3')
  // Stored before the others, which are computed later.
  for (const name of ['one', 'two']) {
    await succeed(`import results ${name}.json --dataset park --system ${name}`)
    await succeed(`evaluate --dataset park --system ${name} --metrics METEOR`)
  }
  await succeed(`evaluate --dataset park --people ${METRICS}`)
})

async function succeed(command: string): Promise<string> {
  const { code, stdout, stderr } = await run(command)
  expect(code, stderr).toBe(0)
  return stdout
}

/** Metrics in the order in which they first stand for themselves, in a cell, a heading or a text of JSON. */
function metricsIn(output: string): string[] {
  return [...new Set(output.match(/(?<![\w-])(BLEU-[14]|ROUGE-L|CIDEr-D|METEOR)(?![\w-])/g))]
}

/** Without what stands before and after the scores. */
const SCORES: Readonly<Record<string, (output: string) => string>> = {
  table: (output) => output.slice(output.search(/^(system|figure|metric|image| *all)\b/m)),
  csv: (output) => output,
  json: (output) => {
    const { scores, comparisons, rows } = JSON.parse(output)
    return JSON.stringify([scores ?? comparisons ?? rows])
  },
}

describe.each(['table', 'csv', 'json'])('metrics stand in one order as %s', (format) => {
  it.each([
    'score human.json one.json two.json',
    'score human.json one.json two.json --significance --layout long',
    'evaluate --dataset park',
    'evaluate --dataset park --people --layout long',
    'agreement --dataset park',
    'compare human.json one.json two.json',
    'compare --dataset park --system one two --people',
    'leaderboard --dataset park',
    'leaderboard --dataset park --layout long',
    'show 1 --dataset park',
  ])('%s', async (command) => {
    const output = await succeed(`${command} ${METRICS} --format ${format}`)
    const scores = command.startsWith('show') ? output : SCORES[format](output)
    expect(metricsIn(scores)).toEqual(SHOWN)
  })
})

it.each([
  `evaluate --dataset park ${METRICS} --per-image -`,
  'export scores --dataset park',
  'export scores --dataset park --json',
])('metrics stand in one order: %s', async (command) => {
  expect(metricsIn(await succeed(command))).toEqual(SHOWN)
})

it('metrics stand in one order: report', async () => {
  await succeed(`report --dataset park --markdown ${METRICS} --out section.md`)
  const [, table] = readFileSync(path('section.md'), 'utf8').split('\n| ')
  expect(metricsIn(table)).toEqual(SHOWN)
})

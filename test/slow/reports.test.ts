/** Every report: the columns of CSV are paths in the JSON of its rows, and the help lists what the JSON has. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { insertArtefact } from '../../src/store/metrics.js'
import { runHere } from '../cli/kit.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { addTrainingData, simpleComposite } from '../kit/composites.js'
import { describeParks, parkCaption, parksFile } from '../kit/parks.js'
import { initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
const file = (name: string) => join(world.folder, name)

async function succeed(words: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(words, { ACCORD_DATABASE: world.location })
  expect(code, stderr).toBe(0)
  return stdout
}

const SIZES = '--validation-images 5 --test-images 12 --min-word-count 1 --embedding 8 --state 8 --epochs 1'

beforeAll(async () => {
  await addTrainingData(world)
  await insertArtefact(world.database, simpleComposite(openMetricRegistry(), 'EvalRC', ['ROUGE-L', 'CIDEr']))
  const boxed = {
    images: [{ image_id: 1, boxes: [{ id: 1, concept: 'dog', bbox: [0, 0, 9, 9] }] }],
    descriptions: ['a', 'b'].map((id) => ({ id, image_id: 1, mentions: [1] })),
  }
  writeFileSync(file('boxes.json'), JSON.stringify(boxed))
  writeFileSync(file('votes.csv'), 'atom,voter,visual\nstand,anna,yes\nstand,ben,no\n')
  const human = { 1: ['a dog', 'the dog'], 2: ['a cat', 'the cat'] }
  const results = { 1: 'a dog', 2: 'a dog' }
  const coco = cocoCaptions(human)
  const images = coco.images.map((image) => ({ ...image, domain: 'near' }))
  writeFileSync(file('human.json'), JSON.stringify({ ...coco, images }))
  for (const name of ['one', 'two']) writeFileSync(file(`${name}.json`), JSON.stringify(cocoResults(results)))
  // Names with a dot are keys in paths.
  const pets = await world.dataset('pets', { images: human })
  await pets.captionSystem('v1.2', results)
  await pets.scoreSystem('detector', { 1: { dog: 0.9 }, 2: { cat: 0.1 } })
  await succeed(`import boxes ${file('boxes.json')} --dataset boxes`)
  await succeed(`import votes ${file('votes.csv')} --dataset train --kind action`)
  writeFileSync(file('parks.csv'), parksFile(11))
  await succeed(`collect create --dataset parks --images ${file('parks.csv')} --per-image 3`)
  const [anna, ben, cleo] = [0, 1, 2].map((number) => (image: string) => parkCaption(image, number))
  await describeParks(world.accord, 'parks', { anna, ben, cleo })
  await succeed('agreement --dataset train')
  await succeed('evaluate --dataset train --metrics BLEU METEOR EvalRC')
  await succeed('challenge create demo --phase main=pets --closes 2126-01-01T00:00:00Z')
  await succeed(`submit ${file('one.json')} --challenge demo`)
  await succeed(`bounds run --dataset train --atoms 0 4 --replace 0 0.5 ${SIZES}`)
})

/** The property of the JSON whose rows are those of CSV, by command. */
const REPORTS: readonly (readonly [command: string, words: string, table: string])[] = [
  ['datasets', '', 'datasets'],
  ['systems', '--dataset train', 'systems'],
  ['show', 'i1 --dataset train --metrics METEOR CIDEr EvalRC', 'captions'],
  ['words', '--dataset pets --system v1.2 detector', 'words'],
  ['examples', '--dataset pets --system v1.2 --metric BLEU-1', 'examples'],
  ['evaluate', '--dataset train --metrics BLEU METEOR EvalRC', 'scores'],
  ['agreement', '--dataset train', 'scores'],
  ['agreement', '--dataset train --references 1 --metrics METEOR', 'scores'],
  ['agreement', '--dataset train --metrics METEOR --by language', 'scores'],
  ['compare', '--dataset train --system good bad --people --metrics METEOR BLEU-4', 'comparisons'],
  ['compare', '--dataset pets --system v1.2 --people --word-precision --word dog', 'comparisons'],
  ['coverage', '--dataset train', 'rows'],
  ['coverage', '--dataset train --units objects', 'rows'],
  ['diversity', '--dataset train', 'rows'],
  ['leaderboard', '--dataset train --metric METEOR', 'rows'],
  ['leaderboard', '--dataset pets', 'rows'],
  ['judge', '--dataset rated --metric METEOR BLEU-1 --compare METEOR BLEU-1 --resamples 100', 'rows'],
  ['judge', '--dataset preferred --metric METEOR --resamples 100', 'rows'],
  ['selection', '--dataset boxes --k 1 2', 'rows'],
  ['atoms', '--dataset train --top 3', 'atoms'],
  ['votes', '--dataset train', 'atoms'],
  ['bounds', '--dataset train --metric METEOR', 'points'],
  ['score', `${file('human.json')} ${file('one.json')} ${file('two.json')} --significance`, 'scores'],
  ['score', `${file('human.json')} ${file('one.json')} ${file('two.json')} --by domain`, 'scores'],
  ['papers', '--dataset train', 'items'],
  ['artefacts list', '', 'artefacts'],
  ['metrics', '', 'metrics'],
  ['challenge list', '', 'challenges'],
  ['challenge show', 'demo', 'phases'],
  ['challenge board', 'demo', 'rows'],
  ['challenge submissions', 'demo', 'submissions'],
  ['challenge audit', 'demo', 'entries'],
  ['collect list', '', 'collections'],
  ['collect show', 'parks', 'annotators'],
]

describe('the columns of CSV are paths in the JSON', () => {
  it.each(REPORTS)('accord %s %s', async (command, words, table) => {
    const [json, csv, tsv] = [
      await succeed(`${command} ${words} --format json`),
      await succeed(`${command} ${words} --format csv`),
      await succeed(`${command} ${words} --format tsv`),
    ]
    const rows: object[] = JSON.parse(json)[table]
    const [header, ...cells]: string[][] = parse(csv)
    const flat = rows.map((row) => flatten(row))
    expect(rows.length).toBeGreaterThan(0)
    expect(cells).toEqual(flat.map((row) => header.map((path) => row.get(path) ?? '')))
    for (const path of header)
      expect(
        flat.some((row) => isIn(row, path)),
        path,
      ).toBe(true)
    expect(new Set(header).size).toBe(header.length)
    expect(tsv.split('\n')[0]).toBe(header.join('\t'))
  })

  it('of the scores of images too', async () => {
    const scores = 'export scores --dataset train --system good --format'
    const rows: object[] = JSON.parse(await succeed(`${scores} json`))
    const csv: Json[] = parse(await succeed(`${scores} csv`), { columns: true })
    expect(csv).toEqual(rows.map((row) => Object.fromEntries(flatten(row))))
  })
})

/** Text of every value in a row, by its path; of lists also as a whole. */
function flatten(value: unknown, path = '', flat = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(value)) flat.set(path, value.join('; '))
  if (typeof value !== 'object' || value === null) return flat.set(path, value === null ? '' : String(value))
  for (const [key, property] of Object.entries(value)) flatten(property, path ? `${path}.${key}` : key, flat)
  return flat
}

/** Whether the row has the path, or a part of it is null. */
function isIn(row: ReadonlyMap<string, string>, path: string): boolean {
  const parts = path.split('.').map((_, index, keys) => keys.slice(0, index + 1).join('.'))
  return row.has(path) || parts.some((part) => row.get(part) === '')
}

describe('the help of a report lists the properties of its JSON', () => {
  it('of every command with reports', async () => {
    const reporting = commandsOf(await createProgram()).filter(({ command }) =>
      command.options.some(({ long, argChoices }) => long === '--format' && argChoices?.includes('latex')),
    )
    expect(reporting.map(({ path }) => path).sort()).toEqual(
      [...new Set(REPORTS.map(([path]) => path))].sort(),
    )
  })

  it.each(REPORTS)('accord %s %s', async (name, words, table) => {
    const json: Json = JSON.parse(await succeed(`${name} ${words} --format json`))
    const help = await succeed(`${name} --help`)
    const [, rowsOfCsv, section] = help.match(/^JSON \(csv and tsv: (\w+)\):\n(.*?)\n\n/ms) as string[]
    expect(rowsOfCsv).toBe(table)
    const listed = Array.from(
      section.replaceAll(/\n {3,}/g, ' ').matchAll(/^ {2}(\w+)(?: \(\w+\))? +(.+)$/gm),
      ([, of, properties]) => ({ of, properties }),
    )
    const [report, ...tables] = listed
    // `subsets (with --by)` is there where the option is, and what is said of files where they are given.
    const there = report.properties
      .split(', ')
      .filter((property) => !property.endsWith(' (of files)') || !words.includes('--dataset'))
      .filter((property) => words.includes(/ \(with (--\S+)\)$/.exec(property)?.[1] ?? ''))
      .map((property) => property.replace(/ \(.*/, ''))
    expect({ ...report, properties: there }).toEqual({ of: 'report', properties: Object.keys(json) })
    for (const { of } of tables) {
      const choices = tables.filter((entry) => entry.of === of).map(({ properties }) => properties)
      // A table that only other options have.
      for (const row of json[of] ?? []) expect(choices).toContain(Object.keys(row).join(', '))
    }
  })
})

function commandsOf(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  return [
    { path: path.join(' '), command },
    ...command.commands.flatMap((sub) => commandsOf(sub, [...path, sub.name()])),
  ]
}

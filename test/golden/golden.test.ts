import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'

/** 200 images of our own: all figures of captions and words, as `golden.py` computes them without Accord. */

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const readCsv = (text: string | Buffer): Row[] => parse(text, { columns: true })

type Row = Readonly<Record<string, string>>
type Json = ReturnType<typeof JSON.parse>

const TOLERANCE = 1e-9
const SYSTEMS = ['strong', 'middling', 'weak']
const METRICS = ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr', 'CIDEr-D']

const corpus = JSON.parse(readFileSync(file('corpus.json'), 'utf8'))

const { path, run } = workbench()

async function succeed(command: string): Promise<string> {
  const { code, stdout, stderr } = await run(command)
  expect(code, stderr).toBe(0)
  return stdout
}

beforeAll(async () => {
  await succeed(`import captions ${file('data/captions.json')} --dataset golden`)
  for (const system of SYSTEMS) {
    await succeed(`import results ${file(`data/${system}.json`)} --dataset golden --system ${system}`)
  }
  await succeed(`import scores ${file('data/detector.jsonl')} --dataset golden --system detector`)
})

/** Describes a figure that differs by more than the tolerance. */
function difference(what: string, found: number | null, expected: number | null): string[] {
  const isSame =
    found === null || expected === null ? found === expected : Math.abs(found - expected) <= TOLERANCE
  return isSame ? [] : [`${what}: expected ${expected}, found ${found}`]
}

it('captions of systems: the corpus and every image', async () => {
  const metrics = METRICS.join(' ')
  const stdout = await succeed(
    `evaluate --dataset golden --system ${SYSTEMS.join(' ')} --metrics ${metrics} --format json --per-image images.csv`,
  )
  const { scores }: { scores: Json[] } = JSON.parse(stdout)
  expect(scores).toHaveLength(SYSTEMS.length * METRICS.length)
  const ofCorpus = scores.flatMap(({ system, metric, value }) =>
    difference(`${system} ${metric}`, value, corpus[system][metric]),
  )
  const found = new Map(
    readCsv(readFileSync(path('images.csv'))).map((row) => [`${row.system} ${row.imageId}`, row]),
  )
  const expected = readCsv(readFileSync(file('images.csv')))
  expect([expected.length, found.size]).toEqual([600, 600])
  const ofImages = expected.flatMap((row) => {
    const key = `${row.system} ${row.image}`
    return METRICS.flatMap((metric) =>
      difference(`${key} ${metric}`, Number(found.get(key)![metric]), Number(row[metric])),
    )
  })
  expect([...ofCorpus, ...ofImages]).toEqual([])
})

it('captions of people: every fold', async () => {
  const stdout = await succeed(`agreement --dataset golden --metrics ${METRICS.join(' ')} --format json`)
  const { scores }: { scores: Json[] } = JSON.parse(stdout)
  const differences = scores.flatMap(({ metric, folds }) =>
    folds.flatMap((value: number, fold: number) =>
      difference(`${metric} fold ${fold}`, value, corpus.people[fold][metric]),
    ),
  )
  expect(differences).toEqual([])
  expect(scores.map(({ metric, folds }) => [metric, folds.length])).toEqual(METRICS.map((name) => [name, 5]))
})

describe('words', () => {
  const golden = readCsv(readFileSync(file('words.csv')))
  const figure = (row: Row, column: string) => (row[column] === '' ? null : Number(row[column]))

  /** Those whose figures are compared with k references: each word with one number of them. */
  const wordsWith = (k: number) => golden.filter((_, index) => index % 4 === k - 1)

  it.each([1, 2, 3, 4])('people and a detector with %i references', async (k) => {
    const rows = wordsWith(k)
    expect(rows.length).toBeGreaterThan(100)
    const stdout = await succeed(
      `words --dataset golden --system detector --references ${k} --word ${rows.map(({ word }) => word).join(' ')} --format json`,
    )
    const words = new Map<string, Json>(JSON.parse(stdout).words.map((word: Json) => [word.word, word]))
    const differences = rows.flatMap((row) => {
      const { word } = row
      const {
        histogram,
        precision,
        recall,
        systems: { detector },
      } = words.get(word)
      return [
        ...histogram.flatMap((images: number, count: number) =>
          difference(`${word} h${count}`, images, Number(row[`h${count}`])),
        ),
        ...difference(`${word} precision`, precision, figure(row, `precision${k}`)),
        ...difference(`${word} recall`, recall, figure(row, 'recall')),
        ...difference(`${word} PHR`, detector.precisionAtHumanRecall, figure(row, `phr${k}`)),
        ...difference(`${word} AP`, detector.averagePrecision, figure(row, `ap${k}`)),
      ]
    })
    expect(differences).toEqual([])
  })
})

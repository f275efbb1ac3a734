import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPublishedFinder, type WordMention } from '../../src/core/objects/published-chair.js'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'

const LARGE_MODELS = ['instructblip-short', 'llava-short', 'minigpt4-brief', 'mmgpt-short', 'mplug-owl-brief']
const DATASETS = [
  {
    name: 'images_814',
    folder: 'large_models',
    captions: 'captions_814',
    objects: 'objects_814.csv',
    systems: LARGE_MODELS,
  },
  {
    name: 'val2017',
    folder: 'coco',
    captions: 'captions_val2017',
    objects: 'objects_val2017.csv',
    systems: ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016'],
  },
] as const
const WORDS = 'large_models/words.csv'
const MENTIONS = 'golden/chair_mentions.jsonl'
const GOLDEN = 'golden/chair.json'

const resultsOf = ({ folder, captions }: (typeof DATASETS)[number], system: string) =>
  `${folder}/${captions}_${system}_results.json`

const present = dataPresent('objects compared with those of the published program', [
  WORDS,
  MENTIONS,
  GOLDEN,
  ...DATASETS.flatMap((dataset) => [
    `large_models/${dataset.objects}`,
    ...dataset.systems.map((system) => resultsOf(dataset, system)),
  ]),
])

interface Caption {
  readonly image_id: number
  readonly caption: string
}
type GoldenMention = { system: string; image_id: number; words: string[]; objects: string[] }
type Golden = Record<
  string,
  Record<string, Record<'CHAIRs' | 'CHAIRi' | 'mentions' | 'recall' | 'n', number>>
>

const readJson = (name: string) => JSON.parse(readFileSync(dataFile(name), 'utf8'))
const linesOf = (name: string) => readFileSync(dataFile(name), 'utf8').trimEnd().split(/\r?\n/)

/** By how much a figure of our words differs at most from that of the published ones. */
const TOLERANCE = 0.03

describe.skipIf(!present)('our words of objects', () => {
  const { run } = workbench()

  it.each(DATASETS)('have nearly the published figures of $name', async (dataset) => {
    const scores = await scoresOf(dataset)
    for (const { system, metric, value, published, signature } of scores) {
      expect(signature).toContain('|res:objects-')
      expect(Math.abs(value - published), `${system} ${metric}`).toBeLessThan(TOLERANCE)
    }
  })

  it.each(DATASETS)('of the published program give its figures of $name', async (dataset) => {
    const scores = await scoresOf(dataset, '--object-words', dataFile(WORDS), '--chair-compatible')
    for (const { system, metric, value, published, signature } of scores) {
      expect(signature).toMatch(/\|objects:coco80\|words:file-\w{8}\|mode:CHAIR-compatible\|.*\|text:raw\|/)
      expect(value, `${system} ${metric}`).toBeCloseTo(published, 12)
    }
  })

  const FIGURES = { 'CHAIR-i': 'CHAIRi', 'CHAIR-s': 'CHAIRs', 'object-recall': 'recall' } as const

  /** The figures of all systems of a dataset, beside those that are published. */
  async function scoresOf(dataset: (typeof DATASETS)[number], ...options: readonly string[]) {
    const files = dataset.systems.map((system) => dataFile(resultsOf(dataset, system)))
    const { code, stdout } = await run([
      'score',
      dataFile(`${dataset.folder}/${dataset.captions}.json`),
      ...files,
      ...['--objects', dataFile(`large_models/${dataset.objects}`)],
      ...['--metrics', 'CHAIR', 'object-recall', '--json', ...options],
    ])
    expect(code).toBe(0)
    const golden: Golden = readJson(GOLDEN)
    const scores: { file: string; metric: keyof typeof FIGURES; value: number; signature: string }[] =
      JSON.parse(stdout).scores
    expect(scores).toHaveLength(3 * files.length)
    return scores.map((score) => {
      const system = dataset.systems[files.indexOf(score.file)]
      return { ...score, system, published: golden[dataset.name][system][FIGURES[score.metric]] }
    })
  }
})

describe.skipIf(!present)('objects of the published program', () => {
  let find: (caption: string) => WordMention[]

  beforeAll(() => {
    const rows = linesOf(WORDS)
      .slice(1)
      .filter((line) => line !== ',')
    const words = new Map(
      rows.map((line) => {
        const comma = line.indexOf(',')
        return [line.slice(0, comma), line.slice(comma + 1).split('|')]
      }),
    )
    expect(words.size).toBe(80)
    find = createPublishedFinder(words)
  })

  it('are the words that it finds in 900 captions', () => {
    const captions = new Map(
      LARGE_MODELS.map((system) => {
        const records: Caption[] = readJson(resultsOf(DATASETS[0], system))
        return [system, new Map(records.map(({ image_id, caption }) => [image_id, caption]))]
      }),
    )
    const golden = linesOf(MENTIONS).map((line): GoldenMention => JSON.parse(line))
    expect(golden).toHaveLength(900)
    for (const { system, image_id, words, objects } of golden) {
      const caption = captions.get(system)?.get(image_id) as string
      const mentions = find(caption)
      expect({ caption, words: mentions.map(({ word }) => word) }).toEqual({ caption, words })
      expect(mentions.map(({ object }) => object)).toEqual(objects)
    }
  })
})

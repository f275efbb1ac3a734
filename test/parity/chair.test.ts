import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'
import { createPublishedFinder, type WordMention } from '../kit/published-chair.js'

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
    const files = dataset.systems.map((system) => dataFile(resultsOf(dataset, system)))
    const { code, stdout } = await run([
      'score',
      dataFile(`${dataset.folder}/${dataset.captions}.json`),
      ...files,
      ...['--objects', dataFile(`large_models/${dataset.objects}`)],
      ...['--metrics', 'CHAIR', 'object-recall', '--json'],
    ])
    expect(code).toBe(0)
    const golden: Golden = readJson(GOLDEN)
    const { scores } = JSON.parse(stdout)
    const figures = { 'CHAIR-i': 'CHAIRi', 'CHAIR-s': 'CHAIRs', 'object-recall': 'recall' } as const
    for (const [metric, name] of Object.entries(figures)) {
      const own: { value: number; signature: string }[] = scores.filter(
        (score: { metric: string }) => score.metric === metric,
      )
      const published = dataset.systems.map((system) => golden[dataset.name][system][name])
      expect(own[0].signature).toContain('|res:objects-')
      for (const [index, { value }] of own.entries()) {
        expect(Math.abs(value - published[index]), `${dataset.systems[index]} ${metric}`).toBeLessThan(
          TOLERANCE,
        )
      }
    }
  })
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

  it.each(DATASETS)('give the figures of $name', (dataset) => {
    const objects = new Map(
      linesOf(`large_models/${dataset.objects}`)
        .slice(1)
        .map((line) => {
          const [image, list] = line.split(',')
          return [Number(image), new Set(list === '' ? [] : list.split('|'))]
        }),
    )
    const golden: Golden = readJson(GOLDEN)
    for (const system of dataset.systems) {
      const records: Caption[] = readJson(resultsOf(dataset, system))
      const sums = { mentions: 0, unconfirmed: 0, captions: 0, confirmed: 0, objects: 0 }
      for (const { image_id, caption } of records) {
        const ofImage = objects.get(image_id) ?? new Set()
        const mentions = find(caption).map(({ object }) => object)
        const unconfirmed = mentions.filter((object) => !ofImage.has(object)).length
        sums.mentions += mentions.length
        sums.unconfirmed += unconfirmed
        sums.captions += unconfirmed > 0 ? 1 : 0
        sums.confirmed += new Set(mentions.filter((object) => ofImage.has(object))).size
        sums.objects += ofImage.size
      }
      const { n, CHAIRs, CHAIRi, mentions, recall } = golden[dataset.name][system]
      expect({ system, n: records.length, mentions: sums.mentions }).toEqual({ system, n, mentions })
      expect(sums.unconfirmed / sums.mentions, system).toBeCloseTo(CHAIRi, 12)
      expect(sums.captions / records.length, system).toBeCloseTo(CHAIRs, 12)
      expect(sums.confirmed / sums.objects, system).toBeCloseTo(recall, 12)
    }
  })
})

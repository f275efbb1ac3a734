import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { dataFile } from '../kit/data.js'
import { wordGoldensPresent } from '../parity/word-goldens.js'

const SYSTEMS = ['ensemble9', 'ensemble3']

interface Word {
  readonly word: string
  readonly partOfSpeech: string
  readonly histogram: readonly number[]
  readonly precision: number | null
  readonly recall: number | null
  readonly systems: Readonly<
    Record<string, { precisionAtHumanRecall: number | null; averagePrecision: number | null } | null>
  >
}

describe.skipIf(!wordGoldensPresent)('accord words on COCO val2017', () => {
  const { run } = workbench()
  let golden: Record<string, string>[]

  beforeAll(async () => {
    golden = parse(readFileSync(dataFile('golden/words_val2017.csv')), { columns: true })
    const vocabulary = ['--vocabulary', dataFile('coco/vocabulary_1000.csv')]
    const imageIds = ['--image-ids', dataFile('coco/word_scores_val2017_image_ids.json')]
    const matrix = dataFile('coco/word_scores_val2017_ensemble9.npy')
    const lines = dataFile('coco/word_scores_val2017_ensemble3.jsonl.gz')
    for (const command of [
      ['captions', dataFile('coco/captions_val2017.json'), ...vocabulary],
      ['scores', matrix, ...vocabulary, ...imageIds, '--system', 'ensemble9'],
      ['scores', lines, '--system', 'ensemble3'],
    ]) {
      const { code, stderr } = await run(['import', ...command, '--dataset', 'coco'])
      if (code !== 0) throw new Error(stderr)
    }
  })

  it.each([1, 2, 3, 4])('has the human figures of 1,000 words for k = %i', async (k) => {
    const { references, words } = await reportedWords(`--references ${k}`)
    expect(references).toBe(k)
    expect(words.map(({ word, partOfSpeech }) => `${word} ${partOfSpeech}`)).toEqual(
      golden.map(({ word, pos }) => `${word} ${pos.toUpperCase()}`),
    )
    const differences = words.flatMap(({ word, histogram, precision, recall }, index) => {
      const row = golden[index]
      return [
        ...histogram.map((images, count) => difference(`${word} h${count}`, images, row[`h${count}`])),
        difference(`${word} precision`, precision, row[`human_precision_k${k}`]),
        difference(`${word} recall`, recall, row[`human_recall_k${k}`]),
      ]
    })
    expect(differences.filter((found) => found !== null)).toEqual([])
  })

  it.each(SYSTEMS)('has PHR and AP of %s for k = 4', async (system) => {
    const { words } = await reportedWords(`--system ${system}`)
    const differences = words.flatMap(({ word, systems }, index) => {
      const row = golden[index]
      const standing = systems[system]
      return [
        difference(`${word} PHR`, standing?.precisionAtHumanRecall ?? null, row[`phr_${system}`]),
        difference(`${word} AP`, standing?.averagePrecision ?? null, row[`ap_${system}`]),
      ]
    })
    expect(differences.filter((found) => found !== null)).toEqual([])
  })

  async function reportedWords(flags: string): Promise<{ references: number; words: Word[] }> {
    const { code, stdout, stderr } = await run(`words --dataset coco --format json ${flags}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
})

/** Describes a difference of more than 1e-9 from the golden figure; null if there is none. */
function difference(what: string, found: number | null, golden: string): string | null {
  const expected = golden === '' ? null : Number(golden)
  const same = expected === null || found === null ? found === expected : Math.abs(found - expected) <= 1e-9
  return same ? null : `${what}: expected ${expected}, found ${found}`
}

import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'
import type { Json } from '../kit/seed.js'
import {
  type GoldenScores,
  goldenPresent,
  METEOR_IN_IMAGE_ORDER,
  readGoldenImageScores,
  readGoldenScores,
  TOOLKIT_NAMES,
} from '../parity/golden.js'

const TOLERANCE = 1e-9

/** One of the systems whose figures `test/parity` compares: here it is that they arrive. */
const SYSTEM = 'dai-2017'

const COLUMNS: Readonly<Record<string, string>> = { ...TOOLKIT_NAMES, METEOR: 'METEOR_exact_stem_synonym' }

type Row = Readonly<Record<string, string>>

describe.skipIf(!goldenPresent)('accord evaluate and accord agreement on COCO val2017', () => {
  const { path, run } = workbench()
  let golden: GoldenScores

  async function succeed(command: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(command)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }

  /** Scores of the corpus by metric, and rows of images by id. */
  async function evaluate(...flags: readonly string[]) {
    const perImage = 'images.csv'
    const about = ['--dataset', 'coco', '--system', SYSTEM]
    const stdout = await succeed([
      'evaluate',
      ...about,
      '--format',
      'json',
      '--force',
      '--per-image',
      perImage,
      ...flags,
    ])
    const { scores } = JSON.parse(stdout)
    const rows: Row[] = parse(readFileSync(path(perImage)), { columns: true })
    const corpus = new Map<string, number>(
      scores.map(({ metric, value }: { metric: string; value: number }) => [metric, value]),
    )
    return { scores, corpus, rows: new Map(rows.map((row) => [row.imageId, row])) }
  }

  beforeAll(async () => {
    golden = readGoldenScores()
    await succeed(['import', 'captions', dataFile('coco/captions_val2017.json'), '--dataset', 'coco'])
    const results = dataFile(`coco/captions_val2017_${SYSTEM}_results.json`)
    await succeed(['import', 'results', results, '--dataset', 'coco', '--system', SYSTEM])
  })

  it('a system: corpus and images', async () => {
    const { scores, corpus, rows } = await evaluate()
    expect(scores[0]).toMatchObject({ system: SYSTEM, references: { least: 5 }, imageCount: 5000 })
    const images = readGoldenImageScores(SYSTEM)
    expect(rows.size).toBe(images.size)
    for (const [metric, column] of Object.entries(COLUMNS)) {
      expect(Math.abs(corpus.get(metric)! - golden[SYSTEM].corpus[column]), metric).toBeLessThan(TOLERANCE)
      expect(differentImages(rows, metric, images), metric).toEqual([])
    }
    for (const { metric, value, interval, signature, coco } of scores) {
      expectInterval(metric, value, interval, coco)
      expect(signature).toMatch(`${metric}|`)
    }
  })

  const meteorPresent = dataPresent('METEOR by its own words', ['meteor/english.synsets'])
  it.skipIf(!meteorPresent)('METEOR by the words of a METEOR data folder', async () => {
    const flags = ['--metrics', 'METEOR', '--meteor-data', dataFile('meteor')]
    const { corpus, rows, scores } = await evaluate(...flags)
    expect([...corpus.keys()]).toEqual(['METEOR'])
    const expected = golden[SYSTEM].corpus[COLUMNS.METEOR]
    expect(Math.abs(corpus.get('METEOR')! - expected)).toBeLessThan(TOLERANCE)
    expect(differentImages(rows, 'METEOR', readGoldenImageScores(SYSTEM))).toEqual([])
    expect(scores[0].signature).toContain('|synonyms:WordNet-3.0|functionWords:METEOR-1.5|')
  })

  it('human agreement: every fold and the mean', async () => {
    const { scores, published, notes, ...about } = JSON.parse(
      await succeed(['agreement', '--dataset', 'coco', '--format', 'json']),
    )
    expect(about).toEqual({ dataset: 'coco', references: 4, imageCount: 5000, excludedImageCount: 0 })
    expect(notes).toHaveLength(2)
    const bleu = published.find(({ metric }: { metric: string }) => metric === 'BLEU-1')
    expect(bleu.curve.map(({ references }: { references: number }) => references)).toEqual([1, 2, 3, 4])
    // The published score is on other images.
    expect(Math.abs(bleu.extrapolation.value - bleu.published.c5)).toBeLessThan(0.02)
    for (const [metric, column] of Object.entries(COLUMNS)) {
      const row = scores.find((score: { metric: string }) => score.metric === metric)
      const expected =
        metric === 'METEOR'
          ? METEOR_IN_IMAGE_ORDER.people
          : Object.values(golden.leave_one_out.folds).map((fold) => fold[column])
      const mean = expected.reduce((sum, score) => sum + score / expected.length, 0)
      expect(Math.abs(row.mean - mean), metric).toBeLessThan(TOLERANCE)
      expect(row.folds, metric).toHaveLength(expected.length)
      for (const [fold, score] of row.folds.entries()) {
        const difference = Math.abs(score - expected[fold])
        expect(difference, `${metric}, fold ${fold}`).toBeLessThan(TOLERANCE)
      }
      expectInterval(metric, row.mean, row.interval, row.coco && { ...row.coco, value: row.coco.mean })
      expect(row.standardDeviation, metric).toBeGreaterThan(0)
    }
  })
})

/** The interval of a score; of CIDEr, whose document frequencies are those of the images, that of the score with COCO's. */
function expectInterval(metric: string, value: number, interval: Json, coco: Json): void {
  expect([metric, interval === null]).toEqual([metric, metric.startsWith('CIDEr')])
  const shown = interval === null ? coco : { value, interval }
  expect(shown.interval.lower, metric).toBeLessThan(shown.value)
  expect(shown.interval.upper, metric).toBeGreaterThan(shown.value)
}

/** Ids of the images whose score differs from the toolkit's. */
function differentImages(
  rows: ReadonlyMap<string, Row>,
  metric: string,
  images: ReturnType<typeof readGoldenImageScores>,
): string[] {
  return Array.from(images, ([id, scores]) => {
    const found = Number(rows.get(String(id))![metric])
    return Math.abs(found - scores[COLUMNS[metric]]) < TOLERANCE ? [] : [`${id}`]
  }).flat()
}

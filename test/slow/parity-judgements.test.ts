import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'

const FILES = {
  ratings: 'judgements/flickr8k_expert.jsonl.gz',
  preferences: 'judgements/pascal50s.jsonl.gz',
  systems: 'judgements/thumb.jsonl.gz',
  golden: 'golden/metaevaluation.json',
  goldenSystems: 'golden/metaevaluation_systems.json',
}
const present = dataPresent('accord judge compared with the reference figures', Object.values(FILES))

type Figures = Record<string, Record<string, number>>
interface Row {
  readonly metric: string
  readonly tauB: number
  readonly tauC: number
  readonly spearman: number
  readonly pearson: number
  readonly accuracy: Record<string, number>
  readonly mean: number
  readonly published: { readonly tauC?: number; readonly mean?: number } | null
}

interface ThumbImage {
  readonly image_id: number
  readonly references: readonly string[]
  readonly captions: readonly {
    readonly caption: string
    readonly system: string
    readonly ratings: readonly number[]
    readonly precision: number
    readonly recall: number
    readonly conciseness: number
  }[]
}

interface JudgedSystems {
  readonly systemLevel: {
    readonly systems: readonly { name: string; score: number }[]
    readonly softPairwiseAccuracy: number
  }
}

interface JudgedRow {
  readonly metric: string
  readonly tauC: number
  readonly tauB: number
  readonly contests: { readonly all: JudgedSystems; readonly withoutPeople: JudgedSystems }
}

describe.skipIf(!present)('accord judge', () => {
  const { run, write } = workbench()
  let golden: { flickr8k_expert: Figures; pascal50s: Figures }

  beforeAll(async () => {
    golden = JSON.parse(readFileSync(dataFile(FILES.golden), 'utf8'))
    await run(['import', 'judgements', dataFile(FILES.ratings), '--dataset', 'flickr8k'])
    await run(['import', 'judgements', dataFile(FILES.preferences), '--dataset', 'pascal50s'])
  })

  async function judge(dataset: string): Promise<{ kind: string; judgementCount: number; rows: Row[] }> {
    return JSON.parse((await run(`judge --dataset ${dataset} --resamples 100 --format json`)).stdout)
  }

  it('has the correlations with Flickr8k-Expert, beside the published ones', async () => {
    const { kind, judgementCount, rows } = await judge('flickr8k')
    expect([kind, judgementCount]).toEqual(['RATINGS', 16_992])
    for (const [metric, figures] of Object.entries(golden.flickr8k_expert)) {
      const row = rows.find((candidate) => candidate.metric === metric) as Row
      expect(Math.abs(row.tauB - figures.tau_b)).toBeLessThan(1e-9)
      expect(Math.abs(row.tauC - figures.tau_c)).toBeLessThan(1e-9)
      expect(Math.abs(row.spearman - figures.spearman)).toBeLessThan(1e-9)
      expect(Math.abs(row.pearson - figures.pearson)).toBeLessThan(1e-9)
      if (row.published?.tauC !== undefined) expect(row.tauC.toFixed(3)).toBe(row.published.tauC.toFixed(3))
    }
    expect(rows.filter(({ published }) => published !== null).length).toBeGreaterThanOrEqual(5)
  })

  it('has the raters of Flickr8k-Expert as metrics, and the metric that each figure puts first', async () => {
    const { raters, conclusion } = JSON.parse(
      (await run('judge --dataset flickr8k --metrics METEOR SPICE SPIDEr --resamples 100 --format json'))
        .stdout,
    )
    // Computed from the ratings by a program of its own, over counts of equal pairs.
    expect(raters.another.tauC).toBeCloseTo(0.47913006475186287, 12)
    expect(raters.others.tauC).toBeCloseTo(0.5536666824785461, 12)
    expect(raters.others.tauB).toBeCloseTo(0.6570316507067052, 12)
    expect(conclusion).toMatch(
      /^SPIDEr agrees best with people by τ-c .*highest for another metric: SPICE by τ-b /,
    )
  })

  it('has the accuracies on PASCAL-50S', async () => {
    const { kind, judgementCount, rows } = await judge('pascal50s')
    expect([kind, judgementCount]).toEqual(['PREFERENCES', 4000])
    for (const [metric, { mean, ...accuracy }] of Object.entries(golden.pascal50s)) {
      const row = rows.find((candidate) => candidate.metric === metric) as Row
      expect(Math.abs(row.mean - mean)).toBeLessThan(1e-9)
      for (const [category, share] of Object.entries(accuracy)) {
        expect(Math.abs(row.accuracy[category] - share)).toBeLessThan(1e-9)
      }
    }
  })

  describe('of THumB says of coverage and objects what docs/judging.md says', () => {
    const METRICS =
      'coverage consensus-coverage confirmed-share CHAIR-i object-recall open-CHAIR-i open-object-recall CIDEr-D METEOR'
    const normal = (text: string) => text.trim().toLowerCase().replace(/\.+$/, '').trim()
    let images: ThumbImage[]

    beforeAll(() => {
      const lines = gunzipSync(readFileSync(dataFile(FILES.systems)))
        .toString('utf8')
        .trim()
        .split('\n')
      images = lines.map((line) => JSON.parse(line))
    })

    /** τ-c by metric, and how many systems each metric finds better than people. */
    async function judged(file: string, some: readonly ThumbImage[], part?: 'precision' | 'recall') {
      const written = some.map((image) =>
        JSON.stringify({
          ...image,
          captions: image.captions.map(({ caption, system, ratings, ...parts }) => ({
            caption,
            system,
            ratings: part ? [parts[part]] : ratings,
          })),
        }),
      )
      write(file, written.join('\n'))
      const { rows, conclusion } = JSON.parse(
        (await run(`judge ${file} --metrics ${METRICS} --resamples 1000 --format json`)).stdout,
      )
      const figures = rows.map(({ metric, tauC, tauB, contests }: JudgedRow) => {
        const { systems, softPairwiseAccuracy } = contests.all.systemLevel
        const soft = [softPairwiseAccuracy, contests.withoutPeople.systemLevel.softPairwiseAccuracy].map(
          (accuracy: number) => Number(accuracy.toFixed(2)),
        )
        const people = systems.find(({ name }) => name === 'people')?.score as number
        // Scores of metrics of which less is better are negated.
        const above = systems.filter(({ score }) => score > people).length
        return [metric, { tauC: Number(tauC.toFixed(3)), tauB: Number(tauB.toFixed(3)), above, soft }]
      })
      return { conclusion, figures: Object.fromEntries(figures) }
    }

    it('over all images', async () => {
      const { conclusion, figures } = await judged('all.jsonl', images)
      expect(conclusion).toMatch(
        /coverage agrees best with people by τ-c \(\.213\), significantly better than every other metric\.$/,
      )
      expect(figures).toMatchObject({
        coverage: { tauC: 0.213, above: 0 },
        METEOR: { tauC: 0.143, above: 0 },
        'CIDEr-D': { tauC: 0.141, above: 3 },
        'confirmed-share': { tauC: 0.111, above: 4 },
        'consensus-coverage': { tauC: 0.067, above: 3 },
      })
    })

    it('beside all metrics that are judged by default, as README.md says', async () => {
      const { rows, conclusion } = JSON.parse(
        (await run(`judge ${dataFile(FILES.systems)} --resamples 1000 --format json`)).stdout,
      )
      expect(rows.length).toBeGreaterThan(20)
      expect(conclusion).toContain(
        'coverage agrees best with people by τ-c (.213), significantly better than every other metric.',
      )
      const [{ metric, interval }] = rows
      expect(metric).toBe('coverage')
      expect([interval.lower, interval.upper].map((end) => end.toFixed(3))).toEqual(['0.176', '0.249'])
    })

    it('over those where no judged caption is a reference', async () => {
      const others = images.filter(({ references, captions }) => {
        const texts = new Set(references.map(normal))
        return captions.every(({ caption }) => !texts.has(normal(caption)))
      })
      expect(others).toHaveLength(453)
      const { conclusion, figures } = await judged('others.jsonl', others)
      expect(conclusion).toContain(
        'coverage agrees best with people by τ-c (.212), significantly better than every other metric.',
      )
      expect(figures).toMatchObject({
        coverage: { tauC: 0.212, above: 2 },
        METEOR: { tauC: 0.145, above: 4 },
        'CHAIR-i': { tauC: 0.097, above: 0 },
      })
    })

    it('by the parts of the ratings', async () => {
      const precision = await judged('precision.jsonl', images, 'precision')
      expect(precision.figures).toMatchObject({
        coverage: { tauC: 0.155, soft: [0.98, 0.98] },
        'confirmed-share': { tauC: 0.154, soft: [0.55, 0.92] },
        'open-CHAIR-i': { tauC: 0.122, soft: [0.55, 0.88] },
        'CHAIR-i': { tauC: 0.094, tauB: 0.211, soft: [0.89, 0.83] },
      })
      const recall = await judged('recall.jsonl', images, 'recall')
      expect(recall.figures).toMatchObject({
        coverage: { tauC: 0.169, soft: [0.98, 0.98] },
        'open-object-recall': { tauC: 0.138, soft: [0.69, 0.97] },
        METEOR: { tauC: 0.088 },
        'object-recall': { tauC: 0.078, soft: [0.67, 0.97] },
        'consensus-coverage': { tauC: 0.034, soft: [0.65, 0.91] },
      })
    })

    it('by conciseness, which is the same of nearly all captions', async () => {
      const rated = images.map((image) => ({
        ...image,
        captions: image.captions.map(({ caption, system, conciseness }) => ({
          caption,
          system,
          ratings: [conciseness],
        })),
      }))
      write('conciseness.jsonl', rated.map((image) => JSON.stringify(image)).join('\n'))
      const captions = images.flatMap(({ image_id, captions }) =>
        captions.map(({ caption }) =>
          JSON.stringify({
            image_id,
            caption,
            score: caption.split(/\s+/).filter((word) => word !== '').length,
          }),
        ),
      )
      write('length.jsonl', [...new Set(captions)].join('\n'))
      await run('import judgements conciseness.jsonl --dataset conciseness')
      const range = '--range 0 1000 --lower-is-better'
      await run(
        `import metric-scores length.jsonl --dataset conciseness --metric length --metric-version words ${range}`,
      )
      const { rows } = JSON.parse(
        (await run('judge --dataset conciseness --metrics length --resamples 1000 --format json')).stdout,
      )
      const [{ tauC, interval, contests }] = rows
      expect([tauC, interval.lower, interval.upper].map((figure) => figure.toFixed(3))).toEqual([
        '0.002',
        '-0.001',
        '0.006',
      ])
      expect(contests.all.systemLevel.softPairwiseAccuracy.toFixed(2)).toBe('0.40')
    })
  })

  it('has the agreement on the systems of THumB, with and without people', async () => {
    await run(['import', 'judgements', dataFile(FILES.systems), '--dataset', 'thumb'])
    const golden = JSON.parse(readFileSync(dataFile(FILES.goldenSystems), 'utf8'))
    // The golden figures of SPICE are of scores of an earlier parser of scene graphs.
    const spice = JSON.parse(readFileSync(projectFile('test/parity/spice-thumb.json'), 'utf8'))
    const metrics = { ...golden.metrics, SPICE: spice }
    const command = `judge --dataset thumb --metric ${Object.keys(metrics).join(' ')} --resamples 100 --format json`
    const { rows, conclusion } = JSON.parse((await run(command)).stdout)
    expect(conclusion).toMatch(
      /^All 6 metrics rank the 4 systems as people do; with people among the systems only METEOR does\. The highest τ-c is that of SPICE \(\.\d+\), but not significantly higher than that of /,
    )
    for (const { metric, contests } of rows) {
      for (const contest of ['all', 'withoutPeople']) {
        const expected = metrics[metric][contest]
        const { systemLevel, ungrouped, byImage, bySystem } = contests[contest]
        const { softPairwiseAccuracy_1000permutations: soft, means, ...figures } = expected.systemLevel
        for (const { name, score } of systemLevel.systems) {
          expect(Math.abs(score - means[name])).toBeLessThan(1e-9)
        }
        for (const [name, value] of Object.entries(figures)) {
          expect(systemLevel[name]).toBeCloseTo(value as number, 9)
        }
        expect(Math.abs(systemLevel.softPairwiseAccuracy - soft)).toBeLessThan(0.015)
        for (const [found, level] of [
          [ungrouped, expected.captionLevel_none],
          [byImage, expected.captionLevel_item],
          [bySystem, expected.captionLevel_sys],
        ]) {
          expect(found.pearson).toBeCloseTo(level.pearson, 9)
          expect(found.tauB).toBeCloseTo(level.kendallB, 9)
          expect(found.accuracy).toBeCloseTo(level.acc23, 9)
        }
        const { acc23Calibrated, tieThreshold } = expected.captionLevel_item
        expect(byImage.calibratedAccuracy).toBeCloseTo(acc23Calibrated, 9)
        // Where several thresholds have this accuracy, ours is the smallest one.
        expect(byImage.tieThreshold).toBeLessThan(tieThreshold + 1e-9)
      }
    }
  })
})

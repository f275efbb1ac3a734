import { readFileSync } from 'node:fs'
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

describe.skipIf(!present)('accord judge', () => {
  const { run } = workbench()
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

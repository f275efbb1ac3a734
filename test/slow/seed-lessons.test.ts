/** What the bundled dataset shows: which figures put people above systems, and which do not. */
import { expect, it } from 'vitest'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import type { ComparedFigure } from '../../src/services/comparisons/compare.js'
import { compareFigures } from '../../src/services/comparisons/comparisons.js'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { judge } from '../../src/services/judgements/judgements.js'
import { rankSystems } from '../../src/services/leaderboard/leaderboard.js'
import { evaluateSystems } from '../../src/services/scoring/evaluate.js'
import { SEED_DATASET, writeSeed } from '../../src/services/seed/seed.js'
import { initWorld } from '../kit/seed.js'

const METRICS = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'SPICE']

const { accord } = await initWorld()

it('n-gram metrics and safe words put a good system above people, SPICE and raters put people first', async () => {
  await writeSeed(accord.database, () => {})
  await reportAgreement(accord, { dataset: SEED_DATASET, metrics: METRICS })
  await evaluateSystems(accord, { dataset: SEED_DATASET, metrics: METRICS, references: 4 })
  const dataset = await requireDataset(accord, SEED_DATASET)
  const valuesBy = async (metric: string) => {
    const rows = await rankSystems(accord, dataset, { by: 'METRIC', metric, references: 4 })
    return new Map(rows.map(({ system, value }) => [system?.name ?? 'people', value!]))
  }
  for (const metric of ['BLEU-4', 'ROUGE-L', 'CIDEr-D']) {
    expect([...(await valuesBy(metric)).keys()][0]).toBe('good')
  }
  const consensus = await valuesBy('CIDEr-D')
  expect(consensus.get('good')! / consensus.get('people')!).toBeLessThan(1.4)
  expect(consensus.get('old')!).toBeLessThan(consensus.get('people')!)
  expect([...(await valuesBy('SPICE')).keys()]).toEqual(['people', 'verbose', 'good', 'old'])

  const againstPeople = async (figure: ComparedFigure, systems: readonly string[]) => {
    const input = { dataset: SEED_DATASET, systems, people: true, figures: [figure] }
    const [{ comparisons }] = await compareFigures(accord, input)
    const pairs = comparisons.filter(({ second }) => second === null)
    return pairs.map(({ together }) => together.interval!)
  }
  for (const metric of ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']) {
    const [{ lower }] = await againstPeople({ kind: 'METRIC', metric, references: 4 }, ['good'])
    expect(lower, metric).toBeGreaterThan(0)
  }
  const systems = ['good', 'old', 'verbose']
  const bySpice = await againstPeople({ kind: 'METRIC', metric: 'SPICE', references: 4 }, systems)
  expect(bySpice).toHaveLength(systems.length)
  for (const { upper } of bySpice) expect(upper).toBeLessThan(0)
  const [good, , verbose] = await againstPeople({ kind: 'WORD_PRECISION', references: 4 }, systems)
  expect(good.lower).toBeGreaterThan(0)
  expect(verbose.upper).toBeLessThan(0)
  const phr = ['detector-large', 'detector-small'].map(async (system) => {
    const [{ upper }] = await againstPeople({ kind: 'PHR', references: 4 }, [system])
    return upper
  })
  for (const upper of await Promise.all(phr)) expect(upper).toBeLessThan(0)
  const input = { dataset: SEED_DATASET, systems: ['detector-large', 'detector-small'] }
  const [{ comparisons }] = await compareFigures(accord, { ...input, figures: [{ kind: 'PHR' }] })
  expect(comparisons).toHaveLength(1)
  expect(comparisons[0].alone.interval!.lower).toBeGreaterThan(0)

  const { conclusion, agreement } = await judge(accord, { dataset: SEED_DATASET, metrics: METRICS })
  // SPICE puts people first as well, but the verbose system behind the good one.
  expect(conclusion).toMatch(/with people among the systems none does/)
  expect(agreement!.pairwiseTau!).toBeGreaterThan(0.5)
  expect(agreement!.pairwiseTau!).toBeLessThan(0.7)
})

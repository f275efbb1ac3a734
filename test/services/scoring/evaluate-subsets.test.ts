import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { compareFigures } from '../../../src/services/comparisons/comparisons.js'
import { rankedSubsets, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { evaluateSubsets, evaluateSystems } from '../../../src/services/scoring/evaluate.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { sql } from '../../../src/store/engine/sql.js'
import { cocoCaptions, cocoResults } from '../../kit/coco.js'
import { initWorld } from '../../kit/seed.js'

const folder = mkdtempSync(join(tmpdir(), 'accord-subsets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOUNS = ['dog', 'cat', 'horse', 'bird', 'cow', 'sheep', 'boat']
const IDS = Array.from({ length: 30 }, (_, index) => String(index + 1))
const nounOf = (id: string) => NOUNS[(Number(id) * Number(id)) % 7]
const HUMAN = Object.fromEntries(
  IDS.map((id) => [
    id,
    [
      `a ${nounOf(id)} in the park ${Number(id) % 4}`,
      `the ${nounOf(id)} stands in a park`,
      `one ${nounOf(id)}`,
    ],
  ]),
)
const OURS = Object.fromEntries(
  IDS.map((id) => [id, Number(id) % 3 === 0 ? 'a man' : `a ${nounOf(id)} in a park`]),
)
const domainOf = (id: string) => (Number(id) < 13 ? 'near' : 'far')
const METRICS = ['BLEU-4', 'METEOR', 'ROUGE-L']

describe('scores of subsets', async () => {
  const { accord, database } = await initWorld()

  /** Imports captions of images with a domain, and a system. */
  async function add(dataset: string, ids: readonly string[]) {
    const pick = <Value>(of: Readonly<Record<string, Value>>) =>
      Object.fromEntries(ids.map((id) => [id, of[id]]))
    const file = (name: string, content: object) => {
      const path = join(folder, `${dataset}-${name}`)
      writeFileSync(path, JSON.stringify(content))
      return { path }
    }
    const document = cocoCaptions(pick(HUMAN))
    const images = document.images.map((image) => ({
      ...image,
      domain: domainOf(String(image.id)),
      license: 4,
    }))
    const human = file('human.json', { ...document, images })
    const { datasetId } = await accord.run('importCaptions', { dataset, file: human })
    const results = file('ours.json', cocoResults(pick(OURS)))
    await accord.run('importResults', { datasetId, file: results, system: 'ours', isMissingAllowed: false })
    await reportAgreement(accord, { dataset, metrics: METRICS })
    return evaluateSystems(accord, { dataset, metrics: METRICS })
  }

  let evaluations: Awaited<ReturnType<typeof add>>
  beforeAll(async () => {
    evaluations = await add('all', IDS)
  })

  it('are those of a dataset of these images alone, people among them', async () => {
    const subsets = await evaluateSubsets(accord, evaluations, 'domain')
    expect([
      ...new Set(subsets.map(({ subset, references, system }) => `${subset} ${references} ${system}`)),
    ]).toEqual(['far null ours', 'near null ours', 'far 2 ours', 'far 2 null', 'near 2 ours', 'near 2 null'])
    for (const domain of ['near', 'far']) {
      const own = await evaluateSubsets(
        accord,
        await add(
          domain,
          IDS.filter((id) => domainOf(id) === domain),
        ),
        'domain',
      )
      const ofDomain = subsets.filter(({ subset }) => subset === domain)
      expect(ofDomain).toEqual(own)
      const [{ report, matched }] = await evaluateSystems(accord, { dataset: domain, metrics: METRICS })
      for (const [references, scored] of [
        [null, report],
        [2, matched],
      ] as const) {
        for (const { metric, value, lower, upper } of scored?.scores ?? []) {
          const row = ofDomain.find(
            (one) => one.metric === metric && one.references === references && one.system,
          )
          expect([row?.value, row?.interval?.lower, row?.interval?.upper]).toEqual(
            [value, lower, upper].map((end) => end ?? undefined),
          )
        }
      }
      for (const [metric, { mean, lower }] of matched?.human ?? []) {
        const row = ofDomain.find((one) => one.metric === metric && one.system === null)
        expect([row?.value, row?.interval?.lower]).toEqual([mean, lower ?? undefined])
      }
    }
  })

  it('are compared as in a dataset of these images alone, beside all images, corrected for all tests', async () => {
    const options = { systems: ['ours'], people: true }
    const figures = [{ kind: 'METRIC' as const, metric: 'METEOR' }]
    const compared = await compareFigures(accord, { ...options, dataset: 'all', figures, by: 'domain' })
    const subsets = compared.map(({ figure }) => figure.kind === 'METRIC' && figure.subset)
    expect(subsets).toEqual([
      undefined,
      { field: 'domain', value: 'far' },
      { field: 'domain', value: 'near' },
    ])
    for (const [index, domain] of [
      [1, 'far'],
      [2, 'near'],
    ] as const) {
      const [{ comparisons }] = await compareFigures(accord, { ...options, dataset: domain, figures })
      const { firstScore, secondScore, difference, alone, imageCount } = comparisons[0]
      expect(compared[index].comparisons).toMatchObject([
        { firstScore, secondScore, difference, alone, imageCount },
      ])
    }
    const table = compared.flatMap(({ comparisons }) => comparisons)
    expect(table.map(({ imageCount }) => imageCount)).toEqual([30, 18, 12])
    for (const { alone, together } of table) {
      expect(together.tests).toBe(3)
      expect(together.pValue).toBeGreaterThan(alone.pValue!)
      expect(together.pValue).toBeLessThanOrEqual(3 * alone.pValue!)
    }
  })

  it('stand on a leaderboard as evaluations have them, people among them', async () => {
    const dataset = await requireDataset(database, 'all')
    const board = await rankSystems(accord, dataset, { by: 'METRIC', metric: 'METEOR', references: 2 })
    const rows = board.map(({ system, signature }) => ({ metric: 'METEOR', system, signature }))
    const ranked = await rankedSubsets(accord, dataset, rows, 'domain')
    expect(ranked).toHaveLength(4)
    const evaluated = await evaluateSubsets(accord, evaluations, 'domain')
    for (const row of ranked) expect(evaluated).toContainEqual(row)
  })

  it('can be by the number of objects', async () => {
    const [{ report }] = evaluations
    await expect(evaluateSubsets(accord, evaluations, 'objects')).rejects.toMatchObject({
      code: 'NOT_APPLICABLE',
      detail: { expected: 'one of domain', found: '"objects"' },
    })
    const images = IDS.map((id) => ({
      image_id: Number(id),
      boxes: Array.from({ length: Number(id) % 11 }, (_, box) => ({
        id: box,
        concept: 'dog',
        bbox: [0, 0, 5, 5],
      })),
    }))
    const path = join(folder, 'boxes.json')
    writeFileSync(path, JSON.stringify({ images }))
    await accord.run('importBoxes', { dataset: 'all', file: { path } })
    const rows = await evaluateSubsets(accord, evaluations, 'objects')
    const counts = rows
      .filter(({ metric, references }) => metric === 'METEOR' && references === null)
      .map(({ subset, imageCount }) => [subset, imageCount])
    const numberWith = (from: number, to: number) =>
      IDS.filter((id) => Number(id) % 11 >= from && Number(id) % 11 <= to).length
    expect(counts).toEqual([
      ['0–2', numberWith(0, 2)],
      ['3–5', numberWith(3, 5)],
      ['6–9', numberWith(6, 9)],
      ['10 or more', numberWith(10, 10)],
    ])
    expect(report.dataset.name).toBe('all')
  })

  it('are refused where images have no fields', async () => {
    await database.run(sql`UPDATE image SET fields = NULL`)
    await expect(evaluateSubsets(accord, evaluations, 'domain')).rejects.toMatchObject({
      code: 'NOT_APPLICABLE',
      detail: { expected: 'a dataset whose images have fields, or boxes' },
    })
  })
})

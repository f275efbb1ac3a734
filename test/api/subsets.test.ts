import { beforeAll, expect, it } from 'vitest'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import { evaluateSubsets, evaluateSystems } from '../../src/services/scoring/evaluate.js'
import { sql } from '../../src/store/engine/sql.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

/** Scores of the images of each value of a field. */

const world = await initWorld()
const IDS = Array.from({ length: 24 }, (_, index) => String(index + 1))
const METRICS = ['BLEU-1', 'ROUGE-L']
let api: Api

beforeAll(async () => {
  const images = Object.fromEntries(
    IDS.map((id) => [id, [`a dog in park ${id}`, `the dog of park ${id}`, 'a dog']]),
  )
  const dataset = await world.dataset('parks', { images })
  for (const system of ['good', 'poor']) {
    await dataset.captionSystem(
      system,
      Object.fromEntries(IDS.map((id) => [id, `${system === 'good' ? 'a dog' : 'cats'} in park ${id}`])),
    )
  }
  for (const [domain, from] of [
    ['near', 0],
    ['far', 10],
  ] as const) {
    await world.database.run(
      sql`UPDATE image SET fields = ${JSON.stringify({ domain })} WHERE CAST(external_id AS INTEGER) > ${from}`,
    )
  }
  await reportAgreement(world.accord, { dataset: 'parks', metrics: METRICS })
  api = await world.serve({ accord: world.accord })
})

const FIGURES = 'subset imageCount value interval { lower upper } undefinedReason isSmall'
const ofSystems = (field: string) => `{ dataset(name: "parks") { systems { nodes { name
  scores(references: 2) { metric { name } subsets(by: "${field}") { ${FIGURES} }
    humanScore { subsets(by: "${field}") { ${FIGURES} } } } } } } }`

it('of systems and of people are those of the service, read together for all systems', async () => {
  const evaluations = await evaluateSystems(world.accord, { dataset: 'parks', metrics: METRICS })
  const rows = await evaluateSubsets(world.accord, evaluations, 'domain')
  const rowsOf = (system: string | null, name: string) =>
    rows
      .filter((row) => row.system === system && row.metric === name && row.references === 2)
      .map(({ system: _system, metric: _metric, references: _references, ...row }) => row)
  let answer: Json
  const statements = await world.statementsOf(async () => {
    answer = await api.ask(ofSystems('domain'))
  })
  const { nodes } = answer.dataset.systems
  expect(nodes.map(({ name }: Json) => name).sort()).toEqual(['good', 'poor'])
  for (const { name, scores } of nodes) {
    expect(scores.map(({ metric }: Json) => metric.name)).toEqual(METRICS)
    for (const { metric, subsets, humanScore } of scores) {
      expect(subsets.map(({ subset, imageCount }: Json) => [subset, imageCount])).toEqual([
        ['far', 14],
        ['near', 10],
      ])
      expect(subsets).toEqual(rowsOf(name, metric.name))
      expect(humanScore.subsets).toEqual(rowsOf(null, metric.name))
    }
  }
  expect(statements.filter((text) => text.includes('metric_statistics.statistics'))).toHaveLength(1)
  expect(statements.filter((text) => /\bfields\b.* FROM image/s.test(text))).toHaveLength(1)
})

it('are offered by the fields that divide the images', async () => {
  const { dataset } = await api.ask('{ dataset(name: "parks") { imageFields } }')
  expect(dataset.imageFields).toEqual(['domain'])
})

it('are refused for a field that no image has', async () => {
  await expect(api.ask(ofSystems('split'))).rejects.toThrow(
    /no image has this field: expected one of domain, found "split"/,
  )
})

import {
  type FragmentDefinitionNode,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { planCost } from '../../src/api/schema/cost.js'
import { LIMITS } from '../../src/api/schema/limits.js'
import { apiSchema } from '../../src/api/schema/schema.js'
import type { Sizes } from '../../src/api/schema/weights.js'
import { toGlobalId } from '../../src/api/shared/ids.js'

/** A database that is large in all respects. */
const SIZES: Sizes = {
  datasets: 7,
  systems: 40,
  systemsPerDataset: 12,
  metricsPerDataset: 9,
  captionsPerImage: 5,
  imagesPerDataset: 5000,
  judgements: 17_000,
  challenges: 3,
  phasesPerChallenge: 2,
  submissionsPerPhase: 20,
  boardRows: 30,
  boardMetrics: 4,
  collections: 2,
  metrics: 12,
  imageCounts: new Map([['small', 100]]),
}

function costOf(text: string, given: Record<string, unknown> = {}) {
  const document = parse(text)
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  const { variableDefinitions = [] } = operation as OperationDefinitionNode
  const { coerced, errors } = getVariableValues(apiSchema(), variableDefinitions, given)
  expect(errors).toBeUndefined()
  const fragments = new Map<string, FragmentDefinitionNode>()
  return planCost(apiSchema(), operation as OperationDefinitionNode, fragments).estimate(coerced ?? {}, SIZES)
}

const compared = (args: string) => `{ dataset(name: "d") { comparisons(${args}) { difference } } }`

describe('the cost of an operation', () => {
  it.each([
    [
      'an object',
      compared('metrics: ["CIDEr"], baseline: { system: "one" }'),
      'query ($given: SideInput) { dataset(name: "d") { comparisons(metrics: ["CIDEr"], baseline: $given) { difference } } }',
      { system: 'one' },
    ],
    [
      'a value for a list',
      compared('metrics: "CIDEr"'),
      'query ($given: [String!]) { dataset(name: "d") { comparisons(metrics: $given) { difference } } }',
      ['CIDEr'],
    ],
    [
      'a list of objects',
      compared('words: [{ figure: PHR }, { figure: WORD_PRECISION }]'),
      'query ($given: [WordComparisonInput!]) { dataset(name: "d") { comparisons(words: $given) { difference } } }',
      [{ figure: 'PHR' }, { figure: 'WORD_PRECISION' }],
    ],
    [
      'an object for a list',
      compared('words: { figure: PHR }'),
      'query ($given: [WordComparisonInput!]) { dataset(name: "d") { comparisons(words: $given) { difference } } }',
      { figure: 'PHR' },
    ],
    [
      'a number',
      '{ dataset(name: "d") { words(first: 300) { nodes { text } } } }',
      'query ($given: Int = 300) { dataset(name: "d") { words(first: $given) { nodes { text } } } }',
      undefined,
    ],
    [
      'a condition',
      '{ dataset(name: "d") { name words @include(if: false) { nodes { text } } } }',
      'query ($given: Boolean!) { dataset(name: "d") { name words @include(if: $given) { nodes { text } } } }',
      false,
    ],
  ])('is the same where %s is a literal and where it is a variable', (_what, literal, variable, given) => {
    const cost = costOf(literal)
    expect(costOf(variable, given === undefined ? {} : { given })).toEqual(cost)
    expect(cost.fields).toBeGreaterThan(1)
  })

  it('counts a row for each pair and figure', () => {
    const rows = (args: string) => costOf(compared(args)).fields
    // Two systems and people are three pairs; each row and its difference is a field.
    const sides = 'systems: ["one", "two"], isHumanIncluded: true'
    expect(rows(`metrics: ["CIDEr"], ${sides}`)).toBe(2 + 3)
    expect(rows(`metrics: ["CIDEr", "METEOR"], words: [{ figure: PHR }], ${sides}`)).toBe(2 + 9)
  })

  it('counts the columns of a table of scores by its arguments, and its ids once', () => {
    const table = (args: string, fields: string) =>
      costOf(`{ dataset(name: "d") { scoreTable${args} { ${fields} } } }`).fields
    // The dataset and its table, then four ids or values as a field.
    expect(table('', 'externalIds')).toBe(2 + 5000 / 4)
    const values = 'columns { values }'
    const columnsOf = (args: string) => (table(args, values) - 3) / (5000 / 4)
    expect(
      columnsOf(
        '(systems: ["a", "b", "c", "d"], metrics: ["BLEU-4", "METEOR", "CIDEr-D", "ROUGE-L", "SPICE"])',
      ),
    ).toBe(20)
    expect(columnsOf('(systems: ["a"], metrics: ["BLEU-4", "METEOR"], isHumanIncluded: true)')).toBe(4)
    expect(columnsOf('')).toBe(SIZES.systemsPerDataset * SIZES.metrics)
  })

  it('of one dataset is by its images, whatever others have', () => {
    const vectors = (dataset: string) =>
      `{ dataset(name: "${dataset}") { scoreTable(metrics: "CIDEr") { externalIds } } }`
    const named = 'query ($name: String!) { dataset(name: $name) { boundFigures { id } } }'
    expect(costOf(vectors('small')).fields).toBeLessThan(100)
    expect(costOf(vectors('d')).fields).toBeGreaterThan(1000)
    expect(costOf(named, { name: 'small' }).work).toBeCloseTo(costOf(named, { name: 'd' }).work / 50)
    const both = costOf(`{ a: ${vectors('small').slice(1, -1)} b: ${vectors('d').slice(1, -1)} }`)
    expect(both.fields).toBe(costOf(vectors('small')).fields + costOf(vectors('d')).fields)
  })

  it('accepts four systems by five metrics on 5,000 images', () => {
    const { fields } = costOf(`{ dataset(name: "d") {
      scoreTable(systems: ["a", "b", "c", "d"], metrics: ["BLEU-4", "METEOR", "CIDEr-D", "ROUGE-L", "SPICE"]) {
        externalIds columns { system { name } metric { name } signature undefinedReason values }
      }
    } }`)
    expect(fields).toBeLessThan(LIMITS.fields)
  })

  it('counts boards by the metrics that a dataset has scores of', () => {
    const boards = (choice: string) =>
      costOf(`{ dataset(name: "any") { leaderboards${choice} { higherIsBetter } } }`).fields
    expect(boards('') - boards('(metrics: ["CIDEr"])')).toBe(
      8 * (boards('(metrics: ["CIDEr", "METEOR"])') - boards('(metrics: ["CIDEr"])')),
    )
  })

  it('counts pairs with a baseline as such', () => {
    const pairs = (args: string) => costOf(compared(`metrics: ["CIDEr"], ${args}`)).work
    expect(pairs('baseline: { system: "one" }')).toBeLessThan(pairs('systems: null'))
    expect(pairs('baseline: { system: "one" }')).toBeGreaterThan(0)
  })

  it('of a figure by its id is that of its field', () => {
    const dataset = toGlobalId('Dataset', 1)
    const figures = [
      ['wordAgreement', 'WordAgreementSummary', null],
      ['wordLeaderboard(figure: WORD_PRECISION)', 'Leaderboard', '{"figure":"WORD_PRECISION"}'],
      [
        'comparisons(metrics: ["CIDEr"], systems: ["a", "b"])',
        'Comparison',
        '{"metrics":["CIDEr"],"systems":["a","b"]}',
      ],
    ] as const
    for (const [call, type, named] of figures) {
      const [field] = call.split('(')
      const inDataset = costOf(`{ dataset(name: "d") { ${call} { __typename } } }`)
      const id = toGlobalId(type, dataset, field, named, null)
      for (const row of [id, toGlobalId('LeaderboardRow', id, 'rows', null, 1)].slice(
        0,
        type === 'Leaderboard' ? 2 : 1,
      )) {
        const byId = costOf('query ($id: ID!) { node(id: $id) { __typename } }', { id: row })
        expect(byId.work, field).toBe(inDataset.work)
        // Both find one more object, and a row one more than its board.
        expect(byId.weight - costOf('{ node(id: "none") { __typename } }').weight, field).toBe(
          inDataset.weight - costOf('{ dataset(name: "d") { __typename } }').weight + (row === id ? 0 : 1),
        )
        expect(costOf(`{ node(id: "${row}") { __typename } }`)).toEqual(byId)
      }
    }
  })

  it('of a figure by its id is refused for arguments that are too long', () => {
    const named = JSON.stringify({ metrics: Array.from({ length: 1001 }, () => '') })
    const id = toGlobalId('Comparison', toGlobalId('Dataset', 1), 'comparisons', named, null)
    expect(() => costOf(`{ node(id: "${id}") { __typename } }`)).toThrow(
      'The id.metrics: expected at most 1000 entries',
    )
  })
})

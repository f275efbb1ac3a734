import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadSeed, SEED_DATASET } from '../../src/jobs/load-seed.js'
import { projectFile } from '../../src/project.js'
import { requireDataset } from '../../src/store/datasets.js'
import { readImageIds } from '../../src/store/images.js'
import { listSystems } from '../../src/store/systems.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const world = await initWorld()
let api: Api

/** Arguments of queries by name, as GraphQL writes them: for those that are required, and some more. */
const ARGUMENTS: Record<string, string> = {
  name: `"${SEED_DATASET}"`,
  text: '"a"',
  references: '1',
  metric: '"ROUGE-L"',
  by: 'METRIC',
  priorsShare: '0.5',
  // Only baselines write sentences.
  'ContentSelection.imageScores.system': 'null',
  'ContentSelection.imageScores.baseline': 'SIZE',
  'ContentSelection.imageScores.k': '2',
}

beforeAll(async () => {
  await loadSeed(world.database, () => {})
  api = await world.serve()
  const { id } = await requireDataset(world.database, SEED_DATASET)
  const systems = await listSystems(world.database, id)
  const captioners = systems.filter(({ kind }) => kind === 'CAPTIONS').map(({ name }) => name)
  for (const system of captioners.slice(0, 2)) {
    const { startEvaluation } = await api.ask(
      `mutation ($dataset: String!, $system: String!) { startEvaluation(dataset: $dataset, system: $system) {
        ... on StartEvaluationSuccess { evaluation { id } }
      } }`,
      { dataset: SEED_DATASET, system },
    )
    expect((await api.ended(startEvaluation.evaluation.id)).status).toBe('DONE')
    ARGUMENTS.id = `"${startEvaluation.evaluation.id}"`
  }
  ARGUMENTS.system = `"${captioners[0]}"`
  ARGUMENTS['Dataset.system.name'] = ARGUMENTS.system
  ARGUMENTS.systems = JSON.stringify(captioners.slice(0, 2))
  ARGUMENTS.externalId = JSON.stringify([...readImageIds(world.database, id).keys()][0])
  await api.ask('query ($name: String!) { dataset(name: $name) { humanAgreement { imageCount } } }', {
    name: SEED_DATASET,
  })
})

type Field = GraphQLField<unknown, unknown>

/** A field as a query writes it, its selection left out. */
function call(parent: GraphQLObjectType, { name, args }: Field): string {
  const given = args.flatMap((arg) => {
    const value = ARGUMENTS[`${parent.name}.${name}.${arg.name}`] ?? ARGUMENTS[arg.name]
    if (value === undefined && isRequiredArgument(arg)) {
      throw new Error(`expected a value for ${parent.name}.${name}(${arg.name}) in ARGUMENTS`)
    }
    return value === undefined ? [] : [`${arg.name}: ${value}`]
  })
  return given.length === 0 ? name : `${name}(${given.join(', ')})`
}

/** All fields of a type: of those that hold objects, the types. */
function everything(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map((field) =>
    isLeafType(getNamedType(field.type)) ? call(type, field) : `${call(type, field)} { __typename }`,
  )
  return fields.join(' ')
}

/** The shortest way to every type that a query reaches, as the beginnings of selections. */
function ways(): Map<GraphQLObjectType, readonly string[]> {
  const query = schema.getQueryType() as GraphQLObjectType
  const found = new Map<GraphQLObjectType, readonly string[]>([[query, []]])
  for (const [type, way] of found) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type)
      if (isObjectType(next) && !found.has(next)) found.set(next, [...way, call(type, field)])
    }
  }
  return found
}

function atEnd(data: Json, way: readonly string[]): Json[] {
  return way.reduce<Json[]>(
    (objects, step) => objects.flatMap((object) => object?.[step.split('(')[0]] ?? []),
    [data],
  )
}

describe('every field of every type', () => {
  it('that a query reaches answers', async () => {
    for (const [type, way] of ways()) {
      const selection = [...way, `__typename ${everything(type)}`].join(' { ')
      const { data, errors } = await api.query(`{ ${selection} ${'}'.repeat(way.length + 1)}`)
      expect(errors, `${type.name}: ${selection}`).toEqual([])
      const objects = atEnd(data, way)
      expect(objects[0]?.__typename, `an object at ${way.join('.')}`).toBe(type.name)
    }
  })

  it('that a mutation gives is valid in its answer', async () => {
    const system = { dataset: SEED_DATASET, system: 'new' }
    const calls: Record<string, Json> = {
      importResults: { input: { ...system, captions: [{ imageId: 'none', caption: '' }] } },
      importWordScores: { input: { ...system, scores: [{ imageId: 'none', words: [] }] } },
      startEvaluation: system,
      cancelEvaluation: { id: 'none' },
      removeSystem: { dataset: SEED_DATASET, name: 'new' },
    }
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const payload = getNamedType(field.type)
      if (!isUnionType(payload)) throw new Error(`expected a union as the result of ${field.name}`)
      const members = payload.getTypes().map((type) => `... on ${type.name} { ${everything(type)} }`)
      const variables = field.args.map(({ name, type }) => `$${name}: ${type}`)
      const args = field.args.map(({ name }) => `${name}: $${name}`)
      const data = await api.ask(
        `mutation (${variables.join(', ')}) { ${field.name}(${args.join(', ')}) { __typename ${members.join(' ')} } }`,
        calls[field.name],
      )
      expect(data[field.name]).toMatchObject({
        __typename: 'MutationError',
        code: expect.stringMatching(/^UNKNOWN_/),
        message: expect.stringMatching(/found/),
      })
    }
  })
})

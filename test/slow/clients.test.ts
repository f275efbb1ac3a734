import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import * as typescriptUrql from '@graphql-codegen/typescript-urql'
import { buildSchema, type GraphQLObjectType, isObjectType, Kind, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'

const OPERATIONS = fileURLToPath(new URL('../fixtures/clients/operations.graphql', import.meta.url))
const schemaText = readFileSync(projectFile('schema.graphql'), 'utf8')
const operations = readFileSync(OPERATIONS, 'utf8')
const document = parse(operations)
const names = document.definitions.flatMap((definition) =>
  definition.kind === Kind.OPERATION_DEFINITION ? (definition.name?.value ?? []) : [],
)

const input = {
  schema: parse(schemaText),
  schemaAst: buildSchema(schemaText),
  documents: [{ location: OPERATIONS, document, rawSDL: operations }],
  config: { scalars: { DateTime: 'string' } },
}

it('operations are compiled by the client preset, as for Apollo Client', async () => {
  const files = await preset.buildGeneratesSection({
    ...input,
    baseOutputDir: 'generated/',
    presetConfig: {},
    plugins: [],
    pluginMap: {},
    pluginContext: {},
  })
  const outputs = await Promise.all(files.map((file) => codegen({ ...file, cache: undefined })))
  const content = outputs.join('\n')
  for (const name of names) expect(content).toContain(`${name[0].toUpperCase()}${name.slice(1)}Document`)
})

it('operations are compiled for urql', async () => {
  const content = await codegen({
    ...input,
    filename: 'urql.ts',
    plugins: [{ typescript: {} }, { typescriptOperations: {} }, { typescriptUrql: {} }],
    pluginMap: { typescript, typescriptOperations, typescriptUrql },
  })
  expect(content).toContain('useClientsDashboardQueryQuery')
  expect(content).toContain('useClientsImportMutationMutation')
})

describe('the conventions of Relay', () => {
  const { schemaAst: schema } = input
  const typesNamed = (end: string) =>
    Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && type.name.endsWith(end))
  const fieldsOf = (name: string) =>
    Object.fromEntries(
      Object.values((schema.getType(name) as GraphQLObjectType).getFields()).map((field) => [
        field.name,
        String(field.type),
      ]),
    )

  it('objects with an id are found by node(id)', () => {
    expect(fieldsOf('Node')).toEqual({ id: 'ID!' })
    expect(fieldsOf('Query').node).toBe('Node')
    const { node } = (schema.getQueryType() as GraphQLObjectType).getFields()
    expect(node.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(['id: ID!'])
  })

  it('PageInfo says how to continue in both directions', () => {
    expect(fieldsOf('PageInfo')).toEqual({
      hasNextPage: 'Boolean!',
      hasPreviousPage: 'Boolean!',
      startCursor: 'String',
      endCursor: 'String',
    })
  })

  it.each(typesNamed('Connection').map(({ name }) => name))('%s has edges and pageInfo', (name) => {
    const fields = fieldsOf(name)
    expect(fields.pageInfo).toBe('PageInfo!')
    const edge = name.replace(/Connection$/, 'Edge')
    expect(fields.edges).toBe(`[${edge}!]!`)
    expect(fieldsOf(edge)).toEqual({ cursor: 'String!', node: fields.nodes.slice(1, -2) })
  })
})

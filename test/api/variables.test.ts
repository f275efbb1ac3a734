import { buildSchema, execute, getOperationAST, getVariableValues, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { coerceVariables, withCoercedVariables } from '../../src/api/execution/variables.js'

const schema = buildSchema(`
  type Query { field(input: Input, list: [Input!], ids: [ID!], kind: Kind, count: Int = 5): String }
  enum Kind { FIRST SECOND }
  input Input { id: ID!, size: Int = 3, name: String, kinds: [Kind!], nested: Input, choice: Choice, flag: Boolean! = true }
  input Choice @oneOf { a: Int, b: String }
`)

const CASES: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['defaults of fields', '($input: Input!)', { input: { id: 7 } }],
  ['given fields', '($input: Input!)', { input: { id: 'x', size: 4, name: null, flag: false } }],
  ['null for a default', '($input: Input)', { input: { id: 1, size: null } }],
  ['nested objects', '($input: Input)', { input: { id: 1, nested: { id: 2, choice: { b: 'text' } } } }],
  ['a value as a list of one', '($list: [Input!], $ids: [ID!])', { list: { id: 3 }, ids: 4 }],
  ['lists', '($list: [Input!], $ids: [ID!])', { list: [{ id: 3, kinds: 'FIRST' }], ids: [1, 'two'] }],
  ['absent variables', '($input: Input, $kind: Kind, $count: Int)', {}],
  ['defaults of variables', '($input: Input = { id: 1 }, $kind: Kind = SECOND, $count: Int! = 2)', {}],
  ['null for a variable with a default', '($kind: Kind = SECOND)', { kind: null }],
  ['variables that the operation does not have', '($count: Int)', { count: 1, other: [] }],
]

describe.each(CASES)('%s', (_what, definitions, variables) => {
  const names = [...definitions.matchAll(/\$(\w+)/g)].map(([, name]) => `${name}: $${name}`)
  const document = parse(`query ${definitions} { field(${names.join(' ')}) }`)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('no operation')
  const coerced = () => {
    const { value, done } = coerceVariables(schema, operation, variables, false).next()
    expect(done).toBe(true)
    return value as Record<string, unknown>
  }

  it('are coerced as graphql-js coerces them', () => {
    const { coerced: expected } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
    expect(coerced()).toEqual(expected)
  })

  it('reach resolvers once', () => {
    const read = (
      options: Pick<Parameters<typeof execute>[0], 'schema' | 'document' | 'variableValues'>,
    ): unknown => {
      let given: unknown
      const field = (args: unknown) => {
        given = args
      }
      expect(execute({ ...options, rootValue: { field } })).toEqual({ data: { field: null } })
      return given
    }
    const arguments_ = read({
      ...withCoercedVariables(schema, document, operation),
      variableValues: coerced(),
    })
    expect(arguments_).toEqual(read({ schema, document, variableValues: variables }))
  })
})

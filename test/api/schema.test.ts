import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { NODES } from '../../src/api/node/nodes.js'
import { COMPUTED, weightOf } from '../../src/api/schema/weights.js'
import { projectFile } from '../../src/project.js'
import { publishedDifferences } from '../../src/services/agreement/published.js'
import { PARTS_OF_SPEECH } from '../../src/shared/choices.js'
import { ERRORS, REQUEST_ERRORS } from '../../src/shared/error-codes.js'
import { UNDEFINED_REASONS } from '../../src/shared/undefined-reason.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const types = Object.values(schema.getTypeMap()).filter(
  ({ name, astNode }) => astNode !== undefined && !name.startsWith('__'),
)

const valuesOf = (name: string) =>
  (schema.getType(name) as GraphQLEnumType).getValues().map((value) => value.name)

describe('the schema', () => {
  it('is printed from the parts beside the resolvers: change those, and run `npm run build`', async () => {
    const { printSchema } = await import(new URL('../../scripts/schema-parts.js', import.meta.url).href)
    expect(readFileSync(projectFile('schema.graphql'), 'utf8')).toBe(printSchema())
  })

  it('has the values of the enumerations in the code', () => {
    expect(valuesOf('ErrorCode').toSorted()).toEqual(Object.keys({ ...ERRORS, ...REQUEST_ERRORS }).sort())
    expect(valuesOf('PartOfSpeech')).toEqual(PARTS_OF_SPEECH)
  })

  const described = (name: string) =>
    Object.fromEntries(
      (schema.getType(name) as GraphQLEnumType)
        .getValues()
        .map((value) => [value.name, value.description?.replaceAll(/\s+/g, ' ')]),
    )

  it.each([
    ['UndefinedReason', UNDEFINED_REASONS],
    ['PublishedDifference', publishedDifferences],
  ])('has the values of %s in the code, and describes them as the code does', (name, sentences) => {
    expect(described(name)).toEqual(sentences)
  })

  it('pages every connection in both directions, by one order of a field and a direction', () => {
    const wrong: string[] = []
    for (const type of types.filter(isObjectType)) {
      for (const field of Object.values(type.getFields())) {
        const result: GraphQLNamedType = getNamedType(field.type)
        if (!result.name.endsWith('Connection')) continue
        const names = field.args.map(({ name }) => name)
        if (!['first', 'after', 'last', 'before'].every((name) => names.includes(name))) {
          wrong.push(`${type.name}.${field.name}`)
        }
        const orderBy = field.args.find(({ name }) => name === 'orderBy')
        const order: GraphQLNamedType | undefined = orderBy && getNamedType(orderBy.type)
        if (isInputObjectType(order) && Object.keys(order.getFields()).join() !== 'field,direction') {
          wrong.push(order.name)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('has unions of one result and one type of errors as results of mutations', () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const union = getNamedType(field.type)
      if (!isUnionType(union)) throw new Error(`expected a union as the result of ${field.name}`)
      const [result, ...errors] = union.getTypes().map(({ name }) => name)
      expect([result, union.name]).toEqual(
        ['Success', 'Payload'].map((end) => union.name.replace(/Payload$/, end)),
      )
      expect(errors).toEqual(['MutationError'])
    }
  })

  it('has ids on all types that clients cache, and ids of imported files as IDs', () => {
    const nodes = types
      .filter(isObjectType)
      .filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
    // The others are figures: see figures.test.ts.
    const [rows, figures] = [true, false].map((hasRow) =>
      nodes.map(({ name }) => name).filter((name) => Object.hasOwn(NODES, name) === hasRow),
    )
    expect(rows.toSorted()).toEqual(Object.keys(NODES).toSorted())
    expect(figures).toContain('Leaderboard')
    const externalIds = types
      .filter((type) => isObjectType(type) || isInputObjectType(type))
      .flatMap((type): { name: string; type: GraphQLType }[] => Object.values(type.getFields()))
      .filter(({ name }) => /^(externalIds?|imageId)$/.test(name))
    expect(new Set(externalIds.map(({ type }) => getNamedType(type).name))).toEqual(new Set(['ID']))
  })

  /** Values that are shown whole: two parts of a page do not ask for different fields of one. */
  const WHOLE = ['Interval', 'Provenance']

  it('has ids on all figures: what a field with arguments, or a computation, returns of an object with an id', () => {
    const withoutId = types.filter(isObjectType).flatMap((type) =>
      'id' in type.getFields()
        ? Object.values(type.getFields()).flatMap((field) => {
            const value = getNullableType(field.type)
            const isFigure = isObjectType(value) && !value.name.endsWith('Connection')
            return isFigure &&
              (field.args.length > 0 || weightOf(field) >= COMPUTED) &&
              !('id' in value.getFields())
              ? [value.name]
              : []
          })
        : [],
    )
    expect([...new Set(withoutId)].toSorted()).toEqual(WHOLE)
  })

  it('describes every type, field, argument and value', () => {
    const undescribed: string[] = []
    const check = (name: string, { description }: { description?: string | null }) => {
      if (!description?.trim()) undescribed.push(name)
    }
    for (const type of types) {
      check(type.name, type)
      if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
      if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
        for (const field of Object.values(type.getFields())) {
          check(`${type.name}.${field.name}`, field)
          for (const arg of 'args' in field ? field.args : []) {
            check(`${type.name}.${field.name}(${arg.name})`, arg)
          }
        }
      }
    }
    expect(undescribed).toEqual([])
  })
})

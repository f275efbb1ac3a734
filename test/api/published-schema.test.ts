/** The size of the schema that clients read. It does not grow unnoticed: whoever adds to it raises these numbers. */
import { readFileSync } from 'node:fs'
import { Kind, type ObjectTypeDefinitionNode, parse } from 'graphql'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'

const LINES = 6137
const OBJECT_TYPES = 245
const FIELDS = 1430

it('has at most as many lines, object types and fields of objects as it had', async () => {
  const { publishSchema } = await import(new URL('../../scripts/published-schema.js', import.meta.url).href)
  const text: string = publishSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
  const isObject = ({ kind }: { kind: Kind }) => kind === Kind.OBJECT_TYPE_DEFINITION
  const types = parse(text).definitions.filter(isObject) as ObjectTypeDefinitionNode[]
  const fieldCount = types.reduce((sum, { fields }) => sum + (fields?.length ?? 0), 0)
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(LINES)
  expect(types.length).toBeLessThanOrEqual(OBJECT_TYPES)
  expect(fieldCount).toBeLessThanOrEqual(FIELDS)
})

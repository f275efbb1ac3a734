import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql'
import { projectFile } from '../../src/project.js'

const QUERIES = projectFile('web/queries')

const definitions = readdirSync(QUERIES).flatMap(
  (name) => parse(readFileSync(join(QUERIES, name), 'utf8')).definitions,
)
const operations = definitions.filter(
  (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
)
const fragments = new Map(
  definitions
    .filter(
      (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
    )
    .map((fragment) => [fragment.name.value, fragment]),
)

/** The queries of all pages. */
export const queriesOfDashboard = operations.filter(({ operation }) => operation === 'query')

/** An operation with the fragments that it uses. */
export function documentOf(operation: OperationDefinitionNode): string {
  const used = new Set<FragmentDefinitionNode>()
  const collect = (definition: OperationDefinitionNode | FragmentDefinitionNode) =>
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value) as FragmentDefinitionNode
        if (used.has(fragment)) return
        used.add(fragment)
        collect(fragment)
      },
    })
  collect(operation)
  return [operation, ...used].map(print).join('\n\n')
}

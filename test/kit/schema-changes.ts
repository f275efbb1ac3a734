import {
  buildASTSchema,
  type DirectiveNode,
  findBreakingChanges,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  parse,
  visit,
} from 'graphql'

/** The text of a schema, and the version of Accord that has it, such as `1.2.0` or `1.0.0-rc.1`. */
export interface VersionedSchema {
  readonly version: string
  readonly text: string
}

/**
 * What breaks clients of the last release. What that release has deprecated may be missing from the next minor version on, with the
 * types that only it needs.
 *
 * @returns a sentence for each change
 */
export function refusedChanges(released: VersionedSchema, current: VersionedSchema): string[] {
  const isDropped = compareVersions(minorOf(released.version), minorOf(current.version)) < 0
  const before = schemaOf(released.text, isDropped)
  return findBreakingChanges(before, schemaOf(current.text, false)).map(({ description }) => description)
}

/** The highest version of names of files such as `1.2.0.graphql`. */
export function lastVersion(files: readonly string[]): string | undefined {
  return files
    .map((file) => file.replace(/\.graphql$/, ''))
    .sort(compareVersions)
    .at(-1)
}

/** Orders versions; candidates of a release precede it. */
function compareVersions(first: string, second: string): number {
  const [a, b] = [numbersOf(first), numbersOf(second)]
  const place = a.findIndex((number, index) => number !== b[index])
  return place === -1 ? 0 : a[place] < b[place] ? -1 : 1
}

function numbersOf(version: string): number[] {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/.exec(version)
  if (!match) throw new Error(`expected a version such as 1.2.0 or 1.0.0-rc.1, found ${version}`)
  return match.slice(1).map((part) => (part === undefined ? Number.POSITIVE_INFINITY : Number(part)))
}

const minorOf = (version: string) => version.replace(/^(\d+\.\d+)\..*$/, '$1.0')

function schemaOf(text: string, isWithoutDeprecated: boolean): GraphQLSchema {
  const document = parse(text)
  if (!isWithoutDeprecated) return buildASTSchema(document)
  const drop = ({ directives }: { readonly directives?: readonly DirectiveNode[] }) =>
    directives?.some(({ name }) => name.value === 'deprecated') ? null : undefined
  const kept = visit(document, {
    FieldDefinition: drop,
    InputValueDefinition: drop,
    EnumValueDefinition: drop,
  })
  const needed = neededTypes(buildASTSchema(kept, { assumeValid: true }))
  const definitions = kept.definitions.filter(
    (definition) =>
      !('name' in definition) ||
      definition.kind === 'DirectiveDefinition' ||
      needed.has(definition.name?.value ?? ''),
  )
  return buildASTSchema({ ...kept, definitions }, { assumeValid: true })
}

/** The names of types that a field leads to. That `node` returns every type does not count. */
function neededTypes(schema: GraphQLSchema): ReadonlySet<string> {
  const needed = new Set<string>()
  function need(type: GraphQLNamedType | null | undefined): void {
    if (!type || needed.has(type.name)) return
    needed.add(type.name)
    if (isUnionType(type)) type.getTypes().forEach(need)
    if (isInterfaceType(type) && type.name !== 'Node') schema.getPossibleTypes(type).forEach(need)
    if (isObjectType(type)) type.getInterfaces().forEach(need)
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) need(getNamedType(field.type))
    if (!isObjectType(type) && !isInterfaceType(type)) return
    for (const field of Object.values(type.getFields())) {
      need(getNamedType(field.type))
      for (const argument of field.args) need(getNamedType(argument.type))
    }
  }
  need(schema.getQueryType())
  need(schema.getMutationType())
  need(schema.getSubscriptionType())
  for (const { args } of schema.getDirectives()) for (const { type } of args) need(getNamedType(type))
  return needed
}

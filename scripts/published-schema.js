// The schema as clients read it, at /schema.graphql: without costs and rules of access, which are of the server. A description that
// many of a name have stands once, at its head. Introspection has all of them.
import { Kind, parse, print, visit } from 'graphql'

const OF_SERVER = ['cost', 'listSize', 'access', 'Audience']

/** A description is said once if at least so many fields, arguments and inputs of the same name have it. */
const MANY = 5

const DESCRIBED = [Kind.FIELD_DEFINITION, Kind.INPUT_VALUE_DEFINITION]

/** @param text schema.graphql */
export function publishSchema(text) {
  const document = parse(text)
  const common = commonDescriptions(document)
  const published = visit(document, {
    Directive: ({ name }) => (OF_SERVER.includes(name.value) ? null : undefined),
    DirectiveDefinition: ({ name }) => (OF_SERVER.includes(name.value) ? null : undefined),
    EnumTypeDefinition: ({ name }) => (OF_SERVER.includes(name.value) ? null : undefined),
    ObjectTypeDefinition: (node) =>
      isPage(node.name.value) ? { ...node, description: undefined } : undefined,
    StringValue: (node) => (node.block && !node.value.includes('\n') ? { ...node, block: false } : undefined),
    FieldDefinition: withoutCommon,
    InputValueDefinition: withoutCommon,
  })
  const names = [...common.keys()].sort()
  return `${[
    '# A field, an argument or an input without a description has that of its name:',
    '#',
    ...names.map((name) => `#   ${name}: ${common.get(name)}`),
    '#',
    '# …Connection is a page of a list, …Edge an entry of it with its cursor.',
    '',
    print(published),
  ].join('\n')}\n`

  function withoutCommon(node) {
    return node.description?.value === common.get(node.name.value)
      ? { ...node, description: undefined }
      : undefined
  }
}

/** The description that most of a name have, by the name. */
function commonDescriptions(document) {
  const counts = new Map()
  const count = ({ name, description }) => {
    const ofName = counts.get(name.value) ?? new Map()
    counts.set(name.value, ofName.set(description.value, (ofName.get(description.value) ?? 0) + 1))
  }
  visit(document, Object.fromEntries(DESCRIBED.map((kind) => [kind, count])))
  const most = [...counts].map(([name, ofName]) => [name, ...[...ofName].sort(([, a], [, b]) => b - a)[0]])
  return new Map(most.filter(([, text, times]) => times >= MANY && !text.includes('\n')))
}

function isPage(name) {
  return /(Connection|Edge)$/.test(name)
}

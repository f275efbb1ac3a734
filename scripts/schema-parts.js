// schema.graphql from its parts, which lie beside their resolvers: src/api/*/schema.graphql. A part adds fields to a type of another
// one by `extend type`. What follows from a type is not written but added here:
//
// - fields of an interface that a type does not declare,
// - the arguments of a field that returns a page, after its own ones, and its `@listSize`,
// - the description of `input`, the argument of a mutation: its type has one,
// - the description of a field or an argument that is the same in many places,
// - `@page(of: "systems")`: SystemConnection and SystemEdge; `countCost` is the cost of their totalCount, 1 without one; `name` is
//   used instead of the name of the type, `access` instead of its rule,
// - `@payload`: the union of a result, such as JobSuccess, and MutationError.
//
// `@from(path: "settings.limits")` says where the value of a field is in what resolvers get for its object, where it has another name:
// generate-types.js writes the resolver. Clients do not see it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kind, parse, print } from 'graphql'

/** In the order of the printed file. */
export const PARTS = [
  'shared',
  'node',
  'datasets',
  'images',
  'words',
  'systems',
  'scores',
  'scene-graphs',
  'jobs',
  'imports',
  'bounds',
  'coverage',
  'diversity',
  'selection',
  'judgements',
  'composites',
  'collections',
  'challenges',
  'accounts',
].map((area) => `src/api/${area}/schema.graphql`)

const root = fileURLToPath(new URL('..', import.meta.url))

/** What a field that returns a page has. */
const [PAGED] = parse(`type Paged {
  field(
    "Number of entries from the start, at most 1000. Default: 20 if neither first nor last is given."
    first: Int
    "Return entries after this cursor."
    after: String
    "Number of entries from the end, at most 1000."
    last: Int
    "Return entries before this cursor."
    before: String
  ): ID
    @listSize(
      assumedSize: 20
      slicingArguments: ["first", "last"]
      sizedFields: ["nodes", "edges"]
      requireOneSlicingArgument: false
    )
}`).definitions[0].fields

/** What a field or an argument of this name and type is, where nothing else is written. */
const USUAL = new Map(
  parse(`type Usual {
  "Without \`references\`, else refused: the references by name. Default: ALL."
  against: Against
  "Who annotates, as for \`takeTask\`."
  annotator: String
  "Number of captions."
  captionCount: Int!
  "Name of the challenge."
  challenge: String!
  "Dataset name."
  dataset: String!
  "Significant digits of the numbers, 1 to 17. Default: exact."
  digits: Int
  "Default: ASC."
  direction: OrderDirection
  """
  Where the document frequencies of CIDEr, CIDEr-D and SPIDEr come from: the name of a dataset, or \`coco\`, built in. Default:
  the measured images. Scores with others are not shown.
  """
  documents: String
  "The figure. Default: WORD_PRECISION."
  figure: WordFigure
  "The image."
  image: Image!
  "Number of images."
  imageCount: Int!
  "Whether there are fewer than 30 images, so that intervals and p-values are approximate."
  isSmall: Boolean!
  "Kind of the atoms."
  kind: AtomKind!
  "The metric."
  metric: Metric!
  "Metric name."
  metric: String!
  "Metric names. Default: all that are stored."
  metrics: [String!]
  "What to know when reading the figures."
  notes: [String!]!
  "Default: all parts of speech."
  partOfSpeech: [PartOfSpeech!]
  "How the figures were computed."
  provenance: Provenance!
  "Number of references k, 1 to captionsPerImage − 1. Default: captionsPerImage − 1."
  references: Int
  "The provenance in one line."
  signature: String!
  "The system."
  system: System!
  "Opaque id of the task."
  task: ID!
  "Why a value or its interval is null."
  undefinedReason: UndefinedReason
  "Id of an upload."
  upload: ID!
  "Name of a dataset: only words that its vocabulary has too, so that they are chosen without the captions that are measured."
  vocabularyOf: String
  "Number of words considered."
  wordCount: Int!
}`).definitions[0].fields.map((field) => [nameAndTypeOf(field), field.description]),
)

const INPUT_DESCRIPTION = { kind: Kind.STRING, value: 'What the mutation needs.' }

/** The text of schema.graphql. */
export function printSchema() {
  return format(readDefinitions().map(withoutSources).map(print).join('\n\n'))
}

function withoutSources({ fields, ...definition }) {
  const published = fields.map(({ directives, ...field }) => ({
    ...field,
    directives: directives.filter(({ name }) => name.value !== 'from'),
  }))
  return { ...definition, fields: published }
}

/** Fields that say where their value is: the name of the type that has them, their name, the name of their type, and the path. */
export function readSourcedFields() {
  return readDefinitions().flatMap(({ name: parent, fields }) =>
    fields.flatMap((field) => {
      const { path } = argumentsOf(field, 'from') ?? {}
      const isNullable = field.type.kind !== Kind.NON_NULL_TYPE
      const type = nameOf(field.type)
      return path
        ? [{ parent: parent.value, name: field.name.value, type, isNullable, path: path.value }]
        : []
    }),
  )
}

function readDefinitions() {
  const parts = PARTS.flatMap((path) => parse(readFileSync(join(root, path), 'utf8')).definitions)
  const isExtension = ({ kind }) => kind === Kind.OBJECT_TYPE_EXTENSION
  const definitions = parts.filter((part) => !isExtension(part)).flatMap(withGenerated)
  const byName = new Map(definitions.map((definition) => [definition.name.value, definition]))
  for (const { name, fields } of parts.filter(isExtension)) {
    const extended = byName.get(name.value)
    if (!extended) throw new Error(`expected a type to extend, found ${name.value}`)
    extended.fields = [...(extended.fields ?? []), ...fields]
  }
  for (const definition of definitions) definition.fields = withInherited(definition, byName)
  for (const definition of definitions)
    definition.fields = definition.fields.map((field) => described(withArguments(field, definition)))
  return definitions
}

/** A definition, and those that follow from its directives. */
function withGenerated(definition) {
  const page = argumentsOf(definition, 'page')
  const payload = argumentsOf(definition, 'payload')
  const directives = definition.directives?.filter(({ name }) => !['page', 'payload'].includes(name.value))
  const result = { ...definition, directives }
  return [
    ...(payload ? [payloadOf(definition)] : []),
    result,
    ...(page ? pageOf(definition, page) : []),
  ].flat()
}

function payloadOf({ name: { value } }) {
  const payload = value.replace(/Success$/, 'Payload')
  return parse(`"The result, or why there is none." union ${payload} = ${value} | MutationError`).definitions
}

function pageOf(definition, { of, countCost, name: given, access }) {
  const type = definition.name.value
  const name = given?.value ?? type
  const audience = access?.value ?? argumentsOf(definition, 'access')?.for.value
  const rule = audience ? ` @access(for: ${audience})` : ''
  const cost = countCost?.value ?? '1'
  return parse(`
    "A page of ${of.value}."
    type ${name}Connection${rule} {
      "Entries of the page with their cursors."
      edges: [${name}Edge!]!
      "Entries of the page."
      nodes: [${type}!]!
      "Pagination information."
      pageInfo: PageInfo!
      "Number of entries in the whole list.${cost === '1' ? '' : ' Computed only if requested.'}"
      totalCount: Int! @cost(weight: "${cost}")
    }

    "An entry of a page of ${of.value}."
    type ${name}Edge${rule} {
      "Cursor of this entry, for \`after\` and \`before\`."
      cursor: String!
      "The entry itself."
      node: ${type}!
    }`).definitions
}

/** The fields of a type: first those of its interfaces that it does not declare. */
function withInherited({ kind, interfaces = [], fields = [] }, byName) {
  if (kind !== Kind.OBJECT_TYPE_DEFINITION && kind !== Kind.INTERFACE_TYPE_DEFINITION) return fields
  const known = new Set(fields.map(({ name }) => name.value))
  const inherited = interfaces
    .flatMap(({ name }) => byName.get(name.value).fields)
    .filter(({ name }) => !known.has(name.value) && known.add(name.value))
  return [...inherited, ...fields]
}

/** A field with the arguments and descriptions that follow from what it is. */
function withArguments(field, { name }) {
  if (name.value === 'Mutation') {
    const described = field.arguments.map((one) => ({ ...one, description: INPUT_DESCRIPTION }))
    return { ...field, arguments: described }
  }
  if (!nameOf(field.type).endsWith('Connection')) return field
  return {
    ...field,
    arguments: [...field.arguments, ...PAGED.arguments],
    directives: [...field.directives, ...PAGED.directives],
  }
}

/** A field, and its arguments, with the usual descriptions where they have none. */
function described(field) {
  return {
    ...field,
    description: field.description ?? USUAL.get(nameAndTypeOf(field)),
    arguments: field.arguments?.map(described),
  }
}

function nameAndTypeOf({ name, type }) {
  return `${name.value}: ${print(type)}`
}

function nameOf(type) {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)
}

function argumentsOf({ directives }, name) {
  const directive = directives?.find((one) => one.name.value === name)
  return directive && Object.fromEntries(directive.arguments.map((one) => [one.name.value, one.value]))
}

function format(text) {
  const biome = join(root, 'node_modules', '.bin', 'biome')
  const args = ['format', '--stdin-file-path=schema.graphql']
  const { status, stdout, stderr } = spawnSync(biome, args, { cwd: root, input: text, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

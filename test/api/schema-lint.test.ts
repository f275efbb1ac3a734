/** Conventions of the schema. Each rule has a reason; what breaks it on purpose is listed with it. */
import { readFileSync } from 'node:fs'
import {
  type ConstDirectiveNode,
  type EnumValueNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
  visit,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'

/** A field of an object, an interface or an input. */
interface Found {
  readonly place: string
  readonly owner: string
  readonly name: string
  readonly node: FieldDefinitionNode | InputValueDefinitionNode
  readonly type: string
  readonly isInput: boolean
}

const document = parse(readFileSync(projectFile('schema.graphql'), 'utf8'))
const kinds = new Map<string, Kind>()
const fields: Found[] = []

visit(document, {
  enter(node) {
    if (!node.kind.endsWith('TypeDefinition') || !('name' in node)) return undefined
    const owner = node.name!.value
    kinds.set(owner, node.kind)
    for (const field of 'fields' in node ? (node.fields ?? []) : []) {
      const name = field.name.value
      const isInput = node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
      const found = { place: `${owner}.${name}`, owner, name, node: field, isInput }
      fields.push({ ...found, type: nameOf(field.type) } as Found)
    }
    return undefined
  },
})

/** Arguments of fields. */
const args: Found[] = fields.flatMap(({ place, node }) =>
  ((node as FieldDefinitionNode).arguments ?? []).map((argument) => ({
    place: `${place}(${argument.name.value})`,
    owner: place,
    name: argument.name.value,
    node: argument,
    type: nameOf(argument.type),
    isInput: true,
  })),
)

const outputs = fields.filter(({ isInput }) => !isInput)
const queried = outputs.filter(({ owner }) => owner !== 'Mutation' && owner !== 'Subscription')
const places = (found: readonly Found[]) => found.map(({ place }) => place)

describe('the schema', () => {
  it('has booleans that begin with `is`: a client sees what they are', () => {
    // Relay names those of PageInfo.
    const named = [...fields, ...args].filter(({ type, owner }) => type === 'Boolean' && owner !== 'PageInfo')
    expect(places(named.filter(({ name }) => !/^is[A-Z]/.test(name)))).toEqual([])
  })

  it('has counts that end in Count: other names are objects', () => {
    const counted = [...fields, ...args].filter(({ node }) =>
      /^((Maximum|Minimum) n|N)umber of|^Re?samples |^Random swaps /.test(node.description?.value ?? ''),
    )
    const numbers = counted.filter(({ type, node }) => type === 'Int' && !isList(node.type))
    // The names of pages, k, which is `references` wherever it is asked for, and the tests of a table.
    const usual = /^(first|last|points|references|tests)$/
    expect(places(numbers.filter(({ name }) => !/(^c|C)ount$/.test(name) && !usual.test(name)))).toEqual([])
    expect(
      places(fields.filter(({ name, type }) => /Count$/.test(name) && !/^(Int|Float|IntRange)$/.test(type))),
    ).toEqual([])
  })

  it('has one type of intervals', () => {
    const ends = outputs.filter(({ name, owner }) => /^(lower|upper)$/.test(name) && owner !== 'Interval')
    expect(places(ends)).toEqual([])
  })

  it('has one enumeration of reasons, in fields of one name', () => {
    expect([...kinds.keys()].filter((name) => /Reason$/.test(name))).toEqual(['UndefinedReason'])
    const others = outputs.filter(
      ({ name, type }) => (type === 'UndefinedReason') !== (name === 'undefinedReason'),
    )
    expect(places(others)).toEqual([])
    expect(places(outputs.filter(({ name }) => /reason$/i.test(name) && name !== 'undefinedReason'))).toEqual(
      [],
    )
  })

  it('has one meaning for each name: a number, a text or an object', () => {
    const meanings = new Map<string, Map<string, string>>()
    for (const { name, type, place } of outputs) {
      const ofName = meanings.get(name) ?? new Map<string, string>()
      meanings.set(name, ofName.set(meaningOf(type), place))
    }
    const several = [...meanings].filter(([, ofName]) => ofName.size > 1)
    const named = several.map(([name, ofName]) => `${name}: ${[...ofName.values()].sort().join(', ')}`)
    expect(named.sort()).toEqual(SEVERAL.toSorted())
  })

  it('has one type for each name of an argument: clients pass one variable to several fields', () => {
    const types = new Map<string, Set<string>>()
    for (const { name, type } of [...args, ...fields.filter(({ isInput }) => isInput)])
      types.set(name, (types.get(name) ?? new Set()).add(type))
    const several = [...types].filter(([, ofName]) => ofName.size > 1).map(([name]) => name)
    expect(several.sort()).toEqual(OF_THEIR_FIELD.toSorted())
  })

  it('has mutations of one `input`: clients pass one variable', () => {
    const mutations = outputs.filter(({ owner }) => owner === 'Mutation')
    const argumentsOf = ({ node }: Found) =>
      (node as FieldDefinitionNode).arguments?.map(({ name, type }) => `${name.value} ${type.kind}`).join()
    expect(places(mutations.filter((field) => argumentsOf(field) !== 'input NonNullType'))).toEqual([])
    expect(mutations.length).toBeGreaterThan(5)
  })

  it('answers a refused argument with null: the rest of the page stays', () => {
    const refusable = queried.filter(({ node }) =>
      (node as FieldDefinitionNode).arguments?.some(({ type }) => canBeRefused(nameOf(type))),
    )
    expect(places(refusable.filter(({ node }) => node.type.kind === Kind.NON_NULL_TYPE))).toEqual([])
  })

  it('has connections for lists that grow: others are bounded by what they belong to', () => {
    const lists = queried.filter(
      ({ node, type, owner }) => isObject(type) && isList(node.type) && !isPage(owner),
    )
    const bounded = new Set(Object.values(BOUNDED).flat())
    expect(places(lists.filter(({ place }) => !bounded.has(place)))).toEqual([])
    // The table has no lists that are gone.
    expect([...bounded].filter((place) => !places(lists).includes(place))).toEqual([])
  })

  it('says the unit or the range of numbers that are not integers', () => {
    const floats = queried.filter(({ type }) => type === 'Float')
    expect(places(floats.filter(({ node }) => !UNIT_OR_RANGE.test(node.description?.value ?? '')))).toEqual(
      [],
    )
    expect(floats.length).toBeGreaterThan(50)
  })

  it('has ids of what is stored: clients cache it', () => {
    const rows = queried.filter(({ name }) => name === 'createdAt').map(({ owner }) => owner)
    const withId = new Set(queried.filter(({ name }) => name === 'id').map(({ owner }) => owner))
    expect([...rows, ...CACHED].filter((owner) => !withId.has(owner))).toEqual([])
    expect(rows).toContain('BoxImport')
  })

  it('gives the length of lists of objects, and that of pages by their arguments', () => {
    const lists = queried.filter(
      ({ node, type, owner }) => isObject(type) && isList(node.type) && !isPage(owner),
    )
    expect(places(lists.filter(({ node }) => !directiveOf(node, 'listSize')))).toEqual([])
    const pages = queried.filter(({ type }) => /Connection$/.test(type))
    const sliced = (node: Found['node']) =>
      directiveOf(node, 'listSize')?.arguments?.some(({ name }) => name.value === 'slicingArguments')
    expect(places(pages.filter(({ node }) => !sliced(node)))).toEqual([])
  })

  it('has costs of five classes', () => {
    const costs = fields.flatMap(({ node }) => directiveOf(node, 'cost')?.arguments ?? [])
    const weights = costs
      .filter(({ name }) => name.value === 'weight')
      .map(({ value }) => (value as { value: string }).value)
    expect([...new Set(weights)].toSorted()).toEqual(['1', '10', '100', '1000', '10000'])
  })

  it('says for whom types, mutations and texts of jobs are: a rule of another kind would hide nothing', () => {
    const audiences = (nodes: readonly Annotated[]) =>
      nodes
        .flatMap((node) => directiveOf(node, 'access')?.arguments ?? [])
        .filter(({ name }) => name.value === 'for')
        .map(({ value }) => value)
    const names = (nodes: readonly Annotated[]) =>
      audiences(nodes).map((value) => (value as EnumValueNode).value)
    const types = document.definitions.filter(({ kind }) => kind === Kind.OBJECT_TYPE_DEFINITION)
    expect([...new Set(names(types as Annotated[]))].toSorted()).toEqual(['DATASET', 'EVERYBODY'])
    const roots = types.filter((type) => /^(Query|Mutation|Subscription)$/.test((type as Named).name.value))
    expect(names(roots as Annotated[])).toEqual(['EVERYBODY', 'EVERYBODY', 'EVERYBODY'])
    const mutations = outputs.filter(({ owner }) => owner === 'Mutation').map(({ node }) => node)
    expect([...new Set(names(mutations))].toSorted()).toEqual(['EVERYBODY', 'HOST', 'SUBMITTER', 'USER'])
    const restricted = queried.filter(({ node }) => directiveOf(node, 'access'))
    expect(restricted.map(({ place, node }) => `${place} ${names([node])}`)).toEqual([
      'Job.message HOST',
      'Job.failure HOST',
      'Job.input HOST',
      'Job.summary HOST',
      'Submission.job EVERYBODY',
    ])
  })
})

type Annotated = Pick<ObjectTypeDefinitionNode, 'directives'>
type Named = Pick<ObjectTypeDefinitionNode, 'name'>

/** Arguments whose type belongs to the field or the input that has them. */
const OF_THEIR_FIELD = [
  'name',
  'filter',
  'input',
  'orderBy',
  'baseline',
  'kind',
  'figure',
  'field',
  'word',
  'min',
  'max',
  'references',
  'columns',
  'vocabulary',
]

/** Names that have several meanings on purpose. */
const SEVERAL = [
  // Values, and the same with their uncertainty.
  'precision: ImageSelection.precision, SystemWordEstimates.precision',
  'recall: ImageSelection.recall, SystemWordEstimates.recall',
  'precisionAtHumanRecall: SystemWordEstimates.precisionAtHumanRecall, SystemWordResult.precisionAtHumanRecall',
  'averagePrecision: SystemWordEstimates.averagePrecision, SystemWordResult.averagePrecision',
  // What a job is about, and what a sentence is about.
  'subject: Job.subject, ObjectRelation.subject',
]

const UNIT_OR_RANGE =
  /\d to [−\d]|at (most|least) \d|above 0|`lowest`|p-value|pixels|seconds|\bunit\b|scale of|umbers? of|ow many|nats/

/** Objects that are made of several rows, and that clients show on several pages. */
const CACHED = [
  'WordAgreement',
  'UsageModel',
  'SystemWordResult',
  'MetricScore',
  'AgreementScore',
  'HumanAgreement',
  'Metric',
  'ContentSelection',
]

/** Lists that do not grow with what is stored, by what bounds them. */
const BOUNDED = {
  'first ones': ['ImageMatching.pairs', 'UnconfirmedObject.images'],
  'a user': ['Viewer.teams', 'Viewer.accessTokens'],
  'a team, which has at most 100': ['Team.members'],
  'a phase, as its hosts wrote it': ['Phase.admittedTeams'],
  'a phase, by its metrics and baselines': ['Submission.comparisons'],
  'what is compared with people': [
    'SystemCoverage.besidePeople',
    'DiversityFigures.localRecall',
    'DiversityFigures.localRecallOfAll',
  ],
  'a page of words': ['WordColumns.precisionIntervals', 'WordColumns.recallIntervals'],
  'an image, as it was imported': [
    'Image.captions',
    'Image.words',
    'Image.boxes',
    'Image.descriptions',
    'Image.atoms',
    'Image.judgedCaptions',
    'ImageSelection.selected',
    'JudgedCaption.ratings',
    'JudgedCaption.preferences',
  ],
  'a field of the images, which has at most 50 values': [
    'Dataset.imageSubsets',
    'MetricScore.subsets',
    'AgreementScore.subsets',
  ],
  'a caption': [
    'Caption.mentions',
    'Caption.atoms',
    'SystemCaption.mentions',
    'SystemCaption.matchedTuples',
    'SceneGraph.objectAttributes',
    'SceneGraph.objectRelations',
    'Description.mentions',
    'SystemDescription.mentions',
    'SelectionSentence.mentions',
    'Query.captionProblems',
    'TaskSuccess.problems',
  ],
  'the metrics, of which the argument names some': [
    'Dataset.leaderboards',
    'ScoreTable.columns',
    'Caption.scores',
    'SystemCaption.scores',
    'System.scores',
    'System.metricCorrelations',
    'HumanAgreement.scores',
    'CollectionAgreement.rows',
    'MetaEvaluation.rows',
  ],
  'a curve or a figure, which is drawn as a whole': [
    'SystemWordResult.curve',
    'UsageCurve.points',
    'ScoreDistribution.bins',
    'ScoreDistribution.quantiles',
    'PublishedAgreementRow.curve',
    'Bound.losses',
    'Coverage.people',
    'BoundFigures.points',
    'BoundFigures.capacities',
    'SelectionCurve.points',
    'TrainedNetwork.epochs',
    'Artefact.epochs',
  ],
  'an enumeration or a published table': [
    'PublishedAgreement.rows',
    'WordAgreementSummary.byPartOfSpeech',
    'WordAgreementSummary.means',
    'PhrSummary.means',
    'AtomVotes.kinds',
    'ContentSelection.baselines',
  ],
  'the systems that are compared, at most 20': [
    'Dataset.comparisons',
    'LeaderboardStanding.tiedWith',
    'Job.comparedSystems',
  ],
  'one file of judgements': [
    'SystemStrengths.systems',
    'SystemAgreement.systems',
    'PreferenceFigures.accuracyByCategory',
    'PublishedFigures.accuracyByCategory',
    'RaterAgreement.pairs',
  ],
  'a challenge, as its hosts wrote it': [
    'Challenge.phases',
    'Phase.metrics',
    'Board.metrics',
    'BoardRow.scores',
    'Submission.scores',
    'Submission.storedScores',
  ],
  'a file that was submitted': ['SubmitSuccess.submissions'],
  'an argument': ['JudgementSet.disagreements'],
  'what one computation was given': [
    'Provenance.parameters',
    'Provenance.resources',
    'Artefact.features',
    'CompositeBaselines.candidates',
    'TrainingData.systems',
    'CompositeTraining.networks',
    'Job.input',
  ],
}

function isPage(name: string): boolean {
  return /(Connection|Edge)$/.test(name)
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)
}

function isList(type: TypeNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE
}

function isNumber(type: string): boolean {
  return type === 'Int' || type === 'Float'
}

function isObject(type: string): boolean {
  return OBJECTS.has(kinds.get(type))
}

const OBJECTS: ReadonlySet<Kind | undefined> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
])

function meaningOf(type: string): string {
  if (isNumber(type)) return 'number'
  if (kinds.get(type) === Kind.ENUM_TYPE_DEFINITION) return 'enumeration'
  return isObject(type) ? 'object' : type
}

/** Whether values of a type can be out of range, or name nothing. */
function canBeRefused(type: string): boolean {
  return type !== 'Boolean' && kinds.get(type) !== Kind.ENUM_TYPE_DEFINITION
}

function directiveOf(node: Annotated, name: string): ConstDirectiveNode | undefined {
  return node.directives?.find((directive) => directive.name.value === name)
}

describe('the names of fields and types in the code', () => {
  const read = (file: string) => readFileSync(projectFile(`src/api/schema/${file}`), 'utf8')
  const named = (file: string, pattern: RegExp) => [...read(file).matchAll(pattern)].map(([, name]) => name)

  it('that have weights exist', () => {
    const coordinates = named('weights.ts', /'([A-Z]\w*\.\w+)'/g)
    expect(coordinates.length).toBeGreaterThan(20)
    expect(places(fields)).toEqual(expect.arrayContaining(coordinates))
    const types = named('weights.ts', /^ {2}([A-Z]\w+): \(/gm)
    expect(types).toContain('SystemConnection')
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(types))
  })
})

it('says of mutations alone that they are not noted', () => {
  const isUnnoted = ({ node }: Found) =>
    directiveOf(node, 'access')?.arguments?.some(({ name }) => name.value === 'isNoted')
  const unnoted = fields.filter(isUnnoted)
  expect(unnoted.length).toBeGreaterThan(5)
  expect(unnoted.every(({ owner }) => owner === 'Mutation')).toBe(true)
})

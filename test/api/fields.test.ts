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
import { toGlobalId } from '../../src/api/execution/ids.js'
import { projectFile } from '../../src/project.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { trainBound } from '../../src/services/bounds/bounds.js'
import { castVotes } from '../../src/services/bounds/votes.js'
import { annotatorOf, submitCaption, takeTask } from '../../src/services/collections/collections.js'
import { SEED_DATASET } from '../../src/services/datasets/load-seed.js'
import { insertCollection } from '../../src/store/collections.js'
import { sql } from '../../src/store/engine/sql.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const world = await initWorld()
let api: Api

/** Values of arguments in GraphQL notation, by name: of all required and some optional arguments. */
const ARGUMENTS: Record<string, string> = {
  name: `"${SEED_DATASET}"`,
  text: '"a"',
  references: '1',
  metric: '"ROUGE-L"',
  metrics: '["CIDEr", "CIDEr-D"]',
  priors: '{ share: 0.5 }',
  kind: 'FALSE_NEGATIVE',
  'Word.usageModel.kind': 'MOMENT',
  'Query.metric.name': '"ROUGE-L"',
  'Query.collection.name': '"parks"',
  annotator: '"cleo"',
  caption: '"A park."',
  'Dataset.atoms.kind': 'ENTITY',
  // The systems are evaluated against all references.
  'System.scores.references': 'null',
  'System.score.references': 'null',
  'System.metricCorrelations.references': 'null',
  'Dataset.comparisons.references': 'null',
  'Dataset.leaderboard.references': 'null',
  'SystemCaption.scores.references': 'null',
  'JudgementSet.metaEvaluation.compare': '["BLEU-1", "ROUGE-L"]',
  'JudgementSet.metaEvaluation.resampleCount': '100',
  // Only baselines have sentences.
  'ContentSelection.imageScores.of': '{ baseline: { name: SIZE, boxCount: 2 } }',
}

beforeAll(async () => {
  await loadEvaluatedSeed(world.accord)
  api = await world.serve({ workers: 1 })
  const { dataset } = await api.ask(
    'query ($name: String!) { dataset(name: $name) { systems { nodes { name kind } } } }',
    { name: SEED_DATASET },
  )
  const captioners: string[] = dataset.systems.nodes
    .filter(({ kind }: Json) => kind === 'CAPTIONS')
    .map(({ name }: Json) => name)
  for (const system of captioners.slice(0, 2)) {
    const { startEvaluation } = await api.ask(
      `mutation ($dataset: String!, $system: String!) { startEvaluation(input: { dataset: $dataset, system: $system }) {
        ... on JobSuccess { job { id } }
      } }`,
      { dataset: SEED_DATASET, system },
    )
    expect((await api.ended(startEvaluation.job.id)).status).toBe('DONE')
    ARGUMENTS.id = `"${startEvaluation.job.id}"`
  }
  await train()
  await collect()
  ARGUMENTS.system = `"${captioners[0]}"`
  ARGUMENTS['Dataset.system.name'] = ARGUMENTS.system
  ARGUMENTS.systems = JSON.stringify(captioners.slice(0, 2))
  ARGUMENTS.externalId = JSON.stringify(await prepareBounds())
  for (const k of [1, 2, 3, 4])
    await api.done(`computeHumanAgreement(input: { dataset: "${SEED_DATASET}", references: ${k} })`)
})

/** Trains bounds and casts a vote. @returns the external id of a test image with ratings */
async function prepareBounds(): Promise<string> {
  const { accord } = world
  const settings = { epochs: 1, embedding: 8, state: 8 }
  for (const atoms of [0, 5])
    await trainBound(accord, { dataset: SEED_DATASET, settings: { ...settings, atoms } })
  const votes = { dataset: SEED_DATASET, voter: 'anna', kind: 'entity', visual: ['dog'] } as const
  await castVotes(accord, votes)
  const progress = { step: 1, maxSteps: 2, examplesPerSecond: 3, expectedEnd: '2026-01-01T00:00:00.000Z' }
  await world.database.run(sql`UPDATE bound SET progress = ${JSON.stringify(progress)}`)
  const { dataset } = await api.ask(
    `query ($name: String!) { dataset(name: $name) { bounds { nodes { id system {
       score(metric: "ROUGE-L") { imageScores(first: 20) { nodes { image { externalId judgedCaptions { id } } } } } } } } } }`,
    { name: SEED_DATASET },
  )
  const [bound] = dataset.bounds.nodes
  ARGUMENTS['Query.bound.id'] = JSON.stringify(bound.id)
  const rated = bound.system.score.imageScores.nodes.find(
    ({ image }: Json) => image.judgedCaptions.length > 0,
  )
  return rated.image.externalId
}

/** A composite metric, trained and judged on the seed dataset. */
async function train() {
  const data = { data: SEED_DATASET, validation: SEED_DATASET }
  const { trainComposite } = await api.ask(
    `mutation ($input: TrainCompositeInput!) { trainComposite(input: $input) {
      ... on JobSuccess { job { id } } ... on MutationError { message }
    } }`,
    { input: { name: 'EvalRB', features: ['ROUGE-L', 'BLEU-1'], ...data } },
  )
  expect((await api.ended(trainComposite.job.id)).status).toBe('DONE')
  ARGUMENTS['Query.artefact.name'] = '"EvalRB"'
}

/** An image that two annotators have described, and that a third one describes. */
async function collect(): Promise<void> {
  const { accord, database } = world
  const images = [{ externalId: '1', fileName: null, url: 'https://example.org/1', width: 1, height: 1 }]
  const collection = { name: 'parks', captionsPerImage: 3, isExtension: 0 }
  await database.transaction((session) => insertCollection(session, collection, images))
  for (const [index, name] of ['anna', 'ben', 'cleo'].entries()) {
    const annotator = annotatorOf(OPEN_VIEWER, name)
    const { task } = await takeTask(accord, { collection: 'parks', annotator })
    const taskId = task?.id ?? 0
    const caption = `A man and ${index + 2} dogs walk in a green park.`
    if (name === 'cleo') ARGUMENTS.task = JSON.stringify(toGlobalId('CollectionTask', taskId))
    else expect(await submitCaption(accord, { taskId, annotator }, caption)).toEqual([])
  }
}

/** Types without an object here: a dataset has ratings or preferences, and few have published figures. */
const ABSENT = [
  'JobFailure',
  'Preference',
  'PreferenceFigures',
  'CategoryAccuracy',
  'PublishedFigures',
  'SystemStrengths',
  'SystemStrength',
  'MetricRanking',
  'CompositeBaselines',
  'CompositeCandidate',
  'BaselineDifference',
]

type Field = GraphQLField<unknown, unknown>

/** A field with its arguments, without its selection. */
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

/** All fields of a type; `__typename` of those that are objects. */
function everything(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map((field) =>
    isLeafType(getNamedType(field.type)) ? call(type, field) : `${call(type, field)} { __typename }`,
  )
  return fields.join(' ')
}

/** Whether a path can use the field: what it leads to must not be null. */
function isOnPath({ name }: GraphQLObjectType, field: Field): boolean {
  // Only scores of metrics have document frequencies.
  if (field.name === 'provenance') return name === 'AgreementScore'
  // Comparisons are of metrics.
  if (field.name === 'rarefied') return name === 'WordMean'
  // The system has captions, not word scores.
  return name !== 'SystemWordEstimates' || field.name === 'recall'
}

/** The shortest path to every type that a query can reach: fields with their arguments. */
function shortestPaths(): Map<GraphQLObjectType, readonly string[]> {
  const query = schema.getQueryType() as GraphQLObjectType
  const found = new Map<GraphQLObjectType, readonly string[]>([[query, []]])
  for (const [type, path] of found) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type)
      if (isObjectType(next) && !found.has(next) && isOnPath(type, field))
        found.set(next, [...path, call(type, field)])
    }
  }
  return found
}

function atEnd(data: Json, path: readonly string[]): Json[] {
  return path.reduce<Json[]>(
    (objects, step) => objects.flatMap((object) => object?.[step.split('(')[0]] ?? []),
    [data],
  )
}

describe('every field of every type', () => {
  it('can be queried without an error, and objects with an id by their id', async () => {
    for (const [type, path] of shortestPaths()) {
      const selection = [...path, `__typename ${everything(type)}`].join(' { ')
      const { data, errors } = await api.query(`{ ${selection} ${'}'.repeat(path.length + 1)}`)
      expect(errors, `${type.name}: ${selection}`).toEqual([])
      if (ABSENT.includes(type.name)) continue
      const objects = atEnd(data, path)
      const [object] = objects
      expect(object?.__typename, `an object at ${path.join('.')}`).toBe(type.name)
      if (!type.getInterfaces().some(({ name }) => name === 'Node')) continue
      const { node } = await api.ask('query ($id: ID!) { node(id: $id) { __typename id } }', {
        id: object.id,
      })
      expect(node, `the ${type.name} ${object.id}`).toEqual({ __typename: type.name, id: object.id })
    }
  })

  it('of mutation results can be queried', async () => {
    const system = { dataset: SEED_DATASET, system: 'new' }
    const upload = 'none'
    const calls: Record<string, Json> = {
      importCaptions: { input: { dataset: SEED_DATASET, upload } },
      importVocabulary: { input: { dataset: 'none', upload } },
      importResults: { input: { ...system, upload } },
      importWordScores: { input: { ...system, upload } },
      importBoxes: { input: { dataset: SEED_DATASET, upload } },
      importDescriptions: { input: { ...system, upload } },
      importJudgements: { input: { dataset: SEED_DATASET, upload } },
      importMetricScores: { input: { dataset: SEED_DATASET, upload, metric: 'Mine' } },
      importVotes: { input: { dataset: SEED_DATASET, upload } },
      importArtefact: { input: { upload } },
      importBound: { input: { dataset: SEED_DATASET, upload } },
      computeHumanAgreement: { input: { dataset: 'none' } },
      removeDataset: { input: { dataset: 'none' } },
      startEvaluation: { input: system },
      cancelJob: { input: { id: 'none' } },
      removeSystem: { input: { dataset: SEED_DATASET, system: 'new' } },
      trainBound: { input: { dataset: 'none', atomCount: 1 } },
      voteOnAtoms: { input: { dataset: 'none', voter: 'anna', kind: 'ENTITY' } },
      trainComposite: {
        input: { name: 'New', features: ['BLEU-1', 'none'], data: SEED_DATASET, validation: SEED_DATASET },
      },
      removeArtefact: { input: { name: 'none' } },
      createCollection: { input: { dataset: 'none' } },
      takeTask: { input: { collection: 'none', annotator: 'anna' } },
      submitCaption: { input: { task: 'none', annotator: 'anna', caption: 'A park.' } },
      skipTask: { input: { task: 'none', annotator: 'anna' } },
      reportTask: { input: { task: 'none', annotator: 'anna' } },
      finishCollection: { input: { collection: 'none', dataset: 'new' } },
      removeCollection: { input: { collection: 'none' } },
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
        __typename: expect.stringMatching(/^(InvalidInput|NotFound|NameTaken)Error$/),
        code: expect.stringMatching(/^(UNKNOWN_|NAME_TAKEN)/),
        message: expect.stringMatching(/found/),
      })
    }
  })
})

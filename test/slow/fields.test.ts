import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { DATASET_OF, NODES } from '../../src/api/node/nodes.js'
import { audienceOf } from '../../src/api/schema/access.js'
import { toGlobalId } from '../../src/api/shared/ids.js'
import { projectFile } from '../../src/project.js'
import { namesDataset } from '../../src/services/accounts/access.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { trainBound } from '../../src/services/bounds/bounds.js'
import { castVotes } from '../../src/services/bounds/votes.js'
import { submitFile } from '../../src/services/challenges/challenge-files.js'
import { rerunChallenge } from '../../src/services/challenges/challenges.js'
import { annotatorOf, submitCaption, takeTask } from '../../src/services/collections/collections.js'
import { SEED_DATASET } from '../../src/services/seed/seed.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import { insertCollection } from '../../src/store/collections.js'
import { makePrivate, requireDataset } from '../../src/store/datasets.js'
import { update } from '../../src/store/engine/rows.js'
import { sql } from '../../src/store/engine/sql.js'
import { BoundEntity } from '../../src/store/schema/bound-tables.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'
import { sendFile } from '../kit/uploads.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const world = await initWorld()
let api: Api

/** Values of arguments in GraphQL notation, by name: of all required and some optional arguments. */
const ARGUMENTS: Record<string, string> = {
  name: `"${SEED_DATASET}"`,
  text: '"a"',
  references: '1',
  metric: '"ROUGE-L"',
  by: '"objects"',
  metrics: '["CIDEr", "CIDEr-D"]',
  priors: '{ share: 0.5 }',
  kind: 'FALSE_NEGATIVE',
  'Word.usageModel.kind': 'MOMENT',
  'Query.metric.name': '"ROUGE-L"',
  'Query.collection.name': '"parks"',
  annotator: '"cleo"',
  caption: '"A park."',
  'HumanAgreement.score.metric': '"CIDEr-D"',
  'Dataset.atoms.kind': 'ENTITY',
  // The systems are evaluated against all references.
  'System.scores.references': 'null',
  'System.score.references': 'null',
  'System.metricCorrelations.references': 'null',
  'Dataset.comparisons.references': 'null',
  'Dataset.leaderboards.references': 'null',
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
  ARGUMENTS.upload = JSON.stringify(await sendFile(api.url, [], 'captions.json'))
  await train()
  await submit()
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
  await update(world.database, BoundEntity, { progress }, sql`TRUE`)
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

/** A submission to the challenge on the seed dataset, and an entry of its audit log. */
async function submit(): Promise<void> {
  const { accord, database } = world
  const captions = await database.all(sql`
    SELECT image.external_id AS image_id, system_caption.text AS caption FROM system_caption
    JOIN image ON image.id = image_id JOIN system ON system.id = system_id WHERE system.name = 'good'`)
  const path = join(world.folder, 'submission.json')
  writeFileSync(path, JSON.stringify(captions))
  await submitFile(accord, OPEN_VIEWER, path, { challenge: SEED_DATASET }, { startWorkers })
  await rerunChallenge(accord, OPEN_VIEWER, SEED_DATASET)
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
  const collection = { name: 'parks', captionsPerImage: 3, isExtension: false }
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

/**
 * Types without an object here: a dataset has ratings or preferences, few have published figures, and a server without accounts
 * has no tokens.
 */
const ABSENT = [
  'Token',
  'MutationError',
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
  // People have no standing beside scores with all references.
  if (field.name === 'people') return name !== 'Leaderboard'
  // The evaluation has its defaults.
  if (field.name === 'input') return false
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
      importFiles: { input: { dataset: SEED_DATASET, files: [{ upload, content: 'CAPTIONS' }] } },
      undoImport: { input: { id: 'none' } },
      importCaptions: { input: { dataset: SEED_DATASET, upload } },
      importVocabulary: { input: { dataset: 'none', upload } },
      importResults: { input: { ...system, upload } },
      importWordScores: { input: { ...system, upload } },
      importBoxes: { input: { dataset: SEED_DATASET, upload } },
      importObjects: { input: { dataset: SEED_DATASET, upload } },
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
      createChallenge: { input: { name: 'scenes' } },
      updateChallenge: { input: { challenge: 'none' } },
      rerunChallenge: { input: { challenge: 'none' } },
      removeChallenge: { input: { challenge: 'none' } },
      submit: { input: { challenge: 'none', upload } },
      cancelSubmission: { input: { id: 'none' } },
      rerunSubmission: { input: { id: 'none' } },
      withdrawSubmission: { input: { id: 'none' } },
      chooseEntry: { input: { id: 'none' } },
      grantSubmissions: { input: { challenge: 'none', team: 'none', submissionCount: 1 } },
      createCollection: { input: { dataset: 'none' } },
      takeTask: { input: { collection: 'none', annotator: 'anna' } },
      submitCaption: { input: { task: 'none', annotator: 'anna', caption: 'A park.' } },
      skipTask: { input: { task: 'none', annotator: 'anna' } },
      reportTask: { input: { task: 'none', annotator: 'anna' } },
      finishCollection: { input: { collection: 'none', dataset: 'new' } },
      removeCollection: { input: { collection: 'none' } },
      removeUpload: { input: { upload: 'none' } },
    }
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      // Those on accounts are asked in accounts.test.ts: here is no server with accounts.
      if (calls[field.name] === undefined) continue
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
        __typename: 'MutationError',
        code: expect.stringMatching(/^(UNKNOWN_|NAME_TAKEN)/),
        message: expect.stringMatching(/found/),
      })
    }
  })
})

/** Arguments of queries that are no names of datasets. One that names a dataset belongs to DATASET_ARGUMENTS of access.ts. */
const OTHER_ARGUMENTS = new Set(
  (
    'id name text externalId externalIds system systems metric metrics words after before compare anchor all any startsWith ' +
    'contains word none texts task annotator caption field value objects team by upload'
  ).split(' '),
)

/** Who asks, with what is sent. */
type Headers = Record<string, string>

describe('a private dataset', () => {
  let viewers: Readonly<Record<ViewerName, Headers>>
  const restricted = ['anonymous', 'rival', 'member'] as const
  let server: Api

  beforeAll(async () => {
    const { accord, database } = world
    await world.dataset('meadow', { images: { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] } })
    await makePrivate(database, (await requireDataset(database, SEED_DATASET)).id)
    server = await world.serve({ accounts: 'OPEN', workers: 1 })
    viewers = (await signInViewers(accord, server)).headers
  })

  const ask = (viewer: ViewerName, query: string, variables?: Json) =>
    server.post(JSON.stringify({ query, variables }), viewers[viewer])

  it('is where all types that belong to it lead, and knows all arguments that could name it', () => {
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
    const inputs = types
      .filter(isObjectType)
      .filter(({ name }) => name !== 'Mutation')
      .flatMap((type) => Object.values(type.getFields()).flatMap(({ args }) => withFields(args)))
    const texts = inputs.filter(({ type }) => ['String', 'ID'].includes(getNamedType(type).name))
    const unknown = texts.filter(({ name }) => !namesDataset(name) && !OTHER_ARGUMENTS.has(name))
    expect([...new Set(unknown.map(({ name }) => name))]).toEqual([])
    expect(texts.length).toBeGreaterThan(50)
    // What belongs to a dataset leads to it.
    const nodes = types
      .filter(isObjectType)
      .filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
    const owned = nodes
      .filter((type) => audienceOf(type) === 'DATASET' && type.name !== 'Artefact')
      .map(({ name }) => name)
      // Figures are found by their object.
      .filter((name) => Object.hasOwn(NODES, name))
    // A comparison is a figure, but also of a submission, which shows no dataset.
    expect(Object.keys(DATASET_OF).toSorted()).toEqual([...owned, 'Comparison'].toSorted())
  })

  it('shows nothing to others than hosts and administrators, by any path or id', async () => {
    const secrets = new Set<string>()
    const ids = new Map<string, string>()
    const isHidden = (type: GraphQLObjectType) => audienceOf(type) !== 'EVERYBODY'
    for (const [type, path] of shortestPaths()) {
      const selection = [...path, `__typename ${everything(type)}`].join(' { ')
      const query = `{ ${selection} ${'}'.repeat(path.length + 1)}`
      for (const viewer of ['host', 'administrator'] as const) {
        const { data, errors } = await ask(viewer, query)
        // The task was taken by another user.
        const others = errors.filter(({ extensions: { code } }) => code !== 'UNKNOWN_TASK')
        expect(others, `${viewer}: ${query}`).toEqual([])
        const [object] = atEnd(data, path)
        if (object === undefined || !isHidden(type)) continue
        if (object.id) ids.set(object.id, type.name)
        for (const text of JSON.stringify(object).match(/"[^"]{12,}"/g) ?? []) secrets.add(text)
      }
      if (!isHidden(type)) continue
      for (const viewer of restricted) {
        const { data, errors } = await ask(viewer, query)
        const seen = atEnd(data, path).filter((object) => object !== null && object !== undefined)
        expect(seen, `${viewer}: ${query}`).toEqual([])
        expect(errors.filter(({ extensions: { code } }) => code === 'INTERNAL_SERVER_ERROR')).toEqual([])
        const text = JSON.stringify([data, errors])
        for (const secret of secrets) expect(text).not.toContain(secret)
      }
    }
    expect(secrets.size).toBeGreaterThan(100)
    expect(new Set(ids.values()).size).toBeGreaterThan(20)
    for (const [id, name] of ids) {
      const byId = 'query ($id: ID!) { node(id: $id) { __typename id } }'
      expect((await ask('host', byId, { id })).data.node, name).toEqual({ __typename: name, id })
      for (const viewer of restricted)
        expect(await ask(viewer, byId, { id }), `${viewer}: ${name}`).toMatchObject({
          data: { node: null },
          errors: [],
        })
    }
  })

  it('is not in lists, messages of errors, answers about other datasets, and event streams', async () => {
    const jobId = JSON.parse(ARGUMENTS.id)
    for (const viewer of restricted) {
      const { data } = await ask(
        viewer,
        '{ datasets { totalCount nodes { name } edges { node { name } } } artefacts { totalCount nodes { name } } jobs { totalCount } }',
      )
      expect(data).toEqual({
        datasets: { totalCount: 1, nodes: [{ name: 'meadow' }], edges: [{ node: { name: 'meadow' } }] },
        artefacts: { totalCount: 0, nodes: [] },
        jobs: null,
      })
      const pairs = await Promise.all(
        [SEED_DATASET, 'no-such-dataset'].map((name) =>
          ask(
            viewer,
            `query ($name: String!) {
              jobs(filter: { dataset: $name }) { totalCount }
              dataset(name: "meadow") {
                wordAgreement(vocabularyOf: $name) { wordCount }
                wordLeaderboard(vocabularyOf: $name) { rows { totalCount } }
                comparisons(words: [{ figure: PHR, vocabularyOf: $name }]) { wordCount }
                contentSelection(priors: { dataset: $name }) { id }
              } }`,
            { name },
          ),
        ),
      )
      const [secret, absent] = pairs.map((answer) => JSON.stringify(answer))
      expect(secret.replaceAll(SEED_DATASET, 'NAME')).toBe(absent.replaceAll('no-such-dataset', 'NAME'))
      expect(pairs[1].errors.length).toBeGreaterThan(3)
      expect(JSON.stringify(pairs[1])).not.toContain(SEED_DATASET)
      const stream = await fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...viewers[viewer] },
        body: JSON.stringify({
          query: `subscription { jobProgress(id: "${jobId}") { id input { text } message } }`,
        }),
      })
      const text = await stream.text()
      expect(text).toMatch(/UNAUTHENTICATED|FORBIDDEN/)
      expect(text).not.toContain('"input"')
    }
    const { data } = await ask(
      'host',
      '{ datasets { totalCount } jobs { totalCount } artefacts { totalCount } }',
    )
    expect(data).toMatchObject({ datasets: { totalCount: 2 }, artefacts: { totalCount: 1 } })
    expect(data.jobs.totalCount).toBeGreaterThan(2)
  })

  it('leaves other datasets to everybody', async () => {
    const query = `{ dataset(name: "meadow") {
      id imageCount images { nodes { id externalId dataset { name } captions { text } words { word { text } } } }
      words { totalCount nodes { text histogram: countHistogram } }
      wordAgreement(vocabularyOf: "meadow") { wordCount meanPrecision }
      wordLeaderboard(vocabularyOf: "meadow") { rows { totalCount } }
    } }`
    const expected = await ask('host', query)
    expect(expected.errors).toEqual([])
    expect(expected.data.dataset.wordAgreement.wordCount).toBeGreaterThan(0)
    for (const viewer of restricted) expect(await ask(viewer, query)).toEqual(expected)
    const { id } = expected.data.dataset.images.nodes[0]
    const image = await ask(
      'anonymous',
      'query ($id: ID!) { node(id: $id) { ... on Image { externalId } } }',
      { id },
    )
    expect(image.data).toEqual({ node: { externalId: '1' } })
  })

  it('can be changed by hosts and administrators alone', async () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const rule = audienceOf(field)
      if (rule === 'EVERYBODY') continue
      const input = sampleOf(field.args[0].type)
      const query = `mutation { ${field.name}(input: ${input}) { __typename ... on MutationError { code } } }`
      const expected = { __typename: 'MutationError', code: 'UNAUTHENTICATED' }
      expect((await ask('anonymous', query)).data, query).toEqual({ [field.name]: expected })
      if (rule !== 'HOST') continue
      for (const viewer of ['rival', 'member'] as const) {
        const { data } = await ask(viewer, query)
        expect(data, query).toEqual({ [field.name]: { ...expected, code: 'FORBIDDEN' } })
      }
    }
  })
})

type Input = GraphQLArgument | GraphQLInputField

/** Arguments, with the fields of those that are objects. */
function withFields(inputs: readonly Input[]): readonly Input[] {
  return inputs.flatMap((input) => {
    const type = getNamedType(input.type)
    return isInputObjectType(type) ? [input, ...withFields(Object.values(type.getFields()))] : [input]
  })
}

/** A valid value of an input type. */
function sampleOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sampleOf(type.ofType)
  if (isListType(type)) return `[${sampleOf(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0].name
  if (!isInputObjectType(type)) return { Int: '1', Float: '1', Boolean: 'true' }[type.name] ?? '"x"'
  const fields = Object.values(type.getFields())
  const needed = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField)
  return `{ ${needed.map((field) => `${field.name}: ${sampleOf(field.type)}`).join(', ')} }`
}

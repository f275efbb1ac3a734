import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  astFromValue,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  print,
} from 'graphql'
import { NODES } from '../../src/api/node/nodes.js'
import { apiSchema } from '../../src/api/schema/schema.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { submitFile } from '../../src/services/challenges/challenge-files.js'
import { SEED_DATASET } from '../../src/services/seed/seed.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import { sql } from '../../src/store/engine/sql.js'
import { type Api, type Json, loadEvaluatedSeed, type World } from './seed.js'

/** A server of the bundled dataset that has all figures, and a submission to its challenge. */
export async function serveFigures(world: World): Promise<Api> {
  await loadEvaluatedSeed(world.accord)
  const { accord, database, folder } = world
  const captions = await database.all(sql`
    SELECT image.external_id AS image_id, system_caption.text AS caption FROM system_caption
    JOIN image ON image.id = image_id JOIN system ON system.id = system_id WHERE system.name = 'good'`)
  const path = join(folder, 'submission.json')
  writeFileSync(path, JSON.stringify(captions))
  await submitFile(accord, OPEN_VIEWER, path, { challenge: SEED_DATASET }, { startWorkers })
  await world.dataset('meadow', { images: { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] } })
  return world.serve({ workers: 1 })
}

export type Field = GraphQLField<unknown, unknown>

const isNode = (type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')

export const isFigure = (type: unknown): boolean => isNode(type) && !Object.hasOwn(NODES, type.name)

export const isConnection = (type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && 'pageInfo' in type.getFields()

/** Of objects that the dataset has not; test/slow/fields.test.ts has them. */
const ABSENT = new Set(['Dataset.boundFigures', 'Collection.state', 'Collection.agreementSoFar'])

/** Fields of objects with ids whose values are figures, which have no row: `Dataset.coverage`. */
export const FIELDS = Object.values(apiSchema().getTypeMap())
  .filter(isNode)
  .flatMap((parent) =>
    Object.values(parent.getFields()).flatMap((field): [string, GraphQLObjectType, Field][] => {
      const type = getNamedType(field.type)
      return isFigure(type) && !isFigure(parent)
        ? [[`${parent.name}.${field.name}`, parent, field as Field]]
        : []
    }),
  )
  .filter(([coordinate]) => !ABSENT.has(coordinate))

/** Where the object of a field is, or an object of a type. */
const PATHS: Readonly<Record<string, string>> = {
  'System.imageCoverage': `dataset(name: "${SEED_DATASET}") { system(name: "good")`,
  Dataset: `dataset(name: "${SEED_DATASET}")`,
  System: `dataset(name: "${SEED_DATASET}") { system(name: "detector-large")`,
  SystemWordResult: `dataset(name: "${SEED_DATASET}") { system(name: "detector-large") { words(first: 1) { nodes`,
  MetricScore: `dataset(name: "${SEED_DATASET}") { system(name: "good") { score(metric: "BLEU-1")`,
  AgreementScore: `dataset(name: "${SEED_DATASET}") { humanAgreement { score(metric: "BLEU-1")`,
  Caption: `dataset(name: "${SEED_DATASET}") { captions(first: 1) { nodes`,
  SystemCaption: `dataset(name: "${SEED_DATASET}") { system(name: "good") { captions(first: 1) { nodes`,
  JudgementSet: `dataset(name: "${SEED_DATASET}") { judgements`,
  Phase: `challenge(name: "${SEED_DATASET}") { phases`,
  Submission: `challenge(name: "${SEED_DATASET}") { phases { submissions { nodes`,
}

/** The path to the object of a field. */
export function pathOf({ name: parent }: GraphQLObjectType, field: string): string {
  return PATHS[`${parent}.${field}`] ?? PATHS[parent]
}

/** Different arguments of each field: first those that have to be given, in the end all of them. */
export const ARGUMENTS: Readonly<Record<string, readonly Json[]>> = {
  'Dataset.wordAgreement': [
    {},
    { references: 1, partOfSpeech: ['NN'], vocabularyOf: SEED_DATASET },
    { references: 2, partOfSpeech: ['NN'], vocabularyOf: SEED_DATASET },
    { references: 1, partOfSpeech: ['NN', 'VB'], vocabularyOf: SEED_DATASET },
    { references: 1, partOfSpeech: ['NN'] },
  ],
  'Dataset.leaderboards': [
    {},
    { metrics: ['BLEU-1', 'CIDEr'] },
    { metrics: ['BLEU-1', 'CIDEr'], references: 1 },
    { metrics: ['BLEU-1', 'CIDEr'], isHumanIncluded: true, isBoundIncluded: true },
    { metrics: ['CIDEr'], documents: 'coco' },
  ],
  'Dataset.wordLeaderboard': [
    {},
    { figure: 'WORD_PRECISION', partOfSpeech: ['NN'], vocabularyOf: SEED_DATASET, references: 1 },
    { figure: 'WORD_PRECISION', isBoundIncluded: true },
    { figure: 'WORD_PRECISION', partOfSpeech: ['VB'] },
  ],
  'Dataset.comparisons': [
    { metrics: ['BLEU-1'] },
    { metrics: ['BLEU-1', 'CIDEr'], systems: ['good', 'old'], isHumanIncluded: true, references: 1 },
    { metrics: ['BLEU-1', 'CIDEr'], systems: ['old', 'good'], isHumanIncluded: true },
    { metrics: ['CIDEr'], documents: 'coco' },
    { metrics: ['BLEU-1'], words: [{ figure: 'WORD_PRECISION' }] },
    { metrics: ['BLEU-1'], baseline: { system: 'good' } },
    { metrics: ['BLEU-1'], baseline: { human: 'LEAVE_ONE_OUT' } },
  ],
  'Dataset.usageCurve': [{}, { references: 1, points: 11 }, { points: 11 }],
  'Dataset.usageFit': [
    {},
    { references: 1, model: 'BINOMIAL', partOfSpeech: ['NN'] },
    { references: 1, model: 'BETA_BINOMIAL', partOfSpeech: ['NN'] },
  ],
  'Dataset.humanAgreement': [
    {},
    { references: 4, metrics: ['CIDEr', 'BLEU-1'], documents: 'coco' },
    { references: 4, metrics: ['CIDEr'] },
  ],
  'Dataset.publishedAgreement': [{}],
  'Dataset.scoreTable': [
    {},
    { systems: ['good'], metrics: ['BLEU-1', 'CIDEr'], isHumanIncluded: true, references: 4 },
    { systems: ['good'], metrics: ['CIDEr'], documents: 'coco' },
  ],
  'Dataset.atomVotes': [{}],
  'Dataset.coverage': [
    {},
    { systems: ['good'], units: 'WORDS', references: 2, documents: 'coco' },
    { systems: ['old'], units: 'TYPES', references: 2 },
  ],
  'Dataset.diversity': [{}, { systems: ['good'], training: 'meadow' }, { systems: ['good'] }],
  'Dataset.contentSelection': [{}, { priors: { share: 0.5 } }, { priors: { share: 0.25 } }],
  'System.imageCoverage': [
    {},
    { units: 'WORDS', references: 2, documents: 'coco' },
    { units: 'TYPES', references: 2 },
  ],
  'SystemWordResult.estimates': [{}],
  'MetricScore.vector': [{}],
  'MetricScore.distribution': [{}],
  'AgreementScore.vector': [{}],
  'AgreementScore.distribution': [{}],
  'Caption.sceneGraph': [{}],
  'SystemCaption.sceneGraph': [{}],
  'JudgementSet.metaEvaluation': [
    { resampleCount: 100 },
    { metrics: ['BLEU-1', 'ROUGE-L'], compare: ['BLEU-1', 'ROUGE-L'], resampleCount: 100 },
    { metrics: ['BLEU-1', 'ROUGE-L'], resampleCount: 200 },
    // Of preferences alone: null for ratings, as any value is refused.
    { anchor: null, resampleCount: 200 },
  ],
  'System.phrSummary': [
    {},
    { references: 1, partOfSpeech: ['NN'], vocabularyOf: SEED_DATASET },
    { references: 2, partOfSpeech: ['NN'], vocabularyOf: SEED_DATASET },
    { references: 1, partOfSpeech: ['VB'], vocabularyOf: SEED_DATASET },
  ],
  'Phase.board': [
    {},
    { orderBy: { field: 'CIDEr-D' } },
    { orderBy: { field: 'CIDEr-D', direction: 'DESC' } },
  ],
  'Submission.comparisons': [{}],
}

/** The arguments of a field as a document has them. */
export function literal({ args }: Field, values: Json): string {
  const given = args.filter(({ name }) => values[name] !== undefined)
  if (given.length === 0) return ''
  const texts = given.map(({ name, type }) => {
    const value = astFromValue(values[name], type)
    return `${name}: ${value ? print(value) : 'null'}`
  })
  return `(${texts.join(', ')})`
}

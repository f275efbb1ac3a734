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
import { apiSchema } from '../../src/api/server/schema.js'
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
  return world.serve({ workers: 1 })
}

export type Field = GraphQLField<unknown, unknown>

const isNode = (type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')

export const isFigure = (type: unknown): boolean => isNode(type) && !Object.hasOwn(NODES, type.name)

export const isConnection = (type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && 'pageInfo' in type.getFields()

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

/** Where an object of a type is. */
export const PATHS: Readonly<Record<string, string>> = {
  Dataset: `dataset(name: "${SEED_DATASET}")`,
  System: `dataset(name: "${SEED_DATASET}") { system(name: "detector-large")`,
  Phase: `challenge(name: "${SEED_DATASET}") { phases`,
  Submission: `challenge(name: "${SEED_DATASET}") { phases { submissions { nodes`,
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

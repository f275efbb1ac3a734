import { findTask } from '../../services/collections/collections.js'
import { findMetric } from '../../services/evaluations/scores.js'
import { agreementOnWord, usageModelKind, usageModelOfWord } from '../../services/words/word-figures.js'
import { loadBound } from '../bounds/loaders.js'
import {
  isHiddenSubmission,
  loadAuditEntry,
  loadChallenge,
  loadPhase,
  loadSubmission,
} from '../challenges/loaders.js'
import { loadCollection, loadCollectionImage } from '../collections/loaders.js'
import { loadArtefact } from '../composites/loaders.js'
import { loadDataset } from '../datasets/loaders.js'
import type { Context } from '../execution/context.js'
import { isRowId, type KeyPart, toRowId } from '../execution/ids.js'
import { loadCaption, loadImage, loadSystemCaption } from '../images/loaders.js'
import { loadJob } from '../jobs/loaders.js'
import { typeOfJob } from '../jobs/names.js'
import { loadJudgedCaption, loadJudgements, loadPreference } from '../judgements/loaders.js'
import { agreementOf, scoreOf } from '../scores/scores.js'
import { selectionOf } from '../selection/key.js'
import { loadBox, loadBoxImport, loadDescription, loadSystemDescription } from '../selection/loaders.js'
import { loadSystem, loadSystemWord } from '../systems/loaders.js'
import { loadWord } from '../words/loaders.js'

type FindNode = (context: Context, key: readonly KeyPart[]) => Promise<object | null> | object | null

/** How the object with a key is found, by type: those of a row first, then those that are made of arguments. */
export const NODES: Readonly<Record<string, FindNode>> = {
  Dataset: ofRow(loadDataset),
  Image: ofRow(loadImage),
  Caption: ofRow(loadCaption),
  SystemCaption: ofRow(loadSystemCaption),
  Word: ofRow(loadWord),
  System: ofRow(loadSystem),
  Bound: ofRow(loadBound),
  Artefact: ofRow(loadArtefact),
  Box: ofRow(loadBox),
  BoxImport: ofRow(loadBoxImport),
  Description: ofRow(loadDescription),
  SystemDescription: ofRow(loadSystemDescription),
  JudgementSet: ofRow(loadJudgements),
  JudgedCaption: ofRow(loadJudgedCaption),
  Preference: ofRow(loadPreference),
  Collection: ofRow(loadCollection),
  CollectionImage: ofRow(loadCollectionImage),

  CollectionTask({ accord, viewer }, key) {
    const id = toRowId(key)
    return id === null ? null : findTask(accord, viewer, id)
  },
  Challenge: ofRow(loadChallenge),
  Phase: ofRow(loadPhase),
  Submission: ofRow(loadSubmission),
  AuditEntry: ofRow(loadAuditEntry),

  async Job(context, key) {
    const id = toRowId(key)
    const job = id === null ? null : await loadJob(context, id)
    return job && { ...job, __typename: typeOfJob(job) }
  },
  Metric: ({ accord }, [name]) => findMetric(accord, String(name)),
  ContentSelection: selectionOf,
  async WordAgreement(context, [wordId, references]) {
    const word = isRowId(wordId) && (await loadWord(context, wordId))
    return word ? agreementOnWord(word, toNumber(references)) : null
  },
  async UsageModel(context, [wordId, kind]) {
    const word = isRowId(wordId) && (await loadWord(context, wordId))
    const known = usageModelKind(kind)
    return word && known ? usageModelOfWord(word, known) : null
  },
  SystemWordResult: (context, [systemId, wordId, references]) =>
    isRowId(systemId) && isRowId(wordId) && isRowId(references)
      ? loadSystemWord(context, { systemId, wordId, references })
      : null,
  async MetricScore(context, [systemId, metric, references]) {
    const system = isRowId(systemId) && (await loadSystem(context, systemId))
    return system
      ? scoreOf(system, { metric: String(metric), references: toNumber(references) }, context)
      : null
  },
  async HumanAgreement(context, [datasetId, references]) {
    const dataset = isRowId(datasetId) && (await loadDataset(context, datasetId))
    return dataset ? agreementOf(dataset, { references: toNumber(references) }, context) : null
  },
  async AgreementScore(context, [datasetId, metric, references]) {
    const dataset = isRowId(datasetId) && (await loadDataset(context, datasetId))
    const input = { references: toNumber(references), metrics: [String(metric)] }
    return dataset ? ((await agreementOf(dataset, input, context)).rows.at(0) ?? null) : null
  },
}

/** Ids by which objects lead to their dataset. */
interface Owned {
  readonly id?: number
  readonly datasetId?: number
  readonly imageId?: number
  readonly systemId?: number
  readonly firstId?: number
}

type OwnerId = number | undefined

type FindDataset = (context: Context, object: Owned, key: readonly KeyPart[]) => OwnerId | Promise<OwnerId>

const ofDataset: FindDataset = (_context, { datasetId }) => datasetId
const ofImage: FindDataset = async (context, { imageId }) =>
  (await loadImage(context, imageId as number))?.datasetId
const ofSystem: FindDataset = async (context, { systemId }) =>
  (await isHiddenSubmission(context, systemId as number))
    ? undefined
    : (await loadSystem(context, systemId as number))?.datasetId
const byKeyOfDataset: FindDataset = (_context, _object, [datasetId]) => datasetId as number
const byKeyOfSystem: FindDataset = (context, _object, [systemId]) =>
  ofSystem(context, { systemId: systemId as number }, [])
const byKeyOfWord: FindDataset = async (context, _object, [wordId]) =>
  (await loadWord(context, wordId as number))?.datasetId

/** The dataset that an object belongs to, by type, for types of which all objects do. The key is that of its id. */
export const DATASET_OF: Readonly<Record<string, FindDataset>> = {
  Dataset: (_context, { id }) => id,
  Image: ofDataset,
  Word: ofDataset,
  System: (context, { id }, key) => ofSystem(context, { systemId: id }, key),
  Bound: ofDataset,
  BoxImport: ofDataset,
  JudgementSet: ofDataset,
  Caption: ofImage,
  Box: ofImage,
  Description: ofImage,
  SystemDescription: ofImage,
  JudgedCaption: ofImage,
  SystemCaption: ofSystem,
  async Preference(context, { firstId }) {
    const caption = await loadJudgedCaption(context, firstId as number)
    return caption ? ofImage(context, caption, []) : undefined
  },
  ContentSelection: byKeyOfDataset,
  HumanAgreement: byKeyOfDataset,
  AgreementScore: byKeyOfDataset,
  WordAgreement: byKeyOfWord,
  UsageModel: byKeyOfWord,
  SystemWordResult: byKeyOfSystem,
  MetricScore: byKeyOfSystem,
}

function ofRow(load: (context: Context, id: number) => Promise<object | null>): FindNode {
  return (context, key) => {
    const id = toRowId(key)
    return id === null ? null : load(context, id)
  }
}

function toNumber(part: KeyPart | undefined): number | null {
  return typeof part === 'number' ? part : null
}

import { findTask } from '../../services/collections/collections.js'
import { findMetric } from '../../services/evaluations/metrics.js'
import { agreementOnWord, usageModelKind, usageModelOfWord } from '../../services/words/word-figures.js'
import * as challenges from '../loaders/challenges.js'
import { loadCaption, loadDataset, loadImage, loadSystemCaption, loadWord } from '../loaders/datasets.js'
import * as jobs from '../loaders/jobs.js'
import { loadBox, loadBoxImport, loadDescription, loadSystemDescription } from '../loaders/selection.js'
import { loadSystem, loadSystemWord } from '../loaders/systems.js'
import { agreementOf, scoreOf } from '../scores/scores.js'
import type { Context } from '../shared/context.js'
import { isRowId, type KeyPart, toRowId } from '../shared/ids.js'

type LoadRow = (context: Context, id: number) => Promise<object | null>

type FindNode = (context: Context, key: readonly KeyPart[]) => Promise<object | null> | object | null

/** How the row with an id is read, by type. */
export const ROWS = {
  Dataset: loadDataset,
  Image: loadImage,
  Caption: loadCaption,
  SystemCaption: loadSystemCaption,
  Word: loadWord,
  System: loadSystem,
  Bound: jobs.loadBound,
  Artefact: jobs.loadArtefact,
  Box: loadBox,
  BoxImport: loadBoxImport,
  Description: loadDescription,
  SystemDescription: loadSystemDescription,
  JudgedCaption: jobs.loadJudgedCaption,
  Preference: jobs.loadPreference,
  Collection: challenges.loadCollection,
  CollectionImage: challenges.loadCollectionImage,
  Challenge: challenges.loadKnownChallenge,
  Phase: challenges.loadKnownPhase,
  Submission: challenges.loadSubmission,
  AuditEntry: challenges.loadAuditEntry,
  Job: jobs.loadJob,
} satisfies Readonly<Record<string, LoadRow>>

/** How the object with a key is found, by type: those of a row first, then those that are made of arguments. */
export const NODES: Readonly<Record<string, FindNode>> = {
  ...Object.fromEntries(Object.entries<LoadRow>(ROWS).map(([type, load]) => [type, ofRow(load)])),
  JudgementSet: ofRow(jobs.loadJudgements),
  CollectionTask({ accord, viewer }, key) {
    const id = toRowId(key)
    return id === null ? null : findTask(accord, viewer, id)
  },
  async SubmissionQuota(context, [phaseId, team]) {
    const phase = isRowId(phaseId) && (await challenges.loadKnownPhase(context, phaseId))
    return phase && typeof team === 'string' ? challenges.findQuota(context, phase.id, team) : null
  },
  Team: (context, [id]) => (typeof id === 'string' ? challenges.loadTeam(context, id) : null),
  // Of the viewer: nobody sees those of others, administrators neither.
  async Token({ account, viewer }, [id]) {
    return (await account?.accounts.tokens(viewer))?.find((token) => token.id === id) ?? null
  },

  Metric: ({ accord }, [name]) => findMetric(accord, String(name)),
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
  async MetricScore(context, [systemId, metric, references, documents]) {
    const system = isRowId(systemId) && (await loadSystem(context, systemId))
    return system
      ? scoreOf(
          system,
          { metric: String(metric), references: toNumber(references), documents: toName(documents) },
          context,
        )
      : null
  },
  async AgreementScore(context, [datasetId, metric, references, documents]) {
    const dataset = isRowId(datasetId) && (await loadDataset(context, datasetId))
    const input = {
      references: toNumber(references),
      metrics: [String(metric)],
      documents: toName(documents),
    }
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
  /** Of a comparison; null stands for people. */
  readonly first?: { readonly datasetId: number } | null
  readonly second?: { readonly datasetId: number } | null
}

type OwnerId = number | undefined

type FindDataset = (context: Context, object: Owned, key: readonly KeyPart[]) => OwnerId | Promise<OwnerId>

const ofDataset: FindDataset = (_context, { datasetId }) => datasetId
const ofImage: FindDataset = async (context, { imageId }) =>
  (await loadImage(context, imageId as number))?.datasetId
const byKeyOfDataset: FindDataset = (_context, _object, [datasetId]) => datasetId as number
const byKeyOfWord: FindDataset = async (context, _object, [wordId]) =>
  (await loadWord(context, wordId as number))?.datasetId

/** The system that an object is, or belongs to, by type. The key is that of its id. */
const SYSTEM_OF: Readonly<Record<string, (object: Owned, key: readonly KeyPart[]) => OwnerId>> = {
  System: ({ id }) => id,
  SystemCaption: ({ systemId }) => systemId,
  SystemWordResult: (_object, [systemId]) => systemId as OwnerId,
  MetricScore: (_object, [systemId]) => systemId as OwnerId,
}

/** Whether an object shows a submission whose captions the viewer may not see. */
export async function showsHiddenSubmission(
  context: Context,
  type: string,
  object: Owned,
  key: readonly KeyPart[],
): Promise<boolean> {
  const systemId = SYSTEM_OF[type]?.(object, key)
  return systemId !== undefined && challenges.isHiddenSubmission(context, systemId)
}

const ofSystem =
  (type: keyof typeof SYSTEM_OF): FindDataset =>
  async (context, object, key) => {
    const systemId = SYSTEM_OF[type](object, key)
    return systemId === undefined ? undefined : (await loadSystem(context, systemId))?.datasetId
  }

/** The dataset that an object belongs to, by type, for types of which all objects do. The key is that of its id. */
export const DATASET_OF: Readonly<Record<string, FindDataset>> = {
  Dataset: (_context, { id }) => id,
  Image: ofDataset,
  Word: ofDataset,
  System: ofSystem('System'),
  Bound: ofDataset,
  BoxImport: ofDataset,
  JudgementSet: ofDataset,
  Caption: ofImage,
  Box: ofImage,
  Description: ofImage,
  SystemDescription: ofImage,
  JudgedCaption: ofImage,
  SystemCaption: ofSystem('SystemCaption'),
  async Preference(context, { firstId }) {
    const caption = await jobs.loadJudgedCaption(context, firstId as number)
    return caption ? ofImage(context, caption, []) : undefined
  },
  Comparison: (_context, { first, second }) => (first ?? second)?.datasetId,
  AgreementScore: byKeyOfDataset,
  WordAgreement: byKeyOfWord,
  UsageModel: byKeyOfWord,
  SystemWordResult: ofSystem('SystemWordResult'),
  MetricScore: ofSystem('MetricScore'),
}

function ofRow(load: LoadRow): FindNode {
  return (context, key) => {
    const id = toRowId(key)
    return id === null ? null : load(context, id)
  }
}

function toName(part: KeyPart | undefined): string | null {
  return typeof part === 'string' ? part : null
}

function toNumber(part: KeyPart | undefined): number | null {
  return typeof part === 'number' ? part : null
}

import DataLoader from 'dataloader'
import type { SelectionInput, SelectionReport } from '../jobs/content-selection.js'
import { storedAgreement } from '../jobs/human-agreement.js'
import type { Box, BoxImport } from '../store/box-entities.js'
import {
  type HumanDescription,
  type MentionOwner,
  type OwnedMention,
  readBoxedDatasets,
  readBoxes,
  readBoxImports,
  readDescriptions,
  readMentions,
  readSystemDescriptions,
  type SystemDescriptionRow,
} from '../store/boxes.js'
import type { Database } from '../store/database.js'
import { findDatasets, listDatasets } from '../store/datasets.js'
import type {
  AgreementScore,
  Caption,
  Dataset,
  Evaluation,
  Image,
  MetricScore,
  System,
  SystemCaption,
  SystemWord,
  Word,
} from '../store/entities.js'
import { findEvaluations, findNewestEvaluations } from '../store/evaluations.js'
import {
  findImages,
  type ImageUse,
  readCaptions,
  readCountedImageIds,
  readImageUse,
  readWordImages,
} from '../store/images.js'
import { type ImageScores, readFoldScores, readImageScores, readScores } from '../store/scores.js'
import { findSystems, listSystems, readSystemCaptions, readSystemWords } from '../store/systems.js'
import { readTexts } from '../store/tokens.js'
import { readWordScores, type StoredWordScores } from '../store/word-scores.js'
import { findWords, findWordsOfTokens } from '../store/words.js'
import type { MetricRegistry } from './metric/registry.js'
import type { Services } from './services.js'

/** A word's images where `captionCount` captions use it (undefined: any number), behind an image id. */
export interface WordImagesKey {
  readonly wordId: number
  readonly captionCount: number | undefined
  readonly afterImageId: number
  readonly limit: number
}

/**
 * Everything that lists ask for row by row, gathered into one statement each; made anew for every request.
 */
export interface Loaders {
  readonly dataset: DataLoader<number, Dataset | null, string>
  readonly image: DataLoader<number, Image | null, string>
  readonly word: DataLoader<number, Word | null, string>
  readonly system: DataLoader<number, System | null, string>
  readonly systemByName: DataLoader<{ datasetId: number; name: string }, System | null, string>
  readonly captions: DataLoader<number, Caption[], string>
  readonly systemCaptions: DataLoader<
    { imageId: number; names: readonly string[] | undefined },
    SystemCaption[],
    string
  >
  readonly wordOfToken: DataLoader<{ datasetId: number; tokenId: number }, Word | null, string>
  /** The texts of token ids, as captions hold them. */
  readonly tokenTexts: DataLoader<Int32Array, string[]>
  readonly systemWord: DataLoader<
    { systemId: number; references: number; wordId: number },
    SystemWord | null,
    string
  >
  readonly wordImages: DataLoader<WordImagesKey, number[], string>
  /** The images that use a word. */
  readonly imageUse: DataLoader<number, ImageUse[], string>
  /** Ids of the images of a data set that the statistics count, ascending. */
  readonly countedImageIds: DataLoader<number, Int32Array, string>
  readonly wordScores: DataLoader<{ systemId: number; wordId: number }, StoredWordScores | null, string>
  readonly evaluation: DataLoader<number, Evaluation | null, string>
  /** The newest evaluation of a system. */
  readonly evaluationOfSystem: DataLoader<number, Evaluation | null, string>
  /** Corpus scores of a system, the newest of each metric. */
  readonly systemScores: DataLoader<number, MetricScore[], string>
  /** By id of a stored corpus score. */
  readonly imageScores: DataLoader<number, ImageScores | null, string>
  /** Stored rows of a data set's leave-one-out table with K − 1 references; none before it was computed. */
  readonly agreement: DataLoader<number, AgreementScore[], string>
  /** By id of a stored row of a leave-one-out table. */
  readonly foldScores: DataLoader<number, ImageScores | null, string>
  readonly datasetByName: DataLoader<string, Dataset | null, string>
  /** Whether an image of a data set has a box. */
  readonly hasBoxes: DataLoader<number, boolean, string>
  readonly boxImports: DataLoader<number, BoxImport[], string>
  readonly boxes: DataLoader<number, Box[], string>
  readonly descriptions: DataLoader<number, HumanDescription[], string>
  readonly systemDescriptions: DataLoader<
    { imageId: number; names: readonly string[] | undefined },
    SystemDescriptionRow[],
    string
  >
  readonly mentions: DataLoader<{ owner: MentionOwner; id: number }, OwnedMention[], string>
  /** Content selection, computed by the worker thread. */
  readonly selection: DataLoader<SelectionInput, SelectionReport, string>
}

export function createLoaders({ database, metrics, queryRunner }: Services, checkTime: () => void): Loaders {
  /**
   * A loader whose keys fall into groups, one statement each: `read` gets the keys of one group and maps the
   * part of the key that differs within it to a value; `absent` stands where it maps nothing.
   */
  function loader<Key, Part extends string | number, Value>(
    groupOf: (key: Key) => string | number,
    partOf: (key: Key) => Part,
    read: (keys: readonly Key[]) => Map<Part, Value> | Promise<Map<Part, Value>>,
    absent: Value,
  ): DataLoader<Key, Value, string> {
    return new DataLoader<Key, Value, string>(
      async (keys) => {
        const groups = groupBy(keys, groupOf)
        const values = new Map<string | number, Map<Part, Value>>()
        for (const [group, members] of groups) {
          checkTime()
          values.set(group, await read(members))
        }
        return keys.map((key) => values.get(groupOf(key))?.get(partOf(key)) ?? absent)
      },
      { cacheKeyFn: (key) => `${groupOf(key)}/${partOf(key)}` },
    )
  }

  function byId<Row extends { readonly id: number }>(
    find: (database: Database, ids: readonly number[]) => Promise<Row[]>,
  ): DataLoader<number, Row | null, string> {
    return loader<number, number, Row | null>(
      () => '',
      (id) => id,
      async (ids) => keyBy(await find(database, ids), (row) => row.id),
      null,
    )
  }

  return {
    dataset: byId(findDatasets),
    image: byId(findImages),
    word: byId(findWords),
    system: byId(findSystems),

    systemByName: loader(
      (key) => key.datasetId,
      (key) => key.name,
      async (keys) => keyBy(await listSystems(database, keys[0].datasetId), (system) => system.name),
      null,
    ),

    captions: loader(
      () => '',
      (imageId) => imageId,
      async (imageIds) => groupBy(await readCaptions(database, imageIds), (caption) => caption.imageId),
      [],
    ),

    systemCaptions: loader(
      (key) => JSON.stringify(key.names ?? null),
      (key) => key.imageId,
      async (keys) => {
        const imageIds = keys.map((key) => key.imageId)
        return groupBy(await readSystemCaptions(database, imageIds, keys[0].names), (row) => row.imageId)
      },
      [],
    ),

    wordOfToken: loader(
      (key) => key.datasetId,
      (key) => key.tokenId,
      async (keys) => {
        const tokenIds = keys.map((key) => key.tokenId)
        return keyBy(await findWordsOfTokens(database, keys[0].datasetId, tokenIds), (word) => word.tokenId)
      },
      null,
    ),

    tokenTexts: new DataLoader<Int32Array, string[]>(
      async (captions) => {
        checkTime()
        const texts = readTexts(database, [...new Set(captions.flatMap((tokens) => [...tokens]))])
        return captions.map((tokens) => Array.from(tokens, (token) => texts.get(token) ?? ''))
      },
      { cache: false },
    ),

    systemWord: loader(
      (key) => `${key.systemId}:${key.references}`,
      (key) => key.wordId,
      async (keys) => {
        const wordIds = keys.map((key) => key.wordId)
        const results = await readSystemWords(database, keys[0].systemId, keys[0].references, wordIds)
        return keyBy(results, (result) => result.wordId)
      },
      null,
    ),

    wordImages: loader(
      (key) => `${key.captionCount}:${key.afterImageId}:${key.limit}`,
      (key) => key.wordId,
      (keys) => {
        const { captionCount, afterImageId, limit } = keys[0]
        const wordIds = keys.map((key) => key.wordId)
        const rows = groupBy(
          readWordImages(database, wordIds, captionCount, afterImageId, limit),
          (row) => row.wordId,
        )
        return new Map([...rows].map(([wordId, images]) => [wordId, images.map((row) => row.imageId)]))
      },
      [],
    ),

    imageUse: loader(
      () => '',
      (wordId) => wordId,
      (wordIds) => groupBy(readImageUse(database, wordIds), (use) => use.wordId),
      [],
    ),

    countedImageIds: loader(
      () => '',
      (datasetId) => datasetId,
      (datasetIds) => new Map(datasetIds.map((id) => [id, readCountedImageIds(database, id)])),
      new Int32Array(0),
    ),

    wordScores: loader(
      (key) => key.systemId,
      (key) => key.wordId,
      (keys) =>
        readWordScores(
          database,
          keys[0].systemId,
          keys.map(({ wordId }) => wordId),
        ),
      null,
    ),

    evaluation: byId(findEvaluations),

    evaluationOfSystem: loader(
      () => '',
      (systemId) => systemId,
      async (systemIds) => keyBy(await findNewestEvaluations(database, systemIds), (row) => row.systemId),
      null,
    ),

    systemScores: loader(
      () => '',
      (systemId) => systemId,
      async (systemIds) => {
        const scores = groupBy(await readScores(database, systemIds), (score) => score.systemId)
        return new Map([...scores].map(([systemId, rows]) => [systemId, newestOfEachMetric(rows, metrics)]))
      },
      [],
    ),

    imageScores: loader(
      () => '',
      (scoreId) => scoreId,
      (scoreIds) => readImageScores(database, scoreIds),
      null,
    ),

    agreement: loader(
      () => '',
      (datasetId) => datasetId,
      async (datasetIds) => {
        const datasets = await findDatasets(database, datasetIds)
        const tables = datasets.map(async (dataset): Promise<[number, AgreementScore[]]> => {
          const references = dataset.captionsPerImage - 1
          if (references < 1) return [dataset.id, []]
          return [dataset.id, (await storedAgreement(database, dataset, references, metrics.families)) ?? []]
        })
        return new Map(await Promise.all(tables))
      },
      [],
    ),

    foldScores: loader(
      () => '',
      (rowId) => rowId,
      (rowIds) => readFoldScores(database, rowIds),
      null,
    ),

    datasetByName: loader(
      () => '',
      (name) => name,
      async () => keyBy(await listDatasets(database), (dataset) => dataset.name),
      null,
    ),

    hasBoxes: loader(
      () => '',
      (datasetId) => datasetId,
      (datasetIds) => new Map([...readBoxedDatasets(database, datasetIds)].map((id) => [id, true])),
      false,
    ),

    boxImports: loader(
      () => '',
      (datasetId) => datasetId,
      async (datasetIds) => groupBy(await readBoxImports(database, datasetIds), (row) => row.datasetId),
      [],
    ),

    boxes: loader(
      () => '',
      (imageId) => imageId,
      async (imageIds) => groupBy(await readBoxes(database, imageIds), (box) => box.imageId),
      [],
    ),

    descriptions: loader(
      () => '',
      (imageId) => imageId,
      (imageIds) => groupBy(readDescriptions(database, imageIds), (description) => description.imageId),
      [],
    ),

    systemDescriptions: loader(
      (key) => JSON.stringify(key.names ?? null),
      (key) => key.imageId,
      (keys) => {
        const imageIds = keys.map((key) => key.imageId)
        return groupBy(readSystemDescriptions(database, imageIds, keys[0].names), (row) => row.imageId)
      },
      [],
    ),

    mentions: loader(
      (key) => key.owner,
      (key) => key.id,
      (keys) => {
        const ids = keys.map((key) => key.id)
        return groupBy(readMentions(database, keys[0].owner, ids), (mention) => mention.ownerId)
      },
      [],
    ),

    selection: new DataLoader(
      async (inputs) => {
        checkTime()
        const tasks = inputs.map((input) => queryRunner.start('contentSelection', input).result)
        return (await Promise.allSettled(tasks)).map((outcome) =>
          outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
        )
      },
      { cacheKeyFn: ({ dataset, priors, priorsShare }) => JSON.stringify([dataset, priors, priorsShare]) },
    ),
  }
}

function keyBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row> {
  return new Map(rows.map((row) => [keyOf(row), row]))
}

function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** One score for each metric this server knows, in the order of its list. */
function newestOfEachMetric(scores: readonly MetricScore[], metrics: MetricRegistry): MetricScore[] {
  return metrics.all.flatMap(({ name }) => scores.findLast(({ metric }) => metric === name) ?? [])
}

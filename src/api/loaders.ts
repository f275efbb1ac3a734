import DataLoader from 'dataloader'
import type { Database } from '../store/database.js'
import { findDatasets } from '../store/datasets.js'
import type { Caption, Dataset, Image, System, SystemCaption, SystemWord, Word } from '../store/entities.js'
import { findImages, readCaptions, readWordImages } from '../store/images.js'
import { findSystems, listSystems, readSystemCaptions, readSystemWords } from '../store/systems.js'
import { readTexts } from '../store/tokens.js'
import { findWords, findWordsOfTokens } from '../store/words.js'

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
  readonly tokenText: DataLoader<number, string, string>
  readonly systemWord: DataLoader<
    { systemId: number; references: number; wordId: number },
    SystemWord | null,
    string
  >
  readonly wordImages: DataLoader<WordImagesKey, number[], string>
}

export function createLoaders(database: Database, checkTime: () => void): Loaders {
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

    tokenText: loader(
      () => '',
      (tokenId) => tokenId,
      (tokenIds) => readTexts(database, tokenIds),
      '',
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

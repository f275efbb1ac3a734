import type { ConceptImportance } from '../../core/selection/importance.js'
import * as boxes from '../../store/boxes.js'
import type { Direction, Page, PageRequest } from '../../store/engine/keyset.js'
import type { Box, BoxImport } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { groupBy, keyBy } from '../shared/groups.js'
import { type PagedList, pagedArray } from '../shared/paging.js'
import type {
  ImageSelection,
  ImageSelectionsInput,
  SelectionInput,
  SelectionMeasure,
  SelectionReport,
  Selector,
} from './content-selection.js'

/** Ids of those datasets that have a box. */
export function datasetsWithBoxes({ database }: Accord, datasetIds: readonly number[]): Promise<Set<number>> {
  return boxes.readBoxedDatasets(database, datasetIds)
}

/** Imports of boxes by dataset, oldest first. */
export async function boxImportsByDataset(
  { database }: Accord,
  datasetIds: readonly number[],
): Promise<Map<number, BoxImport[]>> {
  return groupBy(await boxes.readBoxImports(database, datasetIds), ({ datasetId }) => datasetId)
}

export async function boxesByImage(
  { database }: Accord,
  imageIds: readonly number[],
): Promise<Map<number, Box[]>> {
  return groupBy(await boxes.readBoxes(database, imageIds), ({ imageId }) => imageId)
}

/** Human descriptions by image. */
export async function descriptionsByImage(
  { database }: Accord,
  imageIds: readonly number[],
): Promise<Map<number, boxes.HumanDescription[]>> {
  return groupBy(await boxes.readDescriptions(database, imageIds), ({ imageId }) => imageId)
}

/** Systems' descriptions by image. @param systems names; default: all systems */
export async function systemDescriptionsByImage(
  { database }: Accord,
  imageIds: readonly number[],
  systems?: readonly string[],
): Promise<Map<number, boxes.SystemDescriptionRow[]>> {
  return groupBy(await boxes.readSystemDescriptions(database, imageIds, systems), ({ imageId }) => imageId)
}

export async function boxesById({ database }: Accord, ids: readonly number[]): Promise<Map<number, Box>> {
  return keyBy(await boxes.findBoxes(database, ids), ({ id }) => id)
}

/** Human descriptions by id. */
export async function descriptionsById(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, boxes.HumanDescription>> {
  return keyBy(await boxes.findDescriptions(database, ids), ({ id }) => id)
}

/** Systems' descriptions by id. */
export async function systemDescriptionsById(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, boxes.SystemDescriptionRow>> {
  return keyBy(await boxes.findSystemDescriptions(database, ids), ({ id }) => id)
}

/** Mentions by id of the description or caption that they belong to. */
export async function mentionsByOwner(
  { database }: Accord,
  owner: boxes.MentionOwner,
  ids: readonly number[],
): Promise<Map<number, boxes.OwnedMention[]>> {
  return groupBy(await boxes.readMentions(database, owner, ids), ({ ownerId }) => ownerId)
}

/**
 * Content selection: people, baselines and systems.
 *
 * @throws AccordError as `computeSelection`; QUEUE_FULL
 */
export function selectContent(
  accord: Accord,
  input: SelectionInput,
  client: Client = {},
): Promise<SelectionReport> {
  return accord.run('contentSelection', input, client)
}

/** Selects the listed image scores. */
export interface ImageSelectionOptions {
  /** Default: those of people. */
  readonly selector?: Selector
  /** Default: f. */
  readonly measure?: SelectionMeasure
  /** Default: ASC. */
  readonly direction?: Direction
  /** Default: all images. */
  readonly externalIds?: readonly string[] | null
}

/** Scores of single images. The number of rows is known after the first page. */
export function listImageSelections(
  accord: Accord,
  input: SelectionInput,
  options: ImageSelectionOptions,
  client: Client = {},
): PagedList<ImageSelection> {
  const { selector = { kind: 'human' }, measure: by = 'f', direction = 'ASC', externalIds } = options
  const question = { ...input, selector, by, worstFirst: direction === 'ASC' }
  let totalCount = 0
  return {
    order: `image selections ${JSON.stringify(question)}`,
    async page(request: PageRequest): Promise<Page<ImageSelection>> {
      const wanted: ImageSelectionsInput = { ...question, externalIds: externalIds ?? undefined, request }
      const page = await accord.run('imageSelections', wanted, client)
      totalCount = page.totalCount
      return page
    },
    count: async () => totalCount,
  }
}

/** Concepts by importance. The position of a concept does not depend on `minImages`. */
export function listConcepts({ concepts }: SelectionReport, minImages: number): PagedList<ConceptImportance> {
  const rows = concepts
    .map((row, rank) => ({ row, position: { value: rank, id: rank } }))
    .filter(({ row }) => row.images >= minImages)
  return pagedArray('concepts by importance', rows, (one, other) => one.id - other.id)
}

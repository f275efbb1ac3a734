import { AccordError } from '../errors.js'
import {
  computeSelection,
  type ImageSelection,
  type ImageSelectionPage,
  type ImageSelectionsInput,
  pageOfImageSelections,
  type SelectionInput,
  type SelectionMeasure,
  type SelectionReport,
  type Selector,
} from '../jobs/content-selection.js'
import type { Progress } from '../jobs/progress.js'
import { cachedSelection } from '../jobs/selection-cache.js'
import type { Baseline } from '../selection/baselines.js'
import type { ConceptImportance } from '../selection/importance.js'
import * as boxes from '../store/boxes.js'
import type { Box, BoxImport } from '../store/entities.js'
import { type Accord, type Client, untilAborted } from './accord.js'
import { groupBy } from './groups.js'
import { type Page, type PagedList, type PageRequest, pagedArray } from './paging.js'
import type { ScoreOrder } from './scores.js'

export {
  type BaselineReason,
  type BaselineResult,
  baselineError,
  type ImageSelection,
  SELECTION_MEASURES,
  type SelectionInput,
  type SelectionMeasure,
  type SelectionReport,
  type SelectionResult,
} from '../jobs/content-selection.js'
export type { HumanDescription, MentionOwner, OwnedMention, SystemDescriptionRow } from '../store/boxes.js'
export type { Box, BoxImport } from '../store/entities.js'

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

/** Mentions by id of the description or caption that they belong to. */
export async function mentionsByOwner(
  { database }: Accord,
  owner: boxes.MentionOwner,
  ids: readonly number[],
): Promise<Map<number, boxes.OwnedMention[]>> {
  return groupBy(await boxes.readMentions(database, owner, ids), ({ ownerId }) => ownerId)
}

/**
 * Content selection, computed in this process.
 *
 * @throws AccordError like `computeSelection` in `jobs`
 */
export function reportSelection(
  { database }: Accord,
  input: SelectionInput,
  progress: Progress,
): Promise<SelectionReport> {
  return computeSelection(database, input, progress)
}

/**
 * Content selection, computed by a worker, or in this process if the database is read-only.
 *
 * @throws AccordError as {@link reportSelection}, QUEUE_FULL
 */
export async function requestSelection(
  { database, queue }: Accord,
  input: SelectionInput,
  client: Client = {},
): Promise<SelectionReport> {
  if (database.isReadOnly) return cachedSelection(database, input, untilAborted(client))
  const { id } = await queue.enqueue(database, 'contentSelection', input, client)
  return queue.waitForResult('contentSelection', id, client.signal)
}

/** Selects the listed image scores: those of a baseline, of a system, or of people. */
export interface ImageSelectionOptions {
  readonly baseline?: Baseline | null
  /** Number of boxes that the baseline selects. */
  readonly k?: number | null
  readonly system?: string | null
  /** Default: f. */
  readonly measure?: SelectionMeasure
  /** Default: WORST_FIRST. */
  readonly order?: ScoreOrder
  /** Default: all images. */
  readonly externalIds?: readonly string[] | null
}

/**
 * Scores of single images, computed by a worker, or in this process if the database is read-only. The number of rows is known after the first page.
 *
 * @throws AccordError NOT_APPLICABLE for a baseline and a system at once; OUT_OF_RANGE for a baseline without k
 */
export function listImageSelections(
  accord: Accord,
  input: SelectionInput,
  options: ImageSelectionOptions,
  client: Client = {},
): PagedList<ImageSelection> {
  const { measure: by = 'f', order = 'WORST_FIRST', externalIds } = options
  const question = { ...input, selector: toSelector(options), by, worstFirst: order === 'WORST_FIRST' }
  let totalCount = 0
  return {
    order: `image selections ${JSON.stringify(question)}`,
    async page(request: PageRequest): Promise<Page<ImageSelection>> {
      const wanted: ImageSelectionsInput = { ...question, externalIds: externalIds ?? undefined, request }
      const page = await requestImageSelections(accord, wanted, client)
      totalCount = page.totalCount
      return page
    },
    count: async () => totalCount,
  }
}

async function requestImageSelections(
  { database, queue }: Accord,
  input: ImageSelectionsInput,
  client: Client,
): Promise<ImageSelectionPage> {
  if (database.isReadOnly) return pageOfImageSelections(database, input)
  const { id } = await queue.enqueue(database, 'imageSelections', input, client)
  return queue.waitForResult('imageSelections', id, client.signal)
}

function toSelector({ baseline, k, system }: ImageSelectionOptions): Selector {
  if (baseline != null && system != null) {
    throw new AccordError('NOT_APPLICABLE', 'a baseline and a system cannot be selected together', {
      source: 'baseline, system',
      expected: 'one of them, or neither for people',
      found: 'both',
    })
  }
  if (system != null) return { kind: 'system', name: system }
  if (baseline == null) return { kind: 'human' }
  if (k != null) return { kind: 'baseline', baseline, k }
  throw new AccordError('OUT_OF_RANGE', 'a baseline requires a number of boxes', {
    source: 'k',
    expected: 'a number of boxes',
    found: 'nothing',
  })
}

/** Concepts by importance. The position of a concept does not depend on `minImages`. */
export function listConcepts({ concepts }: SelectionReport, minImages: number): PagedList<ConceptImportance> {
  const rows = concepts
    .map((row, rank) => ({ row, position: { value: rank, id: rank } }))
    .filter(({ row }) => row.images >= minImages)
  return pagedArray('concepts by importance', rows, (one, other) => one.id - other.id)
}

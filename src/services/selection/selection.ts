import { type ConceptImportance, firstTerm } from '../../core/selection/importance.js'
import type { SampleSize } from '../../core/stats/interval.js'
import * as boxes from '../../store/boxes.js'
import type { Direction, Page, PagedRows, PageRequest } from '../../store/engine/keyset.js'
import type { Accord, Client } from '../shared/accord.js'
import { groupBy, groupedRows, keyedRows, ofDatabase, pagedArray } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import type {
  ImageSelection,
  ImageSelectionsInput,
  SelectionInput,
  SelectionMeasure,
  SelectionReport,
  Selector,
} from './content-selection.js'

/** Ids of those datasets that have a box. */
export const datasetsWithBoxes = ofDatabase(boxes.readBoxedDatasets)

/** Imports of boxes by dataset, oldest first. */
export const boxImportsByDataset = groupedRows(boxes.readBoxImports, ({ datasetId }) => datasetId)
export const boxImportsById = keyedRows(boxes.findBoxImports, ({ id }) => id)
export const boxesByImage = groupedRows(boxes.readBoxes, ({ imageId }) => imageId)
export const descriptionsByImage = groupedRows(boxes.readDescriptions, ({ imageId }) => imageId)

/** Systems' descriptions by image. @param systems names; default: all systems */
export const systemDescriptionsByImage = groupedRows(boxes.readSystemDescriptions, ({ imageId }) => imageId)
export const boxesById = keyedRows(boxes.findBoxes, ({ id }) => id)
export const descriptionsById = keyedRows(boxes.findDescriptions, ({ id }) => id)
export const systemDescriptionsById = keyedRows(boxes.findSystemDescriptions, ({ id }) => id)

/** Mentions by id of the description or caption that they belong to. */
export async function mentionsByOwner(
  { database }: Accord,
  owner: boxes.MentionOwner,
  ids: readonly number[],
): Promise<Map<number, boxes.OwnedMention[]>> {
  return groupBy(await boxes.readMentions(database, owner, ids), ({ ownerId }) => ownerId)
}

/** Content selection: people, baselines and systems. @throws AccordError as `computeSelection`; QUEUE_FULL */
export function selectContent(
  accord: Accord,
  input: SelectionInput,
  client: Client = {},
): Promise<SelectionReport> {
  return accord.run('contentSelection', input, client)
}

const SYMMETRY_NOTE =
  'The mean human precision equals the mean human recall by symmetry: each description is compared with every other one of its image, in both roles.'

/** What to know when reading results of content selection. */
export function selectionNotes(results: readonly SampleSize[]): string[] {
  return [SYMMETRY_NOTE, ...intervalNotes(results)]
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
): PagedRows<ImageSelection> {
  const { selector = { kind: 'human' }, measure: by = 'f', direction = 'ASC', externalIds } = options
  const question = { ...input, selector, by, worstFirst: direction === 'ASC' }
  let totalCount = 0
  return {
    async page(request: PageRequest): Promise<Page<ImageSelection>> {
      const wanted: ImageSelectionsInput = { ...question, externalIds: externalIds ?? undefined, request }
      const page = await accord.run('imageSelections', wanted, client)
      totalCount = page.totalCount
      return page
    },
    count: async () => totalCount,
  }
}

/** Concepts by importance. */
export function listConcepts({ concepts }: SelectionReport, minImages: number): PagedRows<ConceptImportance> {
  const rows = concepts.filter(({ images }) => images >= minImages)
  return pagedArray(rows, ({ concept }) => concept)
}

/** What people call a concept: `traffic light` for the synset `traffic_light.n.01`, `car` for `car, auto`. */
export function labelOf({ concept }: { readonly concept: string }): string {
  return firstTerm(concept)
}

import { pageOfSorted } from '../../jobs/sorted-page.js'
import type { ConceptImportance } from '../../selection/importance.js'
import { type PageArguments, toConnection, toPageRequest } from '../connection.js'
import type { ConceptImportanceConnectionModel } from './models.js'

const ORDER = 'concepts by importance'

/** A page of concepts that stand in their order; a concept keeps its place whatever `minImages` is. */
export function pageOfConcepts(
  concepts: readonly ConceptImportance[],
  minImages: number,
  args: PageArguments,
): ConceptImportanceConnectionModel {
  const wanted = concepts
    .map((row, rank) => ({ row, position: { value: rank, id: rank } }))
    .filter(({ row }) => row.images >= minImages)
  const page = pageOfSorted(wanted, (one, other) => one.id - other.id, toPageRequest(ORDER, args))
  return toConnection(ORDER, page, () => wanted.length)
}

import type { CaptionLengths } from '../../shared/length-notes.js'
import { readMeanLength } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readMeanLengths } from '../../store/systems.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { idsOf } from '../shared/groups.js'

/** Mean number of tokens of a human caption of a dataset; null for none. */
export function wordsPerCaption({ database }: Accord, datasetId: number): Promise<number | null> {
  return readMeanLength(database, datasetId)
}

/** Mean number of tokens of a caption of each system that has captions, by id. */
export function wordsPerCaptionBySystem(
  { database }: Accord,
  systemIds: readonly number[],
): Promise<Map<number, number>> {
  return readMeanLengths(database, systemIds)
}

/** Mean numbers of tokens of captions of a dataset, and of those of its systems that have captions. */
export async function captionLengths(
  { database }: Accord,
  { id }: Pick<Dataset, 'id'>,
  systems: readonly Pick<System, 'id' | 'name'>[],
): Promise<CaptionLengths> {
  const lengths = await readMeanLengths(database, idsOf(systems))
  return {
    references: await readMeanLength(database, id),
    systems: systems.flatMap((system) => {
      const words = lengths.get(system.id)
      return words === undefined ? [] : [{ system: system.name, words }]
    }),
  }
}

/** Those of the metrics that compare captions with references: the scores of other programs are left out. */
export function comparingMetrics(accord: Accord, names: readonly string[]): string[] {
  return names.filter((name) => metricsOf(accord).require(name).needs.text !== 'external')
}

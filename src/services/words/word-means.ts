import type { Dataset, System } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { chooseReferences } from '../datasets/references.js'
import type { WordMean } from './compute-word-means.js'
import type { VocabularyOptions } from './vocabulary.js'

/**
 * Means over the vocabulary of the figures of systems, and of people where one is null, with their 95 % intervals.
 *
 * @returns aligned to the systems
 * @throws AccordError OUT_OF_RANGE for `references`, QUEUE_FULL
 */
export function meansOverWords(
  accord: Accord,
  dataset: Dataset,
  systems: readonly (System | null)[],
  options: VocabularyOptions,
  client: Client = {},
): Promise<readonly (readonly WordMean[])[]> {
  const systemIds = systems.map((system) => system?.id ?? null)
  return accord.run('wordMeans', { datasetId: dataset.id, systemIds, ...toInput(dataset, options) }, client)
}

function toInput(
  { captionsPerImage }: Dataset,
  { references, partOfSpeech, vocabularyOf }: VocabularyOptions,
) {
  return {
    references: chooseReferences({ captionsPerImage }, references),
    partOfSpeech: partOfSpeech ?? null,
    vocabularyOf: vocabularyOf ?? null,
  }
}

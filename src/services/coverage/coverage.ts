import { ENOUGH_DOCUMENTS } from '../../core/metrics/provenance.js'
import { AccordError } from '../../errors.js'
import { readObjectWords } from '../../formats/words/object-words-file.js'
import type { CoverageUnits } from '../../shared/choices.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import { requireSystems } from '../systems/systems.js'
import type { CoverageReport } from './compute-coverage.js'

export interface CoverageOptions {
  /** Default: words. */
  readonly units?: CoverageUnits | null
  /** r. Default: 2, or 1 where images have fewer than 3 captions. */
  readonly references?: number | null
  /** Names. Default: all captioning systems of the dataset but captions of upper bounds. */
  readonly systems?: readonly string[] | null
  /** Of objects: path of a file of their words. Default: ours. */
  readonly objectWordsFile?: string
  /** Of objects: as the published program of CHAIR finds them, with words of a file. Default: false. */
  readonly isChairCompatible?: boolean
}

/**
 * What systems say beside people, and what of it others confirm (METHODS section 14).
 *
 * @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a system or a dataset without captions, and for words of objects with
 * other units; OUT_OF_RANGE for `references`; QUEUE_FULL; errors of `readObjectWords`
 */
export async function measureCoverage(
  accord: Accord,
  dataset: Dataset,
  { units, references, systems, objectWordsFile, isChairCompatible }: CoverageOptions = {},
  client: Client = {},
): Promise<CoverageReport> {
  const chosen = systems
    ? await requireSystems(accord, dataset, systems)
    : (await listUsualSystems(accord.database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  if (objectWordsFile !== undefined && units !== 'objects') throw noObjects(units ?? 'words')
  const given = objectWordsFile === undefined ? null : readObjectWords(objectWordsFile)
  const input = {
    datasetId: dataset.id,
    systemIds: idsOf(chosen),
    units: units ?? 'words',
    references: references ?? usualReferences(dataset),
    ...(given && { objectWords: { words: [...given.words], hash: given.hash } }),
    ...(isChairCompatible && { isChairCompatible }),
  }
  return accord.run('coverage', input, client)
}

function noObjects(units: CoverageUnits): AccordError {
  return new AccordError('NOT_APPLICABLE', 'words of objects are for coverage in objects', {
    source: '--object-words',
    expected: '--units objects',
    found: units,
  })
}

/** So that a person is left beside the references, where there are two. */
function usualReferences({ captionsPerImage }: Dataset): number {
  return captionsPerImage < 3 ? 1 : 2
}

/** What to know when reading the figures. */
export function coverageNotes({ people, systems, units, imageCount }: CoverageReport): string[] {
  return [
    ...(units === 'words' && imageCount < ENOUGH_DOCUMENTS ? [FEW_IMAGES_NOTE] : []),
    ...intervalNotes([...people, ...systems].map(({ coverage }) => coverage)),
  ]
}

const FEW_IMAGES_NOTE =
  'Words weigh by how many of these images they are of: with more images coverage and confirmed share are lower, which their intervals do not cover. The confirmed share beside people hardly changes, and types have no weights.'

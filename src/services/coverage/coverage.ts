import { hasFewDocuments } from '../../core/metrics/provenance.js'
import { primaryLanguage } from '../../core/text/tokenization.js'
import { AccordError } from '../../errors.js'
import type { CoverageUnits } from '../../shared/choices.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import { type DocumentOptions, requireDocuments } from '../evaluations/document-source.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import { requireSystems } from '../systems/systems.js'
import type { CoverageReport } from './compute-coverage.js'

/** Words weigh by the source of document frequencies; default: by the images with K captions. */
export interface CoverageOptions extends DocumentOptions {
  /** Default: words. */
  readonly units?: CoverageUnits | null
  /** r. Default: 2, or 1 where images have fewer than 3 captions. */
  readonly references?: number | null
  /** Names. Default: all captioning systems of the dataset but captions of upper bounds. */
  readonly systems?: readonly string[] | null
}

/**
 * What systems say beside people, and what of it others confirm (METHODS section 14).
 *
 * @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a system or a dataset without captions, and for document frequencies of
 * other units than words; OUT_OF_RANGE for `references`; QUEUE_FULL; errors of `requireDocuments` and `requireSameTokens`
 */
export async function measureCoverage(
  accord: Accord,
  dataset: Dataset,
  { units, references, systems, ...documents }: CoverageOptions = {},
  client: Client = {},
): Promise<CoverageReport> {
  const chosen = systems
    ? await requireSystems(accord, dataset, systems)
    : (await listUsualSystems(accord.database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const source = await requireDocuments(accord.database, documents)
  if ((units ?? 'words') !== 'words' && Object.keys(source).length > 0)
    throw unweighted(units as CoverageUnits)
  const input = {
    datasetId: dataset.id,
    systemIds: idsOf(chosen),
    units: units ?? 'words',
    references: references ?? usualReferences(dataset),
    ...source,
  }
  return accord.run('coverage', input, client)
}

/** So that a person is left beside the references, where there are two. */
function usualReferences({ captionsPerImage }: Dataset): number {
  return captionsPerImage < 3 ? 1 : 2
}

function unweighted(units: CoverageUnits): AccordError {
  return new AccordError('NOT_APPLICABLE', `document frequencies do not change coverage in ${units}`, {
    source: 'documents',
    expected: 'none, or words as units',
  })
}

/** What to know when reading the figures. */
export function coverageNotes({ people, systems, record }: CoverageReport): string[] {
  const isEnglish = primaryLanguage(record.language) === 'en'
  return [
    ...(hasFewDocuments(record) ? [isEnglish ? `${OWN_WEIGHTS_NOTE} ${REMEDY}` : OWN_WEIGHTS_NOTE] : []),
    ...intervalNotes(
      [...people, ...systems].map(({ coverage: { undefinedReason, isSmall } }) => ({
        undefinedReason: undefinedReason === 'FEW_DOCUMENTS' ? null : undefinedReason,
        isSmall,
      })),
    ),
  ]
}

const OWN_WEIGHTS_NOTE =
  'Words weigh by how many of these images they are of: with more images coverage and confirmed share are lower, which no interval and no test would take into account. Figures with document frequencies from elsewhere, and those in types, have both.'

const REMEDY = 'The document frequencies `coco` of 5,000 images are built in.'

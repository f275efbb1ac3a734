import { usualReferences } from '../../core/coverage/image-coverage.js'
import { hasOwnDocuments } from '../../core/metrics/provenance.js'
import type { UnconfirmedObject } from '../../core/objects/unconfirmed-objects.js'
import { primaryLanguage, suitsEnglishTools } from '../../core/text/tokenization.js'
import { AccordError } from '../../errors.js'
import { readObjectWords } from '../../formats/words/object-words-file.js'
import type { CoverageUnits } from '../../shared/choices.js'
import { findImages } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import { type DocumentOptions, requireDocuments } from '../evaluations/document-source.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'
import { requireSystems } from '../systems/systems.js'
import type { CoverageInput, CoverageReport, ImageCoverage } from './compute-coverage.js'
import type { ObjectChoice, ObjectUnits } from './object-units.js'
import type { UnconfirmedReport } from './unconfirmed-objects.js'

/** How objects are found. */
interface ObjectOptions {
  /** Path of a file of their words. Default: ours. */
  readonly objectWordsFile?: string
  /** As the published program of CHAIR finds them, with words of a file. Default: false. */
  readonly isChairCompatible?: boolean
}

/** Words weigh by the source of document frequencies; default: by the images with K captions. */
export interface CoverageOptions extends ObjectOptions, DocumentOptions {
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
 * @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a system or a dataset without captions, for document frequencies of
 * other units than words, and for words of objects with other units; OUT_OF_RANGE for `references`; QUEUE_FULL; errors of
 * `requireDocuments`, `requireSameTokens` and `readObjectWords`
 */
export async function measureCoverage(
  accord: Accord,
  dataset: Dataset,
  { systems, ...options }: CoverageOptions = {},
  client: Client = {},
): Promise<CoverageReport> {
  const chosen = systems
    ? await requireSystems(accord, dataset, systems)
    : (await listUsualSystems(accord.database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const input = {
    datasetId: dataset.id,
    systemIds: idsOf(chosen),
    ...(await readChoice(accord, dataset, options)),
  }
  return accord.run('coverage', input, client)
}

/**
 * What a system says of single images, and what of it others confirm; null for systems and datasets without captions.
 */
export async function measureImageCoverage(
  accord: Accord,
  dataset: Dataset,
  system: System,
  options: Omit<CoverageOptions, 'systems'> = {},
  client: Client = {},
): Promise<ImageCoverage | null> {
  if (system.kind !== 'CAPTIONS' || dataset.captionsPerImage === 0) return null
  const input = {
    datasetId: dataset.id,
    systemId: system.id,
    ...(await readChoice(accord, dataset, options)),
  }
  return accord.run('imageCoverage', input, client)
}

/** What is measured, and by which weights. */
async function readChoice(
  accord: Accord,
  dataset: Dataset,
  { units, references, objectWordsFile, isChairCompatible, ...documents }: Omit<CoverageOptions, 'systems'>,
): Promise<CoverageInput> {
  const source = await requireDocuments(accord.database, documents)
  if ((units ?? 'words') !== 'words' && Object.keys(source).length > 0)
    throw unweighted(units as CoverageUnits)
  if (objectWordsFile !== undefined && units !== 'objects') throw noObjects(units ?? 'words')
  return {
    units: units ?? 'words',
    references: references ?? usualReferences(dataset.captionsPerImage),
    ...source,
    ...chooseObjects({ objectWordsFile, isChairCompatible }),
  }
}

/** @throws AccordError as `readObjectWords` */
function chooseObjects({ objectWordsFile, isChairCompatible }: ObjectOptions): ObjectChoice {
  if (objectWordsFile === undefined) return {}
  const { words, hash } = readObjectWords(objectWordsFile)
  return { objectWords: { words: [...words], hash }, ...(isChairCompatible && { isChairCompatible }) }
}

/**
 * The objects that a captioning system mentions and that neither people nor annotations confirm; null where there are none to be
 * found: for systems and datasets without captions, and captions in another language than English.
 *
 * @throws AccordError QUEUE_FULL; errors of `readObjectWords`
 */
export async function unconfirmedObjects(
  accord: Accord,
  dataset: Dataset,
  system: System,
  { units = 'objects', ...options }: ObjectOptions & { readonly units?: ObjectUnits } = {},
  client: Client = {},
): Promise<UnconfirmedReport | null> {
  if (system.kind !== 'CAPTIONS' || dataset.captionsPerImage === 0) return null
  if (!suitsEnglishTools(tokenizationOf(dataset))) return null
  const input = { datasetId: dataset.id, systemId: system.id, units, ...chooseObjects(options) }
  return accord.run('unconfirmedObjects', input, client)
}

/** An unconfirmed object of a system, with the external ids of its first images. */
export interface ListedObject extends UnconfirmedObject {
  readonly system: string
  readonly imageIds: readonly string[]
}

/** Objects that are listed of each system, and images of each. */
const LISTED_OBJECTS = 5
const LISTED_IMAGES = 3

/** The most frequent unconfirmed objects of systems, in the order of the systems. */
export async function listUnconfirmed(
  accord: Accord,
  dataset: Dataset,
  systems: readonly string[],
  options: ObjectOptions & { readonly units: ObjectUnits },
  client: Client = {},
): Promise<{ readonly isAnnotated: boolean; readonly objects: readonly ListedObject[] }> {
  const reports: { readonly system: System; readonly report: UnconfirmedReport }[] = []
  for (const system of await requireSystems(accord, dataset, systems)) {
    const report = await unconfirmedObjects(accord, dataset, system, options, client)
    if (report) reports.push({ system, report })
  }
  const listed = reports.flatMap(({ system: { name: system }, report }) =>
    report.objects.slice(0, LISTED_OBJECTS).map((object) => ({ ...object, system })),
  )
  const ids = [...new Set(listed.flatMap(({ images }) => images.slice(0, LISTED_IMAGES)))]
  const externalIdOf = new Map(
    (await findImages(accord.database, ids)).map(({ id, externalId }) => [id, externalId]),
  )
  return {
    isAnnotated: reports.some(({ report }) => report.isAnnotated),
    objects: listed.map((object) => ({
      ...object,
      imageIds: object.images.slice(0, LISTED_IMAGES).map((id) => externalIdOf.get(id) as string),
    })),
  }
}

function noObjects(units: CoverageUnits): AccordError {
  return new AccordError('NOT_APPLICABLE', 'words of objects are for coverage in objects', {
    source: '--object-words',
    expected: '--units objects',
    found: units,
  })
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
    ...(hasOwnDocuments(record) ? [isEnglish ? `${OWN_WEIGHTS_NOTE} ${REMEDY}` : OWN_WEIGHTS_NOTE] : []),
    ...intervalNotes(
      [...people, ...systems].map(({ coverage: { undefinedReason, isSmall } }) => ({
        undefinedReason: undefinedReason === 'OWN_DOCUMENTS' ? null : undefinedReason,
        isSmall,
      })),
    ),
  ]
}

const OWN_WEIGHTS_NOTE =
  'Words weigh by how many of these images they are of: with more images coverage and confirmed share are lower, which no interval and no test would take into account. Figures with document frequencies from elsewhere, and those in types, have both.'

const REMEDY = 'The document frequencies `coco` of 5,000 images are built in.'

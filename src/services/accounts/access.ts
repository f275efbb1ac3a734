import { BUILT_IN_FREQUENCIES } from '../../formats/words/frequencies.js'
import { listDatasets, unknownDataset } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { Artefact } from '../../store/schema/metric-tables.js'
import type { Accord } from '../shared/accord.js'
import { createCacheUntilChange } from '../shared/cache.js'
import { idsOf } from '../shared/groups.js'
import { requireScope, requireUser, type Viewer } from './viewer.js'

/** Arguments and input fields of queries that name a dataset; `documents` may name the built-in document frequencies too. */
const DATASET_ARGUMENTS = ['dataset', 'vocabularyOf', 'documents', 'training']

/** Whether a viewer sees and does everything, apart from what administrators do. */
export function isHost({ scopes }: Viewer): boolean {
  return scopes.has('host')
}

/**
 * Checks that a viewer may use what is for everybody, for users, or for users with the scope submit. All else is for hosts.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN
 */
export function requireAudience(viewer: Viewer, audience: string): void {
  if (audience === 'EVERYBODY') return
  if (audience === 'USER') requireUser(viewer)
  else requireScope(viewer, audience === 'SUBMITTER' ? 'submit' : 'host')
}

/** The datasets that are not private. */
export interface PublicDatasets {
  readonly ids: ReadonlySet<number>
  readonly names: ReadonlySet<string>
}

const cacheOf = createCacheUntilChange((): { datasets?: PublicDatasets } => ({}))

/** The datasets that are not private, kept in memory for as long as the database is unchanged. */
export async function readPublicDatasets({ database }: Accord): Promise<PublicDatasets> {
  const cache = cacheOf(database)
  if (cache?.datasets) return cache.datasets
  const found = (await listDatasets(database)).filter(isPublic)
  const datasets = { ids: new Set(idsOf(found)), names: new Set(found.map(({ name }) => name)) }
  if (cache) cache.datasets = datasets
  return datasets
}

/** The datasets that a viewer sees. */
export function visibleDatasets(viewer: Viewer, datasets: readonly Dataset[]): readonly Dataset[] {
  return isHost(viewer) ? datasets : datasets.filter(isPublic)
}

function isPublic({ isPrivate }: Dataset): boolean {
  return !isPrivate
}

/** Whether everybody may see a composite metric: the datasets that it was made of are there, and none is private. */
export function isPublicArtefact({ header }: Artefact, { names }: PublicDatasets): boolean {
  return names.has(header.training.dataset) && names.has(header.validation.dataset)
}

/** The composite metrics that a viewer sees. */
export async function visibleArtefacts(
  accord: Accord,
  viewer: Viewer,
  artefacts: readonly Artefact[],
): Promise<readonly Artefact[]> {
  if (isHost(viewer)) return artefacts
  const datasets = await readPublicDatasets(accord)
  return artefacts.filter((artefact) => isPublicArtefact(artefact, datasets))
}

/** Whether an argument or input field of a query names a dataset. */
export function namesDataset(argument: string): boolean {
  return DATASET_ARGUMENTS.includes(argument)
}

/**
 * Checks the names of datasets in the arguments of a query, as if there were no private ones.
 *
 * @throws AccordError UNKNOWN_DATASET
 */
export function checkArguments(args: object, datasets: PublicDatasets): void {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === 'object' && value !== null) checkArguments(value, datasets)
    else if (namesDataset(name) && value !== null && !datasets.names.has(value) && !isBuiltIn(name, value))
      throw unknownDataset(value, [...datasets.names])
  }
}

function isBuiltIn(argument: string, value: unknown): boolean {
  return argument === 'documents' && value === BUILT_IN_FREQUENCIES
}

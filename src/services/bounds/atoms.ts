import { type Atom, type AtomComparison, compareAtoms } from '../../core/bounds/atoms.js'
import { AccordError } from '../../errors.js'
import { readAtomList } from '../../formats/words/atom-files.js'
import { ATOM_KINDS, type AtomKind } from '../../shared/choices.js'
import * as store from '../../store/atoms.js'
import { requireDataset } from '../../store/datasets.js'
import type { PagedRows } from '../../store/engine/keyset.js'
import type { AtomRow } from '../../store/schema/bound-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { Accord, Client } from '../shared/accord.js'
import { openAtomExtractor } from './atom-jobs.js'

export interface AtomListOptions {
  readonly dataset: string
  /** Default: all. */
  readonly kind?: AtomKind
  /** Only the first atoms of each kind. */
  readonly top?: number
  /** Path of a CSV file with the columns `atom` and `count`, by descending count. Requires a kind. */
  readonly compare?: string
}

export interface AtomList {
  readonly kind: AtomKind
  /** Number of all atoms of the kind. */
  readonly atomCount: number
  /** By rank. */
  readonly atoms: readonly AtomRow[]
}

export interface AtomReport {
  readonly dataset: Dataset
  readonly lists: readonly AtomList[]
  /** With the list that was given. */
  readonly comparison: AtomComparison | null
}

/**
 * The atoms of the human captions of a dataset, counted if they are not stored.
 *
 * @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE for a dataset without captions; what is wrong with the list to
 * compare with
 */
export async function reportAtoms(
  accord: Accord,
  { dataset: name, kind, top, compare }: AtomListOptions,
  client: Client = {},
): Promise<AtomReport> {
  const { database } = accord
  const dataset = await requireDataset(database, name)
  const theirs = compare === undefined ? null : readAtomList(compare)
  const counts = await countAtoms(accord, dataset, client)
  const lists = await Promise.all(
    (kind === undefined ? ATOM_KINDS : [kind]).map(async (listed) => ({
      kind: listed,
      atomCount: counts.get(listed) ?? 0,
      atoms: await store.readAtoms(database, dataset.id, { kind: listed, top }),
    })),
  )
  if (theirs === null || kind === undefined) return { dataset, lists, comparison: null }
  const ours = await store.readAtoms(database, dataset.id, { kind })
  if (ours.length === 0) throw withoutAtoms(dataset, kind)
  return { dataset, lists, comparison: compareAtoms(ours, theirs) }
}

/**
 * The numbers of atoms of a dataset by kind, counted if they are not stored.
 *
 * @throws AccordError NOT_APPLICABLE for a dataset without captions, or where they are not stored and the database is
 *   read-only; QUEUE_FULL
 */
export async function countAtoms(
  accord: Accord,
  dataset: Dataset,
  client: Client = {},
): Promise<Map<AtomKind, number>> {
  const { database } = accord
  if (dataset.captionCount === 0) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset has no human captions', {
      source: 'dataset',
      found: JSON.stringify(dataset.name),
    })
  }
  const stored = await store.countAtoms(database, dataset.id)
  if (stored.size > 0) return stored
  await accord.run('countAtoms', { datasetId: dataset.id }, client)
  return store.countAtoms(database, dataset.id)
}

/** The atoms of a kind of a dataset, by rank; counted if they are not stored. */
export async function listAtoms(
  accord: Accord,
  dataset: Dataset,
  kind: AtomKind,
  client: Client = {},
): Promise<PagedRows<AtomRow>> {
  const counts = await countAtoms(accord, dataset, client)
  return { ...store.pagedAtoms(accord.database, dataset.id, kind), count: async () => counts.get(kind) ?? 0 }
}

/** The atoms of a caption, from the texts of its tokens, each once. */
export function atomsOfCaption(tokens: readonly string[]): Atom[] {
  return distinctAtoms(openAtomExtractor()(tokens))
}

/** Each atom once, in the order of the list. */
export function distinctAtoms(atoms: readonly Atom[]): Atom[] {
  return [...new Map(atoms.map((atom) => [`${atom.kind} ${atom.text}`, atom])).values()]
}

function withoutAtoms(dataset: Dataset, kind: AtomKind): AccordError {
  return new AccordError('NOT_APPLICABLE', `the captions have no atoms of the kind ${kind}`, {
    source: 'dataset',
    found: JSON.stringify(dataset.name),
  })
}

import { countVotes, summarizeVotes, type VoteCount, type VoteSummary } from '../../core/bounds/votes.js'
import { AccordError, quote } from '../../errors.js'
import { DECISION } from '../../formats/words/atom-files.js'
import type { AtomKind } from '../../shared/choices.js'
import * as store from '../../store/atoms.js'
import { requireDataset } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { Accord, Client } from '../shared/accord.js'
import { checkName } from '../shared/names.js'
import { countAtoms } from './atoms.js'

export interface VoteReport {
  readonly dataset: Dataset
  /** By kind, of kinds with a vote. */
  readonly summaries: readonly VoteSummary[]
  /** By kind and text. */
  readonly counts: readonly VoteCount[]
}

/** @throws AccordError UNKNOWN_DATASET */
export async function reportVotes(accord: Accord, name: string): Promise<VoteReport> {
  const dataset = await requireDataset(accord.database, name)
  return { dataset, ...(await readVotes(accord, dataset)) }
}

export async function readVotes(
  { database }: Accord,
  dataset: Dataset,
): Promise<Omit<VoteReport, 'dataset'>> {
  const votes = await store.readVotes(database, dataset.id)
  return { summaries: summarizeVotes(votes), counts: countVotes(votes) }
}

/** Votes of a person on atoms of a kind. */
export interface CastVotes {
  readonly dataset: string
  readonly voter: string
  readonly kind: AtomKind
  readonly visual?: readonly string[]
  readonly notVisual?: readonly string[]
}

/**
 * Stores the votes of a person; a new vote on an atom replaces the old one.
 *
 * @throws AccordError UNKNOWN_DATASET; UNKNOWN_WORD for an atom that no caption has; DUPLICATE_ID for an atom with both
 * votes
 */
export async function castVotes(
  accord: Accord,
  { dataset: name, voter, kind, visual = [], notVisual = [] }: CastVotes,
  client: Client = {},
): Promise<Dataset> {
  const { database } = accord
  checkName('voter', voter)
  if (voter === DECISION) throw reservedName()
  const dataset = await requireDataset(database, name)
  const twice = visual.find((text) => notVisual.includes(text))
  if (twice !== undefined) {
    throw new AccordError('DUPLICATE_ID', 'an atom has both votes', {
      source: 'votes',
      expected: 'one vote for each atom',
      found: quote(twice),
    })
  }
  const texts = [...new Set([...visual, ...notVisual])]
  await countAtoms(accord, dataset, client)
  const known = await store.findAtomTexts(database, dataset.id, kind, texts)
  const unknown = texts.find((text) => !known.has(text))
  if (unknown !== undefined) {
    throw new AccordError('UNKNOWN_WORD', 'unknown atom', {
      source: 'votes',
      expected: `an atom of the kind ${kind}, as accord atoms lists them`,
      found: quote(unknown),
    })
  }
  await store.saveVotes(
    database,
    texts.map((text) => ({
      datasetId: dataset.id,
      kind,
      text,
      voter,
      isVisual: visual.includes(text),
      people: 1,
    })),
  )
  return dataset
}

function reservedName(): AccordError {
  return new AccordError('OUT_OF_RANGE', 'the name is reserved for published decisions', {
    source: 'voter',
    expected: 'another name',
    found: quote(DECISION),
  })
}

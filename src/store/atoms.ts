import type { CountedAtom } from '../core/bounds/atoms.js'
import type { AtomKind } from '../shared/choices.js'
import { type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import { find, insertRows } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, sql } from './engine/sql.js'
import { AtomEntity, type AtomRow, type AtomVote, AtomVoteEntity } from './schema/bound-tables.js'

/** Stores the atoms of a dataset, replacing the stored ones. Call it in a transaction. */
export async function saveAtoms(
  session: Session,
  datasetId: number,
  atoms: readonly CountedAtom[],
): Promise<void> {
  await session.run(sql`DELETE FROM atom WHERE dataset_id = ${datasetId}`)
  await insertRows(
    session,
    AtomEntity,
    atoms.map((atom) => ({ datasetId, ...atom })),
  )
}

export interface AtomFilter {
  readonly kind: AtomKind
  /** Only the first atoms. */
  readonly top?: number | null
}

/** The stored atoms of a kind, by rank. */
export function readAtoms(
  session: Session,
  datasetId: number,
  { kind, top }: AtomFilter,
): Promise<AtomRow[]> {
  const limit = top == null ? EMPTY : sql`LIMIT ${top}`
  return find(
    session,
    AtomEntity,
    sql`WHERE dataset_id = ${datasetId} AND kind = ${kind} ORDER BY rank ${limit}`,
  )
}

const BY_RANK: Order = { expression: sql`atom.rank`, type: 'integer', direction: 'ASC' }

/** The stored atoms of a kind, by rank. */
export function pagedAtoms(session: Session, datasetId: number, kind: AtomKind): PagedRows<AtomRow> {
  const conditions = [sql`atom.dataset_id = ${datasetId}`, sql`atom.kind = ${kind}`]
  return pagedRows(session, { entity: AtomEntity, conditions, order: BY_RANK, tieBreaker: sql`atom.rank` })
}

/** The number of stored atoms of each kind of a dataset; no entry for kinds without one. */
export async function countAtoms(session: Session, datasetId: number): Promise<Map<AtomKind, number>> {
  const rows = await session.all<{ kind: AtomKind; count: number }>(
    sql`SELECT kind, COUNT(*) AS count FROM atom WHERE dataset_id = ${datasetId} GROUP BY kind`,
  )
  return new Map(rows.map(({ kind, count }) => [kind, count]))
}

/** All votes on the atoms of a dataset, by kind, atom and voter. */
export function readVotes(session: Session, datasetId: number): Promise<AtomVote[]> {
  return find(session, AtomVoteEntity, sql`WHERE dataset_id = ${datasetId} ORDER BY kind, text, voter`)
}

/** Stores votes; a voter's earlier vote on the same atom is replaced. Each vote is listed once. */
export async function saveVotes(session: Session, votes: readonly AtomVote[]): Promise<void> {
  await session.transaction(async (writer) => {
    for (const { datasetId, kind, text, voter } of votes) {
      await writer.run(
        sql`DELETE FROM atom_vote
            WHERE dataset_id = ${datasetId} AND kind = ${kind} AND text = ${text} AND voter = ${voter}`,
      )
    }
    await insertRows(writer, AtomVoteEntity, votes)
  })
}

/** Which of some texts are atoms of a kind of a dataset. */
export async function findAtomTexts(
  session: Session,
  datasetId: number,
  kind: AtomKind,
  texts: readonly string[],
): Promise<Set<string>> {
  if (texts.length === 0) return new Set()
  const rows = await session.all<{ text: string }>(
    sql`SELECT text FROM atom WHERE dataset_id = ${datasetId} AND kind = ${kind} AND text ${among(texts)}`,
  )
  return new Set(rows.map(({ text }) => text))
}

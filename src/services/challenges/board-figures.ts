import type { Interval } from '../../core/stats/interval.js'
import type { Session } from '../../store/engine/session.js'
import type { Phase, Submission } from '../../store/schema/challenge-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { requireSystem } from '../../store/systems.js'

/** Raised where the same entries have other ranks: boards that are stored are computed again. */
export const BOARD_REVISION = 2

export async function baselinesOf(session: Session, { datasetId, settings }: Phase): Promise<System[]> {
  const systems: System[] = []
  for (const name of settings.baselines) systems.push(await requireSystem(session, datasetId, name))
  return systems
}

/** The ids of the systems of submissions whose captions are stored. */
export function systemIdsOf(submissions: readonly Pick<Submission, 'systemId'>[]): number[] {
  return submissions.flatMap(({ systemId }) => systemId ?? [])
}

/** A figure as a phase shows it. */
export function roundFigure(value: number | null, interval: Interval | null, decimals: number) {
  const round = (number: number) => Number(number.toFixed(decimals))
  return {
    value: value === null ? null : round(value),
    interval: interval && { lower: round(interval.lower), upper: round(interval.upper) },
  }
}

/** A row of a board, as far as its place depends on it. */
interface Sortable {
  readonly rank: number | null
  readonly scores: readonly { readonly value: number | null }[]
}

/** Rows by a column; those without a value at the end. Equal ones stay by rank. @param column index of the metric */
export function sortRows<Row extends Sortable>(
  rows: readonly Row[],
  column: number,
  isDescending: boolean,
): Row[] {
  const shownOf = ({ scores }: Row) => scores[column]?.value ?? null
  const sign = isDescending ? -1 : 1
  const rankOf = ({ rank }: Row) => rank ?? Number.MAX_SAFE_INTEGER
  return rows.toSorted((one, other) => {
    const [first, second] = [shownOf(one), shownOf(other)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    return sign * (first - second) || rankOf(one) - rankOf(other)
  })
}

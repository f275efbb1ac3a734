import { grouped as count, counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { reasonText } from '../app/format'
import { isPeople, systemOf } from '../app/subject'
import type { BoardFragment, BoardRowFragment } from '../generated/documents'
import { listed } from './beside-people'
import { type LeaderboardData, nameOf, type TitledBoard } from './boards'
import { ComputeButton } from './compute'
import { Empty } from './states'

interface NoScoresProps {
  readonly name: string
  readonly data: LeaderboardData
  readonly reload: () => void
  readonly references: number | null
}

export const captionersOf = ({ systems }: LeaderboardData) =>
  (systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS')

/** Systems whose captions are not scored, or no system at all. */
export function NoScores({ name, data, reload, references }: NoScoresProps) {
  const captioners = captionersOf(data)
  if (captioners.length === 0) {
    return (
      <Empty
        upload="results"
        command={`accord import results captions.json --system mine --dataset ${shellWord(name)}`}
      >
        No system has described the {count(data.imageCount)} images of {name} yet.
      </Empty>
    )
  }
  const names = captioners.map(({ name }) => name)
  return (
    <div class="empty">
      <p>
        {counted(names.length, 'system')} of {name} {names.length === 1 ? 'is' : 'are'} not scored by metrics
        yet.
      </p>
      <ComputeButton dataset={name} systems={names} isAsPeople={references !== null} onDone={reload} />
    </div>
  )
}

/** Rows of the first page that are not ranked, and that of people. */
function apartOf({ rows, people }: BoardFragment): BoardRowFragment[] {
  const found = rows?.nodes ?? []
  const isMissing = people && !found.some(({ subject }) => isPeople(subject))
  return (isMissing ? [...found, people] : found).filter(({ group }) => group === 'APART')
}

interface ApartProps {
  readonly name: string
  readonly boards: readonly TitledBoard[]
  readonly isAsPeople: boolean
  readonly reload: () => void
}

/** Reasons that a computation ends. */
const COMPUTABLE = ['NOT_COMPUTED', 'OTHER_REFERENCES', 'OTHER_DOCUMENT_FREQUENCIES']

/** Rows that are not ranked with the others: how many, with a button that computes them, and the reasons below a fold. */
export function Apart({ name, boards, isAsPeople, reload }: ApartProps) {
  const rows = boards.flatMap(({ title, board }) => apartOf(board).map((row) => ({ title, row })))
  if (rows.length === 0) return null
  const missing = rows.filter(({ row }) => COMPUTABLE.includes(row.undefinedReason ?? ''))
  const distinct = (values: readonly string[]) => [...new Set(values)]
  const metrics = distinct(missing.map(({ title }) => title))
  const systems = distinct(missing.flatMap(({ row }) => systemOf(row.subject) ?? []))
  const reasons = distinct(rows.map(({ row }) => reasonText(row.undefinedReason)))
  return (
    <>
      <h2>Not ranked</h2>
      <p>
        {counted(rows.length, 'score')} of {listed(distinct(rows.map(({ row }) => nameOf(row))))} cannot be
        ranked with the others: {reasons.join('; ')}.
      </p>
      {missing.length > 0 && (
        <ComputeButton
          dataset={name}
          metrics={metrics}
          systems={systems}
          isAsPeople={isAsPeople}
          onDone={reload}
        />
      )}
      <details class="more">
        <summary>Which</summary>
        <ul class="apart">
          {rows.map(({ title, row }) => (
            <li key={`${title} ${nameOf(row)}`}>
              <strong>{nameOf(row)}</strong> by {title}: {reasonText(row.undefinedReason)}.
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

import { shellWord } from '../../src/shared/shell-word'
import { ABOVE_PEOPLE, BELOW_PEOPLE, WORSE_THAN_BEST } from '../../src/shared/verdict'
import { isPeople, type Subject } from '../app/subject'
import { LeaderboardDocument } from '../generated/documents'
import { listed } from './beside-people'
import { addressOf, isSame, nameOf, ranked, subjectsOf, type TitledBoard } from './boards'
import { type Column, measured } from './columns'
import type { Tested } from './differences-from-people'
import { Table } from './table'

interface ScoreTableProps {
  readonly boards: readonly TitledBoard[]
  /** What tests say of a system by the figure of a board. Default: no tests. */
  readonly marks?: (board: TitledBoard, subject: Subject) => string
  /** Of the command, for the references of the scores. */
  readonly option: string
  readonly variables: Pick<Tested, 'dataset' | 'isHumanIncluded'>
}

/** Rows that are shown at first. */
const SHOWN = 12

/** Captioning systems and people by all figures of captions, best first by the first one, with marks of what tests say. */
export function ScoreTable({ boards, marks, option, variables }: ScoreTableProps) {
  const { dataset, isHumanIncluded } = variables
  const metrics = boards.filter(({ isWords }) => !isWords)
  // What comes with the tests is last, so that it moves nothing.
  const shown = [...metrics, ...boards.filter(({ title }) => title === 'word precision')]
  const names = metrics.map(({ title }) => shellWord(title)).join(' ')
  return (
    <>
      <Table
        label="Systems and metrics"
        columns={columnsOf(dataset, shown, marks)}
        rows={subjectsOf(metrics.map(({ board }) => board))}
        shown={SHOWN}
        rowClass={(subject) => (isPeople(subject) ? 'people-row' : undefined)}
        provenance={{
          signatures: shown.flatMap(({ board }) => ranked(board).map(({ signature }) => signature)),
          command: `accord leaderboard --dataset ${shellWord(dataset)} --metrics ${names}${option}`,
          query: LeaderboardDocument,
          variables,
        }}
      />
      <p class="note">
        Bold: the best system.{' '}
        {marks && (
          <>
            {WORSE_THAN_BEST}: worse than the best
            {isHumanIncluded &&
              `; ${ABOVE_PEOPLE}, ${BELOW_PEOPLE}: better, worse than people, by the metrics of the picture of differences`}
            . Marks are of paired tests.{' '}
          </>
        )}
        Brackets: 95 % intervals.
        {boards.some(({ board }) => board.rows?.pageInfo.hasNextPage) &&
          ' Systems are those of the first page of each board.'}
      </p>
    </>
  )
}

function columnsOf(
  dataset: string,
  boards: readonly TitledBoard[],
  marks: ScoreTableProps['marks'],
): readonly Column<Subject>[] {
  return [
    { title: 'system', value: ({ name }) => name, address: (subject) => addressOf(dataset, subject) },
    ...boards.flatMap((titled) => {
      const { title, board } = titled
      const rows = ranked(board)
      return measured<Subject>(title, (subject) => rows.find((row) => isSame(row.subject, subject)), {
        best: { isLowest: board.metric?.isHigherBetter === false, competes: (subject) => !isPeople(subject) },
        marks: (subject) => marks?.(titled, subject) ?? '',
      })
    }),
  ]
}

/** What to know when reading the figures, each once with what it is about. */
export function Notes({ boards }: { readonly boards: readonly TitledBoard[] }) {
  const about = new Map<string, Set<string>>()
  for (const { title, board } of boards) {
    const rows = ranked(board)
    for (const note of new Set(rows.flatMap(({ notes }) => notes))) {
      const those = rows.filter(({ notes, subject }) => !isPeople(subject) && notes.includes(note))
      const isOfAll = those.length === rows.filter(({ subject }) => !isPeople(subject)).length
      const subject = isOfAll ? title : `${title} of ${listed(those.map(nameOf))}`
      about.set(note, (about.get(note) ?? new Set()).add(subject))
    }
  }
  if (about.size === 0) return null
  return (
    <details class="more">
      <summary>How to read these figures</summary>
      {[...about].map(([note, titles]) => (
        <p key={note} class="note">
          <strong>{listed([...titles])}:</strong> {note.replaceAll('`', '')}
        </p>
      ))}
    </details>
  )
}

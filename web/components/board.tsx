import { useState } from 'preact/hooks'
import { grouped as count, counted } from '../../src/shared/numbers'
import { useQuery } from '../app/client'
import { isPeople } from '../app/subject'
import { DotPlot, type DotRow } from '../charts/dot-plot'
import {
  type BoardFragment,
  BoardPageDocument,
  type BoardRowFragment,
  LeaderboardDocument,
} from '../generated/documents'
import {
  addressOf,
  areTied,
  nameOf,
  ranked,
  rankText,
  type Standings,
  standingOf,
  WORD_FIGURES,
} from './boards'
import { type Column, measured } from './columns'
import { Figure } from './figure'

/** Rows of a page of a board, as the query asks for them. */
const PAGE = 50

interface BoardProps {
  readonly title: string
  readonly dataset: string
  readonly board: BoardFragment
  readonly standings: Standings
  readonly command: string
  readonly variables: { readonly isHumanIncluded: boolean }
}

/** The ranked rows of a page of a board, and how to turn the pages. */
function usePages(title: string, dataset: string, board: BoardFragment, variables: BoardProps['variables']) {
  /** Of the pages before the present one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const figure = WORD_FIGURES[title]
  const options = {
    isOfMetrics: figure === undefined,
    metrics: [title],
    wordFigure: figure,
    isHumanIncluded: variables.isHumanIncluded,
  }
  const answer = useQuery(BoardPageDocument, after === undefined ? null : { dataset, ...options, after })
  const { leaderboards, wordLeaderboard } = (after !== undefined && answer.data?.dataset) || {}
  const turned = wordLeaderboard ?? leaderboards?.[0]
  const page = (turned ?? board).rows
  const systemCount = (page?.totalCount ?? 0) - (board.people ? 1 : 0)
  const end = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  const onPage = (page?.nodes ?? []).filter(({ subject }) => !isPeople(subject)).length
  const pages = systemCount > PAGE && (
    <p class="note">
      {count(onPage)} of {counted(systemCount, 'system')}
      {cursors.length > 0 && `, page ${cursors.length + 1}`}{' '}
      {cursors.length > 0 && (
        <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
          previous
        </button>
      )}{' '}
      {end && (
        <button type="button" disabled={answer.isLoading} onClick={() => setCursors([...cursors, end])}>
          next
        </button>
      )}
    </p>
  )
  return { rows: ranked({ rows: page, people: board.people }), pages }
}

/** A board as dots with whiskers, and people as a line. */
export function Board({ title, dataset, board, standings, command, variables }: BoardProps) {
  const { rows, pages } = usePages(title, dataset, board, variables)
  const dots = rows.map<DotRow>((row, index) => ({
    name: nameOf(row),
    isHuman: isPeople(row.subject),
    value: row.value as number,
    interval: row.interval,
    address: addressOf(dataset, row.subject),
    isTiedWithNext: index + 1 < rows.length && areTied(standings, row.subject, rows[index + 1].subject),
  }))
  const columns: readonly Column<BoardRowFragment>[] = [
    { title: 'rank', value: ({ rank }) => rank, text: (row) => rankText(standingOf(standings, row.subject)) },
    { title: 'system', value: nameOf },
    ...measured<BoardRowFragment>(title, (row) => row),
  ]
  return (
    <Figure
      title={title}
      columns={columns}
      rows={rows}
      provenance={{
        signatures: rows.map(({ signature }) => signature),
        command,
        query: LeaderboardDocument,
        variables,
      }}
    >
      <DotPlot label={`${title} of systems and people on ${dataset}`} xTitle={title} rows={dots} />
      {pages}
    </Figure>
  )
}

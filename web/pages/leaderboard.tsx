import { useQuery } from '../app/client'
import { count, decimalsOf, number, reasonText } from '../app/format'
import { PEOPLE } from '../app/names'
import { href, type Parameters, useSetting } from '../app/router'
import { DotPlot, type DotRow } from '../charts/dot-plot'
import { type Column, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { Awaited, Command, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  type BoardFragment,
  LeaderboardDocument,
  type LeaderboardQuery,
  type StandingFragment,
  StandingsDocument,
  type StandingsQuery,
} from '../generated/documents'

type Data = NonNullable<LeaderboardQuery['dataset']>
type Row = NonNullable<BoardFragment['rows']>['nodes'][number]

/** Boards that lead the page, in this order; the others follow behind a fold. */
const LEADING = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L', 'word precision', 'mean PHR']

const nameOf = ({ system }: { readonly system: { readonly name: string } | null }): string =>
  system?.name ?? PEOPLE

/** Systems beside people, by every metric that has scores. */
export default function Leaderboard({ dataset }: Parameters) {
  const [mode, setMode] = useSetting('references', 'equal')
  const variables = { dataset, isHumanIncluded: mode === 'equal' }
  const answer = useQuery(LeaderboardDocument, variables)
  const standings = useQuery(StandingsDocument, answer.data?.dataset ? variables : null)
  return (
    <>
      <h1>How close do systems come to people?</h1>
      <p class="lede">
        Dots are scores and lines their 95 % intervals; the dashed line is people. A brace joins neighbours
        whose paired difference cannot be told from 0.
      </p>
      <p class="controls">
        <label>
          References{' '}
          <select value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value)}>
            <option value="equal">as many as people have</option>
            <option value="all">all captions of each image</option>
          </select>
        </label>
        {mode !== 'equal' && (
          <span class="note">
            People are not ranked: one of all captions is the one that would be scored.
          </span>
        )}
      </p>
      <Awaited answer={answer} height={1100}>
        {({ dataset: data }) =>
          data ? (
            <Boards name={dataset} data={data} standings={standings.data} variables={variables} />
          ) : (
            <Unknown kind="dataset" name={dataset} />
          )
        }
      </Awaited>
    </>
  )
}

interface BoardsProps {
  readonly name: string
  readonly data: Data
  readonly standings: StandingsQuery | undefined
  readonly variables: { readonly isHumanIncluded: boolean }
}

function Boards({ name, data, standings, variables }: BoardsProps) {
  const boards = [
    ...(data.metrics ?? []).map((board) => ({ title: board.metric?.name ?? '', board, isWords: false })),
    ...(data.captioners ?? []).map((board) => ({ title: 'word precision', board, isWords: true })),
    ...(data.detectors ?? []).map((board) => ({ title: 'mean PHR', board, isWords: true })),
  ].filter(({ board }) => ranked(board).some(({ isHuman }) => !isHuman))
  if (boards.length === 0) {
    return (
      <Empty upload="results" command={`accord import results captions.json --system mine --dataset ${name}`}>
        No system has scores on {count(data.imageCount)} images of {name}.
      </Empty>
    )
  }
  // Figures of words are computed at import.
  const ofMetrics = boards.filter(({ isWords }) => !isWords)
  const references =
    variables.isHumanIncluded && data.captionsPerImage > 1 ? ` --references ${data.captionsPerImage - 1}` : ''
  const rankOf = ({ title }: TitledBoard) => LEADING.indexOf(title)
  const leading = boards.filter(({ title }) => LEADING.includes(title)).sort((a, b) => rankOf(a) - rankOf(b))
  const first = leading.length > 0 ? leading : boards
  const others = boards.filter((board) => !first.includes(board))
  const show = ({ title, board, isWords }: (typeof boards)[number]) => (
    <Board
      key={title}
      title={title}
      dataset={name}
      board={board}
      standings={standingsOf(standings, title)}
      command={
        isWords
          ? `accord leaderboard --dataset ${name}${title === 'mean PHR' ? '' : ' --captions'}`
          : `accord leaderboard --dataset ${name} --metrics ${title}${references}`
      }
      variables={variables}
    />
  )
  return (
    <>
      <div class="grid">{first.map(show)}</div>
      {others.length > 0 && (
        <details class="more">
          <summary>{others.length} more metrics</summary>
          <div class="grid">{others.map(show)}</div>
        </details>
      )}
      <h2>All scores</h2>
      <Table
        label="Systems and metrics"
        columns={scoreColumns(name, boards)}
        rows={systemsOf(boards.map(({ board }) => board))}
        rowClass={(system) => (system === PEOPLE ? 'people-row' : undefined)}
        provenance={{
          signatures: boards.flatMap(({ board }) => ranked(board).map(({ signature }) => signature)),
          command: `accord leaderboard --dataset ${name} --metrics ${ofMetrics.map(({ title }) => title).join(' ')}${references}`,
          query: LeaderboardDocument,
          variables,
        }}
      />
      <Apart name={name} boards={ofMetrics} references={references} />
    </>
  )
}

const ranked = (board: BoardFragment): Row[] =>
  (board.rows?.nodes ?? []).filter(({ group, value }) => group === 'COMPARABLE' && value !== null)

interface BoardProps {
  readonly title: string
  readonly dataset: string
  readonly board: BoardFragment
  readonly standings: Standings
  readonly command: string
  readonly variables: object
}

function Board({ title, dataset, board, standings, command, variables }: BoardProps) {
  const rows = ranked(board)
  const dots = rows.map<DotRow>((row, index) => ({
    name: nameOf(row),
    isHuman: row.isHuman,
    value: row.value as number,
    interval: row.interval,
    address: row.system ? href('d', dataset, 'systems', row.system.name) : undefined,
    isTiedWithNext: index + 1 < rows.length && areTied(standings, nameOf(row), nameOf(rows[index + 1])),
  }))
  const columns: readonly Column<Row>[] = [
    { title: 'rank', value: ({ rank }) => rank, text: (row) => rankText(standings.get(nameOf(row))) },
    { title: 'system', value: nameOf },
    ...measured<Row>(title, (row) => row),
  ]
  return (
    <Figure
      title={title}
      columns={columns}
      rows={rows}
      notes={[...new Set(rows.flatMap(({ notes }) => notes))]}
      provenance={{
        signatures: rows.map(({ signature }) => signature),
        command,
        query: LeaderboardDocument,
        variables,
      }}
    >
      <DotPlot label={`${title} of systems and people on ${dataset}`} rows={dots} />
    </Figure>
  )
}

type Standings = ReadonlyMap<string, StandingFragment['standing']>

/** What tests say of the ranks of systems on a board, by name. */
function standingsOf(data: StandingsQuery | undefined, title: string): Standings {
  const { metrics, captioners, detectors } = data?.dataset ?? {}
  const [board] =
    title === 'mean PHR'
      ? (detectors ?? [])
      : title === 'word precision'
        ? (captioners ?? [])
        : (metrics ?? []).filter(({ metric }) => metric?.name === title)
  return new Map((board?.rows?.nodes ?? []).map((row) => [nameOf(row), row.standing]))
}

function areTied(standings: Standings, one: string, other: string): boolean {
  return standings.get(one)?.tiedWith?.some(({ name }) => name === other) === true
}

/** Ranks among systems that tests leave open; people have none. */
function rankText(standing: StandingFragment['standing'] | undefined): string {
  const { min, max } = standing?.rankRange ?? {}
  if (min === undefined || max === undefined) return '–'
  return min === max ? String(min) : `${min}–${max}`
}

interface TitledBoard {
  readonly title: string
  readonly board: BoardFragment
}

function systemsOf(boards: readonly BoardFragment[]): string[] {
  return [...new Set(boards.flatMap((board) => ranked(board).map(nameOf)))]
}

function scoreColumns(dataset: string, boards: readonly TitledBoard[]): readonly Column<string>[] {
  const find = ({ board }: TitledBoard, system: string) => ranked(board).find((row) => nameOf(row) === system)
  return [
    {
      title: 'system',
      value: (system) => system,
      address: (system) => (system === PEOPLE ? undefined : href('d', dataset, 'systems', system)),
    },
    ...boards.flatMap((titled) =>
      measured<string>(titled.title, (system) => find(titled, system), {
        show(value, interval) {
          const decimals = decimalsOf(interval)
          const half = interval && number((interval.upper - interval.lower) / 2, decimals)
          return `${number(value, decimals)}${half ? ` ±${half}` : ''}`
        },
      }),
    ),
  ]
}

interface ApartProps {
  readonly name: string
  readonly boards: readonly TitledBoard[]
  readonly references: string
}

/** Rows that are not ranked with the others, with the reason and what to do. */
function Apart({ name, boards, references }: ApartProps) {
  const rows = boards.flatMap(({ title, board }) =>
    (board.rows?.nodes ?? []).filter(({ group }) => group === 'APART').map((row) => ({ title, row })),
  )
  if (rows.length === 0) return null
  return (
    <>
      <h2>Not ranked</h2>
      <ul class="apart">
        {rows.map(({ title, row }) => (
          <li key={`${title} ${nameOf(row)}`}>
            <strong>{nameOf(row)}</strong> by {title}: {reasonText(row.undefinedReason)}.{' '}
            <Command
              text={
                row.isHuman
                  ? `accord agreement --dataset ${name} --metrics ${title}`
                  : `accord evaluate --dataset ${name} --system ${nameOf(row)} --metrics ${title}${references}`
              }
            />
          </li>
        ))}
      </ul>
    </>
  )
}

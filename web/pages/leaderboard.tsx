import { useQuery } from '../app/client'
import { count, decimalsOf, number, reasonText } from '../app/format'
import { href, Link, type Parameters, useSetting } from '../app/router'
import { DotPlot, type DotRow } from '../charts/dot-plot'
import { Figure } from '../components/figure'
import { Awaited, Empty } from '../components/states'
import { type Column, Table } from '../components/table'
import {
  type BoardFragment,
  LeaderboardDocument,
  type LeaderboardQuery,
  StandingsDocument,
  type StandingsQuery,
} from '../generated/documents'

type Data = NonNullable<LeaderboardQuery['dataset']>
type Row = NonNullable<BoardFragment['rows']>['nodes'][number]

const PEOPLE = 'people'

/** Boards that lead the page, in this order; the others follow behind a fold. */
const LEADING = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L', 'mean PHR']

const nameOf = ({ system }: { readonly system: { readonly name: string } | null }): string =>
  system?.name ?? PEOPLE

/** Systems beside people, by every metric that has scores. */
export default function Leaderboard({ dataset }: Parameters) {
  const [mode, setMode] = useSetting('references', 'equal')
  const variables = { dataset, isHumanIncluded: mode === 'equal' }
  const answer = useQuery(LeaderboardDocument, variables)
  const standings = useQuery(StandingsDocument, answer.data ? variables : null)
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
            <Empty>
              There is no dataset {dataset}. <Link to={href()}>All datasets</Link>
            </Empty>
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
  readonly variables: object
}

function Boards({ name, data, standings, variables }: BoardsProps) {
  const boards = [
    ...(data.metrics ?? []).map((board) => ({ title: board.metric?.name ?? '', board, isWords: false })),
    ...(data.detectors ?? []).map((board) => ({ title: 'mean PHR', board, isWords: true })),
  ].filter(({ board }) => ranked(board).some(({ isHuman }) => !isHuman))
  if (boards.length === 0) {
    return (
      <Empty command={`accord import results captions.json --system mine --dataset ${name}`}>
        No system has scores on {count(data.imageCount)} images of {name}.
      </Empty>
    )
  }
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
      ties={isWords ? undefined : tiesOf(standings, title)}
      command={
        isWords
          ? `accord leaderboard --dataset ${name}`
          : `accord leaderboard --dataset ${name} --metrics ${title} --references ${data.captionsPerImage - 1}`
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
      />
      <Apart name={name} boards={boards} />
    </>
  )
}

const ranked = (board: BoardFragment): Row[] =>
  (board.rows?.nodes ?? []).filter(({ group, value }) => group === 'COMPARABLE' && value !== null)

interface BoardProps {
  readonly title: string
  readonly dataset: string
  readonly board: BoardFragment
  readonly ties: ReadonlyMap<string, ReadonlySet<string>> | undefined
  readonly command: string
  readonly variables: object
}

function Board({ title, dataset, board, ties, command, variables }: BoardProps) {
  const rows = ranked(board)
  const dots = rows.map<DotRow>((row, index) => ({
    name: nameOf(row),
    isHuman: row.isHuman,
    value: row.value as number,
    interval: row.interval,
    address: row.system ? href('d', dataset, 'systems', row.system.name) : undefined,
    isTiedWithNext: index + 1 < rows.length && areTied(ties, nameOf(row), nameOf(rows[index + 1])),
  }))
  const columns: readonly Column<Row>[] = [
    { title: 'rank', value: ({ rank }) => rank },
    { title: 'system', value: nameOf },
    {
      title: title,
      value: ({ value }) => value,
      show: ({ value, interval }) => number(value as number, decimalsOf(interval)),
    },
    {
      title: 'lower',
      value: ({ interval }) => interval?.lower,
      show: ({ interval }) => interval && number(interval.lower),
    },
    {
      title: 'upper',
      value: ({ interval }) => interval?.upper,
      show: ({ interval }) => interval && number(interval.upper),
    },
    { title: 'signature', value: ({ signature }) => signature },
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

function tiesOf(standings: StandingsQuery | undefined, metric: string) {
  const board = standings?.dataset?.leaderboard?.find((candidate) => candidate.metric?.name === metric)
  return new Map(
    (board?.rows?.nodes ?? []).map((row) => [
      nameOf(row),
      new Set((row.standing?.tiedWith ?? []).map(({ name }) => name)),
    ]),
  )
}

/** Ties are with systems: of people and a system, the row of people says it. */
function areTied(ties: BoardProps['ties'], one: string, other: string): boolean {
  return ties?.get(one)?.has(other) === true || ties?.get(other)?.has(one) === true
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
      show: (system) =>
        system === PEOPLE ? PEOPLE : <Link to={href('d', dataset, 'systems', system)}>{system}</Link>,
    },
    ...boards.map<Column<string>>((titled) => ({
      title: titled.title,
      value: (system) => find(titled, system)?.value,
      show: (system) => {
        const row = find(titled, system)
        if (typeof row?.value !== 'number') return '–'
        const { value, interval } = row
        const decimals = decimalsOf(interval)
        return (
          <>
            {number(value, decimals)}
            {interval && <small> ±{number((interval.upper - interval.lower) / 2, decimals)}</small>}
          </>
        )
      },
    })),
  ]
}

/** Rows that are not ranked with the others, with the reason and what to do. */
function Apart({ name, boards }: { readonly name: string; readonly boards: readonly TitledBoard[] }) {
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
            {row.undefinedReason === 'NOT_COMPUTED' && (
              <code>
                {row.isHuman
                  ? `accord agreement --dataset ${name}`
                  : `accord evaluate --dataset ${name} --system ${nameOf(row)} --metrics ${title}`}
              </code>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

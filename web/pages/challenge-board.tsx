import { grouped as count, counted, type Interval } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { time, withDecimals } from '../app/format'
import { href, Link, type Parameters, useSetting } from '../app/router'
import { isPeople } from '../app/subject'
import { DotPlot } from '../charts/dot-plot'
import { Lines } from '../charts/lines'
import { type Column, measured } from '../components/columns'
import { awayOf, Distances } from '../components/distances'
import { Figure } from '../components/figure'
import type { Provenance } from '../components/how-computed'
import { Moment, Stage } from '../components/stage'
import { Awaited, Empty, NotFound, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  type BoardFigureFragment,
  ChallengeBoardDocument,
  type ChallengeBoardQuery,
  SubmissionDistancesDocument,
} from '../generated/documents'

type Challenge = NonNullable<ChallengeBoardQuery['challenge']>
type Phase = NonNullable<Challenge['phase']>
type Board = NonNullable<Phase['board']>
type BoardRow = NonNullable<Board['rows']>['nodes'][number]
type Submission = NonNullable<Phase['submissions']>['nodes'][number]

/** A row with the name that is shown: anonymous entries are numbered. */
type Row = Omit<BoardRow, 'name'> & { readonly name: string; readonly rankRange: string }

/** Rows of the chart; the table has all. */
const PLOTTED = 25

/** The entries of a phase beside people and baselines. */
export default function ChallengeBoard({ challenge: name, phase: phaseName }: Parameters) {
  // The metric that ranks has no name before the answer.
  const [metric, setMetric] = useSetting('metric', '')
  const variables = { challenge: name, phase: phaseName, order: metric === '' ? null : { field: metric } }
  const answer = useQuery(ChallengeBoardDocument, variables, 'cache-and-network')
  return (
    <Awaited answer={answer} height={900}>
      {({ challenge }) => {
        if (!challenge) return <Unknown kind="challenge" name={name} />
        const { title, phases, phase, isHosted } = challenge
        if (!phase) return <UnknownPhase name={name} phaseName={phaseName} phases={phases} />
        const { board, boardFrom } = phase
        return (
          <>
            <h1>
              {title}: {phaseName}
            </h1>
            <p class="controls">
              <Stage {...phase} />
              <Link to={href('challenges', name)}>Rules</Link>
              <Link to={href('challenges', name, 'submit')}>
                {phase.stage === 'OPEN' ? 'Submit captions' : 'My submissions'}
              </Link>
              {phases
                .filter((other) => other.name !== phaseName)
                .map((other) => (
                  <Link key={other.name} to={href('challenges', name, other.name)}>
                    Board of {other.name}
                  </Link>
                ))}
            </p>
            {boardFrom !== null && Date.parse(boardFrom) > Date.now() && (
              <p class="verdict">
                {isHosted ? 'Others see the board from ' : 'The board is hidden until '}
                <Moment at={boardFrom} />.
              </p>
            )}
            {board && (
              <Shown
                name={name}
                phaseName={phaseName}
                phase={phase}
                board={board}
                metric={metric === '' ? board.rankedBy.name : metric}
                setMetric={(value) => setMetric(value === board.rankedBy.name ? '' : value)}
                variables={variables}
              />
            )}
          </>
        )
      }}
    </Awaited>
  )
}

interface UnknownPhaseProps extends Pick<Challenge, 'phases'> {
  readonly name: string
  readonly phaseName: string
}

function UnknownPhase({ name, phaseName, phases }: UnknownPhaseProps) {
  return (
    <NotFound title={`${name} has no phase ${phaseName}.`}>
      {phases.map((phase) => (
        <Link key={phase.name} to={href('challenges', name, phase.name)}>
          {phase.name}{' '}
        </Link>
      ))}
      <Link to={href('challenges', name)}>Rules</Link>
    </NotFound>
  )
}

interface ShownProps {
  readonly name: string
  readonly phaseName: string
  readonly phase: Phase
  readonly board: Board
  readonly metric: string
  readonly setMetric: (metric: string) => void
  readonly variables: object
}

function Shown({ name, phaseName, phase, board, metric, setMetric, variables }: ShownProps) {
  const rankedBy = board.rankedBy.name
  const metricNames = board.metrics.map(({ name }) => name)
  const rowCount = board.rows?.totalCount ?? 0
  const rows = namedRows(board.rows?.nodes ?? [])
  const provenance: Provenance = {
    signatures: rows.flatMap(({ scores }) => scores.map(({ signature }) => signature)),
    command: `accord challenge board ${shellWord(name)} --phase ${shellWord(phaseName)}${metric === rankedBy ? '' : ` --order-by ${shellWord(metric)}`}`,
    query: ChallengeBoardDocument,
    variables,
  }
  const dataset = phase.dataset?.name
  const withScore = rows.filter((row) => typeof scoreOf(row, metric)?.value === 'number')
  const plotted = withScore.filter(({ kind }, index) => index < PLOTTED || kind === 'HUMAN')
  const ofMetric = (one: string) =>
    measured<Row>(one, (row) => scoreOf(row, one), {
      show: showWith(board.decimals),
      best: { competes: ({ kind }) => kind === 'ENTRY' },
    })
  const team = teamColumn(dataset)
  return (
    <>
      <p class="controls">
        <label>
          Ordered by{' '}
          <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
            {metricNames.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </p>
      <p class="note">
        {rankedBy} ranks. Entries that a paired test does not tell apart share a rank; a brace joins them.
        People and baselines are not ranked. Scores are{' '}
        {phase.references === null
          ? 'against all references of an image, and people cannot be scored under the same conditions.'
          : `means over the folds of ${phase.references} references, as those of people.`}
      </p>
      {rows
        .filter(({ isOwn, rank }) => isOwn && rank !== null)
        .map((own) => (
          <Standing key={own.name} own={own} rows={rows} board={board} dataset={dataset} />
        ))}
      {withScore.length > 0 && (
        <Figure
          title={`${metric} of entries, baselines and people`}
          columns={[RANK, team, ...ofMetric(metric)]}
          rows={withScore}
          provenance={provenance}
        >
          <DotPlot
            label={`${metric} of entries, baselines and people in ${phaseName}`}
            xTitle={metric}
            rows={plotted.map((row, index) => {
              const next = plotted.at(index + 1)
              const { value, interval } = scoreOf(row, metric) as BoardFigureFragment
              return {
                name: row.name,
                isHuman: row.kind === 'HUMAN',
                isMarked: row.isOwn,
                value: value as number,
                interval,
                address: team.address?.(row),
                isTiedWithNext: metric === rankedBy && row.rank !== null && row.rank === next?.rank,
              }
            })}
          />
        </Figure>
      )}
      <h2>All scores</h2>
      {rows.length < rowCount && (
        <p class="note">
          The first {count(rows.length)} of {count(rowCount)} rows. The command under “How computed” prints
          all.
        </p>
      )}
      <Table
        label={`Board of ${phaseName}`}
        columns={[RANK, team, ...metricNames.flatMap(ofMetric), ...ABOUT]}
        rows={rows}
        shown={100}
        rowClass={({ kind, isOwn }) => `board-row ${isOwn ? 'own' : kind.toLowerCase()}`}
        provenance={provenance}
      />
      {!rows.some(({ kind }) => kind === 'ENTRY') && (
        <Empty
          command={`accord submit captions.json --challenge ${shellWord(name)} --phase ${shellWord(phaseName)}`}
        >
          No team has an entry yet.
        </Empty>
      )}
      <History
        name={name}
        phaseName={phaseName}
        submissions={phase.submissions?.nodes ?? []}
        metric={metric}
        decimals={board.decimals}
        people={rows.find(({ kind }) => kind === 'HUMAN')}
        variables={variables}
      />
    </>
  )
}

interface StandingProps {
  readonly own: Row
  readonly rows: readonly Row[]
  readonly board: Board
  readonly dataset: string | undefined
}

/** Where the entry of the viewer stands: its rank, and how far it is from people and baselines by every metric, where the phase shows it. */
function Standing({ own, rows, board, dataset }: StandingProps) {
  const { decimals } = board
  const rankedBy = board.rankedBy.name
  const entries = rows.filter(({ kind, rank }) => kind === 'ENTRY' && rank !== null)
  const tiedCount = entries.filter(({ rank }) => rank === own.rank).length - 1
  const variables = own.submission && { submission: own.submission.id }
  const answer = useQuery(SubmissionDistancesDocument, variables)
  const found = answer.data?.node
  const distances = (found?.__typename === 'Submission' && found.comparisons) || []
  const told = distances
    .filter(({ metric }) => metric?.name === rankedBy)
    .sort((a, b) => Number(isPeople(b.first)) - Number(isPeople(a.first)))
    .flatMap((row) => {
      const away = awayOf(row)
      if (away === null) return []
      const other = isPeople(row.first) ? row.first.name : `${row.first.name} (baseline)`
      if (away.value === 0) return `equal to ${other}`
      const size = withDecimals(
        Math.abs(away.value),
        away.interval && absolute(away.interval, away.value),
        decimals,
      )
      return `${size} ${away.value < 0 ? 'below' : 'above'} ${other}`
    })
  return (
    <section aria-label={`Where ${own.name} stands`}>
      <p class="verdict">
        {own.name} has rank {own.rankRange} of {counted(entries.length, 'entry', 'entries')} by {rankedBy}
        {tiedCount > 0 && `, where no test tells it apart from ${counted(tiedCount, 'other')}`}
        {told.length > 0 && `: ${told.join(', ')}`}.
      </p>
      {variables && (
        <Awaited answer={answer} height={400}>
          {() =>
            distances.length > 0 && (
              <Distances
                of={own.name}
                dataset={dataset ?? ''}
                distances={distances}
                query={SubmissionDistancesDocument}
                variables={variables}
              />
            )
          }
        </Awaited>
      )}
      <p class="note">Images where your captions lost most are on the page of your submissions.</p>
    </section>
  )
}

/** The interval of the size of a difference. */
const absolute = ({ lower, upper }: Interval, value: number): Interval =>
  value < 0 ? { lower: -upper, upper: -lower } : { lower, upper }

const scoreOf = (row: Pick<BoardRow, 'scores'>, metric: string): BoardFigureFragment | undefined =>
  row.scores.find((score) => score.metric.name === metric)

/** As many digits as the phase says. */
const showWith = (decimals: number) => (value: number, interval: Interval | null | undefined) =>
  withDecimals(value, interval, decimals)

function namedRows(rows: readonly BoardRow[]): Row[] {
  let anonymousCount = 0
  const nameOf = ({ kind, name }: BoardRow) => {
    if (kind === 'BASELINE') return `${name} (baseline)`
    return name ?? `anonymous ${++anonymousCount}`
  }
  const rangeOf = ({ rank }: BoardRow) => {
    if (rank === null) return '–'
    const last = rank + rows.filter((other) => other.rank === rank).length - 1
    return last === rank ? String(rank) : `${rank}–${last}`
  }
  return rows.map((row) => ({ ...row, name: nameOf(row), rankRange: rangeOf(row) }))
}

const RANK: Column<Row> = { title: 'rank', value: ({ rank }) => rank, text: ({ rankRange }) => rankRange }

/** Teams, baselines and people; the last two have pages of their own. */
const teamColumn = (dataset: string | undefined): Column<Row> => ({
  title: 'team',
  value: ({ name }) => name,
  show: ({ name, isOwn }) => (isOwn ? `${name} (your team)` : name),
  address({ kind, name }) {
    if (dataset === undefined) return undefined
    if (kind === 'HUMAN') return href('d', dataset, 'agreement')
    if (kind === 'ENTRY') return undefined
    return href('d', dataset, 'systems', name.replace(/ \(baseline\)$/, ''))
  },
})

const ABOUT: readonly Column<Row>[] = [
  {
    title: 'accepted',
    value: ({ acceptedAt }) => acceptedAt,
    text: ({ acceptedAt }) => (acceptedAt ? time(acceptedAt) : '–'),
    class: 'whole',
  },
  {
    title: 'method',
    value: ({ method }) => method,
    text: ({ method, links }) => [method, ...(links ?? [])].filter(Boolean).join(' ') || '–',
    show: ({ method, links }) =>
      method || links?.length ? (
        <details>
          <summary>{(method || 'links').split('\n')[0].slice(0, 60)}</summary>
          <p class="method">{method}</p>
          {links?.map((link) => (
            <p key={link}>
              <a href={link} rel="nofollow ugc noopener">
                {link}
              </a>
            </p>
          ))}
        </details>
      ) : (
        '–'
      ),
  },
  { title: 'links', value: ({ links }) => links?.join(' '), isHidden: true },
]

interface HistoryProps {
  readonly name: string
  readonly phaseName: string
  readonly submissions: readonly Submission[]
  readonly metric: string
  readonly decimals: number
  readonly people: Row | undefined
  readonly variables: object
}

/** The scores of the submissions of a team, oldest first: for its members and for hosts. */
function History({ name, phaseName, submissions, metric, decimals, people, variables }: HistoryProps) {
  const teams = new Map(submissions.map(({ team: { id }, teamName }) => [id, teamName]))
  const [chosen, setTeam] = useSetting('team', '')
  const team = teams.has(chosen) ? chosen : [...teams.keys()].at(0)
  const rows = submissions
    .filter((row) => row.team.id === team && typeof scoreOf(row, metric)?.value === 'number')
    .map((row, index) => ({ ...row, place: index + 1 }))
  if (team === undefined || rows.length === 0) return null
  const title = `${metric} of the submissions of ${teams.get(team)}`
  const level = people && scoreOf(people, metric)?.value
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { title: 'submission', value: ({ place }) => place },
    { title: 'file', value: ({ fileName }) => fileName },
    {
      title: 'accepted',
      value: ({ acceptedAt }) => acceptedAt,
      text: ({ acceptedAt }) => time(acceptedAt),
      class: 'whole',
    },
    { title: 'withdrawn', value: ({ isWithdrawn }) => (isWithdrawn ? 'yes' : 'no') },
    ...measured<(typeof rows)[number]>(metric, (row) => scoreOf(row, metric), { show: showWith(decimals) }),
  ]
  return (
    <>
      <h2>History</h2>
      {teams.size > 1 && (
        <p class="controls">
          <label>
            Team{' '}
            <select value={team} onChange={({ currentTarget }) => setTeam(currentTarget.value)}>
              {[...teams].map(([id, teamName]) => (
                <option key={id} value={id}>
                  {teamName}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      <Figure
        title={title}
        columns={columns}
        rows={rows}
        provenance={{
          signatures: rows.map((row) => scoreOf(row, metric)?.signature),
          command: `accord challenge submissions ${shellWord(name)} --phase ${shellWord(phaseName)}`,
          query: ChallengeBoardDocument,
          variables,
        }}
      >
        <Lines
          label={title}
          xTitle="submission"
          yTitle={metric}
          xRange={[0.5, rows.length + 0.5]}
          xTicks={rows.map(({ place }) => place).filter((place) => place % Math.ceil(rows.length / 10) === 0)}
          lines={[
            {
              name: teams.get(team) as string,
              tone: 'system',
              points: rows.map((row) => {
                const { value, interval } = scoreOf(row, metric) as BoardFigureFragment
                return { x: row.place, y: value as number, interval }
              }),
            },
          ]}
          levels={typeof level === 'number' ? [{ name: PEOPLE, y: level, tone: 'people' }] : []}
        />
      </Figure>
    </>
  )
}

import { useState } from 'preact/hooks'
import { BESIDE_METRICS } from '../../src/shared/coverage-sentence'
import { grouped as count, counted, type Interval, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { type Answer, useQuery } from '../app/client'
import { reasonText, withDecimals } from '../app/format'
import { href, type Parameters, useSetting } from '../app/router'
import { isPeople, type Subject, systemOf } from '../app/subject'
import { DotPlot, type DotRow } from '../charts/dot-plot'
import { Forest, type ForestRow } from '../charts/forest'
import { listed } from '../components/beside-people'
import { type Column, measured } from '../components/columns'
import { ComputeButton } from '../components/compute'
import { type BesideScores, CoverageFigure } from '../components/coverage'
import { correctionNotes } from '../components/differences'
import { Figure } from '../components/figure'
import { Awaited, Empty, Failure, Pending, Skeleton, Unknown } from '../components/states'
import { SubsetChoice, Subsets, sidesOf, useSubsetField } from '../components/subsets'
import { Table } from '../components/table'
import {
  type BoardFragment,
  BoardPageDocument,
  type BoardRowFragment,
  BoardSubsetsDocument,
  LeaderboardDocument,
  type LeaderboardQuery,
  type StandingFragment,
  StandingsDocument,
  type StandingsQuery,
} from '../generated/documents'

type Data = NonNullable<LeaderboardQuery['dataset']>
type Row = BoardRowFragment

/** Rows of a page of a board, as the query asks for them. */
const PAGE = 50

/** Boards that lead the page, in this order; the others follow behind a fold. */
const LEADING = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L', 'word precision', 'mean PHR']

/** Boards by figures of words, by their titles. */
const WORD_FIGURES: Readonly<Record<string, 'PHR' | 'WORD_PRECISION' | undefined>> = {
  'word precision': 'WORD_PRECISION',
  'mean PHR': 'PHR',
}

const nameOf = ({ subject }: Pick<Row, 'subject'>): string => subject.name

/** Systems that the overview shows at first. */
const SHOWN_SYSTEMS = 6

/** Systems that one answer compares. */
const MOST_COMPARED = 20

/** Systems beside people, by every metric that has scores. */
export default function Leaderboard({ dataset }: Parameters) {
  const [mode, setMode] = useSetting('references', 'equal')
  const variables = { dataset, isHumanIncluded: mode === 'equal' }
  const answer = useQuery(LeaderboardDocument, variables)
  const boards = boardsOf(answer.data?.dataset)
  const tested = { ...variables, ...comparedOf(boards, variables.isHumanIncluded) }
  const standings = useQuery(StandingsDocument, answer.data?.dataset ? tested : null)
  return (
    <>
      <h1>How close do systems come to people?</h1>
      <Awaited answer={answer} height={1100}>
        {({ dataset: data }) =>
          data ? (
            <Boards
              name={dataset}
              data={data}
              boards={boards}
              standings={standings}
              variables={variables}
              tested={tested}
              setMode={setMode}
              reload={answer.reload}
            />
          ) : (
            <Unknown kind="dataset" name={dataset} />
          )
        }
      </Awaited>
    </>
  )
}

interface TitledBoard {
  readonly title: string
  readonly board: BoardFragment
  readonly isWords: boolean
}

/** The boards that rank at least one system: those that lead in their order, then the others. */
function boardsOf(data: Data | null | undefined): TitledBoard[] {
  const boards = [
    ...(data?.metrics ?? []).map((board) => ({ title: board.metric?.name ?? '', board, isWords: false })),
    ...titled('word precision', data?.captioners),
    ...titled('mean PHR', data?.detectors),
  ].filter(({ board }) => ranked(board).some(({ subject }) => !isPeople(subject)))
  const place = ({ title }: TitledBoard) =>
    LEADING.includes(title) ? LEADING.indexOf(title) : LEADING.length
  return boards.sort((a, b) => place(a) - place(b))
}

const titled = (title: string, board: BoardFragment | null | undefined): TitledBoard[] =>
  board ? [{ title, board, isWords: true }] : []

/** What is compared with people: the figures that lead, of systems and people alike. */
function comparedOf(boards: readonly TitledBoard[], isHumanIncluded: boolean) {
  const compared = boards.filter(
    ({ title, board }) => LEADING.includes(title) && ranked(board).some(({ subject }) => isPeople(subject)),
  )
  const metrics = compared.filter(({ isWords }) => !isWords)
  const words = compared.filter(({ isWords }) => isWords)
  const isLarge = (metrics[0]?.board.rows?.totalCount ?? 0) > MOST_COMPARED
  const best = metrics.length > 0 ? ranked(metrics[0].board) : []
  const figures = words.map(({ title }) => ({ figure: WORD_FIGURES[title] as 'PHR' | 'WORD_PRECISION' }))
  return {
    hasDifferences: isHumanIncluded && compared.length > 0,
    compared: metrics.map(({ title }) => title),
    words: isLarge ? [] : figures,
    systems: isLarge ? best.flatMap(({ subject }) => systemOf(subject) ?? []).slice(0, MOST_COMPARED) : null,
  }
}

interface BoardsProps {
  readonly name: string
  readonly data: Data
  readonly boards: readonly TitledBoard[]
  readonly standings: Answer<StandingsQuery>
  readonly variables: { readonly isHumanIncluded: boolean }
  readonly tested: Tested
  readonly setMode: (mode: string) => void
  readonly reload: () => void
}

type Tested = ReturnType<typeof comparedOf> & { readonly dataset: string }

function Boards(props: BoardsProps) {
  const { name, data, boards, standings, variables, tested, setMode, reload } = props
  const references = variables.isHumanIncluded && data.captionsPerImage > 1 ? data.captionsPerImage - 1 : null
  // Figures of words are computed at import.
  const ofMetrics = boards.filter(({ isWords }) => !isWords)
  const coverage = captionersOf(data).length > 0 && (
    <CoverageFigure dataset={name} weighed={data} scores={scoresOf(ofMetrics)} />
  )
  if (boards.length === 0) {
    return (
      <>
        {coverage}
        <NoScores {...props} references={references} />
      </>
    )
  }
  const leading = boards.filter(({ title }) => LEADING.includes(title))
  const first = leading.length > 0 ? leading : boards
  const others = boards.filter((board) => !first.includes(board))
  const option = references === null ? '' : ` --references ${references}`
  const quoted = shellWord(name)
  const show = ({ title, board, isWords }: TitledBoard) => (
    <Board
      key={title}
      title={title}
      dataset={name}
      board={board}
      standings={standingsOf(standings.data, title)}
      command={
        isWords
          ? `accord leaderboard --dataset ${quoted}${title === 'mean PHR' ? ' --phr' : ' --captions'}`
          : `accord leaderboard --dataset ${quoted} --metrics ${shellWord(title)}${option}`
      }
      variables={variables}
    />
  )
  return (
    <>
      {coverage}
      {tested.hasDifferences && <Overview boards={leading} answer={standings} tested={tested} />}
      {ofMetrics.length === 0 && captionersOf(data).length > 0 && (
        <NoScores {...props} references={references} />
      )}
      <h2>Scores by metric</h2>
      <p class="controls">
        <label>
          References{' '}
          <select
            value={variables.isHumanIncluded ? 'equal' : 'all'}
            onChange={({ currentTarget }) => setMode(currentTarget.value)}
          >
            <option value="equal">as many as people have</option>
            <option value="all">all captions of each image</option>
          </select>
        </label>
      </p>
      <p class="note">
        Dots are scores and lines their 95 % intervals; the dashed line is people.{' '}
        {standings.isLoading
          ? 'Neighbours are being tested: a brace will join those that do not differ.'
          : 'A brace joins neighbours, people among them, that do not differ significantly: paired tests, corrected for all pairs of a board.'}
        {!variables.isHumanIncluded &&
          ' People are not ranked: one of all captions is the one that would be scored.'}
      </p>
      {!tested.hasDifferences && standings.error && (
        <Failure error={standings.error} retry={standings.reload} />
      )}
      <div class="grid">{first.map(show)}</div>
      <BySubset
        dataset={name}
        fields={data.imageFields}
        metrics={ofMetrics.map(({ title }) => title)}
        isAsPeople={references !== null}
      />
      {others.length > 0 && (
        <details class="more">
          <summary>{counted(others.length, 'more metric', 'more metrics')}</summary>
          <div class="grid">{others.map(show)}</div>
        </details>
      )}
      <h2>All scores</h2>
      {boards.some(({ board }) => board.rows?.pageInfo.hasNextPage) && (
        <p class="note">Of the systems on the first page of each board, and of people.</p>
      )}
      <Table
        label="Systems and metrics"
        columns={scoreColumns(name, boards)}
        rows={subjectsOf(boards.map(({ board }) => board))}
        rowClass={(subject) => (isPeople(subject) ? 'people-row' : undefined)}
        provenance={{
          signatures: boards.flatMap(({ board }) => ranked(board).map(({ signature }) => signature)),
          command: `accord leaderboard --dataset ${quoted} --metrics ${ofMetrics.map(({ title }) => shellWord(title)).join(' ')}${option}`,
          query: LeaderboardDocument,
          variables,
        }}
      />
      <Apart name={name} boards={ofMetrics} isAsPeople={references !== null} reload={reload} />
      <Notes boards={boards} />
    </>
  )
}

interface BySubsetProps {
  readonly dataset: string
  readonly fields: readonly string[]
  readonly metrics: readonly string[]
  readonly isAsPeople: boolean
}

/** Scores on kinds of images, by a field that the viewer chooses. */
function BySubset({ dataset, fields, metrics, isAsPeople }: BySubsetProps) {
  const [field, setField] = useSubsetField(fields)
  const [chosen, setMetric] = useSetting('metric', metrics.at(0) ?? '')
  const metric = metrics.includes(chosen) ? chosen : (metrics.at(0) ?? '')
  const against = isAsPeople ? 'AS_PEOPLE' : 'ALL'
  const variables = { dataset, metric, by: field, against, isAsPeople } as const
  const answer = useQuery(BoardSubsetsDocument, field === '' || metric === '' ? null : variables)
  if (fields.length === 0 || metric === '') return null
  return (
    <>
      {field !== '' && <h2>Scores by kind of image</h2>}
      <p class="controls">
        <SubsetChoice fields={fields} field={field} setField={setField} />
        {field !== '' && (
          <label>
            Metric{' '}
            <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
              {metrics.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </p>
      {field !== '' && (
        <Subsets
          dataset={dataset}
          metric={metric}
          field={field}
          answer={answer}
          sidesIn={({ dataset: found }) => sidesOf(found?.systems?.nodes ?? [], found?.humanAgreement?.score)}
          query={BoardSubsetsDocument}
          variables={variables}
        />
      )}
    </>
  )
}

interface NoScoresProps extends Pick<BoardsProps, 'name' | 'data' | 'reload'> {
  readonly references: number | null
}

const captionersOf = ({ systems }: Data) => (systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS')

/** Systems whose captions are not scored, or no system at all. */
function NoScores({ name, data, reload, references }: NoScoresProps) {
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

function scoresOf(boards: readonly TitledBoard[]): BesideScores[] {
  return BESIDE_METRICS.flatMap((metric) =>
    boards
      .filter(({ title }) => title === metric)
      .map(({ title, board }) => ({
        title,
        scoreOf: (name) => ranked(board).find(({ subject }) => systemOf(subject) === name),
      })),
  )
}

type Difference = NonNullable<NonNullable<StandingsQuery['dataset']>['differences']>[number]

const titleOf = ({ metric, figure }: Pick<Difference, 'metric' | 'figure'>): string =>
  metric?.name ?? (figure === 'PHR' ? 'mean PHR' : 'word precision')

/** A difference from people as a share of their score, in %: above 0 the system is better. */
function shareOf({ metric, difference, together: { interval }, secondScore }: Difference) {
  if (difference === null || !secondScore) return null
  const factor = (100 / Math.abs(secondScore)) * (metric?.isHigherBetter === false ? -1 : 1)
  const ends = interval && [factor * interval.lower, factor * interval.upper]
  return {
    value: factor * difference,
    interval: ends && { lower: Math.min(...ends), upper: Math.max(...ends) },
  }
}

/** Which of the two is better, where a test says so. */
type Outcome = 'above' | 'tied' | 'below' | 'untested'

function outcomeOf({ together: { better, pValue } }: Difference): Outcome {
  if (pValue === null) return 'untested'
  return better === 'FIRST' ? 'above' : better === 'SECOND' ? 'below' : 'tied'
}

interface OverviewProps {
  readonly boards: readonly TitledBoard[]
  readonly answer: Answer<StandingsQuery>
  readonly tested: Tested
}

/** How far the systems are from people by every figure, on one axis, and what the tests say in a sentence. */
function Overview({ boards, answer, tested }: OverviewProps) {
  const [isWhole, setWhole] = useState(false)
  const differences = answer.data?.dataset?.differences ?? []
  const names = subjectsOf(boards.map(({ board }) => board)).flatMap((subject) => systemOf(subject) ?? [])
  const shown = new Set(isWhole ? names : names.slice(0, SHOWN_SYSTEMS))
  const { dataset } = tested
  const groups = boards.map(({ title }) => ({
    name: title,
    rows: differences
      .filter((difference) => titleOf(difference) === title && shown.has(difference.first.name))
      .flatMap((difference): ForestRow[] => {
        const [share, outcome] = [shareOf(difference), outcomeOf(difference)]
        const { name } = difference.first
        if (!share) return []
        return [
          {
            name,
            ...share,
            address: href('d', dataset, 'compare', name, PEOPLE),
            isShown: outcome === 'above' || outcome === 'below',
            text: `${percentText(share)}, ${OUTCOMES[outcome]}`,
          },
        ]
      })
      .sort((a, b) => b.value - a.value),
  }))
  const found = groups.filter(({ rows }) => rows.length > 0)
  const rows = boards.reduce(
    (sum, { board }) =>
      sum + ranked(board).filter(({ subject }) => shown.has(systemOf(subject) ?? '')).length,
    0,
  )
  const columns: readonly Column<Difference>[] = [
    { title: 'metric', value: titleOf },
    {
      title: 'system',
      value: ({ first }) => first.name,
      address: ({ first }) => href('d', dataset, 'systems', first.name),
    },
    ...measured<Difference>('difference from people, % of their score', shareOf, {
      show: (value, interval) => percentText({ value, interval: interval ?? null }),
      hasSignature: false,
    }),
    { title: 'test', value: (difference) => OUTCOMES[outcomeOf(difference)] },
    { title: 'difference', value: ({ difference }) => difference, isHidden: true },
    { title: 'adjusted p', value: ({ together }) => together.pValue, isHidden: true },
    { title: 'signature', value: ({ signature }) => signature, isHidden: true },
  ]
  if (answer.error && found.length === 0) return <Failure error={answer.error} retry={answer.reload} />
  if (answer.isCancelled) {
    return (
      <p class="empty">
        The differences from people were not computed.{' '}
        <button type="button" onClick={answer.reload}>
          Compute them
        </button>
      </p>
    )
  }
  if (!answer.data) {
    return (
      <>
        <p class="verdict">Comparing {counted(names.length, 'system')} with people …</p>
        <Skeleton height={200 + 20 * rows + 14 * boards.length}>
          <Pending answer={answer} />
        </Skeleton>
      </>
    )
  }
  if (found.length === 0) return null
  return (
    <>
      <p class="verdict">{verdictOf(differences, boards)}</p>
      <Figure
        title={`Difference from people on ${dataset}, by every metric`}
        columns={columns}
        rows={differences}
        provenance={{
          signatures: differences.map(({ signature }) => signature),
          command: `accord compare --dataset ${shellWord(dataset)} --system ${names.slice(0, MOST_COMPARED).map(shellWord).join(' ')} --people --metrics ${tested.compared.map(shellWord).join(' ')}`,
          query: StandingsDocument,
          variables: tested,
        }}
      >
        <Forest
          label={`Difference of systems from people on ${dataset}, by every metric`}
          xTitle="difference in % of the score of people"
          zero={PEOPLE}
          groups={found}
        />
      </Figure>
      <p class="note">
        {correctionNotes(differences).join(' ')} To be above people by a metric is not to describe better:
        metrics reward the words that most references share, and people phrase the same content in different
        words.
      </p>
      {names.length > SHOWN_SYSTEMS && (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? `The best ${SHOWN_SYSTEMS}` : `All ${names.length} systems`}
        </button>
      )}
    </>
  )
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  above: 'above people',
  tied: 'does not differ from people',
  below: 'below people',
  untested: 'not tested',
}

function percentText({
  value,
  interval,
}: {
  readonly value: number
  readonly interval: Interval | null
}): string {
  const text = (share: number) => `${share > 0 ? '+' : ''}${number(share, 0)}`
  return `${text(value)} %${interval ? ` [${text(interval.lower)}, ${text(interval.upper)}]` : ''}`
}

/** Systems of which the sentence has the names. */
const NAMED_SYSTEMS = 6

/** What the tests say, best news first: which systems are above people by what, and which cannot be told apart from them. */
function verdictOf(differences: readonly Difference[], boards: readonly TitledBoard[]): string {
  const titles = boards.map(({ title }) => title)
  const names = [...new Set(differences.map(({ first }) => first.name))]
  const of = (outcome: Outcome) => differences.filter((difference) => outcomeOf(difference) === outcome)
  const [above, tied, below] = [of('above'), of('tied'), of('below')]
  if (above.length + tied.length === 0) {
    return below.length === 0
      ? 'There are too few images to test the differences from people.'
      : `Every system is below people by ${titles.length === 1 ? titles[0] : 'every metric'}.`
  }
  const told = (found: readonly Difference[]) =>
    names.length <= NAMED_SYSTEMS
      ? names
          .map((name) => ({ name, by: found.filter(({ first }) => first.name === name).map(titleOf) }))
          .filter(({ by }) => by.length > 0)
          .map(({ name, by }) => `${name} by ${listed(by)}`)
      : titles
          .map((title) => ({ title, of: found.filter((difference) => titleOf(difference) === title) }))
          .filter(({ of }) => of.length > 0)
          .map(({ title, of }) => {
            const all = differences.filter((difference) => titleOf(difference) === title)
            return `${of.length} of ${counted(all.length, 'system')} by ${title}`
          })
  const sentences = [
    above.length > 0 && `Above people: ${told(above).join('; ')}.`,
    tied.length > 0 && `Not told apart from people: ${told(tied).join('; ')}.`,
    below.length > 0 && `Below people in ${above.length + tied.length > 0 ? 'all others' : 'everything'}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** What to know when reading the figures, each once with what it is about. */
function Notes({ boards }: { readonly boards: readonly TitledBoard[] }) {
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

/** The ranked rows of a page, and that of people, which may be on another one. */
function ranked({ rows, people }: Pick<BoardFragment, 'rows' | 'people'>): Row[] {
  const isRanked = ({ group, value }: Row) => group === 'COMPARABLE' && value !== null
  const found = (rows?.nodes ?? []).filter(isRanked)
  if (!people || !isRanked(people) || found.some(({ subject }) => isPeople(subject))) return found
  const isAbove = (people.rank ?? 0) <= (found[0]?.rank ?? 0)
  return isAbove ? [people, ...found] : [...found, people]
}

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

function Board({ title, dataset, board, standings, command, variables }: BoardProps) {
  const { rows, pages } = usePages(title, dataset, board, variables)
  const dots = rows.map<DotRow>((row, index) => ({
    name: nameOf(row),
    isHuman: isPeople(row.subject),
    value: row.value as number,
    interval: row.interval,
    address: addressOf(dataset, row.subject),
    isTiedWithNext: index + 1 < rows.length && areTied(standings, row.subject, rows[index + 1].subject),
  }))
  const columns: readonly Column<Row>[] = [
    { title: 'rank', value: ({ rank }) => rank, text: (row) => rankText(standingOf(standings, row.subject)) },
    { title: 'system', value: nameOf },
    ...measured<Row>(title, (row) => row),
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

type Standings = readonly StandingFragment[]

/** What tests say of the ranks of the rows of a board. */
function standingsOf(data: StandingsQuery | undefined, title: string): Standings {
  const { metrics, captioners, detectors } = data?.dataset ?? {}
  const board =
    title === 'mean PHR'
      ? detectors
      : title === 'word precision'
        ? captioners
        : metrics?.find(({ metric }) => metric?.name === title)
  return board?.rows?.nodes ?? []
}

function standingOf(standings: Standings, subject: Subject): StandingFragment['standing'] | undefined {
  return standings.find((row) => isSame(row.subject, subject))?.standing
}

function areTied(standings: Standings, one: Subject, other: Subject): boolean {
  const [ofOne, ofOther] = [standingOf(standings, one), standingOf(standings, other)]
  if (isPeople(one)) return ofOther?.isTiedWithPeople === true
  if (isPeople(other)) return ofOne?.isTiedWithPeople === true
  return ofOne?.tiedWith?.some(({ name }) => name === other.name) === true
}

/** The ranks that tests leave open. */
function rankText(standing: StandingFragment['standing'] | undefined): string {
  const { min, max } = standing?.rankRange ?? {}
  if (min === undefined || max === undefined) return '–'
  return min === max ? String(min) : `${min}–${max}`
}

/** The systems of the boards, and people, each once. */
function subjectsOf(boards: readonly BoardFragment[]): Subject[] {
  const subjects = boards.flatMap(ranked).map(({ subject }) => subject)
  return subjects.filter((one, index) => subjects.findIndex((other) => isSame(other, one)) === index)
}

const isSame = (one: Subject, other: Subject): boolean => systemOf(one) === systemOf(other)

const addressOf = (dataset: string, subject: Subject): string | undefined =>
  isPeople(subject) ? undefined : href('d', dataset, 'systems', subject.name)

function scoreColumns(dataset: string, boards: readonly TitledBoard[]): readonly Column<Subject>[] {
  return [
    { title: 'system', value: ({ name }) => name, address: (subject) => addressOf(dataset, subject) },
    ...boards.flatMap(({ title, board }) =>
      measured<Subject>(title, (subject) => ranked(board).find((row) => isSame(row.subject, subject)), {
        show(value, interval, decimals) {
          const half = interval && number((interval.upper - interval.lower) / 2, decimals)
          return `${withDecimals(value, null, decimals)}${half ? ` ±${half}` : ''}`
        },
      }),
    ),
  ]
}

/** Rows of the first page that are not ranked, and that of people. */
function apartOf({ rows, people }: BoardFragment): Row[] {
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
function Apart({ name, boards, isAsPeople, reload }: ApartProps) {
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

import { BESIDE_METRICS } from '../../src/shared/coverage-sentence'
import { counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { type Answer, useQuery } from '../app/client'
import { type Parameters, useSetting } from '../app/router'
import { isPeople, systemOf } from '../app/subject'
import { Board } from '../components/board'
import {
  boardsOf,
  LEADING,
  type LeaderboardData,
  ranked,
  standingsOf,
  type TitledBoard,
} from '../components/boards'
import { type BesideScores, CoverageFigure } from '../components/coverage'
import { DifferencesFromPeople, MOST_COMPARED, type Tested } from '../components/differences-from-people'
import { Apart, captionersOf, NoScores } from '../components/not-ranked'
import { Notes, ScoreTable } from '../components/score-table'
import { Awaited, Failure, Pending, Skeleton, Unknown } from '../components/states'
import { SubsetChoice, Subsets, sidesOf, useSubsetField } from '../components/subsets'
import { testMarks } from '../components/test-marks'
import {
  BoardSubsetsDocument,
  LeaderboardDocument,
  StandingsDocument,
  type StandingsQuery,
} from '../generated/documents'

/** Systems beside people, by every metric that has scores. What is stored is there at once; tests follow. */
export default function Leaderboard({ dataset }: Parameters) {
  const [mode, setMode] = useSetting('references', 'equal')
  const variables = { dataset, isHumanIncluded: mode === 'equal' }
  const answer = useQuery(LeaderboardDocument, variables)
  const data = answer.data?.dataset
  const tested = { ...variables, ...comparedOf(data, variables.isHumanIncluded) }
  const standings = useQuery(StandingsDocument, data ? tested : null)
  const boards = boardsOf(data, standings.data?.dataset)
  return (
    <>
      {answer.data?.dataset !== null && <h1>How close do systems come to people?</h1>}
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

/** Up to so many images, of all systems and people together, are figures of words computed with the page, and all boards tested. */
const MOST_OF_WORDS = 200_000
const MOST_OF_BOARDS = 500_000

/** What is compared with people: the figures that lead, of systems and people alike. */
function comparedOf(data: LeaderboardData | null | undefined, isHumanIncluded: boolean) {
  const leading = boardsOf(data, null).filter(({ title }) => LEADING.includes(title))
  const metrics = leading.filter(({ board }) => ranked(board).some(({ subject }) => isPeople(subject)))
  const isLarge = (metrics[0]?.board.rows?.totalCount ?? 0) > MOST_COMPARED
  const best = metrics.length > 0 ? ranked(metrics[0].board) : []
  const size = (data?.imageCount ?? 0) * (1 + kindsOf(data).length)
  const kinds = (data?.captionsPerImage ?? 0) > 1 && !isLarge ? kindsOf(data) : []
  const hasWords = size <= MOST_OF_WORDS
  const words = !hasWords
    ? []
    : [
        ...(kinds.includes('CAPTIONS') ? [{ figure: 'WORD_PRECISION' } as const] : []),
        ...(kinds.includes('WORD_SCORES') ? [{ figure: 'PHR' } as const] : []),
      ]
  return {
    hasDifferences: isHumanIncluded && metrics.length + words.length > 0,
    compared: metrics.map(({ title }) => title),
    tested: size <= MOST_OF_BOARDS ? null : leading.map(({ title }) => title),
    hasWords,
    words,
    systems: isLarge ? best.flatMap(({ subject }) => systemOf(subject) ?? []).slice(0, MOST_COMPARED) : null,
  }
}

const kindsOf = (data: LeaderboardData | null | undefined) =>
  (data?.systems?.nodes ?? []).map(({ kind }) => kind)

interface BoardsProps {
  readonly name: string
  readonly data: LeaderboardData
  readonly boards: readonly TitledBoard[]
  readonly standings: Answer<StandingsQuery>
  readonly variables: Pick<Tested, 'dataset' | 'isHumanIncluded'>
  readonly tested: Tested
  readonly setMode: (mode: string) => void
  readonly reload: () => void
}

function Boards({ name, data, boards, standings, variables, tested, setMode, reload }: BoardsProps) {
  const references = variables.isHumanIncluded && data.captionsPerImage > 1 ? data.captionsPerImage - 1 : null
  const ofMetrics = boards.filter(({ isWords }) => !isWords)
  const coverage = captionersOf(data).length > 0 && (
    <CoverageFigure dataset={name} weighed={data} scores={scoresOf(ofMetrics)} />
  )
  const noScores = <NoScores name={name} data={data} reload={reload} references={references} />
  if (boards.length === 0) {
    const isAwaited = standings.isLoading && kindsOf(data).includes('WORD_SCORES')
    return (
      <>
        {coverage}
        {isAwaited ? (
          <Skeleton height={1100}>
            <Pending answer={standings} />
          </Skeleton>
        ) : (
          noScores
        )}
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
      {ofMetrics.length > 0 && (
        <ScoreTable
          boards={boards}
          marks={(board, subject) => testMarks(standings.data, board, subject)}
          option={option}
          variables={variables}
        />
      )}
      {coverage}
      {tested.hasDifferences && <DifferencesFromPeople boards={leading} answer={standings} tested={tested} />}
      {ofMetrics.length === 0 && captionersOf(data).length > 0 && noScores}
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
      {!tested.hasWords && (
        <p class="note">
          Figures of words take minutes on {counted(data.imageCount, 'image')}: the commands{' '}
          <code>{`accord leaderboard --dataset ${quoted} --captions`}</code> and <code>--phr</code> compute
          them.
        </p>
      )}
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

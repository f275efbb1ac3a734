import { useState } from 'preact/hooks'
import { counted, type Interval, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import type { Answer } from '../app/client'
import { href } from '../app/router'
import { systemOf } from '../app/subject'
import { Forest, type ForestRow } from '../charts/forest'
import { StandingsDocument, type StandingsQuery, type StandingsQueryVariables } from '../generated/documents'
import { listed } from './beside-people'
import { ranked, subjectsOf, type TitledBoard } from './boards'
import { type Column, measured } from './columns'
import { correctionNotes, percentOfHigher } from './differences'
import { Figure } from './figure'
import { Failure, Pending, Skeleton } from './states'
import { WholeNames } from './whole-names'

/** Systems that the overview shows at first. */
const SHOWN_SYSTEMS = 6

/** Systems that one answer compares. */
export const MOST_COMPARED = 20

type Difference = NonNullable<NonNullable<StandingsQuery['dataset']>['differences']>[number]

export const titleOf = ({ metric, figure }: Pick<Difference, 'metric' | 'figure'>): string =>
  metric?.name ?? (figure === 'PHR' ? 'mean PHR' : 'word precision')

/** A difference from people in % of the higher score: above 0 the system is better. */
function shareOf({ metric, difference, together: { interval }, secondScore }: Difference) {
  if (difference === null || secondScore === null) return null
  const factor = percentOfHigher(secondScore, difference) * (metric?.isHigherBetter === false ? -1 : 1)
  const ends = interval && [factor * interval.lower, factor * interval.upper]
  return {
    value: factor * difference,
    interval: ends && { lower: Math.min(...ends), upper: Math.max(...ends) },
  }
}

/** Which of the two is better, where a test says so. */
export type Outcome = 'above' | 'tied' | 'below' | 'untested'

export function outcomeOf({ together: { better, pValue } }: Difference): Outcome {
  if (pValue === null) return 'untested'
  return better === 'FIRST' ? 'above' : better === 'SECOND' ? 'below' : 'tied'
}

/** What the tests are asked for. */
export interface Tested extends StandingsQueryVariables {
  readonly compared: string[]
}

interface DifferencesFromPeopleProps {
  readonly boards: readonly TitledBoard[]
  readonly answer: Answer<StandingsQuery>
  readonly tested: Tested
}

/** How far the systems are from people by every figure, on one axis, and what the tests say in a sentence. */
export function DifferencesFromPeople({ boards, answer, tested }: DifferencesFromPeopleProps) {
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
    ...measured<Difference>('difference from people, % of the higher score', shareOf, {
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
      <p class="verdict">
        <WholeNames text={verdictOf(differences, boards)} />
      </p>
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
          xTitle="difference in % of the higher score"
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

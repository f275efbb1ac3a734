import { ABOVE_PEOPLE, BELOW_PEOPLE, WORSE_THAN_BEST } from '../../src/shared/verdict'
import { isPeople, type Subject, systemOf } from '../app/subject'
import type { StandingsQuery } from '../generated/documents'
import { areTied, isSame, ranked, standingOf, standingsOf, type TitledBoard } from './boards'
import { type Outcome, outcomeOf, titleOf } from './differences-from-people'

const OUTCOME_MARKS: Readonly<Partial<Record<Outcome, string>>> = { above: ABOVE_PEOPLE, below: BELOW_PEOPLE }

/** What tests say of a system by the figure of a board: whether it is worse than the best one, and how it is beside people. */
export function testMarks(
  standings: StandingsQuery | undefined,
  { title, board }: TitledBoard,
  subject: Subject,
): string {
  const tests = standingsOf(standings, title)
  const best = ranked(board).find(({ subject }) => !isPeople(subject))?.subject
  const isWorse =
    best !== undefined &&
    !isPeople(subject) &&
    !isSame(subject, best) &&
    standingOf(tests, subject)?.rankRange != null &&
    !areTied(tests, subject, best)
  const besidePeople = (standings?.dataset?.differences ?? []).find(
    (difference) => titleOf(difference) === title && difference.first.name === systemOf(subject),
  )
  const outcome = besidePeople && OUTCOME_MARKS[outcomeOf(besidePeople)]
  return `${isWorse ? WORSE_THAN_BEST : ''}${outcome ?? ''}`
}

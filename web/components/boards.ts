import { href } from '../app/router'
import { isPeople, type Subject, systemOf } from '../app/subject'
import type {
  BoardFragment,
  BoardRowFragment,
  LeaderboardQuery,
  StandingFragment,
  StandingsQuery,
} from '../generated/documents'

/** The ranked rows of boards, and what tests say of them. */

export type LeaderboardData = NonNullable<LeaderboardQuery['dataset']>
type StandingsData = StandingsQuery['dataset'] | undefined

export interface TitledBoard {
  readonly title: string
  readonly board: BoardFragment
  readonly isWords: boolean
}

/** Boards that lead the page, in this order; the others follow behind a fold. */
export const LEADING = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L', 'word precision', 'mean PHR']

/** Boards by figures of words, by their titles. */
export const WORD_FIGURES: Readonly<Record<string, 'PHR' | 'WORD_PRECISION' | undefined>> = {
  'word precision': 'WORD_PRECISION',
  'mean PHR': 'PHR',
}

/** The boards that rank at least one system: those that lead in their order, then the others. Figures of words come with the tests. */
export function boardsOf(data: LeaderboardData | null | undefined, standings: StandingsData): TitledBoard[] {
  const boards = [
    ...(data?.metrics ?? []).map((board) => ({ title: board.metric?.name ?? '', board, isWords: false })),
    ...titled('word precision', standings?.captioners),
    ...titled('mean PHR', standings?.detectors),
  ].filter(({ board }) => ranked(board).some(({ subject }) => !isPeople(subject)))
  const place = ({ title }: TitledBoard) =>
    LEADING.includes(title) ? LEADING.indexOf(title) : LEADING.length
  return boards.sort((a, b) => place(a) - place(b))
}

const titled = (title: string, board: BoardFragment | null | undefined): TitledBoard[] =>
  board ? [{ title, board, isWords: true }] : []

/** The ranked rows of a page, and that of people, which may be on another one. */
export function ranked({ rows, people }: Pick<BoardFragment, 'rows' | 'people'>): BoardRowFragment[] {
  const isRanked = ({ group, value }: BoardRowFragment) => group === 'COMPARABLE' && value !== null
  const found = (rows?.nodes ?? []).filter(isRanked)
  if (!people || !isRanked(people) || found.some(({ subject }) => isPeople(subject))) return found
  const isAbove = (people.rank ?? 0) <= (found[0]?.rank ?? 0)
  return isAbove ? [people, ...found] : [...found, people]
}

export type Standings = readonly StandingFragment[]

/** What tests say of the ranks of the rows of a board. */
export function standingsOf(data: StandingsQuery | undefined, title: string): Standings {
  const { metrics, captioners, detectors } = data?.dataset ?? {}
  const board =
    title === 'mean PHR'
      ? detectors
      : title === 'word precision'
        ? captioners
        : metrics?.find(({ metric }) => metric?.name === title)
  return board?.rows?.nodes ?? []
}

export function standingOf(standings: Standings, subject: Subject): StandingFragment['standing'] | undefined {
  return standings.find((row) => isSame(row.subject, subject))?.standing
}

export function areTied(standings: Standings, one: Subject, other: Subject): boolean {
  const [ofOne, ofOther] = [standingOf(standings, one), standingOf(standings, other)]
  if (isPeople(one)) return ofOther?.isTiedWithPeople === true
  if (isPeople(other)) return ofOne?.isTiedWithPeople === true
  return ofOne?.tiedWith?.some(({ name }) => name === other.name) === true
}

/** The ranks that tests leave open. */
export function rankText(standing: StandingFragment['standing'] | undefined): string {
  const { min, max } = standing?.rankRange ?? {}
  if (min === undefined || max === undefined) return '–'
  return min === max ? String(min) : `${min}–${max}`
}

/** The systems of the boards, and people, each once. */
export function subjectsOf(boards: readonly BoardFragment[]): Subject[] {
  const subjects = boards.flatMap(ranked).map(({ subject }) => subject)
  return subjects.filter((one, index) => subjects.findIndex((other) => isSame(other, one)) === index)
}

export const isSame = (one: Subject, other: Subject): boolean => systemOf(one) === systemOf(other)

export const addressOf = (dataset: string, subject: Subject): string | undefined =>
  isPeople(subject) ? undefined : href('d', dataset, 'systems', subject.name)

export const nameOf = ({ subject }: Pick<BoardRowFragment, 'subject'>): string => subject.name

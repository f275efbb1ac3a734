/** What figures of coverage say, in sentences for people. */
import { fixed } from './numbers.js'
import type { UndefinedReason } from './undefined-reason.js'

interface Figure {
  readonly value: number | null
  readonly interval: { readonly lower: number; readonly upper: number } | null
  readonly undefinedReason: UndefinedReason | null
}

interface Shares {
  readonly coverage: Figure
  readonly confirmedShare: Figure
}

/** What a test says of a system minus people. */
interface Verdict {
  readonly interval: Figure['interval']
  readonly better: 'FIRST' | 'SECOND' | null
}

/** A system minus people. */
export interface BesidePeople {
  readonly figure: 'coverage' | 'consensusCoverage' | 'confirmedShare'
  /** How many people as one. */
  readonly people: number | null
  readonly alone: Verdict
  readonly together: Verdict
}

interface SystemShares extends Shares {
  readonly system: string
  readonly peopleEquivalent: Figure
  readonly confirmedShareBesidePeople: Figure
  readonly differences: readonly BesidePeople[]
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** `one person`, `three people`, `12 people`. */
export function nameOfPeople(people: number): string {
  const number = NUMBERS[people] ?? String(people)
  return people === 1 ? `${number} person` : `${number} people`
}

/** A number of people with one decimal, within or in place of `as much as … people`; of those outside the curve `< 1` or `> 3`. */
export function showPeopleEquivalent(
  { value, undefinedReason }: Pick<Figure, 'value' | 'undefinedReason'>,
  mostPeople: number,
): string {
  if (value !== null) return fixed(value, 1)
  if (undefinedReason === 'LESS_THAN_ONE_PERSON') return '< 1'
  return undefinedReason === 'MORE_THAN_ALL_PEOPLE' ? `> ${mostPeople}` : '–'
}

/** What is compared with people, in tables. */
export const COVERAGE_FIGURES = {
  coverage: 'coverage',
  consensusCoverage: 'consensus coverage',
  confirmedShare: 'confirmed share',
} as const satisfies Record<BesidePeople['figure'], string>

/** Metrics whose scores stand beside what captions say. */
export const BESIDE_METRICS = ['CHAIR-i', 'METEOR', 'CIDEr-D'] as const

/** A number of people as one, also between whole numbers: `one person`, `2.8 people`. */
export function amountOfPeople(people: number): string {
  const text = fixed(people, 1)
  return text === '1.0' || Number.isInteger(people) ? nameOfPeople(Math.round(people)) : `${text} people`
}

/**
 * The result in one sentence: that of the system that says the most. Only what a test shows is called more or less: the test of a
 * single system alone, those of several as one table.
 *
 * @param people by their number, from 1
 * @returns null where nothing can be said
 */
export function coverageSentence(people: readonly Shares[], systems: readonly SystemShares[]): string | null {
  const said = systems
    .filter(({ coverage }) => coverage.value !== null)
    .sort((one, other) => (other.coverage.value as number) - (one.coverage.value as number))
  const [most] = said
  const { undefinedReason } = most?.peopleEquivalent ?? {}
  if (most === undefined || people.length === 0) return sentenceOfPeople(people)
  const judge = createJudge(systems.length === 1 ? 'alone' : 'together')
  if (undefinedReason === 'LESS_THAN_ONE_PERSON') return sentenceBelowCurve(people[0], said, judge)
  if (undefinedReason === 'MORE_THAN_ALL_PEOPLE') return sentenceAboveCurve(people, most, judge)
  return most.peopleEquivalent.value === null ? sentenceOfPeople(people) : sentenceOnCurve(most, judge)
}

/** Whether a system has more or less than people; `EQUAL` without a significant difference, null without a test. */
type Judge = (
  system: SystemShares,
  figure: BesidePeople['figure'],
  people?: number,
) => 'MORE' | 'LESS' | 'EQUAL' | null

function createJudge(by: 'alone' | 'together'): Judge {
  return ({ differences }, figure, people) => {
    const verdict = differences.find(
      (row) => row.figure === figure && (people === undefined || row.people === people),
    )?.[by]
    if (!verdict?.interval) return null
    if (verdict.better === null) return 'EQUAL'
    return verdict.better === 'FIRST' ? 'MORE' : 'LESS'
  }
}

/** Where the system that says the most says less than one person, all do. */
function sentenceBelowCurve(one: Shares, systems: readonly SystemShares[], judge: Judge): string {
  const isLess = (system: SystemShares) => judge(system, 'coverage', 1) === 'LESS'
  if (systems.length > 1 && systems.every(isLess))
    return `${systems.length === 2 ? 'Both' : `All ${systems.length}`} systems say less than one person${confirmed(systems)}${ofPeople(one, 1)}.`
  const [most] = systems
  if (judge(most, 'coverage', 1) === null) return sentenceUntested(most, one, 1)
  const verb = isLess(most) ? 'says' : 'does not say significantly'
  return `${most.system} ${verb} less than one person${confirmed([most])}${ofPeople(one, 1)}.`
}

function sentenceAboveCurve(people: readonly Shares[], most: SystemShares, judge: Judge): string {
  const count = people.length
  const all = people[count - 1]
  const verdict = judge(most, 'coverage', count)
  if (verdict === null) return sentenceUntested(most, all, count)
  const verb = verdict === 'MORE' ? 'says' : 'does not say significantly'
  return `${most.system} ${verb} more than ${asOne(count)}${confirmed([most])}${ofPeople(all, count)}.`
}

/** What figures are where no test says which is more. */
function sentenceUntested(most: SystemShares, human: Shares, count: number): string {
  const [own, other] = [most, human].map(({ coverage }) => fixed(coverage.value as number))
  return `${most.system} says ${own} of what others say, ${asOne(count)} ${other}${confirmed([most], 'what it says')}${ofPeople(human, count)}.`
}

function asOne(people: number): string {
  return people > 1 ? `${nameOfPeople(people)} together` : nameOfPeople(people)
}

/** How much of what systems say others confirm. */
function confirmed(systems: readonly Shares[], what = 'it'): string {
  const shares = systems.flatMap(({ confirmedShare }) => confirmedShare.value ?? [])
  if (shares.length === 0) return ''
  const [lowest, highest] = [Math.min(...shares), Math.max(...shares)].map((share) => fixed(share))
  return `; others confirm ${lowest === highest ? lowest : `${lowest} to ${highest}`} of ${what}`
}

function ofPeople({ confirmedShare: { value } }: Shares, people: number): string {
  const who = `${nameOfPeople(people)} ${people > 1 ? 'say' : 'says'}`
  return value === null ? '' : `, and ${fixed(value)} of what ${who}`
}

function sentenceOnCurve(most: SystemShares, judge: Judge): string {
  const { system, peopleEquivalent, confirmedShare, confirmedShareBesidePeople } = most
  const amount = amountOfPeople(peopleEquivalent.value as number)
  const { value: difference } = confirmedShareBesidePeople
  const human =
    confirmedShare.value === null || difference === null ? null : confirmedShare.value - difference
  const beside =
    human === null
      ? ''
      : `, and ${fixed(human)} of what ${amount === 'one person' ? 'one person says' : 'as many people say'}`
  const verdict = human === null ? undefined : judge(most, 'confirmedShare')
  const end = verdict === 'EQUAL' ? ': no significant difference' : verdict === null ? ' (not tested)' : ''
  return `${system} says as much as ${amount}${confirmed([most])}${beside}${end}.`
}

function sentenceOfPeople(people: readonly Shares[]): string | null {
  const [one] = people
  if (one === undefined || one.coverage.value === null || one.confirmedShare.value === null) return null
  const last = people[people.length - 1]
  const more =
    last === one || last.coverage.value === null || last.confirmedShare.value === null
      ? ''
      : `; ${nameOfPeople(people.length)} together say ${fixed(last.coverage.value)}, of which they confirm ${fixed(last.confirmedShare.value)}`
  return `One person says ${fixed(one.coverage.value)} of what others say, who confirm ${fixed(one.confirmedShare.value)} of it${more}.`
}

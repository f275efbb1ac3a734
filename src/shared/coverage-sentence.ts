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

interface SystemShares extends Shares {
  readonly system: string
  readonly peopleEquivalent: Figure
  readonly confirmedShareBesidePeople: Figure
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

/**
 * The result in one sentence: that of the system that says the most. Only what intervals exclude is called more or less.
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
  if (undefinedReason === 'LESS_THAN_ONE_PERSON') return sentenceBelowCurve(people[0], said)
  if (undefinedReason === 'MORE_THAN_ALL_PEOPLE') return sentenceAboveCurve(people, most)
  return most.peopleEquivalent.value === null ? sentenceOfPeople(people) : sentenceOnCurve(most)
}

/** Where the system that says the most says less than one person, all do. */
function sentenceBelowCurve(one: Shares, [most, ...others]: readonly SystemShares[]): string {
  const isLess = most.peopleEquivalent.interval === null
  const beside = ofPeople(one, 'one person says')
  if (!isLess || others.length === 0) {
    const amount = isLess ? 'less than' : 'about as much as'
    return `${most.system} says ${amount} one person${confirmed([most])}${beside}.`
  }
  return `All ${others.length + 1} systems say less than one person${confirmed([most, ...others])}${beside}.`
}

function sentenceAboveCurve(people: readonly Shares[], most: SystemShares): string {
  const name = nameOfPeople(people.length)
  const amount = most.peopleEquivalent.interval === null ? 'more than' : 'about as much as'
  const together = people.length > 1 ? ' together' : ''
  const verb = people.length > 1 ? 'say' : 'says'
  return `${most.system} says ${amount} ${name}${together}${confirmed([most])}${ofPeople(people[people.length - 1], `${name} ${verb}`)}.`
}

/** How much of what systems say others confirm. */
function confirmed(systems: readonly Shares[]): string {
  const shares = systems.flatMap(({ confirmedShare }) => confirmedShare.value ?? [])
  if (shares.length === 0) return ''
  const [lowest, highest] = [Math.min(...shares), Math.max(...shares)].map((share) => fixed(share))
  return `; others confirm ${lowest === highest ? lowest : `${lowest} to ${highest}`} of it`
}

function ofPeople({ confirmedShare: { value } }: Shares, who: string): string {
  return value === null ? '' : `, and ${fixed(value)} of what ${who}`
}

function sentenceOnCurve(most: SystemShares): string {
  const { system, peopleEquivalent, confirmedShare, confirmedShareBesidePeople } = most
  const people = fixed(peopleEquivalent.value as number, 1)
  const amount = people === '1.0' ? 'one person' : `${people} people`
  const { value: difference, interval } = confirmedShareBesidePeople
  const human =
    confirmedShare.value === null || difference === null ? null : confirmedShare.value - difference
  const beside =
    human === null
      ? ''
      : `, and ${fixed(human)} of what ${people === '1.0' ? 'one person says' : 'as many people say'}`
  const isClear = interval !== null && (interval.lower > 0 || interval.upper < 0)
  return `${system} says as much as ${amount}${confirmed([most])}${beside}${isClear || human === null ? '' : ': no clear difference'}.`
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

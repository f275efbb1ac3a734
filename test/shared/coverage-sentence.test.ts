import { describe, expect, it } from 'vitest'
import {
  amountOfPeople,
  coverageSentence,
  nameOfPeople,
  showPeopleEquivalent,
} from '../../src/shared/coverage-sentence.js'

type System = Parameters<typeof coverageSentence>[1][number]
type Figure = System['coverage']
type Difference = System['differences'][number]

const figure = (value: number | null, half = 0.01): Figure => ({
  value,
  interval: value === null ? null : { lower: value - half, upper: value + half },
  undefinedReason: value === null ? 'UNDEFINED_FIGURE' : null,
})
const outside = (undefinedReason: Figure['undefinedReason']): Figure => ({
  value: null,
  interval: null,
  undefinedReason,
})

/** What tests say of a figure: alone, and as one of a table. */
const verdict = (
  figure: Difference['figure'],
  people: number | null,
  alone: Difference['alone']['better'] | 'UNTESTED',
  together = alone,
): Difference => {
  const say = (better: typeof alone) =>
    better === 'UNTESTED' ? { interval: null, better: null } : { interval: { lower: 1, upper: 2 }, better }
  return { figure, people, alone: say(alone), together: say(together) }
}

const PEOPLE = [
  { coverage: figure(0.228), confirmedShare: figure(0.393) },
  { coverage: figure(0.332), confirmedShare: figure(0.332) },
  { coverage: figure(0.397), confirmedShare: figure(0.293) },
]

const system = (name: string, coverage: number, rest: Partial<System> = {}): System => ({
  system: name,
  coverage: figure(coverage),
  confirmedShare: figure(0.094),
  peopleEquivalent: figure(2.84),
  confirmedShareBesidePeople: figure(-0.205),
  differences: [verdict('confirmedShare', 2.84, 'SECOND')],
  ...rest,
})

const below = (name: string, coverage: number, ...verdicts: Parameters<typeof verdict>[2][]) =>
  system(name, coverage, {
    peopleEquivalent: outside('LESS_THAN_ONE_PERSON'),
    differences: [
      verdict('coverage', 1, verdicts[0], verdicts[1]),
      verdict('coverage', 3, 'SECOND'),
      verdict('consensusCoverage', 1, 'SECOND'),
    ],
  })

const above = (name: string, coverage: number, better: Parameters<typeof verdict>[2]) =>
  system(name, coverage, {
    peopleEquivalent: outside('MORE_THAN_ALL_PEOPLE'),
    differences: [verdict('coverage', 1, 'FIRST'), verdict('coverage', 3, better)],
  })

describe('the result in a sentence', () => {
  it.each([
    [
      [system('short', 0.1), system('long', 0.387)],
      'long says as much as 2.8 people; others confirm .094 of it, and .299 of what as many people say.',
    ],
    [
      [system('long', 0.387, { differences: [verdict('confirmedShare', 2.84, null)] })],
      'long says as much as 2.8 people; others confirm .094 of it, and .299 of what as many people say: no significant difference.',
    ],
    [
      [system('long', 0.387, { differences: [verdict('confirmedShare', 2.84, 'UNTESTED')] })],
      'long says as much as 2.8 people; others confirm .094 of it, and .299 of what as many people say (not tested).',
    ],
    [
      [system('like', 0.229, { peopleEquivalent: figure(1.01), confirmedShareBesidePeople: figure(0.1) })],
      'like says as much as one person; others confirm .094 of it, and −.006 of what one person says.',
    ],
    [
      [below('short', 0.15, 'SECOND')],
      'short says less than one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      [below('short', 0.22, null)],
      'short does not say significantly less than one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      [below('short', 0.15, 'UNTESTED')],
      'short says .150 of what others say, one person .228; others confirm .094 of what it says, and .393 of what one person says.',
    ],
    [
      [below('short', 0.15, 'SECOND'), { ...below('shorter', 0.1, 'SECOND'), confirmedShare: figure(0.5) }],
      'Both systems say less than one person; others confirm .094 to .500 of it, and .393 of what one person says.',
    ],
    [
      // As one of a table, it does not differ.
      [below('short', 0.15, 'SECOND'), below('shorter', 0.1, 'SECOND', null)],
      'short says less than one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      // A single system has no table.
      [below('short', 0.15, 'SECOND', null)],
      'short says less than one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      [system('odd', 0.387, { confirmedShareBesidePeople: figure(null), differences: [] })],
      'odd says as much as 2.8 people; others confirm .094 of it.',
    ],
    [
      [above('longest', 0.5, 'FIRST')],
      'longest says more than three people together; others confirm .094 of it, and .293 of what three people say.',
    ],
    [
      [above('longest', 0.4, null)],
      'longest does not say significantly more than three people together; others confirm .094 of it, and .293 of what three people say.',
    ],
    [
      [above('longest', 0.4, 'UNTESTED')],
      'longest says .400 of what others say, three people together .397; others confirm .094 of what it says, and .293 of what three people say.',
    ],
    [
      [],
      'One person says .228 of what others say, who confirm .393 of it; three people together say .397, of which they confirm .293.',
    ],
    [
      [system('silent', 0.4, { coverage: figure(null) })],
      'One person says .228 of what others say, who confirm .393 of it; three people together say .397, of which they confirm .293.',
    ],
  ])('of the system that says the most', (systems, sentence) => {
    expect(coverageSentence(PEOPLE, systems)).toBe(sentence)
  })

  it('is none without people', () => {
    expect(coverageSentence([], [])).toBeNull()
    expect(
      coverageSentence([], [system('any', 0.4, { peopleEquivalent: outside('NO_CAPTION_LEFT') })]),
    ).toBeNull()
    expect(coverageSentence(PEOPLE.slice(0, 1), [])).toBe(
      'One person says .228 of what others say, who confirm .393 of it.',
    )
  })
})

it('names numbers of people', () => {
  expect([1, 3, 12].map(nameOfPeople)).toEqual(['one person', 'three people', '12 people'])
  expect([1, 1.04, 2.8449, 2.99, 3].map(amountOfPeople)).toEqual([
    'one person',
    'one person',
    '2.8 people',
    '3.0 people',
    'three people',
  ])
  expect(showPeopleEquivalent(figure(2.84), 3)).toBe('2.8')
  expect(showPeopleEquivalent(outside('LESS_THAN_ONE_PERSON'), 3)).toBe('< 1')
  expect(showPeopleEquivalent(outside('MORE_THAN_ALL_PEOPLE'), 3)).toBe('> 3')
  expect(showPeopleEquivalent(outside('NO_CAPTION_LEFT'), 0)).toBe('–')
})

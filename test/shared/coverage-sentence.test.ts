import { describe, expect, it } from 'vitest'
import { coverageSentence, nameOfPeople, showPeopleEquivalent } from '../../src/shared/coverage-sentence.js'

type System = Parameters<typeof coverageSentence>[1][number]
type Figure = System['coverage']

const figure = (value: number | null, half = 0.01): Figure => ({
  value,
  interval: value === null ? null : { lower: value - half, upper: value + half },
  undefinedReason: value === null ? 'UNDEFINED_FIGURE' : null,
})
const outside = (
  undefinedReason: Figure['undefinedReason'],
  interval: Figure['interval'] = null,
): Figure => ({ value: null, interval, undefinedReason })

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
  ...rest,
})

describe('the result in a sentence', () => {
  it.each([
    [
      [system('short', 0.1), system('long', 0.387)],
      'long says as much as 2.8 people; others confirm .094 of it, and .299 of what as many people say.',
    ],
    [
      [system('long', 0.387, { confirmedShareBesidePeople: figure(-0.205, 0.3) })],
      'long says as much as 2.8 people; others confirm .094 of it, and .299 of what as many people say: no clear difference.',
    ],
    [
      [system('like', 0.229, { peopleEquivalent: figure(1.01), confirmedShareBesidePeople: figure(0.1) })],
      'like says as much as one person; others confirm .094 of it, and −.006 of what one person says.',
    ],
    [
      [system('short', 0.15, { peopleEquivalent: outside('LESS_THAN_ONE_PERSON') })],
      'short says less than one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      [
        system('short', 0.22, {
          peopleEquivalent: outside('LESS_THAN_ONE_PERSON', { lower: 1, upper: 1.1 }),
        }),
      ],
      'short says about as much as one person; others confirm .094 of it, and .393 of what one person says.',
    ],
    [
      [
        system('short', 0.15, { peopleEquivalent: outside('LESS_THAN_ONE_PERSON') }),
        system('shorter', 0.1, { confirmedShare: figure(0.5) }),
      ],
      'All 2 systems say less than one person; others confirm .094 to .500 of it, and .393 of what one person says.',
    ],
    [
      [system('longest', 0.5, { peopleEquivalent: outside('MORE_THAN_ALL_PEOPLE') })],
      'longest says more than three people together; others confirm .094 of it, and .293 of what three people say.',
    ],
    [
      [
        system('longest', 0.4, {
          peopleEquivalent: outside('MORE_THAN_ALL_PEOPLE', { lower: 2.9, upper: 3 }),
        }),
      ],
      'longest says about as much as three people together; others confirm .094 of it, and .293 of what three people say.',
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
  expect(showPeopleEquivalent(figure(2.84), 3)).toBe('2.8')
  expect(showPeopleEquivalent(outside('LESS_THAN_ONE_PERSON'), 3)).toBe('< 1')
  expect(showPeopleEquivalent(outside('MORE_THAN_ALL_PEOPLE'), 3)).toBe('> 3')
  expect(showPeopleEquivalent(outside('NO_CAPTION_LEFT'), 0)).toBe('–')
})

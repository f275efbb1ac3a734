import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CoverageShares,
  differencesFromPeople,
  humanCurve,
  systemCoverage,
} from '../../../src/core/coverage/coverage-figures.js'
import { createImageMeasure, requireDesign } from '../../../src/core/coverage/image-coverage.js'
import { EQUAL_WEIGHTS } from '../../../src/core/coverage/unit-weights.js'
import { studentQuantile } from '../../../src/core/stats/distributions.js'
import { type Captions, peopleAsOne, shares, weigh } from './brute-force.js'
import { measure } from './kit.js'

const valuesOf = ({ confirmedShare, coverage, consensusCoverage }: CoverageShares) => ({
  confirmedShare: confirmedShare.value,
  coverage: coverage.value,
  consensusCoverage: consensusCoverage.value,
})

const words = (text: string) => text.split(' ')

describe('figures by hand', () => {
  // Types, r = 1, K = 3. Fold 0: reference c2; fold 1: c0; fold 2: c1.
  const image = [words('dog grass'), words('dog ball'), words('dog red ball')]

  it('has one and two people', () => {
    const curve = humanCurve(measure([image], 1, { isWeighted: false }).people)
    expect(curve.map(valuesOf)).toEqual([
      // c0 in c2: dog, 1 of 2; c1 in c0: dog, 1 of 2; c2 in c1: dog, ball, 2 of 3. References say 3 + 2 + 2.
      { confirmedShare: 4 / 7, coverage: 4 / 7, consensusCoverage: 4 / 7 },
      // c0 ∪ c1 of 3 in c2: dog, ball; c1 ∪ c2 of 3 in c0: dog; c2 ∪ c0 of 4 in c1: dog, ball.
      { confirmedShare: 5 / 10, coverage: 5 / 7, consensusCoverage: 5 / 7 },
    ])
  })

  it('has a system beside people', () => {
    const { people, systems } = measure([image], 1, {
      isWeighted: false,
      systems: [[words('a dog dog ball')]],
    })
    const figures = systemCoverage(systems[0], people)
    // Of dog, ball, a: c2 has dog and ball, c0 dog, c1 dog and ball.
    expect(valuesOf(figures)).toEqual({ confirmedShare: 5 / 9, coverage: 5 / 7, consensusCoverage: 5 / 7 })
    expect(figures.peopleEquivalent.value).toBe(2)
    expect(figures.confirmedShareBesidePeople.value).toBeCloseTo(5 / 9 - 1 / 2, 15)
  })

  it('weighs words by the images in which people say them', () => {
    // dog: all images, weight 0; cat in one of two: ln 2, as what no person says.
    const images = [
      [words('dog cat'), words('dog cat')],
      [words('dog'), words('dog bird')],
    ]
    const { people, systems } = measure(images, 1, { systems: [[words('dog cat hen'), words('dog')]] })
    const figures = systemCoverage(systems[0], people)
    // References say cat twice and bird once; the system says cat and hen in each of two folds.
    expect(valuesOf(figures)).toEqual({
      confirmedShare: expect.closeTo(2 / 4, 12),
      coverage: expect.closeTo(2 / 3, 12),
      consensusCoverage: expect.closeTo(2 / 3, 12),
    })
  })

  it('says more with two of two references together, and agrees on less', () => {
    const { people, systems } = measure([image], 2, { isWeighted: false, systems: [[words('dog red')]] })
    // References: c1 c2, c2 c0, c0 c1: dog ball red, dog red ball grass, dog grass ball; all: dog ball, dog, dog.
    expect(valuesOf(systemCoverage(systems[0], people))).toEqual({
      confirmedShare: 5 / 6,
      coverage: 5 / 10,
      consensusCoverage: 3 / 4,
    })
  })
})

describe('people equivalent', () => {
  // 12 equal images. Types, r = 1, K = 4: one person says 1 of 4 of what another says, two people 2 of 4, three 3 of 4.
  const captions = [words('x a'), words('x b'), words('x c'), words('x d')]
  const images = Array.from({ length: 12 }, () => captions)
  const beside = (...texts: string[]) => {
    const system = images.map((_, image) => words(texts[image % texts.length]))
    const { people, systems } = measure(images, 1, { isWeighted: false, systems: [system] })
    return systemCoverage(systems[0], people)
  }

  it('is between the points of the curve', () => {
    const { people } = measure(images, 1, { isWeighted: false })
    expect(humanCurve(people).map(({ coverage }) => coverage.value)).toEqual([0.5, 0.5, 0.5])
  })

  it('is the smallest number of people where more people say no more', () => {
    expect(beside('x').peopleEquivalent.value).toBe(1)
    expect(beside('x').confirmedShareBesidePeople.value).toBeCloseTo(1 - 1 / 2, 12)
  })

  it('has reasons outside the curve', () => {
    expect(beside('a').peopleEquivalent).toMatchObject({
      value: null,
      undefinedReason: 'LESS_THAN_ONE_PERSON',
    })
    expect(beside('a').confirmedShareBesidePeople).toMatchObject({
      value: null,
      undefinedReason: 'LESS_THAN_ONE_PERSON',
    })
    expect(beside('x a').peopleEquivalent).toMatchObject({
      value: null,
      undefinedReason: 'MORE_THAN_ALL_PEOPLE',
    })
  })
})

describe('figures without a value', () => {
  it('have a reason where all captions are references', () => {
    const { people, systems } = measure([[words('a dog')]], 1, { isWeighted: false, systems: [[['dog']]] })
    expect(humanCurve(people)).toEqual([])
    const figures = systemCoverage(systems[0], people)
    expect(valuesOf(figures)).toEqual({ confirmedShare: 1, coverage: 1 / 2, consensusCoverage: 1 / 2 })
    expect(figures.peopleEquivalent).toMatchObject({ value: null, undefinedReason: 'NO_CAPTION_LEFT' })
    expect(figures.byConsensus.confirmedShareBesidePeople).toMatchObject({
      value: null,
      undefinedReason: 'NO_CAPTION_LEFT',
    })
  })

  it('have a reason where no unit weighs anything, or nothing is said', () => {
    // One image: every word is in all images.
    const [curve] = [humanCurve(measure([[['a'], ['a'], ['b']]], 1).people)]
    expect(curve[0].coverage).toMatchObject({ value: null, undefinedReason: 'UNDEFINED_FIGURE' })
    const { people, systems } = measure([[['a'], ['a']]], 1, { isWeighted: false, systems: [[[]]] })
    const silent = systemCoverage(systems[0], people)
    expect(silent.coverage.value).toBe(0)
    expect(silent.confirmedShare).toMatchObject({ value: null, undefinedReason: 'UNDEFINED_FIGURE' })
    expect(silent.peopleEquivalent.undefinedReason).toBe('LESS_THAN_ONE_PERSON')
  })

  it('have no interval below ten images, and a warning below thirty', () => {
    const images = (count: number) =>
      Array.from({ length: count }, (_, i) => [
        [`a${i % 3}`, 'x'],
        ['a0', 'y'],
        ['x', 'y'],
      ])
    const coverageOf = (count: number) =>
      humanCurve(measure(images(count), 1, { isWeighted: false }).people)[0].coverage
    expect(coverageOf(9)).toMatchObject({ interval: null, undefinedReason: 'TOO_FEW_IMAGES' })
    expect(coverageOf(10)).toMatchObject({ interval: expect.anything(), isSmall: true })
    expect(coverageOf(30)).toMatchObject({ interval: expect.anything(), isSmall: false })
  })
})

describe('properties', () => {
  const caption = fc.array(fc.constantFrom(...'abcdefg'), { maxLength: 5 })
  const arbitrary = fc
    .integer({ min: 1, max: 6 })
    .chain((captionsPerImage) =>
      fc.record({
        images: fc.array(fc.array(caption, { minLength: captionsPerImage, maxLength: captionsPerImage }), {
          minLength: 1,
          maxLength: 4,
        }),
        references: fc.integer({ min: 1, max: captionsPerImage }),
        system: fc.array(fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 12 }), {
          minLength: 4,
          maxLength: 4,
        }),
        isWeighted: fc.boolean(),
      }),
    )
  const near = (expected: number) => (Number.isNaN(expected) ? null : expect.closeTo(expected, 9))
  const nearAll = ({ confirmedShare, coverage, consensusCoverage }: ReturnType<typeof shares>) => ({
    confirmedShare: near(confirmedShare),
    coverage: near(coverage),
    consensusCoverage: near(consensusCoverage),
  })

  it('are those of sets', () => {
    fc.assert(
      fc.property(arbitrary, ({ images, references, system, isWeighted }) => {
        const { people, systems } = measure(images, references, { isWeighted, systems: [system] })
        const weight = weigh(images, isWeighted)
        for (const point of humanCurve(people)) {
          const expected = shares(images, references, weight, peopleAsOne(images, point.people))
          expect(valuesOf(point)).toEqual(nearAll(expected))
        }
        const expected = shares(images, references, weight, (image) => new Set(system[image]))
        expect(valuesOf(systemCoverage(systems[0], people))).toEqual(nearAll(expected))
      }),
    )
  })

  it('have equal confirmed share and coverage of two people beside two references', () => {
    const images = [
      [words('a b'), words('b c d'), words('a'), words('d e f'), words('f')],
      [words('g'), words('g h'), words('h a'), words('b'), words('a b c')],
    ]
    const [, two] = humanCurve(measure(images, 2).people)
    expect(two.confirmedShare.value).toBeCloseTo(two.coverage.value as number, 12)
    expect(two.coverage.value).toBeLessThan(1)
  })
})

describe('intervals', () => {
  const images: Captions = Array.from({ length: 40 }, (_, i) => [
    ['x', `a${i % 5}`, `b${i % 7}`],
    ['x', `a${i % 3}`],
    [`b${i % 7}`, `c${i % 2}`],
    [`a${i % 4}`, 'x', `c${i % 3}`],
  ])
  const system = images.map((_, i) => ['x', `a${i % 5}`, ...(i % 2 ? [] : [`b${i % 7}`, `z${i}`])])

  /** All figures from scratch without an image; weights stay those of all images. */
  it('leave out each image of the system and of people together', () => {
    const weight = weigh(images, true)
    const beside = (chosen: Captions, own: typeof system) => {
      const point = (people: number) => shares(chosen, 2, weight, peopleAsOne(chosen, people))
      const [one, two] = [point(1), point(2)]
      const candidate = shares(chosen, 2, weight, (image) => new Set(own[image]))
      const people = 1 + (candidate.coverage - one.coverage) / (two.coverage - one.coverage)
      const human = one.confirmedShare + (people - 1) * (two.confirmedShare - one.confirmedShare)
      return { people, difference: candidate.confirmedShare - human }
    }
    const whole = beside(images, system)
    const rest = images.map((_, image) => beside(images.toSpliced(image, 1), system.toSpliced(image, 1)))
    const errorOf = (key: keyof typeof whole) => {
      const mean = rest.reduce((sum, figures) => sum + figures[key], 0) / 40
      return Math.sqrt((39 / 40) * rest.reduce((sum, figures) => sum + (figures[key] - mean) ** 2, 0))
    }
    const { people, systems } = measure(images, 2, { systems: [system] })
    const { peopleEquivalent, confirmedShareBesidePeople } = systemCoverage(systems[0], people)
    expect(whole.people).toBeGreaterThan(1)
    expect(whole.people).toBeLessThan(2)
    expect(peopleEquivalent.value).toBeCloseTo(whole.people, 9)
    expect(peopleEquivalent.standardError).toBeCloseTo(errorOf('people'), 9)
    const margin = studentQuantile(39) * errorOf('difference')
    expect(confirmedShareBesidePeople.value).toBeCloseTo(whole.difference, 9)
    expect(confirmedShareBesidePeople.interval).toEqual({
      lower: expect.closeTo(whole.difference - margin, 9),
      upper: expect.closeTo(whole.difference + margin, 9),
    })
  })

  it('of people equivalent are the numbers of people whose coverage does not differ significantly', () => {
    const all = Array.from({ length: 4 }, () => images).flat()
    const { people, systems } = measure(all, 2, { systems: [[0, 1, 2, 3].flatMap(() => system)] })
    const { peopleEquivalent } = systemCoverage(systems[0], people)
    const ids = Int32Array.from(all.keys())
    const [one, two] = differencesFromPeople(systems[0], people, ids).filter(
      (row) => row.figure === 'coverage',
    )
    // Beside one and two people the system differs: both are outside of the interval.
    for (const { difference, uncertainty } of [one, two])
      expect(Math.abs(difference as number)).toBeGreaterThan(
        studentQuantile(uncertainty?.freedom as number) * (uncertainty?.standardError as number),
      )
    const { lower, upper } = peopleEquivalent.interval as { lower: number; upper: number }
    expect(1 < lower && lower < (peopleEquivalent.value as number)).toBe(true)
    expect((peopleEquivalent.value as number) < upper && upper < 2).toBe(true)
    // A line between the points: at its ends the difference is as wide as its margin.
    const share = (people: number) => people - 1
    const rows = [lower, upper].map((people) => {
      const influences = [one, two].map(({ uncertainty }) => uncertainty?.first.values as Float64Array)
      const mixed = influences[0].map((value, i) => value + share(people) * (influences[1][i] - value))
      const error = Math.sqrt(mixed.reduce((sum, value) => sum + value ** 2, 0) / (160 * 159))
      const [first, second] = [one.difference as number, two.difference as number]
      return { difference: first + share(people) * (second - first), margin: studentQuantile(159) * error }
    })
    expect(rows[0].difference).toBeCloseTo(rows[0].margin, 5)
    expect(rows[1].difference).toBeCloseTo(-rows[1].margin, 5)
  })

  it('of people equivalent have no number of people where all say significantly more', () => {
    const few = images.map((_, i) => (i % 3 ? ['x'] : [`a${i % 5}`]))
    const { people, systems } = measure(images, 2, { systems: [few] })
    expect(systemCoverage(systems[0], people).peopleEquivalent).toMatchObject({
      value: null,
      interval: null,
      undefinedReason: 'LESS_THAN_ONE_PERSON',
    })
  })

  it('of people equivalent end where the curve ends', () => {
    const bold = images.map((captions) => [...new Set(captions.flat())].slice(0, 4))
    const { people, systems } = measure(images, 2, { systems: [bold] })
    const { peopleEquivalent } = systemCoverage(systems[0], people)
    expect(peopleEquivalent.interval?.upper ?? 2).toBeLessThanOrEqual(2)
    expect(peopleEquivalent.interval?.lower ?? 1).toBeGreaterThanOrEqual(1)
  })
})

describe('differences from people', () => {
  const images: Captions = Array.from({ length: 40 }, (_, i) => [
    ['x', `a${i % 5}`, `b${i % 7}`],
    ['x', `a${i % 3}`],
    [`b${i % 7}`, `c${i % 2}`],
    [`a${i % 4}`, 'x', `c${i % 3}`],
  ])
  const ids = Int32Array.from(images.keys())
  const differencesOf = (system: Captions[number], untested: 'OWN_DOCUMENTS' | null = null) => {
    const { people, systems } = measure(images, 2, { systems: [system] })
    const rows = { ...people, untested }
    return {
      curve: humanCurve(rows),
      figures: systemCoverage(systems[0], rows),
      differences: differencesFromPeople(systems[0], rows, ids),
    }
  }

  it('are of one person, of all people, and of people with the same coverage', () => {
    const { curve, figures, differences } = differencesOf(
      images.map((_, i) => ['x', `a${i % 5}`, ...(i % 2 ? [] : [`b${i % 7}`, `z${i}`])]),
    )
    const [one, two] = curve
    const expected = [
      ['coverage', 1, figures.coverage.value, one.coverage.value],
      ['coverage', 2, figures.coverage.value, two.coverage.value],
      ['consensusCoverage', 1, figures.consensusCoverage.value, one.consensusCoverage.value],
      [
        'confirmedShare',
        figures.peopleEquivalent.value,
        figures.confirmedShare.value,
        (figures.confirmedShare.value as number) - (figures.confirmedShareBesidePeople.value as number),
      ],
    ] as const
    expect(differences).toEqual(
      expected.map(([figure, people, own, human]) => ({
        figure,
        people,
        systemValue: own,
        peopleValue: expect.closeTo(human as number, 12),
        difference: expect.closeTo((own as number) - (human as number), 12),
        uncertainty: expect.objectContaining({ freedom: expect.any(Number) }),
        undefinedReason: null,
        isSmall: false,
      })),
    )
    const { standardError } = figures.confirmedShareBesidePeople
    expect(differences[3].uncertainty?.standardError).toBeCloseTo(standardError as number, 12)
  })

  it('have no confirmed share outside the curve', () => {
    const { differences } = differencesOf(images.map(() => ['x']))
    expect(differences[3]).toMatchObject({
      people: null,
      peopleValue: null,
      difference: null,
      uncertainty: null,
      undefinedReason: 'LESS_THAN_ONE_PERSON',
    })
  })

  it('have no tests, and figures no intervals, where words weigh by few measured images', () => {
    const own = images.map((_, i) => ['x', `a${i % 5}`, ...(i % 2 ? [] : [`b${i % 7}`])])
    const tested = differencesOf(own)
    const { curve, figures, differences } = differencesOf(own, 'OWN_DOCUMENTS')
    for (const [index, point] of [...curve, figures].entries())
      for (const figure of ['coverage', 'consensusCoverage', 'confirmedShare'] as const)
        expect(point[figure]).toEqual({
          value: [...tested.curve, tested.figures][index][figure].value,
          standardError: null,
          interval: null,
          undefinedReason: 'OWN_DOCUMENTS',
          isSmall: false,
        })
    expect(figures.peopleEquivalent).toMatchObject({
      value: tested.figures.peopleEquivalent.value,
      interval: null,
      undefinedReason: 'OWN_DOCUMENTS',
    })
    expect(
      differences.map(({ difference, uncertainty, undefinedReason }) => [
        difference,
        uncertainty,
        undefinedReason,
      ]),
    ).toEqual(tested.differences.map(({ difference }) => [difference, null, 'OWN_DOCUMENTS']))
  })

  it('are once of one person where no second one is left', () => {
    const { people, systems } = measure(images, 3, { systems: [images.map(() => ['x'])] })
    expect(
      differencesFromPeople(systems[0], people, ids).map(({ figure, people: count }) => [figure, count]),
    ).toEqual([
      ['coverage', 1],
      ['consensusCoverage', 1],
      ['confirmedShare', null],
    ])
  })

  it('without variation have a standard error of 0, so that a table is tested with them', () => {
    const same = images.map(() => [['x', 'a'], ['x', 'b'], ['x', 'a'], ['b']])
    const { people, systems } = measure(same, 2, {
      isWeighted: false,
      systems: [same.map(() => ['x', 'a', 'b'])],
    })
    const [coverage] = differencesFromPeople(systems[0], people, ids)
    expect(coverage.difference).toBeGreaterThan(0)
    expect(coverage).toMatchObject({ undefinedReason: 'NO_VARIATION', uncertainty: { standardError: 0 } })
  })

  it('are none where all captions are references', () => {
    const { people, systems } = measure(images, 4, { systems: [images.map(() => ['x'])] })
    expect(differencesFromPeople(systems[0], people, ids)).toEqual([])
  })
})

it('refuses a number of references that the images do not have', () => {
  for (const references of [0, 4, 1.5, Number.NaN])
    expect(() => requireDesign({ captionsPerImage: 3, references })).toThrow(/an integer from 1 to 3/)
  expect(() => createImageMeasure({ captionsPerImage: 2, references: 3 }, EQUAL_WEIGHTS)).toThrow(
    'invalid number of references',
  )
})

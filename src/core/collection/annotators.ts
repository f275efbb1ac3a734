import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { studentPValue } from '../stats/distributions.js'
import { judgeSampleSize } from '../stats/interval.js'
import { holm } from '../stats/multiple-testing.js'

/** Which annotators agree with nobody: the captions of each, compared with those of others of the same images. */

/** A caption with its leave-one-out score: the others of its image are its references. */
export interface ScoredCaption {
  readonly image: number
  readonly annotator: string
  readonly score: number
}

export interface AnnotatorAgreement {
  readonly annotator: string
  /** Captions of images that two others have described as well: with one other, nobody can tell who of the two is wrong. */
  readonly captionCount: number
  /** Mean leave-one-out score of these captions; null if there are none. */
  readonly score: number | null
  /** Mean of the score minus the mean score of the others on the same image; null if there are none. */
  readonly difference: number | null
  /** One-sided, of a paired t-test of the difference, corrected by Holm for the number of annotators; null with a reason. */
  readonly pValue: number | null
  readonly undefinedReason: UndefinedReason | null
  /** Whether the annotator agrees significantly less with others than they do with each other. */
  readonly isLow: boolean
}

const LEVEL = 0.05

/** Annotators by ascending difference; those without one last. */
export function judgeAnnotators(captions: readonly ScoredCaption[]): AnnotatorAgreement[] {
  const sums = new Map<number, { sum: number; count: number }>()
  for (const { image, score } of captions) {
    const { sum, count } = sums.get(image) ?? { sum: 0, count: 0 }
    sums.set(image, { sum: sum + score, count: count + 1 })
  }
  const ofAnnotator = new Map<string, { readonly scores: number[]; readonly differences: number[] }>()
  for (const { image, annotator, score } of captions) {
    const own = ofAnnotator.get(annotator) ?? { scores: [], differences: [] }
    ofAnnotator.set(annotator, own)
    const { sum, count } = sums.get(image) as { sum: number; count: number }
    if (count < 3) continue
    own.scores.push(score)
    own.differences.push(score - (sum - score) / (count - 1))
  }
  const tests = Array.from(ofAnnotator, ([annotator, { scores, differences }]) => ({
    annotator,
    captionCount: scores.length,
    score: mean(scores),
    difference: mean(differences),
    ...testBelowZero(differences),
  }))
  const tested = tests.filter(({ pValue }) => pValue !== null)
  const corrected = holm(tested.map(({ pValue }) => pValue as number))
  return tests
    .map((test) => {
      const index = tested.indexOf(test)
      const pValue = index < 0 ? null : corrected[index]
      return { ...test, pValue, isLow: pValue !== null && pValue < LEVEL }
    })
    .sort((one, other) => orderOf(one) - orderOf(other) || (one.annotator < other.annotator ? -1 : 1))
}

function orderOf({ difference }: Pick<AnnotatorAgreement, 'difference'>): number {
  return difference ?? Number.MAX_VALUE
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** One-sided p-value of a t-test of whether the mean is below 0. */
function testBelowZero(values: readonly number[]): Pick<AnnotatorAgreement, 'pValue' | 'undefinedReason'> {
  const { undefinedReason } = judgeSampleSize(values.length)
  if (undefinedReason !== null) return { pValue: null, undefinedReason }
  const average = mean(values) as number
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0)
  if (squares === 0) return { pValue: null, undefinedReason: 'NO_VARIATION' }
  const freedom = values.length - 1
  const t = average / Math.sqrt(squares / freedom / values.length)
  const twoSided = studentPValue(t, freedom)
  return { pValue: t < 0 ? twoSided / 2 : 1 - twoSided / 2, undefinedReason: null }
}

import { describe, expect, it } from 'vitest'
import { conclusionOf } from '../../../src/services/judgements/conclusion.js'
import type { JudgedMetric } from '../../../src/services/judgements/judge.js'

interface Given {
  readonly tauC?: number
  readonly tauB?: number
  /** Accuracy on captions of the same image, and soft accuracy on systems. */
  readonly byImage?: number
  readonly systems?: number
  readonly cluster?: number
  /** Of the difference from the best metric. */
  readonly bestP?: number
  readonly p?: number | null
  readonly isChosen?: boolean
}

function rated(
  metric: string,
  { tauC = 0.4, tauB = 0.4, byImage, systems, cluster = 1, bestP, p = 0.001, isChosen = false }: Given,
) {
  const systemLevel =
    systems === undefined ? null : { softPairwiseAccuracy: systems, systems: [], pairwiseAccuracy: 1 }
  return {
    metric,
    figures: { kind: 'RATINGS', tauC, tauB },
    isChosenByJudgements: isChosen,
    chancePValue: p,
    cluster: { cluster, pValue: null, bestPValue: bestP ?? (cluster === 1 ? 0.4 : 0.01) },
    contests: { all: { byImage: { calibratedAccuracy: byImage ?? null }, systemLevel }, withoutPeople: null },
  } as unknown as JudgedMetric
}

const ofRatings = (...rows: JudgedMetric[]) => conclusionOf({ kind: 'RATINGS', rows })

describe('the metric that agrees best', () => {
  it('differs from chance and from every other metric, by a named figure', () => {
    expect(ofRatings(rated('A', { tauC: 0.5 }), rated('B', { cluster: 2 }))).toBe(
      'A agrees best with people by τ-c (.500), significantly better than every other metric.',
    )
  })

  it('is none where it does not differ from another one', () => {
    expect(ofRatings(rated('A', { tauC: 0.5 }), rated('B', { tauC: 0.49 }), rated('C', { cluster: 2 }))).toBe(
      'The highest τ-c is that of A (.500), but not significantly higher than that of B.',
    )
  })

  it('is told of those alone from which it does not differ, though others are in its cluster', () => {
    expect(
      ofRatings(rated('A', { tauC: 0.5 }), rated('B', { tauC: 0.49 }), rated('C', { bestP: 0.01 })),
    ).toBe('The highest τ-c is that of A (.500), but not significantly higher than that of B.')
    expect(ofRatings(rated('A', { tauC: 0.5 }), rated('B', { bestP: 0.04 }))).toBe(
      'A agrees best with people by τ-c (.500), significantly better than every other metric.',
    )
  })

  it('is none where two have the same figure', () => {
    expect(ofRatings(rated('A', {}), rated('B', {}), rated('C', { tauC: 0.1, cluster: 2 }))).toBe(
      'The highest τ-c is that of A and B (.400).',
    )
  })

  it.each([
    [
      'more than one',
      [rated('A', { tauC: 0.1, p: 0.06 }), rated('B', { tauC: 0, p: 1, cluster: 2 })],
      'No metric is significantly better than chance: the highest τ-c is .100 (A, p .060).',
    ],
    [
      'one',
      [rated('A', { tauC: 0.1, p: 0.06 })],
      'A does not differ significantly from chance (τ-c .100, p .060).',
    ],
    [
      'worse than chance',
      [rated('A', { tauC: -0.3 })],
      'A is significantly worse than chance (τ-c −.300, p .001).',
    ],
    [
      'two that are worse',
      [rated('A', { tauC: -0.794, p: 0.0004 }), rated('B', { tauC: -0.8, cluster: 2 })],
      'Both metrics are significantly worse than chance: the highest τ-c is −.794 (A, p .0004).',
    ],
    [
      'three, of which two are worse',
      [rated('A', { tauC: 0.1, p: 0.3 }), rated('B', { tauC: -0.8 }), rated('C', { tauC: -0.9 })],
      'No metric is significantly better than chance, and B and C are significantly worse: the highest τ-c is .100 (A, p .300).',
    ],
    [
      'three, of which one is better by its figure alone',
      [rated('A', { tauC: 0.1, p: 0.3 }), rated('B', { tauC: -0.1, p: 0.2 }), rated('C', { tauC: -0.9 })],
      'No metric is significantly better than chance, and C is significantly worse: the highest τ-c is .100 (A, p .300).',
    ],
    [
      'too few images',
      [rated('A', { tauC: 0.5, p: null }), rated('B', { p: null })],
      'The highest τ-c is that of A (.500); there are too few images for a test.',
    ],
  ])('is none without a difference from chance: %s', (_, rows, expected) => {
    expect(ofRatings(...rows)).toBe(expected)
  })

  it('is no metric that the judgements chose', () => {
    expect(
      ofRatings(
        rated('A', { tauC: 0.3 }),
        rated('B', { tauC: 0.2, cluster: 2 }),
        rated('EvalA', { tauC: 0.9, isChosen: true }),
      ),
    ).toBe('A agrees best with people by τ-c (.300), significantly better than every other metric.')
  })

  it('is named beside the metrics that other figures put first', () => {
    expect(
      ofRatings(
        rated('A', { tauC: 0.5, tauB: 0.4, byImage: 0.4, systems: 0.7 }),
        rated('B', { tauC: 0.4, tauB: 0.6, byImage: 0.5, systems: 0.7, cluster: 2 }),
      ),
    ).toContain(
      'A agrees best with people by τ-c (.500), significantly better than every other metric. ' +
        'Other figures are highest for another metric: B by τ-b (.600), B by accuracy on captions of the same image (.500).',
    )
  })
})

it('of preferences names categories with another winner', () => {
  const row = (metric: string, accuracy: Record<string, number>, mean: number) =>
    ({
      metric,
      figures: { kind: 'PREFERENCES', accuracy, mean },
      isChosenByJudgements: false,
      chancePValue: 0.01,
      cluster: { cluster: 1, pValue: null, bestPValue: null },
      contests: null,
    }) as unknown as JudgedMetric
  const rows = [row('A', { HC: 0.6, MM: 0.8 }, 0.7), row('B', { HC: 0.65, MM: 0.7 }, 0.675)]
  expect(conclusionOf({ kind: 'PREFERENCES', rows })).toBe(
    'The highest mean accuracy is that of A (.700), but not significantly higher than that of B. ' +
      'Other figures are highest for another metric: B by accuracy in HC (.650).',
  )
})

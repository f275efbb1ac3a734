import { describe, expect, it } from 'vitest'
import { fleissKappa, summarizeVotes, visualAtoms } from '../../../src/core/bounds/votes.js'

/** Votes as `visual of voters` for each atom. */
const votesOn = (counts: Readonly<Record<string, readonly [visual: number, voters: number]>>) =>
  Object.entries(counts).flatMap(([text, [visual, voters]]) =>
    Array.from({ length: voters }, (_, index) => ({
      kind: 'entity' as const,
      text,
      voter: `voter ${index}`,
      isVisual: index < visual,
      people: 1,
    })),
  )

describe('visual votes', () => {
  it('are decided by a majority of at least three people', () => {
    const votes = votesOn({ dog: [3, 3], cat: [2, 3], side: [1, 3], ant: [2, 2], tie: [2, 4] })
    expect([...visualAtoms(votes).entity]).toEqual(['dog', 'cat'])
    expect(summarizeVotes(votes)).toEqual([
      {
        kind: 'entity',
        atomCount: 5,
        decidedCount: 3,
        visualCount: 2,
        visualShare: 2 / 3,
        kappa: expect.any(Number),
        undefinedReason: null,
      },
    ])
  })

  it('may be published decisions of several people, which have no agreement', () => {
    const decision = { kind: 'action' as const, text: 'run', voter: 'decision', isVisual: true, people: 3 }
    expect([...visualAtoms([decision]).action]).toEqual(['run'])
    expect(summarizeVotes([decision])).toMatchObject([{ kappa: null, undefinedReason: 'TOO_FEW_VOTERS' }])
  })

  it.each([
    // By hand: P = (1 + 1/3 + 1/3) / 3 = 5/9, p = 6/9, P_e = 5/9.
    [[3, 2, 1], 3, 0],
    [[3, 3, 0, 0], 3, 1],
    // P = 1/3 everywhere, p = 1/2, P_e = 1/2: less than by chance.
    [[1, 2], 3, -1 / 3],
    // Two voters are enough: P = 2/3, P_e = 1/2.
    [[2, 1, 0], 2, 1 / 3],
  ])('%j of %d have κ = %d', (visual, voters, expected) => {
    const counts = visual.map((count) => ({ visual: count, voters }))
    expect(fleissKappa(counts).kappa).toBeCloseTo(expected, 12)
  })

  it('have κ without the atoms of a single voter', () => {
    const counts = [2, 1, 0].map((visual) => ({ visual, voters: 2 }))
    expect(fleissKappa([...counts, { visual: 1, voters: 1 }])).toEqual(fleissKappa(counts))
  })

  it('have no κ where all are the same', () => {
    expect(fleissKappa([{ visual: 3, voters: 3 }])).toEqual({ kappa: null, undefinedReason: 'SAME_VOTES' })
  })
})

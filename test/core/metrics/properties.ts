/** Properties that every family of caption metrics must have, for captions of a few frequent words. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import { type Scores, score, type WrittenImage } from './trials.js'

const caption = fc
  .array(fc.constantFrom('a', 'b', 'c', 'dog', 'on', 'the'), { maxLength: 9 })
  .map((words) => words.join(' '))

const image: fc.Arbitrary<WrittenImage> = fc.record({
  candidate: caption,
  references: fc.array(caption, { minLength: 1, maxLength: 4 }),
})

export const images = fc.array(image, { minLength: 1, maxLength: 6 })

/**
 * Declares the tests of a family: range, and the orders that must not matter.
 *
 * @param options.takesFirst where the first of equal references counts in the corpus score, whose order does matter
 */
export function testProperties(family: MetricFamily, { takesFirst = false } = {}): void {
  test('scores are in the range of the metric', () => {
    fc.assert(
      fc.property(images, (written) => {
        const { corpus, images: perImage } = score(family, written)
        for (const scores of [corpus, ...perImage]) {
          for (const { name, lowest, highest } of family.metrics) {
            expect(scores[name]).toBeGreaterThanOrEqual(lowest)
            expect(scores[name]).toBeLessThanOrEqual(highest + 1e-12)
          }
        }
      }),
    )
  })

  test('image scores follow their image, and the corpus score does not change, when images are shuffled', () => {
    fc.assert(
      fc.property(
        images.chain((written) =>
          fc.tuple(
            fc.constant(written),
            fc.shuffledSubarray([...written.keys()], { minLength: written.length }),
          ),
        ),
        ([written, order]) => {
          const before = score(family, written)
          const after = score(
            family,
            order.map((index) => written[index]),
          )
          expectSameScores(after, {
            corpus: before.corpus,
            images: order.map((index) => before.images[index]),
          })
        },
      ),
    )
  })

  test('the order of references does not matter', () => {
    fc.assert(
      fc.property(images, (written) => {
        const reversed = written.map(({ candidate, references }) => ({
          candidate,
          references: references.toReversed(),
        }))
        const [after, before] = [score(family, reversed), score(family, written)]
        expectSameScores(takesFirst ? { ...after, corpus: before.corpus } : after, before)
      }),
    )
  })
}

function expectSameScores(actual: Scores, expected: Scores): void {
  const rows = [actual.corpus, ...actual.images]
  const expectedRows = [expected.corpus, ...expected.images]
  rows.forEach((row, index) => {
    for (const name of Object.keys(row)) expect(row[name]).toBeCloseTo(expectedRows[index][name], 12)
  })
}

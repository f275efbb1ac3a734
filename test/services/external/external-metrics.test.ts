import { expect, it } from 'vitest'
import { openMetricRegistry } from '../../../src/compute/resources.js'
import { stateMetric } from '../../../src/services/external/external-metrics.js'
import { rejectionOf } from '../../kit/boxes.js'
import { initWorld } from '../../kit/seed.js'

it.each([
  [{}, 'none'],
  [{ lowest: 0 }, 'none'],
  [{ highest: 2 }, 'none'],
  [{ lowest: 2, highest: 2 }, '2 to 2'],
  [{ lowest: 2, highest: 0 }, '2 to 0'],
  [{ lowest: 0, highest: Number.POSITIVE_INFINITY }, '0 to Infinity'],
])('a new metric with the range %j is refused', async (range, found) => {
  const { database } = await initWorld()
  const stated = { name: 'Mine', version: '7', ...range }
  expect(await rejectionOf(stateMetric(database, openMetricRegistry(), stated))).toBe(
    `OUT_OF_RANGE metric range: invalid range of the metric: expected the lowest and the highest possible score, found ${found}`,
  )
})

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { normalPValue } from '../../../src/core/stats/distributions.js'
import {
  estimateDifference,
  influenceOf,
  replicateScores,
  subtract,
} from '../../../src/core/stats/jackknife.js'
import type { Scorer } from '../../../src/core/stats/measurement.js'
import { type Influence, type TableRow, testTable } from '../../../src/core/stats/min-p.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { dataFile, dataPresent } from '../../kit/data.js'

/** Means over images. */
const MEANS: Scorer = {
  width: 1,
  metrics: [{ highest: 1 }],
  corpusScores: {
    from: 'sums',
    score(sums, images, scores) {
      scores[0] = sums[0] / images
    },
  },
}

const RATIOS: Scorer = {
  width: 2,
  metrics: [{ highest: 1 }],
  corpusScores: {
    from: 'sums',
    score(sums, _images, scores) {
      scores[0] = sums[0] / sums[1]
    },
  },
}

interface Side extends Influence {
  readonly replicates: Float64Array
}

function measure(family: Scorer, rows: readonly number[], firstImage = 0): Side {
  const { groups, replicates } = replicateScores({ family, trials: [Float64Array.from(rows)] })
  const imageIds = Int32Array.from({ length: rows.length / family.width }, (_, image) => firstImage + image)
  return { imageIds, values: influenceOf(replicates[0], groups), replicates: replicates[0] }
}

function compare(first: Side, second: Side): TableRow {
  const groups = { partitions: 1, sizes: new Uint32Array(first.imageIds.length).fill(1) }
  const { value, standardError, freedom } = estimateDifference(
    subtract(first.replicates, second.replicates),
    groups,
  )!
  return { difference: value, standardError: standardError ?? 0, freedom, first, second }
}

/** A table of means: a row of differences per image. */
const tableOf = (rows: readonly (readonly number[])[], firstImages: readonly number[] = []): TableRow[] =>
  rows.map((differences, index) => {
    const own = measure(MEANS, differences, firstImages[index])
    return compare(
      own,
      measure(
        MEANS,
        differences.map(() => 0),
        firstImages[index],
      ),
    )
  })

interface Golden {
  readonly cases: readonly {
    readonly name: string
    readonly input: {
      readonly n: number
      readonly rows: readonly (readonly [metric: string, first: string, second: string])[]
      readonly differences: readonly (readonly number[])[]
      readonly images: readonly number[]
    } & Readonly<Record<'a' | 'b' | 'v' | 'w', readonly number[]>>
    readonly d: readonly number[]
    readonly se: readonly number[]
    readonly nu: readonly number[]
    readonly tests: number
    readonly level: number
    readonly rows: readonly {
      readonly p: number | null
      readonly adjusted: number | null
      readonly alone: readonly [number, number] | null
      readonly together: readonly [number, number] | null
      readonly better: 1 | 2 | null
    }[]
  }[]
}

const SYSTEMS = ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016']
const GOLDEN = 'golden/one_procedure.json'
const isPresent = dataPresent('intervals and p-values of tables by an independent program', [
  GOLDEN,
  ...SYSTEMS.map((system) => `golden/scores_val2017_${system}.csv.gz`),
])

describe.skipIf(!isPresent)('the figures of an independent program', () => {
  const { cases } = JSON.parse(isPresent ? readFileSync(dataFile(GOLDEN), 'utf8') : '{"cases":[]}') as Golden
  const scores = new Map<string, ReadonlyMap<string, readonly number[]>>()
  const scoresOf = (system: string) => {
    const known = scores.get(system)
    if (known) return known
    const text = gunzipSync(readFileSync(dataFile(`golden/scores_val2017_${system}.csv.gz`))).toString()
    const [header, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(','))
    const rows = lines.map((line) => line.map(Number)).sort((one, other) => one[0] - other[0])
    const columns = new Map(header.map((name, column) => [name, rows.map((row) => row[column])]))
    scores.set(system, columns)
    return columns
  }

  /** The rows of a case, with the sides of a metric shared between pairs. */
  function rowsOf({ name, input }: Golden['cases'][number]): TableRow[] {
    if (name.startsWith('edge')) {
      const [last, ...others] = input.differences.toReversed()
      return tableOf([...others.toReversed(), last.slice(-20)], [0, 0, 0, 0, 0, 0, 0, 12])
    }
    if (name.startsWith('ratio')) {
      const { a, b, v, w } = input
      const interleave = (one: readonly number[], other: readonly number[]) =>
        one.flatMap((x, i) => [x, other[i]])
      return [
        compare(measure(RATIOS, interleave(a, w)), measure(RATIOS, interleave(b, v))),
        compare(measure(MEANS, a), measure(MEANS, b)),
      ]
    }
    const sides = new Map<string, Side>()
    const sideOf = (metric: string, system: string) => {
      const key = `${metric} ${system}`
      const side = sides.get(key) ?? measure(MEANS, scoresOf(system).get(metric)!.slice(0, input.n))
      sides.set(key, side)
      return side
    }
    return input.rows.map(([metric, first, second]) => compare(sideOf(metric, first), sideOf(metric, second)))
  }

  const near = (expected: number, relative: number) =>
    expect.closeTo(expected, -Math.log10(2 * relative * Math.max(Math.abs(expected), 1e-300)))

  test.each(cases.map((golden) => [golden.name, golden] as const))('%s', (_, golden) => {
    const rows = rowsOf(golden)
    rows.forEach(({ difference, standardError, freedom }, row) => {
      expect(difference).toEqual(golden.d[row] === 0 ? 0 : near(golden.d[row], 1e-9))
      expect(freedom).toBe(golden.nu[row])
      if (golden.se[row] > 1e-9) expect(standardError).toEqual(near(golden.se[row], 1e-9))
    })
    const table = testTable(rows)
    expect(table.tests).toBe(golden.tests)
    expect(table.level).toEqual(near(golden.level, 1e-6))
    table.rows.forEach(({ alone, together }, row) => {
      const { p, adjusted, alone: ownInterval, together: sharedInterval, better } = golden.rows[row]
      expect(alone.pValue).toEqual(p === null ? null : near(p, 1e-9))
      expect(together.pValue).toEqual(adjusted === null ? null : near(adjusted, 1e-6))
      expect(together.pValue !== null && together.pValue < 0.05).toBe(better !== null)
      for (const [{ interval }, expected] of [
        [alone, ownInterval],
        [together, sharedInterval],
      ] as const) {
        if (expected === null) expect(interval).toBeNull()
        else {
          const margin = (expected[1] - expected[0]) / 2
          expect(Math.abs(interval!.lower - expected[0]) / margin).toBeLessThan(1e-6)
          expect(Math.abs(interval!.upper - expected[1]) / margin).toBeLessThan(1e-6)
        }
      }
    })
  })

  test('eight cases', () => {
    expect(cases).toHaveLength(8)
  })
})

describe('a table', () => {
  const random = createRandom(3)
  const noise = (count: number, mean = 0) =>
    Array.from({ length: count }, () => mean + random.next() + random.next() - 1)

  test('of one row is the question alone', () => {
    const { tests, level, rows } = testTable(tableOf([noise(40, 0.2)]))
    expect({ tests, level }).toEqual({ tests: 1, level: 0.05 })
    expect(rows[0].together).toEqual(rows[0].alone)
  })

  test('says of a row alone the same whatever else it has', () => {
    const differences = [noise(60, 0.3), noise(60), noise(60)]
    const alone = testTable(tableOf(differences.slice(0, 1))).rows[0].alone
    expect(testTable(tableOf(differences)).rows[0].alone).toEqual(alone)
  })

  test('has intervals without 0 exactly where the corrected p-value is below .05', () => {
    const tables = Array.from({ length: 12 }, (_, index) =>
      testTable(
        tableOf(Array.from({ length: 2 + index }, () => noise(25, 0.12 * random.next() * (index % 4)))),
      ),
    )
    const judged = tables.flatMap(({ rows }) => rows.map(({ together }) => together))
    for (const { interval, pValue } of judged) {
      expect(interval!.lower > 0 || interval!.upper < 0).toBe(pValue! < 0.05)
    }
    expect(judged.filter(({ pValue }) => pValue! < 0.05).length).toBeGreaterThan(5)
    expect(judged.filter(({ pValue }) => pValue! >= 0.05).length).toBeGreaterThan(5)
  })

  test('is corrected between not at all and for the number of its tests', () => {
    const same = noise(50, 0.1)
    const { level: ofSame } = testTable(tableOf([same, same, same]))
    expect(ofSame).toBeCloseTo(0.05, 2)
    const { level, rows } = testTable(tableOf([same, noise(50), noise(50), noise(50)]))
    expect(level).toBeGreaterThanOrEqual(0.05 / 4)
    expect(level).toBeLessThan(0.02)
    for (const { alone, together } of rows) {
      expect(together.pValue).toBeGreaterThanOrEqual(alone.pValue!)
      expect(together.pValue).toBeLessThanOrEqual(Math.min(1, 4 * alone.pValue!) + 1e-12)
    }
  })

  test('has the level of independent tests where rows have no image in common', () => {
    const { level } = testTable(tableOf([noise(40), noise(40), noise(40)], [0, 40, 80]))
    expect(level).toBeCloseTo(1 - 0.95 ** (1 / 3), 2)
  })

  test('does not test a difference that is the same on all images', () => {
    const { tests, rows } = testTable(
      tableOf([noise(40, 0.2), new Array(40).fill(0), new Array(40).fill(0.5)]),
    )
    expect(tests).toBe(1)
    expect(rows.map(({ together }) => together.pValue)).toEqual([rows[0].alone.pValue, 1, null])
    expect(rows.map(({ together }) => together.interval === null)).toEqual([false, true, true])
  })

  test('of rows without a test has no level', () => {
    expect(testTable(tableOf([new Array(40).fill(0)]))).toMatchObject({ tests: 0, level: null })
    expect(testTable([])).toEqual({ tests: 0, level: null, rows: [] })
  })

  test('gives the same whether sides are shared between pairs or each pair has its own', () => {
    const sides = [noise(50, 0.1), noise(50), noise(50, 0.3), noise(50, 0.2)].map((rows) =>
      measure(MEANS, rows),
    )
    const pairs = sides.flatMap((first, index) =>
      sides.slice(index + 1).map((second) => compare(first, second)),
    )
    const own = pairs.map(({ first, second, ...row }) => ({
      ...row,
      first: { ...first, values: first.values.map((value, i) => value - second!.values[i]) },
    }))
    const [shared, apart] = [pairs, own].map(testTable)
    expect(shared.level).toBeCloseTo(apart.level!, 12)
    expect(shared.rows.map(({ together }) => together.pValue)).toEqual(
      apart.rows.map(({ together }) => together.pValue),
    )
  })

  test('rejects a true hypothesis in about 5 % of tables', () => {
    const repetitions = 600
    let rejected = 0
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const common = noise(30)
      const rows = Array.from({ length: 5 }, () => noise(30).map((value, i) => value + common[i]))
      if (testTable(tableOf(rows)).rows.some(({ together }) => together.pValue! < 0.05)) rejected++
    }
    expect(rejected / repetitions).toBeGreaterThan(0.025)
    expect(rejected / repetitions).toBeLessThan(0.075)
  })
})

test('the tail of the normal distribution bounds maxima that no draw reaches', () => {
  const far = Array.from({ length: 40 }, (_, i) => 5 + (i % 7) / 100)
  const { rows } = testTable(tableOf([far, far.map((value, i) => value + (i % 5) / 10)]))
  expect(rows[0].together.pValue).toBeLessThan(2.1 * rows[0].alone.pValue!)
  expect(normalPValue(5)).toBeGreaterThan(rows[0].together.pValue!)
})

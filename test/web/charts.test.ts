import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { shortNames } from '../../web/charts/names.js'
import { extent, ticks, tickText } from '../../web/charts/ticks.js'

describe('the ticks of an axis', () => {
  const shown = (from: number, to: number, length: number) => {
    const values = ticks({ from, to }, length, 90)
    return values.map(tickText(values))
  }

  it.each([
    [0.05, 0.36, 120, ['.1', '.2', '.3']],
    [0.198, 0.503, 60, ['.2', '.4']],
    [0.00002, 0.00009, 200, ['.00002', '.00004', '.00006', '.00008']],
    [0.2, 0.6, 90, ['.2', '.4', '.6']],
    [-1.5, 1.2, 200, ['−1', '0', '1']],
    [-0.7, 0.7, 180, ['−.5', '0', '.5']],
    [12, 19, 100, ['12', '14', '16', '18']],
  ] as [number, number, number, string[]][])('of %d to %d on %d pixels', (from, to, length, expected) => {
    expect(shown(from, to, length)).toEqual(expected)
  })

  it('are at least two, and differ as text, for any range and width', () => {
    for (let exponent = -8; exponent < 8; exponent++)
      for (let length = -20; length < 900; length += 37)
        for (const [from, to] of [
          [0.198, 0.503],
          [-0.3, 0.9],
          [0.99, 1.01],
        ]) {
          const texts = shown(from * 10 ** exponent, to * 10 ** exponent, length)
          expect(texts.length).toBeGreaterThan(1)
          expect(new Set(texts).size).toBe(texts.length)
        }
  })

  it('end where there is no range', () => {
    expect(ticks({ from: 3, to: 3 }, 100)).toEqual([3])
    expect(ticks({ from: Number.NaN, to: 3 }, 100)).toEqual([Number.NaN])
  })

  it('are two or more where a chart without rows has no width', () => {
    for (const length of [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
      expect(ticks({ from: 0, to: 1 }, length).length).toBeGreaterThan(1)
  })

  it('are found around values that differ by rounding alone', () => {
    const nearly = [0.3, 0.1 + 0.2]
    const [from, to] = extent(nearly, 0.06)
    expect(ticks({ from, to }, 300, 90).length).toBeGreaterThan(1)
    expect(ticks({ from: nearly[0], to: nearly[1] }, 300, 90)).toEqual([0.3])
  })
})

describe('short names', () => {
  it.each([
    [['a', 'people'], 9, ['a', 'people']],
    [['transformer-large', 'old'], 9, ['tran…arge', 'old']],
    [['resnet-lstm-beam-1', 'resnet-lstm-beam-2'], 9, ['resn…am-1', 'resn…am-2']],
    [['model-a-of-the-second-study', 'model-b-of-the-second-study'], 10, ['…a…', '…b…']],
    [[], 9, []],
  ])('of %j in %d letters', (names, length, expected) => {
    const short = shortNames(names, length)
    expect(names.map((name) => short.get(name))).toEqual(expected)
  })

  it('are no longer than asked for, and as different as the names', () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `captioner-of-the-year-${2010 + index}-final-version`,
    )
    for (let length = 6; length < 50; length++) {
      const texts = [...shortNames(names, length).values()]
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(length)
      expect(new Set(texts).size).toBe(names.length)
    }
  })
})

describe('the colour of people', () => {
  const style = readFileSync(projectFile('web/style.css'), 'utf8')
  const tokens = new Map(
    Array.from(style.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g), ([, name, light, dark]) => [
      name,
      [light, dark] as const,
    ]),
  )

  /** CIE L*a*b* of a colour of sRGB, under D65. */
  function lab(color: string): number[] {
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const share = Number.parseInt(color.slice(start, start + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    const [x, y, z] = [
      (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
      0.2126 * red + 0.7152 * green + 0.0722 * blue,
      (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    ].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116))
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
  }

  it.each(['system', 'nn', 'vb', 'jj', 'in', 'prp', 'dt', 'other', 'good'])('is far from --%s', (name) => {
    for (const mode of [0, 1]) {
      const [people, other] = ['people', name].map((token) =>
        lab((tokens.get(token) as readonly string[])[mode]),
      )
      expect(Math.hypot(...people.map((part, index) => part - other[index]))).toBeGreaterThan(30)
    }
  })
})

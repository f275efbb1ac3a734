/**
 * Weights of units, METHODS section 14: a unit that people say of few images says more than one that they say of all.
 * With weights, units are called words; without, types.
 */
import type { TokenSequences } from '../text/sequences.js'

/** The weight of each unit by its number; numbers beyond are units that no person says. */
export interface UnitWeights {
  readonly known: Float64Array
  readonly unknown: number
}

/** Every unit weighs 1. */
export const EQUAL_WEIGHTS: UnitWeights = { known: new Float64Array(0), unknown: 1 }

/** ln(N / df) of each unit: df of N images have it, or 1 where none has. */
export function weigh(imageCounts: ArrayLike<number>, images: number): UnitWeights {
  const weight = (count: number) => Math.log(images / Math.max(1, count))
  return { known: Float64Array.from(imageCounts, weight), unknown: weight(0) }
}

export function weightOf({ known, unknown }: UnitWeights, unit: number): number {
  return unit < known.length ? known[unit] : unknown
}

/** Counts in how many images units are said. */
export interface UnitCounter {
  /** Adds an image: its captions are the sequences from `first` to before `end`. */
  add(captions: TokenSequences, first: number, end: number): void
  /** Those of the images that were added, see {@link weigh}. */
  weights(): UnitWeights
}

export function createUnitCounter(): UnitCounter {
  let imageCounts = new Uint32Array(1024)
  /** Number of the image, from 1, in which a unit was counted last. */
  let lastImages = new Uint32Array(1024)
  let images = 0
  let unitCount = 0
  const reserve = (unit: number) => {
    if (unit < unitCount) return
    unitCount = unit + 1
    if (unit < imageCounts.length) return
    const grown = [imageCounts, lastImages].map((values) => {
      const larger = new Uint32Array(Math.max(2 * values.length, unit + 1))
      larger.set(values)
      return larger
    })
    imageCounts = grown[0]
    lastImages = grown[1]
  }
  return {
    add({ tokens, offsets }, first, end) {
      images++
      for (let i = offsets[first]; i < offsets[end]; i++) {
        const unit = tokens[i]
        reserve(unit)
        if (lastImages[unit] === images) continue
        lastImages[unit] = images
        imageCounts[unit]++
      }
    },
    weights: () => weigh(imageCounts.subarray(0, unitCount), images),
  }
}

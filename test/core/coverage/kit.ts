import type { PeopleRows } from '../../../src/core/coverage/coverage-figures.js'
import {
  CANDIDATE_WIDTH,
  createImageMeasure,
  peopleWidth,
} from '../../../src/core/coverage/image-coverage.js'
import {
  createUnitCounter,
  EQUAL_WEIGHTS,
  type UnitWeights,
} from '../../../src/core/coverage/unit-weights.js'
import type { TokenSequences } from '../../../src/core/text/sequences.js'
import type { Captions } from './brute-force.js'

const numbers = new Map<string, number>()

/** The number of a unit, the same in all captions. */
export function numberOf(unit: string): number {
  const known = numbers.get(unit) ?? numbers.size
  numbers.set(unit, known)
  return known
}

export function sequencesOf(captions: readonly (readonly string[])[]): TokenSequences {
  const offsets = [0]
  for (const caption of captions) offsets.push(offsets[offsets.length - 1] + caption.length)
  return { tokens: Int32Array.from(captions.flat(), numberOf), offsets: Int32Array.from(offsets) }
}

/** ln(N / df) over the captions. */
export function countWeights(images: Captions): UnitWeights {
  const counter = createUnitCounter()
  for (const captions of images) counter.add(sequencesOf(captions), 0, captions.length)
  return counter.weights()
}

interface Measured {
  readonly people: PeopleRows
  /** Of each system. */
  readonly systems: readonly Float64Array[]
}

/** @param systems the caption of each system per image */
export function measure(
  images: Captions,
  references: number,
  { isWeighted = true, systems = [] }: { isWeighted?: boolean; systems?: readonly Captions[number][] } = {},
): Measured {
  const design = { captionsPerImage: images[0].length, references }
  const width = peopleWidth(design)
  const rows = new Float64Array(images.length * width)
  const own = systems.map(() => new Float64Array(images.length * CANDIDATE_WIDTH))
  const measured = createImageMeasure(design, isWeighted ? countWeights(images) : EQUAL_WEIGHTS)
  images.forEach((captions, image) => {
    measured.addPeople(sequencesOf(captions), 0, rows.subarray(image * width, (image + 1) * width))
    systems.forEach((ofImages, system) => {
      const row = own[system].subarray(image * CANDIDATE_WIDTH, (image + 1) * CANDIDATE_WIDTH)
      measured.addSystem(Int32Array.from(ofImages[image], numberOf), row)
    })
  })
  return { people: { design, rows, untested: null }, systems: own }
}

/**
 * What a caption says of an image, and what of it others confirm: METHODS section 14, "Several people as one".
 *
 * An image has K captions by people. In fold f = 0 … K − 1 the last r captions after caption f, cyclically, are
 * references; the captions f … f + j − 1 are j people as one, j = 1 … K − r; a system's caption is compared with the
 * same references. Of each fold an image has sums of weights of units: of the candidate, of what of it a reference has,
 * and of what of it all references have. Sums over folds are a row; figures are ratios of sums of rows
 * (coverage-figures.ts).
 */
import { AccordError } from '../../errors.js'
import type { TokenSequences } from '../text/sequences.js'
import { type UnitWeights, weightOf } from './unit-weights.js'

/** How captions of people are divided. */
export interface CoverageDesign {
  /** K. */
  readonly captionsPerImage: number
  /** r, from 1 to K. */
  readonly references: number
}

/** r where it is not given: a person is left beside the references where there are two people. */
export function usualReferences(captionsPerImage: number): number {
  return captionsPerImage < 3 ? 1 : 2
}

/** Columns of the row of a candidate. */
export const SAID = 0
/** Also said by a reference. */
export const CONFIRMED = 1
/** Also said by all references. */
export const SHARED = 2
export const CANDIDATE_WIDTH = 3

/** Columns of the row of people: what references say, what all references say, then a candidate for each j. */
export const REFERENCES_SAY = 0
export const REFERENCES_SHARE = 1
const FIRST_CANDIDATE = 2

/** Largest j: people who are left beside the references. */
export function mostPeople({ captionsPerImage, references }: CoverageDesign): number {
  return captionsPerImage - references
}

/** Length of the row of people. */
export function peopleWidth(design: CoverageDesign): number {
  return FIRST_CANDIDATE + CANDIDATE_WIDTH * mostPeople(design)
}

/** First column of j people as one. */
export function columnOfPeople(people: number): number {
  return FIRST_CANDIDATE + CANDIDATE_WIDTH * (people - 1)
}

/** @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K */
export function requireDesign({ captionsPerImage, references }: CoverageDesign): void {
  if (Number.isInteger(references) && references >= 1 && references <= captionsPerImage) return
  throw new AccordError('OUT_OF_RANGE', 'invalid number of references', {
    source: 'references',
    expected: `an integer from 1 to ${captionsPerImage}`,
    found: String(references),
  })
}

/** Measures one image after the other. */
export interface ImageMeasure {
  /**
   * Adds to `row`, {@link peopleWidth} zeros, what people say of an image: its captions are the K sequences from `first`. Repeated
   * units of a caption count once.
   */
  addPeople(captions: TokenSequences, first: number, row: Float64Array): void
  /** Adds to `row`, {@link CANDIDATE_WIDTH} zeros, what a system's caption of the same image says. */
  addSystem(units: Int32Array, row: Float64Array): void
}

/** Time of an image: units of all captions, and distinct ones × K. */
export function createImageMeasure(design: CoverageDesign, weights: UnitWeights): ImageMeasure {
  requireDesign(design)
  const { captionsPerImage, references } = design
  const people = mostPeople(design)
  /** The distinct units of the image by number, in order of appearance. */
  const places = new Map<number, number>()
  /** Entry place · K + caption: 1 where the caption has the unit. */
  let uses = new Uint8Array(64 * captionsPerImage)
  /** Of each place, the number of folds in which a reference has the unit, and in which all have it. */
  const confirmed: number[] = []
  const shared: number[] = []
  const seen = new Set<number>()

  function readUses({ tokens, offsets }: TokenSequences, first: number): void {
    places.clear()
    uses.fill(0)
    for (let caption = 0; caption < captionsPerImage; caption++) {
      for (let i = offsets[first + caption]; i < offsets[first + caption + 1]; i++) {
        let place = places.get(tokens[i])
        if (place === undefined) {
          place = places.size
          places.set(tokens[i], place)
          if (places.size * captionsPerImage > uses.length) {
            const larger = new Uint8Array(2 * uses.length)
            larger.set(uses)
            uses = larger
          }
        }
        uses[place * captionsPerImage + caption] = 1
      }
    }
  }

  function addUnit(weight: number, place: number, row: Float64Array): void {
    const start = place * captionsPerImage
    /** Of the references of the fold, those that have the unit. */
    let among = 0
    for (let caption = captionsPerImage - references; caption < captionsPerImage; caption++)
      among += uses[start + caption]
    /** Captions from that of the fold to the next that has the unit. */
    let wait = uses.subarray(start, start + captionsPerImage).indexOf(1)
    let confirmedFolds = 0
    let sharedFolds = 0
    for (let fold = 0; fold < captionsPerImage; fold++) {
      const isConfirmed = among > 0
      const isShared = among === references
      if (isConfirmed) confirmedFolds++
      if (isShared) sharedFolds++
      if (wait < people) {
        const column = columnOfPeople(wait + 1)
        row[column + SAID] += weight
        if (isConfirmed) row[column + CONFIRMED] += weight
        if (isShared) row[column + SHARED] += weight
      }
      // The next fold gains this one's caption as a reference, and loses the earliest.
      const gained = uses[start + fold]
      const lost = uses[start + ((fold - references + captionsPerImage) % captionsPerImage)]
      among += gained - lost
      if (gained === 0) wait--
      else {
        wait = 0
        while (uses[start + ((fold + 1 + wait) % captionsPerImage)] === 0) wait++
      }
    }
    confirmed[place] = confirmedFolds
    shared[place] = sharedFolds
    row[REFERENCES_SAY] += weight * confirmedFolds
    row[REFERENCES_SHARE] += weight * sharedFolds
  }

  return {
    addPeople(captions, first, row) {
      readUses(captions, first)
      for (const [unit, place] of places) addUnit(weightOf(weights, unit), place, row)
      // A unit that the d-th person adds is one of all larger groups.
      for (let column = columnOfPeople(2); column < row.length; column++)
        row[column] += row[column - CANDIDATE_WIDTH]
    },
    addSystem(units, row) {
      seen.clear()
      for (const unit of units) {
        if (seen.has(unit)) continue
        seen.add(unit)
        const weight = weightOf(weights, unit)
        row[SAID] += weight * captionsPerImage
        const place = places.get(unit)
        if (place === undefined) continue
        row[CONFIRMED] += weight * confirmed[place]
        row[SHARED] += weight * shared[place]
      }
    },
  }
}

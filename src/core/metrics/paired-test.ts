import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { judgeSampleSize } from '../stats/interval.js'
import { estimateDifference, influenceOf, replicateScores, subtract } from '../stats/jackknife.js'
import type { Influence, Uncertainty } from '../stats/min-p.js'
import type { MetricFamily } from './metric.js'

/** Rows of statistics of images: of one trial, or of several one after the other. */
export interface MeasuredImages {
  /** Distinct ids or positions. */
  readonly imageIds: Int32Array
  readonly statistics: Float64Array
}

/** Two systems, or a system and people, by one metric on the same images. */
export interface PairedFigures {
  /** Means over trials. Null if undefined. */
  readonly firstScore: number | null
  readonly secondScore: number | null
  /** First minus second. */
  readonly difference: number | null
  /** Null where the difference has no test. */
  readonly uncertainty: Uncertainty | null
  readonly isSmall: boolean
  /** Why there is no interval. */
  readonly undefinedReason: UndefinedReason | null
}

/** A subject on some images: scores of all metrics with and without each image, and how much each image moves them. */
export interface MeasuredSide extends ReturnType<typeof replicateScores> {
  readonly influences: readonly Influence[]
}

/** The ids of the images that both have, ascending. @param included the images that are meant; absent: all */
export function shareImages(one: Int32Array, other: Int32Array, included?: ReadonlySet<number>): Int32Array {
  const inOther = new Set(other)
  return one.filter((id) => inOther.has(id) && included?.has(id) !== false).sort()
}

/** Measures a subject on some of its images by all metrics of a family; the scores of several trials are averaged. */
export function measureSide(
  family: MetricFamily,
  { imageIds: measured, statistics }: MeasuredImages,
  imageIds: Int32Array,
): MeasuredSide {
  const { width } = family
  const places = new Map(Array.from(measured, (id, place) => [id, place]))
  const trialLength = measured.length * width
  const trials = Array.from({ length: statistics.length / trialLength }, (_, trial) => {
    const rows = new Float64Array(imageIds.length * width)
    for (const [image, id] of imageIds.entries()) {
      const start = trial * trialLength + (places.get(id) as number) * width
      rows.set(statistics.subarray(start, start + width), image * width)
    }
    return rows
  })
  const { groups, replicates } = replicateScores({ family, trials })
  return {
    groups,
    replicates,
    influences: replicates.map((values) => ({ imageIds, values: influenceOf(values, groups) })),
  }
}

/** Compares two subjects on the same images by the jackknife. @param metric position in the family */
export function compareSides(first: MeasuredSide, second: MeasuredSide, metric: number): PairedFigures {
  const [one, other] = [first.replicates[metric], second.replicates[metric]]
  const [firstScore, secondScore] = [definedOrNull(one[0]), definedOrNull(other[0])]
  const found = estimateDifference(subtract(one, other), first.groups)
  if (firstScore === null || secondScore === null || found === null) {
    return {
      firstScore,
      secondScore,
      difference: null,
      uncertainty: null,
      isSmall: judgeSampleSize(first.influences[metric].imageIds.length).isSmall,
      undefinedReason: 'UNDEFINED_FIGURE',
    }
  }
  const { value, standardError, freedom, isSmall, undefinedReason } = found
  const influences = { first: first.influences[metric], second: second.influences[metric] }
  return {
    firstScore,
    secondScore,
    difference: value,
    uncertainty:
      undefinedReason === 'TOO_FEW_IMAGES'
        ? null
        : { standardError: standardError ?? 0, freedom, ...influences },
    isSmall,
    undefinedReason,
  }
}

function definedOrNull(score: number): number | null {
  return Number.isNaN(score) ? null : score
}

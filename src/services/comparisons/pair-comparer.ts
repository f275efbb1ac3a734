import type { MetricFamily } from '../../core/metrics/metric.js'
import * as test from '../../core/metrics/paired-test.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'

/** Rows of statistics of a subject. */
export interface MeasuredRows extends test.MeasuredImages {
  readonly layoutRevision: number
}

/** A subject of comparisons, whose rows are read when they are needed. */
export interface ComparedRows {
  /** Tells it from the others. */
  readonly key: string
  read(): Promise<MeasuredRows>
}

/** Two subjects on the images that both have. */
interface ComparedImages {
  /** Ascending. */
  readonly imageIds: Int32Array
  /** One result per metric of the family. */
  readonly figures: readonly test.PairedFigures[]
}

/** Rows that are kept, so that those of one subject are read once for all its pairs. */
const KEPT_ROWS = 2

/**
 * Compares subjects in pairs by all metrics of a family on the images that both have. What is computed of a subject on the same
 * images is computed once and kept; its rows, which are larger, are not.
 *
 * @param included the images that are meant; absent: all
 */
export function createPairComparer(
  family: MetricFamily,
  included?: ReadonlySet<number>,
): (first: ComparedRows, second: ComparedRows) => Promise<ComparedImages | UndefinedReason> {
  const rows = new Map<string, MeasuredRows>()
  const known = new Map<string, Pick<MeasuredRows, 'imageIds' | 'layoutRevision'>>()
  const sets: Int32Array[] = []
  const sides = new Map<string, Map<Int32Array, test.MeasuredSide>>()

  async function rowsOf({ key, read }: ComparedRows): Promise<MeasuredRows> {
    const found = rows.get(key) ?? (await read())
    rows.delete(key)
    rows.set(key, found)
    for (const oldest of [...rows.keys()].slice(0, -KEPT_ROWS)) rows.delete(oldest)
    const { imageIds, layoutRevision } = found
    known.set(key, { imageIds, layoutRevision })
    return found
  }

  async function sideOf(subject: ComparedRows, imageIds: Int32Array): Promise<test.MeasuredSide> {
    const ofSubject = sides.get(subject.key) ?? new Map<Int32Array, test.MeasuredSide>()
    sides.set(subject.key, ofSubject)
    const side = ofSubject.get(imageIds) ?? test.measureSide(family, await rowsOf(subject), imageIds)
    ofSubject.set(imageIds, side)
    return side
  }

  return async (first, second) => {
    const one = known.get(first.key) ?? (await rowsOf(first))
    const other = known.get(second.key) ?? (await rowsOf(second))
    if ([one, other].some(({ layoutRevision }) => layoutRevision !== family.layoutRevision)) {
      return 'OTHER_LAYOUT'
    }
    const shared = test.shareImages(one.imageIds, other.imageIds, included)
    if (shared.length === 0) return 'NO_SHARED_IMAGES'
    const equal = sets.find((set) => areEqual(set, shared))
    if (!equal) sets.push(shared)
    const imageIds = equal ?? shared
    const [left, right] = [await sideOf(first, imageIds), await sideOf(second, imageIds)]
    return { imageIds, figures: family.metrics.map((_, metric) => test.compareSides(left, right, metric)) }
  }
}

function areEqual(one: Int32Array, other: Int32Array): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i])
}

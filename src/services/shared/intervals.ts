import { hasOwnDocuments, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import {
  FEW_IMAGES_WARNING,
  type Interval,
  judgeSampleSize,
  type SampleSize,
} from '../../core/stats/interval.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'

/** The ends of a stored interval. */
export interface StoredEnds {
  readonly lower: number | null
  readonly upper: number | null
}

export function toInterval({ lower, upper }: StoredEnds): Interval | null {
  return lower === null || upper === null ? null : { lower, upper }
}

/** How a score was made, as far as its interval depends on it. */
export type ScoreRecord = Pick<ProvenanceRecord, 'documentFrequencies' | 'images'>

/** The interval that is reported of a score: none where it would not cover what it should. */
export function reportedInterval(interval: Interval | null, record: ScoreRecord): Interval | null {
  return hasOwnDocuments(record) ? null : interval
}

/** Why a score has no interval, or whether the interval is approximate. */
export function judgeScore(interval: StoredEnds | null, record: ScoreRecord): SampleSize {
  const size = judgeInterval(record.images.count, interval)
  return size.undefinedReason === 'NO_VARIATION' && hasOwnDocuments(record)
    ? { ...size, undefinedReason: 'OWN_DOCUMENTS' }
    : size
}

/** Why a figure over this many images has no interval, or whether the interval is approximate. */
function judgeInterval(imageCount: number, interval: StoredEnds | null): SampleSize {
  const size = judgeSampleSize(imageCount)
  if (size.undefinedReason !== null || (interval !== null && toInterval(interval) !== null)) return size
  return { ...size, undefinedReason: 'NO_VARIATION' }
}

/** Of intervals of figures. */
export function intervalNotes(statuses: readonly SampleSize[]): string[] {
  const reasons = new Set(statuses.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return [
    ...Array.from(reasons, (reason) => UNDEFINED_REASONS[reason]),
    ...(statuses.some(({ isSmall }) => isSmall) ? [FEW_IMAGES_WARNING] : []),
  ]
}

/** What there is to know when reading one of several tables, or one of the systems of a table. */
export interface Noted {
  readonly name: string
  readonly notes: readonly string[]
}

/** Each note once, behind the names of those that it is about, unless it is about all. */
export function namedNotes(all: readonly Noted[]): string[] {
  return [...new Set(all.flatMap(({ notes }) => notes))].map((note) => {
    const about = all.filter(({ notes }) => notes.includes(note))
    return about.length === all.length ? note : `${about.map(({ name }) => name).join(', ')}: ${note}`
  })
}

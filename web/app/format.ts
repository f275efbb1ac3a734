import { decimalsOf, type Interval, fixed as number, scored } from '../../src/shared/numbers'
import { REASON_PHRASES, type UndefinedReason } from '../../src/shared/undefined-reason'

/** Decimals of a column of figures: those that most of their intervals support (the median), at least 2. */
export function commonDecimals(intervals: readonly (Interval | null | undefined)[]): number {
  const decimals = intervals.flatMap((interval) => (interval ? [decimalsOf(interval)] : [])).sort()
  return Math.max(2, decimals.at(decimals.length / 2) ?? 3)
}

/** A figure with the decimals that its interval supports, and the interval in brackets. */
export function withInterval(value: number, interval: Interval | null | undefined): string {
  return withDecimals(value, interval, decimalsOf(interval))
}

/** A score and its interval with a given number of decimals. */
export function withDecimals(value: number, interval: Interval | null | undefined, decimals: number): string {
  const text = scored(value, decimals)
  return interval
    ? `${text} [${number(interval.lower, decimals)}, ${number(interval.upper, decimals)}]`
    : text
}

/** The size of a file in the largest unit of which there is at least one: `2.5 MB`. @param bytes 0 or more */
export function fileSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export const time = (iso: string): string => TIME.format(new Date(iso))

const DISTANCE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Units of distances in time, in seconds. */
const UNITS = { year: 31_557_600, month: 2_629_800, day: 86_400, hour: 3600, minute: 60, second: 1 } as const

/** How far away a time is, in the largest unit of which there is at least one: `in 3 days`. */
export function fromNow(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000
  const units = Object.entries(UNITS) as [keyof typeof UNITS, number][]
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return DISTANCE.format(Math.round(seconds / length), unit)
}

export const PARTS_OF_SPEECH = {
  NN: 'noun',
  VB: 'verb',
  JJ: 'adjective',
  IN: 'preposition',
  PRP: 'pronoun',
  DT: 'determiner',
  OTHER: 'other',
} as const

/** Whether words of a language have parts of speech: the tagger knows English alone. */
export const hasPartsOfSpeech = (language: string): boolean => /^en(-|$)/.test(language)

/** The reason of an undefined figure in words. */
export function reasonText(reason: string | null | undefined): string {
  return reason ? REASON_PHRASES[reason as UndefinedReason] : 'undefined'
}

interface Capacity {
  readonly atomCount: number | null
  readonly beyond: 'ABOVE' | 'BELOW' | null
  readonly endAtomCount: number | null
  readonly interval: Interval | null
  readonly undefinedReason: string | null
}

/** How many atoms a score is worth. */
export function atomsText({ atomCount, beyond, endAtomCount, interval, undefinedReason }: Capacity): string {
  if (beyond) return `${beyond === 'ABOVE' ? '>' : '<'} ${endAtomCount}`
  if (atomCount === null) return reasonText(undefinedReason)
  const decimals = interval && decimalsOf(interval) < 2 ? 1 : 0
  const ends = interval && [interval.lower, interval.upper].map((end) => end.toFixed(decimals))
  return `${atomCount.toFixed(decimals)}${ends ? ` [${ends.join(', ')}]` : ''}`
}

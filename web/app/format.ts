/** A number and, where it has one, its 95 % interval. */
export interface Interval {
  readonly lower: number
  readonly upper: number
}

const MINUS = '−'
const DIGITS = 3

/** Decimals that an interval supports: up to the first digit of its half width, or the second if the first is 1. 1 to 4. */
export function decimalsOf(interval: Interval | null | undefined): number {
  const half = interval ? (interval.upper - interval.lower) / 2 : 0
  if (!(half > 0)) return DIGITS
  const decimals = Math.ceil(-Math.log10(half))
  return Math.min(4, Math.max(1, half * 10 ** decimals < 2 ? decimals + 1 : decimals))
}

/** A figure with a fixed number of decimals, a real minus sign and no zero before the point. */
export function number(value: number, decimals = DIGITS): string {
  const text = Math.abs(value)
    .toFixed(decimals)
    .replace(/^0(?=\.)/, '')
  return value < 0 && Number(text) !== 0 ? `${MINUS}${text}` : text
}

/** A figure with the decimals that its interval supports, and the interval in brackets. */
export function withInterval(value: number, interval: Interval | null | undefined): string {
  return withDecimals(value, interval, decimalsOf(interval))
}

/** A figure and its interval with a given number of decimals. */
export function withDecimals(value: number, interval: Interval | null | undefined, decimals: number): string {
  const text = number(value, decimals)
  return interval
    ? `${text} [${number(interval.lower, decimals)}, ${number(interval.upper, decimals)}]`
    : text
}

/** A difference: with its sign. */
export function signed(value: number, decimals = DIGITS): string {
  const text = number(value, decimals)
  return value > 0 ? `+${text}` : text
}

export function signedWithInterval(value: number, interval: Interval | null | undefined): string {
  const decimals = decimalsOf(interval)
  const text = signed(value, decimals)
  return interval
    ? `${text} [${signed(interval.lower, decimals)}, ${signed(interval.upper, decimals)}]`
    : text
}

const COUNT = new Intl.NumberFormat('en')

export const count = (value: number): string => COUNT.format(value)

/** A count with its noun, in the plural unless it is one. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

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

/** What the reasons of undefined figures say to a reader. */
const REASONS: Partial<Record<string, string>> = {
  NO_CAPTIONS: 'there are no captions',
  ONE_CAPTION: 'images have one caption each',
  NOT_COMPUTED: 'it is not computed yet',
  TOO_FEW_IMAGES: 'there are too few images',
  RARE_WORD: 'too few images use the word',
  COMMON_WORD: 'nearly all images use the word',
  RARELY_PREDICTED: 'the system uses the word too rarely',
  NO_VARIATION: 'all images have the same value',
  NO_CAPTION_USES_WORD: 'no caption uses the word',
  NEVER_PREDICTED: 'the system never uses the word',
  HUMAN_RECALL_ZERO: 'no two people use the word for the same image',
  TOO_FEW_WORDS: 'there are too few words',
  OTHER_REFERENCES: 'it was computed with other references',
  OTHER_DOCUMENT_FREQUENCIES: 'it was computed with other document frequencies',
  OTHER_IMAGES: 'it is over other images',
  PARTIAL: 'it is over a part of the images',
  BEYOND_CURVE: 'the score is beyond the curve',
  NO_SHARED_IMAGES: 'no image was described by both',
}

/** The reason of an undefined figure in words. */
export function reasonText(reason: string | null | undefined): string {
  if (!reason) return 'undefined'
  return REASONS[reason] ?? reason.toLowerCase().replaceAll('_', ' ')
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

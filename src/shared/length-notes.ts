/** What to say about the length of captions beside their scores (METHODS section 14). */
import { fixed } from './numbers.js'

/** Mean numbers of tokens. */
export interface CaptionLengths {
  /** Of captions by people; null for none. */
  readonly references: number | null
  readonly systems: readonly { readonly system: string; readonly words: number }[]
}

/** Ratios of lengths at which metrics still compare what captions say. */
const USUAL = { lower: 0.5, upper: 2 } as const

/** Metrics of what captions say of any length, which are compared with people as they are. */
const OF_ANY_LENGTH = [
  'CHAIR-i',
  'CHAIR-s',
  'object-recall',
  'open-CHAIR-i',
  'open-CHAIR-s',
  'open-object-recall',
  'coverage',
  'consensus-coverage',
  'confirmed-share',
]

/** Systems whose lengths are listed. */
const MAX_LISTED = 8

/** Whether captions of a system have another length than those of people. */
export function isOtherLength(words: number, references: number | null): boolean {
  if (references === null || references === 0) return false
  return words / references < USUAL.lower || words / references > USUAL.upper
}

/**
 * The lengths, and which metrics depend on them where they are unusual.
 *
 * @param metrics that are shown and computed from captions and references
 * @param command that compares captions of any length
 */
export function lengthNotes(
  { references, systems }: CaptionLengths,
  metrics: readonly string[],
  command: string,
): string[] {
  if (references === null || systems.length === 0) return []
  const listed = systems.slice(0, MAX_LISTED).map(({ system, words }) => `${system} ${fixed(words, 1)}`)
  const more = systems.length > listed.length ? ` and ${systems.length - listed.length} more` : ''
  const others = systems.filter(({ words }) => isOtherLength(words, references))
  const dependent = metrics.filter((metric) => !OF_ANY_LENGTH.includes(metric))
  return [
    `Words per caption: ${listed.join(', ')}${more}; references ${fixed(references, 1)}.`,
    ...(others.length > 0 && dependent.length > 0
      ? [dependence(references, others, dependent, command)]
      : []),
  ]
}

function dependence(
  references: number,
  systems: CaptionLengths['systems'],
  metrics: readonly string[],
  command: string,
): string {
  const times = systems
    .slice(0, MAX_LISTED)
    .map(({ system, words }) => `${system} (${fixed(words / references, 1)} times as long)`)
  const list = metrics.length > 1 ? `${metrics.slice(0, -1).join(', ')} and ${metrics.at(-1)}` : metrics[0]
  const verb = metrics.length > 1 ? 'depend' : 'depends'
  return `Of another length than the references: ${times.join(', ')}. ${list} ${verb} on length; ${command} compares captions of any length with people.`
}

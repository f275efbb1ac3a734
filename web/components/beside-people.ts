import { isPeople } from '../app/subject'
import type { DifferenceFragment } from '../generated/documents'

/** By which metrics systems are above and below people: in one sentence where it is the same of both. */
export function besidePeople(comparisons: readonly DifferenceFragment[], systems: readonly string[]): string {
  const sentences = systems.map((name) => {
    const rows = comparisons.filter((row) => row.first.name === name && isPeople(row.second))
    const by = (better: DifferenceFragment['together']['better']) =>
      rows
        .filter((row) => row.difference !== null && isTested(row) && row.together.better === better)
        .map((row) => row.metric?.name ?? '')
    const untested = rows.filter((row) => row.difference !== null && !isTested(row))
    return [
      by('FIRST').length > 0 && `above people by ${listed(by('FIRST'))}`,
      by('SECOND').length > 0 && `below people by ${listed(by('SECOND'))}`,
      by(null).length > 0 && `not significantly different from people by ${listed(by(null))}`,
      untested.length > 0 &&
        `not tested against people by ${listed(untested.map((row) => row.metric?.name ?? ''))}`,
    ]
      .filter(Boolean)
      .join(', ')
  })
  if (sentences.every((sentence) => sentence === '')) return ''
  if (systems.length > 1 && sentences.every((sentence) => sentence === sentences[0]))
    return `Both are ${sentences[0]}.`
  return systems.map((name, index) => `${name} is ${sentences[index]}.`).join(' ')
}

/** A difference that stays the same when images are left out has no test. */
function isTested({ together }: DifferenceFragment): boolean {
  return together.pValue !== null
}

/** Names as a list in a sentence. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

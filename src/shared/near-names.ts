import { distance } from 'fastest-levenshtein'

/**
 * The names that were probably meant, the nearest first, in any case: those of the same letters, then those that differ in at most a
 * third of their characters.
 */
export function nearNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase()
  const letters = lettersOf(wanted)
  return known
    .map((other) => {
      const changes = lettersOf(other) === letters ? 0 : distance(wanted, other.toLowerCase())
      return { other, changes }
    })
    .filter(({ other, changes }) => changes <= Math.ceil(other.length / 3))
    .sort((a, b) => a.changes - b.changes)
    .map(({ other }) => other)
}

const lettersOf = (word: string) => [...word.toLowerCase()].sort().join('')

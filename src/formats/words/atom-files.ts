import type { ListedAtom } from '../../core/bounds/atoms.js'
import type { Vote } from '../../core/bounds/votes.js'
import { AccordError } from '../../errors.js'
import { ATOM_KINDS, type AtomKind } from '../../shared/choices.js'
import { type CsvRow, readCsv } from '../io/csv.js'
import { type InputFile, nameOf } from '../io/files.js'
import { invalidValue, storableText, wrongValue } from '../io/values.js'

export interface VoteFileOptions {
  /** Kind of atoms of a file without the column `kind`. */
  readonly kind?: AtomKind
  /** Number of people whose decisions a file without the column `voter` contains. */
  readonly people?: number
}

/** Voter of published decisions. */
export const DECISION = 'decision'

/**
 * Reads votes from a CSV file with the columns `atom` and `visual` (yes or no); rows without a value of `visual` are left
 * out. A file with the column `voter` has a row for each vote of a person. Other files have the decisions of a number of
 * people, one for each atom. The column `kind` may be absent if a kind is given.
 *
 * @throws AccordError as `readCsv`; INVALID_VALUE for another value; DUPLICATE_ID for a second vote of a voter on an atom;
 *   OUT_OF_RANGE where the kind or the number of people is missing
 */
export function readVoteFile(file: InputFile, { kind, people }: VoteFileOptions): Vote[] {
  const lines = new Map<string, number>()
  return readCsv(file, ['atom', 'visual'], (row) => {
    if (!row.has('kind') && kind === undefined) throw missing(file, 'a kind, as the file has no column kind')
    if (!row.has('voter') && people === undefined)
      throw missing(file, 'the number of people, as the file has no column voter')
    if (row.value('visual') === '') return undefined
    const vote: Vote = {
      kind: row.has('kind') ? readKind(row) : kind!,
      text: readText(row, 'atom'),
      voter: row.has('voter') ? readText(row, 'voter') : DECISION,
      isVisual: readVisual(row),
      people: row.has('voter') ? 1 : people!,
    }
    const key = JSON.stringify([vote.kind, vote.text, vote.voter])
    const line = lines.get(key)
    if (line !== undefined) {
      const found = `${JSON.stringify(vote.text)}, first used on line ${line}`
      throw wrongValue(
        'DUPLICATE_ID',
        'duplicate vote',
        row.at('atom'),
        'one vote of a voter on an atom',
        found,
      )
    }
    lines.set(key, row.line)
    return vote
  })
}

function readKind(row: CsvRow): AtomKind {
  const text = row.value('kind').toLowerCase()
  const kind = ATOM_KINDS.find((known) => known === text)
  if (kind) return kind
  throw invalidValue('unknown kind', row.at('kind'), ATOM_KINDS.join(', '), JSON.stringify(text))
}

function readText(row: CsvRow, column: string): string {
  const text = storableText(row.value(column), () => row.at(column))
  if (text !== '') return text
  throw invalidValue(`empty ${column}`, row.at(column), 'text', '""')
}

function readVisual(row: CsvRow): boolean {
  const text = row.value('visual').toLowerCase()
  if (text === 'yes') return true
  if (text === 'no') return false
  throw invalidValue('invalid vote', row.at('visual'), 'yes or no', JSON.stringify(text))
}

function missing(file: InputFile, expected: string): AccordError {
  return new AccordError('OUT_OF_RANGE', 'incomplete votes', { source: nameOf(file), expected })
}

/**
 * Reads a list of atoms from a CSV file with the columns `atom` and `count`, by descending count; other columns are
 * ignored.
 *
 * @throws AccordError as {@link readCsv}; INVALID_VALUE for a count that is not an integer
 */
export function readAtomList(file: string): ListedAtom[] {
  return readCsv(file, ['atom', 'count'], (row) => ({ text: row.value('atom'), count: readCount(row) }))
}

function readCount(row: CsvRow): number {
  const text = row.value('count')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidValue('invalid count', row.at('count'), 'an integer', JSON.stringify(text))
}

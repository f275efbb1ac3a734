import { createHash } from 'node:crypto'
import unhomoglyph from 'unhomoglyph'
import { AccordError, quote } from '../../errors.js'

/** Characters of the name of a user, a team or a token. */
const MAX_LENGTH = 40

/**
 * Characters of a name as it is given: composed forms are shorter. Longer texts are not read: composing many accents of one
 * letter takes time that grows with their square.
 */
const MAX_GIVEN_LENGTH = 4 * MAX_LENGTH

/** Letters and digits, with single spaces, dots, hyphens and underscores between them. No letter is invisible, as Hangul's fillers are. */
const NAME = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]\p{M}*([ ._-]?[\p{L}\p{N}]\p{M}*)*$/u

/**
 * A name in Unicode's composed form.
 *
 * @throws AccordError INVALID_VALUE for names with other characters than letters and digits with single spaces, `.`, `_` and `-`
 *   between them
 */
export function parseName(text: string): string {
  const name = text.length <= MAX_GIVEN_LENGTH ? text.normalize('NFC') : ''
  if (name.length <= MAX_LENGTH && NAME.test(name)) return name
  const expected = `1 to ${MAX_LENGTH} letters and digits, with single spaces, dots, hyphens or underscores between them`
  throw new AccordError('INVALID_VALUE', 'invalid name', { source: 'name', expected, found: quote(text) })
}

/**
 * What is equal for names that people cannot tell apart: without case, accents, separators and styles of letters, and with one of
 * all characters that look alike (Unicode Technical Standard 39, "confusables").
 */
function skeleton(name: string): string {
  const plain = (text: string) =>
    text
      .normalize('NFKD')
      .replaceAll(/[\p{M} ._-]/gu, '')
      .toLowerCase()
  // Capital letters look like others than small ones: I like l, О like O.
  return plain(unhomoglyph(plain(unhomoglyph(name.normalize('NFKC')))))
}

/** What is stored to find a name: 128 bits of a hash of its skeleton, whatever its length. */
export function nameKey(name: string): string {
  return createHash('sha256')
    .update(skeleton(name.slice(0, MAX_GIVEN_LENGTH)))
    .digest('hex')
    .slice(0, 32)
}

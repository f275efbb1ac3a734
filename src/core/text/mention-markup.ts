import { AccordError, type ErrorDetail, quote } from '../../errors.js'

/** Words of a description that refer to one or more boxes. */
export interface Mention {
  /** Offset of the first character in the plain text, in UTF-16 code units as in `String.slice`. */
  readonly start: number
  /** Offset after the last character. */
  readonly end: number
  /** `text.slice(start, end)` of the plain text. */
  readonly text: string
  /** Ids of the boxes, at least one, in the order of the markup. */
  readonly boxIds: readonly string[]
}

/** A plain text and its mentions, in order and without overlap. */
export interface MarkedText {
  readonly text: string
  readonly mentions: readonly Mention[]
}

/**
 * Parses the markup that links words of a description to boxes: `A [woman](2) with [dogs](3,4)`.
 *
 * - `[words](id)` and `[words](id, id)` are mentions. Words and ids must not be empty.
 * - Brackets that are not directly followed by a parenthesis are plain text: `a [sic] sign (red)`.
 * - `\[`, `\]` and `\\` are escapes for the character itself. Any other backslash is plain text.
 * - An unmatched `]` is plain text. An unmatched `[` is an error, because it almost always is an incomplete mention.
 *
 * @param location source and place of the markup, for error messages
 * @throws AccordError INVALID_VALUE if markup is not closed, or has no words or no box id. The place of the error
 *   includes the character offset (from 0) at which the markup starts
 */
export function parseMentionMarkup(markup: string, location: Location = {}): MarkedText {
  const mentions: Mention[] = []
  let text = ''
  let at = 0
  while (at < markup.length) {
    if (markup[at] !== '[') {
      const { character, next } = readCharacter(markup, at)
      text += character
      at = next
      continue
    }
    const words = readWords(markup, at, location)
    if (markup[words.next] !== '(') {
      text += `[${words.text}]`
      at = words.next
      continue
    }
    const ids = readIds(markup, words.next, location)
    if (words.text.trim() === '') throw markupError(markup, at, 'words between [ and ]', location)
    mentions.push({
      start: text.length,
      end: text.length + words.text.length,
      text: words.text,
      boxIds: ids.boxIds,
    })
    text += words.text
    at = ids.next
  }
  return { text, mentions }
}

type Location = Pick<ErrorDetail, 'source' | 'place'>

function readWords(markup: string, open: number, location: Location): { text: string; next: number } {
  let text = ''
  let at = open + 1
  while (at < markup.length && markup[at] !== ']' && markup[at] !== '[') {
    const { character, next } = readCharacter(markup, at)
    text += character
    at = next
  }
  if (markup[at] !== ']') throw markupError(markup, open, 'a closing ]', location)
  return { text, next: at + 1 }
}

function readIds(markup: string, open: number, location: Location): { boxIds: string[]; next: number } {
  const close = markup.indexOf(')', open)
  if (close < 0) throw markupError(markup, open, 'a closing )', location)
  const boxIds = markup
    .slice(open + 1, close)
    .split(',')
    .map((id) => id.trim())
  if (boxIds.includes('')) throw markupError(markup, open, 'box ids separated by commas', location)
  return { boxIds, next: close + 1 }
}

function readCharacter(markup: string, at: number): { character: string; next: number } {
  const escaped = markup[at] === '\\' ? markup[at + 1] : undefined
  return escaped === '[' || escaped === ']' || escaped === '\\'
    ? { character: escaped, next: at + 2 }
    : { character: markup[at], next: at + 1 }
}

function markupError(markup: string, at: number, expected: string, location: Location): AccordError {
  const character = `character ${at}`
  return new AccordError('INVALID_VALUE', 'incomplete mention markup', {
    source: location.source,
    place: location.place === undefined ? character : `${location.place}, ${character}`,
    expected,
    found: quote(markup.slice(at)),
  })
}

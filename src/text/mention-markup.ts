import { AccordError, type ErrorDetail, quote } from '../errors.js'

/** Words of a description that name one or more boxes. */
export interface Mention {
  /** First character of the words in the plain text, counted in UTF-16 units as `String.slice` does. */
  readonly start: number
  /** The character after the last one. */
  readonly end: number
  /** `text.slice(start, end)` of the plain text. */
  readonly text: string
  /** Ids of the boxes named, at least one, in the order written. */
  readonly boxIds: readonly string[]
}

/** A plain text and the mentions in it, in order and without overlap. */
export interface MarkedText {
  readonly text: string
  readonly mentions: readonly Mention[]
}

/**
 * Reads the markup in which descriptions link words to boxes: `A [woman](2) with [dogs](3,4)`.
 *
 * - `[words](id)` and `[words](id, id)` are mentions; words and ids must not be empty.
 * - Brackets without a parenthesis right after them are text: `a [sic] sign (red)`.
 * - `\[`, `\]` and `\\` stand for the character itself; any other backslash is text.
 * - A lone `]` is text; a lone `[` is an error, because it is nearly always a mention that lost its end.
 *
 * @param within where the markup stands, for the error: its file, its place in the file
 * @throws AccordError INVALID_VALUE where markup does not close, or names no words or no box; the place
 *   ends in the character (from 0) where the markup opens
 */
export function parseMentionMarkup(markup: string, within: Within = {}): MarkedText {
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
    const words = readWords(markup, at, within)
    if (markup[words.next] !== '(') {
      text += `[${words.text}]`
      at = words.next
      continue
    }
    const ids = readIds(markup, words.next, within)
    if (words.text.trim() === '') throw markupError(markup, at, 'words between [ and ]', within)
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

/**
 * Writes a text with its mentions as markup; {@link parseMentionMarkup} gives the same text and mentions
 * back.
 *
 * @throws AccordError INVALID_VALUE where mentions overlap, are out of order, name no words or no box, or
 *   have an id that the markup cannot hold (empty, with blanks around it, or with `,` or `)` in it)
 */
export function formatMentionMarkup({ text, mentions }: MarkedText): string {
  let markup = ''
  let written = 0
  for (const [index, { start, end, boxIds }] of mentions.entries()) {
    const words = text.slice(start, end)
    if (start < written || end > text.length || words.trim() === '') {
      throw new AccordError('INVALID_VALUE', 'the mention does not fit its text', {
        place: `mentions[${index}]`,
        expected: `words between characters ${written} and ${text.length}`,
        found: `characters ${start} to ${end}`,
      })
    }
    const unwritable = boxIds.length === 0 ? boxIds : boxIds.find((id) => !isWritableId(id))
    if (unwritable !== undefined) {
      throw new AccordError('INVALID_VALUE', 'the box ids of the mention cannot be written', {
        place: `mentions[${index}]`,
        expected: 'one or more ids without , ) or blanks around them',
        found: quote(unwritable),
      })
    }
    markup += `${escapeText(text.slice(written, start))}[${escapeText(words)}](${boxIds.join(',')})`
    written = end
  }
  return markup + escapeText(text.slice(written))
}

type Within = Pick<ErrorDetail, 'source' | 'place'>

function readWords(markup: string, open: number, within: Within): { text: string; next: number } {
  let text = ''
  let at = open + 1
  while (at < markup.length && markup[at] !== ']' && markup[at] !== '[') {
    const { character, next } = readCharacter(markup, at)
    text += character
    at = next
  }
  if (markup[at] !== ']') throw markupError(markup, open, '] that closes this [', within)
  return { text, next: at + 1 }
}

function readIds(markup: string, open: number, within: Within): { boxIds: string[]; next: number } {
  const close = markup.indexOf(')', open)
  if (close < 0) throw markupError(markup, open, ') that closes this (', within)
  const boxIds = markup
    .slice(open + 1, close)
    .split(',')
    .map((id) => id.trim())
  if (boxIds.includes('')) throw markupError(markup, open, 'box ids separated by commas', within)
  return { boxIds, next: close + 1 }
}

function readCharacter(markup: string, at: number): { character: string; next: number } {
  const escaped = markup[at] === '\\' ? markup[at + 1] : undefined
  return escaped === '[' || escaped === ']' || escaped === '\\'
    ? { character: escaped, next: at + 2 }
    : { character: markup[at], next: at + 1 }
}

function escapeText(text: string): string {
  return text.replace(/[[\]\\]/g, '\\$&')
}

function isWritableId(id: string): boolean {
  return id !== '' && id === id.trim() && !/[,)]/.test(id)
}

function markupError(markup: string, at: number, expected: string, within: Within): AccordError {
  const character = `character ${at}`
  return new AccordError('INVALID_VALUE', 'the mention markup is not complete', {
    source: within.source,
    place: within.place === undefined ? character : `${within.place}, ${character}`,
    expected,
    found: quote(markup.slice(at)),
  })
}

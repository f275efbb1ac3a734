import type { AccordError } from '../../errors.js'
import { type Locate, wrongValue } from './values.js'

/** Maximum depth of arrays and objects in JSON. */
export const MAX_JSON_DEPTH = 64

/**
 * Parses a JSON text in which no key of an object occurs twice.
 *
 * @param at the place of the text; its keys are paths, `words.dog`
 * @throws SyntaxError as `JSON.parse`; AccordError INVALID_JSON for a duplicate key, or arrays and objects more than
 *   {@link MAX_JSON_DEPTH} deep
 */
export function parseJson(text: string, at: Locate): unknown {
  const { depth, members } = measure(text)
  if (depth > MAX_JSON_DEPTH) throw tooDeep(at())
  const value: unknown = JSON.parse(text)
  if (countMembers(value) === members) return value
  const place = at(findDuplicate(text))
  throw wrongValue('INVALID_JSON', 'duplicate key', place, 'unique keys in an object', 'it twice')
}

/** The error for JSON that is too deep. */
export function tooDeep(at: ReturnType<Locate>): AccordError {
  return wrongValue(
    'INVALID_JSON',
    'too deep',
    at,
    `at most ${MAX_JSON_DEPTH} nested arrays and objects`,
    'more',
  )
}

/** The depth of a text and the number of its colons outside strings: each follows a key. */
function measure(text: string): { readonly depth: number; readonly members: number } {
  let [open, depth, members] = [0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i)
        break
      case 0x3a: // :
        members++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++open > depth) depth = open
        break
      case 0x5d: // ]
      case 0x7d: // }
        open--
    }
  }
  return { depth, members }
}

/** The index of the quotation mark that ends the string that starts here. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return text.length
}

/** The number of members of the objects in a parsed value. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item)
    return count
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    count++
    if (typeof member === 'object') count += countMembers(member)
  }
  return count
}

/** The path of the first key that occurs twice in an object of a valid text. */
function findDuplicate(text: string): string {
  const open: { readonly keys?: Set<string>; step: string | number }[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    const inner = open.at(-1)
    if (character === '{') open.push({ keys: new Set(), step: '' })
    else if (character === '[') open.push({ step: 0 })
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',' && typeof inner?.step === 'number') inner.step++
    else if (character === '"') {
      const start = i
      i = endOfString(text, start)
      if (!inner?.keys || !isBeforeColon(text, i + 1)) continue
      const key: string = JSON.parse(text.slice(start, i + 1))
      inner.step = key
      if (inner.keys.has(key)) break
      inner.keys.add(key)
    }
  }
  return open
    .map(({ step }) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
}

function isBeforeColon(text: string, start: number): boolean {
  let i = start
  while (' \t\n\r'.includes(text[i])) i++
  return text[i] === ':'
}

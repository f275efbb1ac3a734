import { JSONParser } from '@streamparser/json'
import { quote } from '../errors.js'

/** Index of the byte at which text stops being the beginning of a JSON value; undefined where it never does. */
export function firstWrongByte(text: Buffer): number | undefined {
  const piece = firstRejected(text, 0, 4096)
  return piece === undefined ? undefined : firstRejected(text, piece, 1)
}

/** Where the first piece of `step` bytes begins, from `from` on, that a tokenizer does not accept. */
function firstRejected(text: Buffer, from: number, step: number): number | undefined {
  const parser = new JSONParser()
  parser.onValue = () => {}
  parser.write(text.subarray(0, from))
  for (let i = from; i < text.length; i += step) {
    try {
      parser.write(text.subarray(i, i + step))
    } catch {
      return i
    }
  }
  return undefined
}

/** The first characters of what was found, quoted. */
export function excerpt(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, 120))
  return quote(text.length > 20 ? `${text.slice(0, 20)}…` : text)
}

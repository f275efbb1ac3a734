import { JSONParser } from '@streamparser/json'
import { quote } from '../../errors.js'

/** Returns the index of the first byte that makes the text invalid JSON, undefined if it is a valid prefix. */
export function firstInvalidByte(text: Buffer): number | undefined {
  const chunk = firstRejected(text, 0, 4096)
  return chunk === undefined ? undefined : firstRejected(text, chunk, 1)
}

/** Returns the start of the first chunk of `step` bytes, starting at `from`, that the parser rejects. */
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

/** Quotes the first characters of the bytes for an error message. */
export function excerpt(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, 120))
  return quote(text.length > 20 ? `${text.slice(0, 20)}…` : text)
}

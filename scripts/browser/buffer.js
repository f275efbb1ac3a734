// What `node:buffer` has, for readers of files in a browser.
import { Buffer } from 'buffer/'

const decoder = new TextDecoder('utf-8', { fatal: true })

export function isUtf8(bytes) {
  try {
    decoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

export { Buffer }

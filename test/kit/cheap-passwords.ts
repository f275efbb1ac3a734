import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { isSlow } from './slow.js'

/**
 * In `npm test` passwords are hashed at a thousandth of their cost, which would be most of the time of tests with accounts. Stored
 * hashes name the true cost. Imported by a setup file, before what hashes takes the function.
 */

interface CheapScrypt {
  (password: BinaryLike, salt: BinaryLike, keyBytes: number, options: ScryptOptions, done: Done): void
  isCheap: boolean
}

type Done = (error: Error | null, key: Buffer) => void

const current: object = crypto.scrypt
const cheapScrypt: CheapScrypt = isCheapScrypt(current) ? current : replaceScrypt(crypto.scrypt)

/** A process may load this module more than once. */
function isCheapScrypt(scrypt: object): scrypt is CheapScrypt {
  return 'isCheap' in scrypt
}

function replaceScrypt(scrypt: typeof crypto.scrypt): CheapScrypt {
  const replacement: CheapScrypt = Object.assign(
    (password: BinaryLike, salt: BinaryLike, keyBytes: number, options: ScryptOptions, done: Done) =>
      scrypt(password, salt, keyBytes, replacement.isCheap ? { ...options, N: 16 } : options, done),
    { isCheap: !isSlow },
  )
  Object.assign(crypto, { scrypt: replacement })
  syncBuiltinESMExports()
  return replacement
}

/** For tests of hashing: passwords have their true cost from here on, or no longer. */
export function setTrueCost(isTrue: boolean): void {
  cheapScrypt.isCheap = !isTrue && !isSlow
}

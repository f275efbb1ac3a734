import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { isSlow } from './slow.js'

/**
 * In `npm test` passwords are hashed at a thousandth of their cost, which would be most of the time of tests with accounts. Stored
 * hashes name the true cost. Imported by a setup file, before what hashes takes the function.
 */

const { scrypt } = crypto
let isCheap = !isSlow

function cheapScrypt(
  password: BinaryLike,
  salt: BinaryLike,
  keyBytes: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  scrypt(password, salt, keyBytes, isCheap ? { ...options, N: 16 } : options, done)
}

Object.assign(crypto, { scrypt: cheapScrypt })
syncBuiltinESMExports()

/** For tests of hashing: passwords have their true cost from here on, or no longer. */
export function setTrueCost(isTrue: boolean): void {
  isCheap = !isTrue && !isSlow
}

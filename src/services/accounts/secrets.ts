import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AccordError } from '../../errors.js'

/** Secrets that users and programs show: passwords, which people choose, and random texts. None is stored as it is. */

/** 256 random bits, which nobody guesses. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** An id, which may be known: no secret, and without signs that a command line takes for an option. */
export function randomId(): string {
  return randomBytes(16).toString('hex')
}

/** By what a random secret is stored and found: it needs no salt, and a fast hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Characters of a password. Longer texts are not read. */
const LENGTH = { min: 10, max: 128 } as const

/** What a password costs: 32 MiB, and about 60 ms of one core. */
const COST = { N: 2 ** 14, r: 16, p: 1 } as const
const SALT_BYTES = 16
const KEY_BYTES = 64

/** Bytes that scrypt may take: a stored hash that asks for more is of nobody's password. */
const MAX_MEMORY = 2 * 128 * COST.N * COST.r

interface PasswordHash {
  readonly cost: Pick<ScryptOptions, 'N' | 'r' | 'p'>
  readonly salt: Buffer
  readonly key: Buffer
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * The hash by which a password is stored, with a salt of its own and its cost: `$scrypt$ln=14,r=16,p=1$salt$key` (PHC).
 *
 * @throws AccordError INVALID_VALUE for a password that is too short or too long
 */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < LENGTH.min || password.length > LENGTH.max) throw wrongLength()
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(password, { cost: COST, salt })
  const { N, r, p } = COST
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${withoutPadding(salt)}$${withoutPadding(key)}`
}

/**
 * Whether a password is the one of a stored hash.
 *
 * @param stored null for an unknown user, who takes the same time
 * @throws AccordError INVALID_VALUE for a password that nobody can have
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > LENGTH.max) throw wrongLength()
  const known = stored === null ? null : parseHash(stored)
  const hash = known ?? UNKNOWN
  const key = await keyOf(password, hash)
  return timingSafeEqual(key, hash.key) && known !== null
}

/** Compared with the passwords of unknown users. */
const UNKNOWN: PasswordHash = { cost: COST, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) }

/** The same text may reach us in several forms of Unicode. */
function keyOf(password: string, { cost, salt }: Pick<PasswordHash, 'cost' | 'salt'>): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY })
}

const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{22})\$([A-Za-z\d+/]{86})$/

/** @returns null for a text that is no hash */
function parseHash(stored: string): PasswordHash | null {
  const [, ln, r, p, salt, key] = HASH.exec(stored) ?? []
  if (key === undefined) return null
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

function withoutPadding(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

function wrongLength(): AccordError {
  return new AccordError('INVALID_VALUE', 'invalid password', {
    source: 'password',
    expected: `${LENGTH.min} to ${LENGTH.max} characters`,
  })
}

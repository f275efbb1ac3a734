import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AccordError } from '../../errors.js'
import { createSemaphore } from '../../semaphore.js'
import { nameKey } from './account-names.js'
import { isCommonPassword } from './common-passwords.js'

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

/** What a password costs, as OWASP recommends it at least: 32 MiB, and about 200 ms of one core. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const KEY_BYTES = 64

/** Bytes that scrypt may take: a stored hash that asks for more is of nobody's password. */
const MAX_MEMORY = 2 * 128 * COST.N * COST.r

interface PasswordHash {
  readonly cost: Pick<ScryptOptions, 'N' | 'r' | 'p'>
  readonly salt: Buffer
  readonly key: Buffer
}

/** Passwords that are hashed at the same time: others wait, and clients take turns. */
const hashing = createSemaphore(2)

/** Who waits for a hash. */
export interface HashClient {
  /** Clients with the same owner share turns. */
  readonly owner?: string
  /** Ends the waiting of a client that is gone. */
  readonly signal?: AbortSignal
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Checks a new password.
 *
 * @param name of its user
 * @throws AccordError INVALID_VALUE for a password that is too short or too long, equal to the name, or one of those that people use
 *   most
 */
export function checkNewPassword(password: string, name: string): void {
  if (password.length < LENGTH.min || password.length > LENGTH.max) throw wrongLength()
  const isName = nameKey(password) === nameKey(name)
  if (!isName && !isCommonPassword(password)) return
  throw new AccordError('INVALID_VALUE', 'the password is easily guessed', {
    source: 'password',
    expected: `one that is ${isName ? 'not the name' : 'not among the 10,000 that people use most'}`,
  })
}

/**
 * The hash by which a password is stored, with a salt of its own and its cost: `$scrypt$ln=15,r=8,p=3$salt$key` (PHC).
 *
 * @throws AccordError INVALID_VALUE for a password that is too short or too long
 */
export async function hashPassword(password: string, client: HashClient = {}): Promise<string> {
  if (password.length < LENGTH.min || password.length > LENGTH.max) throw wrongLength()
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(password, { cost: COST, salt }, client)
  const { N, r, p } = COST
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${withoutPadding(salt)}$${withoutPadding(key)}`
}

/**
 * Whether a password is the one of a stored hash.
 *
 * @param stored null for an unknown user, who takes the same time
 * @throws AccordError INVALID_VALUE for a password that nobody can have
 */
export async function isPassword(
  password: string,
  stored: string | null,
  client: HashClient = {},
): Promise<boolean> {
  if (password.length > LENGTH.max) throw wrongLength()
  const known = stored === null ? null : parseHash(stored)
  const hash = known ?? UNKNOWN
  const key = await keyOf(password, hash, client)
  return timingSafeEqual(key, hash.key) && known !== null
}

/** Compared with the passwords of unknown users. */
const UNKNOWN: PasswordHash = { cost: COST, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) }

/** Whether a stored hash has another cost than a new one: the password is hashed anew when its user signs in. */
export function isOutdated(stored: string): boolean {
  const { cost } = parseHash(stored) ?? UNKNOWN
  return cost.N !== COST.N || cost.r !== COST.r || cost.p !== COST.p
}

/** The same text may reach us in several forms of Unicode. */
async function keyOf(
  password: string,
  { cost, salt }: Pick<PasswordHash, 'cost' | 'salt'>,
  client: HashClient,
): Promise<Buffer> {
  const release = await hashing.acquire(client)
  try {
    return await derive(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY })
  } finally {
    release()
  }
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

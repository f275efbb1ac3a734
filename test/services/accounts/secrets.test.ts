import { createHook } from 'node:async_hooks'
import { scryptSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hashPassword,
  hashSecret,
  isPassword,
  randomId,
  randomSecret,
} from '../../../src/services/accounts/secrets.js'
import { setTrueCost } from '../../kit/cheap-passwords.js'

const PASSWORD = 'correct horse 1'
const invalid = expect.objectContaining({
  code: 'INVALID_VALUE',
  message: 'password: invalid password: expected 10 to 128 characters',
})

describe('passwords at their true cost', () => {
  beforeAll(() => setTrueCost(true))
  afterAll(() => setTrueCost(false))

  it('are stored with a salt of their own and what the hash costs', async () => {
    const [first, second] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)]
    expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{86}$/)
    expect(first.split('$')[3]).not.toBe(second.split('$')[3])
    expect(first.split('$')[4]).not.toBe(second.split('$')[4])
    const [, , , salt, key] = first.split('$')
    const options = { N: 32_768, r: 8, p: 3, maxmem: 2 ** 27 }
    const expected = scryptSync(PASSWORD, Buffer.from(salt, 'base64'), 64, options)
    expect(Buffer.from(key, 'base64')).toEqual(expected)
    expect(await isPassword(PASSWORD, first)).toBe(true)
    expect(await isPassword(PASSWORD.toUpperCase(), first)).toBe(false)
  })

  it('are compared at the cost of their own hash', async () => {
    const salt = Buffer.alloc(16, 1)
    const key = scryptSync(PASSWORD, salt, 64, { N: 1024, r: 8, p: 2 })
    const [saltText, keyText] = [salt, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
    expect(await isPassword(PASSWORD, `$scrypt$ln=10,r=8,p=2$${saltText}$${keyText}`)).toBe(true)
    expect(await isPassword(PASSWORD, `$scrypt$ln=10,r=8,p=1$${saltText}$${keyText}`)).toBe(false)
    // 4 GiB.
    await expect(isPassword(PASSWORD, `$scrypt$ln=22,r=8,p=1$${saltText}$${keyText}`)).rejects.toThrow(
      /memory limit/i,
    )
  })
})

describe('passwords', () => {
  it('are equal in any form of Unicode', async () => {
    const hash = await hashPassword('pässwörd ﬁve')
    expect(await isPassword('pa\u0308sswo\u0308rd five', hash)).toBe(true)
    expect(await isPassword('passwörd five', hash)).toBe(false)
  })

  it('have 10 to 128 characters', async () => {
    for (const length of [0, 9, 129]) await expect(hashPassword('x'.repeat(length))).rejects.toThrow(invalid)
    for (const length of [10, 128]) {
      const password = 'x'.repeat(length)
      expect(await isPassword(password, await hashPassword(password))).toBe(true)
    }
    await expect(isPassword('x'.repeat(129), await hashPassword(PASSWORD))).rejects.toThrow(invalid)
    await expect(isPassword('x'.repeat(129), null)).rejects.toThrow(invalid)
    expect(await isPassword('', await hashPassword(PASSWORD))).toBe(false)
  })

  it('are hashed for unknown users and texts that are no hashes too, which nobody has the password of', async () => {
    const [salt, key] = (await hashPassword(PASSWORD)).split('$').slice(3)
    const stored = [
      null,
      '',
      salt,
      `$scrypt$ln=15,r=8,p=3$${salt}`,
      `$scrypt$ln=15,r=8,p=3$${salt}$${key.slice(2)}`,
      `$scrypt$ln=15,r=8,p=3$$${key}`,
      '$scrypt$ln=15,r=8,p=3$$',
    ]
    for (const text of stored) {
      let hashes = 0
      const hook = createHook({
        init(_id, type) {
          if (type === 'SCRYPTREQUEST') hashes++
        },
      }).enable()
      expect(await isPassword(PASSWORD, text).finally(() => hook.disable())).toBe(false)
      expect(hashes).toBe(1)
    }
  })
})

describe('random secrets', () => {
  it('have 256 bits, and are found by their SHA-256', () => {
    const secrets = Array.from({ length: 1000 }, randomSecret)
    expect(new Set(secrets).size).toBe(1000)
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('are no ids, which commands take as they are', () => {
    for (const id of Array.from({ length: 100 }, randomId)) expect(id).toMatch(/^[\da-f]{32}$/)
  })
})

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addUser } from '../../src/services/accounts/users.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { createChallenge } from '../../src/services/challenges/challenges.js'
import { sql } from '../../src/store/engine/sql.js'
import { atEnd } from '../kit/cleanup.js'
import { DOG_PHASE, dogImages, dogResults } from '../kit/dogs.js'
import { type Api, initWorld, type Json, type World } from '../kit/seed.js'
import { signInViewers } from '../kit/viewers.js'

const MEGABYTE = 1 << 20
const DISK = 48 * MEGABYTE
const IMAGES = 4

/** A disk in memory, or why there is none. */
function mountDisk(): { readonly path: string; readonly reason?: string } {
  const path = mkdtempSync(join(tmpdir(), 'accord-disk-'))
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', path], {
    encoding: 'utf8',
  })
  atEnd(async () => {
    if (status === 0) spawnSync('umount', ['--lazy', path])
    rmSync(path, { recursive: true, force: true })
  })
  return status === 0 ? { path } : { path, reason: error?.message ?? stderr.trim() }
}

const disk = mountDisk()
if (disk.reason !== undefined) console.warn(`no test of a full disk: ${disk.reason}`)

describe.skipIf(disk.reason !== undefined)('a disk that is full', async () => {
  const usual = process.env.TMPDIR
  process.env.TMPDIR = disk.path
  const world = await initWorld()
  if (usual === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = usual
  expect(world.location.startsWith(disk.path)).toBe(true)
  await world.dataset('dogs', { images: dogImages(IMAGES) })
  await createChallenge(world.accord, OPEN_VIEWER, { name: 'dogs', phases: [DOG_PHASE] })
  const api = await world.serve({
    accounts: 'OPEN',
    workers: 1,
    uploadLimit: '200mb',
    submissionLimit: '200mb',
  })
  const { headers } = await signInViewers(world.accord, api)
  const client = clientOf(api, headers.member)

  it('refuses a file that is larger, of which nothing stays, whether its size is announced or not', async () => {
    const before = freeBytes()
    const piece = Buffer.alloc(MEGABYTE, 'a')
    async function* pieces() {
      for (let size = 0; size < DISK + 8 * MEGABYTE; size += piece.length) yield piece
    }
    const bodies = [Buffer.alloc(DISK + 8 * MEGABYTE), ReadableStream.from(pieces())]
    for (const body of bodies) {
      const { status, content } = await client.upload(body)
      expect({ status, content }).toMatchObject({
        status: 507,
        content: { errors: [{ message: expect.stringMatching(/disk is full; nothing was written/) }] },
      })
      expect(uploadsLeft(world)).toEqual([])
      expect(await world.database.all(sql`SELECT id FROM upload`)).toEqual([])
      expect(freeBytes()).toBeGreaterThan(before - 2 * MEGABYTE)
    }
  })

  it('still signs in, takes a submission and evaluates it, while others are refused', async () => {
    // Something else has filled the disk into the reserve, which is a tenth of it.
    writeFileSync(join(disk.path, 'others'), Buffer.alloc(freeBytes() - 4 * MEGABYTE))
    expect((await client.upload(Buffer.alloc(2 * MEGABYTE))).status).toBe(507)
    await addUser(world.accord, { name: 'late', password: 'correct horse 1' }, 'user')
    // Another browser: the session of this one goes on.
    const { signIn } = await api.ask(
      `mutation { signIn(input: { name: "late", password: "correct horse 1" }) {
         ... on ViewerSuccess { viewer { user { name } } } ... on MutationError { code message } } }`,
    )
    expect(signIn).toEqual({ viewer: { user: { name: 'late' } } })
    const { status, content } = await client.upload(
      JSON.stringify(dogResults(IMAGES, () => 'a dog in a park')),
    )
    expect({ status, content }).toMatchObject({ status: 201, content: { id: expect.any(String) } })
    const { submit } = await client.ask(
      `mutation ($upload: ID!) { submit(input: { challenge: "dogs", upload: $upload }) {
         ... on SubmitSuccess { submissions { id } } ... on MutationError { code message } } }`,
      { upload: content.id },
    )
    expect(submit).toMatchObject({ submissions: [{ id: expect.any(String) }] })
    const ended = sql`SELECT status FROM job WHERE kind = 'submission'`
    await expect.poll(() => world.database.all(ended)).toEqual([{ status: 'DONE' }])
    rmSync(join(disk.path, 'others'))
  })
})

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(disk.path)
  return bavail * bsize
}

function uploadsLeft({ location }: World): string[] {
  const folder = `${location}-uploads`
  return existsSync(folder) ? readdirSync(folder) : []
}

function clientOf(api: Api, headers: Record<string, string>) {
  return {
    async upload(body: RequestInit['body']): Promise<{ readonly status: number; readonly content: Json }> {
      const response = await fetch(new URL('uploads', api.url), {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body,
        duplex: 'half',
      } as RequestInit)
      return { status: response.status, content: await response.json() }
    },
    async ask(query: string, variables: Json = {}): Promise<Json> {
      const response = await fetch(api.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors }: Json = await response.json()
      expect(errors).toBeUndefined()
      return data
    },
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { toGlobalId } from '../../src/api/shared/ids.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { createChallenge } from '../../src/services/challenges/challenges.js'
import { submit } from '../../src/services/challenges/submit.js'
import { sql } from '../../src/store/engine/sql.js'
import { memberOf } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { uploadOf } from '../kit/uploads.js'
import { signInViewers } from '../kit/viewers.js'

/** Who sees an image of a private dataset that a collection describes again, by each path to it. */

const world = await initWorld()
const ROLES = [
  'anonymous',
  'stranger',
  'annotator',
  'rival',
  'teammate',
  'host',
  'otherHost',
  'administrator',
] as const
type Role = (typeof ROLES)[number]

const HOSTS: readonly Role[] = ['host', 'otherHost', 'administrator']
/** Those who were given an image, but for rivals. */
const SHOWN: readonly Role[] = ['annotator', ...HOSTS]

let api: Api
let headersOf: Readonly<Record<Role, Record<string, string>>>
/** The image that each role with an account was given, and another one. */
const given = '1'
const other = '2'
let nodes: Readonly<Record<string, string>>

beforeAll(async () => {
  const { accord, database } = world
  const pictures = join(world.folder, 'pictures')
  mkdirSync(pictures)
  for (const id of [given, other]) writeFileSync(join(pictures, `${id}.png`), `picture ${id}`)
  const file = join(world.folder, 'kept.json')
  const captions = ['A dog runs.', 'The dog runs.']
  writeFileSync(file, JSON.stringify({ [given]: captions, [other]: captions }))
  const source = { path: file }
  await accord.run('importCaptions', {
    dataset: 'kept',
    file: source,
    isPrivate: true,
    imagesFolder: pictures,
  })
  await accord.run('importCollection', { dataset: 'kept', captionsPerImage: 9 })
  api = await world.serve({ accounts: 'OPEN', workers: 0 })
  const { accounts, sessions, headers } = await signInViewers(accord, api)
  const login = { password: 'correct horse 1' }
  const signedIn = async (name: string) => {
    const session = await accounts.signUp({ ...login, name }, 'a')
    return { session, headers: { cookie: `accord_session=${session}`, origin: new URL(api.url).origin } }
  }
  const [stranger, teammate] = [await signedIn('stan'), await signedIn('tom')]
  headersOf = {
    ...headers,
    annotator: headers.member,
    stranger: stranger.headers,
    teammate: teammate.headers,
  }

  const idOf = async (name: string) =>
    (await database.all<{ id: string }>(sql`SELECT id FROM account_user WHERE name = ${name}`))[0].id
  const [{ id: team }] = await database.all<{ id: string }>(sql`SELECT id FROM team WHERE name = 'Rivals'`)
  await accounts.acceptInvitation(
    teammate.session,
    (await accounts.inviteMember(sessions.rival, team, 'tom')).secret,
  )

  // They are given the image before the rival submits.
  const [image] = await database.all<{ id: number; collectionId: number }>(
    sql`SELECT id, collection_id AS "collectionId" FROM collection_image WHERE external_id = ${given}`,
  )
  for (const name of ['mary', 'rita', 'tom'])
    await database.run(sql`
      INSERT INTO collection_task (collection_id, image_id, annotator, status, taken_at, expires_at)
      VALUES (${image.collectionId}, ${image.id}, ${await idOf(name)}, 'TAKEN', '2020-01-01T00:00:00.000Z',
        '2020-01-01T00:10:00.000Z')`)
  const phase = { name: 'main', dataset: 'kept', closesAt: '2126-01-01T00:00:00Z', metrics: ['BLEU-1'] }
  await createChallenge(accord, OPEN_VIEWER, { name: 'kept', phases: [phase] })
  const results = [given, other].map((id) => ({ image_id: id, caption: 'a dog' }))
  const upload = await uploadOf(accord, results)
  const rival = memberOf(team, { id: await idOf('rita'), name: 'rita' })
  await submit(accord, rival, { challenge: 'kept', upload })

  const rowId = async (table: 'image' | 'caption') =>
    (
      await database.all<{ id: number }>(
        table === 'image'
          ? sql`SELECT id FROM image WHERE external_id = ${given}`
          : sql`SELECT id FROM caption ORDER BY id LIMIT 1`,
      )
    )[0].id
  nodes = {
    Image: toGlobalId('Image', await rowId('image')),
    Caption: toGlobalId('Caption', await rowId('caption')),
    CollectionImage: toGlobalId('CollectionImage', image.id),
  }
})

/** The roles to which a path shows something. */
async function rolesOf(shows: (role: Role) => Promise<boolean>): Promise<Role[]> {
  const shown: Role[] = []
  for (const role of ROLES) if (await shows(role)) shown.push(role)
  return shown
}

describe.each(['GET', 'HEAD'])('the picture of an image by %s', (method) => {
  const statusOf = async (id: string, role: Role) =>
    (await fetch(new URL(`/pictures/kept/${id}`, api.url), { method, headers: headersOf[role] })).status

  it('is for hosts, and for annotators who were given the image and take part in no challenge on it', async () => {
    expect(await rolesOf(async (role) => (await statusOf(given, role)) === 200)).toEqual(SHOWN)
  })

  it('that an annotator was not given is for hosts', async () => {
    expect(await rolesOf(async (role) => (await statusOf(other, role)) === 200)).toEqual(HOSTS)
  })

  it('is as unknown to others as one that does not exist', async () => {
    for (const role of ROLES) expect(await statusOf('3', role), role).toBe(404)
    for (const role of ROLES.filter((one) => !HOSTS.includes(one)))
      expect(await statusOf(other, role), role).toBe(404)
  })
})

const FIELDS = 'externalId picture'

/** Queries that lead to images, with who gets one. */
const PATHS: readonly (readonly [path: string, query: () => string, shown: readonly Role[]])[] = [
  ['Dataset.images', () => `{ dataset(name: "kept") { images { nodes { ${FIELDS} } } } }`, HOSTS],
  [
    'Dataset.image',
    () => `{ dataset(name: "kept") { image(externalId: "1") { ${FIELDS} next { ${FIELDS} } } } }`,
    HOSTS,
  ],
  ['node of an image', () => `{ node(id: "${nodes.Image}") { ... on Image { ${FIELDS} } } }`, HOSTS],
  [
    'node of a caption',
    () => `{ node(id: "${nodes.Caption}") { ... on Caption { image { ${FIELDS} } } } }`,
    HOSTS,
  ],
  [
    'node of an image of a collection',
    () => `{ node(id: "${nodes.CollectionImage}") { ... on CollectionImage { ${FIELDS} } } }`,
    HOSTS,
  ],
  ['Collection.images', () => `{ collection(name: "kept") { images { nodes { ${FIELDS} } } } }`, HOSTS],
  [
    'CollectionImage.datasetImage',
    () => `{ collection(name: "kept") { images { nodes { datasetImage { ${FIELDS} } } } } }`,
    HOSTS,
  ],
  [
    'takeTask',
    () => `mutation { takeTask(input: { collection: "kept" }) { ... on TakeTaskSuccess { task { collectionImage {
      ${FIELDS} } } } } }`,
    ['stranger', ...SHOWN],
  ],
]

/** Whether an answer has an image, at any depth. */
const hasImage = (value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (typeof value.externalId === 'string' || Object.values(value).some((part) => hasImage(part as Json)))

it.each(PATHS)('%s has images for those who may see them', async (_path, query, shown) => {
  const answers = async (role: Role) =>
    hasImage((await api.post(JSON.stringify({ query: query() }), headersOf[role])).data ?? null)
  expect(await rolesOf(answers)).toEqual(shown)
})

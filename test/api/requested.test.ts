import { beforeAll, describe, expect, it } from 'vitest'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve()
})

/** The columns that the statements on a table read. */
async function columnsOf(table: string, fields: string): Promise<string[]> {
  const statements = await world.statementsOf(() => api.ask(`{ dataset(name: "pets") { ${fields} } }`))
  return statements.flatMap((text) =>
    [...text.matchAll(new RegExp(`\\b${table}\\."(\\w+)" AS`, 'g'))].map(([, column]) => column),
  )
}

describe('columns are read if they are requested', () => {
  it.each([
    ['image', 'images { nodes { externalId } }', ['id', 'external_id']],
    ['image', 'images { edges { cursor node { ... { width } } } totalCount }', ['id', 'width']],
    [
      'image',
      'images { nodes { externalId url @skip(if: true) ... @include(if: false) { width } } }',
      ['id', 'external_id'],
    ],
    ['caption', 'images { nodes { id captions @include(if: false) { text } } }', []],
  ])('of %s: %s', async (table, fields, columns) => {
    expect(await columnsOf(table, fields)).toEqual(columns)
  })
})

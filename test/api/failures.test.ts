import { beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/api/schema/limits.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve()
})

const failing = (count: number) =>
  `{ dataset(name: "pets") { words(first: 8) { nodes { ${Array.from({ length: count }, (_, i) => `a${i}: agreement(references: ${i + 50}) { precision }`).join(' ')} } } } }`

describe('fields that fail', () => {
  it('have an error each', async () => {
    const { data, errors } = await api.query(failing(LIMITS.errors / 10))
    expect(data.dataset.words.nodes).toHaveLength(8)
    expect(errors).toHaveLength((8 * LIMITS.errors) / 10)
  })

  it('are given up together where they are too many', async () => {
    const { data, errors } = await api.query(failing(40))
    expect({ data, errors }).toEqual({
      data: null,
      errors: [
        {
          message: expect.stringMatching(
            /^The query fails in more than 100 fields\. One of them: references: invalid number of references/,
          ),
          extensions: { code: 'TOO_COSTLY' },
        },
      ],
    })
  })
})

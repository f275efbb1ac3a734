import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { importPets } from '../kit/pets.js'
import { initWorld } from '../kit/seed.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Documents of one measurement. */
const DOCUMENTS = 80

it('what is kept of different documents has a plateau, however many are sent', async () => {
  const world = await initWorld()
  await importPets(world)
  const api = await world.serve()
  let sent = 0
  /** The heap in megabytes after more documents, each executed more than once. */
  async function heapAfterMore(): Promise<number> {
    for (let count = 0; count < DOCUMENTS; count++, sent++) {
      const words = Array.from({ length: 40 }, (_, index) => `w${index}: word(text: "dog") { id text }`)
      // Documents are dropped by their length.
      const query = `{ dataset(name: "pets") { n${sent}: name ${words.join(' ')} } } #${'.'.repeat(5000)}`
      for (let execution = 0; execution < 2; execution++) {
        const { data } = await api.query(query)
        expect(data?.dataset?.[`n${sent}`]).toBe('pets')
      }
    }
    collectGarbage()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const before = await heapAfterMore()
  await heapAfterMore()
  const middle = await heapAfterMore()
  const after = await heapAfterMore()
  expect(after - middle).toBeLessThan(before / 10)
})

import { beforeAll, describe, expect, it } from 'vitest'
import { provenanceById, wordProvenance } from '../../src/services/provenance.js'
import { scoresBySystem } from '../../src/services/scores.js'
import { requireSystems } from '../../src/services/systems.js'
import { rejectionOf } from '../kit/boxes.js'
import { ENGINES } from '../kit/databases.js'
import { initPark } from './kit.js'

describe.each(ENGINES)('how figures were made, on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
    await park.park.evaluate('captioner')
  })

  it('is stored beside scores of metrics', async () => {
    const [{ id }] = await requireSystems(park.accord, park.park.row, ['captioner'])
    const scores = (await scoresBySystem(park.accord, [id])).get(id)!
    const records = await provenanceById(
      park.accord,
      scores.map(({ provenanceId }) => provenanceId!),
    )
    expect(scores.map(({ provenanceId }) => records.get(provenanceId!)?.metric)).toEqual(
      scores.map(({ metric }) => metric),
    )
    expect((await provenanceById(park.accord, [])).size).toBe(0)
  })

  it('is known of figures of words, of people and of systems', async () => {
    const [detector, oracle] = await requireSystems(park.accord, park.park.row, ['detector', 'oracle'])
    const of = (options: Parameters<typeof wordProvenance>[2]) =>
      wordProvenance(park.accord, park.park.row, options)
    const people = await of({ figure: 'PHR', system: null })
    const system = await of({ figure: 'PHR', system: detector })
    expect(people.signature).toBe(system.signature)
    expect(people.record).toEqual({
      ...system.record,
      subject: { kind: 'people', content: park.park.row.revision },
    })
    expect(system.record.subject).toEqual({ kind: 'system', content: detector.content })
    expect((await of({ figure: 'PHR', system: oracle })).record.images).toEqual(system.record.images)
    const others = await Promise.all([
      of({ figure: 'AVERAGE_PRECISION', system: detector }),
      of({ figure: 'PHR', system: detector, references: 1 }),
      of({ figure: 'PHR', system: detector, partOfSpeech: ['NN'] }),
    ])
    expect(new Set([system, ...others].map(({ signature }) => signature)).size).toBe(4)
    expect(await rejectionOf(of({ figure: 'PHR', system: null, references: 3 }))).toMatch(
      /^OUT_OF_RANGE references/,
    )
  })
})

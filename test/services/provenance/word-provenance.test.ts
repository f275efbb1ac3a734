import { beforeAll, describe, expect, it } from 'vitest'
import { scoresBySystem } from '../../../src/services/evaluations/scores.js'
import {
  provenanceById,
  usageFitProvenance,
  usageModelProvenance,
  vocabularyRecord,
  wordProvenance,
} from '../../../src/services/provenance/word-provenance.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { ENGINES } from '../../kit/databases.js'
import { initPark } from '../kit.js'

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
    const { row } = park.park
    const [detector, oracle] = await requireSystems(park.accord, row, ['detector', 'oracle'])
    const words = await vocabularyRecord(park.accord, row)
    const people = wordProvenance(row, null, { figure: 'PHR', words })
    const system = wordProvenance(row, detector, { figure: 'PHR', words })
    expect(people.signature).toBe(system.signature)
    expect(people.record).toEqual({ ...system.record, subject: { kind: 'people', content: row.revision } })
    expect(system.record.subject).toEqual({ kind: 'system', content: detector.content })
    expect(wordProvenance(row, oracle, { figure: 'PHR', words }).record.images).toEqual(system.record.images)
    const others = [
      wordProvenance(row, detector, { figure: 'AVERAGE_PRECISION', words }),
      wordProvenance(row, detector, { figure: 'PHR', words, references: 1 }),
      wordProvenance(row, detector, {
        figure: 'PHR',
        words: await vocabularyRecord(park.accord, row, { partOfSpeech: ['NN'] }),
      }),
      wordProvenance(row, detector, { figure: 'PHR', words: 'dog' }),
      usageFitProvenance(row, words, 'MOMENT', 2),
      usageFitProvenance(row, words, 'BINOMIAL', 2),
      usageModelProvenance(row, 'dog', 'MOMENT'),
    ]
    expect(new Set([system, ...others].map(({ signature }) => signature)).size).toBe(8)
    expect(() => wordProvenance(row, null, { figure: 'PHR', words, references: 3 })).toThrow(/references: /)
  })

  it('names a single word, and the seed of random groups of images', async () => {
    const { row } = park.park
    const { record, signature } = wordProvenance(row, null, { figure: 'WORD_PRECISION', words: 'dog' })
    expect(record).toMatchObject({ parameters: { word: 'dog' }, resources: {}, seed: null })
    expect(signature).toMatch(/^WORD_PRECISION\|word:dog\|refs:2\|images:3\|/)
    const mean = wordProvenance(row, null, {
      figure: 'WORD_PRECISION',
      words: await vocabularyRecord(park.accord, row),
    })
    expect(mean.record).toMatchObject({ parameters: { words: '3' }, seed: 1 })
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { measureDiversity } from '../../src/services/diversity/diversity.js'
import { type Api, initWorld, type SeededDataset } from '../kit/seed.js'

const FIGURE = '{ value undefinedReason }'
const FIGURES = `meanLength ${FIGURE} lengthDeviation ${FIGURE} types ${FIGURE} wordTypeTokenRatio ${FIGURE}
  bigramTypeTokenRatio ${FIGURE} distinctShare ${FIGURE} vocabularyShare ${FIGURE} localRecall ${FIGURE}
  localRecallOfAll ${FIGURE} unseenShare ${FIGURE}`

describe('diversity', async () => {
  const world = await initWorld()
  let api: Api
  let park: SeededDataset

  beforeAll(async () => {
    park = await world.dataset('park', {
      images: {
        1: ['a dog', 'the dog runs', 'a big dog'],
        2: ['a man', 'a man walks', 'somebody'],
        3: ['a'],
      },
    })
    await park.captionSystem('walker', { 1: 'a dog walks', 2: 'a man walks' })
    await park.captionSystem('copier', { 1: 'a dog', 2: 'a man', 3: 'a dog' })
    await world.dataset('training', { images: { 1: ['a dog'] } })
    api = await world.serve({ workers: 1 })
  })

  it('has a person and systems as they are measured', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "park") { diversity(training: "training") {
      imageCount excludedImageCount tokenCount notes signature provenance { metricName isHuman }
      people { ${FIGURES} }
      systems { totalCount nodes { system { name } figures { ${FIGURES} } signature provenance { isHuman } } }
    } } }`)
    const report = await measureDiversity(world.accord, park.row, { training: 'training' })
    const ofSide = ({ record: _, signature: __, ...figures }: typeof report.people) => figures
    expect(dataset.diversity).toEqual({
      imageCount: 2,
      excludedImageCount: 1,
      tokenCount: report.tokenCount,
      notes: expect.arrayContaining([expect.stringContaining('caption of training')]),
      signature: report.people.signature,
      provenance: { metricName: 'diversity', isHuman: true },
      people: ofSide(report.people),
      systems: {
        totalCount: 2,
        nodes: ['copier', 'walker'].map((name) => {
          const found = report.systems.find(({ system }) => system === name)
          const { systemId: _, system, signature, ...figures } = found as NonNullable<typeof found>
          return {
            system: { name: system },
            figures: ofSide({ ...figures, signature }),
            signature,
            provenance: { isHuman: false },
          }
        }),
      },
    })
    expect(dataset.diversity.people.unseenShare.value).toBeCloseTo(5 / 6, 12)
  })

  it.each([
    ['systems: ["many"]', 'UNKNOWN_SYSTEM'],
    ['training: "park"', 'NOT_APPLICABLE'],
    ['training: "nothing"', 'UNKNOWN_DATASET'],
  ])('refuses %s', async (argument, code) => {
    expect(await api.refusal(`{ dataset(name: "park") { diversity(${argument}) { imageCount } } }`)).toEqual([
      code,
    ])
  })
})

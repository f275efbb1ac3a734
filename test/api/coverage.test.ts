import { beforeAll, describe, expect, it } from 'vitest'
import { measureCoverage } from '../../src/services/coverage/coverage.js'
import { type Api, initWorld, type Json, type SeededDataset } from '../kit/seed.js'

const FIGURE = '{ value standardError interval { lower upper } undefinedReason isSmall }'

describe('coverage', async () => {
  const world = await initWorld()
  let api: Api
  let park: SeededDataset

  beforeAll(async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `${index + 1}`)
    park = await world.dataset('park', {
      images: Object.fromEntries(
        ids.map((id, i) => [
          id,
          [`a dog${i % 3}`, `the dog${i % 3} runs`, `dog${i % 2} runs to tree${i % 4}`],
        ]),
      ),
    })
    await park.captionSystem(
      'long',
      Object.fromEntries(ids.map((id, i) => [id, `a dog${i % 3} runs and tree${i % 4}`])),
    )
    await park.captionSystem('few', { 2: 'a dog1', 3: 'the dog2' })
    api = await world.serve({ workers: 1 })
  })

  it('has the objects that nothing confirms', async () => {
    const images = { 2: ['a dog', 'the dog runs'], 3: ['a dog', 'a tree'], 4: ['a dog', 'dogs'] }
    const dogs = await world.dataset('dogs', { images })
    await dogs.captionSystem('dreamer', { 2: 'a kite and a kite', 3: 'a dog and a kite', 4: 'a car' })
    const { dataset } = await api.ask(`{ dataset(name: "dogs") { system(name: "dreamer") {
      unconfirmedObjects(first: 1) { totalCount nodes {
        name mentionCount imageCount images { externalId } captionCount humanCaptionCount rate humanRate isAnnotated
      } }
      open: unconfirmedObjects(isOpen: true) { nodes { name } }
    } } }`)
    const { unconfirmedObjects, open } = dataset.system
    expect(unconfirmedObjects).toEqual({
      totalCount: 2,
      nodes: [
        {
          name: 'kite',
          mentionCount: 3,
          imageCount: 2,
          images: [{ externalId: '2' }, { externalId: '3' }],
          captionCount: 2,
          humanCaptionCount: 0,
          rate: 2 / 3,
          humanRate: 0,
          isAnnotated: false,
        },
      ],
    })
    expect(open.nodes.map(({ name }: Json) => name)).toEqual(['kite', 'car'])
    const measured = await api.ask(
      '{ dataset(name: "dogs") { coverage(units: OPEN_OBJECTS) { units signature } } }',
    )
    expect(measured.dataset.coverage).toEqual({
      units: 'OPEN_OBJECTS',
      signature: expect.stringContaining('|units:open-objects|'),
    })
  })

  it('is not needed for the lengths of captions', async () => {
    const { dataset } = await api.ask(
      '{ dataset(name: "park") { wordsPerCaption systems { nodes { name wordsPerCaption } } } }',
    )
    expect(dataset).toEqual({
      wordsPerCaption: 3,
      systems: {
        nodes: [
          { name: 'few', wordsPerCaption: 2 },
          { name: 'long', wordsPerCaption: 5 },
        ],
      },
    })
  })

  it('has people and systems as they are measured', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "park") { coverage(units: TYPES, references: 1) {
      units referenceCount imageCount excludedImageCount summary notes signature provenance { metricName isHuman }
      people { peopleCount wordsPerCaption coverage ${FIGURE} confirmedShare { value } }
      systems { totalCount nodes {
        system { name } imageCount wordsPerCaption consensusCoverage ${FIGURE} peopleEquivalent ${FIGURE}
        confirmedShareBesidePeople ${FIGURE} peopleEquivalentByConsensus { value }
        confirmedShareBesidePeopleByConsensus { value }
        besidePeople { figure peopleCount systemValue peopleValue difference isSmall undefinedReason
          alone { interval { lower upper } pValue better tests level }
          together { interval { lower upper } pValue better tests level } }
        signature provenance { metricName isHuman measuredImages { imageCount } }
      } }
    } } }`)
    const { coverage } = dataset
    const expected = await measureCoverage(world.accord, park.row, { units: 'types', references: 1 })
    const [few, long] = expected.systems
    expect(coverage).toMatchObject({
      units: 'TYPES',
      referenceCount: 1,
      imageCount: 12,
      excludedImageCount: 0,
      summary: expect.stringMatching(/people|person/),
      notes: expect.arrayContaining([expect.stringContaining('Fewer than')]),
      signature: expected.signature,
      provenance: { metricName: 'coverage', isHuman: true },
      people: expected.people.map(({ people, wordsPerCaption, coverage, confirmedShare }) => ({
        peopleCount: people,
        wordsPerCaption,
        coverage,
        confirmedShare: { value: confirmedShare.value },
      })),
    })
    expect(expected.people).toHaveLength(2)
    expect(coverage.systems.totalCount).toBe(2)
    expect(coverage.systems.nodes).toMatchObject(
      [few, long].map((system) => ({
        system: { name: system.system },
        imageCount: system.imageCount,
        wordsPerCaption: system.wordsPerCaption,
        consensusCoverage: system.consensusCoverage,
        peopleEquivalent: system.peopleEquivalent,
        confirmedShareBesidePeople: system.confirmedShareBesidePeople,
        peopleEquivalentByConsensus: { value: system.byConsensus.peopleEquivalent.value },
        confirmedShareBesidePeopleByConsensus: { value: system.byConsensus.confirmedShareBesidePeople.value },
        besidePeople: system.differences.map(({ figure, people, ...difference }) => ({
          figure: {
            coverage: 'COVERAGE',
            consensusCoverage: 'CONSENSUS_COVERAGE',
            confirmedShare: 'CONFIRMED_SHARE',
          }[figure],
          peopleCount: people,
          ...difference,
        })),
        signature: system.signature,
        provenance: { isHuman: false, measuredImages: { imageCount: system.imageCount } },
      })),
    )
  })

  it('has no people if all captions are references', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "park") { coverage(units: TYPES, references: 3) {
      people { peopleCount } undefinedReason systems(first: 1) { nodes {
        besidePeople { difference } peopleEquivalent { value undefinedReason } coverage { undefinedReason }
      } }
    } some: coverage(units: TYPES, references: 1) { undefinedReason } } }`)
    const undefinedReason = 'NO_CAPTION_LEFT'
    const [system] = dataset.coverage.systems.nodes
    expect(dataset.coverage).toMatchObject({ people: null, undefinedReason })
    expect(system).toMatchObject({ besidePeople: null, peopleEquivalent: { value: null, undefinedReason } })
    expect(system.coverage.undefinedReason).not.toBe(undefinedReason)
    expect(dataset.some.undefinedReason).toBeNull()
  })

  it('has single images, as figures over this image alone', async () => {
    const columns = 'externalIds coverages confirmedShares peopleCoverages peopleConfirmedShares signature'
    const { dataset } = await api.ask(`{ dataset(name: "park") {
      few: system(name: "few") { imageCoverage(units: TYPES, references: 1) { ${columns} } }
      rounded: system(name: "few") { imageCoverage(units: TYPES, references: 1) { coverages(digits: 1) } }
      all: system(name: "few") { imageCoverage(references: 3) { peopleCoverages peopleConfirmedShares } }
    } }`)
    // People say "a dog1", "the dog1 runs" and "dog1 runs to tree1" of image 2, and dog2 and dog0 in place of dog1 of image 3. Each caption
    // is once the reference, and once that of the person beside the next one. By hand: of 2, 3 and 4 types, "a dog1" says 2, 1 and 1,
    // and "the dog2" 1, 2 and 0.
    expect(dataset.few.imageCoverage).toEqual({
      externalIds: ['2', '3'],
      coverages: [4 / 9, 3 / 9],
      confirmedShares: [4 / 6, 3 / 6],
      peopleCoverages: [4 / 9, 2 / 9],
      peopleConfirmedShares: [4 / 9, 2 / 9],
      signature: expect.stringContaining('coverage'),
    })
    expect(dataset.rounded.imageCoverage.coverages).toEqual([0.4, 0.3])
    expect(dataset.all.imageCoverage).toEqual({ peopleCoverages: null, peopleConfirmedShares: null })
    expect(
      await api.refusal(
        '{ dataset(name: "park") { system(name: "few") { imageCoverage(references: 4) { signature } } } }',
      ),
    ).toEqual(['OUT_OF_RANGE'])
  })

  it('weighs words by the document frequencies that are named', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "park") {
      own: coverage(references: 1) { people { coverage ${FIGURE} } }
      coco: coverage(references: 1, documents: "coco") { signature people { coverage ${FIGURE} } } } }`)
    const { people, signature } = await measureCoverage(world.accord, park.row, {
      references: 1,
      documents: 'coco',
    })
    expect(dataset.own.people[0].coverage).toMatchObject({ interval: null, undefinedReason: 'OWN_DOCUMENTS' })
    expect(dataset.coco).toEqual({ signature, people: people.map(({ coverage }) => ({ coverage })) })
    expect(people[0].coverage.interval).not.toBeNull()
  })

  it('is a job that is asked for once', async () => {
    const ask = () =>
      api.ask(
        '{ dataset(name: "park") { coverage(systems: ["few"]) { systems { nodes { system { name } } } } } }',
      )
    const first = await ask()
    expect(first.dataset.coverage.systems.nodes).toEqual([{ system: { name: 'few' } }])
    expect(await ask()).toEqual(first)
    const { jobs } = await api.ask(
      '{ jobs(filter: { kinds: [COVERAGE] }) { nodes { kind status input { name text } } } }',
    )
    expect(
      jobs.nodes.filter(({ input }: Json) =>
        input.some((one: Json) => one.name === 'references' && one.text === '2'),
      ),
    ).toEqual([expect.objectContaining({ kind: 'COVERAGE', status: 'DONE' })])
    const { all, queries, others, none } = await api.ask(`{
      all: jobs { totalCount }
      queries: jobs(filter: { isQuery: true }) { totalCount nodes { kind } }
      others: jobs(filter: { isQuery: false }) { totalCount nodes { kind } }
      none: jobs(filter: { isQuery: false, kinds: [COVERAGE] }) { totalCount }
    }`)
    const kindsOf = ({ nodes }: Json) => nodes.map(({ kind }: Json) => kind)
    expect(kindsOf(queries)).toContain('COVERAGE')
    expect(kindsOf(others)).not.toContain('COVERAGE')
    expect(queries.totalCount + others.totalCount).toBe(all.totalCount)
    expect(none.totalCount).toBe(0)
  })

  it.each([
    ['references: 4', 'OUT_OF_RANGE'],
    ['systems: ["many"]', 'UNKNOWN_SYSTEM'],
    ['documents: "nothing"', 'UNKNOWN_DATASET'],
  ])('refuses %s', async (argument, code) => {
    expect(await api.refusal(`{ dataset(name: "park") { coverage(${argument}) { imageCount } } }`)).toEqual([
      code,
    ])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trainBound } from '../../src/services/bounds/bounds.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const SMALL = { validationImages: 2, testImages: 2, minWordCount: 1, embedding: 8, state: 8, epochs: 2 }

/** The same for the API. */
const SMALL_INPUT = {
  validationImageCount: 2,
  testImageCount: 2,
  minWordCount: 1,
  embeddingSize: 8,
  stateSize: 8,
  maxEpochCount: 2,
}

describe('atoms and bounds', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await importPets(world)
    for (const atoms of [0, 2])
      await trainBound(world.accord, { dataset: 'pets', settings: { ...SMALL, atoms } })
    api = await world.serve({ workers: 1 })
  })
  afterAll(() => api?.close())

  it('lists atoms by rank, page by page, and those of captions and images', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "pets") {
      atoms(kind: ENTITY, first: 2) { totalCount pageInfo { hasNextPage endCursor } nodes { text rank occurrenceCount imageCount } }
      image(externalId: "10") { atoms { kind text } captions { text atoms { kind text } } } } }`)
    expect(dataset.atoms).toMatchObject({
      nodes: [
        { text: 'dog', rank: 1, occurrenceCount: 6, imageCount: 3 },
        { text: 'cat', rank: 2, occurrenceCount: 4, imageCount: 2 },
      ],
      pageInfo: { hasNextPage: true },
    })
    const [first] = dataset.image.captions
    expect(first.atoms).toEqual([
      { kind: 'ENTITY', text: 'dog' },
      { kind: 'ACTION', text: 'run' },
      { kind: 'ENTITY', text: 'grass' },
    ])
    expect(dataset.image.atoms).toContainEqual({ kind: 'ATTRIBUTE', text: 'brown' })
    const { dataset: next } = await api.ask(
      `query ($after: String) { dataset(name: "pets") { atoms(kind: ENTITY, first: 1, after: $after) { nodes { rank } } } }`,
      { after: dataset.atoms.pageInfo.endCursor },
    )
    expect(next.atoms.nodes).toEqual([{ rank: 3 }])
  })

  it('shows bounds with losses, captions and figures', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "pets") {
      bounds { nodes { id kind atomCount isTrained perplexity losses { step trainingLoss validationLoss }
               settings { embeddingSize stateSize maxEpochCount } split { trainingImageCount validationImageCount testImageCount }
               result { stepCount knownWordCount knownAtomCount seconds }
               system { name bound { atomCount } scores { value } } } }
      boundFigures { metric { name } split { testImageCount } points { bound { atomCount } value interval { lower upper } }
                     capacities { system { name } kind value atomCount beyond endAtomCount interval { lower upper } isIntervalCut undefinedReason }
                     incompleteSystems { nodes { name } } retrieval { value } people { value interval { lower } undefinedReason } humanReferenceCount }
      systems { nodes { name } } all: systems(isBoundIncluded: true) { nodes { name } }
      leaderboards(metrics: ["CIDEr"]) { rows { nodes { subject { name } } } }
      withBounds: leaderboards(metrics: ["CIDEr"], isBoundIncluded: true) { rows { nodes { subject { name } } } }
      images(first: 10) { nodes {
        systemCaptions(isBoundIncluded: true) { nodes { system { bound { atomCount } } scores(metrics: ["METEOR"], references: 2) { value } } }
        captions { likelihoods { nodes { logLikelihood perplexity bound { atomCount } } } } } } } }`)
    expect(dataset.bounds.nodes).toMatchObject([
      {
        kind: 'ALL',
        atomCount: 0,
        isTrained: true,
        system: { name: 'bound-all-0', bound: { atomCount: 0 } },
      },
      { kind: 'ALL', atomCount: 2, isTrained: true },
    ])
    expect(dataset.bounds.nodes[1]).toMatchObject({
      settings: { embeddingSize: 8, stateSize: 8, maxEpochCount: 2 },
      split: { validationImageCount: 2, testImageCount: 2 },
      result: { stepCount: 2, knownWordCount: expect.any(Number), knownAtomCount: expect.any(Number) },
    })
    expect(dataset.bounds.nodes[0].losses.length).toBeGreaterThan(0)
    const { boundFigures } = dataset
    expect(
      boundFigures.points.map((point: { bound: { atomCount: number } }) => point.bound.atomCount),
    ).toEqual([0, 2])
    expect(boundFigures).toMatchObject({ metric: { name: 'CIDEr' }, split: { testImageCount: 2 } })
    expect(boundFigures.retrieval.value).toBeGreaterThan(0)
    expect(boundFigures.people).toEqual({
      value: expect.any(Number),
      interval: null,
      undefinedReason: 'TOO_FEW_IMAGES',
    })
    expect(boundFigures.humanReferenceCount).toBe(2)
    expect(boundFigures.capacities.map((one: { system: { name: string } }) => one.system.name)).toEqual([
      'copycat',
      'guesser',
      'newcomer',
    ])
    expect(dataset.all.nodes.map(({ name }: Json) => name)).toEqual(
      [...dataset.systems.nodes.map(({ name }: Json) => name), 'bound-all-0', 'bound-all-2'].sort(),
    )
    const namesOf = ([{ rows }]: Json[]) => rows.nodes.map(({ subject }: Json) => subject.name)
    expect(namesOf(dataset.leaderboards)).not.toContain('bound-all-2')
    expect(namesOf(dataset.withBounds)).toContain('bound-all-2')
    // Beside people, whose captions have two references.
    const ofBounds = dataset.images.nodes
      .flatMap((image: Json) => image.systemCaptions.nodes)
      .filter(({ system }: Json) => system.bound?.atomCount === 2)
    expect(ofBounds).toHaveLength(2)
    expect(ofBounds.flatMap(({ scores }: Json) => scores).length).toBeGreaterThan(0)
    const likelihoods = dataset.images.nodes.flatMap((image: Json) =>
      image.captions.flatMap((caption: Json) => caption.likelihoods.nodes),
    )
    expect(likelihoods.length).toBeGreaterThan(3)
    for (const { logLikelihood, perplexity } of likelihoods) {
      expect(logLikelihood).toBeLessThan(0)
      expect(perplexity).toBeGreaterThan(1)
    }
  })

  const START = `mutation ($input: TrainBoundInput!) { trainBound(input: $input) {
    ... on JobSuccess { job { id status result { ... on Bound { id atomCount } } } } ... on MutationError { code message } } }`

  it('are trained by workers; the same job is returned for the same bound', async () => {
    const start = async (input: Json) =>
      (await api.ask(START, { input: { dataset: 'pets', ...SMALL_INPUT, ...input } })).trainBound
    const { job: existing } = await start({ atomCount: 2 })
    expect(await api.ended(existing.id)).toMatchObject({ status: 'DONE' })
    const input = { atomCount: 1, maxEpochCount: 10_000, patience: 1_000_000 }
    const { job: started } = await start(input)
    expect((await start(input)).job.id).toBe(started.id)
    const follow = async () =>
      (
        await api.ask(
          'query ($id: ID!) { bound(id: $id) { trainingProgress { stepCount maxStepCount examplesPerSecond expectedEnd } losses { validationLoss } } }',
          { id: started.result.id },
        )
      ).bound
    await expect
      .poll(async () => (await follow()).trainingProgress)
      .toEqual({
        stepCount: expect.any(Number),
        maxStepCount: expect.any(Number),
        examplesPerSecond: expect.any(Number),
        expectedEnd: expect.stringMatching(/^2.*Z$/),
      })
    expect((await follow()).losses.length).toBeGreaterThan(0)
    const { cancelJob } = await api.ask(
      'mutation ($id: ID!) { cancelJob(input: { id: $id }) { ... on JobSuccess { job { status } } ... on MutationError { code } } }',
      { id: started.id },
    )
    expect(cancelJob).toEqual({ job: { status: 'CANCELLED' } })
    const { bound } = await api.ask(
      'query ($id: ID!) { bound(id: $id) { atomCount isTrained job { id status failure { code } } } }',
      { id: started.result.id },
    )
    expect(bound).toEqual({
      atomCount: 1,
      isTrained: false,
      job: { id: started.id, status: 'CANCELLED', failure: null },
    })
  })

  it.each([
    [{ atomCount: 1, replaced: 2 }, 'OUT_OF_RANGE'],
    [{ atomCount: 1, testImageCount: 100 }, 'NOT_APPLICABLE'],
  ])('are refused with %j', async (input, code) => {
    const { trainBound: refused } = await api.ask(START, { input: { dataset: 'pets', ...input } })
    expect(refused.code).toBe(code)
  })

  it('have visual votes', async () => {
    const vote = (voter: string, visual: string[], notVisual: string[]) =>
      api.ask(
        `mutation ($input: AtomVotesInput!) { voteOnAtoms(input: $input) {
           ... on VoteOnAtomsSuccess { dataset { name } } ... on MutationError { code } } }`,
        { input: { dataset: 'pets', voter, kind: 'ENTITY', visual, notVisual } },
      )
    await vote('anna', ['dog', 'cat'], [])
    await vote('ben', ['dog'], ['cat'])
    await vote('cem', ['dog'], ['cat'])
    await vote('cem', ['dog'], ['cat'])
    expect((await vote('cem', ['unicorn'], [])).voteOnAtoms.code).toBe('UNKNOWN_WORD')
    expect((await vote('cem', ['dog'], ['dog'])).voteOnAtoms.code).toBe('DUPLICATE_ID')
    const { dataset } = await api.ask(`{ dataset(name: "pets") { atomVotes {
      kinds { kind decidedCount visualShare kappa } atoms { nodes { text visualCount voterCount isVisual } } } } }`)
    expect(dataset.atomVotes).toEqual({
      kinds: [{ kind: 'ENTITY', decidedCount: 2, visualShare: 0.5, kappa: expect.any(Number) }],
      atoms: {
        nodes: [
          { text: 'cat', visualCount: 1, voterCount: 3, isVisual: false },
          { text: 'dog', visualCount: 3, voterCount: 3, isVisual: true },
        ],
      },
    })
  })
})

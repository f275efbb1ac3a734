import { beforeAll, describe, expect, it } from 'vitest'
import { openAccord } from '../../src/services/open-accord.js'
import { addTrainingData } from '../kit/composites.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const INPUT = { name: 'EvalRB', features: ['ROUGE-L', 'BLEU-1'], data: 'train', validation: 'rated' }

const TRAIN = `mutation ($input: TrainCompositeInput!) { trainComposite(input: $input) {
  ... on JobSuccess { job { id status } } ... on MutationError { code message } } }`

describe('composite metrics', async () => {
  const world = await initWorld()
  const other = await initWorld()
  let api: Api
  let idle: Api

  beforeAll(async () => {
    await addTrainingData(world)
    api = await world.serve({ workers: 1 })
    await addTrainingData(other)
    idle = await other.serve()
  })

  const trainingOf = async (id: string): Promise<Json> =>
    (
      await api.ask(
        `{ job(id: "${id}") { id status progress message endedAt result { ... on CompositeTraining {
             networks { hidden activation dropout seed epochs { loss validationAgreement } } artefact { id name hash seed bestEpoch epochs { loss validationAgreement } } } } } }`,
      )
    ).job

  it('are trained by workers, listed, used, and removed', async () => {
    const { trainComposite } = await api.ask(TRAIN, { input: INPUT })
    const { id } = trainComposite.job
    await expect.poll(async () => (await trainingOf(id)).status).toBe('DONE')
    const { progress, result } = await trainingOf(id)
    const { artefact, networks } = result
    expect(progress).toBe(1)
    expect(networks).toHaveLength(20)
    expect(networks.map(({ epochs }: Json) => epochs)).toContainEqual(artefact.epochs)
    expect(networks[3]).toMatchObject({ hidden: [16, 8], activation: 'TANH', dropout: 0.2, seed: 1 })
    const taus = artefact.epochs.map(({ validationAgreement }: Json) => validationAgreement)
    expect(taus[artefact.bestEpoch]).toBe(Math.max(...taus))
    expect((await api.ask(`{ node(id: "${id}") { __typename } }`)).node).toEqual({ __typename: 'Job' })

    const { artefacts, metrics } = await api.ask(
      `{ artefacts { nodes { name hash features { metric { name isDefault } signature } trainingData { objective datasetName captionCount excludedImageCount } validationData { datasetName } } }
         metrics(last: 1) { nodes { name isDefault } } }`,
    )
    expect(artefacts.nodes).toMatchObject([
      {
        name: 'EvalRB',
        hash: artefact.hash,
        features: [{ metric: { name: 'ROUGE-L', isDefault: true } }, { metric: { name: 'BLEU-1' } }],
        trainingData: { objective: 'ORIGIN', datasetName: 'train', captionCount: 236, excludedImageCount: 1 },
        validationData: { datasetName: 'rated' },
      },
    ])
    expect(metrics.nodes).toEqual([{ name: 'EvalRB', isDefault: false }])

    const { startEvaluation } = await api.ask(
      `mutation { startEvaluation(input: { dataset: "train", system: "good", metrics: ["EvalRB"] }) {
        ... on JobSuccess { job { id } } } }`,
    )
    expect((await api.ended(startEvaluation.job.id)).status).toBe('DONE')
    const scores = '{ dataset(name: "train") { system(name: "good") { scores { metric { name } value } } } }'
    expect((await api.ask(scores)).dataset.system.scores).toMatchObject([{ metric: { name: 'EvalRB' } }])

    const accord = await openAccord({ location: world.location, threadCount: 1, hasWorkers: true })
    const fresh = await world.serve({ accord })
    const query = `{ dataset(name: "train") {
      good: system(name: "good") { scores(metrics: ["EvalRB"]) { value } score(metric: "EvalRB") { undefinedReason } }
      bad: system(name: "bad") { scores(metrics: ["EvalRB"]) { value } score(metric: "EvalRB") { undefinedReason } }
      leaderboards(metrics: ["EvalRB"]) { rows { nodes { subject { name } rank } } }
    } }`
    const { good, bad, leaderboards } = (await fresh.ask(query)).dataset
    expect([good.score, bad]).toEqual([
      // All captions of the system have the same score.
      { undefinedReason: 'NO_VARIATION' },
      { scores: null, score: { undefinedReason: 'NOT_COMPUTED' } },
    ])
    expect(leaderboards[0].rows.nodes[0]).toMatchObject({ subject: { name: 'good' }, rank: 1 })
    await fresh.close()
    await accord.close()

    const { removeArtefact } = await api.ask(
      'mutation { removeArtefact(input: { name: "EvalRB" }) { ... on RemovalSuccess { removedId } } }',
    )
    expect(removeArtefact).toEqual({ removedId: artefact.id })
    expect((await api.ask(scores)).dataset.system.scores).toBeNull()
    expect((await trainingOf(id)).result.artefact).toBeNull()
  })

  it('are not trained if the training is cancelled', async () => {
    // Servers of one database share its workers: this one has another database, and none.
    const { trainComposite } = await idle.ask(TRAIN, { input: INPUT })
    const { id } = trainComposite.job
    const { cancelJob } = await idle.ask(
      `mutation { cancelJob(input: { id: "${id}" }) { ... on JobSuccess { job { status result { ... on CompositeTraining { artefact { name } } } } } } }`,
    )
    expect(cancelJob.job).toEqual({ status: 'CANCELLED', result: { artefact: null } })
    expect((await idle.ask('{ artefacts { nodes { name } } }')).artefacts.nodes).toEqual([])
  })

  it.each([
    [{ name: 'meteor' }, 'NAME_TAKEN'],
    [{ name: 'a b' }, 'INVALID_VALUE'],
    [{ data: 'missing' }, 'UNKNOWN_DATASET'],
    [{ validation: 'missing' }, 'UNKNOWN_DATASET'],
    [{ features: ['BLEU-1', 'NOPE'] }, 'UNKNOWN_METRIC'],
  ])('are refused: %j', async (changes, code) => {
    const { trainComposite } = await api.ask(TRAIN, { input: { ...INPUT, ...changes } })
    expect(trainComposite.code).toBe(code)
  })
})

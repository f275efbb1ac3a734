import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TrainedComposite } from '../../../src/core/composite/artefact.js'
import { AccordError } from '../../../src/errors.js'
import { finishArtefact, readArtefact } from '../../../src/formats/models/artefact-file.js'
import { CANCELLATION, runJob } from '../../../src/queue/run-job.js'
import { humanAgreement } from '../../../src/services/agreement/agreement.js'
import {
  curvesByTraining,
  exportArtefact,
  listArtefacts,
  removeArtefact,
  requireArtefact,
  startCompositeTraining,
  trainComposites,
} from '../../../src/services/composites/composites.js'
import type { TrainCompositeInput } from '../../../src/services/composites/train-composite.js'
import { listMetrics, requireMetric } from '../../../src/services/evaluations/metrics.js'
import { jobsById } from '../../../src/services/jobs/jobs.js'
import { judge } from '../../../src/services/judgements/judgements.js'
import { evaluateSystem } from '../../../src/services/scoring/evaluate.js'
import { threadsOf } from '../../../src/services/shared/computing.js'
import { keyBy } from '../../../src/services/shared/groups.js'
import { KINDS } from '../../../src/services/workers/kinds.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { findImages, readImageIds } from '../../../src/store/images.js'
import { claimJob } from '../../../src/store/jobs.js'
import { readJudgedCaptions, readJudgedScores, requireJudgementSet } from '../../../src/store/judgements.js'
import { readAgreementStatistics, readStatistics, type StoredStatistics } from '../../../src/store/scores.js'
import { requireSystem } from '../../../src/store/systems.js'
import { addPreferences, addTrainingData, TRAINING_IMAGES } from '../../kit/composites.js'
import { initWorld } from '../../kit/seed.js'

describe('composite metrics', async () => {
  const world = await initWorld()
  const { accord } = world
  const file = join(world.folder, 'composite.json')
  const input: TrainCompositeInput = {
    name: 'EvalRB',
    features: ['ROUGE-L', 'BLEU-1'],
    data: 'train',
    validation: 'rated',
    objective: 'ORIGIN',
    isLinear: false,
    seed: 1,
  }
  let trained: TrainedComposite

  beforeAll(async () => {
    await addTrainingData(world)
    ;[trained] = await trainComposites(accord, [input])
    writeFileSync(file, await exportArtefact(accord, 'EvalRB'))
  })

  const evaluate = (metrics: readonly string[]) =>
    evaluateSystem(accord, { dataset: 'train', system: 'good', metrics })

  it('are artefacts with all that they were made of', async () => {
    const { hash, header } = await requireArtefact(accord, 'EvalRB')
    expect(hash).toBe(trained.hash)
    expect(header).toMatchObject({
      name: 'EvalRB',
      features: [{ metric: 'ROUGE-L' }, { metric: 'BLEU-1', signature: expect.stringContaining('|rev:1') }],
      // The image that the validation data has as well is left out.
      training: {
        dataset: 'train',
        systems: [{ name: 'bad' }, { name: 'good' }],
        objective: 'ORIGIN',
        captionCount: 4 * (TRAINING_IMAGES - 1),
        excludedImageCount: 1,
      },
      validation: { dataset: 'rated', captionCount: 60 },
    })
    const { epochs, bestEpoch, seed, others } = header
    expect([seed, ...others.map((other) => other.seed)].sort()).toEqual([1, 2, 3, 4, 5])
    expect(epochs[bestEpoch].agreement).toBe(Math.max(...epochs.map(({ agreement }) => agreement as number)))
  })

  it('have objects as features, confirmed by references alone as in the training', async () => {
    const features = ['CHAIR-i', 'object-recall', 'open-object-recall']
    const [{ header }] = await trainComposites(accord, [
      { ...input, name: 'EvalObjects', features, isLinear: true },
    ])
    expect(header.features.map(({ metric }) => metric)).toEqual(features)
    expect(header.features[0].signature).toMatch(/^CHAIR-i\|objects:coco80\|words:own\|tok:/)
    const scoreOf = async (system: string) => {
      const options = { dataset: 'train', system, metrics: ['EvalObjects'] }
      return (await evaluateSystem(accord, options)).scores[0].value
    }
    const [good, bad] = [await scoreOf('good'), await scoreOf('bad')]
    expect(good).toBeGreaterThan(bad)
    const { id: datasetId } = await requireDataset(accord.database, 'train')
    const path = join(world.folder, 'objects.csv')
    writeFileSync(
      path,
      `image_id,objects\n${Array.from({ length: TRAINING_IMAGES }, (_, i) => `i${i},zebra|dog\n`).join('')}`,
    )
    await accord.run('importObjects', { datasetId, file: { path } })
    const { id: systemId } = await requireSystem(accord.database, datasetId, 'bad')
    await accord.run('evaluate', { datasetId, systemId, metrics: ['EvalObjects', 'CHAIR-i'] })
    expect(await scoreOf('bad')).toBe(bad)
    await removeArtefact(accord, 'EvalObjects')
  })

  it('have metrics of other programs as features', async () => {
    // The scores by ROUGE-L as those of another program: what is learned from them is the same.
    const { database } = accord
    const dataset = await requireDataset(database, 'train')
    const idOf = await readImageIds(database, dataset.id)
    const nameOf = new Map(Array.from(idOf, ([name, id]) => [id, name]))
    const linesOf = ({ imageIds, statistics }: StoredStatistics, of: object) =>
      Array.from(statistics, (score, row) => ({
        image_id: nameOf.get(imageIds[row % imageIds.length]),
        ...of,
        fold: 1 + Math.floor(row / imageIds.length),
        score,
      }))
    const lines: object[] = []
    for (const system of ['good', 'bad']) {
      const options = { dataset: 'train', system, metrics: ['ROUGE-L'], references: 2 }
      const [score] = (await evaluateSystem(accord, options)).scores
      lines.push(...linesOf(await readStatistics(database, score.statisticsId), { system }))
    }
    const { rows } = await humanAgreement(accord, dataset, { metrics: ['ROUGE-L'] })
    lines.push(...linesOf(await readAgreementStatistics(database, rows[0].statisticsId), {}))
    const rated = await requireDataset(database, 'rated')
    const set = await requireJudgementSet(database, rated)
    const [{ scores }] = await readJudgedScores(database, set.id, ['ROUGE-L'])
    const captions = await readJudgedCaptions(database, set.id)
    const images = keyBy(
      await findImages(database, [...captions.map(({ imageId }) => imageId)]),
      ({ id }) => id,
    )
    const judged = captions.map(({ imageId, text }, index) => ({
      image_id: images.get(imageId)?.externalId,
      caption: text,
      score: scores[index],
    }))
    const metric = { name: 'Copy', version: 'of ROUGE-L', lowest: 0, highest: 1 }
    for (const [{ id: datasetId }, own] of [
      [dataset, lines],
      [rated, judged],
    ] as const) {
      const path = join(world.folder, 'copy.jsonl')
      writeFileSync(path, own.map((line) => JSON.stringify(line)).join('\n'))
      await accord.run('importMetricScores', { datasetId, metric, file: { path } })
    }
    const trainings = ['ROUGE-L', 'Copy'].map((feature) => ({
      ...input,
      name: `Of${feature}`,
      features: [feature, 'BLEU-1'],
      isLinear: true,
    }))
    const composites = await trainComposites(accord, trainings)
    const [copy, original] = ['OfCopy', 'OfROUGE-L'].map(
      (name) => composites.find(({ header }) => header.name === name) as TrainedComposite,
    )
    expect(copy.weights).toEqual(original.weights)
    expect(copy.header.epochs).toEqual(original.header.epochs)
    expect(copy.header.features[0].signature).toBe('external:Copy|version:of ROUGE-L|range:0 to 1|rev:1')
    for (const name of ['OfCopy', 'OfROUGE-L', 'Copy']) await removeArtefact(accord, name)
  })

  it('are deterministic for a seed', async () => {
    const [again, other] = await trainComposites(accord, [
      { ...input, name: 'Again' },
      { ...input, name: 'Other', seed: 6 },
    ])
    expect(again.weights).toEqual(trained.weights)
    expect(other.weights).not.toEqual(trained.weights)
    for (const name of ['Again', 'Other']) await removeArtefact(accord, name)
  })

  it('score captions like any metric: per image, corpus mean, interval, signature', async () => {
    // The captions of the system `good` score the same on every image, which gives no interval.
    const input = { dataset: 'train', system: 'bad', metrics: ['EvalRB', 'BLEU-1'] }
    const { scores, imageScores } = await evaluateSystem(accord, input)
    const [, { value, lower, upper, signature }] = scores
    expect(imageScores[1].reduce((sum, score) => sum + score, 0) / TRAINING_IMAGES).toBeCloseTo(value, 12)
    expect(lower).toBeLessThan(value + 1e-12)
    expect(upper).toBeGreaterThan(value - 1e-12)
    expect([value > 0, value < 1]).toEqual([true, true])
    expect(signature).toContain(`EvalRB|features:ROUGE-L+BLEU-1|artefact:${trained.hash.slice(0, 16)}|`)
    expect(requireMetric(accord, 'EvalRB').citation).toContain('Sharif')
  })

  it('never fall where a feature rises', async () => {
    const { imageScores } = await evaluate(['BLEU-1', 'ROUGE-L', 'EvalRB'])
    const rows = Array.from(imageScores[0], (_, image) => imageScores.map((scores) => scores[image]))
    for (const [bleu, rouge, composite] of rows) {
      for (const [otherBleu, otherRouge, otherComposite] of rows) {
        if (otherBleu >= bleu && otherRouge >= rouge) {
          expect(otherComposite).toBeGreaterThanOrEqual(composite - 1e-12)
        }
      }
    }
  })

  it('are judged like any metric', async () => {
    const { rows } = await judge(accord, { dataset: 'preferred', metrics: ['EvalRB'], resamples: 100 })
    expect(rows[0].figures).toMatchObject({ kind: 'PREFERENCES' })
    expect((rows[0].figures as { mean: number }).mean).toBeGreaterThan(0.8)
  })

  it('are judged beside their features without training', async () => {
    const judgeFeatures = { dataset: 'preferred', metrics: ['EvalRB', 'ROUGE-L', 'BLEU-1'], resamples: 100 }
    const { rows, notes } = await judge(accord, judgeFeatures)
    const figureOf = (name: string) => {
      const figures = rows.find(({ metric }) => metric === name)?.figures
      return figures?.kind === 'PREFERENCES' ? figures.mean : null
    }
    const baselines = rows.find(({ metric }) => metric === 'EvalRB')?.baselines
    const candidates = baselines?.candidates ?? []
    expect(candidates.map(({ kind }) => kind)).toEqual([
      'TRAINED',
      ...Array(4).fill('OTHER_SEED'),
      'MEAN_OF_FEATURES',
      'RANDOM_NETWORK',
      'BEST_FEATURE',
    ])
    const [composite, mean, random, feature] = [0, 5, 6, 7].map((place) => candidates[place])
    expect(composite.figure).toBe(figureOf('EvalRB'))
    expect(feature.figure).toBe(Math.max(figureOf('ROUGE-L') as number, figureOf('BLEU-1') as number))
    const best = Math.max(...[mean, random, feature].map(({ figure }) => figure as number))
    expect(composite.comparison?.difference).toBeCloseTo((composite.figure as number) - best, 12)
    expect(candidates.filter(({ comparison }) => comparison === null)).toHaveLength(1)
    expect(
      rows
        .filter((row) => row.baselines === null)
        .map(({ metric }) => metric)
        .sort(),
    ).toEqual(['BLEU-1', 'ROUGE-L'])
    expect(notes.some((note) => note.startsWith('EvalRB: '))).toBe(true)
    const validated = await judge(accord, { dataset: 'rated', metrics: ['EvalRB'], resamples: 100 })
    expect(validated.rows.map((row) => [row.metric, row.baselines?.verdict])).toEqual([['EvalRB', 'USED']])
    expect(validated.conclusion).toBe(
      'These judgements trained or chose every metric: none of them is compared.',
    )
    const beside = await judge(accord, {
      dataset: 'rated',
      metrics: ['EvalRB', 'ROUGE-L', 'BLEU-1'],
      resamples: 100,
    })
    const apart = beside.rows.at(-1)
    expect(apart).toMatchObject({
      metric: 'EvalRB',
      isChosenByJudgements: true,
      chancePValue: null,
      cluster: null,
    })
    expect(apart?.contests?.all.byImage.cluster).toBeNull()
    expect(beside.rows.slice(0, 2).every(({ cluster }) => cluster !== null)).toBe(true)
    expect(beside.conclusion).not.toContain('EvalRB')
  })

  it('learn from preferences, as linear networks, validated by preferences or ratings', async () => {
    await addPreferences(world, 'many', 200)
    for (const validation of ['preferred', 'rated']) {
      const learning = {
        ...input,
        name: 'Learned',
        data: 'many',
        objective: 'PREFERENCES',
        isLinear: true,
      } as const
      const [{ header }] = await trainComposites(accord, [{ ...learning, validation }])
      expect(header).toMatchObject({
        network: { hidden: [] },
        training: { objective: 'PREFERENCES', systems: [], captionCount: 400, comparisonCount: 200 },
        validation: { kind: validation === 'rated' ? 'RATINGS' : 'PREFERENCES', captionCount: 60 },
      })
      expect(header.epochs[header.bestEpoch].agreement).toBeGreaterThan(0.7)
      const { rows } = await judge(accord, { dataset: 'many', metrics: ['Learned'], resamples: 100 })
      expect(rows[0].baselines?.verdict).toBe('USED')
      await removeArtefact(accord, 'Learned')
    }
  })

  it('are exported, removed with their scores, and imported', async () => {
    await evaluate(['EvalRB'])
    await removeArtefact(accord, 'EvalRB')
    expect(await listArtefacts(accord)).toEqual([])
    await expect(evaluate(['EvalRB'])).rejects.toMatchObject({ code: 'UNKNOWN_METRIC' })
    expect((await listMetrics(accord)).map(({ name }) => name)).not.toContain('EvalRB')
    await accord.run('importArtefact', { file: { path: file } })
    expect((await requireArtefact(accord, 'EvalRB')).hash).toBe(trained.hash)
    await expect(accord.run('importArtefact', { file: { path: file } })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
    expect((await evaluate(['EvalRB'])).scores).toHaveLength(1)
  })

  it('are refused if the file was edited', () => {
    const edited = join(world.folder, 'edited.json')
    writeFileSync(edited, readFileSync(file, 'utf8').replace('"seed": 1', '"seed": 2'))
    expect(() => readArtefact(edited)).toThrow(/edited\.json: hash: the artefact was edited: expected/)
    writeFileSync(edited, readFileSync(file, 'utf8').replace('"format": 1', '"format": 2'))
    expect(() => readArtefact(edited)).toThrow(
      /edited\.json: header\.format: wrong shape: expected 1, found the number 2/,
    )
    writeFileSync(edited, '{"accord": "something else"}')
    expect(() => readArtefact(edited)).toThrow(/wrong shape: expected an artefact of accord artefacts export/)
    writeFileSync(edited, '{')
    expect(() => readArtefact(edited)).toThrow(/not JSON/)
  })

  it('are refused with the reason if a feature is another metric than that of the training', async () => {
    const features = trained.header.features.map((feature) => ({
      ...feature,
      signature: feature.signature.replace('rev:1', 'rev:0'),
    }))
    const artefact = finishArtefact({ ...trained.header, name: 'Old', features }, trained.weights)
    const { encodeArtefact } = await import('../../../src/formats/models/artefact-file.js')
    const old = join(world.folder, 'old.json')
    writeFileSync(old, encodeArtefact(artefact))
    await accord.run('importArtefact', { file: { path: old } })
    await expect(evaluate(['Old'])).rejects.toThrow(
      /artefact: Old was trained with another ROUGE-L: expected ROUGE-L\|.*rev:0, found ROUGE-L\|.*rev:1/,
    )
    await removeArtefact(accord, 'Old')
  })

  it('store nothing if the training is cancelled', async () => {
    const before = await listArtefacts(accord)
    const cancelled = trainComposites(accord, [{ ...input, name: 'Never' }], {
      progress(_share, message) {
        if (message.includes('training: loss')) throw new AccordError('CANCELLED', 'cancelled')
      },
    })
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await listArtefacts(accord)).toEqual(before)
  })

  it('have curves of every network while a worker trains them, and after that; another attempt begins again', async () => {
    const { id } = await startCompositeTraining(accord, { ...input, name: 'Curves' })
    const epochCounts = async () =>
      (await curvesByTraining(accord, [id])).get(id)?.map(({ epochs }) => epochs.length) ?? []
    const status = async () => (await jobsById(accord, [id])).get(id)?.status
    /** @param stopAfter number of epochs after which the job returns to the queue */
    async function attempt(stopAfter: number) {
      const { database } = world
      const kinds = ['trainComposite']
      const job = await database.transaction((session) =>
        claimJob(session, { worker: 'worker', kinds, leaseMs: 600_000 }),
      )
      const cancellation = new Int32Array(1)
      let meanwhile: Promise<unknown> | undefined
      let epochs = 0
      const threads = threadsOf(accord)
      const claim = { id, worker: 'worker' }
      await runJob(
        { database, threads: async () => threads, kinds: KINDS },
        { job: job!, claim, cancellation },
        (_share, message) => {
          if (!message.startsWith('training: loss')) return
          if (epochs === 2) meanwhile = epochCounts().then(async ([count]) => [count, await status()])
          if (epochs++ === stopAfter) cancellation[0] = CANCELLATION.release
        },
      )
      return meanwhile
    }
    await attempt(4)
    expect(await epochCounts()).toEqual([5])
    expect(await status()).toBe('QUEUED')

    const [count, statusThen] = (await attempt(Number.POSITIVE_INFINITY)) as [number, string]
    expect(count).toBeGreaterThanOrEqual(2)
    expect(statusThen).toBe('RUNNING')
    const curves = (await curvesByTraining(accord, [id])).get(id)!
    expect(curves.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(curves.slice(3, 6).map(({ seed, network }) => [seed, network.hidden])).toEqual([
      [1, [16, 8]],
      [2, []],
      [2, [8]],
    ])
    const { header } = await requireArtefact(accord, 'Curves')
    expect(curves).toContainEqual({
      jobId: id,
      position: expect.any(Number),
      seed: header.seed,
      network: header.network,
      epochs: header.epochs,
    })
    await removeArtefact(accord, 'Curves')
  })

  it('cannot be trained on other data', async () => {
    await world.dataset('people', { images: { 1: ['A dog.', 'The dog.'], 2: ['A cat.', 'The cat.'] } })
    const few = await world.dataset('few', {
      images: { 1: ['A dog.', 'The dog.'], 2: ['A cat.', 'The cat.'] },
    })
    await few.captionSystem('system', { 1: 'a dog', 2: 'a cat' })
    for (const [changes, message] of [
      [
        { data: 'people' },
        /one class only: expected captions of people, at least two per image, and of a system/,
      ],
      [
        { data: 'few' },
        /too few captions to train on: expected at least 200 comparisons of captions, found 4/,
      ],
      [{ data: 'missing' }, /unknown dataset/],
      [
        { data: 'rated', objective: 'PREFERENCES' },
        /cannot be trained on: expected preferences .* found ratings/,
      ],
      [{ data: 'rated', objective: 'RATINGS' }, /cannot be trained on: .* found the validation data/],
      [{ data: 'preferred', objective: 'PREFERENCES' }, /too few captions to train on: .* found 0/],
      [{ data: 'train', objective: 'RATINGS' }, /no human judgements/],
      [{ validation: 'train' }, /no human judgements/],
      [{ features: ['BLEU-1'] }, /expected two or more different metrics, found BLEU-1/],
      [{ features: ['BLEU-1', 'NOPE'] }, /unknown metric/],
      [{ features: ['BLEU-1', 'EvalRB'] }, /a composite metric cannot be a feature/],
      [{ name: 'EvalRB' }, /a metric of this name exists/],
      [{ name: 'bleu_4' }, /a metric of this name exists/],
      [{ name: 'evalrb' }, /a metric of this name exists/],
      [{ name: 'Rouge' }, /a metric of this name exists/],
      [{ features: ['BLEU-1', 'bleu_1'] }, /expected two or more different metrics, found BLEU-1, bleu_1/],
      [{ name: 'no good' }, /invalid name/],
    ] as const) {
      const attempt = trainComposites(accord, [{ ...input, name: 'New', ...changes }])
      await expect(attempt).rejects.toThrow(message)
    }
  })
})

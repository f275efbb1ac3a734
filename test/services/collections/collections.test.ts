import { describe, expect, it } from 'vitest'
import { auditLog } from '../../../src/services/accounts/users.js'
import { ANONYMOUS, OPEN_VIEWER } from '../../../src/services/accounts/viewer.js'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { createChallenge } from '../../../src/services/challenges/challenges.js'
import { submit } from '../../../src/services/challenges/submit.js'
import {
  annotatorOf,
  captionProblems,
  describeCollection,
  removeCollection,
  reportTask,
  skipTask,
  submitCaption,
  takeTask,
} from '../../../src/services/collections/collections.js'
import { requireDataset } from '../../../src/services/datasets/datasets.js'
import { listImages } from '../../../src/services/images/image-lists.js'
import { captionsByImage } from '../../../src/services/images/images.js'
import { requireSystem } from '../../../src/services/systems/systems.js'
import { makePrivate } from '../../../src/store/datasets.js'
import { sql } from '../../../src/store/engine/sql.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { memberOf } from '../../kit/dogs.js'
import { describeParks, parkCaption, parksFile, strayCaption } from '../../kit/parks.js'
import { initWorld, type World } from '../../kit/seed.js'
import { uploadOf } from '../../kit/uploads.js'

const describes = (number: number) => (image: string) => parkCaption(image, number)

/** A collection of parks. */
async function createParks(
  { accord }: World,
  { dataset = 'parks', captionsPerImage = 3, count = 12 } = {},
): Promise<void> {
  const upload = await uploadOf(accord, parksFile(count))
  await accord.run('importCollection', { dataset, captionsPerImage, file: { upload } })
}

/** The captions of a dataset by image. */
async function captionsOf({ accord }: World, name: string): Promise<Record<string, (string | null)[]>> {
  const dataset = await requireDataset(accord, name)
  const { rows } = await (await listImages(accord, dataset, {})).page({ limit: 100, fromEnd: false })
  const captions = await captionsByImage(
    accord,
    rows.map(({ row }) => row.id),
  )
  return Object.fromEntries(
    rows.map(({ row }) => [row.externalId, (captions.get(row.id) ?? []).map(({ text }) => text)]),
  )
}

describe.each(ENGINES)('collections on %s', (engine) => {
  it('has the agreement of the dataset that it becomes, and finds who agrees with nobody', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    await createParks(world)
    await describeParks(accord, 'parks', { anna: describes(0), ben: describes(1), cleo: strayCaption })
    const { state, report } = await describeCollection(accord, OPEN_VIEWER, 'parks')
    expect(state).toMatchObject({
      imageCount: 12,
      completeImageCount: 12,
      captionCount: 36,
      wantedCaptionCount: 36,
    })
    expect(report.annotators.map(({ captionCount, agreement }) => [captionCount, agreement?.isLow])).toEqual([
      [12, true],
      [12, false],
      [12, false],
    ])
    expect(report.annotators[0]).toMatchObject({
      annotator: annotatorOf(OPEN_VIEWER, 'cleo'),
      skippedTaskCount: 0,
    })
    expect(report.medianSeconds).toBeGreaterThanOrEqual(0)
    await accord.run('finishCollection', { collection: 'parks', dataset: 'parks' })
    for (const references of [1, 2]) {
      const metrics = ['METEOR', 'ROUGE-L', 'CIDEr-D']
      const { rows } = await reportAgreement(accord, { dataset: 'parks', references, metrics })
      const values = rows.map(({ metric, mean, imageCount }) => ({
        metric,
        references,
        value: mean,
        imageCount,
      }))
      const soFar = report.agreement.filter((row) => row.references === references)
      if (references === 2)
        expect(soFar).toEqual(expect.arrayContaining(values.map((row) => expect.objectContaining(row))))
      // With one reference the dataset compares three captions, and the collection the first two.
      else expect(soFar.map(({ metric }) => metric).toSorted()).toEqual(metrics.toSorted())
    }
  })

  it('has the agreement with 1 to 4 references, and with all others', async () => {
    const world = await initWorld({ engine })
    await createParks(world, { captionsPerImage: 7, count: 10 })
    const names = ['anna', 'ben', 'cleo', 'dora', 'emil', 'fred', 'gina']
    await describeParks(
      world.accord,
      'parks',
      Object.fromEntries(names.map((name, number) => [name, describes(number)])),
    )
    const { report } = await describeCollection(world.accord, OPEN_VIEWER, 'parks')
    expect([...new Set(report.agreement.map(({ references }) => references))]).toEqual([1, 2, 3, 4, 6])
  })

  it('becomes a dataset at any time, with the last captions as a system that stands for people', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    await createParks(world, { captionsPerImage: 2, count: 3 })
    const finish = (dataset: string, people?: string) =>
      accord.run('finishCollection', { collection: 'parks', dataset, people })
    expect(await rejectionOf(finish('early'))).toMatch(
      /^NOT_APPLICABLE collection: the collection has no captions yet/,
    )
    await describeParks(accord, 'parks', { anna: describes(0) })
    expect(await rejectionOf(finish('half', 'held-out'))).toMatch(/no image has a caption to keep apart yet/)
    expect(await finish('half')).toMatchObject({
      captionCount: 3,
      captionsPerImage: 1,
      systemId: null,
      peopleCaptionCount: 0,
    })
    expect(await rejectionOf(finish('half'))).toMatch(/^NAME_TAKEN/)
    await describeParks(accord, 'parks', { ben: describes(1) })
    expect(await finish('whole', 'held-out')).toMatchObject({ captionCount: 3, peopleCaptionCount: 3 })
    expect(await captionsOf(world, 'whole')).toEqual({ 1: [of('1', 0)], 2: [of('2', 0)], 3: [of('3', 0)] })
    const people = await requireSystem(accord, await requireDataset(accord, 'whole'), 'held-out')
    expect(people).toMatchObject({ kind: 'CAPTIONS', imageCount: 3 })
    await removeCollection(accord, OPEN_VIEWER, 'parks')
    expect(await rejectionOf(describeCollection(accord, OPEN_VIEWER, 'parks'))).toMatch(/^UNKNOWN_COLLECTION/)
    expect(await captionsOf(world, 'whole')).toHaveProperty('3')
  })

  it('does not tell captions of a private dataset', async () => {
    const world = await initWorld({ engine })
    const { accord, database } = world
    const secret = 'A brown dog chases a red ball across the lawn.'
    const images = Object.fromEntries(['a', 'b', 'c'].map((image) => [image, [secret, secret]]))
    await world.dataset('pets', { images })
    await accord.run('importCollection', { dataset: 'pets', captionsPerImage: 3 })
    const { id: datasetId } = await requireDataset(accord, 'pets')
    await makePrivate(database, datasetId)
    const take = async (annotator: string) => {
      const { task } = await takeTask(accord, { collection: 'pets', annotator })
      return { taskId: task?.id ?? 0, annotator }
    }
    const own = await take('user 1')
    const codes = async (caption: string) =>
      (await submitCaption(accord, own, caption)).map(({ code }) => code)
    expect(await captionProblems(accord, own, secret)).toEqual([])
    expect((await captionProblems(accord, own, 'A dog.')).map(({ code }) => code)).toEqual(['TOO_SHORT'])
    for (let guess = 0; guess < 5; guess++) expect(await codes(secret)).toEqual(['NOT_ACCEPTED'])
    const log: unknown[] = []
    for await (const { actor, action, subject } of auditLog(accord)) log.push([actor, action, subject])
    expect(log).toEqual(Array(5).fill(['user 1', 'captionNotAccepted', 'pets']))
    expect(await rejectionOf(codes('A dog plays with a ball on the green grass.'))).toMatch(
      /^NOT_APPLICABLE collection: too many captions could not be accepted/,
    )
    expect(await rejectionOf(take('user 1'))).toMatch(/^NOT_APPLICABLE/)
    // Who has submitted to a challenge on the dataset does not describe its images.
    const phase = { name: 'main', dataset: 'pets', closesAt: '2126-01-01T00:00:00Z', metrics: ['BLEU-1'] }
    await createChallenge(accord, OPEN_VIEWER, { name: 'pets', phases: [phase] })
    const results = Object.keys(images).map((image) => ({ image_id: image, caption: 'a dog' }))
    const upload = await uploadOf(accord, results)
    const other = await take('user 2')
    await submit(accord, memberOf('team', { id: 'user 2', name: 'user 2' }), { challenge: 'pets', upload })
    expect(await rejectionOf(take('user 2'))).toMatch(/^FORBIDDEN .*who takes part in a challenge/)
    expect(await rejectionOf(submitCaption(accord, other, secret))).toMatch(/^FORBIDDEN/)
  })

  it('describes the images of a dataset again, beside its captions', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    const first = 'A brown dog chases a red ball across the lawn.'
    await world.dataset('pets', { images: { a: [first], b: [] } })
    await accord.run('importCollection', { dataset: 'pets', captionsPerImage: 1 })
    const annotator = annotatorOf(OPEN_VIEWER, 'anna')
    const { task } = await takeTask(accord, { collection: 'pets', annotator })
    const own = { taskId: task?.id ?? 0, annotator }
    expect(await submitCaption(accord, own, `${first.toUpperCase()} `)).toEqual([
      { code: 'COPY_OF_CAPTION', message: expect.stringMatching(/same words/) },
    ])
    expect(await submitCaption(accord, own, '  A dog plays with a\nball on the green grass. ')).toEqual([])
    const next = await takeTask(accord, { collection: 'pets', annotator })
    expect(next.ownCaptionCount).toBe(1)
    await makePrivate(accord.database, (await requireDataset(accord, 'pets')).id)
    await accord.run('finishCollection', { collection: 'pets', dataset: 'more pets' })
    expect(await requireDataset(accord, 'more pets')).toMatchObject({ isPrivate: true })
    expect(await captionsOf(world, 'more pets')).toEqual({
      a: [first, 'A dog plays with a ball on the green grass.'],
    })
  })

  it('refuses captions with a message for each problem, and changes nothing then', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    await createParks(world, { captionsPerImage: 2, count: 2 })
    const [anna, ben] = ['anna', 'ben'].map((name) => annotatorOf(OPEN_VIEWER, name))
    const caption = of('1', 0)
    const take = async (annotator: string) =>
      (await takeTask(accord, { collection: 'parks', annotator })).task?.id ?? 0
    const submit = async (annotator: string, text: string) =>
      (await submitCaption(accord, { taskId: await take(annotator), annotator }, text)).map(
        ({ code }) => code,
      )
    expect(await submit(anna, 'There is a dog.')).toEqual(['TOO_SHORT', 'THERE_IS'])
    const own = { taskId: await take(anna), annotator: anna }
    expect(await captionProblems(accord, own, 'A dog.')).toMatchObject([
      { message: 'Write at least 8 words.' },
    ])
    expect(await submit(anna, caption)).toEqual([])
    expect(await submit(anna, `${caption}!`)).toEqual(['REPEATED'])
    expect(await submit(ben, caption)).toEqual(['COPY_OF_CAPTION'])
    expect(await submit(ben, 'Ben sees another small dog in the same park.')).toEqual([])
    expect(await submit(ben, 'x'.repeat(501))).toEqual(['TOO_LONG'])
    await skipTask(accord, { taskId: await take(anna), annotator: anna })
    const reported = { taskId: await take(ben), annotator: ben }
    expect(await rejectionOf(reportTask(accord, reported, 'x'.repeat(201)))).toMatch(
      /^INVALID_VALUE reason: /,
    )
    await reportTask(accord, reported, ' It is black. ')
    expect(await rejectionOf(captionProblems(accord, reported, caption))).toMatch(/^UNKNOWN_TASK/)
    const { state, reports } = await describeCollection(accord, OPEN_VIEWER, 'parks')
    expect(state).toMatchObject({ captionCount: 2, skippedTaskCount: 1, reportedTaskCount: 1 })
    expect(reports).toEqual([{ image: '2', annotator: ben, remark: 'It is black.' }])
  })

  it('refuses what cannot be collected', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    const create = async (content: string | object, input: object = {}) =>
      rejectionOf(
        accord.run('importCollection', {
          dataset: 'parks',
          captionsPerImage: 2,
          file: { upload: await uploadOf(accord, content, 'images') },
          ...input,
        }),
      )
    expect(await create('id,url\n1,ftp://a/b\n')).toMatch(
      /^INVALID_VALUE images: line 2.*: the image has no picture/,
    )
    expect(await create('id,url\n1,http://a/b\n1,http://a/c\n')).toMatch(/^DUPLICATE_ID images: .*line 2/)
    expect(await create('name\n1\n')).toMatch(/^INVALID_SHAPE images: line 1: .*id,url/)
    expect(await create({ images: [{ id: 1 }] })).toMatch(
      /^INVALID_VALUE images: images\[0\]\.coco_url: the image has no picture/,
    )
    expect(await create({ images: [] })).toMatch(/^INVALID_SHAPE images: images: /)
    expect(await create(parksFile(1), { captionsPerImage: 0 })).toMatch(/^OUT_OF_RANGE captionsPerImage: /)
    expect(await create(parksFile(1), { dataset: ' ' })).toMatch(/^INVALID_VALUE dataset: /)
    expect(await create(parksFile(1), { dataset: 'none', file: undefined })).toMatch(/^UNKNOWN_DATASET/)
    await createParks(world, { count: 1 })
    expect(await create(parksFile(1))).toMatch(/^NAME_TAKEN dataset: a collection of this name exists/)
    await world.dataset('pets', { images: { a: ['A dog.'] } })
    expect(await create(parksFile(1), { dataset: 'pets' })).toMatch(
      /^NAME_TAKEN dataset: a dataset of this name exists/,
    )
    await world.database.run(sql`UPDATE image SET url = NULL`)
    expect(await create(parksFile(1), { dataset: 'pets', file: undefined })).toMatch(
      /^NOT_APPLICABLE dataset: the dataset has no pictures/,
    )
  })

  it('is for hosts, and for annotators whom it can tell apart', async () => {
    const world = await initWorld({ engine })
    const { accord } = world
    await createParks(world, { count: 1 })
    expect(await rejectionOf(describeCollection(accord, ANONYMOUS, 'parks'))).toMatch(/^UNAUTHENTICATED/)
    expect(await rejectionOf(removeCollection(accord, ANONYMOUS, 'parks'))).toMatch(/^UNAUTHENTICATED/)
    expect(() => annotatorOf(ANONYMOUS, 'anna')).toThrow(/sign in/)
    expect(() => annotatorOf(OPEN_VIEWER, ' ')).toThrow(/^annotator: invalid annotator/)
    expect(() => annotatorOf(OPEN_VIEWER, null)).toThrow(/found none/)
    expect(annotatorOf(OPEN_VIEWER, 'anna')).toMatch(/^[\da-f]{12}$/)
    const signedIn = { ...OPEN_VIEWER, user: { id: 'user 7', name: 'Anna' } }
    expect(annotatorOf(signedIn, 'anna')).toBe('user 7')
    const reader = { ...signedIn, scopes: new Set(['read'] as const) }
    expect(() => annotatorOf(reader, 'anna')).toThrow(/the scope submit/)
  })
})

const of = parkCaption

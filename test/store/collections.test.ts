import { describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import {
  endTask,
  findCollectionTasks,
  insertCollection,
  readCollectionCounts,
  readCollectionImages,
  readEndedTasks,
  type TaskEnd,
  takeTask,
} from '../../src/store/collections.js'
import type { Session } from '../../src/store/engine/session.js'
import { rejectionOf } from '../kit/boxes.js'
import { ALL_ENGINES, openAgain, openTestDatabase } from '../kit/databases.js'

const LEASE_MS = 60_000

/** A collection of images with the ids 1 to `imageCount`. */
function createCollection(session: Session, { imageCount = 4, captionsPerImage = 2 } = {}): Promise<number> {
  const images = Array.from({ length: imageCount }, (_, index) => ({
    externalId: String(index + 1),
    fileName: null,
    url: null,
    width: null,
    height: null,
  }))
  const collection = { name: 'parks', captionsPerImage, isExtension: false }
  return session.transaction((writer) => insertCollection(writer, collection, images))
}

describe.each(ALL_ENGINES)('collections on %s', (engine) => {
  async function open(options?: Parameters<typeof createCollection>[1]) {
    const database = await openTestDatabase(engine)
    const collectionId = await createCollection(database, options)
    const images = new Map(
      (await readCollectionImages(database, collectionId)).map(({ id, externalId }) => [id, externalId]),
    )
    return {
      database,
      collectionId,
      take: (annotator: string, leaseMs = LEASE_MS) =>
        takeTask(database, { collectionId, annotator, leaseMs }),
      end: (
        taskId: number,
        annotator: string,
        end: TaskEnd = { status: 'DESCRIBED', caption: 'a', tokens: 'a' },
      ) => endTask(database, { taskId, annotator }, async () => end),
      imageOf: (task: { readonly imageId: number } | null) => task && images.get(task.imageId),
    }
  }

  test('nobody describes an image twice, and images fill evenly', async () => {
    const { take, end, imageOf } = await open()
    const described: (string | null | undefined)[] = []
    for (const annotator of ['anna', 'ben', 'anna', 'ben', 'cleo', 'anna', 'cleo', 'ben', 'dora']) {
      const task = await take(annotator)
      described.push(imageOf(task))
      if (task) await end(task.id, annotator)
    }
    expect(described).toEqual(['1', '2', '3', '4', '1', '2', '3', null, '4'])
  })

  test('a task is taken until it is ended, and free again when its time is over', async () => {
    const { database, take, end, imageOf } = await open({ imageCount: 1, captionsPerImage: 1 })
    const first = await take('anna')
    expect(imageOf(first)).toBe('1')
    expect(await take('anna')).toMatchObject({ id: first?.id, takenAt: first?.takenAt })
    expect(await take('ben')).toBeNull()
    await take('anna', -1)
    // Nobody has asked for the image: its annotator can continue.
    const renewed = await take('anna', -1)
    expect(renewed?.id).toBe(first?.id)
    expect(renewed!.takenAt >= first!.takenAt).toBe(true)
    const second = await take('ben')
    expect(imageOf(second)).toBe('1')
    expect(await rejectionOf(end(first?.id ?? 0, 'anna'))).toMatch(/^UNKNOWN_TASK/)
    expect(await take('anna')).toBeNull()
    expect(await rejectionOf(end(second?.id ?? 0, 'anna'))).toMatch(/^UNKNOWN_TASK/)
    await end(second?.id ?? 0, 'ben')
    expect(await rejectionOf(end(second?.id ?? 0, 'ben'))).toMatch(/^UNKNOWN_TASK/)
    expect(await findCollectionTasks(database, [second?.id ?? 0])).toMatchObject([
      { status: 'DESCRIBED', caption: 'a', annotator: 'ben' },
    ])
  })

  test('an image that is skipped goes to another annotator, and one that two report to nobody', async () => {
    const { database, collectionId, take, end, imageOf } = await open({ imageCount: 2, captionsPerImage: 1 })
    const skipped = await take('anna')
    await end(skipped?.id ?? 0, 'anna', { status: 'SKIPPED' })
    const next = await take('anna')
    expect([imageOf(skipped), imageOf(next)]).toEqual(['1', '2'])
    await end(next?.id ?? 0, 'anna', { status: 'REPORTED', reason: 'It is black.' })
    expect(await take('anna')).toBeNull()
    const ofBen = await take('ben')
    await end(ofBen?.id ?? 0, 'ben')
    const second = await take('ben')
    await end(second?.id ?? 0, 'ben', { status: 'REPORTED', reason: null })
    expect([imageOf(ofBen), imageOf(second), await take('cleo')]).toEqual(['1', '2', null])
    expect(await readCollectionCounts(database, [collectionId])).toEqual([
      {
        id: collectionId,
        imageCount: 2,
        completeImageCount: 1,
        withdrawnImageCount: 1,
        captionCount: 1,
        wantedCaptionCount: 1,
        takenTaskCount: 0,
        skippedTaskCount: 1,
        reportedTaskCount: 2,
        annotatorCount: 1,
      },
    ])
  })

  test('a refused end changes nothing', async () => {
    const { database, take } = await open()
    const task = await take('anna')
    const refusal = { problem: 'too short' }
    expect(
      await endTask(database, { taskId: task?.id ?? 0, annotator: 'anna' }, async () => ({ refusal })),
    ).toBe(refusal)
    expect(await take('anna')).toMatchObject({ id: task?.id, status: 'TAKEN' })
  })

  test.each([1, 2, 3])('annotators at once never exceed what is asked for, seed %i', async (seed) => {
    const captionsPerImage = 3
    const { database, collectionId, take, end } = await open({ imageCount: 6, captionsPerImage })
    // Another process.
    const other = await openAgain(database)
    const annotators = Array.from({ length: 8 }, (_, index) => `annotator ${index}`)
    try {
      await Promise.all(
        annotators.map((annotator, index) =>
          annotate(
            index % 2 === 0 ? database : other,
            collectionId,
            annotator,
            createRandom(100 * seed + index),
          ),
        ),
      )
    } finally {
      await other.close()
    }
    // One after the other, annotators do what those who stopped have left.
    for (const annotator of annotators) {
      for (let task = await take(annotator); task; task = await take(annotator)) await end(task.id, annotator)
    }
    const tasks = await readEndedTasks(database, collectionId)
    const images = await readCollectionImages(database, collectionId)
    expect(new Set(tasks.map(({ imageId, annotator }) => `${imageId} ${annotator}`)).size).toBe(tasks.length)
    for (const { id, takenCount, captionCount, reportCount } of images) {
      const ofImage = tasks.filter(({ imageId }) => imageId === id)
      const count = (status: string) => ofImage.filter((task) => task.status === status).length
      expect({ takenCount, captionCount, reportCount }).toEqual({
        takenCount: captionCount,
        captionCount: count('DESCRIBED'),
        reportCount: count('REPORTED'),
      })
      expect(captionCount).toBeLessThanOrEqual(captionsPerImage)
      if (reportCount < 2 && ofImage.length < annotators.length) expect(captionCount).toBe(captionsPerImage)
    }
  })
})

/** Takes tasks until there are none; sometimes skips, reports, or lets the time of a task pass. */
async function annotate(
  session: Session,
  collectionId: number,
  annotator: string,
  random: Random,
): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    const isLate = random.next() < 0.2
    const task = await takeTask(session, { collectionId, annotator, leaseMs: isLate ? -1 : LEASE_MS })
    if (!task) {
      idle++
      await new Promise(setImmediate)
      continue
    }
    const chance = random.next()
    const caption = `${annotator} ${task.imageId}`
    const end: TaskEnd =
      chance < 0.1
        ? { status: 'SKIPPED' }
        : chance < 0.15
          ? { status: 'REPORTED', reason: null }
          : { status: 'DESCRIBED', caption, tokens: caption }
    const ended = endTask(session, { taskId: task.id, annotator }, async () => end)
    await ended.catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'UNKNOWN_TASK' })
    })
  }
}

import { beforeAll, describe, expect, it } from 'vitest'
import { createContentHash, createScoresHash, hashText } from '../../src/compute/content-hash.js'
import { collectScores, type SubmittedScores } from '../../src/formats/words/word-scores.js'
import { importResults } from '../../src/services/systems/import-results.js'
import { importWordScores } from '../../src/services/systems/import-word-scores.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import type { Database } from '../../src/store/engine/session.js'
import { findSystems } from '../../src/store/systems.js'
import { ENGINES, openTestDatabase } from '../kit/databases.js'
import { importImages } from '../services/jobs-kit.js'

const silent = () => {}
const IMAGES = {
  i7: ['A dog.', 'The dog.'],
  i3: ['A cat.', 'Two cats.', 'Cats.'],
  i5: [],
  i9: ['A "bird"\n.', ''],
}

describe('the hash of parts', () => {
  const hashOf = (parts: readonly string[], header: readonly string[] = []) => {
    const content = createContentHash()
    for (const part of parts) content.add(part)
    return content.digest(header)
  }

  it('does not depend on their order, but on each of them, their number and the header', () => {
    const parts = Array.from({ length: 50 }, (_, index) => `part ${index}`)
    expect(hashOf(parts.toReversed())).toBe(hashOf(parts))
    const others = [parts.slice(1), [...parts, parts[0]], [...parts.slice(1), 'part 0 '], []]
    const all = [hashOf(parts), hashOf(parts, ['a']), ...others.map((other) => hashOf(other))]
    expect(new Set(all).size).toBe(all.length)
    expect(all[0]).toMatch(/^[0-9a-f]{64}$/)
  })

  it('of one text is its SHA-256', () => {
    expect(hashText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('the hash of word scores', () => {
  const hashOf = (first: number, words: readonly (readonly [string, number[], number[]])[]) => {
    const content = createScoresHash(first)
    for (const [word, imageIds, scores] of words) {
      content.addWord(word, { imageIds: Int32Array.from(imageIds), scores: Float32Array.from(scores) })
    }
    return content.digest()
  }

  it('depends on words, images and scores, not on their order, nor on ids of the database', () => {
    const hash = hashOf(1, [
      ['dog', [1, 2], [0.5, 0.25]],
      ['cat', [2], [1]],
      ['bird', [], []],
    ])
    expect(
      hashOf(101, [
        ['cat', [102], [1]],
        ['dog', [102, 101], [0.25, 0.5]],
      ]),
    ).toBe(hash)
    const others = [
      hashOf(1, [['dog', [1, 2], [0.5, 0.25]]]),
      hashOf(1, [
        ['dog', [1, 2], [0.25, 0.5]],
        ['cat', [2], [1]],
      ]),
      hashOf(1, [
        ['dog', [1, 3], [0.5, 0.25]],
        ['cat', [2], [1]],
      ]),
    ]
    expect(new Set([hash, ...others]).size).toBe(4)
  })
})

describe.each(ENGINES)('the content of datasets and systems on %s', (engine) => {
  let database: Database
  let count = 0
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })

  const importAll = (images: Parameters<typeof importImages>[2]) =>
    importImages(database, `animals ${count++}`, images)

  it('does not depend on the order of images', async () => {
    const dataset = await importAll(IMAGES)
    const reversed = await importAll(Object.fromEntries(Object.entries(IMAGES).reverse()))
    expect(dataset.revision).toMatch(/^[0-9a-f]{64}$/)
    expect(reversed.revision).toBe(dataset.revision)
  })

  it.each<[string, Parameters<typeof importImages>[2]]>([
    ['a text', { ...IMAGES, i7: ['A dog.', 'The dog!'] }],
    ['the order of captions', { ...IMAGES, i7: ['The dog.', 'A dog.'] }],
    ['an image without captions', { i7: IMAGES.i7, i3: IMAGES.i3, i9: IMAGES.i9 }],
    ['the id of an image', { i8: IMAGES.i7, i3: IMAGES.i3, i5: [], i9: IMAGES.i9 }],
  ])('is another with %s changed', async (_, images) => {
    const [one, other] = [await importAll(IMAGES), await importAll(images)]
    expect(other.revision).not.toBe(one.revision)
  })

  it('of a captioning system is its captions by image', async () => {
    const dataset = await importAll(IMAGES)
    const other = await importAll({ ...IMAGES, i7: ['Something else.'] })
    const importOf = async (target: typeof dataset, system: string, captions: readonly string[]) => {
      const ids = Object.keys(IMAGES)
      const { systemId } = await importResults(withoutJob(database, silent), target, {
        source: 'test',
        captions: captions.map((text, index) => ({ imageId: ids[index], text })),
        system,
        isMissingAllowed: true,
      })
      const [row] = await findSystems(database, [systemId])
      return row
    }
    const system = await importOf(dataset, 'one', ['A dog.', 'A cat.'])
    expect((await importOf(other, 'same', ['A dog.', 'A cat.'])).content).toBe(system.content)
    expect((await importOf(dataset, 'changed', ['A dog.', 'A dog.'])).content).not.toBe(system.content)
    expect(system).toMatchObject({ wordRevision: 1, missingImageCount: 1, missingCountedCount: 1 })
  })

  it('of word scores is hashed', async () => {
    const dataset = await importAll(IMAGES)
    const scores: SubmittedScores[] = [
      { imageId: 'i9', words: { dog: 0.5 }, at: () => ({}) },
      { imageId: 'i7', words: { dog: 0.25, cat: 1 / 3 }, at: () => ({}) },
    ]
    const { systemId } = await importWordScores(withoutJob(database, silent), dataset, {
      source: 'test',
      read: (images) => collectScores(scores, images, { source: 'test', isMissingAllowed: true }),
      system: 'scores',
    })
    const [system] = await findSystems(database, [systemId])
    expect(system).toMatchObject({ content: expect.stringMatching(/^[0-9a-f]{64}$/), wordRevision: 1 })
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CoverageReport } from '../../../src/services/coverage/compute-coverage.js'
import {
  type CoverageOptions,
  coverageNotes,
  listUnconfirmed,
  measureCoverage,
  unconfirmedObjects,
} from '../../../src/services/coverage/coverage.js'
import { deleteDataset, requireDataset } from '../../../src/store/datasets.js'
import { requireSystem } from '../../../src/store/systems.js'
import { peopleAsOne, shares, weigh } from '../../core/coverage/brute-force.js'
import { ENGINES } from '../../kit/databases.js'
import type { SeededDataset, World } from '../../kit/seed.js'
import { initPark } from '../kit.js'

/** The captions of images with three of them, as tokens. */
const CAPTIONS = [
  ['a dog runs', 'the dog plays', 'a small dog'],
  ['a man walks', 'a man and a dog', 'somebody walks outside'],
  ['a cat sleeps', 'a cat on a sofa', 'the cat rests'],
].map((captions) => captions.map((caption) => caption.split(' ')))

const COPIER = [
  ['a', 'dog', 'runs'],
  ['a', 'man', 'walks'],
  ['a', 'cat', 'sleeps'],
]

type Shares = Pick<CoverageReport['people'][number], 'coverage' | 'consensusCoverage' | 'confirmedShare'>

const valuesOf = ({ coverage, consensusCoverage, confirmedShare }: Shares) => ({
  coverage: coverage.value,
  consensusCoverage: consensusCoverage.value,
  confirmedShare: confirmedShare.value,
})

describe.each(ENGINES)('coverage of a dataset on %s', (engine) => {
  let world: World
  let park: SeededDataset
  let report: CoverageReport

  beforeAll(async () => {
    ;({ park, ...world } = await initPark(engine))
    await park.captionSystem('partial', { 2: 'A man and a bird.', 4: 'A bird.' })
    report = await measureCoverage(world.accord, park.row, { references: 1 })
  })

  it('has people on the images with K captions, and all captioning systems by name', () => {
    expect(report).toMatchObject({
      dataset: 'park',
      units: 'words',
      references: 1,
      captionsPerImage: 3,
      imageCount: 3,
      excludedImageCount: 1,
    })
    const weight = weigh(CAPTIONS, true)
    expect(report.people.map((point) => [point.people, valuesOf(point)])).toEqual(
      [1, 2].map((people) => {
        const expected = shares(CAPTIONS, 1, weight, peopleAsOne(CAPTIONS, people))
        return [
          people,
          Object.fromEntries(
            Object.entries(expected).map(([key, share]) => [key, expect.closeTo(share, 12)]),
          ),
        ]
      }),
    )
    expect(report.people.map(({ wordsPerCaption }) => wordsPerCaption)).toEqual([
      expect.closeTo(31 / 9, 12),
      expect.closeTo(62 / 9, 12),
    ])
    expect(
      report.systems.map(({ system, imageCount, wordsPerCaption }) => [system, imageCount, wordsPerCaption]),
    ).toEqual([
      ['captioner', 3, 2],
      ['copier', 3, 3],
      ['partial', 1, 5],
    ])
  })

  it('has the figures of a system, those of people beside it on its images', () => {
    const [, copier, partial] = report.systems
    const weight = weigh(CAPTIONS, true)
    const expected = shares(CAPTIONS, 1, weight, (image) => new Set(COPIER[image]))
    expect(copier.coverage.value).toBeCloseTo(expected.coverage, 12)
    expect(copier.confirmedShare.value).toBeCloseTo(expected.confirmedShare, 12)
    const men = CAPTIONS.slice(1, 2)
    const one = shares(men, 1, weight, peopleAsOne(men, 1)).coverage
    const own = shares(men, 1, weight, () => new Set(['a', 'man', 'and', 'bird'])).coverage
    const two = shares(men, 1, weight, peopleAsOne(men, 2)).coverage
    expect(partial.coverage.value).toBeCloseTo(own, 12)
    expect(partial.peopleEquivalent.value).toBeCloseTo(1 + (own - one) / (two - one), 12)
  })

  it('leaves out images with fewer captions, also between those that it measures', async () => {
    const [one, two, three] = CAPTIONS.map((captions) => captions.map((words) => words.join(' ')))
    const [first, second, third] = COPIER.map((words) => words.join(' '))
    const between = await world.dataset('between', { images: { 1: one, 2: ['a bird'], 3: two, 4: three } })
    await between.captionSystem('copier', { 1: first, 2: 'a bird', 3: second, 4: third })
    const { imageCount, systems } = await measureCoverage(world.accord, between.row, { references: 1 })
    const [, copier] = report.systems
    expect([imageCount, systems[0].imageCount, systems[0].wordsPerCaption]).toEqual([3, 3, 3])
    expect(valuesOf(systems[0])).toEqual(valuesOf(copier))
  })

  it('says how figures were made', () => {
    expect(report.signature).toMatch(
      /^coverage\|units:words\|df:own-\w{8}\|refs:1\|folds:3\|images:3\|tok:ptb-3\.4\.1\|data:\w{8}\|rev:1\|ci:jackknife\|version:/,
    )
    const [captioner, , partial] = report.systems
    expect(captioner.record).toMatchObject({ family: 'coverage', subject: { kind: 'system' } })
    expect(partial.signature).toContain('images:1/3-')
    const few = 'Fewer than 10 images: no interval and no test is reliable.'
    expect(coverageNotes(report)).toEqual([
      expect.stringMatching(/^Words weigh by how many of these images/),
      few,
    ])
    expect(coverageNotes({ ...report, record: { ...report.record, documentFrequencies: null } })).toEqual([
      few,
    ])
  })

  describe('with words that weigh by other images', () => {
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const captions = (i: number) => [
      `a dog${i % 3} on grass`,
      `the dog${i % 3} runs`,
      `dog${i % 2} runs to tree${i % 4}`,
      `tree${i % 4} near dog${i % 3}`,
    ]
    const written = (i: number) => `a dog${i % 3} near tree${i % 2}${i % 4 ? ' on grass' : ''}`
    /** Their captions weigh words. */
    const OTHERS = Array.from({ length: 16 }, (_, i) => [
      i % 2 ? 'a dog1 runs' : 'the tree1',
      i % 3 ? 'a dog2 on grass' : 'runs to a tree1',
    ])
    let dogs: SeededDataset

    beforeAll(async () => {
      dogs = await world.dataset('dogs', {
        images: Object.fromEntries(ids.map((id, i) => [id, captions(i)])),
      })
      for (const [name, ending] of [
        ['system', ''],
        ['longer', ' runs to'],
      ])
        await dogs.captionSystem(name, Object.fromEntries(ids.map((id, i) => [id, written(i) + ending])))
      await world.dataset('others', { images: Object.fromEntries(OTHERS.map((texts, i) => [i + 1, texts])) })
    })

    const tokens = (texts: readonly string[]) => texts.map((text) => text.split(' '))

    it('has figures by these, with intervals and tests', async () => {
      const images = ids.map((_, i) => tokens(captions(i)))
      const { people, systems, record, signature } = await measureCoverage(world.accord, dogs.row, {
        documents: 'others',
      })
      const weight = weigh(OTHERS.map(tokens), true)
      const one = shares(images, 2, weight, peopleAsOne(images, 1))
      expect(people[0].coverage.value).toBeCloseTo(one.coverage, 12)
      expect(people[0].coverage).toMatchObject({ interval: expect.anything(), undefinedReason: null })
      const system = systems.find((row) => row.system === 'system')
      const own = shares(images, 2, weight, (image) => new Set(written(image).split(' ')))
      expect(system?.coverage.value).toBeCloseTo(own.coverage, 12)
      expect(system?.differences[0]).toMatchObject({
        figure: 'coverage',
        people: 1,
        difference: expect.closeTo(own.coverage - one.coverage, 12),
        undefinedReason: null,
      })
      expect(record.documentFrequencies).toMatchObject({ source: 'dataset', imageCount: 16 })
      expect(signature).toMatch(/\|df:dataset-\w{8}\/16\|/)
      const coco = await measureCoverage(world.accord, dogs.row, { documents: 'coco' })
      expect(coco.signature).toMatch(/\|df:coco-\w{8}\/5000\|/)
      expect(coco.people[0].coverage.interval).not.toBeNull()
      expect(coverageNotes(coco)).toEqual([expect.stringMatching(/^Fewer than 30 images/)])
    })

    it('has tests of all differences as one table, and alone whatever else is asked', async () => {
      const options = { units: 'types', references: 2 } as const
      const both = await measureCoverage(world.accord, dogs.row, options)
      const rows = both.systems.flatMap(({ differences }) => differences)
      const tested = rows.filter(({ undefinedReason }) => undefinedReason === null)
      expect(tested.length).toBeGreaterThan(4)
      for (const { together } of tested) expect(together.tests).toBe(tested.length)
      const single = await measureCoverage(world.accord, dogs.row, { ...options, systems: ['system'] })
      const [of] = single.systems
      const amongBoth = both.systems.find(({ system }) => system === 'system')
      expect(of.differences.map(({ alone }) => alone)).toEqual(
        amongBoth?.differences.map(({ alone }) => alone),
      )
      const reversed = await measureCoverage(world.accord, dogs.row, {
        ...options,
        systems: ['system', 'longer'],
      })
      expect(reversed.systems.map(({ differences }) => differences)).toEqual(
        ['system', 'longer'].map((name) => both.systems.find(({ system }) => system === name)?.differences),
      )
      for (const { systems } of [both, single])
        for (const { differences } of systems)
          for (const { alone, together, difference } of differences)
            for (const { interval, better } of [alone, together]) {
              const excludes = interval !== null && (interval.lower > 0 || interval.upper < 0)
              expect(better).toBe(excludes ? ((difference as number) > 0 ? 'FIRST' : 'SECOND') : null)
            }
    })

    it.each([
      [{ units: 'types', documents: 'coco' }, 'NOT_APPLICABLE', 'do not change coverage in types'],
      [{ documents: 'nothing' }, 'UNKNOWN_DATASET', 'nothing'],
    ] as const)('refuses %j', async (options, code, message) => {
      await expect(measureCoverage(world.accord, dogs.row, options)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      })
    })

    it('refuses those of another language', async () => {
      const german = await world.dataset('hunde', {
        images: { 1: ['Ein Hund läuft über die Wiese.', 'Der Hund spielt auf dem Rasen.'] },
      })
      for (const [{ row }, documents] of [
        [german, 'coco'],
        [dogs, 'hunde'],
      ] as const)
        await expect(measureCoverage(world.accord, row, { documents })).rejects.toMatchObject({
          code: 'LANGUAGE_NOT_SUPPORTED',
        })
    })

    it('has other figures where another dataset has the name', async () => {
      const measure = () => measureCoverage(world.accord, dogs.row, { documents: 'changed' })
      const images = { 1: ['a dog1 runs', 'the tree1'], 2: ['a dog2'] }
      const changed = await world.dataset('changed', { images })
      const before = await measure()
      await world.accord.database.transaction((session) => deleteDataset(session, changed.row.id))
      await world.dataset('changed', { images: { ...images, 3: ['on grass'] } })
      const after = await measure()
      expect(after.record.documentFrequencies?.imageCount).toBe(3)
      expect(after.people[0].coverage.value).not.toBe(before.people[0].coverage.value)
    })
  })

  it('has one reference where images have two captions, and no people where they have one', async () => {
    const pairs = await world.dataset('pairs', { images: { 1: ['a dog', 'a cat'], 2: ['a bird', 'a bird'] } })
    const ofPairs = await measureCoverage(world.accord, pairs.row)
    expect(ofPairs.references).toBe(1)
    expect(ofPairs.people.map(({ people }) => people)).toEqual([1])
    const single = await world.dataset('single', { images: { 1: ['a dog'], 2: ['a cat'] } })
    await single.captionSystem('captioner', { 1: 'A dog.', 2: 'A dog.' })
    const { people, systems } = await measureCoverage(world.accord, single.row)
    expect(people).toEqual([])
    expect(systems[0].coverage.value).toBeCloseTo(1 / 2, 12)
    expect(systems[0].peopleEquivalent).toMatchObject({ value: null, undefinedReason: 'NO_CAPTION_LEFT' })
  })

  it('measures the systems that are named', async () => {
    const { systems, units } = await measureCoverage(world.accord, park.row, {
      systems: ['copier'],
      units: 'types',
    })
    expect(systems.map(({ system }) => system)).toEqual(['copier'])
    expect(units).toBe('types')
  })

  it('counts objects, in English alone', async () => {
    const { systems, people, signature } = await measureCoverage(world.accord, park.row, {
      units: 'objects',
      references: 1,
      systems: ['captioner'],
    })
    // People mention a dog thrice; a man twice, with a dog once; a cat thrice, with a sofa once. The system: dog, dog, cat.
    expect(systems[0].coverage.value).toBeCloseTo((3 + 1 + 3) / (3 + 3 + 4), 12)
    expect(systems[0].confirmedShare.value).toBeCloseTo((3 + 1 + 3) / 9, 12)
    expect(systems[0].wordsPerCaption).toBe(2)
    expect(people[0].confirmedShare.value).toBeCloseTo((3 + 1 + 3) / 10, 12)
    expect(signature).toMatch(/^coverage\|units:objects\|objects:coco80-1\|/)
    const german = await world.dataset('german', {
      images: {
        1: ['Ein Hund läuft über die Wiese.', 'Der Hund spielt auf dem Rasen.'],
        2: ['Eine Katze schläft auf dem Sofa.', 'Die Katze ruht sich auf der Couch aus.'],
      },
    })
    expect(german.row.language).toBe('de')
    for (const units of ['objects', 'open-objects', 'tuples'] as const) {
      await expect(measureCoverage(world.accord, german.row, { units })).rejects.toMatchObject({
        code: 'LANGUAGE_NOT_SUPPORTED',
      })
    }
    expect((await measureCoverage(world.accord, german.row)).people).toHaveLength(1)
  })

  it('counts open objects, synonyms being the same', async () => {
    const rides = await world.dataset('rides', {
      images: { 1: ['A bicycle.', 'A bike and a tree.'], 2: ['A couch.', 'A sofa.'] },
    })
    await rides.captionSystem('rider', { 1: 'A bike beside a dragon.', 2: 'A couch.' })
    const { people, systems, signature } = await measureCoverage(world.accord, rides.row, {
      units: 'open-objects',
    })
    expect(valuesOf(people[0])).toEqual({
      coverage: expect.closeTo(4 / 5, 12),
      consensusCoverage: expect.closeTo(4 / 5, 12),
      confirmedShare: expect.closeTo(4 / 5, 12),
    })
    expect(systems[0].coverage.value).toBeCloseTo(4 / 5, 12)
    expect(systems[0].confirmedShare.value).toBeCloseTo(4 / 6, 12)
    expect(signature).toMatch(
      /^coverage\|units:open-objects\|objects:open\|parser:accord-\d+\|synonyms:WordNet-3.0\|.*\|res:spice-/,
    )
  })

  it('lists the objects that nothing confirms', async () => {
    await park.captionSystem('dreamer', { 1: 'A kite and a kite.', 2: 'A dog and a kite.', 3: 'A car.' })
    const find = async (system: string) => {
      const dataset = await requireDataset(world.accord.database, 'park')
      return unconfirmedObjects(
        world.accord,
        dataset,
        await requireSystem(world.accord.database, dataset.id, system),
      )
    }
    const listed = await find('dreamer')
    expect(listed).toMatchObject({ imageCount: 3, isAnnotated: false })
    expect(listed?.objects).toMatchObject([
      { name: 'kite', mentionCount: 3, captionCount: 2, humanCaptionCount: 0 },
      { name: 'car', mentionCount: 1 },
    ])
    const { objects } = await listUnconfirmed(world.accord, park.row, ['dreamer'], { units: 'objects' })
    expect(objects.map(({ imageIds }) => imageIds)).toEqual([['1', '2'], ['3']])
    // What was asked before is asked again after an import.
    const folder = mkdtempSync(join(tmpdir(), 'accord-'))
    writeFileSync(join(folder, 'objects.csv'), 'image_id,objects\n1,kite\n')
    const file = { path: join(folder, 'objects.csv') }
    await world.accord.run('importObjects', { datasetId: park.row.id, file })
    expect(await find('dreamer')).toMatchObject({
      isAnnotated: true,
      objects: [
        { name: 'car', mentionCount: 1 },
        { name: 'kite', mentionCount: 1 },
      ],
    })
    rmSync(folder, { recursive: true })
    expect(await find('detector')).toBeNull()
  })

  it('lists at most five of a system, none of images without captions of people', async () => {
    const rooms = await world.dataset('rooms', { images: { 1: ['A dog.'], 2: [], 3: ['A cat.'] } })
    await rooms.captionSystem('decorator', {
      1: 'A bed.',
      2: 'A car.',
      3: 'A bed, sofa, tv, cup, book, clock.',
    })
    const decorator = await requireSystem(world.accord.database, rooms.row.id, 'decorator')
    const report = await unconfirmedObjects(world.accord, rooms.row, decorator)
    const names = ['bed', 'book', 'clock', 'couch', 'cup', 'tv']
    expect(report?.imageCount).toBe(2)
    expect(report?.objects.map(({ name }) => name).sort()).toEqual(names)
    const { objects } = await listUnconfirmed(world.accord, rooms.row, ['decorator'], { units: 'objects' })
    expect(objects.map(({ name, imageIds }) => [name, imageIds.length])).toEqual([
      ['bed', 2],
      ...names.slice(1, 5).map((name) => [name, 1]),
    ])
  })

  it('counts objects by the words of a file, and as the published program does', async () => {
    const buses = await world.dataset('buses', {
      images: { 1: ['A bus, a cup.', 'The bus and the cup.'], 2: ['Hot, dog.', 'A dog.'] },
    })
    await buses.captionSystem('rider', { 1: 'A bus.', 2: 'A hot, dog.' })
    const folder = mkdtempSync(join(tmpdir(), 'accord-'))
    const objectWordsFile = join(folder, 'words.csv')
    writeFileSync(objectWordsFile, 'object,words\nbus,bus\ncup,cup\ndog,dog\nhot dog,hot dog\n')
    const confirmedBy = async (options: CoverageOptions) => {
      const report = await measureCoverage(world.accord, buses.row, { units: 'objects', ...options })
      return { share: report.systems[0].confirmedShare.value, signature: report.signature }
    }
    // Tokens have no commas: a hot dog, which is not confirmed by dogs.
    const own = await confirmedBy({ objectWordsFile })
    expect(own.share).toBeCloseTo((2 + 1) / 4, 12)
    expect(own.signature).toMatch(/\|objects:coco80-1\|words:file-\w{8}\|refs:/)
    // Captions as they are written have a dog; buses are none.
    const compatible = await confirmedBy({ objectWordsFile, isChairCompatible: true })
    expect(compatible.share).toBeCloseTo(2 / 2, 12)
    expect(compatible.signature).toMatch(/\|words:file-\w{8}\|mode:CHAIR-compatible\|.*\|text:raw\|/)
    await expect(
      measureCoverage(world.accord, buses.row, { units: 'words', objectWordsFile }),
    ).rejects.toMatchObject({ code: 'NOT_APPLICABLE', detail: { expected: '--units objects' } })
    rmSync(folder, { recursive: true })
  })

  it('counts tuples of scene graphs', async () => {
    const pets = await world.dataset('pets', {
      images: { 1: ['a brown dog', 'a dog on grass', 'a brown dog on grass'] },
    })
    await pets.captionSystem('graphs', { 1: 'a brown dog near a cat' })
    const { systems, signature } = await measureCoverage(world.accord, pets.row, {
      units: 'tuples',
      references: 1,
    })
    // The system: dog, brown, cat, dog near cat. References: 4 tuples (dog, brown, grass, on grass), 2 (dog, brown), 3.
    expect(systems[0].confirmedShare.value).toBeCloseTo((2 + 2 + 1) / 12, 12)
    expect(systems[0].coverage.value).toBeCloseTo((2 + 2 + 1) / (4 + 2 + 3), 12)
    expect(signature).toMatch(/^coverage\|units:tuples\|parser:accord-\d\|.*\|res:scene-graphs-[0-9a-f]{8}\|/)
  })

  it.each([
    [{ references: 4 }, 'OUT_OF_RANGE', 'an integer from 1 to 3'],
    [{ references: 0 }, 'OUT_OF_RANGE', 'an integer from 1 to 3'],
    [{ systems: ['copie'] }, 'UNKNOWN_SYSTEM', 'copier'],
    [{ systems: ['detector'] }, 'NOT_APPLICABLE', 'a captioning system'],
  ])('refuses %j', async (options, code, expected) => {
    await expect(measureCoverage(world.accord, park.row, options)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(expected),
    })
  })
})

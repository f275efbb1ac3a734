import { beforeAll, describe, expect, it } from 'vitest'
import type { DiversityReport } from '../../../src/services/diversity/compute-diversity.js'
import { diversityNotes, measureDiversity } from '../../../src/services/diversity/diversity.js'
import { createDataset, deleteDataset } from '../../../src/store/datasets.js'
import { diversity } from '../../core/diversity/brute-force.js'
import { ENGINES } from '../../kit/databases.js'
import type { SeededDataset, World } from '../../kit/seed.js'
import { initPark } from '../kit.js'

const words = (captions: readonly string[]) => captions.map((caption) => caption.split(' '))

/** The captions of images 2 and 3 of the park, as tokens. */
const CAPTIONS = [
  words(['a man walks', 'a man and a dog', 'somebody walks outside']),
  words(['a cat sleeps', 'a cat on a sofa', 'the cat rests']),
]

describe.each(ENGINES)('diversity of a dataset on %s', (engine) => {
  let world: World
  let park: SeededDataset
  let report: DiversityReport

  beforeAll(async () => {
    ;({ park, ...world } = await initPark(engine))
    await park.captionSystem('partial', { 2: 'A man and a bird.', 3: 'A cat.', 4: 'A bird.' })
    report = await measureDiversity(world.accord, park.row)
  })

  it('has people and all captioning systems on the images that all have', () => {
    const systems = [words(['a dog', 'a cat']), words(['a man walks', 'a cat sleeps'])]
    const partial = words(['a man and a bird', 'a cat'])
    const { tokenCount, sides } = diversity(CAPTIONS, [...systems, partial], 1)
    expect(report).toMatchObject({
      dataset: 'park',
      captionsPerImage: 3,
      imageCount: 2,
      excludedImageCount: 2,
      tokenCount,
    })
    expect(report.systems.map(({ system }) => system)).toEqual(['captioner', 'copier', 'partial'])
    const near = (value: number) => ({ value: expect.closeTo(value, 9) })
    for (const [index, side] of [report.people, ...report.systems].entries()) {
      const { meanLength, lengthDeviation, types, distinctShare, vocabularyShare, localRecall } = sides[index]
      expect(side).toMatchObject({
        meanLength: near(meanLength),
        lengthDeviation: near(lengthDeviation),
        types: near(types),
        wordTypeTokenRatio: { value: null, undefinedReason: 'TOO_FEW_TOKENS' },
        distinctShare: near(distinctShare),
        vocabularyShare: near(vocabularyShare),
        localRecall: localRecall.map(near),
      })
    }
  })

  it('says how figures were made, and why some are undefined', () => {
    expect(report.people.signature).toMatch(
      /^diversity\|tokens:4\|refs:2\|folds:3\|images:2\/3-\w{8}\|tok:ptb-3\.4\.1\|data:\w{8}\|rev:1\|seed:1\|version:/,
    )
    expect(report.systems[0].record.subject).toMatchObject({ kind: 'system' })
    const notes = diversityNotes(report)
    expect(notes.slice(0, 2)).toEqual([
      'Over 2 images with 3 captions by people and a caption of every system.',
      'Left out: 2 images without these.',
    ])
    expect(notes[3]).toMatch(
      /^vocabulary: of the distinct words of 2 other people, .* that c of them use for an image, /,
    )
    expect(notes.at(-1)).toBe(
      'Undefined: There are fewer than 1,000 tokens, or bigrams: not one full segment.',
    )
  })

  it('measures the systems that are named, on all images with K captions that they have', async () => {
    const named = await measureDiversity(world.accord, park.row, { systems: ['copier'] })
    expect(named.systems.map(({ system }) => system)).toEqual(['copier'])
    expect(named.imageCount).toBe(3)
    expect(named.people.signature).toContain('images:3|')
    expect(named.systems[0].meanLength.value).toBe(3)
  })

  it('has reasons where systems share no image, and where images have one caption', async () => {
    const single = await world.dataset('single', { images: { 1: ['a dog'], 2: ['a cat'] } })
    await single.captionSystem('one', { 1: 'A dog.' })
    await single.captionSystem('other', { 2: 'A dog.' })
    const { imageCount, people } = await measureDiversity(world.accord, single.row)
    expect(imageCount).toBe(0)
    expect(people.meanLength).toEqual({ value: null, undefinedReason: 'NO_IMAGES' })
    const named = await measureDiversity(world.accord, single.row, { systems: ['one'] })
    expect(diversityNotes(named).join()).not.toContain('vocabulary')
    expect(named.people.vocabularyShare).toEqual({ value: null, undefinedReason: 'ONE_CAPTION' })
    expect(named.people.localRecall).toEqual([])
  })

  it('has the share of captions that are not in a dataset of training', async () => {
    const known = await world.dataset('training', {
      images: { 8: ['Nothing.'], 9: ['A dog.', 'A man walks.', 'Nothing.'] },
    })
    const options = { training: 'training', systems: ['captioner', 'copier'] }
    const { people, systems, training } = await measureDiversity(world.accord, park.row, options)
    expect(training).toBe('training')
    // Of nine captions of people one, of three of each system two and one are in it.
    expect(people.unseenShare?.value).toBeCloseTo(8 / 9, 12)
    expect(systems.map(({ unseenShare }) => unseenShare?.value)).toEqual([
      expect.closeTo(1 / 3, 12),
      expect.closeTo(2 / 3, 12),
    ])
    expect(people.signature).toMatch(/\|res:training-[0-9a-f]{8}\|/)
    // Another dataset of the name.
    await world.accord.database.transaction((session) => deleteDataset(session, known.row.id))
    await world.dataset('training', {
      images: { 8: ['A dog.'], 9: ['Somebody walks on the grass.', 'The man is outside.'] },
    })
    const again = await measureDiversity(world.accord, park.row, options)
    expect(again.systems.map(({ unseenShare }) => unseenShare?.value)).toEqual([expect.closeTo(1 / 3, 12), 1])
    const german = await world.dataset('hunde', {
      images: { 1: ['Ein Hund läuft über die Wiese.', 'Der Hund spielt auf dem Rasen.'] },
    })
    expect(german.row.language).toBe('de')
    await world.accord.database.transaction((session) => createDataset(session, 'boxes'))
    await world.dataset('untold', { images: { 1: ['zzz qq', 'qq www'] } })
    for (const [name, code, summary] of [
      ['park', 'NOT_APPLICABLE', 'the dataset itself is no training dataset'],
      ['hunde', 'LANGUAGE_NOT_SUPPORTED', 'training dataset of another language'],
      ['untold', 'LANGUAGE_NOT_SUPPORTED', 'training dataset of another language'],
      ['boxes', 'NOT_APPLICABLE', 'the dataset has no human captions'],
      ['nothing', 'UNKNOWN_DATASET', 'unknown dataset'],
    ])
      await expect(measureDiversity(world.accord, park.row, { training: name })).rejects.toMatchObject({
        code,
        summary,
      })
    await expect(measureDiversity(world.accord, park.row, { training: 'untold' })).rejects.toMatchObject({
      detail: {
        found: expect.stringMatching(/^captions in an unknown language \(und\), tokenizer unicode-/),
      },
    })
  })

  it('refuses systems and datasets without captions', async () => {
    await expect(measureDiversity(world.accord, park.row, { systems: ['detector'] })).rejects.toMatchObject({
      code: 'NOT_APPLICABLE',
    })
  })
})

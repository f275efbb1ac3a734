import { beforeAll, describe, expect, it } from 'vitest'
import { compare as compareSystems } from '../../../src/services/comparisons/comparisons.js'
import { readWordsOfCaptions, type WordChoice } from '../../../src/services/datasets/vocabulary.js'
import { completeRows } from '../../../src/services/leaderboard/complete-rows.js'
import { type LeaderboardOptions, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { leaderboardStandings } from '../../../src/services/leaderboard/standings.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { reportWords } from '../../../src/services/words/word-report.js'
import { meansOverWords } from '../../../src/services/words/words.js'
import { initWorld, type SeededDataset } from '../../kit/seed.js'

const IMAGES = 40

/** Each of many words is used by two people of one image, once: more of them than a vocabulary has, beside "dog". */
const wordOf = (image: number, i: number) => `w${image * 30 + i}`
const rareWords = (image: number) => Array.from({ length: 30 }, (_, i) => wordOf(image, i)).join(' ')
const captions = (text: (image: number) => string) =>
  Object.fromEntries(Array.from({ length: IMAGES }, (_, image) => [`i${image}`, text(image)]))
const people = Object.fromEntries(
  Object.entries(captions(rareWords)).map(([id, rare], image) => [
    id,
    [`dog ${rare}`, `dog ${image % 3 === 0 ? '' : rare}`, 'dog'],
  ]),
)

/** A word of the image, in the vocabulary or not; of every fourth image that of another one. */
const rareCaption = (image: number) => `dog ${wordOf((image + Number(image % 4 === 0)) % IMAGES, image % 30)}`

describe('the mean word precision of captions', async () => {
  const world = await initWorld()
  let many: SeededDataset
  let given: SeededDataset
  beforeAll(async () => {
    many = await world.dataset('many', { images: people })
    await world.dataset('copy', { images: people })
    given = await world.dataset('given', { images: people, vocabulary: { dog: 'NN', w3: 'NN', w32: 'NN' } })
    await world.dataset('elsewhere', { images: { one: ['dog w1', 'dog w32'], other: ['w31', 'w1'] } })
    for (const dataset of [many, given]) {
      await dataset.captionSystem(
        'usual',
        captions(() => 'dog'),
      )
      await dataset.captionSystem('rare', captions(rareCaption))
    }
  })

  const textsOf = async ({ row }: SeededDataset, choice: WordChoice = {}) => {
    const { words, areChosenByPeople } = await readWordsOfCaptions(world.database, row, choice)
    return { texts: words.map(({ text }) => text), areChosenByPeople }
  }
  const compare = async (dataset: SeededDataset, systems: string[], vocabularyOf?: string) =>
    compareSystems(world.accord, dataset.row, {
      systems,
      people: true,
      figure: { kind: 'WORD_PRECISION', vocabularyOf },
    })

  it('is over all words if the vocabulary is that of the most used ones', async () => {
    const { texts, areChosenByPeople } = await textsOf(many)
    expect([texts.length, areChosenByPeople]).toEqual([1 + IMAGES * 30, false])
    const [pair] = await compare(many, ['rare'])
    expect(pair.wordCount).toBe(1 + IMAGES)
    expect(pair.alone.interval).not.toBeNull()
  })

  it('is over the words of a vocabulary that was given', async () => {
    expect(await textsOf(given)).toEqual({ texts: ['dog', 'w3', 'w32'], areChosenByPeople: false })
    const [pair] = await compare(given, ['rare'])
    expect(pair.wordCount).toBe(1)
    expect(pair.firstScore).toBe(1)
  })

  it('is over the words of other captions, in the own vocabulary or not', async () => {
    const { texts, areChosenByPeople } = await textsOf(many, { vocabularyOf: 'elsewhere' })
    expect(new Set(texts)).toEqual(new Set(['dog', 'w1', 'w31', 'w32']))
    expect(areChosenByPeople).toBe(false)
    expect((await textsOf(given, { vocabularyOf: 'elsewhere' })).texts).toEqual(['dog', 'w32'])
  })

  it.each(['many', 'copy'])(
    'over the most used words of the same captions, of %s, has no verdict',
    async (name) => {
      expect((await textsOf(many, { vocabularyOf: name })).texts).toHaveLength(1000)
      const pairs = await compare(many, ['rare', 'usual'], name)
      const ofPeople = pairs.filter(({ second }) => second === null)
      expect(ofPeople).toHaveLength(2)
      for (const { alone, together, undefinedReason, difference, rarefied } of ofPeople) {
        expect(undefinedReason).toBe('WORDS_OF_PEOPLE')
        expect(difference).not.toBeNull()
        expect([alone.interval, alone.pValue, alone.better, together.pValue, rarefied]).toEqual(
          Array(5).fill(null),
        )
      }
      // Two systems did not choose the words.
      expect(pairs.find(({ second }) => second !== null)).toMatchObject({
        undefinedReason: null,
        together: { tests: 1 },
      })
      const [system] = await requireSystems(world.accord, many.row, ['rare'])
      const [means] = await meansOverWords(world.accord, many.row, [system], { vocabularyOf: name })
      expect(means.find(({ figure }) => figure === 'GAP_TO_PEOPLE')).toMatchObject({
        value: expect.any(Number),
        interval: null,
        pValue: null,
        undefinedReason: 'WORDS_OF_PEOPLE',
        rarefied: null,
      })
    },
  )

  it('has a verdict over a vocabulary that was given, whatever dataset names it', async () => {
    const [pair] = await compare(given, ['rare'], 'given')
    expect(pair.undefinedReason).not.toBe('WORDS_OF_PEOPLE')
  })

  it('is the same on leaderboards, in reports and in comparisons, with the same record', async () => {
    const options: LeaderboardOptions = { by: 'WORD_PRECISION' }
    const rows = await rankSystems(world.accord, many.row, options)
    const [pair] = await compare(many, ['rare'])
    const row = rows.find(({ system }) => system?.name === 'rare')
    const human = rows.find(({ isHuman }) => isHuman)
    expect(row?.value).toBeCloseTo(pair.firstScore as number, 12)
    expect(human?.value).toBeCloseTo(pair.secondScore as number, 12)
    expect(row?.wordCount).toBe(pair.wordCount)
    const [completed] = await completeRows(world.accord, many.row, row ? [row] : [], options)
    expect(completed.gapToPeople?.value).toBeCloseTo(pair.difference as number, 12)
    expect(completed.gapToPeople?.pValue).toBeCloseTo(pair.alone.pValue as number, 12)
    expect((await leaderboardStandings(world.accord, many.row, rows, options))[0]?.undefinedReason).toBeNull()
    const { means, provenance } = await reportWords(world.accord, { dataset: 'many', systems: ['rare'] })
    expect(means.systems.get('rare')?.find(({ figure }) => figure === 'WORD_PRECISION')).toMatchObject({
      value: row?.value,
    })
    expect(row?.signature).toMatch(/^WORD_PRECISION\|words:1201\|/)
    expect(provenance.systems.get('rare')?.WORD_PRECISION?.signature).toBe(row?.signature)
    // Recall is over the vocabulary.
    expect(provenance.systems.get('rare')?.WORD_RECALL?.signature).toMatch(/^WORD_RECALL\|words:1000\|/)
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { ENGLISH_FUNCTION_WORDS } from '../../src/core/metrics/meteor/normalize.js'
import { createMeteor } from '../../src/core/metrics/meteor.js'
import { scoreCorpus, scoreImages, type Trial } from '../../src/core/metrics/metric.js'
import { readMeteorData } from '../../src/formats/english/meteor-data.js'
import { projectFile } from '../../src/project.js'
import { trialOf as corpusTrial, paraphrasesOf } from '../core/metrics/meteor/kit.js'
import {
  type GoldenCorpus,
  type GoldenScores,
  goldenPresent,
  readGoldenCorpus,
  readGoldenImageScores,
  readGoldenScores,
  SYSTEMS,
  trialOf,
} from './golden.js'

const COLUMN = 'METEOR_exact_stem_synonym'
const TOLERANCE = 1e-9

const meteorFolder = fileURLToPath(new URL('../../../shared/data/meteor/', import.meta.url))
const meteorPresent = existsSync(join(meteorFolder, 'english.synsets'))
if (!meteorPresent) console.warn(`NO PARITY: ${meteorFolder} is absent, the tests against it are skipped`)

/** What `npm run build` derives from WordNet. */
const built = projectFile('dist/resources/meteor')

describe.skipIf(!meteorPresent)('METEOR’s own files', () => {
  const words = (text: string) => text.trimEnd().split('\n')

  test('the function words are METEOR’s', () => {
    expect([...ENGLISH_FUNCTION_WORDS]).toEqual(
      words(readFileSync(join(meteorFolder, 'english.function.words'), 'utf8')),
    )
  })

  test('the signature states their source', () => {
    expect(readMeteorData(meteorFolder)).toMatchObject({
      functionWordsName: 'METEOR-1.5',
      wordNet: { name: 'WordNet-3.0' },
    })
  })

  test('the data derived from WordNet 3.0 equal METEOR’s, except for words that no caption can have', () => {
    const own = readMeteorData(meteorFolder).wordNet
    const derived = readMeteorData(built).wordNet
    const lemmas = words(readFileSync(join(meteorFolder, 'english.synsets'), 'utf8')).filter(
      (_, i) => i % 2 === 0,
    )
    const forms = words(readFileSync(join(meteorFolder, 'english.exceptions'), 'utf8'))
      .filter((_, i) => i % 2 === 1)
      .flatMap((line) => line.split(' '))
    const possible = [...lemmas, ...forms].filter((word) => !word.includes('_'))
    expect(possible.length).toBeGreaterThan(87_000)
    const bases = possible.flatMap((word) => own.baseFormsOf(word) ?? [])
    const different = [...possible, ...bases].filter(
      (word) =>
        String(own.synsetsOf(word)) !== String(derived.synsetsOf(word)) ||
        (!word.includes('_') && String(own.baseFormsOf(word)) !== String(derived.baseFormsOf(word))),
    )
    expect(different).toEqual([])
  })
})

/**
 * Statistics of METEOR 1.5 (`-l en -norm`, without and with a small paraphrase table) on captions of few,
 * often repeated words with unusual tokens: more paths than the beam size, and many ties.
 */
describe('METEOR 1.5 on hard captions', () => {
  const { paraphrases, cases } = readProgramCases()
  const { corpus, trial } = corpusTrial(cases.map(({ candidate, reference }) => [candidate, reference]))

  test.each([
    ['words alone', undefined, 'words'],
    ['with paraphrases', paraphrases, 'withParaphrases'],
  ] as const)('%s', (_, table, column) => {
    const resources = readMeteorData(built)
    const meteor = createMeteor(table ? { ...resources, paraphrases: paraphrasesOf(table) } : resources)
    const statistics = meteor.measure(meteor.prepare(corpus), trial)
    cases.forEach((hard, image) => {
      const row = [...statistics.subarray(image * meteor.width, (image + 1) * meteor.width)]
      const [matches, length, referenceMatches, referenceLength, words, matchedWords, chunks] = hard[column]
      const penalized = chunks === 1 && matchedWords === words ? 0 : chunks
      expect(row, hard.candidate).toEqual([
        ...[matches, length, referenceMatches, referenceLength, matchedWords, penalized],
      ])
    })
  })
})

describe.skipIf(!goldenPresent)('METEOR 1.5 on 5,000 images', () => {
  let golden: GoldenCorpus
  let scores: GoldenScores

  beforeAll(() => {
    golden = readGoldenCorpus(SYSTEMS)
    scores = readGoldenScores()
  })

  test('leave one out, K = 5: every fold', () => {
    const meteor = createMeteor(readMeteorData(built))
    const prepared = meteor.prepare(golden.corpus)
    for (const [fold, expected] of Object.entries(scores.leave_one_out.folds)) {
      const statistics = meteor.measure(prepared, foldOf(golden, Number(fold)))
      const difference = Math.abs(scoreCorpus(meteor, statistics)[0] - expected[COLUMN])
      expect(difference, `fold ${fold}`).toBeLessThan(TOLERANCE)
    }
  })

  const sources = [
    ['the bundled WordNet data', built],
    ['METEOR’s WordNet files', meteorFolder],
  ] as const
  test.each(sources.filter(([, folder]) => folder === built || meteorPresent))(
    'with %s, every system: the corpus and every image',
    (_, folder) => {
      const meteor = createMeteor(readMeteorData(folder))
      const prepared = meteor.prepare(golden.corpus)
      for (const system of SYSTEMS) {
        const statistics = meteor.measure(prepared, trialOf(golden, system))
        const corpus = scoreCorpus(meteor, statistics)[0]
        expect(Math.abs(corpus - scores[system].corpus![COLUMN]), system).toBeLessThan(TOLERANCE)
        const images = scoreImages(meteor, statistics)[0]
        const expected = readGoldenImageScores(system)
        const different = golden.imageIds.filter(
          (id, image) => !(Math.abs(images[image] - expected.get(id)![COLUMN]) < TOLERANCE),
        )
        expect(different, system).toEqual([])
      }
    },
  )
})

interface ProgramCases {
  readonly paraphrases: readonly (readonly [string, string])[]
  readonly cases: readonly {
    readonly candidate: string
    readonly reference: string
    readonly words: readonly number[]
    readonly withParaphrases: readonly number[]
  }[]
}

function readProgramCases(): ProgramCases {
  return JSON.parse(readFileSync(new URL('meteor-program.json', import.meta.url), 'utf8'))
}

/**
 * The caption at position `fold` of each image as the candidate, the others of its first five as references: in the order
 * of the published figures, those after the candidate first. Of equally good references METEOR takes the first.
 */
function foldOf({ human }: GoldenCorpus, fold: number): Trial {
  const firsts = Array.from(human.referenceOffsets.subarray(0, -1))
  const others = [1, 2, 3, 4].map((step) => (fold + step) % 5)
  return {
    candidates: Int32Array.from(firsts, (first) => human.references[first + fold]),
    references: Int32Array.from(firsts.flatMap((first) => others.map((i) => human.references[first + i]))),
    referenceOffsets: Int32Array.from([...firsts.keys(), firsts.length], (image) => image * 4),
  }
}

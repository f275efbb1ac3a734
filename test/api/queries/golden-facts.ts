import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { projectFile } from '../../../src/project.js'
import type { PartOfSpeech } from '../../../src/shared/choices.js'

/**
 * What is true of the dataset `golden`, without any code of Accord: the figures of `test/golden/golden.py`, and counts in the files of
 * captions.
 */

const read = (name: string) => readFileSync(projectFile(`test/golden/${name}`), 'utf8')
const csv = (name: string): Readonly<Record<string, string>>[] => parse(read(name), { columns: true })

export const SYSTEMS = ['middling', 'strong', 'weak'] as const
export type SystemName = (typeof SYSTEMS)[number]

/** Corpus scores of systems, and of the folds of people. */
export const corpus: Readonly<Record<SystemName, Readonly<Record<string, number>>>> & {
  readonly people: readonly Readonly<Record<string, number>>[]
} = JSON.parse(read('corpus.json'))

export const peopleMean = (metric: string) => mean(corpus.people.map((fold) => fold[metric]))

/** Scores of images, in the order of the images. */
export function imageScores(system: SystemName, metric: string): { image: string; value: number }[] {
  const rows = csv('images.csv').filter((row) => row.system === system)
  return rows.map((row) => ({ image: row.image, value: Number(row[metric]) }))
}

/** A coarse list of parts of speech, which is imported with the vocabulary. */
function partOfSpeech(word: string): PartOfSpeech {
  if (/^(a|an|the|two|three|its|their|his|her)$/.test(word)) return 'DT'
  if (/^(and|at|behind|beside|by|from|in|into|near|next|of|on|over|through|to|under|while|with)$/.test(word))
    return 'IN'
  if (/^(it|he|she|they|them)$/.test(word)) return 'PRP'
  if (/^(black|blue|brown|gray|green|large|little|orange|polar|red|small|white|yellow|young)$/.test(word))
    return 'JJ'
  return /ing$|^(is|are|sits|stands|walks)$/.test(word) ? 'VB' : 'NN'
}

export interface WordFacts {
  readonly text: string
  readonly partOfSpeech: PartOfSpeech
  /** Entry c: the number of images in which c captions use the word. */
  readonly histogram: readonly number[]
  readonly recall: number | null
  /** With four references, as all figures of words here. */
  readonly precision: number | null
  /** Of the system `detector`. */
  readonly phr: number | null
  readonly averagePrecision: number | null
  /** Precision of whoever predicts the word for all images. */
  readonly chance: number
}

/** The words of three images or more, which are the vocabulary. */
export const words: ReadonlyMap<string, WordFacts> = new Map(
  csv('words.csv').map((row) => {
    const figure = (column: string) => (row[column] === '' ? null : Number(row[column]))
    const histogram = [0, 1, 2, 3, 4, 5].map((count) => Number(row[`h${count}`]))
    // Of five captions four are references: c captions with the word are 4c/5 references on average, and one is left out in 1/5.
    const positives = (4 / 5) * histogram.reduce((sum, images, count) => sum + count * images, 0)
    const negatives = histogram[0] + histogram[1] / 5
    const facts = {
      text: row.word,
      partOfSpeech: partOfSpeech(row.word),
      histogram,
      recall: figure('recall'),
      precision: figure('precision4'),
      phr: figure('phr4'),
      averagePrecision: figure('ap4'),
      chance: positives / (positives + negatives),
    }
    return [row.word, facts]
  }),
)

export const wordFacts = (text: string): WordFacts => {
  const facts = words.get(text)
  if (!facts) throw new Error(`expected a word of the golden dataset, found ${text}`)
  return facts
}

/** Of these captions: words in lower case, `'s` and `n't`. */
const tokensOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/n't\b/g, " n't")
    .match(/n't|'s|[a-z0-9]+(?:[-.][a-z0-9]+)*/g) ?? []

export interface CaptionFacts {
  readonly image: string
  readonly text: string
  readonly tokens: readonly string[]
}

const toFacts = ({ image_id, caption }: { image_id: number; caption: string }): CaptionFacts => ({
  image: String(image_id),
  text: caption,
  tokens: tokensOf(caption),
})

export const captions: readonly CaptionFacts[] = JSON.parse(read('data/captions.json')).annotations.map(
  toFacts,
)
export const captionsOf = (system: SystemName): CaptionFacts[] =>
  JSON.parse(read(`data/${system}.json`)).map(toFacts)
/** All words, of the vocabulary or not. */
export const allTexts: readonly string[] = Array.from(
  new Set(captions.flatMap(({ tokens }) => tokens)),
).sort()
export const humanCaptions = (image: string) => captions.filter((caption) => caption.image === image)
export const IMAGES: readonly string[] = Array.from(new Set(captions.map(({ image }) => image)))

/** Scores of the detector, by image and word. */
export const detected: ReadonlyMap<string, Readonly<Record<string, number>>> = new Map(
  read('data/detector.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ image_id, words: scores }) => [String(image_id), scores]),
)

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const center = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1))
}

export function pearson(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [mean(first), mean(second)]
  const products = first.map((value, index) => (value - a) * (second[index] - b))
  return mean(products) / (((first.length - 1) / first.length) * deviation(first) * deviation(second))
}

/** Linear between sorted values (Hyndman and Fan 1996, type 7). */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = at * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (place - Math.floor(place)) * (high - low)
}

/** Shares of distinct tokens that captions say and that references say, over images and folds with two references. */
export function coverageOf(saidBy: (image: string, fold: number) => readonly CaptionFacts[]) {
  const sums = { said: 0, referenced: 0, covered: 0, agreed: 0, agreedCovered: 0 }
  for (const image of IMAGES) {
    const human = humanCaptions(image)
    for (let fold = 0; fold < 5; fold++) {
      const said = new Set(saidBy(image, fold).flatMap(({ tokens }) => tokens))
      const [one, other] = [3, 4].map((step) => new Set(human[(fold + step) % 5].tokens))
      const either = new Set([...one, ...other])
      sums.said += said.size
      sums.referenced += either.size
      sums.covered += [...either].filter((token) => said.has(token)).length
      const agreed = [...one].filter((token) => other.has(token))
      sums.agreed += agreed.length
      sums.agreedCovered += agreed.filter((token) => said.has(token)).length
    }
  }
  return {
    coverage: sums.covered / sums.referenced,
    consensusCoverage: sums.agreedCovered / sums.agreed,
    confirmedShare: sums.covered / sums.said,
  }
}

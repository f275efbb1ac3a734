import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { dataFile, dataPresent } from '../kit/data.js'

/** Whether the word figures of COCO val2017 and their sources exist. */
export const wordGoldensPresent = dataPresent('word agreement compared with the reference figures', [
  'golden/words_val2017.csv',
  'golden/ptb_val2017.tsv.gz',
  'coco/captions_val2017.json',
  'coco/vocabulary_1000.csv',
  'coco/word_scores_val2017_image_ids.json',
  'coco/word_scores_val2017_ensemble9.npy',
  'coco/word_scores_val2017_ensemble3.jsonl.gz',
])

/** A row of words_val2017.csv: numbers as numbers, an empty field as null. */
export interface GoldenWord {
  readonly word: string
  readonly partOfSpeech: string
  readonly histogram: readonly number[]
  figure(column: string): number | null
}

export function readGoldenWords(): GoldenWord[] {
  const rows: Record<string, string>[] = parse(readFileSync(dataFile('golden/words_val2017.csv')), {
    columns: true,
  })
  return rows.map((row) => ({
    word: row.word,
    partOfSpeech: row.pos,
    histogram: [0, 1, 2, 3, 4, 5].map((count) => Number(row[`h${count}`])),
    figure: (column) => (row[column] === '' ? null : Number(row[column])),
  }))
}

export const readImageIds = (): number[] =>
  JSON.parse(readFileSync(dataFile('coco/word_scores_val2017_image_ids.json'), 'utf8'))

const PUNCTUATION = new Set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;".split(' '))

/** How many of the first five captions (by annotation id) of each image contain each word, by word. */
export function countWords(words: readonly string[], imageIds: readonly number[]): Map<string, Uint8Array> {
  const rowOfImage = new Map(imageIds.map((id, row) => [id, row]))
  const counts = new Map(words.map((word) => [word, new Uint8Array(imageIds.length)]))
  const captionsOfImage = new Uint8Array(imageIds.length)
  const tokens = readTokens()
  for (const { id, image_id } of readAnnotations()) {
    const row = rowOfImage.get(image_id)!
    if (captionsOfImage[row]++ >= 5) continue
    for (const token of new Set(tokens.get(id))) {
      const count = PUNCTUATION.has(token) ? undefined : counts.get(token)
      if (count) count[row]++
    }
  }
  return counts
}

function readAnnotations(): { id: number; image_id: number }[] {
  const { annotations } = JSON.parse(readFileSync(dataFile('coco/captions_val2017.json'), 'utf8'))
  return annotations.sort((a: { id: number }, b: { id: number }) => a.id - b.id)
}

function readTokens(): Map<number, string[]> {
  const lines = gunzipSync(readFileSync(dataFile('golden/ptb_val2017.tsv.gz')))
    .toString()
    .trimEnd()
    .split('\n')
  return new Map(
    lines.map((line) => {
      const [id, tokens] = line.split('\t')
      return [Number(id), tokens.split(' ')]
    }),
  )
}

/** Scores of word_scores_val2017_ensemble9.npy, one array per word in the order of the vocabulary. */
export function readDenseScores(words: readonly string[], images: number): Map<string, Float32Array> {
  const bytes = readFileSync(dataFile('coco/word_scores_val2017_ensemble9.npy'))
  const start = 10 + bytes.readUInt16LE(8)
  const vocabulary: string[][] = parse(readFileSync(dataFile('coco/vocabulary_1000.csv')), { from: 2 })
  return new Map(
    words.map((word) => {
      const column = vocabulary.findIndex(([text]) => text === word)
      const scores = new Float32Array(images)
      for (let row = 0; row < images; row++) {
        scores[row] = bytes.readFloatLE(start + 4 * (row * vocabulary.length + column))
      }
      return [word, scores]
    }),
  )
}

/** Scores of word_scores_val2017_ensemble3.jsonl.gz: by word, the rows of the scored images and their scores. */
export function readSparseScores(words: readonly string[], imageIds: readonly number[]) {
  const rowOfImage = new Map(imageIds.map((id, row) => [id, row]))
  const scoresOfWord = new Map(words.map((word) => [word, { rows: [] as number[], scores: [] as number[] }]))
  const lines = gunzipSync(readFileSync(dataFile('coco/word_scores_val2017_ensemble3.jsonl.gz')))
    .toString()
    .trimEnd()
  for (const line of lines.split('\n')) {
    const image: { image_id: number; words: Record<string, number> } = JSON.parse(line)
    for (const [word, score] of Object.entries(image.words)) {
      const { rows, scores } = scoresOfWord.get(word)!
      rows.push(rowOfImage.get(image.image_id)!)
      scores.push(score)
    }
  }
  return scoresOfWord
}

/** Reads the reference toolkit's data and figures, for the parity tests. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Trial } from '../../src/core/metrics/metric.js'
import type { ReferenceLists } from '../../src/core/metrics/reference-lists.js'
import type { Corpus } from '../../src/core/text/sequences.js'
import { tokenize } from '../../src/core/text/tokenizer.js'
import { dataFile, dataPresent } from '../kit/data.js'

export const SYSTEMS = ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016']

export const goldenPresent = dataPresent('metrics compared with the reference toolkit', [
  'golden/corpus_scores.json',
  'golden/ptb_val2017.tsv.gz',
  'coco/captions_val2017.json',
  ...SYSTEMS.flatMap((system) => [
    `golden/scores_val2017_${system}.csv.gz`,
    `coco/captions_val2017_${system}_results.json`,
  ]),
])

/** Names of metrics in the reference toolkit, by Accord's names. */
export const TOOLKIT_NAMES: Readonly<Record<string, string>> = {
  'BLEU-1': 'Bleu_1',
  'BLEU-2': 'Bleu_2',
  'BLEU-3': 'Bleu_3',
  'BLEU-4': 'Bleu_4',
  'ROUGE-L': 'ROUGE_L',
  CIDEr: 'CIDEr',
  'CIDEr-D': 'CIDEr_D',
}

/**
 * A caption that ends in `K.`, which the tokenizer reads as one token or two, depending on the next line of its file: the
 * list of tokens has `k.`, the toolkit's scores are those of `k` and a dot that is removed.
 */
const FINAL_LETTER = 39631

/**
 * METEOR by METEOR's own program on the folds of the first five captions, with the references in the order of the image.
 * The golden figures have those after the candidate first, which matters in some folds: of equally good references METEOR
 * takes the first.
 */
export const METEOR_IN_IMAGE_ORDER = {
  people: [
    0.2344171815929375, 0.23307887548290737, 0.23000278326394666, 0.23138822766269787, 0.2334913259166849,
  ],
  'dai-2017': [
    ...[0.21395709902784713, 0.21699157982631617, 0.2157938568743925, 0.2166858825883149],
    0.21682721101211005,
  ],
}

/** The tokens that the toolkit removes after tokenization. */
const PUNCTUATION = new Set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;".split(' '))

/** Human captions with the toolkit's tokens, and captions of systems with Accord's tokens. */
export interface GoldenCorpus {
  readonly corpus: Corpus
  readonly imageIds: readonly number[]
  /** Per image, its human captions in order of annotation id. */
  readonly human: ReferenceLists
  /** Per system, one caption per image. */
  readonly systems: ReadonlyMap<string, Int32Array>
}

export function readGoldenCorpus(systems: readonly string[]): GoldenCorpus {
  const texts: string[] = []
  const ids = new Map<string, number>()
  const tokens: number[] = []
  const offsets = [0]
  const addCaption = (words: readonly string[]): number => {
    for (const word of words) {
      if (!ids.has(word)) ids.set(word, texts.push(word) - 1)
      tokens.push(ids.get(word)!)
    }
    return offsets.push(tokens.length) - 2
  }

  const goldenTokens = readGoldenTokens()
  const { annotations } = readJson<{ annotations: { id: number; image_id: number }[] }>(
    'coco/captions_val2017.json',
  )
  const captionsOf = new Map<number, number[]>()
  for (const { id, image_id } of annotations) {
    captionsOf.set(image_id, [...(captionsOf.get(image_id) ?? []), id])
  }
  const imageIds = [...captionsOf.keys()].sort((a, b) => a - b)
  const references: number[] = []
  const referenceOffsets = [0]
  for (const imageId of imageIds) {
    const ordered = captionsOf.get(imageId)!.sort((a, b) => a - b)
    for (const id of ordered) references.push(addCaption(goldenTokens.get(id)!))
    referenceOffsets.push(references.length)
  }
  const candidates = systems.map((system): [string, Int32Array] => {
    const results = readJson<{ image_id: number; caption: string }[]>(
      `coco/captions_val2017_${system}_results.json`,
    )
    const captionOf = new Map(results.map(({ image_id, caption }) => [image_id, caption]))
    return [system, Int32Array.from(imageIds, (id) => addCaption(tokenize(captionOf.get(id)!)))]
  })
  return {
    corpus: { tokens: Int32Array.from(tokens), offsets: Int32Array.from(offsets), texts },
    imageIds,
    human: { references: Int32Array.from(references), referenceOffsets: Int32Array.from(referenceOffsets) },
    systems: new Map(candidates),
  }
}

/** A system's captions against all human captions. */
export function trialOf({ human, systems }: GoldenCorpus, system: string): Trial {
  return { ...human, candidates: systems.get(system)! }
}

type ScoresByName = Readonly<Record<string, number>>

export type GoldenScores = Readonly<Record<string, { readonly corpus: ScoresByName }>> & {
  readonly leave_one_out: {
    readonly folds: Readonly<Record<string, ScoresByName>>
    readonly mean: ScoresByName
  }
}

export function readGoldenScores(): GoldenScores {
  return readJson('golden/corpus_scores.json')
}

/** The toolkit's scores per image id, by the toolkit's metric names. */
export function readGoldenImageScores(system: string): Map<number, Record<string, number>> {
  const [header, ...lines] = readGzip(`golden/scores_val2017_${system}.csv.gz`).trim().split(/\r?\n/)
  const names = header.split(',')
  return new Map(
    lines.map((line) => {
      const values = line.split(',').map(Number)
      return [values[0], Object.fromEntries(names.map((name, column) => [name, values[column]]))]
    }),
  )
}

function readGoldenTokens(): Map<number, string[]> {
  const lines = readGzip('golden/ptb_val2017.tsv.gz').split('\n')
  return new Map(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const [id, text] = line.split('\t')
        const tokens = text.split(' ').filter((token) => token !== '' && !PUNCTUATION.has(token))
        return [
          Number(id),
          Number(id) === FINAL_LETTER ? tokens.map((token) => token.replace('k.', 'k')) : tokens,
        ]
      }),
  )
}

function readGzip(path: string): string {
  return gunzipSync(readFileSync(dataFile(path))).toString('utf8')
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(dataFile(path), 'utf8')) as T
}

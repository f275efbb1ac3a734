import { requireReferences } from '../agreement/references.js'
import { definedMean } from '../agreement/summary.js'
import {
  fitUsageModel,
  predictedPrecision,
  predictedRecall,
  type UsageModelKind,
} from '../agreement/usage-model.js'
import { humanWordAgreement } from '../agreement/words.js'
import { AccordError } from '../errors.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import type { System, SystemWord, Word } from '../store/entities.js'
import { readSystemWords, requireSystem } from '../store/systems.js'
import { listWords } from '../store/words.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import {
  type CsvTable,
  counted,
  type Renderings,
  share,
  type TextRow,
  type TextTable,
  toText,
} from './output.js'

/** Words of a data set, and the systems that they were compared with, in the order in which these were asked for. */
export interface WordsReport {
  readonly dataset: string
  /** K. */
  readonly captionsPerImage: number
  /** k. */
  readonly references: number
  readonly words: readonly ReportedWord[]
  readonly systems: readonly System[]
}

/** One word. Shares are 0 to 1; null is undefined, and `undefinedReason` says why. */
export interface ReportedWord {
  readonly word: string
  readonly partOfSpeech: PartOfSpeech
  /** h_0 … h_K: number of images where exactly c of the K captions use the word. */
  readonly histogram: readonly number[]
  /** Human precision and recall. */
  readonly precision: number | null
  readonly recall: number | null
  readonly undefinedReason: string | null
  readonly models: Readonly<Record<UsageModelKind, ReportedModel>>
  /** By name; null where a system has no result on the word. */
  readonly systems: Readonly<Record<string, ReportedStanding | null>>
}

const MODEL_FIELDS = [
  'usageProbability',
  'objectProbability',
  'overdispersion',
  'logLikelihood',
  'aic',
  'precision',
  'recall',
] as const

const STANDING_FIELDS = ['precisionAtHumanRecall', 'averagePrecision', 'precision', 'recall'] as const

/** A usage model of a word, with the human precision and recall that it predicts. */
export type ReportedModel = Readonly<Record<(typeof MODEL_FIELDS)[number], number | null>> & {
  readonly undefinedReason: string | null
}

/** Where a system stands on a word. */
export type ReportedStanding = Readonly<Record<(typeof STANDING_FIELDS)[number], number | null>> & {
  readonly undefinedReason: string | null
}

export interface WordSelection {
  /** k; by default K − 1. */
  readonly references?: number
  readonly partOfSpeech?: readonly PartOfSpeech[]
  /** Only so many words. */
  readonly top?: number
}

const MODELS = ['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'] as const satisfies readonly UsageModelKind[]

/**
 * Describes words of a data set's vocabulary, in its order.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM; NOT_APPLICABLE for a system that describes regions of
 * images; OUT_OF_RANGE for `references`
 */
export async function reportWords(
  database: Database,
  datasetName: string,
  systemNames: readonly string[],
  { references: wanted, partOfSpeech, top }: WordSelection,
): Promise<WordsReport> {
  const dataset = await requireDataset(database, datasetName)
  const references = wanted ?? dataset.captionsPerImage - 1
  requireReferences(dataset.captionsPerImage, references)
  const systems: System[] = []
  const standings = new Map<string, ReadonlyMap<number, SystemWord>>()
  for (const name of systemNames) {
    const system = await requireSystem(database, dataset.id, name)
    requireResultsOnWords(system)
    const results = await readSystemWords(database, system.id, references)
    systems.push(system)
    standings.set(name, new Map(results.map((result) => [result.wordId, result])))
  }
  const words = await listWords(database, dataset.id, { inVocabulary: true, partOfSpeech })
  return {
    dataset: dataset.name,
    captionsPerImage: dataset.captionsPerImage,
    references,
    words: words.slice(0, top).map((word) => describeWord(word, references, standings)),
    systems,
  }
}

/** A report in every format. */
export function renderings(report: WordsReport): Renderings {
  const { dataset, references, words } = report
  return {
    json: () => ({ dataset, references, words }),
    csv: () => toCsvTable(report),
    table: async () => `${await toText(toTextTable(report))}\n${LEGEND}`,
  }
}

function requireResultsOnWords({ name, kind }: System): void {
  if (kind !== 'DESCRIPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'the system names objects and has no results on words', {
    source: 'system',
    expected: 'a system of captions or word scores',
    found: JSON.stringify(name),
  })
}

function describeWord(
  { id, text, partOfSpeech, histogram }: Word,
  references: number,
  standings: ReadonlyMap<string, ReadonlyMap<number, SystemWord>>,
): ReportedWord {
  const { precision, recall, undefinedReason } = humanWordAgreement(histogram, references)
  const models = MODELS.map((kind) => [kind, describeModel(kind, histogram, references)])
  const systems = Array.from(standings, ([name, results]) => [name, describeStanding(results.get(id))])
  return {
    word: text,
    partOfSpeech,
    histogram,
    precision,
    recall,
    undefinedReason,
    models: Object.fromEntries(models),
    systems: Object.fromEntries(systems),
  }
}

function describeModel(
  kind: UsageModelKind,
  histogram: readonly number[],
  references: number,
): ReportedModel {
  const { fit, undefinedReason } = fitUsageModel(kind, histogram)
  return {
    usageProbability: fit?.usageProbability ?? null,
    objectProbability: fit?.objectProbability ?? null,
    overdispersion: fit?.overdispersion ?? null,
    logLikelihood: fit?.logLikelihood ?? null,
    aic: fit?.aic ?? null,
    precision: fit && predictedPrecision(fit, references),
    recall: fit && predictedRecall(fit),
    undefinedReason,
  }
}

function describeStanding(result: SystemWord | undefined): ReportedStanding | null {
  if (result === undefined) return null
  const { precisionAtHumanRecall, averagePrecision, precision, recall, undefinedReason } = result
  return { precisionAtHumanRecall, averagePrecision, precision, recall, undefinedReason }
}

/** One row per word; a column's name is its path in the JSON. */
function toCsvTable({ captionsPerImage, words, systems }: WordsReport): CsvTable {
  const modelFields = [...MODEL_FIELDS, 'undefinedReason'] as const
  const standingFields = [...STANDING_FIELDS, 'undefinedReason'] as const
  const counts = Array.from({ length: captionsPerImage + 1 }, (_, count) => count)
  return {
    header: [
      'word',
      'partOfSpeech',
      ...counts.map((count) => `histogram.${count}`),
      'precision',
      'recall',
      'undefinedReason',
      ...MODELS.flatMap((kind) => modelFields.map((field) => `models.${kind}.${field}`)),
      ...systems.flatMap(({ name }) => standingFields.map((field) => `systems.${name}.${field}`)),
    ],
    rows: words.map((word) => [
      word.word,
      word.partOfSpeech,
      ...word.histogram,
      word.precision,
      word.recall,
      word.undefinedReason,
      ...MODELS.flatMap((kind) => modelFields.map((field) => word.models[kind][field])),
      ...systems.flatMap(({ name }) => standingFields.map((field) => word.systems[name]?.[field] ?? null)),
    ]),
  }
}

/** A column of shares, one per word. */
interface ShareColumn {
  readonly head: string
  readonly of: (word: ReportedWord) => number | null
}

const LEGEND = `Images in which 0 to K captions use the word. P, R: human precision and recall. Model: by the
moment fit, the probability q that an image shows the object, and the precision to expect (json
and csv have all three models). PHR, AP: a system's precision at human recall, average precision.
Means are over the words where a figure is defined.
`

function toTextTable({ captionsPerImage, words, systems }: WordsReport): TextTable {
  const own: readonly ShareColumn[] = [
    { head: 'P', of: (word) => word.precision },
    { head: 'R', of: (word) => word.recall },
    { head: 'q', of: (word) => word.models.MOMENT.objectProbability },
    { head: 'P', of: (word) => word.models.MOMENT.precision },
  ]
  const shares = [...own, ...systems.flatMap(standingColumns)]
  return {
    columns: [
      { align: 'left' },
      { align: 'left' },
      { align: 'left', maxWidth: 30 },
      ...shares.map(() => ({ align: 'right' as const })),
    ],
    head: [
      [
        '',
        '',
        'images by captions,',
        { content: 'human', columns: 2 },
        { content: 'model', columns: 2 },
        ...systems.map(({ name }) => ({ content: name, columns: 2 })),
      ],
      ['word', 'POS', `0 to ${captionsPerImage}`, ...shares.map(({ head }) => head)],
    ],
    body: [words.map((word) => toTextRow(word, shares)), meansByPartOfSpeech(words, shares)],
  }
}

function standingColumns({ name, kind }: System): ShareColumn[] {
  const field = (head: string, key: (typeof STANDING_FIELDS)[number]) => ({
    head,
    of: (word: ReportedWord) => word.systems[name]?.[key] ?? null,
  })
  switch (kind) {
    case 'WORD_SCORES':
      return [field('PHR', 'precisionAtHumanRecall'), field('AP', 'averagePrecision')]
    case 'CAPTIONS':
      return [field('P', 'precision'), field('R', 'recall')]
    case 'DESCRIPTIONS':
      return []
  }
}

function toTextRow(word: ReportedWord, shares: readonly ShareColumn[]): TextRow {
  return [word.word, word.partOfSpeech, word.histogram.join(' '), ...shares.map(({ of }) => share(of(word)))]
}

function meansByPartOfSpeech(words: readonly ReportedWord[], shares: readonly ShareColumn[]): TextRow[] {
  const means = (tag: string, members: readonly ReportedWord[]) => [
    'mean',
    tag,
    counted(members.length, 'word'),
    ...shares.map(({ of }) => share(definedMean(members.map(of)).mean)),
  ]
  const tags = [...new Set(words.map(({ partOfSpeech }) => partOfSpeech))]
  const rows = tags.map((tag) =>
    means(
      tag,
      words.filter(({ partOfSpeech }) => partOfSpeech === tag),
    ),
  )
  return tags.length > 1 ? [...rows, means('all', words)] : rows
}

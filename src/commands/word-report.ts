import { definedMean, definedMeanByGroup } from '../agreement/summary.js'
import type { ModelFigures } from '../agreement/word-model.js'
import type { System, SystemWord } from '../services/systems.js'
import { USAGE_MODELS, type WordFigures, type WordReport } from '../services/words.js'
import {
  type CsvTable,
  counted,
  type Renderings,
  share,
  type TextRow,
  type TextTable,
  toText,
} from './output.js'

const MODEL_FIELDS = [
  'usageProbability',
  'objectProbability',
  'overdispersion',
  'logLikelihood',
  'aic',
  'precision',
  'recall',
  'undefinedReason',
] as const satisfies readonly (keyof ModelFigures)[]

const SYSTEM_FIELDS = [
  'precisionAtHumanRecall',
  'averagePrecision',
  'precision',
  'recall',
  'undefinedReason',
] as const satisfies readonly (keyof SystemWord)[]

/** The words in every format. */
export function renderings(report: WordReport): Renderings {
  const { dataset, references, words, systems } = report
  return {
    json: () => ({
      dataset: dataset.name,
      references,
      words: words.map((figures) => toJsonWord(figures, systems)),
    }),
    csv: () => toCsvTable(report),
    table: async () => `${await toText(toTextTable(report))}\n${LEGEND}`,
  }
}

function toJsonWord({ word, human, models, systems: results }: WordFigures, systems: readonly System[]) {
  return {
    word: word.text,
    partOfSpeech: word.partOfSpeech,
    histogram: word.histogram,
    precision: human.precision,
    recall: human.recall,
    undefinedReason: human.undefinedReason,
    models: Object.fromEntries(USAGE_MODELS.map((kind) => [kind, pick(models[kind], MODEL_FIELDS)])),
    systems: Object.fromEntries(
      systems.map(({ name }) => {
        const result = results.get(name)
        return [name, result ? pick(result, SYSTEM_FIELDS) : null]
      }),
    ),
  }
}

function pick<Row, Field extends keyof Row & string>(row: Row, fields: readonly Field[]): Pick<Row, Field> {
  return Object.fromEntries(fields.map((field) => [field, row[field]])) as Pick<Row, Field>
}

/** One row per word. A column's name is its path in the JSON. */
function toCsvTable({ dataset, words, systems }: WordReport): CsvTable {
  const counts = Array.from({ length: dataset.captionsPerImage + 1 }, (_, count) => count)
  return {
    header: [
      'word',
      'partOfSpeech',
      ...counts.map((count) => `histogram.${count}`),
      'precision',
      'recall',
      'undefinedReason',
      ...USAGE_MODELS.flatMap((kind) => MODEL_FIELDS.map((field) => `models.${kind}.${field}`)),
      ...systems.flatMap(({ name }) => SYSTEM_FIELDS.map((field) => `systems.${name}.${field}`)),
    ],
    rows: words.map(({ word, human, models, systems: results }) => [
      word.text,
      word.partOfSpeech,
      ...word.histogram,
      human.precision,
      human.recall,
      human.undefinedReason,
      ...USAGE_MODELS.flatMap((kind) => MODEL_FIELDS.map((field) => models[kind][field])),
      ...systems.flatMap(({ name }) => SYSTEM_FIELDS.map((field) => results.get(name)?.[field] ?? null)),
    ]),
  }
}

/** A column of values 0..1, one per word. */
interface ShareColumn {
  readonly head: string
  readonly of: (word: WordFigures) => number | null
}

const LEGEND = `Images in which 0 to K captions use the word. P, R: human precision and recall. Model: the
probability q that an image shows the object, and the predicted precision, by the moment fit (json
and csv have all three models). PHR, AP: a system's precision at human recall, average precision.
Means are over the words for which the value is defined.
`

function toTextTable({ dataset, words, systems }: WordReport): TextTable {
  const own: readonly ShareColumn[] = [
    { head: 'P', of: ({ human }) => human.precision },
    { head: 'R', of: ({ human }) => human.recall },
    { head: 'q', of: ({ models }) => models.MOMENT.objectProbability },
    { head: 'P', of: ({ models }) => models.MOMENT.precision },
  ]
  const shares = [...own, ...systems.flatMap(systemColumns)]
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
      ['word', 'POS', `0 to ${dataset.captionsPerImage}`, ...shares.map(({ head }) => head)],
    ],
    body: [words.map((figures) => toTextRow(figures, shares)), toMeans(words, shares)],
  }
}

function systemColumns({ name, kind }: System): ShareColumn[] {
  const column = (head: string, field: Exclude<(typeof SYSTEM_FIELDS)[number], 'undefinedReason'>) => ({
    head,
    of: ({ systems }: WordFigures) => systems.get(name)?.[field] ?? null,
  })
  switch (kind) {
    case 'WORD_SCORES':
      return [column('PHR', 'precisionAtHumanRecall'), column('AP', 'averagePrecision')]
    case 'CAPTIONS':
      return [column('P', 'precision'), column('R', 'recall')]
    case 'DESCRIPTIONS':
      return []
  }
}

function toTextRow(figures: WordFigures, shares: readonly ShareColumn[]): TextRow {
  const { text, partOfSpeech, histogram } = figures.word
  return [text, partOfSpeech, histogram.join(' '), ...shares.map(({ of }) => share(of(figures)))]
}

/** A row of means for each part of speech, and one for all words. */
function toMeans(words: readonly WordFigures[], shares: readonly ShareColumn[]): TextRow[] {
  const columns = shares.map(({ of }) => definedMeanByGroup(words, ({ word }) => word.partOfSpeech, of))
  const rows = [...(columns[0] ?? [])].map(([tag, { total }]) => [
    'mean',
    tag,
    counted(total, 'word'),
    ...columns.map((means) => share(means.get(tag)?.mean ?? null)),
  ])
  if (rows.length < 2) return rows
  const all = shares.map(({ of }) => share(definedMean(words.map(of)).mean))
  return [...rows, ['mean', 'all', counted(words.length, 'word'), ...all]]
}

import { definedMean, definedMeanByGroup } from '../agreement/summary.js'
import { USAGE_MODELS } from '../agreement/usage-model.js'
import type { ModelFigures, ModelIntervals } from '../agreement/word-model.js'
import type { System, SystemWord } from '../services/systems.js'
import type { WordMean, WordMeanFigure } from '../services/word-means.js'
import type { UsageFitSummary, WordFigures, WordReport } from '../services/words.js'
import type { Interval } from '../stats/bootstrap.js'
import {
  type CsvCell,
  type CsvTable,
  counted,
  grouped,
  type Renderings,
  share,
  type TextRow,
  type TextTable,
  toLines,
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
  'isWeaklyIdentified',
  'undefinedReason',
] as const satisfies readonly (keyof ModelFigures)[]

const MODEL_INTERVALS = [
  'usageProbabilityInterval',
  'objectProbabilityInterval',
] as const satisfies readonly (keyof ModelIntervals)[]

const HUMAN_INTERVALS = ['precisionInterval', 'recallInterval'] as const

const SYSTEM_FIELDS = [
  'precisionAtHumanRecall',
  'averagePrecision',
  'precision',
  'recall',
  'undefinedReason',
] as const satisfies readonly (keyof SystemWord)[]

/** The words in every format. */
export function renderings(report: WordReport): Renderings {
  const { dataset, references, words, systems, means, fits } = report
  return {
    json: () => ({
      dataset: dataset.name,
      references,
      means: { people: means.people, systems: Object.fromEntries(means.systems) },
      fits: Object.fromEntries(fits.map(({ model, references: _, ...fit }) => [model, fit])),
      words: words.map((figures) => toJsonWord(figures, systems)),
    }),
    csv: () => toCsvTable(report),
    table: async () =>
      [
        await toText(toTextTable(report)),
        `${LEGEND}${showNotes(report)}`,
        await toText(toMeanTable(report)),
        await toText(toFitTable(report)),
      ].join('\n'),
  }
}

const MEAN_NAMES: Readonly<Record<WordMeanFigure, string>> = {
  HUMAN_PRECISION: 'precision',
  AGREED_HUMAN_PRECISION: 'precision, words with recall above 0',
  HUMAN_RECALL: 'recall',
  PHR: 'PHR',
  AVERAGE_PRECISION: 'AP',
  WORD_PRECISION: 'precision',
  WORD_RECALL: 'recall',
  HUMAN_PRECISION_OF_SAME_WORDS: 'people on the same words, precision',
  GAP_TO_PEOPLE: 'gap to people',
}

function toMeanTable({ means }: WordReport): TextTable {
  const toRow = (name: string, { figure, wordCount, value, interval }: WordMean) => [
    name,
    MEAN_NAMES[figure],
    grouped(wordCount),
    share(value),
    interval ? `${share(interval.lower)} to ${share(interval.upper)}` : '–',
  ]
  return {
    columns: [
      { align: 'left', maxWidth: 20 },
      { align: 'left' },
      { align: 'right' },
      { align: 'right' },
      { align: 'left' },
    ],
    head: [['', 'mean over the vocabulary', 'words', 'mean', '95 % interval']],
    body: [
      means.people.map((mean) => toRow('people', mean)),
      ...Array.from(means.systems, ([name, ofSystem]) => ofSystem.map((mean) => toRow(name, mean))),
    ],
  }
}

function toFitTable({ fits }: WordReport): TextTable {
  const cells = ({ wordCount, rSquared, rootMeanSquaredError }: UsageFitSummary['outOfSample']) => [
    grouped(wordCount),
    share(rSquared),
    share(rootMeanSquaredError),
  ]
  return {
    columns: [{ align: 'left' }, ...Array.from({ length: 6 }, () => ({ align: 'right' as const }))],
    head: [
      [
        'predicted precision, on words',
        { content: 'on the same images', columns: 3 },
        { content: 'on the other half', columns: 3 },
      ],
      ['for which all models have a fit', 'words', 'R²', 'error', 'words', 'R²', 'error'],
    ],
    body: [fits.map((fit) => [fit.model, ...cells(fit), ...cells(fit.outOfSample)])],
  }
}

function showNotes({ notes }: WordReport): string {
  const lines = Array.from(notes, ([system, sentences]) =>
    sentences.map((sentence) => `${system}: ${sentence}`),
  )
  return toLines(lines.flat())
}

function toJsonWord(
  { word, isRare, human, models, systems: results }: WordFigures,
  systems: readonly System[],
) {
  return {
    word: word.text,
    partOfSpeech: word.partOfSpeech,
    histogram: word.histogram,
    isRare,
    precision: human.precision,
    recall: human.recall,
    ...pick(human, HUMAN_INTERVALS),
    undefinedReason: human.undefinedReason,
    models: Object.fromEntries(
      USAGE_MODELS.map((kind) => [kind, pick(models[kind], [...MODEL_FIELDS, ...MODEL_INTERVALS])]),
    ),
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
      'isRare',
      'precision',
      'recall',
      'undefinedReason',
      ...HUMAN_INTERVALS.flatMap(intervalPaths),
      ...USAGE_MODELS.flatMap((kind) =>
        [...MODEL_FIELDS, ...MODEL_INTERVALS.flatMap(intervalPaths)].map(
          (field) => `models.${kind}.${field}`,
        ),
      ),
      ...systems.flatMap(({ name }) => SYSTEM_FIELDS.map((field) => `systems.${name}.${field}`)),
    ],
    rows: words.map(({ word, isRare, human, models, systems: results }) => [
      word.text,
      word.partOfSpeech,
      ...word.histogram,
      String(isRare),
      human.precision,
      human.recall,
      human.undefinedReason,
      ...HUMAN_INTERVALS.flatMap((field) => intervalCells(human[field])),
      ...USAGE_MODELS.flatMap((kind) => [
        ...MODEL_FIELDS.map((field) => toCell(models[kind][field])),
        ...MODEL_INTERVALS.flatMap((field) => intervalCells(models[kind][field])),
      ]),
      ...systems.flatMap(({ name }) => SYSTEM_FIELDS.map((field) => results.get(name)?.[field] ?? null)),
    ]),
  }
}

function intervalPaths(field: string): string[] {
  return [`${field}.lower`, `${field}.upper`]
}

function intervalCells(interval: Interval | null): CsvCell[] {
  return [interval?.lower ?? null, interval?.upper ?? null]
}

function toCell(value: CsvCell | boolean): CsvCell {
  return typeof value === 'boolean' ? String(value) : value
}

/** A column of values 0..1, one per word. */
interface ShareColumn {
  readonly head: string
  readonly of: (word: WordFigures) => number | null
}

const LEGEND = `*: used in fewer than 20 images: the figures of such a word say little. ~: the captions barely
determine q, by the likelihood fits (json and csv have all models, with intervals). Images in which
0 to K captions use the word. P, R: human precision and recall. Model: the probability q that an
image shows the object, and the predicted precision, by the moment fit. PHR, AP: a system's
precision at human recall, average precision. Means are over the words for which the value is
defined, which differ between columns: the second table has people and systems on the same words.
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
      { align: 'left' },
      { align: 'left', maxWidth: 30 },
      ...shares.map(() => ({ align: 'right' as const })),
    ],
    head: [
      [
        '',
        '',
        '',
        'images by captions,',
        { content: 'human', columns: 2 },
        { content: 'model', columns: 2 },
        ...systems.map(({ name }) => ({ content: name, columns: 2 })),
      ],
      ['word', '', 'POS', `0 to ${dataset.captionsPerImage}`, ...shares.map(({ head }) => head)],
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
  return [
    text,
    marksOf(figures),
    partOfSpeech,
    histogram.join(' '),
    ...shares.map(({ of }) => share(of(figures))),
  ]
}

function marksOf({ isRare, models }: WordFigures): string {
  const isWeak = models.BINOMIAL.isWeaklyIdentified || models.BETA_BINOMIAL.isWeaklyIdentified
  return `${isRare ? '*' : ''}${isWeak ? '~' : ''}`
}

/** A row of means for each part of speech, and one for all words. */
function toMeans(words: readonly WordFigures[], shares: readonly ShareColumn[]): TextRow[] {
  const columns = shares.map(({ of }) => definedMeanByGroup(words, ({ word }) => word.partOfSpeech, of))
  const rows = [...(columns[0] ?? [])].map(([tag, { total }]) => [
    'mean',
    '',
    tag,
    counted(total, 'word'),
    ...columns.map((means) => share(means.get(tag)?.mean ?? null)),
  ])
  if (rows.length < 2) return rows
  const all = shares.map(({ of }) => share(definedMean(words.map(of)).mean))
  return [...rows, ['mean', '', 'all', counted(words.length, 'word'), ...all]]
}

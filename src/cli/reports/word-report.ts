import { definedMean } from '../../core/agreement/summary.js'
import type { SystemWordEstimates, WordEstimate } from '../../core/agreement/system-word-intervals.js'
import type { ModelFigures, ModelIntervals } from '../../core/agreement/word-model.js'
import type { Interval } from '../../core/stats/interval.js'
import { CHOICES } from '../../services/choices.js'
import type { WordMean, WordMeanFigure } from '../../services/words/compute-word-means.js'
import type { UsageFitSummary, WordFigures, WordReport, WordSummary } from '../../services/words/words.js'
import type { System, SystemWord } from '../../store/schema/entities.js'
import type { CsvCell, CsvTable, Renderings } from '../output/output.js'
import {
  type Cell,
  counted,
  grouped,
  interval,
  type ReportPart,
  share,
  type TextRow,
  type TextTable,
} from '../output/table.js'

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

/** Figures with intervals. */
const ESTIMATES: Readonly<Record<System['kind'], readonly (keyof SystemWordEstimates)[]>> = {
  WORD_SCORES: ['precisionAtHumanRecall', 'averagePrecision', 'gapToPeople'],
  CAPTIONS: ['precision', 'recall', 'gapToPeople'],
  DESCRIPTIONS: [],
}

/** The words in every format. */
export function renderings(report: WordReport): Renderings {
  const { dataset, references, words, systems, means, fits, notes, provenance } = report
  return {
    json: () => ({
      dataset: dataset.name,
      references,
      means: { people: means.people, systems: Object.fromEntries(means.systems) },
      fits: Object.fromEntries(fits.map(({ model, references: _, ...fit }) => [model, fit])),
      provenance: { ...provenance, systems: Object.fromEntries(provenance.systems) },
      notes,
      words: words.map((figures) => toJsonWord(figures, systems)),
    }),
    csv: () => toCsvTable(report),
    report: () => [
      toTextTable(report),
      { notes: LEGEND },
      ...showEstimates(report),
      toMeanTable(report),
      { notes },
      toFitTable(report),
    ],
  }
}

/** What a mean is of, and over which of the words that `count` counts. */
const MEANS: Readonly<Record<WordMeanFigure, readonly [name: string, words: (count: string) => string]>> = {
  HUMAN_PRECISION: ['precision', (count) => count],
  AGREED_HUMAN_PRECISION: ['precision', (count) => `the ${count} with human recall above 0`],
  HUMAN_RECALL: ['recall', (count) => count],
  PHR: ['PHR', (count) => `the ${count} with a PHR`],
  AVERAGE_PRECISION: ['AP', (count) => count],
  WORD_PRECISION: ['precision', (count) => `the ${count} that it uses`],
  WORD_RECALL: ['recall', (count) => count],
  HUMAN_PRECISION_OF_SAME_WORDS: ['precision of people', (count) => `the same ${count}`],
  GAP_TO_PEOPLE: ['gap to people', (count) => `the same ${count}`],
}

function toMeanTable({ means }: WordReport): TextTable {
  const toRow = (subject: string, { figure, wordCount, value, interval: ends }: WordMean): Cell[] => {
    const [name, wordsOf] = MEANS[figure]
    return [
      subject,
      name,
      `mean of ${wordsOf(counted(wordCount, 'word'))}`,
      share(value),
      interval(ends, ' to '),
    ]
  }
  return {
    columns: [
      { align: 'left', maxWidth: 20 },
      { align: 'left' },
      { align: 'left', isText: true },
      { align: 'right' },
      { align: 'left' },
    ],
    head: [['', 'over the vocabulary', '', 'mean', '95 % interval']],
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

function toJsonWord(
  { word, isRare, human, models, systems: results, estimates }: WordFigures,
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
      CHOICES.usageModels.map((kind) => [kind, pick(models[kind], [...MODEL_FIELDS, ...MODEL_INTERVALS])]),
    ),
    systems: Object.fromEntries(
      systems.map(({ name }) => {
        const result = results.get(name)
        return [
          name,
          result ? { ...pick(result, SYSTEM_FIELDS), estimates: estimates.get(name) ?? {} } : null,
        ]
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
      ...CHOICES.usageModels.flatMap((kind) =>
        [...MODEL_FIELDS, ...MODEL_INTERVALS.flatMap(intervalPaths)].map(
          (field) => `models.${kind}.${field}`,
        ),
      ),
      ...systems.flatMap(({ name, kind }) =>
        [
          ...SYSTEM_FIELDS,
          ...ESTIMATES[kind].flatMap((figure) => [
            `estimates.${figure}.value`,
            ...intervalPaths(`estimates.${figure}.interval`),
            `estimates.${figure}.undefinedReason`,
          ]),
        ].map((path) => `systems.${name}.${path}`),
      ),
    ],
    rows: words.map(({ word, isRare, human, models, systems: results, estimates }) => [
      word.text,
      word.partOfSpeech,
      ...word.histogram,
      String(isRare),
      human.precision,
      human.recall,
      human.undefinedReason,
      ...HUMAN_INTERVALS.flatMap((field) => intervalCells(human[field])),
      ...CHOICES.usageModels.flatMap((kind) => [
        ...MODEL_FIELDS.map((field) => toCell(models[kind][field])),
        ...MODEL_INTERVALS.flatMap((field) => intervalCells(models[kind][field])),
      ]),
      ...systems.flatMap(({ name, kind }) => [
        ...SYSTEM_FIELDS.map((field) => results.get(name)?.[field] ?? null),
        ...ESTIMATES[kind].flatMap((figure) => estimateCells(estimates.get(name)?.[figure])),
      ]),
    ]),
  }
}

function intervalPaths(field: string): string[] {
  return [`${field}.lower`, `${field}.upper`]
}

function intervalCells(interval: Interval | null): CsvCell[] {
  return [interval?.lower ?? null, interval?.upper ?? null]
}

function estimateCells(estimate: WordEstimate | undefined): CsvCell[] {
  const { value = null, interval = null, undefinedReason = null } = estimate ?? {}
  return [value, ...intervalCells(interval), undefinedReason]
}

function toCell(value: CsvCell | boolean): CsvCell {
  return typeof value === 'boolean' ? String(value) : value
}

/** A column of values 0..1, one per word. */
interface ShareColumn {
  readonly head: string
  readonly of: (word: WordSummary) => number | null
}

const LEGEND = [
  '*: used in fewer than 20 images: the figures of such a word say little. ~: the captions barely determine q, by the likelihood fits (json and csv have all models, with intervals).',
  'Images in which 0 to K captions use the word. P, R: human precision and recall. Model: the probability q that an image shows the object, and the predicted precision, by the moment fit. PHR, AP: a system’s precision at human recall, average precision.',
  'Means are over all words of the vocabulary for which the value is defined, also if only some are listed; which words these are differs between columns: the table of means below has people and systems on the same words.',
]

function toTextTable({ dataset, vocabulary, words, systems }: WordReport): TextTable {
  const own: readonly ShareColumn[] = [
    { head: 'P', of: ({ human }) => human.precision },
    { head: 'R', of: ({ human }) => human.recall },
    { head: 'q', of: ({ moment }) => moment.objectProbability },
    { head: 'P', of: ({ moment }) => moment.precision },
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
    body: [words.map((figures) => toTextRow(figures, shares)), toMeans(vocabulary, shares)],
    keyColumns: 3,
  }
}

function systemColumns({ name, kind }: System): ShareColumn[] {
  const column = (
    head: string,
    field: Exclude<(typeof SYSTEM_FIELDS)[number], 'undefinedReason'>,
  ): ShareColumn => ({ head, of: ({ systems }) => systems.get(name)?.[field] ?? null })
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

/** Means over each part of speech, and over all words. */
function toMeans(vocabulary: readonly WordSummary[], shares: readonly ShareColumn[]): TextRow[] {
  const tags = new Set(vocabulary.map(({ word }) => word.partOfSpeech))
  const groups = Array.from(tags, (tag) => ({
    tag: tag as string,
    words: vocabulary.filter(({ word }) => word.partOfSpeech === tag),
  }))
  const all = groups.length > 1 ? [{ tag: 'all', words: vocabulary }] : []
  return [...groups, ...all].flatMap(({ tag, words }) => toMeanRows(tag, words, shares))
}

/** The means, and below them over how many of the words where these are not all. */
function toMeanRows(tag: string, words: readonly WordSummary[], shares: readonly ShareColumn[]): TextRow[] {
  const means = shares.map(({ of }) => definedMean(words.map(of)))
  const values = means.map(({ mean }) => share(mean))
  const counts = means.map(({ defined }) => grouped(defined))
  return [
    ['mean', '', tag, `of ${counted(words.length, 'word')}`, ...values],
    ...(means.some(({ defined }) => defined < words.length)
      ? [['', '', '', 'of which have the value', ...counts]]
      : []),
  ]
}

const ESTIMATE_NAMES: Readonly<Record<keyof SystemWordEstimates, string>> = {
  precisionAtHumanRecall: 'PHR',
  averagePrecision: 'AP',
  precision: 'P',
  recall: 'R',
  gapToPeople: 'gap to people',
}

/** The intervals of a system's figures, of the listed words that have any. */
function toEstimateTable({ name, kind }: System, words: readonly WordFigures[]): TextTable {
  const figures = ESTIMATES[kind]
  const rows = words.flatMap(({ word, estimates }): TextRow[] => {
    const found = figures.map((figure) => estimates.get(name)?.[figure])
    if (found.every((estimate) => !estimate?.interval)) return []
    const cells = found.flatMap((estimate) => [share(estimate?.value), interval(estimate?.interval, ' to ')])
    return [[word.text, ...cells]]
  })
  return {
    columns: [
      { align: 'left', maxWidth: 30 },
      ...figures.flatMap(() => [{ align: 'right' as const }, { align: 'left' as const }]),
    ],
    head: [[name, ...figures.flatMap((figure) => [ESTIMATE_NAMES[figure], '95 % interval'])]],
    body: [rows],
  }
}

/** The tables of intervals, and how many words have none. */
function showEstimates({ systems, words }: WordReport): ReportPart[] {
  return systems.flatMap((system): ReportPart[] => {
    const table = toEstimateTable(system, words)
    const count = table.body[0].length
    const rest = words.length - count
    const missing = `${counted(rest, 'word')} without an interval (json and csv have the reason).`
    const note = count === 0 ? `${system.name}: ${missing}` : missing
    return [...(count === 0 ? [] : [table]), ...(rest === 0 ? [] : [{ notes: [note] }])]
  })
}

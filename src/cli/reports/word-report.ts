import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import type { ModelFigures } from '../../core/agreement/word-model.js'
import type { WordMean, WordMeanFigure } from '../../services/words/compute-word-means.js'
import type { SystemWordRate } from '../../services/words/word-rates.js'
import type { WordFigures, WordReport, WordSort, WordSummary } from '../../services/words/word-report.js'
import type { WordOfSubset } from '../../services/words/word-subsets.js'
import type { UsageFitSummary } from '../../services/words/words.js'
import { counted, fixed, grouped } from '../../shared/numbers.js'
import type { System, SystemWord } from '../../store/schema/system-tables.js'
import { count, counts, decimals, interval, NONE, object, share } from '../output/formats.js'
import {
  type Column,
  type NamedTable,
  type Notes,
  type Report,
  type Table,
  untitled,
} from '../output/report.js'

/** What people see of a report. */
interface WordLayout {
  /** What words are listed by. */
  readonly sort?: WordSort
  /** Whether words were named, without a question about all. */
  readonly isNamed?: boolean
  /** Whether what does not fit a screen is shown. */
  readonly isDetailed?: boolean
}

/** The words with the means over the vocabulary, intervals of systems, and how well the usage models fit. */
export function wordReport(
  report: WordReport,
  { sort, isNamed = false, isDetailed = false }: WordLayout = {},
): Report {
  const { dataset, references, systems, notes, provenance, vocabulary } = report
  // Models beside systems keep a table of ten words from fitting a screen.
  const hasModel = isDetailed || isNamed || sort === 'residual' || systems.length === 0
  // Neither does the histogram beside several systems.
  const hasHistogram = isDetailed || isNamed || systems.length < 2
  const words = wordTable(report, sort, hasModel)
  const means = meanTable(report)
  const fits = { name: 'fits', columns: FITS, rows: report.fits }
  const columns = words.columns.filter(
    ({ group, path }) => (hasModel || group !== MODEL) && (hasHistogram || path !== 'histogram'),
  )
  return {
    about: {
      dataset: dataset.name,
      references,
      notes,
      provenance: { ...provenance, systems: Object.fromEntries(provenance.systems) },
    },
    tables: [words, means, rateTable(toRateRows(report)), fits],
    parts: [
      {
        ...words,
        columns,
        footer: isNamed ? undefined : toMeans(vocabulary, systems, { isTotal: !isDetailed, hasHistogram }),
      },
      { notes: legend(words.rows, systems, { isNamed, isDetailed, hasModel, hasHistogram }) },
      ...(isNamed || isDetailed ? systems.flatMap((system) => showEstimates(system, words.rows)) : []),
      ...(isDetailed && !isNamed ? [means, { notes }, ...showRates(report), fits] : []),
    ],
  }
}

/**
 * A report with the words of each subset of the images, below its other tables.
 *
 * @param field by whose values images are subsets; without, the report stays as it is
 */
export function withWordsOfSubsets(
  report: Report,
  field: string | undefined,
  rows: readonly WordOfSubset[],
): Report {
  if (field === undefined) return report
  const captionsPerImage = (rows[0]?.histogram.length ?? 1) - 1
  const table: NamedTable<WordOfSubset> = {
    name: 'subsets',
    columns: [
      { path: 'subset', title: field, isMerged: true },
      { path: 'imageCount', title: 'images', isMerged: true, format: count },
      { path: 'word', title: 'word' },
      { path: 'partOfSpeech', title: 'POS' },
      {
        path: 'histogram',
        title: `0 to ${captionsPerImage}`,
        group: 'images by captions,',
        format: counts(captionsPerImage + 1),
        wrap: 30,
      },
      { path: 'precision', title: 'P', group: 'human', format: share },
      { path: 'precisionInterval', title: '95 % interval', group: 'human', format: interval },
      { path: 'recall', title: 'R', group: 'human', format: share },
      { path: 'recallInterval', title: '95 % interval', group: 'human', format: interval },
      ...untitled('undefinedReason', 'isRare'),
    ],
    rows,
    groupBy: (row) => row.subset,
  }
  return {
    ...report,
    tables: [...report.tables, table],
    parts: [...report.parts, { notes: [`Words by ${field}:`] }, table],
  }
}

/** What the columns and marks of the table of words are, of those that it has. */
function legend(
  rows: readonly Row[],
  systems: readonly System[],
  {
    isNamed,
    isDetailed,
    hasModel,
    hasHistogram,
  }: Required<Pick<WordLayout, 'isNamed' | 'isDetailed'>> & {
    readonly hasModel: boolean
    readonly hasHistogram: boolean
  },
): string[] {
  const marks = [
    ...(rows.some(({ isRare }) => isRare)
      ? ['*: used in fewer than 20 images, so that its figures say little.']
      : []),
    ...(hasModel && rows.some(isWeak)
      ? ['~: the likelihood fits hardly determine q (json and csv have all models, with intervals).']
      : []),
    ...(rows.some(isFromUnscored)
      ? [
          '!: a detector reaches human recall only with images that have no score; by gap and PHR these words are last.',
        ]
      : []),
  ]
  const ofSystems = [
    ...(systems.some(({ kind }) => kind === 'WORD_SCORES')
      ? ['PHR, AP: a system’s precision at human recall, average precision.']
      : []),
    ...(systems.some(({ kind }) => kind === 'CAPTIONS')
      ? ['P, R below the name of a system: of its captions.']
      : []),
  ]
  return [
    ...(marks.length > 0 ? [marks.join(' ')] : []),
    [
      ...(hasHistogram ? ['Images in which 0 to K captions use the word.'] : []),
      'P, R: human precision and recall.',
      ...(hasModel
        ? [
            'Model: the probability q that an image shows the object, and the predicted precision, by the moment fit.',
          ]
        : []),
      ...ofSystems,
    ].join(' '),
    ...(isDetailed && !isNamed
      ? [
          'Means are over all words of the vocabulary for which the value is defined, even if only some are listed. These words differ between columns.',
        ]
      : []),
    ...(isDetailed || isNamed
      ? []
      : ['--top N lists more words; --details has intervals, means and models.']),
  ]
}

const RATES_NOTE =
  'Words that a system uses more or less often than people in the images that it has a caption of, among those that it or people use in 20 of them or more. The intervals of the ratios of all these words of a system hold together with 95 %.'

type Row = ReturnType<typeof toRow>

function toRow({ word, human, systems, estimates, unscored, ...figures }: WordFigures) {
  const results = Array.from(systems, ([name, result]) => {
    const isFromUnscored = result.precisionAtHumanRecall === null ? null : unscored.has(name)
    return [name, { ...result, estimates: estimates.get(name), isFromUnscored }] as const
  })
  return {
    word: word.text,
    partOfSpeech: word.partOfSpeech,
    histogram: word.histogram,
    ...human,
    ...figures,
    systems: Object.fromEntries(results),
  }
}

interface WordColumns {
  readonly captionsPerImage: number
  readonly models: readonly UsageFitSummary['model'][]
  readonly systems: readonly Pick<System, 'name' | 'kind'>[]
}

/** Columns of words, with the figures of models and systems. */
export function wordColumns(
  { captionsPerImage, models, systems }: WordColumns,
  sort?: WordSort,
  hasModel = true,
): Column<Row>[] {
  return [
    { path: 'word', title: 'word' },
    { title: '', show: (row) => marksOf(row, hasModel) },
    { path: 'partOfSpeech', title: 'POS' },
    ...sortedColumns(sort, systems[0]),
    {
      path: 'histogram',
      title: `0 to ${captionsPerImage}`,
      group: 'images by captions,',
      format: counts(captionsPerImage + 1),
      wrap: 30,
    },
    { path: 'isRare' },
    { path: 'precision', title: 'P', group: 'human', format: share },
    { path: 'recall', title: 'R', group: 'human', format: share },
    { path: 'undefinedReason' },
    { path: 'precisionInterval', format: interval },
    { path: 'recallInterval', format: interval },
    ...models.flatMap(modelColumns),
    ...systems.flatMap(systemColumns),
  ]
}

function wordTable(
  { dataset, words, systems, fits }: WordReport,
  sort: WordSort | undefined,
  hasModel: boolean,
): NamedTable<Row> {
  return {
    name: 'words',
    columns: wordColumns(
      { captionsPerImage: dataset.captionsPerImage, models: fits.map(({ model }) => model), systems },
      sort,
      hasModel,
    ),
    rows: words.map(toRow),
    keyColumns: 3,
  }
}

/** The difference that words are listed by, of a gap the upper end of its interval too; other figures have columns anyway. */
function sortedColumns(sort: WordSort | undefined, system: Pick<System, 'name'> | undefined): Column<Row>[] {
  if (sort !== 'gap' && sort !== 'residual') return []
  const from = ({ precision, models, systems }: Row) => {
    if (sort === 'residual') return [precision, models.MOMENT.precision]
    const own = system && systems[system.name]
    return [own?.precisionAtHumanRecall ?? own?.precision, precision]
  }
  return [
    {
      title: sort,
      format: share,
      show: (row, numbers) => {
        const [figure, other] = from(row)
        return figure == null || other == null ? NONE : numbers.share(figure - other)
      },
    },
    ...(sort === 'gap' && system
      ? [
          {
            path: ['systems', system.name, 'estimates', 'gapToPeople', 'interval', 'upper'],
            title: 'at most',
            format: share,
          },
        ]
      : []),
  ]
}

function marksOf({ isRare, models, systems }: Row, hasModel: boolean): string {
  return `${isRare ? '*' : ''}${hasModel && isWeak({ models }) ? '~' : ''}${isFromUnscored({ systems }) ? '!' : ''}`
}

/** Whether a system reaches human recall only with images that have no score. */
function isFromUnscored({ systems }: Pick<Row, 'systems'>): boolean {
  return Object.values(systems).some((result) => result.isFromUnscored)
}

/** Whether the likelihood fits of a word hardly determine q. */
function isWeak({ models }: Pick<Row, 'models'>): boolean {
  return models.BINOMIAL.isWeaklyIdentified === true || models.BETA_BINOMIAL.isWeaklyIdentified === true
}

/** The group of the columns of usage models. */
const MODEL = 'model'

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

/** What people see of the model of the paper. */
const MODEL_TITLES: Readonly<Record<string, string>> = { objectProbability: 'q', precision: 'P' }

function modelColumns(model: UsageFitSummary['model']): Column[] {
  const path = `models.${model}`
  const titles = model === 'MOMENT' ? MODEL_TITLES : {}
  return [
    ...MODEL_FIELDS.map((field) => ({
      path: `${path}.${field}`,
      title: titles[field],
      group: MODEL,
      format: share,
    })),
    { path: `${path}.usageProbabilityInterval`, format: interval },
    { path: `${path}.objectProbabilityInterval`, format: interval },
  ]
}

const SYSTEM_FIELDS = [
  'precisionAtHumanRecall',
  'averagePrecision',
  'precision',
  'recall',
] as const satisfies readonly (keyof SystemWord)[]

/** The figures that systems can have on words, with their titles. */
const SYSTEM_TITLES: Readonly<Record<System['kind'], Readonly<Partial<Record<keyof SystemWord, string>>>>> = {
  WORD_SCORES: { precisionAtHumanRecall: 'PHR', averagePrecision: 'AP' },
  CAPTIONS: { precision: 'P', recall: 'R' },
  DESCRIPTIONS: {},
}

function systemColumns({ name, kind }: Pick<System, 'name' | 'kind'>): Column[] {
  return [
    ...SYSTEM_FIELDS.map((field) => ({
      path: ['systems', name, field],
      title: SYSTEM_TITLES[kind][field],
      group: name,
      format: share,
    })),
    { path: ['systems', name, 'undefinedReason'] },
    ...(kind === 'WORD_SCORES' ? [{ path: ['systems', name, 'isFromUnscored'] }] : []),
    ...estimatesOf(kind).flatMap(({ figure }) => {
      const path = ['systems', name, 'estimates', figure]
      return [
        { path: [...path, 'value'] },
        { path: [...path, 'interval'], format: interval },
        { path: [...path, 'undefinedReason'] },
      ]
    }),
  ]
}

/** Figures with intervals, and their titles. */
function estimatesOf(
  kind: System['kind'],
): { readonly figure: keyof SystemWordEstimates; readonly title: string }[] {
  const titles = Object.entries(SYSTEM_TITLES[kind]) as [keyof SystemWordEstimates, string][]
  const figures = titles.map(([figure, title]) => ({ figure, title }))
  return figures.length === 0 ? [] : [...figures, { figure: 'gapToPeople', title: 'gap to people' }]
}

/** Those that people see: what a system is judged by, and its gap to people. All are in the JSON. */
function shownEstimates(kind: System['kind']) {
  const [first, ...others] = estimatesOf(kind)
  return first === undefined ? [] : [first, ...others.slice(-1)]
}

interface MeanLayout {
  /** Whether means are only over all words. */
  readonly isTotal: boolean
  /** Whether there is a column in which the number of words can stand. */
  readonly hasHistogram: boolean
}

/** Means over each part of speech, and over all words. */
function toMeans(
  vocabulary: readonly WordSummary[],
  systems: readonly System[],
  { isTotal, hasHistogram }: MeanLayout,
): object[] {
  if (isTotal) return toMeanRows('all', vocabulary, systems, hasHistogram)
  const tags = new Set(vocabulary.map(({ word }) => word.partOfSpeech))
  const groups = Array.from(tags, (tag) => ({
    tag: tag as string,
    words: vocabulary.filter(({ word }) => word.partOfSpeech === tag),
  }))
  const all = groups.length > 1 ? [{ tag: 'all', words: vocabulary }] : []
  return [...groups, ...all].flatMap(({ tag, words }) => toMeanRows(tag, words, systems, hasHistogram))
}

/** The means, and below them over how many of the words where these are not all, or stand nowhere else. */
function toMeanRows(
  tag: string,
  words: readonly WordSummary[],
  systems: readonly System[],
  hasHistogram: boolean,
): object[] {
  let isComplete = true
  const summarize = (toCell: (defined: readonly number[]) => number | string | null) => {
    const over = (of: (word: WordSummary) => number | null | undefined) => {
      const defined = words.flatMap((word) => of(word) ?? [])
      if (defined.length < words.length) isComplete = false
      return toCell(defined)
    }
    return {
      precision: over(({ human }) => human.precision),
      recall: over(({ human }) => human.recall),
      models: {
        MOMENT: {
          objectProbability: over(({ moment }) => moment.objectProbability),
          precision: over(({ moment }) => moment.precision),
        },
      },
      systems: Object.fromEntries(
        systems.map(({ name, kind }) => {
          const fields = SYSTEM_FIELDS.filter((field) => field in SYSTEM_TITLES[kind])
          const means = fields.map((field) => [field, over(({ systems }) => systems.get(name)?.[field])])
          return [name, Object.fromEntries(means)]
        }),
      ),
    }
  }
  const means = summarize((defined) =>
    defined.length === 0 ? null : defined.reduce((sum, value) => sum + value, 0) / defined.length,
  )
  const counts = summarize(({ length }) => grouped(length))
  return [
    { word: 'mean', partOfSpeech: tag, histogram: `of ${counted(words.length, 'word')}`, ...means },
    ...(isComplete && hasHistogram
      ? []
      : [{ word: hasHistogram ? '' : 'words', histogram: 'with a value', ...counts }]),
  ]
}

/** The intervals of a system's figures, of the words that have any, and how many words have none. */
function showEstimates({ name, kind }: System, words: readonly Row[]): (Table | Notes)[] {
  const figures = shownEstimates(kind)
  const rows = words.filter(({ systems }) =>
    figures.some(({ figure }) => systems[name]?.estimates?.[figure]?.interval),
  )
  const table: Table = {
    columns: [
      { path: 'word', title: name, wrap: 30 },
      ...figures.flatMap(({ figure, title }) => [
        { path: ['systems', name, 'estimates', figure, 'value'], title, format: share },
        {
          path: ['systems', name, 'estimates', figure, 'interval'],
          title: '95 % interval',
          format: interval,
        },
      ]),
    ],
    rows,
  }
  const rest = words.length - rows.length
  const missing = `${counted(rest, 'word')} without an interval (json and csv have the reason).`
  return [
    ...(rows.length === 0 ? [] : [table]),
    ...(rest === 0 ? [] : [{ notes: [rows.length === 0 ? `${name}: ${missing}` : missing] }]),
  ]
}

/** What a mean is of, and over which of the words that `count` counts. */
const MEANS: Readonly<Record<WordMeanFigure, readonly [name: string, words: (count: number) => string]>> = {
  HUMAN_PRECISION: ['precision', words],
  AGREED_HUMAN_PRECISION: ['precision', (count) => `${theWords(count)} with human recall above 0`],
  HUMAN_RECALL: ['recall', words],
  PHR: ['PHR', (count) => `${theWords(count)} with a PHR`],
  AVERAGE_PRECISION: ['AP', words],
  WORD_PRECISION: ['precision', (count) => `${theWords(count)} that it uses`],
  WORD_RECALL: ['recall', words],
  HELD_OUT_PRECISION: ['precision, held out', (count) => `${theWords(count)} that they use`],
  HUMAN_PRECISION_OF_SAME_WORDS: ['precision of people', (count) => theWords(count, 'same ')],
  GAP_TO_PEOPLE: ['gap to people', (count) => theWords(count, 'same ')],
}

function words(count: number): string {
  return counted(count, 'word')
}

function theWords(count: number, kind = ''): string {
  return `the ${kind}${count === 1 ? 'word' : words(count)}`
}

/** Columns of means over the vocabulary. */
export const MEAN_COLUMNS: readonly Column<WordMean & { readonly system: string | null }>[] = [
  { path: 'system', title: '', show: ({ system }) => system ?? 'people', wrap: 20 },
  { path: 'figure', title: 'over words', show: ({ figure }) => MEANS[figure][0] },
  {
    path: 'wordCount',
    title: '',
    show: ({ figure, wordCount }) => `mean of ${MEANS[figure][1](wordCount)}`,
    wrap: 'fit',
  },
  { path: 'value', title: 'mean', format: share },
  { path: 'interval', title: '95 % interval', format: interval },
  ...untitled('standardError', 'pValue', 'isSmall', 'undefinedReason', 'rarefied.imageCount'),
  { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
  { path: 'rarefied.interval', title: '95 % interval', format: interval, isOptional: true },
]

/** Means over the vocabulary, of people (null) and of systems. */
function meanTable({ means }: WordReport): NamedTable<WordMean & { readonly system: string | null }> {
  return {
    name: 'means',
    columns: MEAN_COLUMNS,
    rows: [
      ...means.people.map((mean) => ({ system: null, ...mean })),
      ...Array.from(means.systems, ([system, ofSystem]) =>
        ofSystem.map((mean) => ({ system, ...mean })),
      ).flat(),
    ],
    groupBy: ({ system }) => system,
  }
}

type RateRow = Omit<SystemWordRate, 'word'> & { readonly system: string; readonly word: string }

function toRateRows({ rates }: WordReport): RateRow[] {
  return Array.from(rates, ([system, ofSystem]) =>
    ofSystem.map(({ word, ...rate }) => ({ ...rate, system, word: word.text })),
  ).flat()
}

/** Columns of how often words are used, beside people. */
export const RATES: readonly Column<RateRow>[] = [
  { path: 'system', title: '', wrap: 20, isMerged: true },
  {
    path: 'use',
    title: '',
    show: ({ use }) => (use === 'OVERUSED' ? 'more often' : 'less often'),
    isMerged: true,
  },
  { path: 'word', title: 'word' },
  { path: 'captionCount', title: 'captions', format: count },
  { path: 'humanCaptionCount', format: count },
  { path: 'rate', title: 'share', format: share },
  { path: 'humanRate', title: 'people', format: share },
  { path: 'ratio', title: 'ratio', format: decimals(2) },
  { path: 'interval', format: object('lower', 'upper') },
  {
    title: 'interval',
    show: ({ interval: { lower, upper } }) =>
      `[${fixed(lower, 2)}, ${upper === null ? '∞' : fixed(upper, 2)}]`,
  },
]

function rateTable(rows: readonly RateRow[]): NamedTable<RateRow> {
  return { name: 'rates', columns: RATES, rows, groupBy: ({ system }) => system }
}

/** Words of each use and system that people see. */
const SHOWN_RATES = 10

/** The words that differ most from people; json has all of them. */
function showRates(report: WordReport): (Table | Notes)[] {
  const rows = toRateRows(report)
  if (rows.length === 0) return []
  const places = new Map<string, number>()
  const shown = rows.filter(({ system, use }) => {
    const key = JSON.stringify([system, use])
    const place = places.get(key) ?? 0
    places.set(key, place + 1)
    return place < SHOWN_RATES
  })
  const rest = rows.length - shown.length
  return [
    rateTable(shown),
    { notes: [RATES_NOTE, ...(rest === 0 ? [] : [`${counted(rest, 'word')} more (json has all).`])] },
  ]
}

const fitFigures = (path: string, group: string): Column[] => [
  { path: `${path}wordCount`, title: 'words', group, format: count },
  { path: `${path}rSquared`, title: 'R²', group, format: share },
  { path: `${path}rootMeanSquaredError`, title: 'error', group, format: share },
  { path: `${path}undefinedReason` },
]

/** Columns of how well models predict the precision of words. */
export const FITS: readonly Column<UsageFitSummary>[] = [
  {
    path: 'model',
    title: 'for which all models have a fit',
    group: 'predicted precision, on words',
    show: ({ model }) => model.toLowerCase().replace('_', '-'),
  },
  ...fitFigures('', 'on the same images'),
  ...fitFigures('outOfSample.', 'on the other half'),
]

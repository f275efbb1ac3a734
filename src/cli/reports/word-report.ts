import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import type { ModelFigures } from '../../core/agreement/word-model.js'
import type { WordMean, WordMeanFigure } from '../../services/words/compute-word-means.js'
import type { UsageFitSummary, WordFigures, WordReport, WordSummary } from '../../services/words/words.js'
import type { System, SystemWord } from '../../store/schema/entities.js'
import { count, counted, counts, grouped, interval, share, signedInterval } from '../output/formats.js'
import type { Column, NamedTable, Notes, Report, Table } from '../output/report.js'

/** The words with the means over the vocabulary, intervals of systems, and how well the usage models fit. */
export function wordReport(report: WordReport): Report {
  const { dataset, references, systems, notes, provenance, vocabulary } = report
  const words = wordTable(report)
  const means = meanTable(report)
  const fits = fitTable(report)
  return {
    about: {
      dataset: dataset.name,
      references,
      notes,
      provenance: { ...provenance, systems: Object.fromEntries(provenance.systems) },
    },
    tables: [words, means, fits],
    parts: [
      { ...words, footer: toMeans(vocabulary, systems) },
      { notes: words.rows.length === 0 ? LEGEND.slice(1) : LEGEND },
      ...systems.flatMap((system) => showEstimates(system, words.rows)),
      means,
      { notes },
      fits,
    ],
  }
}

const LEGEND = [
  '*: used in fewer than 20 images, so that its figures say little. ~: the likelihood fits hardly determine q; ^: and would be best at q = 1 (json and csv have all models, with intervals).',
  'Images in which 0 to K captions use the word. P, R: human precision and recall. Model: the probability q that an image shows the object, and the predicted precision, by the moment fit. PHR, AP: a system’s precision at human recall, average precision.',
  'Means are over all words of the vocabulary for which the value is defined, even if only some are listed. These words differ between columns; the table of means below has people and systems on the same words.',
]

type Row = ReturnType<typeof toRow>

function toRow({ word, human, systems, estimates, ...figures }: WordFigures) {
  const results = Array.from(systems, ([name, result]) => {
    return [name, { ...result, estimates: estimates.get(name) }] as const
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

function wordTable({ dataset, words, systems, fits }: WordReport): NamedTable<Row> {
  const { captionsPerImage } = dataset
  return {
    name: 'words',
    columns: [
      { path: 'word', title: 'word' },
      { title: '', show: marksOf },
      { path: 'partOfSpeech', title: 'POS' },
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
      ...fits.flatMap(({ model }) => modelColumns(model)),
      ...systems.flatMap(systemColumns),
    ],
    rows: words.map(toRow),
    keyColumns: 3,
  }
}

function marksOf({ isRare, models }: Row): string {
  const isWeak = models.BINOMIAL.isWeaklyIdentified || models.BETA_BINOMIAL.isWeaklyIdentified
  const isInterior = models.BINOMIAL.isInteriorPreferred || models.BETA_BINOMIAL.isInteriorPreferred
  return `${isRare ? '*' : ''}${isInterior ? '^' : isWeak ? '~' : ''}`
}

const MODEL_FIELDS = [
  'usageProbability',
  'objectProbability',
  'overdispersion',
  'logLikelihood',
  'aic',
  'precision',
  'recall',
  'isWeaklyIdentified',
  'isInteriorPreferred',
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
      group: 'model',
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

function systemColumns({ name, kind }: System): Column[] {
  return [
    ...SYSTEM_FIELDS.map((field) => ({
      path: ['systems', name, field],
      title: SYSTEM_TITLES[kind][field],
      group: name,
      format: share,
    })),
    { path: ['systems', name, 'undefinedReason'] },
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

/** Means over each part of speech, and over all words. */
function toMeans(vocabulary: readonly WordSummary[], systems: readonly System[]): object[] {
  const tags = new Set(vocabulary.map(({ word }) => word.partOfSpeech))
  const groups = Array.from(tags, (tag) => ({
    tag: tag as string,
    words: vocabulary.filter(({ word }) => word.partOfSpeech === tag),
  }))
  const all = groups.length > 1 ? [{ tag: 'all', words: vocabulary }] : []
  return [...groups, ...all].flatMap(({ tag, words }) => toMeanRows(tag, words, systems))
}

/** The means, and below them over how many of the words where these are not all. */
function toMeanRows(tag: string, words: readonly WordSummary[], systems: readonly System[]): object[] {
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
    ...(isComplete ? [] : [{ histogram: 'with a value', ...counts }]),
  ]
}

/** The intervals of a system's figures, of the words that have any, and how many words have none. */
function showEstimates({ name, kind }: System, words: readonly Row[]): (Table | Notes)[] {
  const figures = estimatesOf(kind)
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
          format: signedInterval,
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

/** Means over the vocabulary, of people (null) and of systems. */
function meanTable({ means }: WordReport): NamedTable<WordMean & { readonly system: string | null }> {
  return {
    name: 'means',
    columns: [
      { path: 'system', title: '', show: ({ system }) => system ?? 'people', wrap: 20 },
      { path: 'figure', title: 'over the vocabulary', show: ({ figure }) => MEANS[figure][0] },
      {
        path: 'wordCount',
        title: '',
        show: ({ figure, wordCount }) => `mean of ${MEANS[figure][1](counted(wordCount, 'word'))}`,
        wrap: 'fit',
      },
      { path: 'value', title: 'mean', format: share },
      { path: 'interval', title: '95 % interval', format: signedInterval },
      { path: 'standardError' },
      { path: 'pValue' },
      { path: 'isSmall' },
      { path: 'undefinedReason' },
      { path: 'rarefied.imageCount' },
      { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
      { path: 'rarefied.interval', title: '95 % interval', format: signedInterval, isOptional: true },
    ],
    rows: [
      ...means.people.map((mean) => ({ system: null, ...mean })),
      ...Array.from(means.systems, ([system, ofSystem]) =>
        ofSystem.map((mean) => ({ system, ...mean })),
      ).flat(),
    ],
    groupBy: ({ system }) => system,
  }
}

function fitTable({ fits }: WordReport): NamedTable<UsageFitSummary> {
  const figures = (path: string, group: string): Column[] => [
    { path: `${path}wordCount`, title: 'words', group, format: count },
    { path: `${path}rSquared`, title: 'R²', group, format: share },
    { path: `${path}rootMeanSquaredError`, title: 'error', group, format: share },
    { path: `${path}undefinedReason` },
  ]
  return {
    name: 'fits',
    columns: [
      { path: 'model', title: 'for which all models have a fit', group: 'predicted precision, on words' },
      ...figures('', 'on the same images'),
      ...figures('outOfSample.', 'on the other half'),
    ],
    rows: fits,
  }
}

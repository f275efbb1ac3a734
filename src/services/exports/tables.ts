import { yieldToEventLoop } from '../../event-loop.js'
import { PEOPLE } from '../../shared/verdict.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System, SystemWord } from '../../store/schema/system-tables.js'
import {
  type Comparison,
  compareOnFigures,
  conclusionOf,
  type RequestedFigures,
} from '../comparisons/comparisons.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import { requireCaptions } from '../datasets/require-subjects.js'
import { readVocabularyWords, type VocabularyOptions } from '../datasets/vocabulary.js'
import { scoreOfImage } from '../evaluations/image-scores.js'
import { captionsByImage, systemCaptionsByImage } from '../images/images.js'
import { recordVocabulary } from '../provenance/record-provenance.js'
import { wordFiguresOf, wordProvenance } from '../provenance/word-provenance.js'
import type { Accord, Client } from '../shared/accord.js'
import { groupBy, idsOf } from '../shared/groups.js'
import { requireSystems, systemWords } from '../systems/systems.js'
import { agreementOnWord, isRare } from '../words/word-figures.js'
import { requireResultsOnWords } from '../words/word-report.js'
import { imagesInParts } from './export.js'
import type { ExportColumn, ExportTable, Row } from './export-table.js'
import { planScoreTable, readScoreColumns, type ScoreColumn, type ScoreTableOptions } from './score-table.js'

/** The scores of images by system. */
export interface ScoresExport extends ExportTable {
  /** Number of systems, and people. */
  readonly subjectCount: number
  /** Names of the systems without any. */
  readonly unscored: readonly string[]
}

/**
 * The stored scores of images, system by system, people last: their `system` is null. Images without a score are left out.
 *
 * @throws AccordError as `planScoreTable`; while rows are read CANCELLED if scores are replaced
 */
export async function exportScores(
  accord: Accord,
  dataset: Dataset,
  options: ScoreTableOptions,
): Promise<ScoresExport> {
  const { subjects, metrics, columns } = await planScoreTable(accord, dataset, options)
  const bySubject = groupBy(columns, ({ system }) => system)
  const hasScores = (system: System | null) => bySubject.get(system)?.some(({ score }) => score !== null)
  const scored = new Set(columns.flatMap(({ metric, score }) => (score ? [metric] : [])))
  return {
    columns: [
      ...texts('system', 'imageId'),
      ...numbers(...metrics),
      ...texts(...metrics.map((metric) => `${metric}.signature`)),
    ],
    signatures: distinct(columns.map(({ score }) => score?.signature ?? null)),
    scoresInMemory: scored.size * dataset.imageCount,
    subjectCount: subjects.length,
    unscored: subjects.filter((system) => !hasScores(system)).map((system) => system?.name ?? PEOPLE),
    async *rows() {
      for (const ofSubject of bySubject.values()) yield* scoresOf(accord, dataset, ofSubject)
    },
  }
}

async function* scoresOf(
  accord: Accord,
  dataset: Dataset,
  columns: readonly ScoreColumn[],
): AsyncGenerator<readonly Row[]> {
  if (columns.every(({ score }) => score === null)) return
  const scores = await readScoreColumns(accord, columns)
  const name = columns[0].system?.name ?? null
  const signatures = columns.map(({ score }) => score?.signature ?? null)
  for await (const images of imagesInParts(accord, dataset, ['externalId'])) {
    yield images.flatMap(({ id, externalId }) => {
      const values = scores.map((column) => (column && scoreOfImage(column, id)) ?? null)
      return values.some((value) => value !== null) ? [[name, externalId, ...values, ...signatures]] : []
    })
  }
}

/** Words that are read together. */
const WORDS_PER_READ = 50

export interface WordsExportOptions extends VocabularyOptions {
  /** Names of systems with captions or word scores. Default: none. */
  readonly systems?: readonly string[] | null
}

/** Figures of systems on words, which have no interval here. */
const SYSTEM_FIGURES = [
  'precisionAtHumanRecall',
  'averagePrecision',
  'precision',
  'recall',
] as const satisfies readonly (keyof SystemWord)[]

/**
 * The words of the vocabulary, in its order: how people agree on them, and the figures of systems.
 *
 * @throws AccordError UNKNOWN_SYSTEM, UNKNOWN_DATASET; OUT_OF_RANGE for `references`; NOT_APPLICABLE for a system without results on words
 */
export async function exportWords(
  accord: Accord,
  dataset: Dataset,
  { systems: names, references: wanted, ...choice }: WordsExportOptions,
): Promise<ExportTable> {
  const systems = await requireSystems(accord, dataset, names ?? [])
  systems.forEach(requireResultsOnWords)
  const words = await readVocabularyWords(accord.database, dataset, choice)
  const references = whyNoAgreement(dataset) === null ? chooseReferences(dataset, wanted) : null
  const record = recordVocabulary(words.map(({ text }) => text))
  const captionCounts = Array.from(
    { length: dataset.captionsPerImage + 1 },
    (_, count) => `histogram.${count}`,
  )
  return {
    columns: [
      ...texts('word', 'partOfSpeech'),
      ...numbers(...captionCounts),
      ...flags('isRare'),
      ...numbers('precision', 'recall'),
      ...texts('undefinedReason'),
      ...numbers('precisionInterval.lower', 'precisionInterval.upper'),
      ...numbers('recallInterval.lower', 'recallInterval.upper'),
      ...systems.flatMap(({ name }) => [
        ...numbers(...SYSTEM_FIGURES.map((figure) => `systems.${name}.${figure}`)),
        ...texts(`systems.${name}.undefinedReason`),
      ]),
    ],
    signatures:
      references === null
        ? []
        : [null, ...systems].flatMap((system) =>
            wordFiguresOf(system)
              .filter((figure) => system !== null || figure !== 'PHR')
              .map(
                (figure) =>
                  wordProvenance(dataset, system, { figure, words: record, references, areSingle: true })
                    .signature,
              ),
          ),
    scoresInMemory: 0,
    async *rows() {
      for (let start = 0; start < words.length; start += WORDS_PER_READ) {
        const some = words.slice(start, start + WORDS_PER_READ)
        const results = await Promise.all(
          systems.map(({ id }) =>
            references === null
              ? new Map<number, SystemWord>()
              : systemWords(accord, id, references, idsOf(some)),
          ),
        )
        const rows: Row[] = []
        for (const word of some) {
          // Intervals take a fraction of a millisecond.
          await yieldToEventLoop()
          const { precision, recall, undefinedReason, intervals } = agreementOnWord(word, references)
          const { precisionInterval, recallInterval } = intervals()
          rows.push([
            word.text,
            word.partOfSpeech,
            ...word.histogram,
            isRare(word),
            precision,
            recall,
            undefinedReason,
            ...[precisionInterval, recallInterval].flatMap((interval) => [
              interval?.lower ?? null,
              interval?.upper ?? null,
            ]),
            ...results.flatMap((byWord) => {
              const result = byWord.get(word.id)
              return [
                ...SYSTEM_FIGURES.map((figure) => result?.[figure] ?? null),
                result?.undefinedReason ?? null,
              ]
            }),
          ])
        }
        yield rows
      }
    },
  }
}

/**
 * The captions of systems, by image and name of the system; without systems those of people, whose `system` is null.
 *
 * @throws AccordError UNKNOWN_SYSTEM; NOT_APPLICABLE for a system without captions
 */
export async function exportCaptionTable(
  accord: Accord,
  dataset: Dataset,
  { systems: names }: { readonly systems?: readonly string[] | null },
): Promise<ExportTable> {
  const systems = names == null ? null : await requireSystems(accord, dataset, names)
  systems?.forEach(requireCaptions)
  const nameOf = new Map(systems?.map(({ id, name }) => [id, name]))
  return {
    columns: texts('system', 'imageId', 'captionId', 'caption'),
    signatures: [],
    scoresInMemory: 0,
    async *rows() {
      for await (const images of imagesInParts(accord, dataset, ['externalId'])) {
        const ids = idsOf(images)
        if (systems === null) {
          const captions = await captionsByImage(accord, ids)
          yield images.flatMap((image) =>
            (captions.get(image.id) ?? []).map(({ externalId, text }) => [
              null,
              image.externalId,
              externalId,
              text,
            ]),
          )
        } else {
          const captions = await systemCaptionsByImage(accord, ids, {
            names: systems.map(({ name }) => name),
          })
          yield images.flatMap((image) =>
            (captions.get(image.id) ?? []).map(({ systemId, text }) => [
              nameOf.get(systemId) ?? null,
              image.externalId,
              null,
              text,
            ]),
          )
        }
      }
    },
  }
}

/** The columns of comparisons, with what each has of one. */
const COMPARISON: readonly (ExportColumn & { cellOf(comparison: Comparison): Row[number] })[] = [
  { name: 'figure', type: 'TEXT', cellOf: ({ figure }) => figure.kind },
  { name: 'metric', type: 'TEXT', cellOf: ({ figure }) => (figure.kind === 'METRIC' ? figure.metric : null) },
  {
    name: 'word',
    type: 'TEXT',
    cellOf: ({ figure }) => (figure.kind === 'METRIC' ? null : (figure.word ?? null)),
  },
  { name: 'first', type: 'TEXT', cellOf: ({ first }) => first?.name ?? null },
  { name: 'second', type: 'TEXT', cellOf: ({ second }) => second?.name ?? null },
  { name: 'firstScore', type: 'NUMBER', cellOf: ({ firstScore }) => firstScore },
  { name: 'secondScore', type: 'NUMBER', cellOf: ({ secondScore }) => secondScore },
  { name: 'difference', type: 'NUMBER', cellOf: ({ difference }) => difference },
  {
    name: 'together.interval.lower',
    type: 'NUMBER',
    cellOf: ({ together }) => together.interval?.lower ?? null,
  },
  {
    name: 'together.interval.upper',
    type: 'NUMBER',
    cellOf: ({ together }) => together.interval?.upper ?? null,
  },
  { name: 'together.pValue', type: 'NUMBER', cellOf: ({ together }) => together.pValue },
  { name: 'together.better', type: 'TEXT', cellOf: ({ together }) => together.better },
  { name: 'together.tests', type: 'NUMBER', cellOf: ({ together }) => together.tests },
  { name: 'together.level', type: 'NUMBER', cellOf: ({ together }) => together.level },
  { name: 'alone.interval.lower', type: 'NUMBER', cellOf: ({ alone }) => alone.interval?.lower ?? null },
  { name: 'alone.interval.upper', type: 'NUMBER', cellOf: ({ alone }) => alone.interval?.upper ?? null },
  { name: 'alone.pValue', type: 'NUMBER', cellOf: ({ alone }) => alone.pValue },
  { name: 'alone.better', type: 'TEXT', cellOf: ({ alone }) => alone.better },
  { name: 'conclusion', type: 'TEXT', cellOf: conclusionOf },
  { name: 'imageCount', type: 'NUMBER', cellOf: ({ imageCount }) => imageCount },
  { name: 'wordCount', type: 'NUMBER', cellOf: ({ wordCount }) => wordCount },
  { name: 'rarefied.imageCount', type: 'NUMBER', cellOf: ({ rarefied }) => rarefied?.imageCount ?? null },
  { name: 'rarefied.value', type: 'NUMBER', cellOf: ({ rarefied }) => rarefied?.value ?? null },
  {
    name: 'rarefied.interval.lower',
    type: 'NUMBER',
    cellOf: ({ rarefied }) => rarefied?.interval?.lower ?? null,
  },
  {
    name: 'rarefied.interval.upper',
    type: 'NUMBER',
    cellOf: ({ rarefied }) => rarefied?.interval?.upper ?? null,
  },
  { name: 'references.least', type: 'NUMBER', cellOf: ({ references }) => references?.least ?? null },
  { name: 'references.most', type: 'NUMBER', cellOf: ({ references }) => references?.most ?? null },
  { name: 'references.folds', type: 'NUMBER', cellOf: ({ references }) => references?.folds ?? null },
  { name: 'isSmall', type: 'FLAG', cellOf: ({ isSmall }) => isSmall },
  { name: 'undefinedReason', type: 'TEXT', cellOf: ({ undefinedReason }) => undefinedReason },
  { name: 'signature', type: 'TEXT', cellOf: ({ signature }) => signature },
]

/** Comparisons of stored figures, with people as the side that is null. */
export async function exportComparisons(
  accord: Accord,
  dataset: Dataset,
  options: RequestedFigures,
  client: Client = {},
): Promise<ExportTable> {
  const comparisons = await compareOnFigures(accord, dataset, options, client)
  return {
    columns: COMPARISON,
    signatures: distinct(comparisons.map(({ signature }) => signature)),
    scoresInMemory: 0,
    async *rows() {
      yield comparisons.map((comparison) => COMPARISON.map(({ cellOf }) => cellOf(comparison)))
    },
  }
}

function distinct(signatures: readonly (string | null)[]): string[] {
  return [...new Set(signatures)].filter((signature) => signature !== null)
}

const ofType =
  (type: ExportColumn['type']) =>
  (...names: readonly string[]) =>
    names.map((name): ExportColumn => ({ name, type }))
const [texts, numbers, flags] = [ofType('TEXT'), ofType('NUMBER'), ofType('FLAG')]

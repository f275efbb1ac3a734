import { type Command, Option } from 'commander'
import { embeddingsOption, meteorDataOption, wholeNumber } from '../../config.js'
import type { CompletedRow } from '../../services/leaderboard/complete-rows.js'
import type { LeaderboardOptions, RankedSubset } from '../../services/leaderboard/leaderboard.js'
import type { Standing } from '../../services/leaderboard/standings.js'
import type { Accord } from '../../services/shared/accord.js'
import { namedNotes } from '../../services/shared/intervals.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { lengthNotes } from '../../shared/length-notes.js'
import { grouped } from '../../shared/numbers.js'
import { reasonName, UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import { PEOPLE } from '../../shared/verdict.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import {
  boundsOption,
  byOption,
  datasetOption,
  documentFrequenciesOption,
  layoutOption,
  metricsOption,
  partOfSpeechOption,
  vocabularyOfOption,
} from '../options.js'
import { count, interval, jsonOnly, NONE, ordinal, references, score, share } from '../output/formats.js'
import { type HintOptions, inList, suggest } from '../output/hints.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type Column, type NamedTable, type Report, untitled } from '../output/report.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'
import { coverageCommand } from '../reports/evaluation-report.js'
import {
  documentsNote,
  markBest,
  type ScoreLayout,
  type ShownScore,
  systemsByMetrics,
} from '../reports/score-table.js'

interface Options extends ReportOptions, Pick<ScoreLayout, 'layout'> {
  readonly metrics?: readonly string[]
  readonly references?: number
  readonly captions?: true
  readonly phr?: true
  readonly partOfSpeech?: readonly PartOfSpeech[]
  readonly vocabularyOf?: string
  readonly bounds?: boolean
  readonly documentFrequencies?: string
  readonly by?: string
}

const DEFAULT_METRIC = 'CIDEr-D'

/** `accord leaderboard` */
export function register(program: Command): void {
  const command = program
    .command('leaderboard')
    .summary('rank systems and people')
    .description(
      'Rank the captioning systems of a dataset by their stored scores on metrics or by the precision of their words, and systems' +
        ' with word scores by mean precision at human recall. Only' +
        ' figures that were computed in the same way are ranked; the others follow, with the reason. People are' +
        ' ranked with systems that have the same number of references. Rows that a paired test does not tell apart share' +
        ' their ranks: 1–2.',
    )
    .addOption(datasetOption())
    .addOption(
      metricsOption(
        `${DEFAULT_METRIC}, beside people; mean precision at human recall if no system has captions`,
      ),
    )
    .option(
      '--references <k>',
      'references per image, 1 to K - 1 (default: K - 1; all references for a metric, without people)',
      wholeNumber(1),
    )
    .addOption(
      new Option('--captions', 'rank captioning systems by the mean precision of their words').conflicts(
        'metrics',
      ),
    )
    .addOption(
      new Option('--phr', 'rank systems with word scores by mean precision at human recall').conflicts([
        'metrics',
        'captions',
      ]),
    )
    .addOption(partOfSpeechOption().conflicts('metrics'))
    .addOption(vocabularyOfOption().conflicts('metrics'))
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(boundsOption())
    .addOption(
      byOption(
        'one that images of the dataset have, such as domain or split; objects, their number of boxes; or language, that of their captions; for metrics',
      ).conflicts(['captions', 'phr', 'partOfSpeech', 'vocabularyOf']),
    )
    .addOption(layoutOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
  const help = {
    examples: [
      'accord leaderboard --dataset coco --metric CIDEr-D --references 4',
      'accord leaderboard --metrics BLEU-4 METEOR CIDEr-D SPICE --references 4 --format latex',
    ],
    json: { report: 'dataset, by, rows, subsets (with --by)', rows: boardColumns([]) },
  }
  printsDatasetReport<Options>(command, help, async (accord, dataset, options) => {
    const { withSubsets } = await import('../reports/subset-report.js')
    const boards = await readBoards(accord, dataset, options)
    const { captionLengths, comparingMetrics } = await import('../../services/evaluations/caption-lengths.js')
    const systems = [
      ...new Map(
        boards.flatMap(({ rows }) =>
          rows.flatMap(({ system }) => (system ? [[system.id, system] as const] : [])),
        ),
      ).values(),
    ]
    const metrics = comparingMetrics(
      accord,
      boards.flatMap((board) => board.options.metric ?? []),
    )
    const lengths =
      metrics.length === 0
        ? []
        : lengthNotes(await captionLengths(accord, dataset, systems), metrics, coverageCommand(dataset.name))
    const hasOthers =
      options.metrics === undefined &&
      boards.every((board) => board.options.by === 'METRIC') &&
      (await systemKinds(accord, dataset)).includes('WORD_SCORES')
    const { firstMetric } = await import('../../services/evaluations/metrics.js')
    const named = options.metrics && (await firstMetric(accord, options.metrics))
    const choice = { ...options, documents: options.documentFrequencies, named, hasOthers }
    const report = leaderboardReport(boards, lengths, choice)
    return withSubsets(report, options.by, await readSubsets(accord, dataset, boards, options.by))
  })
}

async function readBoards(accord: Accord, dataset: Dataset, options: Options): Promise<Leaderboard[]> {
  const { metrics } = options
  const isOfWords = options.captions || options.phr || options.partOfSpeech || options.vocabularyOf
  if (!metrics && !isOfWords && (await systemKinds(accord, dataset)).includes('CAPTIONS'))
    return [await readDefault(accord, dataset, options)]
  const boards: Leaderboard[] = []
  for (const metric of metrics ? await resolveNames(accord, metrics) : [undefined]) {
    boards.push(await readLeaderboard(accord, dataset, options, metric))
  }
  return boards
}

async function readSubsets(
  accord: Accord,
  dataset: Dataset,
  boards: readonly Leaderboard[],
  field: string | undefined,
): Promise<RankedSubset[]> {
  if (field === undefined) return []
  const { rankedSubsets } = await import('../../services/leaderboard/leaderboard.js')
  const ranked = boards.flatMap(({ options: { metric }, rows }) =>
    metric == null ? [] : rows.map(({ system, signature }) => ({ metric, system, signature })),
  )
  return rankedSubsets(accord, dataset, ranked, field)
}

async function systemKinds(accord: Accord, dataset: Dataset): Promise<System['kind'][]> {
  const { systemsByName } = await import('../../services/systems/systems.js')
  return [...(await systemsByName(accord, dataset.id)).values()].map(({ kind }) => kind)
}

/** Captioning systems beside people, where they have been scored on as many references, and otherwise on all references. */
async function readDefault(accord: Accord, dataset: Dataset, options: Options): Promise<Leaderboard> {
  const others = dataset.captionsPerImage - 1
  const besidePeople = { ...options, references: options.references ?? (others > 0 ? others : undefined) }
  const board = await readLeaderboard(accord, dataset, besidePeople, DEFAULT_METRIC)
  const isRanked = board.rows.some(({ system, rank }) => system !== null && rank !== null)
  return isRanked || options.references ? board : readLeaderboard(accord, dataset, options, DEFAULT_METRIC)
}

async function resolveNames(accord: Accord, names: readonly string[]): Promise<string[]> {
  const { resolveMetrics } = await import('../../services/evaluations/metrics.js')
  return resolveMetrics(accord, names)
}

async function readLeaderboard(
  accord: Accord,
  dataset: Dataset,
  { references, captions, partOfSpeech, vocabularyOf, bounds, documentFrequencies }: Options,
  metric: string | undefined,
): Promise<Leaderboard> {
  const { documentsOf } = await import('../../services/evaluations/document-source.js')
  const { rankSystems } = await import('../../services/leaderboard/leaderboard.js')
  const { completeRows, leaderboardNotes } = await import('../../services/leaderboard/complete-rows.js')
  const options: LeaderboardOptions = {
    by: metric !== undefined ? 'METRIC' : captions ? 'WORD_PRECISION' : 'PHR',
    metric,
    references,
    partOfSpeech,
    vocabularyOf,
    isBoundIncluded: bounds,
    ...documentsOf(documentFrequencies),
  }
  const ranked = await rankSystems(accord, dataset, options)
  const rows = await completeRows(accord, dataset, ranked, options)
  const notes = await leaderboardNotes(accord, dataset, rows, options)
  const { leaderboardStandings } = await import('../../services/leaderboard/standings.js')
  const standings = await withProgress((progress) =>
    leaderboardStandings(accord, dataset, ranked, options, { progress }),
  )
  const { requireMetric } = await import('../../services/evaluations/metrics.js')
  return {
    dataset,
    options,
    higherIsBetter: metric === undefined || requireMetric(accord, metric).higherIsBetter,
    rows: rows.map((row, index) => ({ ...row, notes: notes[index], standing: standings[index] })),
  }
}

interface Leaderboard {
  readonly dataset: Dataset
  readonly options: LeaderboardOptions
  readonly higherIsBetter: boolean
  readonly rows: readonly NotedRow[]
}

type NotedRow = CompletedRow & { readonly standing: Standing | null; readonly notes: readonly string[] }

type Row = Omit<NotedRow, 'system' | 'standing'> & {
  /** Null if ranked by a mean over words. */
  readonly metric: string | null
  readonly higherIsBetter: boolean
  readonly isApart: boolean
  readonly isBest: boolean
  /** Null for people. */
  readonly system: string | null
  /** With names of systems. */
  readonly standing: (Omit<Standing, 'tiedWith'> & { readonly tiedWith: readonly string[] | null }) | null
}

/** Columns of one board, or of several below each other. */
function boardColumns(boards: readonly Leaderboard[]): Column<Row>[] {
  const options = boards.at(0)?.options
  return [
    { path: 'metric', title: boards.length > 1 ? 'metric' : undefined },
    { path: 'rank', title: 'rank', format: ordinal, show: rankText },
    { path: 'system', title: 'system', show: nameOf },
    { path: 'isHuman' },
    {
      path: 'value',
      isStrong: ({ isBest }) => isBest,
      title:
        boards.length > 1
          ? 'score'
          : (options?.metric ?? (options?.by === 'PHR' ? 'mean PHR' : 'word precision')),
      format: score,
    },
    { path: 'interval', title: '95 % interval', format: interval },
    { path: 'rarefied.imageCount' },
    { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
    { path: 'rarefied.interval', title: '95 % interval', format: interval, isOptional: true },
    { path: 'references', title: 'references', format: references },
    { path: 'wordCount', title: 'words', format: count, isOptional: true },
    {
      path: 'imageCount',
      title: 'images',
      format: count,
      show: ({ imageCount, isPartial }) =>
        imageCount === null ? NONE : `${grouped(imageCount)}${isPartial ? ' (part)' : ''}`,
    },
    ...untitled('isPartial', 'group'),
    {
      path: 'undefinedReason',
      title: 'not ranked',
      isOptional: true,
      show: ({ undefinedReason }) => (undefinedReason === null ? '' : reasonName(undefinedReason)),
    },
    ...untitled('signature', 'standing.rankRange.min', 'standing.rankRange.max'),
    { path: 'standing.tiedWith', format: jsonOnly },
    ...untitled('standing.isTiedWithPeople', 'standing.undefinedReason'),
    { path: 'gapToPeople', format: jsonOnly },
    { path: 'provenance', format: jsonOnly },
    { path: 'notes', format: jsonOnly },
  ]
}

/**
 * Systems and people in their order on each board. Several metrics are columns, with rows in the order of the one that is named first.
 *
 * @param lengths notes about the lengths of captions
 * @param hasOthers whether no board was named, and systems of the dataset have word scores, which this one does not rank
 * @param hints options of this command, for suggested commands
 */
function leaderboardReport(
  boards: readonly Leaderboard[],
  lengths: readonly string[],
  {
    layout,
    documents,
    named,
    hasOthers,
    ...hints
  }: HintOptions &
    Pick<ScoreLayout, 'layout'> & {
      readonly documents?: string
      readonly named?: string
      readonly hasOthers: boolean
    },
): Report {
  const [{ dataset, options }] = boards
  const isWide = boards.length > 1 && layout === 'wide'
  const unmarked = boards.flatMap((board) =>
    board.rows.map((row) => ({
      ...row,
      isApart: row.rank === null,
      metric: board.options.metric ?? null,
      higherIsBetter: board.higherIsBetter,
      system: row.system?.name ?? null,
      standing: row.standing && {
        ...row.standing,
        tiedWith: row.standing.tiedWith?.map(({ name }) => name) ?? null,
      },
    })),
  )
  const rows = markBest(unmarked, ({ metric }) => String(metric))
  const ranking = rows.flatMap(({ metric, system }) => (metric === (named ?? null) ? [system] : []))
  const placeOf = ({ system }: Row) => ranking.indexOf(system)
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: boardColumns(boards),
    rows,
    groupBy: ({ metric, group }) => JSON.stringify([metric, group]),
    keyColumns: 2,
  }
  return {
    about: { dataset: dataset.name, by: options.by },
    tables: [table],
    parts: [
      isWide
        ? systemsByMetrics(rows.toSorted((one, other) => placeOf(one) - placeOf(other)).map(toShown))
        : table,
      {
        notes: [
          ...(isWide ? [] : describeRanks(boards)),
          ...(rows.some(({ provenance }) => provenance?.documentFrequencies)
            ? [documentsNote(documents)]
            : []),
          ...describeReasons(rows, isWide),
          ...lengths,
          ...describeNotes(boards),
          ...suggestReferences(),
          ...suggestComputing(),
          ...(hasOthers ? suggestOthers() : []),
        ],
      },
    ],
  }

  function suggestReferences(): string[] {
    if (!rows.some(({ isHuman, undefinedReason }) => isHuman && undefinedReason === 'OTHER_REFERENCES'))
      return []
    const metrics = boards.flatMap((board) => board.options.metric ?? [])
    const words = ['leaderboard', '--dataset', dataset.name, '--metrics', ...metrics]
    return suggest(
      'To rank people as well, use the number of references that they have:',
      [...words, '--references', String(dataset.captionsPerImage - 1)],
      hints,
    )
  }

  function suggestOthers(): string[] {
    const words = ['leaderboard', '--dataset', dataset.name, '--phr']
    return suggest('To rank the systems with word scores:', words, hints)
  }

  /** The commands that compute the missing scores of people and of systems. */
  function suggestComputing(): string[] {
    const missing = rows.filter(({ metric, undefinedReason }) => metric && undefinedReason === 'NOT_COMPUTED')
    const subjects = [...new Set(missing.map(({ system }) => system))].sort(peopleFirst)
    return subjects.flatMap((system) => {
      const metrics = missing.flatMap((row) => (row.system === system ? (row.metric as string) : []))
      const command =
        system === null
          ? ['agreement', '--dataset', dataset.name]
          : ['evaluate', '--dataset', dataset.name, '--system', inList(system)]
      return suggest(
        `To compute the scores of ${system ?? PEOPLE}:`,
        [
          ...command,
          '--metrics',
          ...new Set(metrics),
          ...(documents === undefined ? [] : ['--document-frequencies', documents]),
        ],
        hints,
      )
    })
  }
}

/** Systems are compared with people as far as the scores of people are stored. */
function peopleFirst(one: string | null, other: string | null): number {
  return Number(one !== null) - Number(other !== null)
}

function nameOf({ system }: Row): string {
  return system ?? PEOPLE
}

function toShown({ metric, ...row }: Row): ShownScore {
  return { ...row, metric: metric as string }
}

/** The ranks that tests leave open; in brackets the place of a row without tests. */
function rankText({ rank, standing }: Row): string {
  if (rank === null) return ''
  const { min, max } = standing?.rankRange ?? {}
  if (min === undefined || max === undefined) return `(${rank})`
  return min === max ? String(min) : `${min}–${max}`
}

/** What the ranks of the boards mean. */
function describeRanks(boards: readonly Leaderboard[]): string[] {
  const standings = boards.flatMap(({ rows }) => rows.flatMap(({ standing }) => standing ?? []))
  const reasons = new Set(standings.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return [
    ...(standings.some(({ rankRange }) => rankRange !== null)
      ? [
          'rank: the ranks that paired tests leave open, people among the systems, corrected for all pairs of a board (p < .05).',
        ]
      : []),
    ...Array.from(reasons, (reason) => `(rank) is the place without a test: ${UNDEFINED_REASONS[reason]}`),
  ]
}

/** @param isWide whether the table has no column of reasons, but cells without a score */
function describeReasons(rows: readonly Row[], isWide: boolean): string[] {
  const reasons = new Set(rows.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return Array.from(
    reasons,
    (reason) => `${isWide ? NONE : `${reasonName(reason)}:`} ${UNDEFINED_REASONS[reason]}`,
  )
}

/** Each note once, with the systems that it is about unless these are all of a board that have a value. */
function describeNotes(boards: readonly Leaderboard[]): string[] {
  const described = boards.flatMap(({ rows }) => {
    const noted = rows.filter(({ value }) => value !== null)
    const ofRanks = rows.flatMap(({ standing }) => standing?.notes ?? [])
    const ofRows = namedNotes(noted.map(({ system, notes }) => ({ name: system?.name ?? PEOPLE, notes })))
    return [...ofRanks, ...ofRows]
  })
  return [...new Set(described)]
}

import { Argument, type Command } from 'commander'
import { collectUnique, embeddingsOption, meteorDataOption, parseText } from '../../config.js'
import type { FileScore, ScoredFile, ScoredFiles } from '../../services/scoring/score-files.js'
import { type CaptionLengths, lengthNotes } from '../../shared/length-notes.js'
import { counted, showP } from '../../shared/numbers.js'
import { askedRow, conclude } from '../../shared/verdict.js'
import { type CaptionFileOptions, noticeSwapped, printFormat } from '../files.js'
import { failBelowOption, failuresAgainst, failuresBelow, type Gate, readGates } from '../gates.js'
import {
  addCaptionFileOptions,
  byOption,
  CAPTION_FORMATS,
  chairCompatibleOption,
  documentFrequenciesOption,
  layoutOption,
  metricModuleOption,
  metricsOption,
  objectWordsOption,
  readObjectOptions,
  signaturesOption,
} from '../options.js'
import { countedReferences, interval, NONE, type NumberStyle, pValue, share } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type Column, type NamedTable, type Report, type Sentence, untitled } from '../output/report.js'
import { printsReport, type ReportOptions } from '../report-command.js'
import { pairNotes, pairTable, type ShownPair } from '../reports/comparison-report.js'
import { scoreWarnings } from '../reports/evaluation-report.js'
import {
  builtInColumns,
  builtInNotes,
  markBest,
  type ScoreLayout,
  scoreColumns,
  signatureNotes,
  systemsByMetrics,
} from '../reports/score-table.js'

interface Options extends ReportOptions, CaptionFileOptions, ScoreLayout {
  readonly metrics?: readonly string[]
  readonly significance?: true
  readonly allowMissing?: true
  readonly allowExtra?: true
  readonly failBelow?: readonly Gate[]
  readonly failIfWorse?: string
  readonly documentFrequencies?: string
  readonly by?: string
  readonly objects?: string
  readonly meteorLanguage?: string
  readonly objectWords?: string
  readonly chairCompatible?: true
  readonly metricModule?: readonly string[]
}

/** Those of the COCO caption evaluation. */
const DEFAULT_METRICS = ['BLEU', 'ROUGE-L', 'CIDEr-D', 'METEOR']

async function namesOfModules(files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return []
  const { listOwnMetricNames } = await import('../../services/evaluations/metric-names.js')
  return listOwnMetricNames(files)
}

/** `accord score` */
export function register(program: Command): void {
  const command = program
    .command('score')
    .summary('score files of captions; stores nothing')
    .description(
      'Score the captions of one or more systems against human captions, with 95 % intervals. Reads files and stores' +
        ' nothing. `-` is standard input. Composite metrics, and document' +
        ' frequencies of a dataset, are read from --database, which is opened only for them. The scores and signatures equal those of `accord evaluate`.' +
        ' With --significance every system is compared with the first by a paired test. With two systems, a sentence above the table' +
        ' answers which is better by the metric that is named first, or by CIDEr-D, from a single test at the level of 5 %. Tests in' +
        ' the table are corrected for their number, and its intervals hold together with 95 %.',
    )
    .addArgument(new Argument('<references>', 'file of human captions').argParser(parseText))
    .addArgument(
      new Argument('<results...>', 'files of captions of systems').argParser(collectUnique(parseText)),
    )
    .addOption(metricsOption('BLEU, ROUGE-L, CIDEr-D and METEOR'))
    .option('--significance', 'compare every system with the first')
    .addOption(failBelowOption())
    .option(
      '--fail-if-worse <baseline>',
      'compare every system with this file, and exit with 3 if one is worse by a metric: that named first, or CIDEr-D, at the level of 5 %, the others as one table',
      parseText,
    )
  addCaptionFileOptions(command, 'of files of captions in lines')
    .addOption(documentFrequenciesOption('the references of the system’s images'))
    .addOption(meteorDataOption())
    .option(
      '--meteor-language <tag>',
      'language whose parameters, stems and synonyms METEOR has, in its signature (default: that of the captions); en: as pycocoevalcap on captions in any language',
      parseText,
    )
    .addOption(embeddingsOption())
    .option(
      '--objects <file>',
      'objects that are annotated in the images, for CHAIR and object-recall: COCO instances, or a table image_id,objects' +
        ' with names of COCO’s 80 categories between bars (default: only those that references mention)',
      parseText,
    )
    .addOption(objectWordsOption())
    .addOption(chairCompatibleOption())
    .addOption(metricModuleOption())
    .addOption(byOption('one that images of the references have, such as domain or split'))
    .addOption(layoutOption())
    .addOption(signaturesOption())
    .addOption(percentOption())
    .addHelpText('after', CAPTION_FORMATS)
  const help = {
    examples: [
      'accord score captions_val2017.json mine.json baseline.json.gz --significance',
      'zcat mine.json.gz | accord score captions_val2017.json - --metrics CIDEr-D --format json',
      'accord score captions_val2017.json mine.json --metrics CHAIR --objects instances_val2017.json',
      'accord score captions_val2017.json mine.json --metrics CHAIR --object-words words.csv --chair-compatible',
      'accord score captions_val2017.json mine.json --metrics METEOR EvalMS --database accord.sqlite',
      'accord score references.csv mine.tsv theirs.jsonl',
      'accord score dataset_coco.json mine.txt --split test --ids test_ids.txt',
      'accord score captions_val2017.json mine.json --fail-below CIDEr-D=.97 --fail-if-worse baseline.json',
    ],
    json: {
      report: 'referencesFile, matching, notes, scores, subsets (with --by)',
      scores: comparedColumns(true, true),
    },
  }
  type Arguments = [references: string, results: readonly string[]]
  printsReport<Options, Arguments>(command, help, async (options, references, results) => {
    if (
      [references, ...results, options.imageIds, ...(options.moreReferences ?? [])].filter(
        (file) => file === '-',
      ).length > 1
    ) {
      command.error('accord: standard input (-) can be only one of the files')
    }
    const {
      metricModule: metricModules = [],
      metrics = [...DEFAULT_METRICS, ...(await namesOfModules(metricModules))],
      allowMissing = false,
      allowExtra = false,
      failBelow,
      failIfWorse,
      documentFrequencies,
      split,
      imageIds,
      language,
      tokenizer,
      moreReferences = [],
      match,
      columns,
    } = options
    const gates = await readGates(failBelow, options.percent)
    const significance = options.significance === true || failIfWorse !== undefined
    const files = failIfWorse === undefined ? results : [failIfWorse, ...results]
    const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
    const resources = { meteorFolder, embeddingsFile, location }
    const input = {
      references,
      results: files,
      metrics,
      significance,
      isMissingAllowed: allowMissing,
      isExtraAllowed: allowExtra,
      isMarkupStripped: options.stripMarkup,
      match,
      columns,
      documentFrequencies,
      split,
      moreReferences,
      by: options.by,
      objects: options.objects,
      ...readObjectOptions(options),
      metricModules,
      imageIds,
      language,
      tokenizer,
      meteorLanguage: options.meteorLanguage,
      ...resources,
    }
    const { scoreFiles } = await import('../../services/scoring/score-files.js')
    const { withSubsets } = await import('../reports/subset-report.js')
    const scored = await noticeSwapped(() => withProgress((progress) => scoreFiles(input, progress)))
    for (const format of scored.formats) printFormat(format)
    const report = withSubsets(scoreReport(scored, options), options.by, scored.subsets)
    const scores = scored.systems.flatMap(({ system, scores }) =>
      scores.map((score) => ({ ...score, system })),
    )
    // The baseline need not reach what systems have to.
    const baseline = failIfWorse === undefined ? null : scored.systems[0].system
    const below = await failuresBelow(
      gates,
      scores.filter(({ system }) => system !== baseline),
    )
    const worse =
      baseline === null ? [] : failuresAgainst(baseline, scores, askedOf(scored, options)?.metric ?? null)
    return { ...report, failures: [...below, ...worse] }
  })
}

type Row = ReturnType<typeof toRows>[number]

/** Columns of scores, with the comparison of each system with the first. */
function comparedColumns(isTested: boolean, isBesideBuiltIn: boolean): Column<Row>[] {
  const ifTested = (title: string) => (isTested ? title : undefined)
  return [
    ...scoreColumns,
    ...builtInColumns(isBesideBuiltIn),
    { path: 'comparison.difference', title: ifTested('diff.'), format: share },
    { path: 'comparison.together.interval', title: ifTested('95 % interval'), format: interval },
    { path: 'comparison.together.pValue', title: ifTested('p'), format: pValue, show: showTest },
    ...untitled('comparison.together.better', 'comparison.together.tests', 'comparison.together.level'),
    { path: 'comparison.alone.interval', format: interval },
    { path: 'comparison.alone.pValue', title: ifTested('p alone'), format: pValue },
    ...untitled(
      'comparison.alone.better',
      'comparison.conclusion',
      'comparison.imageCount',
      'comparison.undefinedReason',
      'wordsPerCaption',
      'wordsPerReference',
      'file',
    ),
  ]
}

/** The scores of files: a group of rows for each metric, with a row for each system. */
function scoreReport(scored: ScoredFiles, options: Options): Report {
  const { references: referencesFile, systems, notes } = scored
  const rows = toRows(systems)
  const asked = askedOf(scored, options)
  const isTested = rows.some(({ comparison }) => comparison !== null)
  const table: NamedTable<Row> = {
    name: 'scores',
    columns: comparedColumns(
      isTested,
      rows.some(({ coco }) => coco !== null),
    ),
    rows,
    groupBy: ({ metric }) => (systems.length > 1 ? metric : null),
    keyColumns: 2,
  }
  return {
    about: { referencesFile, matching: systems.map(({ file, matching }) => ({ file, ...matching })), notes },
    tables: [table],
    parts: [
      ...(asked?.comparison ? [{ notes: [answerOf(asked.comparison)] }] : []),
      ...(options.layout === 'wide'
        ? [systemsByMetrics(rows), ...(isTested ? [pairTable(toPairs(rows))] : [])]
        : [table]),
      { notes: [...builtInNotes(rows), ...toNotes(rows, systems, notes, options)] },
    ],
    warnings: scoreWarnings(systems),
  }
}

/** The score that answers the question which was asked: of one system beside the first, by the metric that is named first, or the main one. */
function askedOf({ systems, named }: ScoredFiles, { metrics }: Options): FileScore | null {
  const scores = systems
    .slice(1)
    .flatMap(({ scores }) => scores.filter(({ comparison }) => comparison !== null))
  return askedRow(scores, systems.length - 1, metrics && named)
}

function answerOf({ question }: NonNullable<FileScore['comparison']>): Sentence {
  return (numbers: NumberStyle) => conclude(question, numbers.isPercent)
}

/** By metric, then by system. */
function toRows(systems: readonly ScoredFile[]) {
  const rows = systems.flatMap(({ scores, matching: _matching, ...system }) =>
    scores.map(({ status, ...score }) => ({
      ...system,
      ...score,
      ...status,
      references: score.record.references,
    })),
  )
  const metrics = [...new Set(rows.map(({ metric }) => metric))]
  return metrics.flatMap((metric) =>
    markBest(
      rows.filter((row) => row.metric === metric),
      () => metric,
    ),
  )
}

/** Every system and the first one. */
function toPairs(rows: readonly Row[]): ShownPair[] {
  const [{ system: second }] = rows
  return rows.flatMap(({ metric, system, comparison }) =>
    comparison ? [{ ...comparison, name: metric, first: system, second }] : [],
  )
}

function showTest({ comparison }: Row): string {
  if (!comparison) return ''
  const { pValue: p } = comparison.together
  return p === null ? `${NONE} *` : showP(p)
}

function toNotes(
  rows: readonly Row[],
  systems: readonly ScoredFile[],
  notes: readonly string[],
  options: ScoreLayout,
): string[] {
  const pairs = toPairs(rows)
  const signatures = systems.flatMap(({ scores }) => scores.map(({ signature }) => signature))
  const metrics = [...new Set(systems.flatMap(({ scores }) => scores.map(({ metric }) => metric)))]
  return [
    ...new Set(systems.map(describeImages)),
    ...(pairs.length > 0 ? pairNotes(pairs) : []),
    ...lengthNotes(lengthsOf(systems), metrics, 'accord coverage'),
    ...notes,
    ...signatureNotes(signatures, options),
  ]
}

/** Systems that have captions of the same images have the same references. */
function lengthsOf(systems: readonly ScoredFile[]): CaptionLengths {
  const [longest] = systems.toSorted((one, other) => other.imageCount - one.imageCount)
  return {
    references: longest.wordsPerReference,
    systems: systems.map(({ system, wordsPerCaption: words }) => ({ system, words })),
  }
}

function describeImages({ imageCount, scores: [{ record }] }: ScoredFile): string {
  return `${countedReferences(record.references)} per image, over ${counted(imageCount, 'image')}.`
}

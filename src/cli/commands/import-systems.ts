import { type Command, Option } from 'commander'
import { parseText } from '../../config.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import type { Progress } from '../../progress.js'
import type { Accord } from '../../services/shared/accord.js'
import type { ImportResultsReport, ImportSystemReport } from '../../services/systems/import-results.js'
import type { ImportWordScoresReport } from '../../services/systems/import-word-scores.js'
import type { Match } from '../../shared/choices.js'
import { counted, grouped } from '../../shared/numbers.js'
import type { DatasetOptions } from '../accord.js'
import { toFile } from '../files.js'
import {
  allowExtraOption,
  allowMissingOption,
  CAPTION_FORMATS,
  columnsOption,
  datasetOption,
  fileArgument,
  imageIdsOption,
  matchOption,
  stripMarkupOption,
  systemOption,
} from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetText } from '../report-command.js'

const replaceOption = () =>
  new Option('--replace', 'replace the system of this name, with all that was computed of it')

interface SystemOptions extends DatasetOptions {
  readonly system: string
  readonly allowMissing?: true
  readonly replace?: true
}

interface ResultsOptions extends SystemOptions {
  readonly imageIds?: string
  readonly allowExtra?: true
  readonly stripMarkup?: true
  readonly match?: Match
  readonly columns?: CaptionColumns
}

interface ScoresOptions extends ResultsOptions {
  readonly vocabulary?: string
}

/** `accord import results`, `accord import scores` and `accord import descriptions` */
export function register(imports: Command): void {
  const results = imports
    .command('results')
    .summary('captions of a system')
    .description('Import the captions of a system, one per image.')
    .addArgument(fileArgument('captions of the system'))
    .addOption(replaceOption())
    .addOption(imageIdsOption('of captions in lines'))
    .addOption(columnsOption())
    .addOption(allowExtraOption())
    .addOption(stripMarkupOption())
    .addOption(matchOption('the dataset'))
    .addHelpText('after', CAPTION_FORMATS)
  importsSystem<ResultsOptions>(
    results,
    ['accord import results captions_results.json --dataset coco --system show-and-tell'],
    (
      accord,
      input,
      progress,
      { imageIds, allowExtra: isExtraAllowed, stripMarkup: isMarkupStripped, match, columns },
    ) =>
      accord.run(
        'importResults',
        { ...input, imageIds: toFile(imageIds), isExtraAllowed, isMarkupStripped, match, columns },
        { progress },
      ),
  )

  const scores = imports
    .command('scores')
    .summary('word scores of a system')
    .description(
      'Import the word scores of a system: for each image, a score for each word. Formats: .npy (float32 or float64,' +
        ' images × words, with --vocabulary and --image-ids), or .jsonl or .jsonl.gz with one image per line:' +
        ' {"image_id": 139, "words": {"dog": 0.98}}. Words that no caption uses are excluded.',
    )
    .addArgument(fileArgument('.npy, .jsonl or .jsonl.gz'))
    .addOption(replaceOption())
    .option(
      '--vocabulary <file>',
      'with .npy: CSV with the word of each column and its part_of_speech',
      parseText,
    )
    .addOption(imageIdsOption('with .npy, of the rows'))
  importsSystem<ScoresOptions>(
    scores,
    [
      'accord import scores scores.npy --vocabulary words.csv --image-ids ids.json --dataset coco --system detector',
      'accord import scores scores.jsonl.gz --dataset coco --system detector',
    ],
    (accord, input, progress, { vocabulary, imageIds }) => {
      const files = { vocabulary: toFile(vocabulary), imageIds: toFile(imageIds) }
      return accord.run('importWordScores', { ...input, ...files }, { progress })
    },
  )
  scores.hook('preAction', () => {
    const { vocabulary, imageIds } = scores.opts<ScoresOptions>()
    if ((vocabulary === undefined) === (imageIds === undefined)) return
    scores.error(
      'error: --vocabulary and --image-ids must be used together: expected both or neither, found one',
    )
  })

  const descriptions = imports
    .command('descriptions')
    .summary("boxes that a system's descriptions mention")
    .description(
      'Import the boxes that a system mentions, one description per image. If a system with captions of this name' +
        ' exists, the descriptions are added to its captions and must have the same text. Otherwise a system that has' +
        ' only descriptions is created.',
    )
    .addArgument(
      fileArgument(
        'JSON array of {"image_id": 7, "caption": "a [woman](2) in a [car](3)"} or {"image_id": 7, "mentions": [2, 3]}',
      ),
    )
  importsSystem(
    descriptions,
    ['accord import descriptions named.json --dataset flickr --system captioner'],
    (accord, input, progress) => accord.run('importDescriptions', input, { progress }),
  )
}

interface SystemInput {
  readonly datasetId: number
  readonly file: { readonly path: string }
  readonly system: string
  readonly isMissingAllowed: boolean
  readonly isReplaced?: boolean
}

/** Completes a command that imports a system: its options, its examples, and what it does. */
function importsSystem<Options extends SystemOptions>(
  command: Command,
  examples: readonly string[],
  run: (
    accord: Accord,
    input: SystemInput,
    progress: Progress,
    options: Options,
  ) => Promise<ImportSystemReport | ImportResultsReport | ImportWordScoresReport>,
): void {
  command.addOption(datasetOption()).addOption(systemOption()).addOption(allowMissingOption())
  type Arguments = [path: string]
  printsDatasetText<Options, Arguments>(command, examples, async (accord, { id, name }, options, path) => {
    const { system, allowMissing = false, replace: isReplaced } = options
    const input = { datasetId: id, file: { path }, system, isMissingAllowed: allowMissing, isReplaced }
    return describe(name, system, await withProgress((progress) => run(accord, input, progress, options)))
  })
}

function describe(
  dataset: string,
  system: string,
  report: ImportSystemReport | ImportResultsReport | ImportWordScoresReport,
): string {
  const { imageCount, missingImageCount, missing } = report
  const format = 'format' in report ? report.format : null
  const lines = [
    `Imported system ${printable(system)} into dataset ${printable(dataset)}${format === null ? '' : ` from ${format}`}`,
    `  images    ${grouped(imageCount)}`,
  ]
  if (missingImageCount > 0) {
    lines.push(`  missing   ${counted(missingImageCount, 'image')}: ${firstOf(missing)}`)
  }
  if ('wordCount' in report) {
    lines.push(`  words     ${grouped(report.wordCount)}`)
    if (report.unknownWordCount > 0) {
      const words = counted(report.unknownWordCount, 'word')
      lines.push(`  excluded  ${words} that no caption uses: ${firstOf(report.unknownWords)}`)
    }
  }
  if ('notes' in report) lines.push(...report.notes)
  return `${lines.join('\n')}\n`
}

/** Maximum number of ids or words of a list that are shown. */
const MAX_SHOWN = 5

function firstOf(items: readonly string[]): string {
  const named = items.slice(0, MAX_SHOWN).map(printable).join(', ')
  return items.length > MAX_SHOWN ? `${named}, …` : named
}

import { type Command, InvalidArgumentError } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import { AccordError } from '../../errors.js'
import type { ScoreColumns } from '../../formats/judgements/metric-scores.js'
import type { ImportMetricScoresReport } from '../../services/external/import-metric-scores.js'
import type { Match } from '../../shared/choices.js'
import { counted } from '../../shared/numbers.js'
import type { DatasetOptions } from '../accord.js'
import { datasetOption, fieldColumnsOption, matchOption } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetText } from '../report-command.js'

interface Options extends DatasetOptions {
  readonly metric: string
  readonly match?: Match
  readonly columns?: ScoreColumns
  readonly system?: string
  readonly metricVersion?: string
  readonly range?: readonly number[]
  readonly lowerIsBetter?: true
  readonly metricCommand?: string
  readonly metricTimeout: number
}

/** `accord import metric-scores` */
export function register(imports: Command): void {
  const command = imports
    .command('metric-scores')
    .summary('scores of captions by a metric of another program')
    .description(
      'Import scores that another program gives captions, from a file, or by running the program: from then on, it is a' +
        ' metric like any other. The first import states version, range and direction of the metric.',
    )
    .argument(
      '[file]',
      'JSON Lines, a JSON list, CSV or TSV, or CLIPScore’s --save_per_instance file',
      parseText,
    )
    .addOption(datasetOption())
    .requiredOption('--metric <name>', 'name of the metric (required)', parseText)
    .option(
      '--system <name>',
      'the system of scores for which the file names none (default: the only one)',
      parseText,
    )
    .addOption(matchOption('the dataset'))
    .addOption(fieldColumnsOption(['image', 'score', 'system', 'caption', 'fold']))
    .option('--metric-version <text>', 'its version and settings, for the signature', parseText)
    .option('--range <number...>', 'its lowest and its highest possible score', collectNumbers)
    .option('--lower-is-better', 'lower scores of it are better')
    .option(
      '--metric-command <command>',
      'run a program instead: it reads captions and writes scores',
      parseText,
    )
    .option(
      '--metric-timeout <seconds>',
      'end the program after this time without a score',
      wholeNumber(1, 86_400),
      600,
    )
    .addHelpText(
      'after',
      `
Lines of a file, or rows of CSV or TSV with these columns (the name of the metric can stand for score):
  {"image_id": 139, "system": "mine", "score": 0.71}             a caption against all references
  {"image_id": 139, "system": "mine", "fold": 1, "score": 0.70}  the same without the first reference
  {"image_id": 139, "fold": 1, "score": 0.75}                    the first human caption against the others
  {"image_id": 139, "caption": "A dog.", "score": 0.6}           a judged caption; also by its system
  {"139": {"CLIPScore": 0.71, "RefCLIPScore": 0.75}, …}          by image, in one object
A program reads, and writes in the same order:
  {"image_id": "139", "image": "139.jpg", "caption": "A dog runs.", "references": ["A dog.", "The dog runs."]}
  {"score": 0.71}`,
    )
    .hook('preAction', () => {
      const { metricCommand, range } = command.opts<Options>()
      if ((command.args.length === 0) === (metricCommand === undefined)) {
        command.error('accord: a file or --metric-command is required, not both')
      }
      if (range !== undefined && range.length !== 2) {
        command.error('accord: --range requires the lowest and the highest possible score')
      }
    })
  const examples = [
    "accord import metric-scores clip.jsonl --dataset coco --metric CLIPScore --metric-version 'ViT-B/32, w 2.5' --range 0 2.5",
    "accord import metric-scores --metric-command 'python clipscore.py' --dataset coco --metric CLIPScore",
  ]
  type Arguments = [path?: string]
  printsDatasetText<Options, Arguments>(command, examples, async (accord, dataset, options, path) => {
    const { metricCommand, metricTimeout, system, match, columns } = options
    const metric = toMetric(options)
    try {
      if (path !== undefined) {
        const input = { datasetId: dataset.id, metric, file: { path }, system, match, columns }
        return describe(
          await withProgress((progress) => accord.run('importMetricScores', input, { progress })),
        )
      }
      const { importByProgram } = await import('../../services/external/score-captions.js')
      const program = { metric, command: metricCommand as string, silence: 1000 * metricTimeout }
      return describe(
        await withProgress((progress) => importByProgram(accord, dataset, program, { progress })),
      )
    } catch (error) {
      throw namingOption(error)
    }
  })
}

/** Options by what the service calls their values. */
const OPTIONS = new Map([
  ['metric version', '--metric-version'],
  ['metric range', '--range'],
])

/** An error about what a metric states, with the option that states it. */
function namingOption(error: unknown): unknown {
  if (!(error instanceof AccordError) || error.detail.source === undefined) return error
  const source = OPTIONS.get(error.detail.source) ?? error.detail.source
  return new AccordError(error.code, error.summary, { ...error.detail, source })
}

function collectNumbers(text: string, numbers: readonly number[] = []): readonly number[] {
  const added = text.split(',').map((item) => (item.trim() === '' ? Number.NaN : Number(item)))
  if (added.every(Number.isFinite)) return [...numbers, ...added]
  throw new InvalidArgumentError('Expected a number.')
}

function toMetric({ metric: name, metricVersion: version, range, lowerIsBetter }: Options) {
  return {
    name,
    ...(version !== undefined && { version }),
    ...(range && { lowest: range[0], highest: range[1] }),
    ...(lowerIsBetter && { higherIsBetter: false }),
  }
}

function describe({ metric, isNew, ...counts }: ImportMetricScoresReport): string {
  const list = (names: readonly string[]) => names.map(printable).join(', ')
  const lines = [
    ...(counts.systems.length > 0 ? [`  all references  ${list(counts.systems)}`] : []),
    ...(counts.foldedSystems.length > 0 ? [`  folds           ${list(counts.foldedSystems)}`] : []),
    ...(counts.people ? ['  people          on folds'] : []),
    ...(counts.judgedCaptionCount > 0
      ? [`  judged          ${counted(counts.judgedCaptionCount, 'caption')}`]
      : []),
    ...(counts.unusedCount > 0
      ? [`  left out        ${counted(counts.unusedCount, 'score')} of images that are not measured`]
      : []),
    ...counts.notes,
  ]
  return `Imported scores by ${isNew ? 'the new metric ' : ''}${printable(metric)}\n${lines.join('\n')}\n`
}

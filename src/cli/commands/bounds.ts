import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import {
  BOUND_KINDS,
  type BoundKind,
  type BoundSettings,
  DEFAULT_BOUND_SETTINGS,
} from '../../shared/choices.js'
import { counted, fixed } from '../../shared/numbers.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import type { DatasetOptions } from '../accord.js'
import { datasetOption, realFileArgument } from '../options.js'
import { NONE } from '../output/formats.js'
import { errorPrefix, percentOption } from '../output/output.js'
import { checkOutput, forceOption } from '../output/output-file.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetReport, printsDatasetText, type ReportOptions } from '../report-command.js'
import { boundReport, CAPACITIES, pointColumns } from '../reports/bound-report.js'

/** The settings that all points of a figure have in common. */
type ModelOptions = Partial<Omit<BoundSettings, 'kind' | 'atoms' | 'replaced'>>

interface FigureOptions extends ReportOptions {
  readonly metrics?: string
  readonly retrieval: boolean
}

interface ExportOptions extends DatasetOptions {
  readonly system: string
  readonly force?: true
}

interface TrainOptions extends DatasetOptions, ModelOptions {
  readonly kind: BoundKind
  readonly atoms: number
  readonly replace: number
}

interface RunOptions extends DatasetOptions, ModelOptions {
  readonly kind?: readonly BoundKind[]
  readonly atoms: readonly number[]
  readonly replace: readonly number[]
  readonly search: number
}

/** `accord bounds` */
export function register(program: Command): void {
  const bounds = program
    .command('bounds')
    .summary('upper bounds of captioning, by the number of recognised atoms')
    .description(
      'Show the upper bounds of a dataset: the scores of language models that receive atoms of human captions, by kind' +
        ' and number of atoms and by the share of wrong ones; the semantic capacity of its systems, which is the number' +
        ' of atoms that their scores are worth; and the retrieval bound, the score of the best training caption of each' +
        ' image.',
    )
    .addOption(datasetOption())
    .option('--metric, --metrics <name>', 'metric of the scores (default: CIDEr)', parseText)
    .option('--no-retrieval', 'without the retrieval bound, which takes some seconds the first time')
    .addOption(percentOption())
  const help = {
    examples: ['accord bounds --dataset coco --metric METEOR'],
    json: {
      report: 'dataset, metric, images, incompleteSystems, retrieval, people, points, capacities',
      points: pointColumns([]),
      capacities: CAPACITIES,
    },
  }
  printsDatasetReport<FigureOptions>(bounds, help, async (accord, { name: dataset }, options) => {
    const { metrics: metric, retrieval: withRetrieval } = options
    const { reportBounds } = await import('../../services/bounds/bounds.js')
    return boundReport(
      await withProgress((progress) =>
        reportBounds(accord, { dataset, metric, withRetrieval }, { progress }),
      ),
    )
  })
  registerTrain(bounds)
  registerRun(bounds)
  registerExport(bounds)
  registerImport(bounds)
}

function registerTrain(bounds: Command): void {
  const command = bounds
    .command('train')
    .summary('train one point of an upper bound')
    .description(
      'Train a language model that receives the first k atoms of a kind, describe the test images with it, and' +
        ' evaluate these captions as a system. An interrupted training continues from its last checkpoint. Datasets' +
        ' with fewer than 2,000 images have smaller defaults than those listed below.',
    )
    .addOption(
      new Option('--kind <kind>', 'kind of the atoms; all: k of each kind')
        .choices(BOUND_KINDS)
        .default(DEFAULT_BOUND_SETTINGS.kind),
    )
    .option(
      '--atoms <k>',
      'number of atoms of each kind; 0: none',
      wholeNumber(0),
      DEFAULT_BOUND_SETTINGS.atoms,
    )
    .option('--replace <r>', 'share of the atoms that are replaced by random ones', share, 0)
  const examples = ['accord bounds train --dataset coco --kind entity --atoms 50']
  printsDatasetText<TrainOptions>(addModelOptions(command), examples, async (accord, dataset, options) => {
    const { trainBound } = await import('../../services/bounds/bounds.js')
    const { kind, atoms, replace } = options
    const input = {
      dataset: dataset.name,
      settings: { ...settingsOf(options), kind, atoms, replaced: replace },
    }
    return describe(await withProgress((progress) => trainBound(accord, input, { progress })))
  })
}

function registerRun(bounds: Command): void {
  const command = bounds
    .command('run')
    .summary('train several points of an upper bound')
    .description(
      'Train a language model for every combination of kinds, numbers of atoms and replaced shares. Points that exist' +
        ' are not trained again. Datasets with fewer than 2,000 images have smaller defaults than those listed below.',
    )
    .option('--kind <kind...>', 'kinds of the atoms (default: all)', collectList(parseKind))
    .requiredOption('--atoms <k...>', 'numbers of atoms of each kind (required)', collectList(wholeNumber(0)))
    .option(
      '--replace <r...>',
      'shares of the atoms that are replaced by random ones (default: 0)',
      collectList(share),
    )
    .option(
      '--search <N>',
      'train N models of each point with random sizes, decay and dropout; reports show the best one',
      wholeNumber(0, 100),
      0,
    )
  const examples = ['accord bounds run --dataset coco --kind all entity --atoms 0 10 50 200 1000']
  printsDatasetText<RunOptions>(addModelOptions(command), examples, async (accord, dataset, options) => {
    const { runFigure } = await import('../../services/bounds/bounds.js')
    const { kind: kinds = ['all'], atoms, replace: replaced = [0], search } = options
    const plan = { dataset: dataset.name, kinds, atoms, replaced, search, settings: settingsOf(options) }
    const report = await withProgress((progress) => runFigure(accord, plan, { progress }))
    for (const { point, error } of report.failures) {
      process.stderr.write(`${errorPrefix()}${point}: ${error.message}\n`)
      process.exitCode = 1
    }
    const points = counted(report.bounds.length, 'point')
    return `${report.bounds.map(describe).join('')}${points}; ${report.existingCount} existed already. See accord bounds\n`
  })
}

function registerExport(bounds: Command): void {
  const command = bounds
    .command('export')
    .summary('write the model of a bound to a file')
    .description('Write the model of a bound to a file: a line of JSON and its parameters as 32-bit numbers.')
    .addArgument(realFileArgument('file to write'))
    .addOption(forceOption())
    .requiredOption(
      '--system <name>',
      'name of the captions of the bound, such as bound-all-50 (required)',
      parseText,
    )
  const examples = ['accord bounds export bound.model --dataset coco --system bound-all-50']
  type Arguments = [file: string]
  printsDatasetText<ExportOptions, Arguments>(
    command,
    examples,
    async (accord, dataset, { system, force }, file) => {
      checkOutput(file, force)
      const { exportModel } = await import('../../services/bounds/bounds.js')
      await exportModel(accord, { dataset: dataset.name, system, file })
      return `Wrote ${file}\n`
    },
  )
}

function registerImport(bounds: Command): void {
  const command = bounds
    .command('import')
    .summary('import the model of a bound')
    .description(
      'Import a model from a file of `accord bounds export`, describe the test images with it, and evaluate these captions.',
    )
    .addArgument(realFileArgument('file of the model'))
  const examples = ['accord bounds import bound.model --dataset coco']
  type Arguments = [file: string]
  printsDatasetText<DatasetOptions, Arguments>(command, examples, async (accord, { id }, _options, file) => {
    const { boundsById } = await import('../../services/bounds/bounds.js')
    const input = { datasetId: id, file: { path: file } }
    const { boundId } = await withProgress((progress) => accord.run('importBound', input, { progress }))
    return describe((await boundsById(accord, [boundId])).get(boundId) as Bound)
  })
}

const MODEL_OPTIONS = (
  [
    ['--validation-images <N>', 'number of images for model selection', wholeNumber(1)],
    ['--test-images <N>', 'number of test images', wholeNumber(1)],
    [
      '--min-word-count <N>',
      'minimum number of uses of a word; rarer ones become the unknown word',
      wholeNumber(1),
    ],
    ['--embedding <N>', 'size of the embeddings', wholeNumber(1)],
    ['--state <N>', 'size of the LSTM state', wholeNumber(1)],
    ['--dropout <share>', 'dropout before the softmax layer', anyNumber],
    ['--decay <factor>', 'weight decay', anyNumber],
    ['--batch <N>', 'captions per mini-batch', wholeNumber(1)],
    ['--epochs <N>', 'maximum number of epochs', wholeNumber(1)],
    ['--patience <N>', 'mini-batches without a lower validation loss before training stops', wholeNumber(1)],
    ['--beam <N>', 'width of the beam, 1 to 5', wholeNumber(1, 5)],
    ['--seed <N>', 'seed of the weights and the order; the split is the same for all', wholeNumber(0)],
  ] as const
).map(([flags, description, parse]) => {
  const setting = new Option(flags).attributeName() as keyof ModelOptions
  return {
    flags,
    description: `${description} (default: ${DEFAULT_BOUND_SETTINGS[setting]})`,
    parse,
    setting,
  }
})

function addModelOptions(command: Command): Command {
  for (const { flags, description, parse } of MODEL_OPTIONS) command.option(flags, description, parse)
  return command.option('--visual-only', 'only atoms that most voters called visual')
}

function settingsOf(options: ModelOptions): Partial<BoundSettings> {
  const chosen = MODEL_OPTIONS.map(({ setting }) => [setting, options[setting]])
  return { visualOnly: options.visualOnly, ...Object.fromEntries(chosen) }
}

function anyNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw new InvalidArgumentError('Expected a number.')
}

function share(text: string): number {
  const number = anyNumber(text)
  if (number >= 0 && number <= 1) return number
  throw new InvalidArgumentError('Expected a number from 0 to 1.')
}

function parseKind(text: string): BoundKind {
  const kind = BOUND_KINDS.find((known) => known === text)
  if (kind === undefined) throw new InvalidArgumentError(`Expected one of ${BOUND_KINDS.join(', ')}.`)
  return kind
}

function describe({ settings, outcome }: Bound): string {
  const { kind, atoms, replaced } = settings
  const name = `${kind} ${atoms}${replaced > 0 ? `, r ${replaced}` : ''}`
  return `${name}: ${outcome?.steps} steps, best at ${outcome?.bestStep}, perplexity ${outcome ? fixed(outcome.perplexity, 2) : NONE}\n`
}

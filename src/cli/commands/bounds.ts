import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectUnique, type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import type { BoundKind } from '../../core/bounds/atoms.js'
import type { BoundSettings } from '../../core/bounds/settings.js'
import { CHOICES } from '../../services/choices.js'
import type { Bound } from '../../store/schema/entities.js'
import { withDataset } from '../accord.js'
import { datasetOption, example, fileArgument } from '../options.js'
import {
  errorPrefix,
  formatOption,
  type OutputOptions,
  percentOption,
  print,
  widthOption,
} from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { counted } from '../output/table.js'

/** Options of the settings that all points of a figure have in common. */
interface ModelOptions {
  readonly visualOnly?: boolean
  readonly validationImages?: number
  readonly testImages?: number
  readonly minWordCount?: number
  readonly embedding?: number
  readonly state?: number
  readonly dropout?: number
  readonly decay?: number
  readonly batch?: number
  readonly epochs?: number
  readonly patience?: number
  readonly beam?: number
  readonly seed?: number
}

interface FigureOptions extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly metric?: string
  readonly retrieval: boolean
}

interface ImportOptions extends GlobalOptions {
  readonly dataset?: string
}

interface ExportOptions extends ImportOptions {
  readonly system: string
}

interface TrainOptions extends GlobalOptions, ModelOptions {
  readonly dataset?: string
  readonly kind: BoundKind
  readonly atoms: number
  readonly replace: number
}

interface RunOptions extends GlobalOptions, ModelOptions {
  readonly dataset?: string
  readonly kind?: readonly BoundKind[]
  readonly atoms: readonly number[]
  readonly replace: readonly number[]
  readonly search: number
}

/** `accord bounds` */
export function registerBounds(program: Command): void {
  const bounds = program
    .command('bounds')
    .summary('how good a captioner could be that recognised so many atoms')
    .description(
      'Show the upper bounds of a dataset: the scores of language models that are given atoms of human captions, by' +
        ' kind and number of atoms and by the share of wrong ones; the number of atoms that the scores of its systems' +
        ' are worth; and the score of the best training caption of each image. The JSON is {dataset, metric, images,' +
        ' incompleteSystems, retrieval, points, capacities}, with {kind, atoms, replaced, visualOnly, score, interval,' +
        ' perplexity} for each of points and {system, kind, score, interval, atoms, atomsInterval, beyond, limit} for' +
        ' each of capacities.',
    )
    .addOption(datasetOption())
    .option('--metric <name>', 'metric of the scores (default: CIDEr)', parseText)
    .option(
      '--no-retrieval',
      'without the score of the best training captions, which takes some seconds at first',
    )
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord bounds --dataset coco --metric METEOR'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<FigureOptions>()
      const { database: location, metric, retrieval: withRetrieval } = options
      const { reportBounds } = await import('../../services/bounds/bounds.js')
      const report = await withDataset({ location }, options.dataset, (accord, { name: dataset }) =>
        withProgress((progress) => reportBounds(accord, { dataset, metric, withRetrieval }, { progress })),
      )
      const { boundReport } = await import('../reports/bound-report.js')
      await print(options, boundReport(report))
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
      'Train a language model that is given the first k atoms of a kind, find its captions of the test images, and' +
        ' evaluate them as a system. A training that was interrupted continues from its last checkpoint. Datasets with' +
        ' fewer than 2,000 images have smaller defaults than those below.',
    )
    .addOption(
      new Option('--kind <kind>', 'kind of the atoms; all: k of each kind')
        .choices(CHOICES.boundKinds)
        .default(CHOICES.boundSettings.kind),
    )
    .option('--atoms <k>', 'number of atoms of a kind; 0: none', wholeNumber(0), CHOICES.boundSettings.atoms)
    .option('--replace <r>', 'share of the atoms that is replaced by random others', anyNumber, 0)
  addModelOptions(command)
    .addHelpText('after', example('accord bounds train --dataset coco --kind entity --atoms 50'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<TrainOptions>()
      const { trainBound } = await import('../../services/bounds/bounds.js')
      const { database: location, kind, atoms, replace } = options
      const settings = { ...settingsOf(options), kind, atoms, replaced: replace }
      const bound = await withDataset({ location }, options.dataset, (accord, { name: dataset }) =>
        withProgress((progress) => trainBound(accord, { dataset, settings }, { progress })),
      )
      process.stdout.write(`${describe(bound)}\n`)
    })
}

function registerRun(bounds: Command): void {
  const command = bounds
    .command('run')
    .summary('train the points of a figure')
    .description(
      'Train a language model for every combination of kinds, numbers of atoms and replaced shares. Points that exist' +
        ' are not trained again. Datasets with fewer than 2,000 images have smaller defaults than those below.',
    )
    .addOption(
      new Option('--kind <kind...>', 'kinds of the atoms (default: all)').argParser(collectUnique(parseKind)),
    )
    .addOption(
      new Option('--atoms <k...>', 'numbers of atoms of a kind')
        .argParser(collectUnique(wholeNumber(0)))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--replace <r...>',
        'shares of the atoms that are replaced by random others (default: 0)',
      ).argParser(collectUnique(anyNumber)),
    )
    .option(
      '--search <N>',
      'train N models of each point with random sizes, decay and dropout; figures show the best',
      wholeNumber(0, 100),
      0,
    )
  addModelOptions(command)
    .addHelpText(
      'after',
      example('accord bounds run --dataset coco --kind all entity --atoms 0 10 50 200 1000'),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<RunOptions>()
      const { runFigure } = await import('../../services/bounds/bounds.js')
      const { database: location, kind: kinds = ['all'], atoms, replace = [0], search } = options
      const plan = { kinds, atoms, replaced: replace, search, settings: settingsOf(options) }
      const report = await withDataset({ location }, options.dataset, (accord, { name: dataset }) =>
        withProgress((progress) => runFigure(accord, { dataset, ...plan }, { progress })),
      )
      for (const bound of report.bounds) process.stdout.write(`${describe(bound)}\n`)
      process.stdout.write(
        `${counted(report.bounds.length, 'point')}, of which ${report.existingCount} existed. See accord bounds\n`,
      )
      for (const { point, error } of report.failures) {
        process.stderr.write(`${errorPrefix()}${point}: ${error.message}\n`)
        process.exitCode = 1
      }
    })
}

function registerExport(bounds: Command): void {
  bounds
    .command('export')
    .summary('write the model of a bound to a file')
    .description('Write the model of a bound to a file: a line of JSON and its parameters as 32-bit numbers.')
    .addArgument(fileArgument('file to write'))
    .requiredOption('--system <name>', 'name of its captions, such as bound-all-50 (required)', parseText)
    .addHelpText('after', example('accord bounds export bound.model --dataset coco --system bound-all-50'))
    .action(async (file: string, _options, command: Command) => {
      const { database: location, dataset: wanted, system } = command.optsWithGlobals<ExportOptions>()
      const { exportModel } = await import('../../services/bounds/bounds.js')
      await withDataset({ location }, wanted, (accord, { name: dataset }) =>
        exportModel(accord, { dataset, system, file }),
      )
      process.stdout.write(`wrote ${file}\n`)
    })
}

function registerImport(bounds: Command): void {
  bounds
    .command('import')
    .summary('import the model of a bound')
    .description(
      'Import a model that accord bounds export wrote, find its captions of the test images, and evaluate them.',
    )
    .addArgument(fileArgument('file of the model'))
    .addHelpText('after', example('accord bounds import bound.model --dataset coco'))
    .action(async (file: string, _options, command: Command) => {
      const { database: location, dataset: wanted } = command.optsWithGlobals<ImportOptions>()
      const { importModel } = await import('../../services/bounds/bounds.js')
      const bound = await withDataset({ location }, wanted, (accord, { name: dataset }) =>
        withProgress((progress) => importModel(accord, { dataset, file }, { progress })),
      )
      process.stdout.write(`${describe(bound)}\n`)
    })
}

function addModelOptions(command: Command): Command {
  const { dropout, decay, embedding, state, batch, epochs, patience, beam, seed } = CHOICES.boundSettings
  const { validationImages, testImages, minWordCount } = CHOICES.boundSettings
  return command
    .option('--visual-only', 'only atoms that most voters called visual')
    .option(
      '--validation-images <N>',
      `images for choosing the model (default: ${validationImages})`,
      wholeNumber(1),
    )
    .option('--test-images <N>', `images for the figures (default: ${testImages})`, wholeNumber(1))
    .option('--min-word-count <N>', `rarer words are unknown (default: ${minWordCount})`, wholeNumber(1))
    .option('--embedding <N>', `size of the embeddings (default: ${embedding})`, wholeNumber(1))
    .option('--state <N>', `size of the state (default: ${state})`, wholeNumber(1))
    .option('--dropout <share>', `dropout before the softmax layer (default: ${dropout})`, anyNumber)
    .option('--decay <factor>', `weight decay (default: ${decay})`, anyNumber)
    .option('--batch <N>', `captions of a mini-batch (default: ${batch})`, wholeNumber(1))
    .option('--epochs <N>', `maximum number of passes (default: ${epochs})`, wholeNumber(1))
    .option(
      '--patience <N>',
      `mini-batches without a lower validation loss (default: ${patience})`,
      wholeNumber(1),
    )
    .option('--beam <N>', `width of the beam, 1 to 5 (default: ${beam})`, wholeNumber(1, 5))
    .option('--seed <N>', `seed of the split, the weights and the order (default: ${seed})`, wholeNumber(0))
}

function settingsOf(options: ModelOptions): Partial<BoundSettings> {
  const { visualOnly, validationImages, testImages, minWordCount, embedding, state } = options
  const { dropout, decay, batch, epochs, patience, beam, seed } = options
  const sizes = { validationImages, testImages, minWordCount, embedding, state }
  return { visualOnly, ...sizes, dropout, decay, batch, epochs, patience, beam, seed }
}

function anyNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw new InvalidArgumentError('Expected a number.')
}

function parseKind(text: string): BoundKind {
  const kind = CHOICES.boundKinds.find((known) => known === text)
  if (kind === undefined) throw new InvalidArgumentError(`Expected one of ${CHOICES.boundKinds.join(', ')}.`)
  return kind
}

function describe({ settings, outcome }: Bound): string {
  const { kind, atoms, replaced } = settings
  const name = `${kind} ${atoms}${replaced > 0 ? `, r ${replaced}` : ''}`
  return `${name}: ${outcome?.steps} steps, best at ${outcome?.bestStep}, perplexity ${outcome?.perplexity.toFixed(2)}`
}

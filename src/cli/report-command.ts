import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { collectUnique, type GlobalOptions, parseText } from '../config.js'
import { AccordError } from '../errors.js'
import type { Accord } from '../services/shared/accord.js'
import type { Dataset } from '../store/schema/dataset-tables.js'
import { type DatasetOptions, withAccord, withDataset } from './accord.js'
import { type CaptionFileOptions, type FileMatching, withFiles } from './files.js'
import { addCaptionFileOptions, CAPTION_FORMATS, example } from './options.js'
import { printable } from './output/formats.js'
import {
  addJsonOption,
  formatOption,
  type OutputOptions,
  outOption,
  print,
  terminalWidth,
  widthOption,
} from './output/output.js'
import { checkOutput, forceOption } from './output/output-file.js'
import { remark } from './output/progress.js'
import { type Column, propertiesOf, type Report } from './output/report.js'

/** Options of every command that prints a report. */
export type ReportOptions = DatasetOptions & OutputOptions

interface ReportHelp {
  readonly examples: readonly string[]
  /**
   * The properties of the JSON, as `report`, then the columns of each table; CSV has those of the first. A name of a table may
   * be followed by a remark.
   */
  readonly json: { readonly report: string } & Readonly<Record<string, string | readonly Column[]>>
}

/** What a command prints, from its options and arguments; nothing if it has printed everything itself. */
type Reporting<Inputs extends readonly unknown[]> = (...inputs: Inputs) => Promise<Report | undefined>

/** Completes a command that prints a report: its options of output, its help, and what it does. */
export function printsReport<Options extends ReportOptions, Arguments extends readonly unknown[] = []>(
  command: Command,
  { examples, json }: ReportHelp,
  report: Reporting<[options: Options, ...Arguments]>,
): void {
  addJsonOption(command.addOption(formatOption()))
    .addOption(widthOption())
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', () => describeJson(command, json))
    .addHelpText('after', example(...examples))
    .action(async () => {
      const options = command.optsWithGlobals<Options>()
      checkOutput(options.out, options.force)
      noteRepeated(command.args.slice(1))
      const printed = await report(options, ...(command.processedArgs as unknown as Arguments))
      if (printed) await print(options, printed)
    })
}

/** Says which files are named twice. */
function noteRepeated(files: readonly string[]): void {
  const repeated = new Set(files.filter((file, index) => files.indexOf(file) !== index))
  for (const file of repeated) remark(`${printable(file)} is named twice, and read once.\n`)
}

/** The same for a report on an existing dataset: the one that is named, or the only one. */
export function printsDatasetReport<Options extends ReportOptions, Arguments extends readonly unknown[] = []>(
  command: Command,
  help: ReportHelp,
  report: Reporting<[accord: Accord, dataset: Dataset, options: Options, ...Arguments]>,
): void {
  printsReport<Options, Arguments>(command, help, (options, ...inputs) =>
    withDataset(options, (accord, dataset) => report(accord, dataset, options, ...inputs)),
  )
}

/** Options of commands that read a dataset, or files instead. */
export type FilesOptions = ReportOptions &
  CaptionFileOptions & {
    /** Names. Default: with files, the systems of the files. */
    readonly system?: readonly string[]
    readonly allowMissing?: true
    readonly allowExtra?: true
  }

/**
 * The same for a command that takes files as its arguments instead of a dataset, or names of systems of the dataset.
 *
 * @param ofPeople whether the report is about people alone
 */
export function printsDatasetOrFilesReport<Options extends FilesOptions>(
  command: Command,
  help: ReportHelp,
  report: Reporting<[accord: Accord, dataset: Dataset, options: Options, areFiles: boolean]>,
  { ofPeople = false } = {},
): void {
  takesFiles(command, ofPeople)
  type Arguments = [references?: string, results?: readonly string[]]
  const json = { ...help.json, report: `${help.json.report}, matching (of files)` }
  printsReport<Options, Arguments>(command, { ...help, json }, (options, references, results = []) =>
    withDatasetOrFiles(
      command,
      { options, references, results, ofPeople },
      async (accord, dataset, chosen, matching) => {
        const printed = await report(accord, dataset, chosen, matching !== null)
        return printed && matching ? { ...printed, about: { ...printed.about, matching } } : printed
      },
    ),
  )
}

/** The arguments and options of a command that takes files instead of a dataset. @param ofPeople whether it is about people alone */
export function takesFiles(command: Command, ofPeople = false): void {
  command.argument('[references]', 'human captions, read instead of a dataset; nothing is stored', parseText)
  if (ofPeople) command.allowExcessArguments()
  else {
    command.argument(
      '[results...]',
      'with files: captions of systems; or only names of systems of the dataset',
      collectUnique(parseText),
    )
  }
  addCaptionFileOptions(command, 'with files of captions in lines', ofPeople).addHelpText(
    'after',
    CAPTION_FORMATS,
  )
}

/** What {@link takesFiles} has given to a command. */
interface GivenFiles<Options> {
  readonly options: Options
  readonly references: string | undefined
  readonly results: readonly string[]
  readonly ofPeople?: boolean
}

/**
 * Calls `use` with the dataset that is named, or with one of the files alone.
 *
 * @param use gets the options with the systems that were named, and how files were matched; null for a dataset
 */
export async function withDatasetOrFiles<
  Options extends DatasetOptions &
    Pick<FilesOptions, 'system' | 'allowMissing' | 'allowExtra'> &
    CaptionFileOptions,
  Result,
>(
  command: Command,
  { options, references, results, ofPeople = false }: GivenFiles<Options>,
  use: (
    accord: Accord,
    dataset: Dataset,
    options: Options,
    matching: readonly FileMatching[] | null,
  ) => Promise<Result>,
): Promise<Result> {
  if (references === undefined) {
    refuseModules(command)
    return withDataset(options, (accord, dataset) => use(accord, dataset, options, null))
  }
  const words = [references, ...results]
  if (!ofPeople && (await areSystems(command, options, words))) {
    refuseModules(command)
    const system = [...(options.system ?? []), ...words]
    return withDataset(options, (accord, dataset) => use(accord, dataset, { ...options, system }, null))
  }
  refuseDataset(command)
  const ofFiles = withoutDefaults(command, options)
  const { allowMissing = false, allowExtra = false } = ofFiles
  return withFiles(
    { ...ofFiles, references, results, allowMissing, allowExtra },
    (accord, dataset, systems, matching) =>
      use(accord, dataset, { ...ofFiles, system: ofFiles.system ?? systems }, matching),
  )
}

/**
 * Whether words that are no files name systems of the dataset; then one that is none is a wrong name of a system. So are all of them
 * beside a dataset on the command line, which no files can be beside.
 */
async function areSystems(
  command: Command,
  options: DatasetOptions,
  words: readonly string[],
): Promise<boolean> {
  if (words.some((word) => word === '-' || existsSync(word))) return false
  if (command.getOptionValueSource('dataset') === 'cli') return true
  try {
    return await withDataset(options, async (accord, dataset) => {
      const { systemsByDataset } = await import('../services/systems/systems.js')
      const systems = (await systemsByDataset(accord, [dataset.id])).get(dataset.id) ?? []
      return systems.some(({ name }) => words.includes(name))
    })
  } catch (error) {
    // Then they are files that do not exist.
    if (error instanceof AccordError) return false
    throw error
  }
}

/** Refuses a dataset beside files on the command line; that of the environment or a configuration file is for other commands. */
export function refuseDataset(command: Command): void {
  if (command.getOptionValueSource('dataset') === 'cli')
    command.error('error: files cannot be used with option --dataset')
}

/** A server that reads a database has not the modules of whoever computed its scores. */
function refuseModules(command: Command): void {
  if (command.getOptionValueSource('metricModule') !== undefined)
    command.error('error: option --metric-module is for files: nothing of it can be stored in a dataset')
}

/** Options that name what is in a database. */
const OF_DATABASE = ['dataset', 'system', 'against', 'vocabularyOf']

/** Options of a command with files, without what the environment or a configuration file says about a database. */
function withoutDefaults<Options extends object>(command: Command, options: Options): Options {
  const isKept = (key: string) => !OF_DATABASE.includes(key) || command.getOptionValueSource(key) === 'cli'
  return Object.fromEntries(Object.entries(options).filter(([key]) => isKept(key))) as Options
}

/** Completes a command that prints a text: its examples, and what it does. */
export function prints<Options extends object, Arguments extends readonly unknown[] = []>(
  command: Command,
  examples: readonly string[],
  work: (options: Options, ...inputs: Arguments) => Promise<string>,
): void {
  command.addHelpText('after', example(...examples)).action(async () => {
    const inputs = command.processedArgs as unknown as Arguments
    process.stdout.write(await work(command.optsWithGlobals<Options>(), ...inputs))
  })
}

/** The same with an existing database. */
export function printsText<Arguments extends readonly unknown[]>(
  command: Command,
  examples: readonly string[],
  work: (accord: Accord, ...inputs: Arguments) => Promise<string>,
): void {
  prints<GlobalOptions, Arguments>(command, examples, ({ database: location }, ...inputs) =>
    withAccord({ location, mustExist: true }, (accord) => work(accord, ...inputs)),
  )
}

/** The same on an existing dataset: the one that is named, or the only one. */
export function printsDatasetText<Options extends DatasetOptions, Arguments extends readonly unknown[] = []>(
  command: Command,
  examples: readonly string[],
  work: (accord: Accord, dataset: Dataset, options: Options, ...inputs: Arguments) => Promise<string>,
): void {
  prints<Options, Arguments>(command, examples, (options, ...inputs) =>
    withDataset(options, (accord, dataset) => work(accord, dataset, options, ...inputs)),
  )
}

/** A section of the help: the properties of the JSON. */
function describeJson(command: Command, json: ReportHelp['json']): string {
  const help = command.createHelp()
  help.prepareContext({ helpWidth: terminalWidth() })
  const [, table] = Object.keys(json)
  const width = Math.max(...Object.keys(json).map((name) => name.length))
  const items = Object.entries(json).map(([name, properties]) =>
    help.formatItem(
      name,
      width,
      typeof properties === 'string' ? properties : propertiesOf(properties),
      help,
    ),
  )
  return `\nJSON (csv and tsv: ${table.replace(/ .*/, '')}):\n${items.join('\n')}`
}

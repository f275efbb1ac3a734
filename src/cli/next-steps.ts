import { setImmediate } from 'node:timers/promises'
import type { Command, Option } from 'commander'
import type { DatasetWithSystems } from '../services/datasets/datasets.js'
import { type DatasetOptions, withDataset } from './accord.js'
import { commandLine, inList } from './output/hints.js'

/** A command that ended well. */
interface Done {
  readonly options: Options
  /** Its arguments in their order; a list for one that is repeated. */
  readonly args: readonly (string & readonly string[])[]
  /** Whether an option was given on the command line. */
  isGiven(key: keyof Options): boolean
  /** The dataset of the command with its systems, read from the database. */
  look(): Promise<DatasetWithSystems>
}

/** The options that decide about the next step; each command has some of them. */
interface Options extends DatasetOptions {
  readonly format?: string
  readonly out?: string
  readonly perImage?: string
  readonly system?: string | readonly string[]
  readonly metric?: string
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
}

/** The next command: its name, and the words after it. The options that it shares with the command before are added. */
interface Next {
  readonly name: string
  readonly words?: readonly string[]
}

type Step = (done: Done) => Next | undefined | Promise<Next | undefined>

/** The next useful command by the name of a command. It succeeds as it stands. */
const NEXT_STEPS: Readonly<Record<string, Step>> = {
  score: examplesOfFiles,
  'import captions': async ({ look }) =>
    // People do not agree on words where each image has one caption.
    (await look()).dataset.captionsPerImage > 1 ? { name: 'words', words: ['--top', '20'] } : undefined,
  'import results': () => ({ name: 'evaluate' }),
  'import scores': () => ({ name: 'words', words: ['--sort', 'gap', '--top', '20'] }),
  'import descriptions': () => ({ name: 'selection' }),
  'import votes': () => ({ name: 'votes' }),
  'import judgements': () => ({ name: 'judge' }),
  'import metric-scores': ({ options: { metric = '' } }) => ({
    name: 'leaderboard',
    words: ['--metrics', inList(metric)],
  }),
  evaluate: compareOrExamples,
}

/** Options that say how a command prints its result. */
const OF_OUTPUT = ['format', 'json', 'out', 'width', 'layout', 'signatures']

/** Writes the next step after a command to stderr. @param all the program with all of its commands */
export async function suggestNext(command: Command, all: Command): Promise<void> {
  const next = await nextStep(command, all)
  // An error of stdout is told in the next turn.
  await setImmediate()
  if (next !== undefined && process.exitCode !== 1) process.stderr.write(`Next: ${next}\n`)
}

async function nextStep(command: Command, all: Command): Promise<string | undefined> {
  const options = command.optsWithGlobals<Options>()
  const { format = 'table', out = '-', perImage } = options
  if (format !== 'table' || out !== '-' || perImage === '-') return undefined
  const next = await NEXT_STEPS[nameOf(command)]?.({
    options,
    args: command.processedArgs,
    isGiven: (key) => command.getOptionValueSource(key) === 'cli',
    look: () =>
      withDataset(options, async (accord, dataset) => {
        const { systemsByName } = await import('../services/systems/systems.js')
        return { dataset, systems: [...(await systemsByName(accord, dataset.id)).values()] }
      }),
  })
  if (next === undefined) return undefined
  const { name, words = [] } = next
  const root = rootOf(command)
  const target = all.commands.find((candidate) => candidate.name() === name) as Command
  const shared = target.options.filter(
    (option) => !OF_OUTPUT.includes(option.attributeName()) && !words.includes(option.long ?? ''),
  )
  const config = root.options.filter((option) => option.attributeName() === 'config')
  const carried = [
    ...shared.flatMap((option) => carry(command, option)),
    ...config.flatMap((option) => carry(root, option)),
  ]
  return commandLine([name, ...words, ...carried], options)
}

/** An option of the next command as it was given to the one before. Those of the environment and of a file hold for both. */
function carry(from: Command, option: Option): string[] {
  const key = option.attributeName()
  const isShared = from.options.some(({ long }) => long === option.long)
  if (!isShared || from.getOptionValueSource(key) !== 'cli' || BY_COMMAND_LINE.includes(key)) return []
  const value: unknown = from.getOptionValue(key)
  if (value === true) return [option.long as string]
  const values = [value].flat().map(String)
  return [option.long as string, option.variadic ? values.map(inList).join(',') : values[0]]
}

/** Options that `commandLine` adds. */
const BY_COMMAND_LINE = ['meteorData', 'embeddings', 'documentFrequencies']

/** The name of a command with those above it, such as `import captions`. */
export function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

/** The worst images of files, unless they cannot be read again, or the scores need a database. */
async function examplesOfFiles({ options, args: [references, results] }: Done): Promise<Next | undefined> {
  const { documentFrequencies = 'coco', metrics } = options
  const isOfDatabase = documentFrequencies !== 'coco' && !documentFrequencies.endsWith('.frequencies')
  if ([references, ...results].includes('-') || isOfDatabase) return undefined
  const words = [references, ...results, '--worst', '10']
  if (metrics === undefined) return { name: 'examples', words }
  const { listMetricNames } = await import('../services/evaluations/metric-names.js')
  const { isNamed } = await import('../services/evaluations/metric-names.js')
  const metric = listMetricNames().find((name) => isNamed(name, metrics[0]))
  return metric === undefined ? undefined : { name: 'examples', words: [...words, '--metrics', metric] }
}

/** Systems beside people, or beside each other, where there are several captions of each image, or several systems. */
async function compareOrExamples({ options, look, isGiven }: Done): Promise<Next | undefined> {
  const { dataset, systems } = await look()
  if (dataset.captionsPerImage > 1) return { name: 'compare', words: ['--people'] }
  const chosen = systems.filter(
    ({ name, kind }) => kind === 'CAPTIONS' && (!isGiven('system') || options.system?.includes(name)),
  )
  if (chosen.length > 1) return { name: 'compare' }
  return { name: 'examples', words: ['--system', chosen[0].name, '--worst', '10'] }
}

import { setImmediate } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DatasetWithSystems } from '../services/datasets/datasets.js'
import type { System } from '../store/schema/entities.js'
import { type DatasetOptions, withDataset } from './accord.js'
import { belowServer } from './ask-server.js'
import { commandLine } from './output/hints.js'

/** A command that ended well. */
interface Done {
  readonly options: Options
  /** Its arguments in their order; a list for one that is repeated. */
  readonly args: readonly (string & readonly string[])[]
  /** A command with the same database, from its words after the name of the program. */
  command(...words: readonly string[]): string
  /** The dataset of the command with its systems, read from the database. */
  look(): Promise<DatasetWithSystems>
}

type Step = (done: Done) => string | Promise<string>

/** The options that steps use; each command has some of them. */
interface Options extends DatasetOptions {
  readonly format?: string
  readonly system?: string | readonly string[]
  readonly metric?: string
  readonly split?: string
  readonly imageIds?: string
  readonly phr?: true
  readonly compare?: readonly string[]
  readonly name?: string
  readonly data?: string
  readonly challenge?: string
  readonly server?: string
  readonly to?: string
}

const show: Step = ({ command, args: [name] }) => command('challenge', 'show', name)
const board: Step = ({ command, args: [name] }) => command('challenge', 'board', name)
const votes: Step = ({ command, options }) => command('votes', ...datasetOf(options))
const bounds: Step = ({ command, options }) => command('bounds', ...datasetOf(options))
const report: Step = ({ command, options }) =>
  command('report', ...datasetOf(options), '--out', 'report.html')
const serve: Step = ({ command }) => command('serve')

/**
 * The next useful command after each command, by its name. It can be pasted: it has the database, the dataset, the systems and the
 * files of the command before; words in capitals stand for what only the user knows. Following the steps ends.
 */
export const NEXT_STEPS: Readonly<Record<string, Step>> = {
  score: ({ command, options, args: [references, results] }) =>
    command('examples', references, ...results, ...readingOf(options), '--worst', '10'),
  'import captions': wordsOrImport,
  'import results': ({ command, options }) =>
    command('evaluate', ...datasetOf(options), ...systemsOf(options)),
  'import scores': ({ command, options }) =>
    command('words', ...datasetOf(options), ...systemsOf(options), '--sort', 'gap'),
  'import descriptions': ({ command, options }) => command('selection', ...datasetOf(options)),
  'import boxes': ({ command, options }) => command('selection', ...datasetOf(options)),
  'import votes': votes,
  'import judgements': ({ command, options }) => command('judge', ...datasetOf(options)),
  'import metric-scores': ({ command, options: { metric = '', ...options } }) =>
    command('leaderboard', ...datasetOf(options), '--metric', metric),
  datasets: serve,
  systems: evaluateOrImport,
  show: serve,
  words: ({ command, options, args: [references, results] }) =>
    references === undefined
      ? command('agreement', ...datasetOf(options))
      : command('agreement', references, ...(results ?? []), ...readingOf(options)),
  agreement: (done) => {
    const { command, options, args } = done
    const [references, results = []] = args
    if (references === undefined) return evaluateOrImport(done)
    return command(
      'score',
      references,
      ...(results.length > 0 ? results : ['RESULTS']),
      ...readingOf(options),
    )
  },
  evaluate: compareOrExamples,
  leaderboard: compareOrExamples,
  compare: async (done) => {
    const { command, options, args } = done
    const [references, results = []] = args
    if (references !== undefined)
      return command('examples', references, ...results, ...readingOf(options), '--worst', '10')
    const compared = await chosenSystems(done)
    if (!options.phr && compared.some(isCaptioning)) return examples(done)
    return command('words', ...datasetOf(options), '--system', compared[0].name, '--sort', 'phr')
  },
  examples: (done) => {
    const { command, options, args } = done
    const [references] = args
    if (references === undefined) return report(done)
    return command('import', 'captions', references, ...readingOf(options), '--dataset', 'NAME')
  },
  judge: ({ command, options, args: [judgements] }) =>
    options.compare === undefined
      ? command(
          'judge',
          ...(judgements ? [judgements] : datasetOf(options)),
          '--compare',
          'METEOR',
          'CIDEr-D',
        )
      : command('train', 'composite', '--help'),
  'train composite': ({ command, options: { name, data = '' } }) =>
    name === undefined
      ? command('artefacts', 'list')
      : command('evaluate', '--dataset', data, '--metrics', name),
  'artefacts list': serve,
  'artefacts export': ({ command, args: [, file] }) =>
    command('artefacts', 'import', file, '--database', 'OTHER'),
  'artefacts import': ({ command }) => command('artefacts', 'list'),
  'artefacts remove': ({ command }) => command('artefacts', 'list'),
  selection: report,
  'collect create': ({ command, options: { dataset = '' } }) =>
    `${command('serve')}, then /collect/${encodeURIComponent(dataset)} in a browser`,
  'collect list': serve,
  'collect show': ({ command, args: [name] }) =>
    `when it has all captions: ${command('collect', 'finish', name, '--dataset', 'NAME')}`,
  'collect finish': wordsOrImport,
  'collect remove': ({ command }) => command('collect', 'list'),
  parse: ({ command }) => command('score', 'REFERENCES', 'RESULTS', '--metrics', 'SPICE'),
  atoms: votes,
  votes: bounds,
  'votes cast': votes,
  bounds: serve,
  'bounds train': bounds,
  'bounds run': bounds,
  'bounds export': ({ command, args: [file] }) => command('bounds', 'import', file, '--database', 'OTHER'),
  'bounds import': bounds,
  'challenge list': serve,
  'challenge create': show,
  'challenge update': show,
  'challenge pause': show,
  'challenge show': board,
  'challenge board': ({ command, args: [name] }) => command('challenge', 'submissions', name),
  'challenge submissions': ({ command, args: [name] }) => command('challenge', 'export', name),
  'challenge grant': ({ command, args: [name] }) => command('challenge', 'submissions', name),
  'challenge rerun': board,
  'challenge audit': show,
  'challenge remove': ({ command }) => command('challenge', 'list'),
  submit: ({ command, options: { server, challenge = '' } }) =>
    server === undefined
      ? command('challenge', 'board', challenge)
      : `${belowServer(server, `challenges/${encodeURIComponent(challenge)}`)} in a browser`,
  login: ({ command, options: { server = '' } }) =>
    command('submit', 'RESULTS', '--challenge', 'NAME', '--server', server),
  'users add': ({ command }) => command('serve', '--accounts'),
  'users list': ({ command }) => command('users', 'log'),
  'remove dataset': ({ command }) => command('datasets'),
  'remove system': ({ command, options }) => command('systems', ...datasetOf(options)),
  copy: ({ options: { to = '' } }) => commandLine(['check'], { database: to }),
  backup: ({ args: [file] }) => commandLine(['check'], { database: file }),
  restore: ({ command }) => command('datasets'),
}

/** Writes the next step after a command to stderr, unless the output is for a program, or could not be written. */
export async function suggestNext(command: Command): Promise<void> {
  const step = NEXT_STEPS[nameOf(command)]
  const options = command.optsWithGlobals<Options>()
  if (step === undefined || (options.format ?? 'table') !== 'table') return
  const next = await step({
    options,
    args: command.processedArgs,
    command: (...words) => commandLine(words, options),
    look: () =>
      withDataset(options, async (accord, dataset) => {
        const { systemsByName } = await import('../services/systems/systems.js')
        return { dataset, systems: [...(await systemsByName(accord, dataset.id)).values()] }
      }),
  })
  // An error of stdout is told in the next turn.
  await setImmediate()
  if (process.exitCode !== 1) process.stderr.write(`Next: ${next}\n`)
}

/** The name of a command with those above it, such as `import captions`. */
export function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

/** People do not agree on words where each image has one caption. */
async function wordsOrImport(done: Done): Promise<string> {
  const { dataset } = await done.look()
  if (dataset.captionsPerImage === 1) return evaluateOrImport(done)
  return done.command('words', ...datasetOf(done.options), '--top', '20')
}

async function evaluateOrImport({ command, options, look }: Done): Promise<string> {
  const { dataset, systems } = await look()
  if (systems.some(isCaptioning)) return command('evaluate', ...datasetOf(options))
  return command('import', 'results', 'RESULTS', '--dataset', dataset.name, '--system', 'NAME')
}

/** Systems beside people, or beside each other, where there are several captions of each image, or several systems. */
async function compareOrExamples(done: Done): Promise<string> {
  const { command, options } = done
  const { dataset } = await done.look()
  const words = ['compare', ...datasetOf(options), ...systemsOf(options)]
  if (dataset.captionsPerImage > 1) return command(...words, '--people')
  return (await chosenSystems(done)).filter(isCaptioning).length > 1 ? command(...words) : examples(done)
}

async function examples(done: Done): Promise<string> {
  const [system, against] = (await chosenSystems(done)).filter(isCaptioning)
  const others = against === undefined ? [] : ['--against', against.name]
  return done.command(
    ...['examples', ...datasetOf(done.options), '--system', system.name, ...others],
    ...['--worst', '10'],
  )
}

/** The systems of the options, or all of the dataset; those that the figures are about come first. */
async function chosenSystems({ options: { system, phr }, look }: Done): Promise<System[]> {
  const { systems } = await look()
  const chosen = system === undefined ? systems : systems.filter(({ name }) => system.includes(name))
  return phr ? chosen.filter(({ kind }) => kind === 'WORD_SCORES') : [...chosen]
}

const isCaptioning = ({ kind }: System) => kind === 'CAPTIONS'

function datasetOf({ dataset }: Options): string[] {
  return dataset === undefined ? [] : ['--dataset', dataset]
}

function systemsOf({ system }: Options): string[] {
  return system === undefined ? [] : ['--system', ...[system].flat()]
}

/** Options on how files of captions are read. */
function readingOf({ split, imageIds }: Options): string[] {
  return [...(split ? ['--split', split] : []), ...(imageIds ? ['--ids', imageIds] : [])]
}

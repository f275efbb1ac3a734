import { type Command, CommanderError } from 'commander'
import { configOption, databaseOption, quietOption } from '../config.js'
import { AccordError, hasCode } from '../errors.js'
import { VERSION } from '../project.js'
import { consequencesOf, type ErrorCode } from '../shared/error-codes.js'
import { shellWord } from '../shared/shell-word.js'
import { describeSystemError } from '../system-errors.js'
import { AccordCommand } from './command.js'
import { loadSettings } from './config-file.js'
import { printable } from './output/formats.js'
import { errorPrefix, terminalWidth } from './output/output.js'
import { isAtTerminal, setQuiet } from './output/progress.js'

const FAILURE = 1
const WRONG_USAGE = 2

/** Runs a command. @param words its words, without the program @returns the exit code */
export async function runCommand(words: readonly string[]): Promise<number> {
  // The help of a command below another one too: `help challenge create`.
  const args = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  setQuiet(false)
  let running: Command | undefined
  const program = (await createProgram(await commandToLoad(args))).hook('preAction', (_program, command) => {
    running = command
  })
  try {
    // -V is the version of many programs, -v that of others.
    await program.parseAsync(args[0] === '-V' ? ['--version'] : args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    const help = [acceptedBy(error, running), await namedBy(error, running), readBy(error, running, args)]
    process.stderr.write(`${errorPrefix()}${describeFailure(error)}${help.join('')}\n`)
    return exitCodeOf(error)
  }
}

/** The only command that has to be loaded; undefined for all: for the help, unknown ones, and a file whose keys are options of all. */
async function commandToLoad(args: readonly string[]): Promise<string | undefined> {
  if (['-v', '-V', '--version'].includes(args[0])) return ''
  const first = args.findIndex(
    (word, index) => !word.startsWith('-') && !TAKES_VALUE.includes(args[index - 1]),
  )
  const isConfigured = await loadSettings(args)
  const name = args[first]
  return !isConfigured && COMMANDS.some(({ names }) => names.includes(name)) ? name : undefined
}

/** Options of the program that are followed by a value. */
const TAKES_VALUE = ['--database', '--config']

/** Options that accept what is otherwise an error. */
const ACCEPTING: Readonly<Partial<Record<ErrorCode, string>>> = {
  MISSING_IMAGES: '--allow-missing',
  UNKNOWN_IMAGE: '--allow-extra',
  NAME_TAKEN: '--replace',
}

/** The option of the command that accepts what it refused, and what the option does. */
function acceptedBy(error: unknown, command: Command | undefined): string {
  const flag = error instanceof AccordError ? ACCEPTING[error.code] : undefined
  const option = flag && command?.options.find(({ long }) => long === flag)
  return option ? ` (${flag}: ${option.description})` : ''
}

/** The option of the command that names a metric, where one stands in place of a file or a system. */
async function namedBy(error: unknown, command: Command | undefined): Promise<string> {
  const option = command?.options.find(({ long }) => long === '--metrics')
  if (option === undefined || !(hasCode(error, 'FILE_NOT_FOUND') || hasCode(error, 'UNKNOWN_SYSTEM')))
    return ''
  const { source, found } = error.detail
  const name = error.code === 'FILE_NOT_FOUND' ? source : found?.slice(1, -1)
  const { isNamed, listMetricNames } = await import('../services/evaluations/metric-names.js')
  if (name === undefined || !listMetricNames().some((metric) => isNamed(metric, name))) return ''
  return ` (${printable(name)} is a metric; --metrics takes ${option.variadic ? 'all up to the next option' : 'one'})`
}

/** The command that would read a file with other columns than the usual ones. */
function readBy(error: unknown, command: Command | undefined, args: readonly string[]): string {
  const columns = error instanceof AccordError ? error.detail.columns : undefined
  if (columns === undefined || !command?.options.some(({ long }) => long === '--columns')) return ''
  const words = args.some((word) => word.startsWith('--columns')) ? [] : [...args, '--columns', columns]
  return words.length === 0
    ? ''
    : `\nThis reads it:\n  accord ${words.map((word) => shellWord(printable(word))).join(' ')}`
}

/** What is wrong at a place of a file is a failure, and not the usage of the command. */
function exitCodeOf(error: unknown): number {
  if (!(error instanceof AccordError) || error.detail.place !== undefined) return FAILURE
  return consequencesOf(error.code).exitCode
}

/** The commands of Accord. @param only the name of the one that is run, so that others need not be loaded */
export async function createProgram(only?: string): Promise<Command> {
  const program = new AccordCommand('accord')
  program
    .description(
      'Measures how much people agree when they describe an image, and how captioning systems compare with that' +
        ' human agreement.',
    )
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show the help of a command')
    .addOption(databaseOption())
    .addOption(configOption())
    .addOption(quietOption())
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      getOutHelpWidth: terminalWidth,
      outputError: (text, write) =>
        write(text.replace(/^(error|accord): (option |command-argument value )?/, errorPrefix())),
    })
    .exitOverride()
    .hook('preAction', (_program, command) => setQuiet(command.optsWithGlobals().quiet === true))
    .hook('postAction', async (_program, command) => {
      if (!isAtTerminal() || !process.stdout.isTTY) return
      const { suggestNext } = await import('./next-steps.js')
      await suggestNext(command, await createProgram())
    })
  for (const { names, load } of COMMANDS) {
    if (only === undefined || names.includes(only)) await (await load()).register(program)
  }
  hintAtHelp(program, 'accord')
  return program
}

/** A command with those below it, or several that are one subject. */
interface Registration {
  readonly names: readonly string[]
  load(): Promise<{ register(program: Command): void | Promise<void> }>
}

/** In the order of the help. Each is loaded when it is run, all for the help. */
const COMMANDS: readonly Registration[] = [
  { names: ['score'], load: () => import('./commands/score.js') },
  { names: ['demo'], load: () => import('./commands/demo.js') },
  { names: ['import'], load: async () => ({ register: registerImports }) },
  { names: ['datasets'], load: () => import('./commands/datasets.js') },
  { names: ['systems'], load: () => import('./commands/systems.js') },
  { names: ['show'], load: () => import('./commands/show.js') },
  { names: ['words'], load: () => import('./commands/words.js') },
  { names: ['metrics'], load: () => import('./commands/metrics.js') },
  { names: ['verify'], load: () => import('./commands/verify.js') },
  { names: ['evaluate'], load: () => import('./commands/evaluate.js') },
  { names: ['agreement'], load: () => import('./commands/agreement.js') },
  { names: ['coverage'], load: () => import('./commands/coverage.js') },
  { names: ['diversity'], load: () => import('./commands/diversity.js') },
  { names: ['compare'], load: () => import('./commands/compare.js') },
  { names: ['examples'], load: () => import('./commands/examples.js') },
  { names: ['leaderboard'], load: () => import('./commands/leaderboard.js') },
  { names: ['judge'], load: () => import('./commands/judge.js') },
  { names: ['train'], load: () => import('./commands/train.js') },
  { names: ['artefacts'], load: () => import('./commands/artefacts.js') },
  { names: ['selection'], load: () => import('./commands/selection.js') },
  { names: ['papers'], load: () => import('./commands/papers.js') },
  { names: ['report'], load: () => import('./commands/write-report.js') },
  { names: ['collect'], load: () => import('./commands/collect.js') },
  { names: ['parse'], load: () => import('./commands/parse.js') },
  { names: ['atoms'], load: () => import('./commands/atoms.js') },
  { names: ['votes'], load: () => import('./commands/votes.js') },
  { names: ['bounds'], load: () => import('./commands/bounds.js') },
  { names: ['challenge', 'submit'], load: () => import('./commands/challenge.js') },
  { names: ['login', 'logout'], load: () => import('./commands/login.js') },
  { names: ['serve'], load: () => import('./commands/serve.js') },
  { names: ['users'], load: () => import('./commands/users.js') },
  { names: ['teams'], load: () => import('./commands/teams.js') },
  { names: ['worker'], load: () => import('./commands/worker.js') },
  { names: ['remove'], load: () => import('./commands/remove.js') },
  { names: ['export'], load: () => import('./commands/export.js') },
  { names: ['copy'], load: () => import('./commands/copy.js') },
  { names: ['backup', 'restore'], load: () => import('./commands/backup.js') },
  { names: ['check'], load: () => import('./commands/check.js') },
  { names: ['completion'], load: () => import('./commands/completion.js') },
]

async function registerImports(program: Command): Promise<void> {
  const imports = program
    .command('import')
    .description('import human captions, boxes, human judgements, or results of a system')
  ;(await import('./commands/import-captions.js')).register(imports)
  ;(await import('./commands/import-systems.js')).register(imports)
  ;(await import('./commands/import-boxes.js')).register(imports)
  ;(await import('./commands/import-objects.js')).register(imports)
  ;(await import('./commands/votes.js')).registerImportVotes(imports)
  ;(await import('./commands/import-judgements.js')).register(imports)
  ;(await import('./commands/import-metric-scores.js')).register(imports)
}

/** Adds a reference to the help to the usage errors of every command. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See ${path} --help`)
  for (const subcommand of command.commands) hintAtHelp(subcommand, `${path} ${subcommand.name()}`)
}

function describeFailure(error: unknown): string {
  if (error instanceof AccordError) return error.message
  const { syscall, path } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    // What the operating system refuses: a loop of symbolic links, a read-only folder, a full disk.
    const found = describeSystemError(error)
    const detail = { source: path, expected: 'files and folders that can be used', found }
    return new AccordError('RESOURCE_MISSING', 'the operating system refused an operation', detail).message
  }
  return `internal error\n${error instanceof Error ? error.stack : String(error)}`
}

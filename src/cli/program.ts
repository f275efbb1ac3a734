import { type Command, CommanderError } from 'commander'
import { configOption, databaseOption, quietOption } from '../config.js'
import { AccordError } from '../errors.js'
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

/** Runs a command. @param args its words, without the program @returns the exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
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
    process.stderr.write(
      `${errorPrefix()}${describeFailure(error)}${acceptedBy(error, running)}${readBy(error, running, args)}\n`,
    )
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
}

/** The option of the command that accepts what it refused, and what the option does. */
function acceptedBy(error: unknown, command: Command | undefined): string {
  const flag = error instanceof AccordError ? ACCEPTING[error.code] : undefined
  const option = flag && command?.options.find(({ long }) => long === flag)
  return option ? ` (${flag}: ${option.description})` : ''
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

/**
 * The commands of Accord.
 *
 * @param only the name of the one that is run, so that others need not be loaded
 */
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
  for (const { names, register } of COMMANDS) {
    if (only === undefined || names.includes(only)) await register(program)
  }
  hintAtHelp(program, 'accord')
  return program
}

/** A command with those below it, or several that are one subject. */
interface Registration {
  readonly names: readonly string[]
  register(program: Command): Promise<void>
}

/** In the order of the help. Each is loaded when it is run, all for the help. */
const COMMANDS: readonly Registration[] = [
  {
    names: ['score'],
    register: async (program) => (await import('./commands/score.js')).registerScore(program),
  },
  {
    names: ['demo'],
    register: async (program) => (await import('./commands/demo.js')).registerDemo(program),
  },
  { names: ['import'], register: registerImports },
  {
    names: ['datasets'],
    register: async (program) => (await import('./commands/datasets.js')).registerDatasets(program),
  },
  {
    names: ['systems'],
    register: async (program) => (await import('./commands/systems.js')).registerSystems(program),
  },
  {
    names: ['show'],
    register: async (program) => (await import('./commands/show.js')).registerShow(program),
  },
  {
    names: ['words'],
    register: async (program) => (await import('./commands/words.js')).registerWords(program),
  },
  {
    names: ['metrics'],
    register: async (program) => (await import('./commands/metrics.js')).registerMetrics(program),
  },
  {
    names: ['verify'],
    register: async (program) => (await import('./commands/verify.js')).registerVerify(program),
  },
  {
    names: ['evaluate'],
    register: async (program) => (await import('./commands/evaluate.js')).registerEvaluate(program),
  },
  {
    names: ['agreement'],
    register: async (program) => (await import('./commands/agreement.js')).registerAgreement(program),
  },
  {
    names: ['coverage'],
    register: async (program) => (await import('./commands/coverage.js')).registerCoverage(program),
  },
  {
    names: ['diversity'],
    register: async (program) => (await import('./commands/diversity.js')).registerDiversity(program),
  },
  {
    names: ['compare'],
    register: async (program) => (await import('./commands/compare.js')).registerCompare(program),
  },
  {
    names: ['examples'],
    register: async (program) => (await import('./commands/examples.js')).registerExamples(program),
  },
  {
    names: ['leaderboard'],
    register: async (program) => (await import('./commands/leaderboard.js')).registerLeaderboard(program),
  },
  {
    names: ['judge'],
    register: async (program) => (await import('./commands/judge.js')).registerJudge(program),
  },
  {
    names: ['train'],
    register: async (program) => (await import('./commands/train.js')).registerTrain(program),
  },
  {
    names: ['artefacts'],
    register: async (program) => (await import('./commands/artefacts.js')).registerArtefacts(program),
  },
  {
    names: ['selection'],
    register: async (program) => (await import('./commands/selection.js')).registerSelection(program),
  },
  {
    names: ['papers'],
    register: async (program) => (await import('./commands/papers.js')).registerPapers(program),
  },
  {
    names: ['report'],
    register: async (program) => (await import('./commands/write-report.js')).registerReport(program),
  },
  {
    names: ['collect'],
    register: async (program) => (await import('./commands/collect.js')).registerCollect(program),
  },
  {
    names: ['parse'],
    register: async (program) => (await import('./commands/parse.js')).registerParse(program),
  },
  {
    names: ['atoms'],
    register: async (program) => (await import('./commands/atoms.js')).registerAtoms(program),
  },
  {
    names: ['votes'],
    register: async (program) => (await import('./commands/votes.js')).registerVotes(program),
  },
  {
    names: ['bounds'],
    register: async (program) => (await import('./commands/bounds.js')).registerBounds(program),
  },
  {
    names: ['challenge'],
    register: async (program) => (await import('./commands/challenge.js')).registerChallenge(program),
  },
  {
    names: ['submit'],
    register: async (program) => (await import('./commands/challenge.js')).registerSubmit(program),
  },
  {
    names: ['login', 'logout'],
    register: async (program) => (await import('./commands/login.js')).registerLogin(program),
  },
  {
    names: ['serve'],
    register: async (program) => (await import('./commands/serve.js')).registerServe(program),
  },
  {
    names: ['users'],
    register: async (program) => (await import('./commands/users.js')).registerUsers(program),
  },
  {
    names: ['teams'],
    register: async (program) => (await import('./commands/teams.js')).registerTeams(program),
  },
  {
    names: ['worker'],
    register: async (program) => (await import('./commands/worker.js')).registerWorker(program),
  },
  {
    names: ['remove'],
    register: async (program) => (await import('./commands/remove.js')).registerRemove(program),
  },
  {
    names: ['export'],
    register: async (program) => (await import('./commands/export.js')).registerExport(program),
  },
  {
    names: ['copy'],
    register: async (program) => (await import('./commands/copy.js')).registerCopy(program),
  },
  {
    names: ['backup', 'restore'],
    register: async (program) => (await import('./commands/backup.js')).registerBackup(program),
  },
  {
    names: ['check'],
    register: async (program) => (await import('./commands/check.js')).registerCheck(program),
  },
  {
    names: ['completion'],
    register: async (program) => (await import('./commands/completion.js')).registerCompletion(program),
  },
]

async function registerImports(program: Command): Promise<void> {
  const imports = program
    .command('import')
    .description('import human captions, boxes, human judgements, or results of a system')
  ;(await import('./commands/import-captions.js')).registerImportCaptions(imports)
  ;(await import('./commands/import-systems.js')).registerImportSystems(imports)
  ;(await import('./commands/import-boxes.js')).registerImportBoxes(imports)
  ;(await import('./commands/import-objects.js')).registerImportObjects(imports)
  ;(await import('./commands/votes.js')).registerImportVotes(imports)
  ;(await import('./commands/import-judgements.js')).registerImportJudgements(imports)
  ;(await import('./commands/import-metric-scores.js')).registerImportMetricScores(imports)
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

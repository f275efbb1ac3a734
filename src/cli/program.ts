import { Command, CommanderError } from 'commander'
import { configOption, databaseOption } from '../config.js'
import { AccordError, type ErrorCode } from '../errors.js'
import { VERSION } from '../project.js'
import { registerAgreement } from './commands/agreement.js'
import { registerArtefacts } from './commands/artefacts.js'
import { registerAtoms } from './commands/atoms.js'
import { registerBackup } from './commands/backup.js'
import { registerBounds } from './commands/bounds.js'
import { registerChallenge, registerSubmit } from './commands/challenge.js'
import { registerCheck } from './commands/check.js'
import { registerCollect } from './commands/collect.js'
import { registerCompare } from './commands/compare.js'
import { registerCompletion } from './commands/completion.js'
import { registerCopy } from './commands/copy.js'
import { registerDatasets } from './commands/datasets.js'
import { registerEvaluate } from './commands/evaluate.js'
import { registerExamples } from './commands/examples.js'
import { registerExport } from './commands/export.js'
import { registerImportBoxes } from './commands/import-boxes.js'
import { registerImportCaptions } from './commands/import-captions.js'
import { registerImportJudgements } from './commands/import-judgements.js'
import { registerImportMetricScores } from './commands/import-metric-scores.js'
import { registerImportSystems } from './commands/import-systems.js'
import { registerJudge } from './commands/judge.js'
import { registerLeaderboard } from './commands/leaderboard.js'
import { registerLogin } from './commands/login.js'
import { registerParse } from './commands/parse.js'
import { registerRemove } from './commands/remove.js'
import { registerScore } from './commands/score.js'
import { registerSelection } from './commands/selection.js'
import { registerServe } from './commands/serve.js'
import { registerShow } from './commands/show.js'
import { registerSystems } from './commands/systems.js'
import { registerTrain } from './commands/train.js'
import { registerUsers } from './commands/users.js'
import { registerVerify } from './commands/verify.js'
import { registerImportVotes, registerVotes } from './commands/votes.js'
import { registerWords } from './commands/words.js'
import { registerWorker } from './commands/worker.js'
import { registerReport } from './commands/write-report.js'
import { applyConfigFile } from './config-file.js'
import { suggestNext } from './next-steps.js'
import { errorPrefix } from './output/output.js'
import { beginLines } from './output/progress.js'

const FAILURE = 1
const WRONG_USAGE = 2

/** What a user names that does not exist, and numbers out of their range; in a file they have a place and are a failure. */
const WRONG_ARGUMENT: readonly ErrorCode[] = [
  'UNKNOWN_METRIC',
  'UNKNOWN_DATASET',
  'UNKNOWN_SYSTEM',
  'UNKNOWN_WORD',
  'UNKNOWN_IMAGE',
  'UNKNOWN_JOB',
  'UNKNOWN_COLLECTION',
  'UNKNOWN_CHALLENGE',
  'UNKNOWN_SUBMISSION',
  'UNKNOWN_USER',
  'UNKNOWN_TOKEN',
  'OUT_OF_RANGE',
]

/** Runs a command. @param args its words, without the program @returns the exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
  beginLines()
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    process.stderr.write(`${errorPrefix()}${describeFailure(error)}\n`)
    return isWrongUsage(error) ? WRONG_USAGE : FAILURE
  }
}

function isWrongUsage(error: unknown): boolean {
  if (!(error instanceof AccordError) || error.detail.place !== undefined) return false
  return WRONG_ARGUMENT.includes(error.code)
}

/** The commands of Accord. */
export function createProgram(): Command {
  const program = new Command('accord')
  program
    .description(
      'Measures how much people agree when they describe an image, and how captioning systems compare with that' +
        ' human agreement.',
    )
    .version(VERSION, '--version')
    .helpOption('-h, --help', 'show the help of a command')
    .addOption(databaseOption())
    .addOption(configOption())
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^(error|accord): (option |command-argument value )?/, errorPrefix())),
    })
    .exitOverride()
    .hook('preAction', (_program, command) =>
      applyConfigFile(program, command, command.optsWithGlobals().config),
    )
    .hook('postAction', (_program, command) => suggestNext(command))
  registerScore(program)
  const imports = program
    .command('import')
    .description('import human captions, boxes, human judgements, or results of a system')
  registerImportCaptions(imports)
  registerImportSystems(imports)
  registerImportBoxes(imports)
  registerImportVotes(imports)
  registerImportJudgements(imports)
  registerImportMetricScores(imports)
  registerDatasets(program)
  registerSystems(program)
  registerShow(program)
  registerWords(program)
  registerVerify(program)
  registerEvaluate(program)
  registerAgreement(program)
  registerCompare(program)
  registerExamples(program)
  registerLeaderboard(program)
  registerJudge(program)
  registerTrain(program)
  registerArtefacts(program)
  registerSelection(program)
  registerReport(program)
  registerCollect(program)
  registerParse(program)
  registerAtoms(program)
  registerVotes(program)
  registerBounds(program)
  registerChallenge(program)
  registerSubmit(program)
  registerLogin(program)
  registerServe(program)
  registerUsers(program)
  registerWorker(program)
  registerRemove(program)
  registerExport(program)
  registerCopy(program)
  registerBackup(program)
  registerCheck(program)
  registerCompletion(program)
  hintAtHelp(program, 'accord')
  return program
}

/** Adds a reference to the help to the usage errors of every command. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See ${path} --help`)
  for (const subcommand of command.commands) hintAtHelp(subcommand, `${path} ${subcommand.name()}`)
}

function describeFailure(error: unknown): string {
  if (error instanceof AccordError) return error.message
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code !== undefined && syscall !== undefined) {
    // What the operating system refuses: a loop of symbolic links, a read-only folder, a full disk.
    const found = `${code} (${syscall})`
    const detail = { source: path, expected: 'files and folders that can be used', found }
    return new AccordError('RESOURCE_MISSING', 'the operating system refused an operation', detail).message
  }
  return `internal error\n${error instanceof Error ? error.stack : String(error)}`
}

#!/usr/bin/env node
/**
 * The command `accord`. Results go to stdout, everything else to stderr. It exits with
 *
 * - 0 after success,
 * - 1 after a failure: an expected failure is one line, `accord: <message>`; any other failure is a bug in Accord
 *   and is printed with its stack,
 * - 2 after wrong usage: an unknown command or option, or an invalid value of an option or environment variable.
 *
 * `serve` and `worker` stop and exit with 0 on SIGINT (Ctrl-C) and SIGTERM. The signal terminates other commands.
 * An import is one transaction: if it is interrupted, nothing is stored.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { Command, CommanderError } from 'commander'
import { registerAgreement } from './commands/agreement.js'
import { registerAtoms } from './commands/atoms.js'
import { registerBounds } from './commands/bounds.js'
import { registerCompare } from './commands/compare.js'
import { registerCopy } from './commands/copy.js'
import { registerDatasets } from './commands/datasets.js'
import { registerEvaluate } from './commands/evaluate.js'
import { registerImportBoxes } from './commands/import-boxes.js'
import { registerImportCaptions } from './commands/import-captions.js'
import { registerImportDescriptions } from './commands/import-descriptions.js'
import { registerImportResults } from './commands/import-results.js'
import { registerImportScores } from './commands/import-scores.js'
import { registerLeaderboard } from './commands/leaderboard.js'
import { registerRemove } from './commands/remove.js'
import { registerSelection } from './commands/selection.js'
import { registerServe } from './commands/serve.js'
import { registerImportVotes, registerVotes } from './commands/votes.js'
import { registerWords } from './commands/words.js'
import { registerWorker } from './commands/worker.js'
import { databaseOption } from './config.js'
import { AccordError } from './errors.js'
import { projectFile } from './project.js'

const WRONG_USAGE = 2

function createProgram(): Command {
  const program = new Command('accord')
    .description(
      'Measures how much people agree when they describe an image, and how captioning systems compare with that' +
        ' human agreement.',
    )
    .version(version(), '--version')
    .helpOption('--help', 'show the help of a command')
    .addOption(databaseOption())
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: (option |command-argument value )?/, 'accord: ')),
    })
    .exitOverride()
  const imports = program
    .command('import')
    .description('import human captions, boxes, or results of a system')
  registerImportCaptions(imports)
  registerImportResults(imports)
  registerImportScores(imports)
  registerImportBoxes(imports)
  registerImportDescriptions(imports)
  registerImportVotes(imports)
  registerDatasets(program)
  registerWords(program)
  registerEvaluate(program)
  registerAgreement(program)
  registerCompare(program)
  registerLeaderboard(program)
  registerSelection(program)
  registerAtoms(program)
  registerVotes(program)
  registerBounds(program)
  registerServe(program)
  registerWorker(program)
  registerRemove(program)
  registerCopy(program)
  hintAtHelp(program, 'accord')
  return program
}

/** Adds a reference to the help to the usage errors of every command. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See ${path} --help`)
  for (const subcommand of command.commands) hintAtHelp(subcommand, `${path} ${subcommand.name()}`)
}

function version(): string {
  return JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version
}

/** A closed pipe, as by `head`, is not a failure. Other write errors are. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`accord: the output cannot be written: ${error.message}\n`)
}

async function run(): Promise<number> {
  try {
    await createProgram().parseAsync()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    const report = error instanceof AccordError ? error.message : describeBug(error)
    process.stderr.write(`accord: ${report}\n`)
    return 1
  }
}

function describeBug(error: unknown): string {
  return `internal error\n${error instanceof Error ? error.stack : String(error)}`
}
// Caches compiled code for the next start (Node 22.1 or newer).
;(module as { enableCompileCache?: () => void }).enableCompileCache?.()
process.stdout.on('error', onOutputError)
process.stderr.on('error', () => {})
process.exitCode = (await run()) || process.exitCode

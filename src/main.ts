#!/usr/bin/env node
/**
 * The command `accord`. Results go to stdout, everything else to stderr. It exits with
 *
 * - 0 after success,
 * - 1 after a failure: an expected one is one line, `accord: <what is wrong>`; anything else is a defect of
 *   Accord and comes with its stack,
 * - 2 after wrong usage: an unknown command or flag, a flag or variable with a value that cannot be.
 *
 * Interrupted (Ctrl-C), it dies of the signal, which a shell reports as 130: imports write in one transaction, so
 * that nothing of an unfinished one is there.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { Command, CommanderError } from 'commander'
import { registerAgreement } from './commands/agreement.js'
import { registerDatasets } from './commands/datasets.js'
import { registerEvaluate } from './commands/evaluate.js'
import { registerImportBoxes } from './commands/import-boxes.js'
import { registerImportCaptions } from './commands/import-captions.js'
import { registerImportDescriptions } from './commands/import-descriptions.js'
import { registerImportResults } from './commands/import-results.js'
import { registerImportScores } from './commands/import-scores.js'
import { registerRemove } from './commands/remove.js'
import { registerSelection } from './commands/selection.js'
import { registerServe } from './commands/serve.js'
import { registerWords } from './commands/words.js'
import { databaseOption } from './config.js'
import { AccordError } from './errors.js'
import { projectFile } from './project.js'

const WRONG_USAGE = 2

function createProgram(): Command {
  const program = new Command('accord')
    .description(
      'How far people agree when they describe an image, and where captioning systems stand against that.',
    )
    .version(version(), '--version')
    .helpOption('--help', 'show what a command does and takes')
    .addOption(databaseOption())
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: (option |command-argument value )?/, 'accord: ')),
    })
    .exitOverride()
  const imports = program
    .command('import')
    .description('import human captions, or what a system made of the images')
  registerImportCaptions(imports)
  registerImportResults(imports)
  registerImportScores(imports)
  registerImportBoxes(imports)
  registerImportDescriptions(imports)
  registerDatasets(program)
  registerWords(program)
  registerEvaluate(program)
  registerAgreement(program)
  registerSelection(program)
  registerServe(program)
  registerRemove(program)
  hintAtHelp(program, 'accord')
  return program
}

/** Lets every command's usage errors end with where to read on. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See ${path} --help`)
  for (const subcommand of command.commands) hintAtHelp(subcommand, `${path} ${subcommand.name()}`)
}

function version(): string {
  return JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version
}

/** A reader that wants no more, such as `head`, is no failure; an output that cannot be written is one. */
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
    const report = error instanceof AccordError ? error.message : defect(error)
    process.stderr.write(`accord: ${report}\n`)
    return 1
  }
}

function defect(error: unknown): string {
  return `failed in a way it should not\n${error instanceof Error ? error.stack : String(error)}`
}
// From Node 22.1 on: compiled code is kept for the next start.
;(module as { enableCompileCache?: () => void }).enableCompileCache?.()
process.stdout.on('error', onOutputError)
process.stderr.on('error', () => {})
process.exitCode = (await run()) || process.exitCode

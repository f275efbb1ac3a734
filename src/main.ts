#!/usr/bin/env node
/**
 * The command `accord`. Results go to stdout, everything else to stderr. It exits with
 *
 * - 0 after success,
 * - 1 after a failure: an expected failure is one line, `accord: <message>`; any other failure is a bug in Accord
 *   and is printed with its stack,
 * - 2 after wrong usage: an unknown command, option, file or name (of a metric, dataset, system, word …), a name or file that exists,
 *   a number out of range, or an invalid value of an option or environment variable,
 * - 3 after a gate that failed, as of `--fail-below`.
 *
 * `serve` and `worker` stop and exit with 0 on SIGINT (Ctrl-C) and SIGTERM. The signal terminates other commands.
 * An import is one transaction: if it is interrupted, nothing is stored.
 */
import module from 'node:module'

/** A closed pipe, as by `head`, is not a failure. Other write errors are. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`accord: the output cannot be written: ${error.message.replace(/^E[A-Z]+: /, '')}\n`)
}
// Read when graphql and Express are loaded: otherwise graphql checks types slowly, and Express sends errors to clients.
process.env.NODE_ENV ??= 'production'
// Caches the compiled code of what is imported from now on for the next start (Node 22.1 or newer).
;(module as { enableCompileCache?: () => void }).enableCompileCache?.()
const { runCommand } = await import('./cli/program.js')
process.stdout.on('error', onOutputError)
process.stderr.on('error', () => {})
process.exitCode = (await runCommand(process.argv.slice(2))) || process.exitCode

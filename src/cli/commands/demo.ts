import type { Command } from 'commander'
import { example } from '../options.js'
import { checkOutput, forceOption, writeText } from '../output/output-file.js'

/** `accord demo` */
export function register(program: Command): void {
  program
    .command('demo')
    .summary('write the files that the documentation uses into this folder')
    .description(
      'Write example files of the bundled dataset into the current folder, so that commands of the documentation run as they are' +
        ' printed.',
    )
    .addOption(forceOption())
    .addHelpText('after', example('accord demo && accord score references.json mine.json baseline.json'))
    .action(async ({ force }: { readonly force?: true }) => {
      const { exampleFiles } = await import('../../services/seed/example-files.js')
      const files = exampleFiles()
      for (const { name } of files) checkOutput(name, force)
      const width = Math.max(...files.map(({ name }) => name.length))
      for (const { name, about, content } of files) {
        await writeText(name, content)
        process.stdout.write(`${name.padEnd(width)}  ${about}\n`)
      }
      process.stdout.write('\nTry:\n  accord score references.json mine.json baseline.json --significance\n')
    })
}

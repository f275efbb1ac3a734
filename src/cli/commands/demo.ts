import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { AccordError } from '../../errors.js'
import { example } from '../options.js'
import { writeText } from '../output/output-file.js'

/** `accord demo` */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .summary('write the files that the documentation uses into this folder')
    .description(
      'Write example files of the bundled dataset into the current folder, so that commands of the documentation run as they are' +
        ' printed. A file that exists is never overwritten.',
    )
    .addHelpText('after', example('accord demo && accord score references.json mine.json baseline.json'))
    .action(async () => {
      const { exampleFiles } = await import('../../services/seed/example-files.js')
      const files = exampleFiles()
      const existing = files.find(({ name }) => existsSync(name))
      if (existing) throw exists(existing.name)
      const width = Math.max(...files.map(({ name }) => name.length))
      for (const { name, about, content } of files) {
        await writeText(name, content)
        process.stdout.write(`${name.padEnd(width)}  ${about}\n`)
      }
      process.stdout.write('\nTry:\n  accord score references.json mine.json baseline.json --significance\n')
    })
}

function exists(name: string): AccordError {
  return new AccordError('NAME_TAKEN', 'the file exists; nothing was written', {
    source: name,
    expected: 'a folder without files of these names',
  })
}

import { type Command, Option } from 'commander'
import { AccordError } from '../errors.js'
import { printable } from './output/formats.js'

/**
 * Makes a command ask on a terminal before it removes or replaces something, unless it has `--yes`.
 *
 * @param question what is asked, of the first argument
 */
export function asksFirst(command: Command, question: (name: string) => string): Command {
  return command
    .addOption(new Option('-y, --yes', 'do not ask on a terminal'))
    .hook('preAction', async () => {
      if (command.opts().yes || !process.stdin.isTTY || !process.stderr.isTTY) return
      const { createInterface } = await import('node:readline/promises')
      const asking = createInterface({ input: process.stdin, output: process.stderr })
      try {
        const answer = await asking.question(`${question(printable(command.args[0]))} [y/N] `)
        if (!/^\s*y(es)?\s*$/i.test(answer)) throw new AccordError('CANCELLED', 'nothing was changed')
      } finally {
        asking.close()
      }
    })
}

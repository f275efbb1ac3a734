import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'

/** A list of files that an option of a command takes. */
interface FileList {
  /** Its names, as they are typed. */
  readonly command: readonly string[]
  readonly key: string
  readonly flag: string
  /** Number of arguments that the command needs. */
  readonly required: number
  /** Options without which it does not run. */
  readonly mandatory: readonly string[]
}

function fileListsOf(command: Command, names: readonly string[] = []): FileList[] {
  const own = command.options.flatMap((option): FileList[] =>
    option.variadic && /file/.test(option.flags)
      ? [
          {
            command: names,
            key: option.attributeName(),
            flag: option.long as string,
            required: command.registeredArguments.filter(({ required }) => required).length,
            mandatory: command.options.flatMap(({ mandatory, long }) => (mandatory ? [`${long}=x`] : [])),
          },
        ]
      : [],
  )
  return [...own, ...command.commands.flatMap((below) => fileListsOf(below, [...names, below.name()]))]
}

const LISTS = fileListsOf(await createProgram())

/** What the command of a list reads from words. */
async function read(list: FileList, words: readonly string[]) {
  const program = await createProgram()
  const command = list.command.reduce(
    (above, name) => above.commands.find((below) => below.name() === name) as Command,
    program as Command,
  )
  command.action(() => {})
  for (const one of [program, command]) one.exitOverride().configureOutput({ writeErr: () => {} })
  await program.parseAsync([...list.command, ...list.mandatory, ...words], { from: 'user' })
  return { files: command.opts()[list.key], args: command.args }
}

describe.each(LISTS)('$flag of $command', (list) => {
  const { flag, required } = list
  const args = ['r.txt', 'c.txt'].slice(0, Math.max(required, 1))
  const files = ['a.txt', 'b.txt', 'd/e']
  const expected = { files, args }

  it.each([
    ['after the arguments', [...args, flag, ...files]],
    ['with commas', [...args, flag, files.join(',')]],
    ['with commas and a sign', [...args, `${flag}=${files.join(',')}`]],
    ['repeated', [...args, ...files.flatMap((file) => [flag, file])]],
    ['before another option', [...args, flag, ...files, '--quiet']],
    ['before the arguments, with commas', [flag, files.join(','), ...args]],
    ['before the arguments, after --', [flag, ...files, '--', ...args]],
    ['after the first argument, with --', [args[0], flag, ...files, '--', ...args.slice(1)]],
  ])('%s', async (_, words) => {
    expect(await read(list, words)).toEqual(expected)
  })

  it('before the arguments leaves as many as the command needs, and is refused where it needs none', async () => {
    const reading = read(list, [flag, ...files, ...args])
    if (required > 0) expect(await reading).toEqual(expected)
    else await expect(reading).rejects.toThrow('takes all files up to the next option')
  })
})

it('some commands take lists of files', () => {
  expect(LISTS.map(({ command }) => command.join(' '))).toEqual(
    expect.arrayContaining(['score', 'import captions', 'agreement', 'compare']),
  )
})

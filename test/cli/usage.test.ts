import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { nameOf } from '../../src/cli/next-steps.js'
import { createProgram } from '../../src/cli/program.js'
import { VERSION } from '../../src/project.js'
import { runHere as run } from './kit.js'

describe('help', () => {
  it('lists the commands on stdout', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const command of [
      'import',
      'datasets',
      'words',
      'compare',
      'leaderboard',
      'serve',
      'worker',
      'remove',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command}`, 'm'))
    }
    expect(stdout).toContain('ACCORD_DATABASE')
  })

  it.each([
    ['compare', ['--people', '--metrics <name...>', '--word <word>', '--references <k>']],
    ['leaderboard', ['--metric, --metrics <name...>', '--references <k>']],
    ['evaluate', ['--references <k>']],
    ['import scores', ['--image-ids <file>', '--allow-missing']],
    ['examples', ['--metric, --metrics <name>']],
    ['bounds', ['--metric, --metrics <name>']],
    [
      'words',
      [
        '--references <k>',
        '--top <N>',
        '--part-of-speech <tag...>',
        '"table", "json", "csv", "tsv", "markdown", "latex"',
      ],
    ],
    [
      'serve',
      [
        'default: "127.0.0.1", env: ACCORD_HOST',
        'default: 4000, env: ACCORD_PORT',
        'ACCORD_UPLOAD_LIMIT',
        'default: cores minus one, env: ACCORD_WORKERS',
      ],
    ],
  ])('of %s names its flags, the database and an example', async (command, flags) => {
    const { code, stdout, stderr } = await run(`${command} --help`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const text = stdout.replaceAll(/\s+/g, ' ')
    for (const flag of [...flags, '--database <location>']) expect(text).toContain(flag)
    expect(text).toMatch(new RegExp(`Examples?: accord ${command}`))
  })

  it('of every command has an example of it', async () => {
    const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)])
    const executable = below(await createProgram()).filter(
      (command) => command.commands.length === 0 && command.name() !== 'complete',
    )
    expect(executable.length).toBeGreaterThan(60)
    for (const command of executable) {
      const { stdout } = await run(`${nameOf(command)} --help`)
      expect(stdout, nameOf(command)).toMatch(new RegExp(`Examples?:[^]*accord ${nameOf(command)}`))
      expect(command.summary(), nameOf(command)).toMatch(/^[a-z][^.]*$/)
    }
  })

  it('is printed on stderr, with exit code 2, if a command is missing', async () => {
    const top = await run('')
    const nested = await run('remove')
    expect([top.code, top.stdout, nested.code, nested.stdout]).toEqual([2, '', 2, ''])
    expect(top.stderr).toContain('Usage: accord')
    expect(nested.stderr).toContain('Usage: accord remove')
  })

  it.each(['help challenge create', 'challenge help create'])(
    'of a command below another: %s',
    async (command) => {
      const { code, stdout } = await run(command)
      expect({ code, stdout }).toEqual({ code: 0, stdout: (await run('challenge create --help')).stdout })
    },
  )

  it.each(['--version', '-v', '-V'])('prints the version for %s', async (flag) => {
    const { code, stdout } = await run(flag)
    expect(code).toBe(0)
    expect(stdout).toBe(`${VERSION}\n`)
  })
})

describe('wrong usage exits with 2, and prints the error and a reference to the help', () => {
  it.each([
    ['wrods', "accord: unknown command 'wrods'\n(Did you mean words?)", 'accord --help'],
    ['help scor', "accord: unknown command 'scor'\n(Did you mean score?)", 'accord --help'],
    ['wrods --help', "accord: unknown command 'wrods'\n(Did you mean words?)", 'accord --help'],
    ['help challenge craete', "unknown command 'craete'\n(Did you mean create?)", 'accord challenge --help'],
    ['challenge help craete', "unknown command 'craete'\n(Did you mean create?)", 'accord challenge --help'],
    ['challenge nonsense -h', '(One of list, show, create, update,', 'accord challenge --help'],
    [
      'import captions a.json',
      "accord: required option '--dataset <name>' not specified",
      'accord import captions --help',
    ],
    ['words --datset a', '(Did you mean --dataset?)', 'accord words --help'],
    ['score - -', 'accord: standard input (-) can be only one of the files', 'accord score --help'],
    [
      'words --width 3',
      "'--width <N>' argument '3' is invalid. Expected an integer of at least 20.",
      'accord words --help',
    ],
    ['words --dataset a --colour', "accord: unknown option '--colour'", 'accord words --help'],
    [
      'import captions --dataset a',
      "accord: missing required argument 'file'",
      'accord import captions --help',
    ],
    [
      'import scores s.npy --dataset a --system b --vocabulary v.csv',
      'accord: --vocabulary and --image-ids must be used together',
      'accord import scores --help',
    ],
    [
      'words --dataset a --format xml',
      "'--format <format>' argument 'xml' is invalid. Allowed choices are table, json, csv, tsv, markdown, latex.",
      'accord words --help',
    ],
    [
      'words --dataset a --references 0',
      "'--references <k>' argument '0' is invalid. Expected an integer of at least 1.",
      'accord words --help',
    ],
    ['words --dataset a --top many', "'--top <N>' argument 'many' is invalid.", 'accord words --help'],
    [
      'words --dataset a --part-of-speech XX',
      "argument 'XX' is invalid. Expected one of NN, VB, JJ, DT, PRP, IN, OTHER.",
      'accord words --help',
    ],
    ['serve --invited-only', 'accord: --invited-only requires --accounts', 'accord serve --help'],
    ['eval --dataset a', "accord: unknown command 'eval'\n(Did you mean evaluate?)", 'accord --help'],
    ['ls', '(Did you mean datasets?)', 'accord --help'],
    ['rm x', '(Did you mean remove?)', 'accord --help'],
    ['remove coco', "accord: unknown command 'coco'\n(One of dataset, system)", 'accord remove --help'],
    ['bounds list', '(One of train, run, export, import)', 'accord bounds --help'],
    ['words --dataset a --csv', '(Did you mean --format csv?)', 'accord words --help'],
    [
      'evaluate package.json',
      '(Files are read by accord import, score and compare)',
      'accord evaluate --help',
    ],
    ['evaluate --dataset my photos', '(Systems are named by --system, datasets by', 'accord evaluate --help'],
    [
      'atoms --dataset my photos',
      '(Datasets are named by --dataset; names with spaces',
      'accord atoms --help',
    ],
    ['backup -', 'standard input and output (-) cannot be used here', 'accord backup --help'],
    ['restore -', 'standard input and output (-) cannot be used here', 'accord restore --help'],
    [
      'import boxes - --dataset a',
      'standard input and output (-) cannot be used here',
      'accord import boxes --help',
    ],
    ['submit - --challenge a', 'standard input and output (-) cannot be used here', 'accord submit --help'],
    ['bounds run --atoms 1 --replace 2', 'Expected a number from 0 to 1', 'accord bounds run --help'],
    [
      'serve --port 70000',
      "'--port <number>' argument '70000' is invalid. Expected an integer from 0 to 65535.",
      'accord serve --help',
    ],
  ])('%s', async (command, message, hint) => {
    const { code, stdout, stderr } = await run(command)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^accord: /)
    expect(stderr).toContain(message)
    expect(stderr.trimEnd()).toMatch(new RegExp(`See ${hint}$`))
  })

  it('reports the variable of an invalid value', async () => {
    const { code, stderr } = await run('serve', { ACCORD_PORT: '70000' })
    expect(code).toBe(2)
    expect(stderr).toContain("value '70000' from env 'ACCORD_PORT' is invalid.")
  })
})

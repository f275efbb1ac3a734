import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccordCommand } from '../../src/cli/command.js'
import { loadSettings } from '../../src/cli/config-file.js'
import { createProgram } from '../../src/cli/program.js'
import { CONFIG_FILE, collectList, configOption, parseText } from '../../src/config.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { workbench } from './kit.js'

describe('the configuration file of the current folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accord-config-'))
  const before = process.cwd()
  process.chdir(folder)
  beforeAll(() => loadSettings(['--config']))
  afterAll(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  })

  /** The options of a command with a file in the folder. @param line the words of the command */
  function optionsWith(content: object, line = 'submit') {
    writeFileSync(CONFIG_FILE, JSON.stringify(content))
    const program = new AccordCommand('accord').addOption(configOption())
    const actions: Command[] = []
    program
      .command('submit')
      .option('--server <url>')
      .option('--token <token>')
      .option('--metric-command <command>')
      .option('--phase <name>')
      .action((_options, command) => void actions.push(command))
    program
      .command('list')
      .option('--metric, --metrics <name...>', '', collectList(parseText))
      .addOption(new Option('--format <format>').choices(['table', 'csv']).default('table'))
      .addOption(new Option('--words').conflicts('metrics'))
      .option('--no-retrieval')
      .requiredOption('--dataset <name>')
      .action((_options, command) => void actions.push(command))
    program
      .command('one')
      .option('--metric, --metrics <name>', '', parseText)
      .addOption(new Option('--format <format>').choices(['csv']))
      .action((_options, command) => void actions.push(command))
    program.parse(line.split(' '), { from: 'user' })
    return actions[0].opts()
  }

  it('sets options, also those that are required', () => {
    expect(optionsWith({ phase: 'main' })).toEqual({ phase: 'main' })
    expect(optionsWith({ dataset: 'coco', 'no-retrieval': true }, 'list')).toMatchObject({
      dataset: 'coco',
      retrieval: false,
    })
  })

  it.each(['server', 'token', 'metric-command'])('sets no %s, unless the user names the file', (name) => {
    expect(() => optionsWith({ [name]: 'x' })).toThrow(
      `${CONFIG_FILE}: ${name}: a file of the current folder cannot set this option: expected the option on the command line`,
    )
    expect(Object.values(optionsWith({ [name]: 'x' }, `submit --config ${CONFIG_FILE}`))).toEqual(['x'])
  })

  it.each([{ metric: ['METEOR', 'CIDEr-D'] }, { metrics: 'METEOR,CIDEr-D' }])(
    'knows aliases and lists: %j',
    (content) => {
      expect(optionsWith({ dataset: 'a', ...content }, 'list').metrics).toEqual(['METEOR', 'CIDEr-D'])
    },
  )

  it('says nothing to a command that lacks the option, or accepts other values', () => {
    expect(optionsWith({ metrics: ['METEOR', 'CIDEr-D'], words: true }, 'one')).toEqual({})
    expect(optionsWith({ format: 'table' }, 'one')).toEqual({})
    expect(() => optionsWith({ format: 'xml' }, 'one')).toThrow('format: invalid value')
    expect(() => optionsWith({ colour: 'red' })).toThrow('unknown option')
    expect(() => optionsWith({ metrisc: 'METEOR' })).toThrow('found "metrisc"; did you mean metrics?')
  })

  it('yields to what conflicts with it on the command line', () => {
    expect(optionsWith({ dataset: 'a', metrics: 'METEOR' }, 'list --words').metrics).toBeUndefined()
    expect(optionsWith({ dataset: 'a', words: true }, 'list --metric SPICE')).not.toHaveProperty('words')
  })
})

describe('a dataset that is set for all commands', () => {
  const { run, write, folder } = workbench()
  const files = 'references.json mine.json'

  beforeAll(async () => {
    write(
      'references.json',
      cocoCaptions({ 1: ['A dog runs.', 'The dog plays.'], 2: ['A cat.', 'A cat sleeps.'] }),
    )
    write('mine.json', cocoResults({ 1: 'A dog runs.', 2: 'A cat.' }))
  })

  it('is that of imports and reports, and not of files', async () => {
    const environment = { ACCORD_DATASET: 'scenes' }
    expect((await run('import captions references.json', environment)).stdout).toContain(
      'Imported dataset scenes',
    )
    expect((await run('import captions references.json --dataset other')).code).toBe(0)
    const { stdout } = await run('words --format json', environment)
    expect(JSON.parse(stdout).dataset).toBe('scenes')
    for (const command of [
      `compare ${files} --people --metric METEOR`,
      `words ${files}`,
      'agreement references.json',
    ]) {
      expect(await run(command, environment)).toMatchObject({ code: 0 })
    }
    const refused = await run(`compare ${files} --people --dataset scenes`)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('files cannot be used with option --dataset')
  })

  it('can come from a file, with systems', async () => {
    write(CONFIG_FILE, { dataset: 'scenes', system: ['nobody'], metric: ['METEOR'] })
    const compared = await run(`compare ${files} --people --format json`)
    expect(JSON.parse(compared.stdout).comparisons).toMatchObject([{ metric: 'METEOR' }])
    rmSync(join(folder, CONFIG_FILE))
  })
})

it('options of one name have the same aliases and variables in every command', async () => {
  const seen = new Map<string, string>()
  const visit = (command: Command) => {
    for (const { long, short, envVar, required } of command.options) {
      // The folder of a server is set where it runs, that of an import by who types it.
      if (long === '--images') continue
      const key = `${long} ${required ? 'with a value' : ''}`
      const about = `${short ?? ''} ${envVar ?? ''}`
      expect({ key, about: seen.get(key) ?? about }).toEqual({ key, about })
      seen.set(key, about)
    }
    command.commands.forEach(visit)
  }
  visit(await createProgram())
})

import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { CONFIG_FILE } from '../config.js'
import { AccordError, quote, unknownName } from '../errors.js'
import type { readSettings } from '../services/settings-file.js'

/**
 * Options that a file of the current folder cannot set: it may be that of somebody else, and would name a server for the token of the
 * user, or a program to run.
 */
const NOT_OF_FOLDER = ['server', 'token', 'metric-command']

let reader: typeof readSettings | undefined

/** Loads what reads a configuration file, if there may be one. @param args the words of the command @returns whether there may be */
export async function loadSettings(args: readonly string[]): Promise<boolean> {
  const isNamed = process.env.ACCORD_CONFIG !== undefined || args.some((word) => word.startsWith('--config'))
  if (!isNamed && !existsSync(CONFIG_FILE)) return false
  reader = (await import('../services/settings-file.js')).readSettings
  return true
}

/** Options that a file cannot set. */
const NOT_CONFIGURABLE = ['config', 'help', 'version']

/**
 * Gives the options of a command, and of those above it, the values of a configuration file: a JSON object whose keys are long option
 * names without hyphens at the beginning, such as `meteor-data`. A key applies to every command that has the option and accepts the
 * value. Options of the command line, also those that conflict with one of the file, and environment variables take precedence.
 *
 * @param command whose options have been parsed
 * @param file path; by default {@link CONFIG_FILE} if it exists
 * @throws AccordError as `readSettings`; INVALID_VALUE for an unknown key or a value that no command accepts; NOT_APPLICABLE for an
 *   option that a file of the current folder cannot set
 */
export function applyConfigFile(command: Command, file: string | undefined): void {
  const path = file ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined)
  if (path === undefined || reader === undefined) return
  const owners = withParents(command)
  const known = optionsByName(owners[owners.length - 1])
  for (const [name, value] of Object.entries(reader(path))) {
    const named = known.get(name)
    if (named === undefined) throw unknownKey(path, name, [...known.keys()])
    if (file === undefined && NOT_OF_FOLDER.includes(name)) throw ofFolder(path, name)
    for (const owner of owners) {
      const option = owner.options.find((candidate) => namesOf(candidate).includes(name))
      if (option === undefined || isSet(owner, option)) continue
      const parsed = valueFor(path, option, named, value)
      if (parsed !== REFUSED) owner.setOptionValueWithSource(option.attributeName(), parsed, 'config')
    }
  }
}

/** A command, and those above it. */
function withParents(command: Command): [Command, ...Command[]] {
  return command.parent ? [command, ...withParents(command.parent)] : [command]
}

/** The options of all commands by their long names. */
function optionsByName(program: Command): Map<string, Option[]> {
  const options = new Map<string, Option[]>()
  const add = (command: Command) => {
    for (const option of command.options) {
      for (const name of namesOf(option)) options.set(name, [...(options.get(name) ?? []), option])
    }
    command.commands.forEach(add)
  }
  add(program)
  for (const name of NOT_CONFIGURABLE) options.delete(name)
  return options
}

/** The long names of an option. */
function namesOf({ long, short }: Option): string[] {
  return [long, short].flatMap((flag) => (flag?.startsWith('--') ? [flag.slice(2)] : []))
}

/** Whether an option, or one that conflicts with it, was set before the file. */
function isSet(command: Command, option: Option): boolean {
  const key = option.attributeName()
  const isGiven = (name: string) => !['default', undefined].includes(command.getOptionValueSource(name))
  const conflicting = command.options.filter(
    (other) =>
      conflictsOf(option).includes(other.attributeName()) ||
      conflictsOf(other).includes(option.attributeName()),
  )
  return [key, ...conflicting.map((other) => other.attributeName())].some(isGiven)
}

const conflictsOf = (option: Option) =>
  (option as unknown as { conflictsWith: readonly string[] }).conflictsWith

const REFUSED = Symbol('refused')

/** The value of an option; {@link REFUSED} where only options of other commands accept it. */
function valueFor(path: string, option: Option, named: readonly Option[], value: unknown): unknown {
  try {
    return toValue(path, option, value)
  } catch (error) {
    if (named.some((other) => other !== option && isAccepted(path, other, value))) return REFUSED
    throw error
  }
}

function isAccepted(path: string, option: Option, value: unknown): boolean {
  try {
    toValue(path, option, value)
    return true
  } catch {
    return false
  }
}

/** The value of an option, parsed like an argument. */
function toValue(path: string, option: Option, value: unknown): unknown {
  const invalid = (expected: string) =>
    new AccordError('INVALID_VALUE', 'invalid value', {
      source: path,
      place: option.name(),
      expected,
      found: quote(value),
    })
  if (option.isBoolean() || option.negate) {
    if (typeof value !== 'boolean') throw invalid('true or false')
    return option.negate ? !value : value || undefined
  }
  const values = option.variadic && Array.isArray(value) ? value : [value]
  let parsed: unknown
  for (const item of values) {
    if (typeof item !== 'string' && typeof item !== 'number') throw invalid('a string or a number')
    try {
      parsed = option.parseArg ? option.parseArg(String(item), parsed) : String(item)
    } catch (error) {
      if (error instanceof InvalidArgumentError) throw invalid(toPhrase(error.message))
      throw error
    }
  }
  return parsed
}

/** `Expected an integer.` as the `expected` of an error. */
function toPhrase(message: string): string {
  return message.replace(/^(Expected|Allowed choices are) /, '').replace(/\.$/, '')
}

function ofFolder(path: string, name: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'a file of the current folder cannot set this option', {
    source: path,
    place: name,
    expected:
      'the option on the command line, an environment variable, or --config with the name of the file',
  })
}

function unknownKey(path: string, name: string, known: readonly string[]): AccordError {
  return unknownName('INVALID_VALUE', 'unknown option', {
    source: path,
    known: [...known].sort(),
    found: name,
  })
}

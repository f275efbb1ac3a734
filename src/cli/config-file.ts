import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { CONFIG_FILE } from '../config.js'
import { AccordError, quote } from '../errors.js'
import { readSettings } from '../services/settings-file.js'

/** Options that a file cannot set. */
const NOT_CONFIGURABLE = ['config', 'help', 'version']

/**
 * Gives the options of a command that were not set the values of a configuration file: a JSON object whose keys are long
 * option names without hyphens at the beginning, such as `meteor-data`. A key applies to every command that has the
 * option. Options and environment variables take precedence.
 *
 * @param command whose arguments have been parsed
 * @param file path; by default {@link CONFIG_FILE} if it exists
 * @throws AccordError as `readSettings`; INVALID_VALUE for an unknown key or an invalid value
 */
export function applyConfigFile(program: Command, command: Command, file: string | undefined): void {
  const path = file ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined)
  if (path === undefined) return
  const known = optionNames(program)
  for (const [name, value] of Object.entries(readSettings(path))) {
    if (!known.has(name)) throw unknownKey(path, name, [...known])
    for (let owner: Command | null = command; owner; owner = owner.parent) {
      for (const option of owner.options) {
        const key = option.attributeName()
        if (option.name() !== name || !['default', undefined].includes(owner.getOptionValueSource(key)))
          continue
        owner.setOptionValueWithSource(key, toValue(path, option, value), 'config')
      }
    }
  }
}

/** Names of the options of all commands. */
function optionNames(command: Command): Set<string> {
  const own = command.options
    .map((option) => option.name())
    .filter((name) => !NOT_CONFIGURABLE.includes(name))
  return new Set([...own, ...command.commands.flatMap((subcommand) => [...optionNames(subcommand)])])
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
  if (option.isBoolean()) {
    if (typeof value !== 'boolean') throw invalid('true or false')
    return value || undefined
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

function unknownKey(path: string, name: string, known: readonly string[]): AccordError {
  return new AccordError('INVALID_VALUE', 'unknown option', {
    source: path,
    expected: `one of ${[...known].sort().join(', ')}`,
    found: quote(name),
  })
}

import { InvalidArgumentError, Option } from 'commander'

/**
 * What a user can set: flags, and for some of them an environment variable that holds where the flag is absent.
 * Commander reads each once, when the program starts; a value that cannot be is a usage error that names the flag
 * or the variable, the value and what was expected.
 */

/** Set for every command. */
export interface GlobalOptions {
  /** Path of the SQLite database. */
  readonly database: string
}

/** How `accord serve` listens. */
export interface ServeOptions extends GlobalOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Largest body of a request, such as `20mb`. */
  readonly bodyLimit: string
  /** Path of a METEOR data folder. */
  readonly meteorData?: string
}

export const databaseOption = () =>
  new Option('--database <file>', 'the SQLite database')
    .env('ACCORD_DATABASE')
    .default('accord.sqlite')
    .argParser(parseText)

export const hostOption = () =>
  new Option('--host <address>', 'address to listen on; 0.0.0.0 for all of the machine')
    .env('ACCORD_HOST')
    .default('127.0.0.1')
    .argParser(parseText)

export const portOption = () =>
  new Option('--port <number>', 'port to listen on, 0 to 65535; 0 takes a free one')
    .env('ACCORD_PORT')
    .default(4000)
    .argParser(wholeNumber(0, 65_535))

export const bodyLimitOption = () =>
  new Option('--body-limit <size>', 'largest request, in b, kb, mb or gb')
    .env('ACCORD_BODY_LIMIT')
    .default('20mb')
    .argParser(parseSize)

export const meteorDataOption = () =>
  new Option('--meteor-data <folder>', 'METEOR data folder (default: the word lists that come with Accord)')
    .env('ACCORD_METEOR_DATA')
    .argParser(parseText)

/** A parser of whole numbers in decimal digits from `least` to `most`, if there is a most. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`Expected a whole number ${range}.`)
  }
}

/** Any text that is not blank: a path, a name, an address. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a text that is not blank.')
  return text
}

/** Collects the values of an option that can be given several times, each once. */
export function eachOnce<T>(parse: (text: string) => T): (text: string, previous?: readonly T[]) => T[] {
  return (text, previous = []) => [...new Set([...previous, parse(text)])]
}

function parseSize(text: string): string {
  if (/^\d+(\.\d+)?(b|kb|mb|gb)$/i.test(text)) return text
  throw new InvalidArgumentError('Expected a size such as 500kb, 20mb or 1gb.')
}

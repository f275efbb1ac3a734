import { availableParallelism } from 'node:os'
import { InvalidArgumentError, Option } from 'commander'

/**
 * Command-line options. Some can also be set by an environment variable; the option takes precedence. Options are
 * parsed once at startup. An invalid value is a usage error that contains the option or variable, the value and
 * what was expected.
 */

/** Options of all commands. */
export interface GlobalOptions {
  /** Path of a SQLite database, or URL of a PostgreSQL database. */
  readonly database: string
}

/** Options of `accord serve`. */
export interface ServeOptions extends GlobalOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Maximum size of a request body, for example `20mb`. */
  readonly bodyLimit: string
  /** Number of worker threads. */
  readonly workers: number
  /** Path of a METEOR data folder. */
  readonly meteorData?: string
  /** Path of a file of word vectors. */
  readonly embeddings?: string
}

export const databaseOption = () =>
  new Option('--database <location>', 'SQLite file, or URL of a PostgreSQL database: postgres://…')
    .env('ACCORD_DATABASE')
    .default('accord.sqlite')
    .argParser(parseText)

export const hostOption = () =>
  new Option('--host <address>', 'address to listen on; 0.0.0.0 for all interfaces')
    .env('ACCORD_HOST')
    .default('127.0.0.1')
    .argParser(parseText)

export const portOption = () =>
  new Option('--port <number>', 'port to listen on, 0 to 65535; 0 selects a free port')
    .env('ACCORD_PORT')
    .default(4000)
    .argParser(wholeNumber(0, 65_535))

export const bodyLimitOption = () =>
  new Option('--body-limit <size>', 'maximum size of a request body, in b, kb, mb or gb')
    .env('ACCORD_BODY_LIMIT')
    .default('20mb')
    .argParser(parseSize)

/** @param min minimum number of worker threads */
export const workersOption = (min: number) =>
  new Option('--workers <N>', 'number of worker threads')
    .env('ACCORD_WORKERS')
    .default(Math.max(1, availableParallelism() - 1), 'cores minus one')
    .argParser(wholeNumber(min))

export const meteorDataOption = () =>
  new Option('--meteor-data <folder>', 'METEOR data folder (default: the bundled WordNet data)')
    .env('ACCORD_METEOR_DATA')
    .argParser(parseText)

export const embeddingsOption = () =>
  new Option(
    '--embeddings <file>',
    'word vectors for WMD: word2vec .bin, or text of GloVe or fastText (default: the built-in GloVe vectors)',
  )
    .env('ACCORD_EMBEDDINGS')
    .argParser(parseText)

/** Creates a parser of decimal integers from `min` to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`Expected an integer ${range}.`)
  }
}

/** Accepts any non-blank text: a path, a name, an address. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected non-blank text.')
  return text
}

/** Creates a parser of a repeatable option that collects its distinct values. */
export function collectUnique<T>(parse: (text: string) => T): (text: string, previous?: readonly T[]) => T[] {
  return (text, previous = []) => [...new Set([...previous, parse(text)])]
}

function parseSize(text: string): string {
  if (/^\d+(\.\d+)?(b|kb|mb|gb)$/i.test(text)) return text
  throw new InvalidArgumentError('Expected a size such as 500kb, 20mb or 1gb.')
}

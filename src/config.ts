import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
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
  readonly quiet?: true
}

/** Options of `accord serve`. */
export interface ServeOptions extends GlobalOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Maximum size of a file that is sent to be imported, for example `2gb`. */
  readonly uploadLimit: string
  /** The same for participants: users of a server with accounts who are no hosts. */
  readonly submissionLimit: string
  /** Origins of web pages that may send requests; `*` for all. */
  readonly allowOrigin: readonly string[]
  /** Names of the server in the Host header, besides localhost and IP addresses. */
  readonly allowHost: readonly string[]
  /** Addresses and networks of proxies that name the client of a request. */
  readonly trustProxy: readonly string[]
  /** Begins all paths: empty, or `/` and a path without a slash at its end. */
  readonly pathPrefix: string
  readonly open?: true
  readonly accounts?: true
  readonly invitedOnly?: true
  readonly readOnly?: true
  readonly log?: 'json'
  /** Where numbers for Prometheus are served; 0 selects a free port. */
  readonly metricsPort?: number
  /** Number of worker threads. */
  readonly workers: number
  /** Path of a METEOR data folder. */
  readonly meteorData?: string
  /** Path of a file of word vectors. */
  readonly embeddings?: string
  /** Path of a folder of pictures. */
  readonly images?: string
}

export const DEFAULT_DATABASE = 'accord.sqlite'

export const databaseOption = () =>
  new Option('--database <location>', 'SQLite file, or URL of a PostgreSQL database: postgres://…')
    .env('ACCORD_DATABASE')
    .default(DEFAULT_DATABASE)
    .argParser(parseText)

/** The configuration file that is read if it exists and no other is named. */
export const CONFIG_FILE = 'accord.config.json'

export const configOption = () =>
  new Option(
    '--config <file>',
    `JSON file with values of options, {"database": "…", "dataset": "coco"} (default: ${CONFIG_FILE} if it exists)`,
  )
    .env('ACCORD_CONFIG')
    .argParser(parseText)

export const quietOption = () =>
  new Option('-q, --quiet', 'write only the result, warnings and errors: no progress, formats or next steps')

export const openOption = () =>
  new Option('--open', 'accept mutations and uploads from everybody, not only from this machine').env(
    'ACCORD_OPEN',
  )

export const accountsOption = () =>
  new Option(
    '--accounts',
    'let users sign in: everybody reads what is not private, hosts and administrators change it',
  )
    .env('ACCORD_ACCOUNTS')
    .conflicts('open')

export const invitedOption = () =>
  new Option('--invited-only', 'with --accounts: only those who are invited to a team can sign up').env(
    'ACCORD_INVITED_ONLY',
  )

export const readOnlyOption = () =>
  new Option('--read-only', 'accept no mutations and no uploads').env('ACCORD_READ_ONLY').conflicts('open')

export const logOption = () =>
  new Option('--log <format>', 'write a line to stderr for each request and job that has ended')
    .env('ACCORD_LOG')
    .choices(['json'])

export const metricsPortOption = () =>
  new Option(
    '--metrics-port <number>',
    'serve /metrics for Prometheus on this port of --host; 0 selects a free port',
  )
    .env('ACCORD_METRICS_PORT')
    .argParser(wholeNumber(0, 65_535))

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

export const uploadLimitOption = () =>
  new Option('--upload-limit <size>', 'maximum size of a file sent to /uploads, in b, kb, mb or gb')
    .env('ACCORD_UPLOAD_LIMIT')
    .default('2gb')
    .argParser(parseSize)

export const submissionLimitOption = () =>
  new Option(
    '--submission-limit <size>',
    'the same for users who are no hosts; all of theirs together: 20 times as much',
  )
    .env('ACCORD_SUBMISSION_LIMIT')
    .default('200mb')
    .argParser(parseSize)

export const allowOriginOption = () =>
  new Option('--allow-origin <origin>', 'origin of web pages that may send requests; repeatable, * for all')
    .env('ACCORD_ALLOW_ORIGIN')
    .default([], 'none')
    .argParser(collectList(parseOrigin))

export const allowHostOption = () =>
  new Option(
    '--allow-host <name>',
    'name of the server in requests, besides localhost and IP addresses; repeatable',
  )
    .env('ACCORD_ALLOW_HOST')
    .default([], 'none')
    .argParser(collectList(parseHost))

export const trustProxyOption = () =>
  new Option(
    '--trust-proxy <address>',
    'address or network of a proxy, such as 10.0.0.0/8, whose X-Forwarded-For names the client; repeatable',
  )
    .env('ACCORD_TRUST_PROXY')
    .default([], 'none')
    .argParser(collectList(parseNetwork))

export const pathPrefixOption = () =>
  new Option(
    '--path-prefix <path>',
    'path before /graphql, /uploads, /health and /ready, for example /accord',
  )
    .env('ACCORD_PATH_PREFIX')
    .default('', 'none')
    .argParser(parsePrefix)

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

/** @param whose pictures the folder has */
export const imagesOption = (whose: string) =>
  new Option(
    '--images <folder>',
    `folder of the pictures ${whose}, found by file name or id, also in subfolders`,
  ).argParser(parseText)

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

/**
 * Like {@link collectUnique}; a value can be a list with commas, also one at its end, as in `METEOR, CIDEr-D`. A comma of a name is
 * written `\\,`.
 */
export function collectList<T>(parse: (text: string) => T): (text: string, previous?: readonly T[]) => T[] {
  const collect = collectUnique(parse)
  return (text, previous = []) =>
    text
      .replace(/(?<=\S)\s*(?<!\\),\s*$/, '')
      .split(/(?<!\\),/)
      .reduce<T[]>((all, item) => collect(item.trim().replaceAll('\\,', ','), all), [...previous])
}

/** The same for files; the comma of a file that exists separates nothing. */
export function collectFiles(text: string, previous: readonly string[] = []): string[] {
  const collect = existsSync(text) ? collectUnique(parseText) : collectList(parseText)
  return collect(text, previous)
}

function parseOrigin(text: string): string {
  if (text === '*') return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && url.origin === text.toLowerCase()) return url.origin
  throw new InvalidArgumentError('Expected * or an origin such as https://dashboard.example.')
}

function parseHost(text: string): string {
  if (/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('Expected the name of a host without a port, such as accord.example.')
}

function parseNetwork(text: string): string {
  const [, address, bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address ?? '')] as number
  if (maxBits > 0 && Number(bits ?? 0) <= maxBits) return text
  throw new InvalidArgumentError('Expected an IP address or a network, such as 10.0.0.0/8.')
}

function parsePrefix(text: string): string {
  if (/^(\/[\w.~-]+)*\/?$/.test(text)) return text.replace(/\/$/, '')
  throw new InvalidArgumentError('Expected a path such as /accord.')
}

function parseSize(text: string): string {
  if (/^\d+(\.\d+)?(b|kb|mb|gb)$/i.test(text)) return text
  throw new InvalidArgumentError('Expected a size such as 500kb, 20mb or 1gb.')
}

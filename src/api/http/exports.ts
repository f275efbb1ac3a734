import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AccordError, quote, unknownName } from '../../errors.js'
import { VERSION } from '../../project.js'
import { checkArguments, isHost, readPublicDatasets } from '../../services/accounts/access.js'
import { findDataset, readContentState, requireDataset } from '../../services/datasets/datasets.js'
import { writeArrow } from '../../services/exports/arrow.js'
import { type ExportTable, writeTable } from '../../services/exports/export-table.js'
import * as tables from '../../services/exports/tables.js'
import type { Accord } from '../../services/shared/accord.js'
import { PARTS_OF_SPEECH } from '../../shared/choices.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { type Allocation, LIMITS, overloaded, refusal } from '../schema/limits.js'
import type { Operations } from '../schema/operations.js'
import { type Sizes, workOf } from '../schema/weights.js'
import { unusedArgument } from '../shared/arguments.js'
import type { Sender } from '../shared/context.js'
import { publicErrorLogged } from '../shared/mutation-error.js'
import { isKnown } from './result.js'

/** The header with the signatures of the figures of a file. */
export const SIGNATURE_HEADER = 'accord-signature'

/** Characters of the signatures in the header: clients accept 16 kB of headers. */
const MAX_SIGNATURES = 8000

/** Bytes of a score in memory, with the id of its image, and of the rest of a file on its way. */
const SCORE_BYTES = 12
const FILE_BYTES = 100_000

/** The most that the share of one client has room for. */
const MAX_SCORES = Math.floor((LIMITS.buffers / 10 - FILE_BYTES) / SCORE_BYTES)

/** Types and writers of files by the ends of their names. */
const FORMATS = {
  csv: { type: 'text/csv; charset=utf-8; header=present', write: (table) => writeTable(table, 'csv') },
  jsonl: { type: 'application/jsonl; charset=utf-8', write: (table) => writeTable(table, 'jsonl') },
  arrow: { type: 'application/vnd.apache.arrow.stream', write: writeArrow },
} as const satisfies Record<string, Format>

interface Format {
  readonly type: string
  readonly write: (table: ExportTable) => AsyncGenerator<string | Uint8Array>
}

/** What a file is made of. */
interface Source {
  readonly accord: Accord
  readonly dataset: Dataset
  readonly sender: Sender
  readonly parameters: Parameters
}

interface Export {
  /** Names of its parameters: those that name datasets as in the API. */
  readonly parameters: readonly string[]
  /** Field of the API that has the same work for workers. */
  readonly field?: string
  make(source: Source): Promise<ExportTable>
}

const WORD_FIGURES = ['PHR', 'AVERAGE_PRECISION', 'WORD_PRECISION'] as const

const EXPORTS: Readonly<Record<string, Export>> = {
  scores: {
    parameters: ['systems', 'metrics', 'references', 'people', 'documents'],
    make: ({ accord, dataset, parameters: { texts, text, whole, flag } }) =>
      tables.exportScores(accord, dataset, {
        systems: texts('systems'),
        metrics: texts('metrics'),
        references: whole('references'),
        people: flag('people'),
        documents: text('documents'),
      }),
  },
  words: {
    parameters: ['systems', 'references', 'partOfSpeech', 'vocabularyOf'],
    make: ({ accord, dataset, parameters: { texts, text, whole, choices } }) =>
      tables.exportWords(accord, dataset, {
        systems: texts('systems'),
        references: whole('references'),
        partOfSpeech: choices('partOfSpeech', PARTS_OF_SPEECH),
        vocabularyOf: text('vocabularyOf'),
      }),
  },
  captions: {
    parameters: ['systems'],
    make: ({ accord, dataset, parameters: { texts } }) =>
      tables.exportCaptionTable(accord, dataset, { systems: texts('systems') }),
  },
  comparisons: {
    parameters: [
      'metrics',
      'wordFigures',
      'systems',
      'people',
      'baseline',
      'references',
      'documents',
      'partOfSpeech',
      'vocabularyOf',
    ],
    field: 'Dataset.comparisons',
    make({ accord, dataset, sender, parameters: { texts, text, whole, flag, choices } }) {
      const [metrics, baseline, documents] = [texts('metrics'), text('baseline'), text('documents')]
      const kinds = choices('wordFigures', WORD_FIGURES)
      const choice = {
        partOfSpeech: choices('partOfSpeech', PARTS_OF_SPEECH),
        vocabularyOf: text('vocabularyOf'),
      }
      if (!metrics && !kinds) {
        throw new AccordError('INVALID_VALUE', 'nothing to compare on', {
          source: 'metrics, wordFigures',
          expected: 'at least one metric or figure of words',
        })
      }
      const unused = (['partOfSpeech', 'vocabularyOf'] as const).find((name) => choice[name] !== undefined)
      if (unused && !kinds)
        throw unusedArgument(
          unused,
          'scores of metrics are not means over words',
          'a value beside wordFigures',
        )
      if (documents !== undefined && !metrics)
        throw unusedArgument('documents', 'figures of words do not depend on it', 'a value beside metrics')
      return tables.exportComparisons(
        accord,
        dataset,
        {
          metrics,
          words: kinds?.map((kind) => ({ kind, ...choice })),
          systems: texts('systems'),
          people: flag('people'),
          baseline: baseline === undefined ? undefined : { system: baseline },
          references: whole('references'),
          documents,
        },
        { owner: sender.owner, signal: sender.signal },
      )
    },
  },
}

/** What files are made by. */
export interface ExportServices {
  readonly accord: Accord
  readonly operations: Operations
  readonly sizes: () => Promise<Sizes>
}

/**
 * Sends a table of a dataset as a file, row by row as it is read: `/NAME/scores.csv?metrics=METEOR`. It is that of the state of the
 * data that its ETag stands for: where this changes while rows are read, the response ends without its end.
 *
 * @param path percent-encoded
 * @param buffers holds what is in memory until the file is sent
 * @throws GraphQLError with an HTTP status
 */
export async function sendExport(
  services: ExportServices,
  request: IncomingMessage,
  response: ServerResponse,
  sender: Sender,
  path: string,
  buffers: Allocation,
): Promise<void> {
  try {
    await send(services, request, response, sender, path, buffers)
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    const { message } = publicErrorLogged(error)
    throw refusal(message.endsWith('?') ? message : `${message}.`, error.code)
  }
}

async function send(
  { accord, operations, sizes }: ExportServices,
  { method, headers, url = '' }: IncomingMessage,
  response: ServerResponse,
  sender: Sender,
  path: string,
  buffers: Allocation,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') throw refusal('Exports are read by GET.', 'BAD_REQUEST', 405)
  const { name, table, format } = partsOf(path)
  const { parameters: known, field, make } = EXPORTS[table]
  const query = new URLSearchParams(url.slice(url.indexOf('?') >>> 0))
  const parameters = readParameters(query, known)
  const named = { dataset: name, vocabularyOf: query.get('vocabularyOf'), documents: query.get('documents') }
  if (!isHost(sender.viewer)) checkArguments(named, await readPublicDatasets(accord))
  const dataset = await requireDataset(accord, name)
  const stateOf = await createState(accord, Object.values(named))
  const state = await stateOf()
  const etag = tagOf([VERSION, path, query.toString(), state])
  const setHeaders = () => {
    const isOfUser = headers.authorization !== undefined || headers.cookie !== undefined
    response.setHeader('cache-control', isOfUser ? 'private, no-cache' : 'no-cache')
    response.setHeader('etag', etag)
    response.appendHeader('vary', 'Authorization, Cookie')
  }
  if (isKnown(etag, headers['if-none-match'])) {
    setHeaders()
    response.writeHead(304).end()
    return
  }
  const work = field === undefined ? undefined : workOf(field)
  const args = workArguments(parameters)
  const giveBack = operations.take(sender.owner, work?.((name) => args[name], await sizes()) ?? 0)
  const content = await make({ accord, dataset, sender, parameters }).finally(giveBack)
  hold(buffers, content)
  const parts = FORMATS[format].write(content)
  // An error before the first row has a status of its own.
  const { value: first = '' } = method === 'HEAD' ? {} : await parts.next()
  setHeaders()
  response.setHeader('content-type', FORMATS[format].type)
  response.setHeader(
    'content-disposition',
    `attachment; filename*=UTF-8''${encodeName(`${name}-${table}.${format}`)}`,
  )
  const signatures = signaturesOf(content)
  if (signatures.length > 0) response.setHeader(SIGNATURE_HEADER, signatures)
  if (method === 'HEAD') {
    response.end()
    return
  }
  async function* whole() {
    yield first
    yield* parts
    if ((await stateOf()) !== state)
      throw new AccordError('CANCELLED', 'the data changed while they were read')
  }
  // A client that has gone gets no error, and one that gets a part sees that the end is missing.
  await pipeline(Readable.from(whole(), { highWaterMark: 1 }), response).catch(() => response.destroy())
}

/** @throws GraphQLError NOT_FOUND */
function partsOf(path: string) {
  const [, encoded = '', file = '', ...rest] = path.split('/')
  const [, table = '', format = ''] = /^(\w+)\.(\w+)$/.exec(file) ?? []
  if (!Object.hasOwn(EXPORTS, table) || !Object.hasOwn(FORMATS, format) || rest.length > 0) {
    const expected = `/export/DATASET/TABLE.FORMAT with a table of ${Object.keys(EXPORTS).join(', ')}, and a format of ${Object.keys(FORMATS).join(', ')}`
    throw refusal(`There is no such export: expected ${expected}.`, 'NOT_FOUND')
  }
  try {
    return { name: decodeURIComponent(encoded), table, format: format as keyof typeof FORMATS }
  } catch {
    throw refusal('There is no such export: the name of the dataset is not percent-encoded.', 'NOT_FOUND')
  }
}

/** Reads the state of the datasets that are named, in which a file is the same. */
async function createState(
  accord: Accord,
  names: readonly (string | null)[],
): Promise<() => Promise<string>> {
  const found = await Promise.all(names.map((name) => (name === null ? null : findDataset(accord, name))))
  const ids = found.flatMap((dataset) => (dataset ? [dataset.id] : []))
  return () => readContentState(accord, ids)
}

/** It is weak because files are compressed on their way. */
function tagOf(parts: readonly string[]): string {
  return `W/"${createHash('sha1').update(JSON.stringify(parts)).digest('base64url')}"`
}

/** The arguments of the field of the API with the same work. */
function workArguments({ texts, text, flag }: Parameters): Readonly<Record<string, unknown>> {
  return {
    metrics: texts('metrics'),
    words: texts('wordFigures'),
    systems: texts('systems'),
    isHumanIncluded: flag('people'),
    baseline: text('baseline'),
  }
}

/** @throws GraphQLError OVERLOADED; AccordError TOO_COSTLY for more scores than there is ever room for */
function hold(buffers: Allocation, { scoresInMemory }: ExportTable): void {
  if (scoresInMemory > MAX_SCORES) {
    throw new AccordError('TOO_COSTLY', 'the file is too large; name fewer metrics', {
      source: 'metrics',
      expected: `at most ${MAX_SCORES} scores of a system`,
      found: String(scoresInMemory),
    })
  }
  if (!buffers.add(FILE_BYTES + SCORE_BYTES * scoresInMemory)) throw overloaded()
}

/** Those that a header has room for; other characters than those of ASCII are percent-encoded. */
function signaturesOf({ signatures }: ExportTable): string[] {
  let room = MAX_SIGNATURES
  return signatures
    .map((signature) => signature.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent))
    .filter((signature) => {
      room -= signature.length
      return room >= 0
    })
}

/** A value of RFC 8187. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
}

/** The parameters of a file, by name; undefined where they are not given. All functions throw AccordError INVALID_VALUE. */
interface Parameters {
  /** A parameter that is given once for each of its values. */
  readonly texts: (name: string) => readonly string[] | undefined
  readonly text: (name: string) => string | undefined
  readonly whole: (name: string) => number | undefined
  readonly flag: (name: string) => boolean | undefined
  readonly choices: <Choice extends string>(
    name: string,
    choices: readonly Choice[],
  ) => readonly Choice[] | undefined
}

/** @throws AccordError INVALID_VALUE for an unknown parameter, and one without a value */
function readParameters(query: URLSearchParams, known: readonly string[]): Parameters {
  for (const [name, value] of query) {
    if (!known.includes(name))
      throw unknownName('INVALID_VALUE', 'unknown parameter', { source: 'parameters', known, found: name })
    if (value === '') throw invalid(name, 'a value', value)
  }
  const texts: Parameters['texts'] = (name) => (query.has(name) ? query.getAll(name) : undefined)
  const text: Parameters['text'] = (name) => {
    const [value, ...others] = texts(name) ?? []
    if (others.length > 0) throw invalid(name, 'one value', [value, ...others].join(', '))
    return value
  }
  return {
    texts,
    text,
    whole(name) {
      const value = text(name)
      if (value !== undefined && !/^\d{1,9}$/.test(value)) throw invalid(name, 'a whole number', value)
      return value === undefined ? undefined : Number(value)
    },
    flag(name) {
      const value = text(name)
      if (value !== undefined && value !== 'true' && value !== 'false')
        throw invalid(name, 'true or false', value)
      return value === undefined ? undefined : value === 'true'
    },
    choices<Choice extends string>(name: string, choices: readonly Choice[]) {
      const values = texts(name)
      const wrong = values?.find((value) => !(choices as readonly string[]).includes(value))
      if (wrong !== undefined) throw invalid(name, `one of ${choices.join(', ')}`, wrong)
      return values as readonly Choice[] | undefined
    },
  }
}

function invalid(source: string, expected: string, found: string): AccordError {
  return new AccordError('INVALID_VALUE', 'invalid parameter', { source, expected, found: quote(found) })
}

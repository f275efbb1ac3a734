import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { yieldToEventLoop } from '../../event-loop.js'
import { type Allocation, LIMITS, overloaded, refusal } from '../schema/limits.js'

/** Bytes of a body that takes much longer to parse than most. */
const LARGE = 50_000

/**
 * Reads the JSON body of a request; undefined if it is empty.
 *
 * @param buffers holds the bytes as they arrive
 * @throws GraphQLError BAD_REQUEST, BODY_TOO_LARGE, OVERLOADED or TIMEOUT, with an HTTP status
 */
export async function readBody(request: IncomingMessage, buffers: Allocation): Promise<unknown> {
  const { headers } = request
  requireJson(headers['content-type'])
  requireIdentity(headers['content-encoding'])
  if (Number(headers['content-length'] ?? 0) > LIMITS.body) throw tooLarge()
  const bytes = await readBytes(request, buffers)
  if (bytes.length === 0) return undefined
  // Bodies of many clients arrive in one turn of the event loop.
  if (bytes.length > LARGE) await yieldToEventLoop()
  if (!isUtf8(bytes)) throw badRequest('expected UTF-8')
  try {
    return parseJson(bytes.toString().replace(/^\uFEFF/, ''))
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(error.message) : error
  }
}

/** Listens itself: an iterator and a race with a timer take longer than `{ __typename }` is executed. */
function readBytes(request: IncomingMessage, buffers: Allocation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A body can be sent byte by byte: chunks that are kept would take 300 times as much memory.
    let bytes: Buffer = Buffer.alloc(0)
    let size = 0
    const timer = setTimeout(() => fail(tooSlow('the body', LIMITS.bodySeconds)), LIMITS.bodySeconds * 1000)
    function take(chunk: Buffer): void {
      size += chunk.length
      if (size > LIMITS.body) fail(tooLarge())
      else if (!buffers.add(chunk.length)) fail(overloaded())
      else append(chunk)
    }
    function append(chunk: Buffer): void {
      if (size === chunk.length) {
        bytes = chunk
        return
      }
      if (size > bytes.length) {
        const longer = Buffer.allocUnsafeSlow(Math.min(2 * size, LIMITS.body))
        bytes.copy(longer)
        bytes = longer
      }
      chunk.copy(bytes, size - chunk.length)
    }
    function end(): void {
      clearTimeout(timer)
      resolve(bytes.subarray(0, size))
    }
    /** Nothing more is read. */
    function fail(error: Error): void {
      clearTimeout(timer)
      request.off('data', take).pause()
      reject(error)
    }
    request.on('data', take).on('end', end)
    request.on('error', ({ message }) => fail(badRequest(message)))
  })
}

function requireJson(contentType = ''): void {
  const [type, ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='))
  const isUtf8Charset = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (isUtf8Charset && /^application\/([\w.-]+\+)?json$/.test(type.trim())) return
  const message =
    'The request cannot be read: expected a JSON body in UTF-8 with content-type application/json.'
  throw refusal(message, 'BAD_REQUEST', 415)
}

/** Small bodies can be decompressed to very large ones. Files are compressed where they are, not on their way. */
export function requireIdentity(encoding = 'identity'): void {
  if (encoding.toLowerCase() === 'identity') return
  const found = JSON.stringify(encoding.slice(0, 100))
  const message = `The request cannot be read: expected a body without content-encoding, found ${found}.`
  throw refusal(message, 'BAD_REQUEST', 415)
}

function badRequest(reason: string) {
  return refusal(`The request cannot be read: ${reason}.`, 'BAD_REQUEST')
}

function tooLarge() {
  const advice = 'Files are imported by /uploads.'
  const message = `The request is too large: expected at most ${LIMITS.body} bytes. ${advice}`
  return refusal(message, 'BODY_TOO_LARGE')
}

/**
 * Waits for something that a client sends.
 *
 * @param what for the error
 * @param signal ends waiting
 * @throws GraphQLError with status 408 when the time is over; the reason of the signal
 */
export function within<Result>(
  seconds: number,
  what: string,
  sent: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => reject(tooSlow(what, seconds)), seconds * 1000)
    sent.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
  })
}

/** The error for what did not arrive in time. */
export function tooSlow(what: string, seconds: number) {
  return refusal(`The request is too slow: expected ${what} within ${seconds} s.`, 'TIMEOUT')
}

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'",[\\]{}'].map(
  (character) => character.charCodeAt(0),
)

/**
 * Reads JSON that a client sent. Its size is checked before anything is allocated: nested or tiny values take a hundred
 * times as much memory as their text.
 *
 * @throws GraphQLError BAD_REQUEST for too many levels or values; SyntaxError
 */
export function parseJson(text: string): unknown {
  let level = 0
  let values = 1
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++level > LIMITS.levels) throw tooManyValues(`${LIMITS.levels} levels`)
        if (++values > LIMITS.values) throw tooManyValues(`${LIMITS.values} values`)
        break
      case COMMA:
        if (++values > LIMITS.values) throw tooManyValues(`${LIMITS.values} values`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level--
    }
  }
  return JSON.parse(text)
}

/** The place of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i
    if (code === BACKSLASH) i++
  }
  return text.length
}

function tooManyValues(expected: string) {
  return refusal(
    `The request cannot be read: expected JSON of at most ${expected}, found more.`,
    'BAD_REQUEST',
  )
}

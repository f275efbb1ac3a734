import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { LIMITS } from '../execution/limits.js'
import { overloaded, refusal } from './bad-input.js'
import { parseJson } from './json.js'
import type { Holding } from './share.js'
import { tooSlow } from './time-limit.js'

/**
 * Reads the JSON body of a request; undefined if it is empty.
 *
 * @param memory holds the bytes as they arrive
 * @throws GraphQLError BAD_REQUEST, BODY_TOO_LARGE, OVERLOADED or TIMEOUT, with an HTTP status
 */
export async function readBody(request: IncomingMessage, memory: Holding): Promise<unknown> {
  const { headers } = request
  requireJson(headers['content-type'])
  requireIdentity(headers['content-encoding'])
  if (Number(headers['content-length'] ?? 0) > LIMITS.body) throw tooLarge()
  const bytes = await readBytes(request, memory)
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw badRequest('expected UTF-8')
  try {
    return parseJson(bytes.toString())
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(error.message) : error
  }
}

/** Listens itself: an iterator and a race with a timer take longer than `{ __typename }` is executed. */
function readBytes(request: IncomingMessage, memory: Holding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A body can be sent byte by byte: chunks that are kept would take 300 times as much memory.
    let bytes: Buffer = Buffer.alloc(0)
    let size = 0
    const timer = setTimeout(() => fail(tooSlow('the body', LIMITS.bodySeconds)), LIMITS.bodySeconds * 1000)
    function take(chunk: Buffer): void {
      size += chunk.length
      if (size > LIMITS.body) fail(tooLarge())
      else if (!memory.add(chunk.length)) fail(overloaded())
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
  return refusal(message, 'BODY_TOO_LARGE', 413)
}

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { LIMITS } from '../execution/limits.js'
import { refusal } from './bad-input.js'
import { within } from './time-limit.js'

/** Seconds to wait for a whole body. */
const BODY_SECONDS = 60

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * Reads the JSON body of a request; undefined if it is empty.
 *
 * @throws GraphQLError BAD_REQUEST, BODY_TOO_LARGE or TIMEOUT, with an HTTP status
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  requireJson(request.headers['content-type'])
  const bytes = await within(BODY_SECONDS, 'the body', readBytes(request))
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw badRequest((error as Error).message)
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decoded(request) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LIMITS.body) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error ? badRequest(error.message) : error
  }
  return Buffer.concat(chunks)
}

function requireJson(contentType = ''): void {
  const [type, ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (isUtf8 && /^application\/([\w.-]+\+)?json$/.test(type.trim())) return
  const message =
    'The request cannot be read: expected a JSON body in UTF-8 with content-type application/json.'
  throw refusal(message, 'BAD_REQUEST', 415)
}

function decoded(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return request
  if (!Object.hasOwn(DECODERS, encoding)) {
    const names = Object.keys(DECODERS).join(', ')
    throw refusal(`The request cannot be read: expected a content-encoding of ${names}.`, 'BAD_REQUEST', 415)
  }
  const decoder = DECODERS[encoding as keyof typeof DECODERS]()
  request.once('error', (error) => decoder.destroy(error))
  request.once('close', () => {
    if (!request.complete) decoder.destroy()
  })
  return request.pipe(decoder)
}

function badRequest(reason: string) {
  return refusal(`The request cannot be read: ${reason}.`, 'BAD_REQUEST')
}

function tooLarge() {
  const advice = 'Files are imported by /uploads.'
  const message = `The request is too large: expected at most ${LIMITS.body} bytes. ${advice}`
  return refusal(message, 'BODY_TOO_LARGE', 413)
}

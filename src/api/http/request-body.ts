import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { JSONParser } from '@streamparser/json'
import { giveWay } from '../../turns.js'
import { refusal } from './bad-input.js'

/** Bytes of a body that are parsed at once. The rest is parsed in pieces, and other requests are handled in between. */
const PARSED_AT_ONCE = 1_000_000

const PIECE = 16_384

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** A parsed body. */
export interface RequestBody {
  readonly value: unknown
  /** Bytes after decompression. */
  readonly size: number
}

/**
 * Reads the JSON body of a request.
 *
 * @param limit maximum number of bytes after decompression
 * @param limitText the same for people
 * @throws GraphQLError BAD_REQUEST or BODY_TOO_LARGE, with an HTTP status
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  limitText: string,
): Promise<RequestBody> {
  requireJson(request.headers['content-type'])
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decoded(request) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw tooLarge(limitText, request.headers['content-length'])
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error ? badRequest(error.message) : error
  }
  const bytes = Buffer.concat(chunks)
  if (size === 0) return { value: undefined, size }
  try {
    return { value: size <= PARSED_AT_ONCE ? JSON.parse(bytes.toString()) : await parseInPieces(bytes), size }
  } catch (error) {
    throw badRequest((error as Error).message)
  }
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

async function parseInPieces(bytes: Buffer): Promise<unknown> {
  const parser = new JSONParser({ paths: ['$'], keepStack: false })
  let result: unknown
  parser.onValue = ({ value }) => {
    result = value
  }
  for (let start = 0; start < bytes.length; start += PIECE) {
    parser.write(bytes.subarray(start, start + PIECE))
    await giveWay()
  }
  if (!parser.isEnded) throw new Error('Unexpected end of JSON input')
  return result
}

function badRequest(reason: string) {
  return refusal(`The request cannot be read: ${reason}.`, 'BAD_REQUEST')
}

function tooLarge(limit: string, contentLength: string | undefined) {
  const found = contentLength === undefined ? 'more' : `${contentLength} bytes`
  return refusal(
    `The request is too large: expected at most ${limit}, found ${found}. The option --body-limit of the server sets the maximum.`,
    'BODY_TOO_LARGE',
    413,
  )
}

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HTTPGraphQLResponse } from '@apollo/server'
import type { RequestErrorCode } from '../../shared/error-codes.js'
import { type Allocation, overloaded } from '../schema/limits.js'

/** What a GraphQL request is answered with. */
export interface Answer {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly bytes: Uint8Array
  /** Whether it has data, and no errors. */
  readonly isComplete: boolean
}

export function toAnswer(result: HTTPGraphQLResponse): Answer {
  const text = completeText(result)
  return {
    status: isRefused(result, text) ? (result.status as number) : 200,
    headers: result.headers,
    bytes: Buffer.from(text),
    isComplete: text.startsWith('{"data":'),
  }
}

/**
 * Sends the answer to a GraphQL request. Those to GET requests have a weak ETag: a client that has the same answer is
 * answered 304, without a body. Caches on the way keep none that may be for a user.
 *
 * @param buffers holds the bytes until it is sent
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, bytes }: Answer,
  buffers: Allocation,
): void {
  if (!buffers.add(bytes.length)) throw overloaded()
  for (const [name, value] of headers) response.setHeader(name, value)
  response.statusCode = status
  if (request.method !== 'GET' || status !== 200) {
    response.setHeader('cache-control', 'no-store')
    response.end(bytes)
    return
  }
  const etag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  const { authorization, cookie } = request.headers
  const isOfUser = authorization !== undefined || cookie !== undefined
  response.setHeader('cache-control', isOfUser ? 'private, no-cache' : 'no-cache')
  response.setHeader('etag', etag)
  response.appendHeader('vary', 'Accept, Authorization, Cookie')
  if (isKnown(etag, request.headers['if-none-match'])) response.writeHead(304).end()
  else response.end(bytes)
}

/** The JSON of a result, with a line break. */
export function completeText({ body }: HTTPGraphQLResponse): string {
  if (body.kind !== 'complete') throw new Error('The server sends complete responses only.')
  return body.string
}

/**
 * Whether the status of a response is that of a failure. Clients that accept no more than application/json expect 200 for
 * each request that GraphQL can answer, if only with errors.
 */
function isRefused({ status = 200, headers }: HTTPGraphQLResponse, text: string): boolean {
  if (status !== 400 || !headers.get('content-type')?.startsWith('application/json')) return status !== 200
  const code: RequestErrorCode = JSON.parse(text).errors[0].extensions.code
  return code === 'BAD_REQUEST'
}

/** Whether a client has what a tag stands for. @param header If-None-Match */
export function isKnown(etag: string, header = ''): boolean {
  const known = header.split(',').map((tag) => tag.trim())
  return known.includes('*') || known.includes(etag) || known.includes(etag.slice(2))
}

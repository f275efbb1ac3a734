import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HTTPGraphQLRequest, HTTPGraphQLResponse } from '@apollo/server'
import type { Log } from '../../log.js'
import { completeText } from './result.js'

/** The header with the id of a request, as the log has it. */
export const REQUEST_ID_HEADER = 'accord-request-id'

/** The status that stands for a client that has gone before the end of its response. */
const CLIENT_GONE = 499

/** What is known of a request that is logged. */
interface Noted {
  operation?: string
  code?: string
}

/** Of requests that are logged, and of no others. */
const notes = new WeakMap<ServerResponse, Noted>()

/** Logs a request when it has ended, with an id that the client has too. */
export function logRequest(log: Log, request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now()
  const id = randomUUID()
  const noted: Noted = {}
  notes.set(response, noted)
  response.setHeader(REQUEST_ID_HEADER, id)
  const { method = '', url = '' } = request
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : CLIENT_GONE
    const [path] = url.split('?', 1)
    log({ event: 'request', id, method, path, ...noted, status, ms: performance.now() - started })
  })
}

/** The name of the operation, in the body of a POST request or in the address of others. */
export function noteOperation(response: ServerResponse, { method, search, body }: HTTPGraphQLRequest): void {
  const noted = notes.get(response)
  if (!noted) return
  const { operationName } =
    method === 'POST'
      ? ((body ?? {}) as { readonly operationName?: unknown })
      : { operationName: new URLSearchParams(search).get('operationName') }
  if (typeof operationName === 'string') noted.operation = operationName.slice(0, MAX_NAME)
}

const MAX_NAME = 100

export function noteCode(response: ServerResponse, code: string): void {
  const noted = notes.get(response)
  if (noted) noted.code = code
}

/** The code of the first error of a result. */
export function noteResult(response: ServerResponse, result: HTTPGraphQLResponse): void {
  if (!notes.has(response)) return
  const text = completeText(result)
  if (!text.includes('"errors":[')) return
  const code = JSON.parse(text).errors?.[0]?.extensions?.code
  if (typeof code === 'string') noteCode(response, code)
}

import { AccordError } from '../errors.js'
import type { ErrorCode } from '../shared/error-codes.js'

/** A server, and how it is asked. */
export interface Server {
  /** Its address, such as https://accord.example/. */
  readonly server: string
  /** That prove who asks. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Something that a server has sent as JSON. */
export interface ServerAnswer<Content> {
  readonly content: Content
  /** Of the response. */
  readonly headers: Headers
}

/** What an operation led to. */
interface Result<Data> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: ErrorCode }
  }[]
}

/**
 * Executes an operation of the API of a server. What failed of it is in the answer.
 *
 * @throws AccordError FILE_NOT_FOUND for a server that does not answer
 */
export function executeOn<Data>(
  at: Server,
  query: string,
  variables: object,
): Promise<ServerAnswer<Result<Data>>> {
  return postTo(at, 'graphql', 'application/json', JSON.stringify({ query, variables }))
}

/**
 * The same, if nothing failed.
 *
 * @param source of errors that a mutation returns. Default: what their messages name
 * @throws AccordError of the operation or, where a mutation returns an error, of that; FILE_NOT_FOUND
 */
export async function askServer<Data extends object>(
  at: Server,
  query: string,
  variables: object,
  source?: string,
): Promise<ServerAnswer<Data>> {
  const { content, headers } = await executeOn<Data>(at, query, variables)
  const { data, errors } = content
  const refusal = Object.values(data ?? {}).find(isRefusal)
  if (refusal) throw new AccordError(refusal.code, refusal.message, { source })
  if (errors)
    throw new AccordError(
      errors[0]?.extensions?.code ?? 'NOT_APPLICABLE',
      errors.map(({ message }) => message).join('; '),
      { source: at.server },
    )
  return { content: data as Data, headers }
}

function isRefusal(value: unknown): value is { readonly code: ErrorCode; readonly message: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value
}

/**
 * Sends a body to a path of a server.
 *
 * @throws AccordError of the server; FILE_NOT_FOUND for one that does not answer
 */
export async function postTo<Content>(
  { server, headers = {} }: Server,
  path: string,
  type: string,
  body: Blob | string,
): Promise<ServerAnswer<Content>> {
  const unreachable = (found: string) =>
    new AccordError('FILE_NOT_FOUND', 'the server does not answer as accord serve does', {
      source: server,
      found,
    })
  const response = await fetch(belowServer(server, path), {
    method: 'POST',
    headers: { 'content-type': type, accept: 'application/json', ...headers },
    body,
  }).catch((error: Error) => {
    throw unreachable(String((error.cause as Error | undefined)?.message ?? error.message))
  })
  const text = await response.text()
  const content = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => {
      throw unreachable(`status ${response.status}`)
    })
  if (response.ok || 'data' in content) return { content, headers: response.headers }
  const [error = content] = content.errors ?? []
  throw new AccordError(
    error.extensions?.code ?? error.code ?? 'NOT_APPLICABLE',
    String(error.message ?? text),
    { source: server },
  )
}

/** The address of a path of a server, which can itself be below a path. */
export function belowServer(server: string, path: string): URL {
  return new URL(path, server.endsWith('/') ? server : `${server}/`)
}

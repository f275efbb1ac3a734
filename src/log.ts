/** What a server or a worker writes about what it has done: one line of JSON each. */
export type LogEntry = RequestEntry | JobEntry

interface RequestEntry {
  readonly event: 'request'
  /** Sent to the client as the header `accord-request-id`. */
  readonly id: string
  readonly method: string
  /** Without the query, which may have a name of a person or a secret. */
  readonly path: string
  /** The name of the GraphQL operation. */
  readonly operation?: string
  /** Of the response; 499 if the client has gone before its end. */
  readonly status: number
  /** Of the error, or of the first one. */
  readonly code?: string
  readonly ms: number
}

interface JobEntry {
  readonly event: 'job'
  readonly id: number
  readonly kind: string
  /** Of the error of a job that has failed, was cancelled or goes on later. */
  readonly code?: string
  readonly ms: number
}

export type Log = (entry: LogEntry) => void

/** Writes entries as JSON Lines to stderr, with the time and a level. */
export const logAsJson: Log = (entry) => {
  const line = { time: new Date().toISOString(), level: levelOf(entry), ...entry }
  process.stderr.write(`${JSON.stringify({ ...line, ms: Math.round(entry.ms * 10) / 10 })}\n`)
}

/** `error` for what an operator has to look at, `warn` for what was refused. */
function levelOf(entry: LogEntry): 'info' | 'warn' | 'error' {
  if (entry.code === undefined) return 'info'
  const isError = entry.event === 'job' ? entry.code === 'INTERNAL' : entry.status >= 500
  return isError ? 'error' : 'warn'
}

import { basename } from 'node:path'
import type { JobKind } from '../../queue/kind.js'
import type { Job } from '../jobs/jobs.js'
import { type JobName, KINDS } from './kinds.js'

/** What a job did, in one sentence. Null until it is done. */
export function summaryOf({ kind, status, input, result }: Job): string | null {
  if (status !== 'DONE') return null
  const { summary } = KINDS[kind as JobName] as JobKind<unknown, unknown>
  return summary?.(input, result) ?? 'Answered the query.'
}

/** The input of a job as JSON, without ids of rows and uploads, and without folders of the machine. */
export function inputOf({ input }: Job): string {
  return JSON.stringify(input, (key, value: unknown) => {
    if (HIDDEN.includes(key)) return undefined
    return key === 'path' && typeof value === 'string' ? basename(value) : value
  })
}

const HIDDEN = ['datasetId', 'systemId', 'systemIds', 'upload']

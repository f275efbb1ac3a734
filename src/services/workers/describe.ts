import { basename } from 'node:path'
import { type JobKind, kindsWith } from '../../queue/kind.js'
import type { Job } from '../jobs/jobs.js'
import type { JobName } from '../shared/job-kinds.js'
import { KINDS } from './kinds.js'

/** What a job did, in a sentence, and in a second one that it did not do all. Null for nothing yet. */
export function summaryOf({ kind, status, input, result }: Job): string | null {
  const { summary } = KINDS[kind as JobName] as JobKind<unknown, unknown>
  if (status === 'DONE') return summary?.(input, result) ?? 'Answered the query.'
  if (result === null || !summary) return null
  return `${summary(input, result)} ${SCORING[status]}`
}

/** What became of the scores of files that are imported. */
const SCORING = {
  QUEUED: 'Scoring them goes on.',
  RUNNING: 'They are being scored.',
  FAILED: 'Scoring them failed.',
  CANCELLED: 'Scoring them was cancelled.',
}

/** A value of an input, with its name. */
export interface NamedText {
  readonly name: string
  readonly text: string
}

/**
 * The input of a job, without ids of rows and uploads, and without folders of the machine: the values of a list one after the
 * other with the same name, those of objects under a path, such as `figures.0.metric`.
 */
export function inputOf({ input }: Job): NamedText[] {
  return textsOf('', input)
}

function textsOf(name: string, value: unknown): NamedText[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [{ name, text: String(value) }]
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object'))
    return value.flatMap((entry) => textsOf(name, entry))
  return Object.entries(value)
    .filter(([key]) => !HIDDEN.includes(key))
    .flatMap(([key, entry]) =>
      textsOf(
        name === '' ? key : `${name}.${key}`,
        key === 'path' && typeof entry === 'string' ? basename(entry) : entry,
      ),
    )
}

const HIDDEN = ['datasetId', 'systemId', 'systemIds', 'upload']

/**
 * Kinds of jobs.
 *
 * @param kinds default: all
 * @param isQuery whether only queries, or only other kinds. Default: both
 * @returns undefined for all
 */
export function selectKinds(
  kinds: readonly string[] | undefined,
  isQuery: boolean | null | undefined,
): readonly string[] | undefined {
  if (isQuery == null) return kinds
  const queries = kindsWith(KINDS, 'isQuery')
  return (kinds ?? Object.keys(KINDS)).filter((kind) => queries.includes(kind) === isQuery)
}

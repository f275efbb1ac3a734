import { setTimeout as sleep } from 'node:timers/promises'
import { currentTime } from '../../clock.js'
import { splitForTraining, splitKey } from '../../core/bounds/material.js'
import { checkSettings } from '../../core/bounds/settings.js'
import { visualAtoms } from '../../core/bounds/votes.js'
import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import type { JobContext } from '../../queue/kind.js'
import { recoverExpired } from '../../queue/lease.js'
import { ATOM_KINDS, type BoundSettings } from '../../shared/choices.js'
import { readVotes } from '../../store/atoms.js'
import * as store from '../../store/bounds.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import { findJobs } from '../../store/jobs.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { requireEnglish } from '../shared/tokens.js'
import { readSplitCaptions, type SplitCaptions } from './bound-material.js'

/** Maximum time that a training waits for the end of another one's lease, in milliseconds. */
const MAX_WAIT_MS = 20_000

/** Time for which the preparation of a training is kept for the next one. */
const PREPARATION_MS = 60_000

/** What is shared by several points of one split. */
export interface BoundPreparation {
  readonly split: store.StoredSplit
  readonly captions: SplitCaptions
}

/** @throws AccordError NOT_APPLICABLE for a dataset that is too small */
async function requireSplit(
  session: Session,
  dataset: Dataset,
  settings: BoundSettings,
): Promise<store.StoredSplit> {
  const key = splitKey(settings)
  const stored = await store.findSplit(session, dataset.id, key)
  if (stored) return stored
  const { imageIds, firstCaption } = await readReferenceCaptions(session, dataset.id)
  const described = imageIds.filter((_, image) => firstCaption[image + 1] > firstCaption[image])
  const split = splitForTraining(described, settings)
  return { id: await store.insertSplit(session, dataset.id, key, split), ...split }
}

/**
 * The bound with these settings, inserted if it does not exist.
 *
 * @throws AccordError OUT_OF_RANGE for settings; NOT_APPLICABLE for a dataset that is too small
 */
export async function requireBound(
  session: Session,
  dataset: Dataset,
  settings: BoundSettings,
): Promise<Bound> {
  checkSettings(settings)
  requireEnglish(dataset, 'upper bounds from atoms')
  const key = await keyOf(session, dataset, settings)
  const existing = await store.findBound(session, dataset.id, key)
  if (existing) return existing
  const { id: splitId } = await requireSplit(session, dataset, settings)
  const id = await store.insertBound(session, { datasetId: dataset.id, splitId, key, settings })
  const [bound] = await store.findBounds(session, [id])
  return bound
}

/** Bounds with visual atoms alone depend on the votes as well. */
async function keyOf(session: Session, dataset: Dataset, settings: BoundSettings): Promise<string> {
  const key = JSON.stringify(settings)
  if (!settings.visualOnly) return key
  const visual = visualAtoms(await readVotes(session, dataset.id))
  return `${key} ${ATOM_KINDS.flatMap((kind) => [...visual[kind]].sort()).join(' ')}`
}

/** The bound that a job trained or imported. */
export interface BoundResult {
  readonly boundId: number
}

export type BoundContext = Pick<JobContext<never, BoundResult>, 'id' | 'database' | 'requireLease'>

/**
 * Makes the job the one that trains the bound. If the process of another one was killed, waits for the end of its lease.
 *
 * @throws AccordError BUSY while another job trains it
 */
export async function claimBound({ id: jobId, database }: BoundContext, { id }: Bound): Promise<void> {
  for (let hasWaited = false; ; hasWaited = true) {
    const other = await database.transaction(async (session) => {
      const [{ jobId: holder }] = await store.lockBounds(session, [id])
      const [job] = holder === null || holder === jobId ? [] : await findJobs(session, [holder])
      if (job && job.status === 'RUNNING') return job
      await store.assignJob(session, id, jobId)
      return null
    })
    if (other === null) return
    const left =
      other.leaseUntil === null ? Number.POSITIVE_INFINITY : Date.parse(other.leaseUntil) - currentTime()
    // A job that is still running renews its lease.
    if (hasWaited || left > MAX_WAIT_MS) throw beingTrained()
    await sleep(Math.max(0, left) + 10)
    await recoverExpired(database)
  }
}

function beingTrained(): AccordError {
  return new AccordError('BUSY', 'the bound is being trained by another process', {
    source: 'bound',
    expected: 'one training of the same settings at a time',
  })
}

/** The last preparation, for the points of a figure, which are trained one after the other. */
let prepared: (BoundPreparation & { readonly database: Database }) | undefined

let forgetting: NodeJS.Timeout | undefined

export async function prepareOnce(
  database: Database,
  dataset: Dataset,
  settings: BoundSettings,
  progress: Progress,
): Promise<BoundPreparation> {
  const split = await requireSplit(database, dataset, settings)
  if (prepared?.database !== database || prepared.split.id !== split.id) {
    prepared = { database, split, captions: await readSplitCaptions(database, split, progress) }
  }
  clearTimeout(forgetting)
  forgetting = setTimeout(() => {
    prepared = undefined
  }, PREPARATION_MS).unref()
  return prepared
}

import type { MeasureProgress } from '../core/metrics/metric.js'
import type { StoredMetrics } from '../core/metrics/registry.js'
import type { ErrorData } from '../errors.js'
import type { WorkKind, Works } from './works.js'

/** Message to a worker thread: a run to take part in. */
export interface RunMessage<Kind extends WorkKind = WorkKind> {
  readonly run: number
  readonly kind: Kind
  readonly input: Works[Kind]['input']
  readonly taskCount: number
  /** The metrics of the database that the registry has. */
  readonly stored: StoredMetrics
  /** Shared between the threads, see {@link RunControl}. */
  readonly control: RunControl
}

/** Message from a worker thread: the output of a task, or the error that ended its part of the run. */
export type ThreadMessage = { readonly run: number } & (
  | { readonly kind: 'output'; readonly task: number; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: ErrorData }
)

/** State of a run, shared by its threads: next task, whether it is cancelled, completed work. */
export type RunControl = Int32Array

const NEXT_TASK = 0
const CANCELLED = 1
const COMPLETED = 2

/** Completed work is counted in parts of a task. */
const PARTS_PER_TASK = 1000

export function createRunControl(): RunControl {
  return new Int32Array(new SharedArrayBuffer(12))
}

/** Takes the next task of a run; −1 if there is none. */
export function takeTask(control: RunControl, taskCount: number): number {
  if (isCancelled(control)) return -1
  const task = Atomics.add(control, NEXT_TASK, 1)
  return task < taskCount ? task : -1
}

export function cancelRun(control: RunControl): void {
  Atomics.store(control, CANCELLED, 1)
}

export function isCancelled(control: RunControl): boolean {
  return Atomics.load(control, CANCELLED) === 1
}

/** The completed share of a run, 0 to 1. */
export function completedShare(control: RunControl, taskCount: number): number {
  return Math.min(1, Atomics.load(control, COMPLETED) / PARTS_PER_TASK / taskCount)
}

/** Adds the progress of one task to that of the run. @param onChange called after every change */
export function taskProgress(control: RunControl, onChange: () => void): MeasureProgress {
  let completed = 0
  return (share) => {
    const parts = Math.floor(share * PARTS_PER_TASK)
    Atomics.add(control, COMPLETED, parts - completed)
    completed = parts
    onChange()
  }
}

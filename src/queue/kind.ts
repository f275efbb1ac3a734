import type { Threads } from '../compute/pool.js'
import type { Progress } from '../progress.js'
import type { Database, Session } from '../store/engine/session.js'

/** What a computation works with. */
export interface Computation<Input> {
  readonly input: Input
  readonly database: Database
  /** The pool of this process, with the metrics of the database. Loaded when it is first used. */
  threads(): Promise<Threads>
  /** Throws if the job must stop. */
  readonly progress: Progress
}

/** Returned by a handler that has stored the end of its job, or its parts, in the transaction of its work. */
export const RECORDED = Symbol('recorded')

/** What a job works with: a computation, and its row in the queue. */
export interface JobContext<Input, Result> extends Computation<Input> {
  readonly id: number
  readonly owner: string
  /** What an earlier attempt has stored by `storeResult`; null for nothing. */
  readonly result: unknown
  /** Whether this process waits for the end of the job: no other one executes parts of it. */
  readonly isLocal: boolean
  /** @throws LeaseLost if another worker has taken the job over; call it in transactions that write before the end */
  requireLease(session: Session): Promise<void>
  /**
   * Stores the result in the transaction that makes it, where the job goes on after that: it stays where the job then fails or is
   * cancelled. A dataset that it names becomes the subject of the job.
   *
   * @throws LeaseLost if another worker has taken the job over
   */
  storeResult(session: Session, result: { readonly datasetId: number }): Promise<void>
  /** Adds a job of the same owner that follows from this one, also if the queue is full. @returns its id */
  follow(session: Session, kind: string, input: unknown): Promise<number>
  /** Runs `work` and stores its result in one transaction, so that a job that has written data is not repeated. */
  finishWith(work: (session: Session) => Promise<Result>): Promise<typeof RECORDED>
  /**
   * Adds parts; the handler of the job is called again after the last one has ended.
   *
   * @param prepare writes data for the parts in the same transaction
   */
  waitForShards(
    kind: string,
    shards: readonly unknown[],
    prepare?: (session: Session) => Promise<void>,
  ): Promise<typeof RECORDED>
  /**
   * Stores the output of a part under its job, kind and position, and ends it, in one transaction.
   *
   * @param progressOf progress of the job for a share of ended parts
   */
  finishShard(content: Buffer, progressOf: (share: number) => number): Promise<typeof RECORDED>
}

/** Executes the jobs of a kind. */
export type Handler<Input, Result> = (context: JobContext<Input, Result>) => Promise<Result | typeof RECORDED>

/** Answers a query. */
export type QueryHandler<Input, Result> = (context: Computation<Input>) => Promise<Result>

interface KindOptions<Input> {
  /** Jobs of one owner are executed by descending priority; those below 0, when no other job is queued. */
  readonly priority: number
  /** Requests wait for it: an additional thread of workers executes only such jobs. */
  readonly isAwaited?: boolean
  /** It continues from a checkpoint, so that little is lost where it is interrupted. */
  readonly isResumable?: boolean
  /** Names of existing datasets that it is about, beside `datasetId` of its input; the first is its subject. */
  datasetNames?(input: Input): readonly (string | undefined)[]
}

/** A kind of jobs that change the database. */
export interface JobKind<Input, Result> extends KindOptions<Input> {
  readonly isQuery?: false
  /** Loads the modules that execute jobs of the kind. */
  load(): Promise<Handler<Input, Result>>
  /** What such a job did, in one sentence. Parts of jobs have none. */
  summary?(input: Input, result: Result): string
}

/** A kind of jobs that are removed some time after their end: nothing but their result depends on them. */
export interface QueryKind<Input, Result> extends KindOptions<Input> {
  readonly isQuery: true
  load(): Promise<QueryHandler<Input, Result>>
}

export type Kind<Input, Result> = JobKind<Input, Result> | QueryKind<Input, Result>

/** All kinds of jobs by name: all that the queue knows of what jobs do. Inputs and results are stored as JSON. */
export type Kinds = Readonly<Record<string, Kind<never, unknown>>>

/** The names of a table of kinds. */
export type KindName<Table extends Kinds> = keyof Table & string

/** The input of a kind. */
export type InputOf<Entry> = Entry extends Kind<infer Input, unknown> ? Input : never

/** The result of a kind. */
export type ResultOf<Entry> = Entry extends { load(): Promise<(...context: never) => Promise<infer Result>> }
  ? Exclude<Result, typeof RECORDED>
  : never

/** The names of the kinds with a property. */
export function kindsWith(kinds: Kinds, property: 'isAwaited' | 'isResumable' | 'isQuery'): string[] {
  return Object.keys(kinds).filter((name) => kinds[name][property])
}

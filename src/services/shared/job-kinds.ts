import type { InputOf, KindName, ResultOf } from '../../queue/kind.js'

/**
 * The kinds of jobs by name. The table of workers declares them here, so that what starts a job depends on its input and its result,
 * and not on what executes it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: services/workers/kinds.ts extends it
export interface DeclaredKinds {}

export type JobKinds = { readonly [Name in keyof DeclaredKinds]: DeclaredKinds[Name] }

export type JobName = KindName<JobKinds>

export type JobInput<Name extends JobName> = InputOf<JobKinds[Name]>

export type JobResult<Name extends JobName> = ResultOf<JobKinds[Name]>

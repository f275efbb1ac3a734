import type { Job } from '../../services/jobs/jobs.js'
import { asData } from '../execution/mutation-error.js'

/** The failures of mutations that start a job; later ones are those of the job. */
const FAILURES = ['InvalidInputError', 'NotFoundError', 'NameTakenError'] as const

/** The result of a mutation that starts or cancels a job. */
export function asJob(start: () => Promise<Job>) {
  return asData('JobSuccess', FAILURES, async () => ({ job: await start() }))
}

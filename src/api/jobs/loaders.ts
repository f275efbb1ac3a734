import { jobsById, newestJobBySystem } from '../../services/jobs/jobs.js'
import { defineRowLoader } from '../execution/loader.js'

export const loadJob = defineRowLoader(jobsById)

/** The newest evaluation of a system. */
export const loadNewestEvaluation = defineRowLoader((accord, systemIds) =>
  newestJobBySystem(accord, 'evaluate', systemIds),
)

import { evaluationsById, evaluationsBySystem } from '../../services/evaluations/evaluations.js'
import { defineRowLoader } from '../execution/loader.js'

export const loadEvaluation = defineRowLoader(evaluationsById)

/** The newest evaluation of a system. */
export const loadEvaluationOfSystem = defineRowLoader(evaluationsBySystem)

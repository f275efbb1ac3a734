import { artefactsById, curvesByTraining } from '../../services/composites/composites.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

/** The networks of a training, in order. */
export const loadCurves = defineListLoader(curvesByTraining)

export const loadArtefact = defineRowLoader(artefactsById)

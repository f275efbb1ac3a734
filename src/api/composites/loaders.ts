import { artefactsById, curvesByTraining, trainingsById } from '../../services/composites/composites.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

export const loadTraining = defineRowLoader(trainingsById)

/** The networks of a training, in order. */
export const loadCurves = defineListLoader(curvesByTraining)

export const loadArtefact = defineRowLoader(artefactsById)

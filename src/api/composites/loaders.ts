import { artefactsById, curvesByTraining, trainingsById } from '../../services/composites.js'
import { defineListLoader, defineRowLoader } from '../loader.js'

export const loadTraining = defineRowLoader(trainingsById)

/** The networks of a training, in order. */
export const loadCurves = defineListLoader(curvesByTraining)

export const loadArtefact = defineRowLoader(artefactsById)

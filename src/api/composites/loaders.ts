import { artefactsById, trainingsById } from '../../services/composites.js'
import { defineRowLoader } from '../loader.js'

export const loadTraining = defineRowLoader(trainingsById)

export const loadArtefact = defineRowLoader(artefactsById)

import * as bounds from '../../services/bounds/bounds.js'
import { artefactsById, curvesByTraining } from '../../services/composites/composites.js'
import { jobsById, newestJobBySystem } from '../../services/jobs/jobs.js'
import * as judgements from '../../services/judgements/judgements.js'
import { defineListLoader, defineRowLoader } from '../shared/loader.js'

export const loadJob = defineRowLoader(jobsById)

export const loadNewestEvaluation = defineRowLoader((accord, systemIds) =>
  newestJobBySystem(accord, 'evaluate', systemIds),
)

export const loadBound = defineRowLoader(bounds.boundsById)

/** The bound that a job trains or has imported. */
export const loadBoundOfJob = defineRowLoader(bounds.boundsByJob)

/** The bounds of a dataset, oldest first. */
export const loadBoundsOfDataset = defineListLoader(bounds.boundsByDataset)

/** The bound whose captions are a system; null for other systems. */
export const loadBoundOfSystem = defineRowLoader(bounds.boundsBySystem)

/** The losses of a bound, by step. */
export const loadLosses = defineListLoader(bounds.lossesByBound)

/** The numbers of images of a split. */
export const loadSplitSizes = defineRowLoader(bounds.sizesBySplit)
export const loadLikelihoods = defineListLoader(bounds.likelihoodsByCaption)

/** The networks of a training, in order. */
export const loadCurves = defineListLoader(curvesByTraining)
export const loadArtefact = defineRowLoader(artefactsById)
export const loadJudgements = defineRowLoader(judgements.judgementsByDataset)
export const loadJudgedCaptions = defineListLoader(judgements.judgedCaptionsByImage)
export const loadJudgedCaption = defineRowLoader(judgements.judgedCaptionsById)
export const loadPreference = defineRowLoader(judgements.preferencesById)

/** The preferences in which a judged caption occurs. */
export const loadPreferences = defineListLoader(judgements.preferencesByCaption)

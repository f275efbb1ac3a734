import * as bounds from '../../services/bounds/bounds.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

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

/** The likelihoods of a human caption. */
export const loadLikelihoods = defineListLoader(bounds.likelihoodsByCaption)

import {
  boundsByDataset,
  boundsById,
  boundsByJob,
  boundsBySystem,
  likelihoodsByCaption,
  lossesByBound,
  sizesBySplit,
} from '../../services/bounds/bounds.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

export const loadBound = defineRowLoader(boundsById)

/** The bound that a job trains or has imported. */
export const loadBoundOfJob = defineRowLoader(boundsByJob)

/** The bounds of a dataset, oldest first. */
export const loadBoundsOfDataset = defineListLoader(boundsByDataset)

/** The bound whose captions are a system; null for other systems. */
export const loadBoundOfSystem = defineRowLoader(boundsBySystem)

/** The losses of a bound, by step. */
export const loadLosses = defineListLoader(lossesByBound)

/** The numbers of images of a split. */
export const loadSplitSizes = defineRowLoader(sizesBySplit)

/** The likelihoods of a human caption. */
export const loadLikelihoods = defineListLoader(likelihoodsByCaption)

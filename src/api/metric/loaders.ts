import { agreementByDataset } from '../../services/agreement.js'
import { foldScoresById, imageScoresById, scoresBySystem } from '../../services/scores.js'
import { defineListLoader, defineRowLoader } from '../loader.js'

/** Corpus scores of a system, the newest of each metric. */
export const loadScores = defineListLoader(scoresBySystem)

/** Image scores of a corpus score. */
export const loadImageScores = defineRowLoader(imageScoresById)

/** The stored leave-one-out table of a dataset with K − 1 references. Empty before it has been computed. */
export const loadAgreement = defineListLoader(agreementByDataset)

/** Image scores of all folds, by row of a leave-one-out table. */
export const loadFoldScores = defineRowLoader(foldScoresById)

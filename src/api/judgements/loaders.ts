import {
  judgedCaptionsById,
  judgedCaptionsByImage,
  judgementsByDataset,
  preferencesByCaption,
} from '../../services/judgements/judgements.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

/** The human judgements of a dataset. */
export const loadJudgements = defineRowLoader(judgementsByDataset)

/** The judged captions of an image. */
export const loadJudgedCaptions = defineListLoader(judgedCaptionsByImage)

export const loadJudgedCaption = defineRowLoader(judgedCaptionsById)

/** The preferences in which a judged caption occurs. */
export const loadPreferences = defineListLoader(preferencesByCaption)

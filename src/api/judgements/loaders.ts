import {
  judgedCaptionsById,
  judgedCaptionsByImage,
  judgementsByDataset,
  preferencesByCaption,
  preferencesById,
} from '../../services/judgements/judgements.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

/** The human judgements of a dataset. */
export const loadJudgements = defineRowLoader(judgementsByDataset)

/** The judged captions of an image. */
export const loadJudgedCaptions = defineListLoader(judgedCaptionsByImage)

export const loadJudgedCaption = defineRowLoader(judgedCaptionsById)

export const loadPreference = defineRowLoader(preferencesById)

/** The preferences in which a judged caption occurs. */
export const loadPreferences = defineListLoader(preferencesByCaption)

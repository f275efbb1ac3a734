import * as judgements from '../../services/judgements/judgements.js'
import { defineListLoader, defineRowLoader } from '../execution/loader.js'

/** The human judgements of a dataset. */
export const loadJudgements = defineRowLoader(judgements.judgementsByDataset)

/** The judged captions of an image. */
export const loadJudgedCaptions = defineListLoader(judgements.judgedCaptionsByImage)

export const loadJudgedCaption = defineRowLoader(judgements.judgedCaptionsById)

export const loadPreference = defineRowLoader(judgements.preferencesById)

/** The preferences in which a judged caption occurs. */
export const loadPreferences = defineListLoader(judgements.preferencesByCaption)

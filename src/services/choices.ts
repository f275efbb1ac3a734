import { USAGE_MODELS } from '../core/agreement/usage-model.js'
import { ATOM_KINDS, BOUND_KINDS } from '../core/bounds/atoms.js'
import { DEFAULT_SETTINGS } from '../core/bounds/settings.js'
import { MIN_VOTERS } from '../core/bounds/votes.js'
import { MAX_K } from '../core/selection/baselines.js'
import { PARTS_OF_SPEECH } from '../core/text/part-of-speech.js'

/** What can be chosen, without the services that compute with it: a command shows its help at once. */
export const CHOICES = {
  atomKinds: ATOM_KINDS,
  boundKinds: BOUND_KINDS,
  partsOfSpeech: PARTS_OF_SPEECH,
  usageModels: USAGE_MODELS,
  /** Number of boxes that a baseline selects. */
  maxBoxes: MAX_K,
  /** Votes that decide whether an atom is visual. */
  minVoters: MIN_VOTERS,
  /** Of an upper bound. */
  boundSettings: DEFAULT_SETTINGS,
} as const

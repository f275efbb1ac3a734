import { spiceResources } from '../../compute/resources.js'
import { createOpenVocabulary } from '../../core/metrics/spice/open-objects.js'
import { createPublishedVocabulary, createWordVocabulary } from '../../core/objects/object-mentions.js'
import type { ObjectVocabulary } from '../../core/objects/object-vocabulary.js'
import type { CoverageUnits } from '../../shared/choices.js'

/** Captions in which units are found before other work has a turn. */
export const CAPTIONS_PER_TURN = 64

export type ObjectUnits = Extract<CoverageUnits, 'objects' | 'open-objects'>

/** How objects are found in captions. Part of the input of jobs. */
export interface ObjectChoice {
  /** Words of objects, and their hash. Default: ours. */
  readonly objectWords?: {
    readonly words: readonly (readonly [object: string, words: readonly string[]])[]
    readonly hash: string
  }
  /** Find objects as the published program of CHAIR does it, with `objectWords`. Default: false. */
  readonly isChairCompatible?: boolean
}

export function vocabularyOf(
  units: ObjectUnits,
  { objectWords, isChairCompatible }: ObjectChoice,
): ObjectVocabulary {
  if (units === 'open-objects') return createOpenVocabulary(spiceResources())
  if (objectWords === undefined) return createWordVocabulary()
  const given = { words: new Map(objectWords.words), hash: objectWords.hash }
  return isChairCompatible ? createPublishedVocabulary(given) : createWordVocabulary(given)
}

/** What composite metrics learn from: which captions are better. */
import { groupCaptions, pairCaptions } from '../judgements/caption-level.js'
import { contestsOf } from '../judgements/contest.js'
import type { Judgements } from '../judgements/judgement.js'
import { type Comparisons, THRESHOLD } from './network.js'

/** Captions of people are better than a threshold, those of systems worse. */
export function compareOrigins(isHuman: ArrayLike<number>): Comparisons {
  return {
    better: Int32Array.from(isHuman, (human, caption) => (human === 1 ? caption : THRESHOLD)),
    worse: Int32Array.from(isHuman, (human, caption) => (human === 1 ? THRESHOLD : caption)),
  }
}

/**
 * The preferences without ties, or the pairs of captions of the same image with different mean ratings.
 *
 * @param takesPart per caption
 */
export function compareJudgements(
  judgements: Judgements,
  takesPart: (caption: number) => boolean,
): Comparisons {
  const { better, worse } = allComparisons(judgements)
  const ofPart = (captions: Int32Array) =>
    captions.filter((_, place) => takesPart(better[place]) && takesPart(worse[place]))
  return { better: ofPart(better), worse: ofPart(worse) }
}

function allComparisons(judgements: Judgements): Comparisons {
  if (judgements.kind === 'PREFERENCES') return { better: judgements.preferred, worse: judgements.other }
  const { ratings, images } = contestsOf(judgements).all
  const groups = groupCaptions({ scores: ratings, ratings }, images.positions, images.count)
  const { first, second, preferred } = pairCaptions(ratings, groups)
  const select = (ifFirst: Int32Array, ifSecond: Int32Array) =>
    Int32Array.from(preferred, (sign, pair) => (sign > 0 ? ifFirst : ifSecond)[pair]).filter(
      (_, pair) => preferred[pair] !== 0,
    )
  return { better: select(first, second), worse: select(second, first) }
}

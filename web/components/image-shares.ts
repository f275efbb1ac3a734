import { useMemo } from 'preact/hooks'
import { MAIN_METRIC, PEOPLE } from '../../src/shared/verdict'
import { type Answer, useQuery } from '../app/client'
import { useSetting } from '../app/router'
import {
  ImageCoverageDocument,
  type ImageCoverageQuery,
  ImageScoresDocument,
  type WeighedFragment,
} from '../generated/documents'
import { type Pair, pairScores } from './compared-images'
import { usualDocuments } from './coverage'
import { isTooMuch } from './states'

/** What images are compared by in place of a metric, where captions have other lengths. */
const IMAGE_SHARES = ['coverage', 'confirmed share'] as const

type ImageShare = (typeof IMAGE_SHARES)[number]

const isImageShare = (name: string): name is ImageShare => IMAGE_SHARES.some((share) => share === name)

/** What the viewer has chosen to compare by: a metric or a share; empty where nothing was chosen. */
export function useMeasure() {
  const [chosen, choose] = useSetting('metric', '')
  return { chosen, choose, metric: chosen === '' || isImageShare(chosen) ? MAIN_METRIC : chosen }
}

/** What can be chosen: metrics, and shares. @param shown may be none of these metrics */
export function measuresOf(metrics: readonly string[], shown: string): readonly string[] {
  const all = [...IMAGE_SHARES, ...metrics]
  return all.includes(shown) ? all : [shown, ...all]
}

interface Sides {
  readonly dataset: string
  readonly weighed: WeighedFragment
  readonly first: string
  /** `people` for one person. */
  readonly second: string
  /** By which both sides have scores. */
  readonly metric: string
  readonly against: 'ALL' | 'AS_PEOPLE'
  /** What the viewer has chosen; empty where nothing was chosen. */
  readonly chosen: string
  /** Whether captions have another length than those of people. */
  readonly isOther: boolean
}

interface Asked {
  readonly dataset: string
  readonly first: string
  readonly second: string
  readonly isWithPeople: boolean
}

export interface ImagePairs {
  /** By which images are compared; null if by the metric. */
  readonly share: ImageShare | null
  /** The variables of the query of scores, and of that of shares. */
  readonly asked: {
    readonly scores: Asked & { readonly metric: string; readonly against: 'ALL' | 'AS_PEOPLE' }
    readonly shares: Asked & { readonly documents: 'coco' | null }
  }
  /** Whether the pairs are not known yet. */
  readonly isLoading: boolean
  /** Whether there are more images than a server sends the values of: there are no pairs. */
  readonly isTooMany: boolean
  /** Why there are no pairs, where that is not it. */
  readonly failed: Answer<unknown> | null
  readonly pairs: readonly Pair[]
  readonly signatures: readonly (string | null | undefined)[]
  /** The scores of images by the metric, of both sides. */
  readonly scores: readonly [readonly number[], readonly number[]]
}

/**
 * Images by a metric, or by what is said of them and confirmed by others: if the viewer has chosen so, or has chosen nothing and
 * captions are of other lengths, on which metrics depend.
 */
export function useImagePairs({
  dataset,
  weighed,
  first,
  second,
  metric,
  against,
  chosen,
  isOther,
}: Sides): ImagePairs {
  const by = chosen === '' && isOther ? 'coverage' : chosen
  const share = isImageShare(by) ? by : null
  const isWithPeople = second === PEOPLE
  const sides = { dataset, first, second, isWithPeople }
  const asked = {
    scores: { ...sides, metric, against },
    shares: { ...sides, documents: usualDocuments(weighed) },
  }
  const scores = useQuery(ImageScoresDocument, asked.scores)
  const shares = useQuery(ImageCoverageDocument, share && asked.shares)
  const answers = share === null ? [scores] : [scores, shares]
  const failed = answers.find(({ error }) => error)
  const isTooMany = failed?.error !== undefined && isTooMuch(failed.error)
  const scored = scores.data?.dataset
  const [one, other] = [
    scored?.one?.score,
    isWithPeople ? scored?.humanAgreement?.score : scored?.other?.score,
  ]
  const shared = shares.data?.dataset
  const pairs = useMemo(
    () => (share === null ? pairScores(one?.vector, other?.vector) : pairShares(share, shared, isWithPeople)),
    [share, one, other, shared, isWithPeople],
  )
  return {
    share,
    asked,
    isLoading: answers.some(({ isLoading, data }) => isLoading && !data),
    isTooMany,
    failed: failed && !isTooMany ? failed : null,
    pairs,
    signatures:
      share === null
        ? [one?.signature, other?.signature]
        : [shared?.one?.imageCoverage?.signature, shared?.other?.imageCoverage?.signature],
    scores: [one?.vector?.values ?? [], other?.vector?.values ?? []],
  }
}

/** The shares of images of both sides; of people, those of one person. */
function pairShares(
  share: ImageShare,
  shared: ImageCoverageQuery['dataset'] | undefined,
  isWithPeople: boolean,
): Pair[] {
  const one = shared?.one?.imageCoverage
  const other = shared?.other?.imageCoverage
  if (!one) return []
  const isCoverage = share === 'coverage'
  const ofPeople = isCoverage ? one.peopleCoverages : one.peopleConfirmedShares
  const valuesOf = (columns: typeof other) => (isCoverage ? columns?.coverages : columns?.confirmedShares)
  return pairScores(
    { externalIds: one.externalIds, values: valuesOf(one) },
    isWithPeople
      ? { externalIds: one.externalIds, values: ofPeople }
      : other && { externalIds: other.externalIds, values: valuesOf(other) },
  )
}

import { useMemo } from 'preact/hooks'
import { MAIN_METRIC, PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { useSetting } from '../app/router'
import { ImageCoverageDocument, type WeighedFragment } from '../generated/documents'
import { type Pair, pairScores } from './compared-images'
import { usualDocuments } from './coverage'

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
  /** What the viewer has chosen; empty where nothing was chosen. */
  readonly chosen: string
  /** Whether captions have another length than those of people. */
  readonly isOther: boolean
}

export interface ImageShares {
  /** By which images are compared; null if by a metric. */
  readonly share: ImageShare | null
  /** The variables of the query. */
  readonly asked: {
    readonly dataset: string
    readonly first: string
    readonly second: string
    readonly isWithPeople: boolean
    readonly documents: 'coco' | null
  }
  /** Whether the pairs are not known yet. */
  readonly isLoading: boolean
  readonly pairs: readonly Pair[]
  readonly signatures: readonly (string | undefined)[]
}

/**
 * Images by what is said of them and confirmed by others: if the viewer has chosen so, or has chosen nothing and captions are of
 * other lengths, on which metrics depend.
 */
export function useImageShares({ dataset, weighed, first, second, chosen, isOther }: Sides): ImageShares {
  const by = chosen === '' && isOther ? 'coverage' : chosen
  const share = isImageShare(by) ? by : null
  const isWithPeople = second === PEOPLE
  const asked = { dataset, first, second, isWithPeople, documents: usualDocuments(weighed) }
  const { data, isLoading } = useQuery(ImageCoverageDocument, share && asked)
  const one = data?.dataset?.one?.imageCoverage
  const other = data?.dataset?.other?.imageCoverage
  const pairs = useMemo(() => {
    if (share === null || !one) return []
    const isCoverage = share === 'coverage'
    const ofPeople = isCoverage ? one.peopleCoverages : one.peopleConfirmedShares
    const valuesOf = (columns: typeof other) => (isCoverage ? columns?.coverages : columns?.confirmedShares)
    return pairScores(
      { externalIds: one.externalIds, values: valuesOf(one) },
      isWithPeople
        ? { externalIds: one.externalIds, values: ofPeople }
        : other && { externalIds: other.externalIds, values: valuesOf(other) },
    )
  }, [share, one, other, isWithPeople])
  return {
    share,
    asked,
    isLoading: share !== null && isLoading && !data,
    pairs,
    signatures: [one?.signature, other?.signature],
  }
}

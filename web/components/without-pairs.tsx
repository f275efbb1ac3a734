import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { exploreAddress } from '../app/explore-address'
import { Link } from '../app/router'
import { orderOf } from './compared-images'
import type { ImagePairs } from './image-shares'
import { Command, Failure } from './states'

interface WithoutPairsProps {
  readonly of: ImagePairs
  readonly metric: string
  /** Of people, as many as a system is compared with; 0 for all. */
  readonly references: number
}

/** Where images have no pairs of scores: why, and where those that differ most are. Nothing where they have. */
export function WithoutPairs({ of, metric, references }: WithoutPairsProps) {
  const { share, isTooMany, failed, asked } = of
  if (failed?.error) return <Failure error={failed.error} retry={failed.reload} />
  if (!isTooMany) return null
  const { dataset, first, second } = asked.scores
  if (share !== null) {
    return <p class="empty">The {share} of each image is more than this server sends: choose a metric.</p>
  }
  const addressOf = (order: 'ASC' | 'DESC') =>
    exploreAddress(
      dataset,
      orderOf({ metric, sides: [first, second] }, order, references > 0 ? 'equal' : 'all'),
    )
  const systems = [first, second].filter((name) => name !== PEOPLE).map(shellWord)
  return (
    <div class="empty">
      <p>
        The scores of each image are more than this server sends for a page. The table of images has those on
        which {first} is farthest <Link to={addressOf('ASC')}>below {second}</Link> and{' '}
        <Link to={addressOf('DESC')}>above {second}</Link>; the scores of all are written by
      </p>
      <Command
        text={`accord export scores --dataset ${shellWord(dataset)} --system ${systems.join(' ')}${references > 0 ? ` --references ${references}` : ''}`}
      />
    </div>
  )
}

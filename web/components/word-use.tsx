import { fixed as number } from '../../src/shared/numbers'
import { href, Link } from '../app/router'
import type { UseFragment, WordRateFragment } from '../generated/documents'

interface WordUseProps {
  readonly dataset: string
  readonly use: UseFragment
}

/** The words that a system uses more often than people in the same images, and less often: with how many times as often. */
export function WordUse({ dataset, use: { name, overused, underused } }: WordUseProps) {
  return (
    <div>
      <h3>{name}</h3>
      <p>More often than people say them in the same images:</p>
      <Words dataset={dataset} rates={overused?.nodes ?? []} />
      <p>Less often, or never:</p>
      <Words dataset={dataset} rates={underused?.nodes ?? []} />
    </div>
  )
}

function Words({
  dataset,
  rates,
}: {
  readonly dataset: string
  readonly rates: readonly WordRateFragment[]
}) {
  if (rates.length === 0) return <p class="note">No word for which this is shown.</p>
  return (
    <ul class="chips">
      {rates.map(({ word: { text }, ratio, captionCount, humanCaptionCount }) => (
        <li key={text}>
          <Link
            to={href('d', dataset, 'words', text)}
            title={`in ${captionCount} captions of the system and ${humanCaptionCount} of people`}
          >
            {text}{' '}
            <small>
              {ratio === null
                ? 'no person'
                : captionCount === 0
                  ? 'never'
                  : `${number(ratio, ratio < 1 ? 2 : 1)} ×`}
            </small>
          </Link>
        </li>
      ))}
    </ul>
  )
}

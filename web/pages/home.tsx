import { grouped as count } from '../../src/shared/numbers'
import { useQuery } from '../app/client'
import { percent, withInterval } from '../app/format'
import { href, Link } from '../app/router'
import { isPeople } from '../app/subject'
import { ChallengeCards } from '../components/challenge-cards'
import { Awaited, Empty } from '../components/states'
import { HomeDocument, type HomeQuery } from '../generated/documents'
import { Plane } from './plane'

type Dataset = NonNullable<HomeQuery['datasets']>['nodes'][number]

/** The word plane of the largest dataset, and a card for each dataset, challenge and collection. */
export default function Home() {
  const answer = useQuery(HomeDocument, {})
  return (
    <Awaited answer={answer} height={900}>
      {({ datasets, challenges, collections }) => {
        const nodes = datasets?.nodes ?? []
        const others = (
          <>
            <ChallengeCards challenges={challenges?.nodes ?? []} />
            <Collections collections={collections?.nodes ?? []} />
          </>
        )
        if (nodes.length === 0) {
          return (
            <>
              <NoDatasets />
              {others}
            </>
          )
        }
        const withCaptions = nodes.filter(({ captionsPerImage }) => captionsPerImage > 1)
        const largest = withCaptions.reduce<Dataset | undefined>(
          (best, dataset) => (best && best.captionCount >= dataset.captionCount ? best : dataset),
          undefined,
        )
        return (
          <>
            {largest && (
              <section class="lead">
                <h1>What would {inWords(largest.captionsPerImage - 1)} other people confirm?</h1>
                <p class="lede">
                  A dot is a word of <Link to={href('d', largest.name)}>{largest.name}</Link>. It is high if
                  other people use the word for the same image, and far right if most do.
                </p>
                <Plane dataset={largest.name} isSmall />
              </section>
            )}
            <h2>Datasets</h2>
            <ul class="cards">
              {nodes.map((dataset) => (
                <Card key={dataset.name} {...dataset} />
              ))}
            </ul>
            {others}
          </>
        )
      }}
    </Awaited>
  )
}

function Card(dataset: Dataset) {
  const { name, imageCount, captionCount, captionsPerImage, systems, wordAgreement } = dataset
  const [board] = dataset.leaderboards ?? []
  const best = board?.rows?.nodes.find(({ subject, group }) => !isPeople(subject) && group === 'COMPARABLE')
  const people = board?.people?.group === 'COMPARABLE' ? board.people : undefined
  return (
    <li>
      <h3>
        <Link to={href('d', name)}>{name}</Link>
      </h3>
      <dl class="facts">
        <div>
          <dt>images</dt>
          <dd>{count(imageCount)}</dd>
        </div>
        <div>
          <dt>captions</dt>
          <dd>
            {count(captionCount)}
            {captionsPerImage > 0 && `, ${captionsPerImage} per image`}
          </dd>
        </div>
        <div>
          <dt>systems</dt>
          <dd>{count(systems?.totalCount ?? 0)}</dd>
        </div>
        {typeof wordAgreement?.meanPrecision === 'number' && (
          <div>
            <dt>uses of words that others confirm</dt>
            <dd class="people-text">{percent(wordAgreement.meanPrecision)}</dd>
          </div>
        )}
        {[best, people].map(
          (row) =>
            typeof row?.value === 'number' && (
              <div key={row.subject.__typename}>
                <dt>
                  {isPeople(row.subject)
                    ? 'CIDEr-D of people'
                    : `highest CIDEr-D of a system, ${row.subject.name}`}
                </dt>
                <dd class={isPeople(row.subject) ? 'people-text' : undefined}>
                  {withInterval(row.value, row.interval)}
                </dd>
              </div>
            ),
        )}
      </dl>
    </li>
  )
}

type Collection = NonNullable<HomeQuery['collections']>['nodes'][number]

/** Captions that people are asked for. */
function Collections({ collections }: { readonly collections: readonly Collection[] }) {
  if (collections.length === 0) return null
  return (
    <>
      <h2>Collections</h2>
      <ul class="cards">
        {collections.map(({ name, state: { captionCount, wantedCaptionCount, annotatorCount } }) => (
          <li key={name}>
            <h3>
              <Link to={href('collect', name)}>{name}</Link>
            </h3>
            <dl class="facts">
              <div>
                <dt>captions</dt>
                <dd>
                  {count(captionCount)} of {count(wantedCaptionCount)}
                </dd>
              </div>
              <div>
                <dt>annotators</dt>
                <dd>{count(annotatorCount)}</dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
    </>
  )
}

function NoDatasets() {
  return (
    <>
      <h1>How much do people agree?</h1>
      <Empty upload="captions" command="accord import captions captions.json --dataset mine">
        There is no dataset yet. Import the captions of people first:
      </Empty>
    </>
  )
}

const inWords = (number: number): string =>
  ['no', 'one', 'two', 'three', 'four', 'five'][number] ?? String(number)

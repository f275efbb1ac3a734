import { useEffect, useState } from 'preact/hooks'
import { grouped as count } from '../../src/shared/numbers'
import { useQuery } from '../app/client'
import { keepDropped } from '../app/dropped-files'
import { percent, withInterval } from '../app/format'
import { useMayChange } from '../app/may-change'
import { href, Link, navigate } from '../app/router'
import { isPeople } from '../app/subject'
import { boardsOf, LEADING } from '../components/boards'
import { ChallengeCards } from '../components/challenge-cards'
import { ScoreTable } from '../components/score-table'
import { Awaited, Command, Empty, Skeleton } from '../components/states'
import { DropField } from '../components/upload'
import { HomeDocument, type HomeQuery, LeaderboardDocument } from '../generated/documents'

type Dataset = NonNullable<HomeQuery['datasets']>['nodes'][number]

/** The dataset that is loaded into an empty database. */
const EXAMPLE = 'scenes'

/**
 * Where there is no dataset of one's own, the field for files, beside the example dataset. Then the ranked table of the last dataset with
 * scores, or the word plane of the largest where no system has scores. Then a card for each dataset, challenge and collection.
 */
export default function Home() {
  const answer = useQuery(HomeDocument, {})
  const mayChange = useMayChange()
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
        const isStart = mayChange && nodes.every(({ name }) => name === EXAMPLE)
        if (nodes.length === 0) {
          return (
            <>
              {isStart ? <Start /> : <NoDatasets />}
              {others}
            </>
          )
        }
        const last = nodes
          .filter((dataset) => bestOf(dataset))
          .reduce<Dataset | undefined>(
            (newest, dataset) => (newest && newest.createdAt >= dataset.createdAt ? newest : dataset),
            undefined,
          )
        const withCaptions = nodes.filter(({ captionsPerImage }) => captionsPerImage > 1)
        const largest = withCaptions.reduce<Dataset | undefined>(
          (best, dataset) => (best && best.captionCount >= dataset.captionCount ? best : dataset),
          undefined,
        )
        return (
          <>
            {isStart && <Start example={nodes[0]} />}
            {last && (
              <Last dataset={last.name} systemCount={last.systems?.totalCount ?? 0} isFirst={!isStart} />
            )}
            {!last && largest && (
              <section class="lead">
                <h1>What would {inWords(largest.captionsPerImage - 1)} other people confirm?</h1>
                <p class="lede">
                  A dot is a word of <Link to={href('d', largest.name)}>{largest.name}</Link>. It is high if
                  other people use the word for the same image, and far right if most do.
                </p>
                <LargestPlane dataset={largest.name} />
              </section>
            )}
            {!isStart && (
              <>
                <h2>Datasets</h2>
                <ul class="cards">
                  {nodes.map((dataset) => (
                    <Card key={dataset.name} {...dataset} />
                  ))}
                </ul>
              </>
            )}
            {others}
          </>
        )
      }}
    </Awaited>
  )
}

/** The field for files, and the example, or the command that does the same. */
function Start({ example }: { readonly example?: Dataset }) {
  const choose = (files: readonly File[]) => {
    keepDropped(files)
    navigate(href('import'))
  }
  return (
    <>
      <h1>Which system is better, and where does it fail?</h1>
      <div class="grid">
        <section>
          <p class="lede">Drop the captions of people and of systems, all at once.</p>
          <DropField isMultiple choose={choose} />
        </section>
        <section>
          {example ? (
            <>
              <h2 class="lede">Or look at the example first.</h2>
              <ul class="cards">
                <Card {...example} />
              </ul>
            </>
          ) : (
            <>
              <p class="lede">Or import captions of people by the command line:</p>
              <Command text="accord import captions captions.json --dataset mine" />
            </>
          )}
        </section>
      </div>
    </>
  )
}

/** The word plane, which is loaded where it is shown: the first page is small. */
function LargestPlane({ dataset }: { readonly dataset: string }) {
  const [loaded, setLoaded] = useState<typeof import('./plane')>()
  useEffect(() => void import('./plane').then(setLoaded), [])
  return loaded ? <loaded.Plane dataset={dataset} isSmall /> : <Skeleton height={600} />
}

/** Height of the table of so many systems and people, in pixels. */
const heightOf = (systems: number): number => 85 + 34 * (systems + 1)

interface LastProps {
  readonly dataset: string
  readonly systemCount: number
  readonly isFirst: boolean
}

/** The ranked table of a dataset, as its own page has it, which adds the tests. */
function Last({ dataset, systemCount, isFirst }: LastProps) {
  const variables = { dataset, isHumanIncluded: true }
  const answer = useQuery(LeaderboardDocument, variables)
  const title = 'How close do systems come to people?'
  return (
    <section>
      {isFirst ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p class="lede">
        Systems and people on <Link to={href('d', dataset)}>{dataset}</Link>, whose page has the pictures and
        the tests.
      </p>
      <Awaited answer={answer} height={heightOf(systemCount)}>
        {({ dataset: data }) =>
          data && (
            <ScoreTable
              boards={boardsOf(data, null).filter(({ title }) => LEADING.includes(title))}
              option={` --references ${data.captionsPerImage - 1}`}
              variables={variables}
            />
          )
        }
      </Awaited>
    </section>
  )
}

/** The highest row of a system. */
function bestOf({ leaderboards }: Dataset) {
  const [board] = leaderboards ?? []
  return board?.rows?.nodes.find(({ subject, group }) => !isPeople(subject) && group === 'COMPARABLE')
}

function Card(dataset: Dataset) {
  const { name, imageCount, captionCount, captionsPerImage, systems, wordAgreement } = dataset
  const [board] = dataset.leaderboards ?? []
  const best = bestOf(dataset)
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

import type { ComponentChildren } from 'preact'
import { counted, scored } from '../../src/shared/numbers'
import { PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { type Parameters, useSetting } from '../app/router'
import { ComputeButton } from '../components/compute'
import { ImageGrid } from '../components/picture'
import { Awaited, Empty, Unknown } from '../components/states'
import { ImageOrderDocument, ImagesDocument, type NextPageFragment } from '../generated/documents'

/** Images that one request asks for. */
const PAGE = 48

interface Filter {
  readonly word?: string
  readonly captionWords?: { readonly all: string[] }
}

/** Of a system, or of people. */
interface ScoreOrder {
  readonly system: string
  readonly isPeople: boolean
  readonly metric: string
  readonly direction: 'ASC' | 'DESC'
}

/** A grid of images: those with a word or a text, or all by a score. */
export default function Images({ dataset }: Parameters) {
  const [text, setText] = useSetting('text', '')
  const [word, setWord] = useSetting('word', '')
  const [by, setBy] = useSetting('by', '')
  const [metric, setMetric] = useSetting('metric', 'CIDEr-D')
  const [direction, setDirection] = useSetting('order', 'ASC')
  const [shown, setShown] = useSetting('shown', String(PAGE))
  const left = Number(shown) || PAGE
  const more = () => setShown(String(left + PAGE))
  const filter: Filter = {
    ...(word !== '' && { word }),
    ...(text !== '' && { captionWords: { all: text.split(/\s+/) } }),
  }
  const order: ScoreOrder | null =
    by === ''
      ? null
      : { system: by, isPeople: by === PEOPLE, metric, direction: direction === 'DESC' ? 'DESC' : 'ASC' }
  // The first images, too, ask for these: one request answers both.
  const first = { dataset, first: PAGE, after: null }
  const found = useQuery(ImagesDocument, order === null ? { ...first, filter } : null)
  const ordered = useQuery(ImageOrderDocument, order === null ? null : { ...first, ...order })
  const { systems, humanAgreement } = found.data?.dataset ?? ordered.data?.dataset ?? {}
  const scored = [
    { name: PEOPLE, scores: humanAgreement?.scores ?? [] },
    ...(systems?.nodes ?? []).map(({ name, scores }) => ({ name, scores: scores ?? [] })),
  ].filter(({ scores }) => scores.length > 0)
  const metrics = (scored.find(({ name }) => name === by)?.scores ?? []).map((score) => score.metric.name)
  const search = (label: string, value: string, set: (value: string) => void) => (
    <label>
      {label}{' '}
      <input
        type="search"
        value={value}
        disabled={by !== ''}
        onChange={({ currentTarget }) => set(currentTarget.value.trim())}
      />
    </label>
  )
  return (
    <>
      <h1>What is in the images?</h1>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        {search('Words of one caption', text, setText)}
        {search('Word of the vocabulary', word, (value) => setWord(value.toLowerCase()))}
        {scored.length > 0 && (
          <label>
            Order{' '}
            <select value={by} onChange={({ currentTarget }) => setBy(currentTarget.value)}>
              <option value="">of the file</option>
              {scored.map(({ name }) => (
                <option key={name} value={name}>
                  {name === PEOPLE ? 'how much people disagree' : `by the score of ${name}`}
                </option>
              ))}
            </select>
          </label>
        )}
        {by !== '' && (
          <>
            <select
              aria-label="Metric"
              value={metric}
              onChange={({ currentTarget }) => setMetric(currentTarget.value)}
            >
              {metrics.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <select
              aria-label="Direction"
              value={direction}
              onChange={({ currentTarget }) => setDirection(currentTarget.value)}
            >
              <option value="ASC">{by === PEOPLE ? 'largest disagreement first' : 'lowest first'}</option>
              <option value="DESC">{by === PEOPLE ? 'best agreement first' : 'highest first'}</option>
            </select>
          </>
        )}
      </form>
      {order === null ? (
        <Found dataset={dataset} filter={filter} after={null} left={left} more={more} />
      ) : (
        <Ordered dataset={dataset} order={order} after={null} left={left} more={more} />
      )}
    </>
  )
}

interface PageProps {
  readonly dataset: string
  /** Null for the first images. */
  readonly after: string | null
  /** Images that are shown from here on. */
  readonly left: number
  readonly more: () => void
}

/** Images of a filter, and those after them as far as they are shown. */
function Found({ filter, ...props }: PageProps & { readonly filter: Filter }) {
  const { dataset, after } = props
  const answer = useQuery(ImagesDocument, { dataset, filter, first: PAGE, after })
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) => {
        if (!data) return <Unknown kind="dataset" name={dataset} />
        const { nodes = [], totalCount = 0, pageInfo } = data.images ?? {}
        if (totalCount === 0)
          return (
            <Empty>
              No image of {dataset} has a caption with{' '}
              {[filter.word, filter.captionWords?.all.join(' ')].filter(Boolean).join(' and ') || 'words'}.
            </Empty>
          )
        return (
          <>
            {after === null && <p class="note">{counted(totalCount, 'image')}</p>}
            <ImageGrid dataset={dataset} images={nodes} isContinued={after !== null} />
            <Next {...props} page={pageInfo}>
              {(next) => <Found filter={filter} {...next} />}
            </Next>
          </>
        )
      }}
    </Awaited>
  )
}

/** The same, of images in the order of a score. */
function Ordered({ order, ...props }: PageProps & { readonly order: ScoreOrder }) {
  const { dataset, after } = props
  const answer = useQuery(ImageOrderDocument, { dataset, ...order, first: PAGE, after })
  const { metric, isPeople } = order
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) => {
        const page = (isPeople ? data?.humanAgreement?.score : data?.system?.score)?.imageScores
        const nodes = page?.nodes ?? []
        if (nodes.length === 0) return <Unscored dataset={dataset} reload={answer.reload} {...order} />
        const values = new Map(nodes.map(({ image, value }) => [image.externalId, value]))
        return (
          <>
            <ImageGrid
              dataset={dataset}
              images={nodes.map(({ image }) => image)}
              noteOf={({ externalId }) => `${metric} ${scored(values.get(externalId) as number)}`}
              isContinued={after !== null}
            />
            <Next {...props} page={page?.pageInfo}>
              {(next) => <Ordered order={order} {...next} />}
            </Next>
          </>
        )
      }}
    </Awaited>
  )
}

interface NextProps extends PageProps {
  readonly page: NextPageFragment | undefined
  readonly children: (next: PageProps) => ComponentChildren
}

/** The images after a page if they are shown, or the button that shows them. */
function Next({ page, children, ...props }: NextProps) {
  if (!page?.hasNextPage) return null
  if (props.left > PAGE) return <>{children({ ...props, after: page.endCursor, left: props.left - PAGE })}</>
  return (
    <button type="button" onClick={props.more}>
      More images
    </button>
  )
}

interface UnscoredProps {
  readonly dataset: string
  readonly system: string
  readonly isPeople: boolean
  readonly metric: string
  readonly reload: () => void
}

function Unscored({ dataset, system, isPeople, metric, reload }: UnscoredProps) {
  return (
    <Empty>
      {system} {isPeople ? 'have' : 'has'} no scores by {metric}.
      <ComputeButton
        dataset={dataset}
        systems={isPeople ? [] : [system]}
        metrics={[metric]}
        onDone={reload}
      />
    </Empty>
  )
}

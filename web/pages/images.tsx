import { useQuery } from '../app/client'
import { counted, number } from '../app/format'
import { PEOPLE } from '../app/names'
import { type Parameters, useSetting } from '../app/router'
import { ImageGrid } from '../components/picture'
import { Awaited, Empty, Unknown } from '../components/states'
import { ImageOrderDocument, ImagesDocument } from '../generated/documents'

const PAGE = 48

/** A grid of images: those with a word or a text, or all by a score. */
export default function Images({ dataset }: Parameters) {
  const [text, setText] = useSetting('text', '')
  const [word, setWord] = useSetting('word', '')
  const [by, setBy] = useSetting('by', '')
  const [metric, setMetric] = useSetting('metric', 'CIDEr-D')
  const [order, setOrder] = useSetting('order', 'ASC')
  const [shown, setShown] = useSetting('shown', String(PAGE))
  const first = Number(shown) || PAGE
  const filter = {
    ...(word !== '' && { word }),
    ...(text !== '' && { captionWords: { all: text.split(/\s+/) } }),
  }
  const [isOrdered, isPeople, direction] = [
    by !== '',
    by === PEOPLE,
    order === 'DESC' ? 'DESC' : 'ASC',
  ] as const
  const found = useQuery(ImagesDocument, isOrdered ? null : { dataset, first, filter })
  const ordered = useQuery(
    ImageOrderDocument,
    isOrdered ? { dataset, system: by, isPeople, metric, direction, first } : null,
  )
  const more = () => setShown(String(first + PAGE))
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
              value={order}
              onChange={({ currentTarget }) => setOrder(currentTarget.value)}
            >
              <option value="ASC">{by === PEOPLE ? 'largest disagreement first' : 'lowest first'}</option>
              <option value="DESC">{by === PEOPLE ? 'best agreement first' : 'highest first'}</option>
            </select>
          </>
        )}
      </form>
      {isOrdered ? (
        <Awaited answer={ordered} height={900}>
          {({ dataset: data }) => {
            const page = (isPeople ? data?.humanAgreement?.score : data?.system?.score)?.imageScores
            const nodes = page?.nodes ?? []
            if (!page || nodes.length === 0)
              return <Unscored dataset={dataset} system={by} isPeople={isPeople} metric={metric} />
            const values = new Map(nodes.map(({ image, value }) => [image.externalId, value]))
            return (
              <>
                <ImageGrid
                  dataset={dataset}
                  images={nodes.map(({ image }) => image)}
                  noteOf={({ externalId }) => `${metric} ${number(values.get(externalId) as number)}`}
                />
                <More isShown={nodes.length < page.totalCount} more={more} />
              </>
            )
          }}
        </Awaited>
      ) : (
        <Awaited answer={found} height={900}>
          {({ dataset: data }) => {
            if (!data) return <Unknown kind="dataset" name={dataset} />
            const images = data.images?.nodes ?? []
            const total = data.images?.totalCount ?? 0
            if (total === 0)
              return (
                <Empty command={`accord import captions captions.json --dataset ${dataset}`}>
                  No image of {dataset} has a caption with{' '}
                  {[word, text].filter(Boolean).join(' and ') || 'words'}.
                </Empty>
              )
            return (
              <>
                <p class="note">{counted(total, 'image')}</p>
                <ImageGrid dataset={dataset} images={images} />
                <More isShown={images.length < total} more={more} />
              </>
            )
          }}
        </Awaited>
      )}
    </>
  )
}

interface UnscoredProps {
  readonly dataset: string
  readonly system: string
  readonly isPeople: boolean
  readonly metric: string
}

function Unscored({ dataset, system, isPeople, metric }: UnscoredProps) {
  const command = isPeople ? 'accord agreement' : `accord evaluate --system ${system}`
  return (
    <Empty command={`${command} --dataset ${dataset} --metrics ${metric}`}>
      {system} has no scores by {metric}.
    </Empty>
  )
}

function More({ isShown, more }: { readonly isShown: boolean; readonly more: () => void }) {
  return isShown ? (
    <button type="button" onClick={more}>
      More images
    </button>
  ) : null
}

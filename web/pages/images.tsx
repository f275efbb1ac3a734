import { useState } from 'preact/hooks'
import { useQuery } from '../app/client'
import { counted, number } from '../app/format'
import { type Parameters, useSetting } from '../app/router'
import { ImageGrid } from '../components/picture'
import { Awaited, Empty } from '../components/states'
import { ImageChoicesDocument, ImageOrderDocument, ImagesDocument } from '../generated/documents'

const PAGE = 48

/** A grid of images: of a word, or of a system by its score. */
export default function Images({ dataset }: Parameters) {
  const [word, setWord] = useSetting('word', '')
  const [system, setSystem] = useSetting('system', '')
  const [metric, setMetric] = useSetting('metric', 'CIDEr-D')
  const [order, setOrder] = useSetting('order', 'ASC')
  const choices = useQuery(ImageChoicesDocument, { dataset })
  const systems = choices.data?.dataset?.systems?.nodes ?? []
  const metrics = [
    ...new Set(systems.flatMap(({ scores }) => (scores ?? []).map((score) => score.metric.name))),
  ]
  return (
    <>
      <h1>What is in the images?</h1>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          Word{' '}
          <input
            type="search"
            value={word}
            disabled={system !== ''}
            onChange={({ currentTarget }) => setWord(currentTarget.value.trim().toLowerCase())}
          />
        </label>
        {systems.length > 0 && (
          <label>
            Order{' '}
            <select value={system} onChange={({ currentTarget }) => setSystem(currentTarget.value)}>
              <option value="">of the file</option>
              {systems.map(({ name }) => (
                <option key={name} value={name}>
                  by the score of {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {system !== '' && (
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
              <option value="ASC">lowest first</option>
              <option value="DESC">highest first</option>
            </select>
          </>
        )}
      </form>
      {system === '' ? (
        <Found key={word} dataset={dataset} word={word} />
      ) : (
        <Ordered
          dataset={dataset}
          system={system}
          metric={metric}
          direction={order === 'DESC' ? 'DESC' : 'ASC'}
        />
      )}
    </>
  )
}

function Found({ dataset, word }: { readonly dataset: string; readonly word: string }) {
  const [first, setFirst] = useState(PAGE)
  const answer = useQuery(ImagesDocument, { dataset, first, filter: word === '' ? null : { word } })
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) => {
        const images = data?.images?.nodes ?? []
        const total = data?.images?.totalCount ?? 0
        if (total === 0) return <Empty>No image has a caption that uses “{word}”.</Empty>
        return (
          <>
            <p class="note">{counted(total, 'image')}</p>
            <ImageGrid dataset={dataset} images={images} />
            <More isShown={images.length < total} more={() => setFirst(first + PAGE)} />
          </>
        )
      }}
    </Awaited>
  )
}

interface OrderedProps {
  readonly dataset: string
  readonly system: string
  readonly metric: string
  readonly direction: 'ASC' | 'DESC'
}

function Ordered({ dataset, system, metric, direction }: OrderedProps) {
  const [first, setFirst] = useState(PAGE)
  const answer = useQuery(ImageOrderDocument, { dataset, system, metric, direction, first })
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) => {
        const page = data?.system?.score?.imageScores
        const nodes = page?.nodes ?? []
        if (nodes.length === 0) {
          const command = `accord evaluate --dataset ${dataset} --system ${system} --metrics ${metric}`
          return (
            <Empty command={command}>
              {system} has no scores by {metric}.
            </Empty>
          )
        }
        const values = new Map(nodes.map(({ image, value }) => [image.externalId, value]))
        return (
          <>
            <ImageGrid
              dataset={dataset}
              images={nodes.map(({ image }) => image)}
              noteOf={({ externalId }) => `${metric} ${number(values.get(externalId) as number)}`}
            />
            <More isShown={nodes.length < (page?.totalCount ?? 0)} more={() => setFirst(first + PAGE)} />
          </>
        )
      }}
    </Awaited>
  )
}

function More({ isShown, more }: { readonly isShown: boolean; readonly more: () => void }) {
  return isShown ? (
    <button type="button" onClick={more}>
      More images
    </button>
  ) : null
}

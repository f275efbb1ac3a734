import { Fragment } from 'preact'
import { useQuery } from '../app/client'
import { number, signed } from '../app/format'
import { PEOPLE } from '../app/names'
import { Picture } from '../components/picture'
import { CompareDocument, type ExampleFragment, ExamplesDocument } from '../generated/documents'
import { type Pair, pairScores, STANDARD_METRIC } from '../pages/compare'

interface WinsProps {
  readonly dataset: string
  readonly system: string
}

/** The images on which a system is farthest above people, and farthest below them, with what both wrote. */
export function Wins({ dataset, system }: WinsProps) {
  const sides = {
    first: system,
    second: PEOPLE,
    metric: STANDARD_METRIC,
    isAsPeople: true,
    isWithPeople: true,
  }
  const { data } = useQuery(CompareDocument, { dataset, ...sides })
  const pairs = pairScores(data?.dataset?.one?.score?.vector, data?.dataset?.humanAgreement?.score?.vector)
  const sorted = pairs.sort((a, b) => b.first - b.second - (a.first - a.second))
  const chosen =
    sorted.length < 4 ? null : [sorted[0], sorted[1], sorted[sorted.length - 1], sorted[sorted.length - 2]]
  const [bestWin, nextWin, worstLoss, nextLoss] = (chosen ?? []).map(({ id }) => id)
  const examples = useQuery(
    ExamplesDocument,
    chosen && { dataset, system, bestWin, nextWin, worstLoss, nextLoss },
  ).data?.dataset
  if (!chosen || !examples) return null
  const lists = [
    { title: 'above people', images: [examples.bestWin, examples.nextWin] },
    { title: 'below people', images: [examples.worstLoss, examples.nextLoss] },
  ]
  return (
    <>
      {lists.map(({ title, images }) => (
        <Fragment key={title}>
          <h3>
            {system} farthest {title} by {STANDARD_METRIC}
          </h3>
          {images.map(
            (image) =>
              image && <Example key={image.externalId} image={image} system={system} pairs={chosen} />,
          )}
        </Fragment>
      ))}
    </>
  )
}

interface ExampleProps {
  readonly image: ExampleFragment
  readonly system: string
  readonly pairs: readonly Pair[]
}

function Example({ image, system, pairs }: ExampleProps) {
  const pair = pairs.find(({ id }) => id === image.externalId)
  if (!pair) return null
  return (
    <div class="example">
      <Picture image={image} />
      <dl>
        <dt>
          {system}, {number(pair.first)} ({signed(pair.first - pair.second)})
        </dt>
        <dd>{image.systemCaptions?.nodes[0]?.text}</dd>
        <dt class="people-text">
          {PEOPLE}, {number(pair.second)}
        </dt>
        {image.captions.map(({ text }) => (
          <dd key={text}>{text}</dd>
        ))}
      </dl>
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useQuery } from '../app/client'
import { number } from '../app/format'
import { href, Link, type Parameters } from '../app/router'
import { type Column, measured } from '../components/columns'
import { PhotographConsent, Picture } from '../components/picture'
import { Awaited, Unknown } from '../components/states'
import { Table } from '../components/table'
import { ImageDocument, type ImageQuery, type ScoreOfCaptionFragment } from '../generated/documents'

type Image = NonNullable<NonNullable<ImageQuery['dataset']>['image']>
type SystemCaption = NonNullable<Image['systemCaptions']>['nodes'][number]

/** A caption in the table: of a person or a system. */
interface Row {
  readonly author: string
  readonly isHuman: boolean
  readonly text: string
  readonly tokens: readonly string[]
  readonly scores: readonly ScoreOfCaptionFragment[]
}

/** Metrics with a column, as far as there are scores. */
const METRICS = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L']

/** An image with what people and systems say of it. */
export default function ImagePage({ dataset, image }: Parameters) {
  const variables = { dataset, image }
  const answer = useQuery(ImageDocument, variables)
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) =>
        data?.image ? (
          <Content
            dataset={dataset}
            image={data.image}
            people={data.captionsPerImage}
            variables={variables}
          />
        ) : (
          <Unknown kind={data ? 'image' : 'dataset'} dataset={dataset} name={data ? image : dataset} />
        )
      }
    </Awaited>
  )
}

interface ContentProps {
  readonly dataset: string
  readonly image: Image
  readonly people: number
  readonly variables: object
}

function Content({ dataset, image, people, variables }: ContentProps) {
  const [word, setWord] = useState<string>()
  const [box, setBox] = useState<string>()
  const boxesOfWord = boxesByWord(image)
  const wordsOfBox = [...boxesOfWord]
    .filter(([, ids]) => box !== undefined && ids.has(box))
    .map(([text]) => text)
  const pointed = word ? [word] : wordsOfBox
  const rows: Row[] = [
    ...image.people.map(({ text, tokens, scores }, index) => ({
      author: `person ${index + 1}`,
      isHuman: true,
      text,
      tokens,
      scores: scores ?? [],
    })),
    ...(image.systemCaptions?.nodes ?? []).map(({ system, text, tokens, scores }) => ({
      author: system.name,
      isHuman: false,
      text,
      tokens,
      scores: scores ?? [],
    })),
  ]
  const shared = new Set(
    image.words
      .filter(({ captionCount, word }) => captionCount > 1 && ['NN', 'VB', 'JJ'].includes(word.partOfSpeech))
      .map((entry) => entry.word.text),
  )
  const metrics = METRICS.filter((name) =>
    rows.some(({ scores }) => scores.some(({ metric }) => metric.name === name)),
  )
  const scoreOf = ({ scores }: Row, name: string) => scores.find(({ metric }) => metric.name === name)
  const columns: readonly Column<Row>[] = [
    { title: 'by', value: ({ author }) => author },
    {
      title: 'caption',
      value: ({ text }) => text,
      show: ({ text }) => <Marked text={text} words={pointed.length > 0 ? new Set(pointed) : shared} />,
    },
    ...metrics.flatMap((name) =>
      measured<Row>(name, (row) => scoreOf(row, name), {
        show: (value) => number(value),
        hasInterval: false,
      }),
    ),
  ]
  return (
    <>
      <h1>What do people say about {image.externalId}?</h1>
      <div class="two">
        <div>
          <Picture
            image={image}
            isLarge
            marked={word ? boxesOfWord.get(word) : box ? new Set([box]) : undefined}
            onPoint={setBox}
          />
          <PhotographConsent urls={[image.url]} />
        </div>
        <div>
          <h2>Words of {people} people</h2>
          <ul class="chips">
            {image.words.map(({ word: { text }, captionCount }) => (
              <li key={text}>
                <span
                  onPointerEnter={() => setWord(text)}
                  onPointerLeave={() => setWord(undefined)}
                  onFocusIn={() => setWord(text)}
                  onFocusOut={() => setWord(undefined)}
                >
                  <Link to={href('d', dataset, 'words', text)} class={`count-${Math.min(5, captionCount)}`}>
                    {text} <small>{captionCount}</small>
                  </Link>
                </span>
              </li>
            ))}
          </ul>
          <Tuples captions={image.systemCaptions?.nodes ?? []} />
        </div>
      </div>
      <h2>Captions</h2>
      <p class="note">
        Scores are against {people - 1} captions of other people, for people and systems alike. Marked words
        are used by two people or more.
      </p>
      <Table
        label="Captions"
        columns={columns}
        rows={rows}
        rowClass={({ isHuman }) => (isHuman ? 'people-row' : undefined)}
        provenance={{
          signatures: rows.flatMap(({ scores }) =>
            scores.filter(({ metric }) => metrics.includes(metric.name)).map(({ signature }) => signature),
          ),
          command: `accord show ${image.externalId} --dataset ${dataset}`,
          query: ImageDocument,
          variables,
        }}
      />
    </>
  )
}

/** The boxes that descriptions mention by a word. */
function boxesByWord({ descriptions }: Image): Map<string, Set<string>> {
  const boxes = new Map<string, Set<string>>()
  for (const { text, box } of descriptions.flatMap(({ mentions }) => mentions)) {
    for (const word of text?.toLowerCase().split(/\s+/) ?? []) {
      const ids = boxes.get(word) ?? new Set()
      boxes.set(word, ids.add(box.externalId))
    }
  }
  return boxes
}

/** A caption with words marked. Captions are split where tokens are, so that marks fall on whole words. */
function Marked({ text, words }: { readonly text: string; readonly words: ReadonlySet<string> }) {
  const pieces: ComponentChildren[] = text
    .split(/([\p{L}\p{N}'’-]+)/u)
    .map((piece, index) => (words.has(piece.toLowerCase()) ? <mark key={index}>{piece}</mark> : piece))
  return <>{pieces}</>
}

/** What systems say, in the tuples of SPICE: those that people say too are marked. */
function Tuples({ captions }: { readonly captions: readonly SystemCaption[] }) {
  const withTuples = captions.filter(({ matchedTuples }) => matchedTuples.length > 0)
  if (withTuples.length === 0) return null
  return (
    <>
      <h2>What systems say that people say too</h2>
      <dl class="tuples">
        {withTuples.map(({ system, matchedTuples }) => (
          <div key={system.name}>
            <dt>{system.name}</dt>
            <dd>
              <ul class="chips">
                {matchedTuples.map(({ names, match }) => (
                  <li key={names.join(' ')} class={match ? 'matched' : undefined}>
                    {match && <span class="tick">✓ </span>}
                    {names.join(' – ')}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

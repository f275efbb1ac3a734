import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { counted, scored } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { type Marks, marksOf, splitAtTokens } from '../app/caption-words'
import { useQuery } from '../app/client'
import { href, Link, type Parameters } from '../app/router'
import { Folded, Said } from '../components/caption-text'
import { type Column, measured } from '../components/columns'
import { ComputeButton } from '../components/compute'
import { ImageName, PhotographConsent, Picture } from '../components/picture'
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
  readonly unconfirmed: readonly string[]
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
            reload={answer.reload}
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
  readonly reload: () => void
}

function Content({ dataset, image, people, variables, reload }: ContentProps) {
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
      unconfirmed: [],
      text,
      tokens,
      scores: scores ?? [],
    })),
    ...(image.systemCaptions?.nodes ?? []).map(({ system, text, tokens, scores, matchedTuples }) => ({
      author: system.name,
      isHuman: false,
      unconfirmed: matchedTuples.flatMap(({ kind, names, match }) =>
        kind === 'OBJECT' && match === null ? names : [],
      ),
      text,
      tokens,
      scores: scores ?? [],
    })),
  ]
  const { language } = image.dataset
  // Where words have no part of speech, as in other languages than English, all are shown.
  const isTagged = image.words.some(({ word }) => word.partOfSpeech !== 'OTHER')
  const telling = new Set(
    image.words
      .filter(({ word }) => !isTagged || ['NN', 'VB', 'JJ'].includes(word.partOfSpeech))
      .map((entry) => entry.word.text),
  )
  const marks = new Map(marksOf(rows, telling).map((mark, index) => [rows[index], mark]))
  const metrics = METRICS.filter((name) =>
    rows.some(({ scores }) => scores.some(({ metric }) => metric.name === name)),
  )
  const scoreOf = ({ scores }: Row, name: string) => scores.find(({ metric }) => metric.name === name)
  const columns: readonly Column<Row>[] = [
    {
      title: 'by',
      value: ({ author }) => author,
      address: ({ author, isHuman }) => (isHuman ? undefined : href('d', dataset, 'systems', author)),
    },
    {
      title: 'caption',
      value: ({ text }) => text,
      show: (row) => (
        <Folded text={row.text}>
          <Said language={language}>
            <Marked
              pieces={splitAtTokens(row.text, row.tokens)}
              {...(pointed.length > 0 ? { confirmed: new Set(pointed) } : marks.get(row))}
            />
          </Said>
        </Folded>
      ),
    },
    ...metrics.flatMap((name) =>
      measured<Row>(name, (row) => scoreOf(row, name), {
        show: (value) => scored(value),
        hasInterval: false,
      }),
    ),
  ]
  return (
    <>
      <h1>
        What do people say about{' '}
        <span class="code">
          <ImageName image={image} />
        </span>
        ?
      </h1>
      <p class="controls turn">
        {image.previous && (
          <Link to={href('d', dataset, 'images', image.previous.externalId)}>← previous image</Link>
        )}
        {image.next && <Link to={href('d', dataset, 'images', image.next.externalId)}>next image →</Link>}
      </p>
      <div class="two">
        <div>
          <Picture
            image={image}
            isLarge
            marked={word ? boxesOfWord.get(word) : box ? new Set([box]) : undefined}
            onPoint={setBox}
          />
          <PhotographConsent images={[image]} />
        </div>
        <div>
          {image.words.length > 0 && <h2>Words of {counted(people, 'person', 'people')}</h2>}
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
                    <Said language={language}>{text}</Said> <small>{captionCount}</small>
                  </Link>
                </span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      {rows.length > 0 && (
        <>
          <h2>Captions</h2>
          <p class="note">
            {metrics.length > 0 &&
              people > 1 &&
              `Scores are against ${counted(people - 1, 'caption')} of other people, for people and systems alike. `}
            Marked words are those that another person uses too; underlined ones nobody else uses, no person
            and no system.
            {rows.some(({ unconfirmed }) => unconfirmed.length > 0) &&
              ' A wavy line is below objects that no person mentions.'}
          </p>
          <Table
            label="Captions"
            isStacked
            columns={columns}
            rows={rows}
            rowClass={({ isHuman }) => (isHuman ? 'people-row' : undefined)}
            provenance={{
              signatures: rows.flatMap(({ scores }) =>
                scores
                  .filter(({ metric }) => metrics.includes(metric.name))
                  .map(({ signature }) => signature),
              ),
              command: `accord show ${shellWord(image.externalId)} --dataset ${shellWord(dataset)}`,
              query: ImageDocument,
              variables,
            }}
          />
        </>
      )}
      {metrics.length === 0 && people > 1 && (
        <ComputeButton
          dataset={dataset}
          systems={(image.systemCaptions?.nodes ?? []).map(({ system }) => system.name)}
          title="Score the captions of all images"
          onDone={reload}
        />
      )}
      <Tuples captions={image.systemCaptions?.nodes ?? []} />
      <Descriptions image={image} people={people} />
    </>
  )
}

interface DescriptionsProps {
  readonly image: Image
  /** Captions of each image. */
  readonly people: number
}

/** What people say in descriptions of boxes, where these are no captions. */
function Descriptions({ image: { descriptions, boxes }, people }: DescriptionsProps) {
  if (people > 0 || descriptions.length === 0) return null
  const labels = new Map(boxes.map(({ externalId, label }) => [externalId, label]))
  return (
    <>
      <h2>Descriptions</h2>
      <ul>
        {descriptions.map(({ text, mentions }, index) => (
          <li key={index}>
            {text ??
              listOf(mentions.map(({ text: said, box }) => said ?? labels.get(box.externalId) ?? 'a box'))}
          </li>
        ))}
      </ul>
    </>
  )
}

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))

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

const NONE: ReadonlySet<string> = new Set()

/** A caption, in pieces, with words marked. */
function Marked({
  pieces,
  confirmed = NONE,
  alone = NONE,
  unconfirmed = NONE,
}: Partial<Marks> & { readonly pieces: readonly string[] }) {
  const marked: ComponentChildren[] = pieces.map((piece, index) => {
    const word = piece.toLowerCase()
    if (confirmed.has(word)) return <mark key={index}>{piece}</mark>
    if (unconfirmed.has(word))
      return (
        <u key={index} class="unconfirmed">
          {piece}
        </u>
      )
    return alone.has(word) ? <u key={index}>{piece}</u> : piece
  })
  return <>{marked}</>
}

/** What systems say, in the tuples of SPICE: what people say too, and what no person says. */
function Tuples({ captions }: { readonly captions: readonly SystemCaption[] }) {
  return (
    <>
      <TupleList title="What systems say that people say too" captions={captions} isMatched />
      <TupleList title="What systems say and no person does" captions={captions} isMatched={false} />
    </>
  )
}

interface TupleListProps {
  readonly title: string
  readonly captions: readonly SystemCaption[]
  readonly isMatched: boolean
}

function TupleList({ title, captions, isMatched }: TupleListProps) {
  const found = captions.flatMap(({ system, matchedTuples }) => {
    const tuples = matchedTuples.filter(({ match }) => Boolean(match) === isMatched)
    return tuples.length === 0 ? [] : [{ name: system.name, tuples }]
  })
  if (found.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <dl class="tuples">
        {found.map(({ name, tuples }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ul class="chips">
                {tuples.map(({ names }) => (
                  <li key={names.join(' ')}>{names.join(' – ')}</li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

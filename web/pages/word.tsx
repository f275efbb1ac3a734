import { grouped as count, counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { useQuery } from '../app/client'
import { PARTS_OF_SPEECH, percent, reasonText, withInterval } from '../app/format'
import { href, type Parameters, useSetting } from '../app/router'
import { Histogram } from '../charts/histogram'
import { type Line, Lines, type Mark } from '../charts/lines'
import { Said } from '../components/caption-text'
import { measured } from '../components/columns'
import { Figure } from '../components/figure'
import { ImageGrid } from '../components/picture'
import { Awaited, Unknown } from '../components/states'
import { MistakesDocument, type ModelFragment, WordDocument, type WordQuery } from '../generated/documents'

type Word = NonNullable<NonNullable<WordQuery['dataset']>['word']>
type Result = NonNullable<Word['systemResults']>['nodes'][number]

/** One word: its use by people, the models of it, the systems, and its images. */
export default function WordPage({ dataset, word }: Parameters) {
  const [chosen, setChosen] = useSetting('people', '')
  const variables = { dataset, word, count: chosen === '' ? null : Number(chosen) }
  const answer = useQuery(WordDocument, variables)
  return (
    <Awaited answer={answer} height={900}>
      {({ dataset: data }) =>
        data?.word ? (
          <Content
            dataset={dataset}
            data={data.word}
            people={data.captionsPerImage}
            language={data.language}
            chosen={chosen}
            setChosen={setChosen}
            variables={variables}
          />
        ) : (
          <Unknown kind={data ? 'word' : 'dataset'} dataset={dataset} name={data ? word : dataset} />
        )
      }
    </Awaited>
  )
}

interface ContentProps {
  readonly dataset: string
  readonly data: Word
  readonly people: number
  readonly language: string
  readonly chosen: string
  readonly setChosen: (value: string) => void
  readonly variables: object
}

function Content({ dataset, data, people, language, chosen, setChosen, variables }: ContentProps) {
  const { text, partOfSpeech, imageCount, captionCount, agreement, images } = data
  const systems = data.systemResults?.nodes ?? []
  const command = `accord words --dataset ${shellWord(dataset)} --word ${shellWord(text)}`
  return (
    <>
      <h1>
        When do people say “<Said language={language}>{text}</Said>”?
      </h1>
      <p class="lede">
        A {partOfSpeech === 'OTHER' ? 'word' : PARTS_OF_SPEECH[partOfSpeech]} in{' '}
        {counted(captionCount, 'caption')} of {counted(imageCount, 'image')}.{' '}
        {typeof agreement?.precision === 'number' && typeof agreement.recall === 'number' ? (
          <>
            <strong class="people-text">{percent(agreement.precision)}</strong> of its uses are confirmed by{' '}
            {agreement.referenceCount} other people;{' '}
            <strong class="people-text">{percent(agreement.recall)}</strong> of people use it where another
            one does.
          </>
        ) : (
          `Agreement is undefined: ${reasonText(agreement?.undefinedReason)}.`
        )}
      </p>
      <div class="grid">
        <HistogramFigure data={data} people={people} command={command} variables={variables} />
        {systems.length > 0 && (
          <CurveFigure
            dataset={dataset}
            data={data}
            systems={systems}
            command={command}
            variables={variables}
          />
        )}
      </div>
      <h2>Images</h2>
      <p class="controls">
        <label>
          Used by{' '}
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <option value="">at least one person</option>
            {Array.from({ length: people }, (_, index) => (
              <option key={index} value={index + 1}>
                {index + 1} of {people} people
              </option>
            ))}
          </select>
        </label>
        <span class="note">{counted(images?.totalCount ?? 0, 'image')}</span>
      </p>
      <ImageGrid dataset={dataset} images={images?.nodes ?? []} />
      {systems.length > 0 && (
        <Mistakes dataset={dataset} word={text} systems={systems.map(({ system }) => system.name)} />
      )}
    </>
  )
}

interface MistakesProps {
  readonly dataset: string
  readonly word: string
  readonly systems: readonly string[]
}

/** Images on which a system uses the word and nobody does, or the other way round. */
function Mistakes({ dataset, word, systems }: MistakesProps) {
  const [system, setSystem] = useSetting('system', systems[0])
  const [chosen, setKind] = useSetting('mistakes', 'FALSE_POSITIVE')
  const kind = chosen === 'FALSE_NEGATIVE' ? 'FALSE_NEGATIVE' : 'FALSE_POSITIVE'
  const answer = useQuery(MistakesDocument, { dataset, word, system, kind })
  return (
    <>
      <h2>Mistakes of a system</h2>
      <p class="controls">
        <label>
          System{' '}
          <select value={system} onChange={({ currentTarget }) => setSystem(currentTarget.value)}>
            {systems.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Where{' '}
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            <option value="FALSE_POSITIVE">it says “{word}” and no person does</option>
            <option value="FALSE_NEGATIVE">people say “{word}” and it does not</option>
          </select>
        </label>
      </p>
      <Awaited answer={answer} height={230}>
        {({ dataset: data }) => {
          const mistakes = data?.word?.systemResult?.mistakes
          const nodes = mistakes?.nodes ?? []
          const captionOf = new Map(
            nodes.map(({ image }) => [image.externalId, image.systemCaptions?.nodes[0]?.text]),
          )
          const noteOf = new Map(
            nodes.map(({ image, captionCount, wordScore }) => [
              image.externalId,
              wordScore === null
                ? `said by ${counted(captionCount, 'person', 'people')}`
                : `score ${number(wordScore)}`,
            ]),
          )
          return (
            <>
              <p class="note">{counted(mistakes?.totalCount ?? 0, 'image')}</p>
              <ImageGrid
                dataset={dataset}
                images={nodes.map(({ image }) => image)}
                noteOf={({ externalId }) => noteOf.get(externalId) ?? ''}
                captionOf={({ externalId }) => captionOf.get(externalId)}
              />
            </>
          )
        }}
      </Awaited>
    </>
  )
}

interface FigureProps {
  readonly data: Word
  readonly command: string
  readonly variables: object
}

/** Images by the number of people who use the word; none is left out, since it would hide the rest. */
function HistogramFigure({ data, people, command, variables }: FigureProps & { readonly people: number }) {
  const bars = (values: readonly number[]) =>
    values.flatMap((value, people) => (people === 0 ? [] : [{ from: people - 0.5, to: people + 0.5, value }]))
  const models: readonly (readonly [string, ModelFragment, string])[] = [
    ['moment fit', data.moment, '0'],
    ['binomial', data.binomial, '1'],
    ['beta-binomial', data.betaBinomial, '2'],
  ]
  const rows = data.countHistogram.map((images, people) => ({ people, images }))
  return (
    <Figure
      title={`Images by how many of ${people} people say “${data.text}”`}
      columns={[
        { title: 'people', value: (row) => row.people },
        { title: 'images', value: (row) => row.images, text: (row) => count(row.images) },
        ...models.map(([name, model]) => ({
          title: name,
          value: (row: (typeof rows)[number]) => model.expectedHistogram?.[row.people],
        })),
      ]}
      rows={rows}
      provenance={{ signatures: [data.agreement?.signature], command, query: WordDocument, variables }}
    >
      <Histogram
        label={`Images by the number of people who say ${data.text}`}
        xTitle="people"
        yTitle="images"
        bars={bars(data.countHistogram)}
        xTicks={Array.from({ length: people }, (_, index) => index + 1)}
        outlines={models.flatMap(([name, { expectedHistogram }, tone]) =>
          expectedHistogram ? [{ name, bars: bars(expectedHistogram), tone }] : [],
        )}
      />
    </Figure>
  )
}

interface CurveProps extends FigureProps {
  readonly dataset: string
  readonly systems: readonly Result[]
}

/** Names beside the points of more systems would cover each other. */
const MOST_NAMED = 8

/** Curves of detectors with their points at human recall; captioners are points, and people a star. */
function CurveFigure({ dataset, data, systems, command, variables }: CurveProps) {
  const { agreement } = data
  const detectors = systems.filter(({ system }) => system.kind === 'WORD_SCORES')
  const lines = detectors.map<Line>(({ system, curve }, index) => ({
    name: system.name,
    tone: String(index % 6),
    hasDots: false,
    points: (curve ?? []).map(({ recall, precision }) => ({ x: recall, y: precision })),
  }))
  const isNamed = systems.length <= MOST_NAMED
  const marks: Mark[] = systems.flatMap(({ system, precision, recall, precisionAtHumanRecall }, index) => {
    if (typeof precision === 'number' && typeof recall === 'number') {
      return [{ name: system.name, x: recall, y: precision, tone: 'system', isNamed }]
    }
    return typeof precisionAtHumanRecall === 'number' && typeof agreement?.recall === 'number'
      ? [
          {
            name: `${system.name} at human recall`,
            x: agreement.recall,
            y: precisionAtHumanRecall,
            tone: String(detectors.indexOf(systems[index]) % 6),
          },
        ]
      : []
  })
  if (typeof agreement?.precision === 'number' && typeof agreement.recall === 'number') {
    marks.push({
      name: 'people',
      x: agreement.recall,
      y: agreement.precision,
      tone: 'people',
      isStar: true,
      isNamed,
    })
  }
  return (
    <Figure
      title={`Systems beside people on “${data.text}”`}
      columns={[
        {
          title: 'system',
          value: ({ system }) => system.name,
          address: ({ system }) => href('d', dataset, 'systems', system.name),
        },
        ...estimate('PHR', 'precisionAtHumanRecall'),
        ...estimate('AP', 'averagePrecision'),
        ...estimate('precision', 'precision'),
        ...estimate('recall', 'recall'),
        { title: 'undefined', value: (row) => row.undefinedReason && reasonText(row.undefinedReason) },
        { title: 'signature', value: (row) => row.signature, isHidden: true },
      ]}
      rows={systems}
      notes={[
        agreement && typeof agreement.precision === 'number'
          ? `People (star): precision ${withInterval(agreement.precision, agreement.precisionInterval)}, recall ${withInterval(agreement.recall as number, agreement.recallInterval)}. Dots: captioners, and detectors at human recall.`
          : '',
      ].filter(Boolean)}
      provenance={{
        signatures: systems.map(({ signature }) => signature),
        command,
        query: WordDocument,
        variables,
      }}
    >
      <Lines
        label={`Precision and recall of systems and people on ${data.text}`}
        xTitle="recall"
        yTitle="precision"
        xRange={[0, 1]}
        yRange={[0, 1]}
        lines={lines}
        marks={marks}
        height={300}
      />
    </Figure>
  )
}

/** A figure of a system on the word. */
function estimate(title: string, figure: Exclude<keyof Result['estimates'], '__typename'>) {
  return measured<Result>(title, ({ estimates }) => estimates[figure], { hasSignature: false })
}

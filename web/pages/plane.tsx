import { useMemo } from 'preact/hooks'
import { grouped as count, type Interval, signedWithInterval } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { type Answer, useQuery } from '../app/client'
import { hasPartsOfSpeech, PARTS_OF_SPEECH, percent, withInterval } from '../app/format'
import { href, useSetting } from '../app/router'
import { type Area, type PlaneCurve, type PlaneWord, WordPlane } from '../charts/word-plane'
import { BARE, type Column, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { Awaited, Command, Empty, Failure, isTooMuch, Pending, Unknown } from '../components/states'
import { Table } from '../components/table'
import { UsageCurvesDocument, WordGapsDocument, WordsDocument, type WordsQuery } from '../generated/documents'

type Data = NonNullable<WordsQuery['dataset']>

interface Row extends PlaneWord {
  readonly precisionInterval: Interval | null
  readonly recallInterval: Interval | null
  readonly residual: number | null | undefined
}

/** How far a system is from people on words, with 95 % intervals. */
type Gaps = ReadonlyMap<string, { readonly value: number; readonly interval: Interval | null }>

/** @param gaps of the system that is chosen, by word */
function columnsOf(
  signature: string | null | undefined,
  gaps: Gaps | undefined,
  isTagged: boolean,
): readonly Column<Row>[] {
  return [
    { title: 'word', value: ({ text }) => text, address: ({ address }) => address },
    ...(isTagged
      ? [{ title: 'part of speech', value: ({ partOfSpeech }: Row) => PARTS_OF_SPEECH[partOfSpeech] }]
      : []),
    {
      title: 'captions',
      value: ({ captionCount }) => captionCount,
      text: ({ captionCount }) => count(captionCount),
    },
    ...measured<Row>('precision', ({ precision: value, precisionInterval: interval }) => ({
      ...{ value, interval, signature },
    })),
    ...measured<Row>('recall', ({ recall: value, recallInterval: interval }) => ({
      ...{ value, interval, signature },
    })),
    ...measured<Row>('precision − model', ({ residual }) => ({ value: residual }), BARE),
    ...(gaps
      ? measured<Row>('system − people', ({ text }) => gaps.get(text), {
          show: signedWithInterval,
          hasSignature: false,
        })
      : []),
  ]
}

interface PlaneProps {
  readonly dataset: string
  /** Only the plane: without controls and table. */
  readonly isSmall?: boolean
}

/** The words of a dataset: human precision against recall for k references, with search and a table beside it. */
export function Plane({ dataset, isSmall = false }: PlaneProps) {
  const [k, setK] = useSetting('k', '')
  const references = k === '' || isSmall ? null : Number(k)
  const answer = useQuery(WordsDocument, { dataset, references })
  return (
    <Awaited answer={answer} height={isSmall ? 750 : 1400}>
      {({ dataset: data }) =>
        !data ? (
          <Unknown kind="dataset" name={dataset} />
        ) : data.captionsPerImage === 1 ? (
          <Empty>
            Images of {dataset} have one caption each: there is no second person who could confirm a word.
            With two or more captions of each image, this page shows which words people agree on.
          </Empty>
        ) : !data.words?.columns?.texts.length ? (
          <Empty
            upload="vocabulary"
            command={`accord import vocabulary words.csv --dataset ${shellWord(dataset)}`}
          >
            {dataset} has no vocabulary, or no captions.
          </Empty>
        ) : (
          <Content
            name={dataset}
            data={data}
            isSmall={isSmall}
            setK={setK}
            variables={{ dataset, references }}
          />
        )
      }
    </Awaited>
  )
}

interface ContentProps {
  readonly name: string
  readonly data: Data
  readonly isSmall: boolean
  readonly setK: (value: string) => void
  readonly variables: object
}

function Content({ name, data, isSmall, setK, variables }: ContentProps) {
  const [search, setSearch] = useSetting('q', '')
  const [part, setPart] = useSetting('part', '')
  const [area, setArea] = useArea()
  const [system, setSystem] = useSetting('system', '')
  const k = data.wordAgreement?.referenceCount ?? 0
  const isTagged = hasPartsOfSpeech(data.language)
  const rows = useMemo(() => rowsOf(name, data), [name, data])
  const found = rows.filter(
    (row) =>
      row.text.includes(search.toLowerCase()) &&
      (part === '' || !isTagged || row.partOfSpeech === part) &&
      (isSmall || !area || isWithin(row, area)),
  )
  const isFiltered = !isSmall && found.length < rows.length
  const others = useOtherCurves(isSmall ? null : name, k, data.captionsPerImage - 1)
  const { gaps, answer } = useGaps(name, isSmall ? '' : system, k, rows)
  const columns = columnsOf(data.wordAgreement?.signature, gaps, isTagged)
  const mean = data.wordAgreement?.means?.find(({ figure }) => figure === 'HUMAN_PRECISION')
  const parts = Object.keys(PARTS_OF_SPEECH).filter((tag) =>
    rows.some(({ partOfSpeech }) => partOfSpeech === tag),
  )
  const example = exampleOf(rows)
  const provenance = {
    signatures: [data.wordAgreement?.signature],
    command: `accord words --dataset ${shellWord(name)} --references ${k}`,
    query: WordsDocument,
    variables,
  }
  return (
    <>
      {!isSmall && (
        <form class="controls" onSubmit={(event) => event.preventDefault()}>
          <label>
            Search{' '}
            <input
              type="search"
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          </label>
          {isTagged && (
            <label>
              Part of speech{' '}
              <select value={part} onChange={({ currentTarget }) => setPart(currentTarget.value)}>
                <option value="">all</option>
                {parts.map((tag) => (
                  <option key={tag} value={tag}>
                    {PARTS_OF_SPEECH[tag as keyof typeof PARTS_OF_SPEECH]}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            System beside people{' '}
            <select value={system} onChange={({ currentTarget }) => setSystem(currentTarget.value)}>
              <option value="">none</option>
              {(data.systems?.nodes ?? [])
                .filter(({ kind }) => kind !== 'DESCRIPTIONS')
                .map((node) => (
                  <option key={node.name}>{node.name}</option>
                ))}
            </select>
          </label>
          <label>
            Other people: {k}{' '}
            <input
              type="range"
              min={1}
              max={data.captionsPerImage - 1}
              value={k}
              onChange={({ currentTarget }) => setK(currentTarget.value)}
            />
          </label>
          {area && (
            <button type="button" onClick={() => setArea(undefined)}>
              Words of the whole plane
            </button>
          )}
        </form>
      )}
      {answer.isLoading && <Pending answer={answer} />}
      {answer.error && <WithoutGaps dataset={name} system={system} answer={answer} />}
      <Figure
        title={`Human precision and recall of ${count(rows.length)} words of ${name}`}
        columns={columns}
        rows={found}
        notes={isSmall ? [] : data.wordAgreement?.notes}
        provenance={provenance}
      >
        <p class="legend">
          {gaps
            ? Object.entries(GAP_TONES).map(([tone, text]) => (
                <span key={tone} class={tone}>
                  {system} {text}
                </span>
              ))
            : isTagged &&
              parts.map((tag) => (
                <span key={tag} class={tag}>
                  {PARTS_OF_SPEECH[tag as keyof typeof PARTS_OF_SPEECH]}
                </span>
              ))}
        </p>
        <WordPlane
          label={`Human precision and recall of words of ${name}`}
          words={rows}
          language={data.language}
          area={isSmall ? undefined : area}
          setArea={isSmall ? undefined : setArea}
          found={isFiltered ? new Set(found.map(({ text }) => text)) : undefined}
          curves={[
            ...others,
            { name: `model, k = ${k}`, isMain: true, points: data.usageCurve?.points ?? [] },
          ].filter(({ points }) => points.length > 0)}
          yTitle={`human precision (${k} ${k === 1 ? 'reference' : 'references'})`}
          toneOf={
            gaps &&
            ((text) => {
              const gap = gaps.get(text)
              const told = gap
                ? `${system} − people ${signedWithInterval(gap.value, gap.interval)}`
                : 'no figure'
              return { tone: toneOfGap(gap), told }
            })
          }
          annotated={isSmall && example ? { text: example.text, note: noteOf(example) } : undefined}
        />
      </Figure>
      {mean?.value !== null && mean !== undefined && (
        <p>
          On average over words, <strong class="people-text">{percent(mean.value)}</strong> of the uses of a
          word are confirmed by {k} other {k === 1 ? 'person' : 'people'}
          {mean.interval &&
            ` (95 % interval ${withInterval(mean.value, mean.interval).replace(/^\S+ /, '')})`}
          .
        </p>
      )}
      {!isSmall && found.length === 0 && (
        <p class="empty" role="status">
          No word of {name} fits{search && ` “${search}”`}.{' '}
          <button
            type="button"
            onClick={() => {
              setSearch('')
              setPart('')
              setArea(undefined)
            }}
          >
            All words
          </button>
        </p>
      )}
      {!isSmall && found.length > 0 && (
        <Table label={`Words of ${name}`} columns={columns} rows={found} shown={50} provenance={provenance} />
      )}
    </>
  )
}

/** What the colours of gaps say. */
const GAP_TONES = {
  'gap-below': 'below people',
  'gap-open': 'not told apart from people',
  'gap-above': 'above people',
  'gap-none': 'without a figure',
} as const

function toneOfGap(gap: { readonly interval: Interval | null } | undefined): keyof typeof GAP_TONES {
  if (!gap) return 'gap-none'
  const { interval } = gap
  if (interval && interval.upper < 0) return 'gap-below'
  return interval && interval.lower > 0 ? 'gap-above' : 'gap-open'
}

/** The part of the plane that is marked, in the address. */
function useArea(): [Area | undefined, (area: Area | undefined) => void] {
  const [text, set] = useSetting('area', '')
  const [left, right, bottom, top] = text.split(' ').map(Number)
  const isArea = left < right && bottom < top
  return [
    isArea ? { recall: [left, right], precision: [bottom, top] } : undefined,
    (area) => set(area ? [...area.recall, ...area.precision].map((share) => share.toFixed(3)).join(' ') : ''),
  ]
}

const isWithin = ({ recall, precision }: Row, area: Area): boolean =>
  recall >= area.recall[0] &&
  recall <= area.recall[1] &&
  precision >= area.precision[0] &&
  precision <= area.precision[1]

/** PHR or precision of a system minus human precision, by word. The gaps are undefined while no system is chosen. */
function useGaps(dataset: string, system: string, references: number, rows: readonly Row[]) {
  const answer = useQuery(WordGapsDocument, system === '' ? null : { dataset, system, references })
  const words = answer.data?.dataset?.system?.words?.nodes
  const gaps = useMemo(() => {
    if (!words) return undefined
    const human = new Map(rows.map(({ text, precision }) => [text, precision]))
    const gaps = new Map<string, { readonly value: number; readonly interval: Interval | null }>()
    for (const { word, precision, precisionAtHumanRecall, estimates } of words) {
      const [own, people] = [precisionAtHumanRecall ?? precision, human.get(word.text)]
      if (typeof own !== 'number' || people === undefined) continue
      const { interval } = estimates.gapToPeople ?? {}
      gaps.set(word.text, { value: own - people, interval: interval ?? null })
    }
    return gaps
  }, [words, rows])
  return { gaps, answer }
}

/** Why a system is not beside people on words. */
function WithoutGaps({
  dataset,
  system,
  answer: { error, reload },
}: {
  readonly dataset: string
  readonly system: string
  readonly answer: Answer<unknown>
}) {
  if (!error) return null
  if (!isTooMuch(error)) return <Failure error={error} retry={reload} />
  return (
    <div class="empty">
      <p>
        How far {system} is from people on each word takes longer than this server computes for a page. On
        single words the pages of words have it, and a command prints it:
      </p>
      <Command text={`accord words --dataset ${shellWord(dataset)} --system ${shellWord(system)}`} />
    </div>
  )
}

/** The curves of four numbers of references from 1 to the greatest, without that of `shown`. Null: of no dataset. */
function useOtherCurves(dataset: string | null, shown: number, greatest: number): readonly PlaneCurve[] {
  const at = (share: number) => Math.max(1, Math.round(1 + share * (greatest - 1)))
  const variables = dataset === null ? null : { dataset, a: 1, b: at(1 / 3), c: at(2 / 3), d: at(1) }
  const { a, b, c, d } = useQuery(UsageCurvesDocument, variables).data?.dataset ?? {}
  const curves = new Map([a, b, c, d].map((curve) => [curve?.referenceCount, curve?.points ?? []]))
  return [...curves].flatMap(([k, points]) =>
    k === shown || typeof k !== 'number' ? [] : [{ name: `k = ${k}`, isMain: false, points }],
  )
}

function rowsOf(dataset: string, data: Data): Row[] {
  const columns = data.words?.columns
  return (columns?.texts ?? []).flatMap((text, index) => {
    const {
      partsOfSpeech,
      captionCounts,
      precisions,
      recalls,
      precisionIntervals,
      recallIntervals,
      residuals,
    } = columns as NonNullable<typeof columns>
    const [precision, recall] = [precisions[index], recalls[index]]
    if (precision === null || recall === null) return []
    return [
      {
        text,
        partOfSpeech: partsOfSpeech[index],
        captionCount: captionCounts[index],
        precision,
        recall,
        precisionInterval: precisionIntervals[index],
        recallInterval: recallIntervals[index],
        residual: residuals[index],
        address: href('d', dataset, 'words', text),
      },
    ]
  })
}

/** A common noun on which people half agree: neither certain nor a matter of taste. */
function exampleOf(rows: readonly Row[]): Row | undefined {
  const nouns = rows.filter(
    // The word "people" is the name of the people who are measured, too.
    ({ text, partOfSpeech, recall }) =>
      partOfSpeech === 'NN' && recall > 0.25 && recall < 0.6 && text !== 'people',
  )
  return nouns.reduce<Row | undefined>(
    (best, word) => (best && best.captionCount >= word.captionCount ? best : word),
    undefined,
  )
}

const noteOf = ({ precision, recall }: Row): string =>
  `${percent(recall)} say it; if one does, ${percent(precision)} are confirmed`

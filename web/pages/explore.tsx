import { useEffect } from 'preact/hooks'
import { counted, scored, signed } from '../../src/shared/numbers'
import { MAIN_METRIC, PEOPLE } from '../../src/shared/verdict'
import { ask, useQuery } from '../app/client'
import { EXPLORED, type Explored, exploreAddress } from '../app/explore-address'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { isRecorded } from '../app/transport'
import { Folded, Said } from '../components/caption-text'
import type { Column } from '../components/columns'
import { Confirmed, wordsOf } from '../components/compared-images'
import { ComputeButton } from '../components/compute'
import { ImageName, PhotographConsent, Picture } from '../components/picture'
import { SaveAll } from '../components/save-all'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  ExploreChoicesDocument,
  type ExploreChoicesQuery,
  ExploreDocument,
  type ExploreQuery,
  type ExploreQueryVariables,
} from '../generated/documents'

type Choices = NonNullable<ExploreChoicesQuery['dataset']>
type Row = NonNullable<NonNullable<ExploreQuery['dataset']>['images']>['nodes'][number]

/** Rows of a page. */
const ROWS = ['25', '50', '100']

/** Rows of one answer: a server sends at most 50,000 fields, of which a score is four. */
const mostRows = ({ systems, metrics }: Pick<Shown, 'systems' | 'metrics'>) =>
  Math.max(5, Math.min(100, Math.floor(6000 / ((systems.length + 1) * metrics.length + 1))))

/** Systems that are columns where none are chosen. */
const SYSTEMS = 3

/** Metrics that are columns where none are chosen, as far as they are computed. */
const METRICS = [MAIN_METRIC, 'coverage']

/** Metrics of captions of any length, which can be chosen before they are computed. */
const OFFERED = ['coverage', 'confirmed-share']

/** All images of a dataset beside what people and systems say of them, and how these captions score. */
export default function Explore({ dataset }: Parameters) {
  const settings = useExplored()
  const { field } = settings
  const answer = useQuery(ExploreChoicesDocument, { dataset, by: field, isByField: field !== '' })
  return (
    <>
      <h1>What do systems say of each image?</h1>
      <Awaited answer={answer} height={1600}>
        {({ dataset: choices }) =>
          choices ? (
            <Content dataset={dataset} choices={choices} settings={settings} reload={answer.reload} />
          ) : (
            <Unknown kind="dataset" name={dataset} />
          )
        }
      </Awaited>
    </>
  )
}

function useExplored(): Explored {
  const values = EXPLORED.map((name) => [name, useSetting(name, '')[0]])
  return Object.fromEntries(values)
}

/** The columns that are shown. */
interface Shown {
  readonly systems: readonly string[]
  readonly metrics: readonly string[]
  readonly against: 'AS_PEOPLE' | 'ALL'
  /** Systems, and people where they have scores. */
  readonly sides: readonly string[]
}

const namesOf = (scores: readonly { readonly metric: { readonly name: string } }[] | null | undefined) =>
  (scores ?? []).map(({ metric }) => metric.name)

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const captioning = ({ systems }: Choices) => (systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS')

/** The metrics by which there are scores, of systems and people. */
function metricsIn(choices: Choices, against: Shown['against']): string[] {
  const systems = captioning(choices).flatMap(({ equal, all }) => namesOf(against === 'ALL' ? all : equal))
  const people = against === 'ALL' ? [] : namesOf(choices.humanAgreement?.scores)
  return [...new Set([...systems, ...people])]
}

function shownOf(choices: Choices, settings: Explored): Shown {
  const names = captioning(choices).map(({ name }) => name)
  const isEqual = settings.references === '' && metricsIn(choices, 'AS_PEOPLE').length > 0
  const against = isEqual || settings.references === 'equal' ? 'AS_PEOPLE' : 'ALL'
  const stored = metricsIn(choices, against)
  const usual = METRICS.filter((name) => stored.includes(name))
  const main = usual.length > 0 ? usual : stored.slice(0, 1)
  // What the rows are sorted by is shown, whatever else is.
  const systems = [
    ...(settings.systems === '' ? names.slice(0, SYSTEMS) : linesOf(settings.systems)),
    ...[settings.by, settings.minus].filter((name) => name !== '' && name !== PEOPLE),
  ]
  const metrics = [
    ...(settings.metrics === '' ? main : linesOf(settings.metrics)),
    ...(settings.metric === '' ? [] : [settings.metric]),
  ]
  const hasPeople = against === 'AS_PEOPLE' && (choices.humanAgreement?.scores ?? []).length > 0
  const shown = [...new Set(systems)]
  return {
    systems: shown,
    metrics: [...new Set(metrics)],
    against,
    sides: hasPeople ? [PEOPLE, ...shown] : shown,
  }
}

const sideOf = (name: string) => (name === PEOPLE ? ({ human: 'LEAVE_ONE_OUT' } as const) : { system: name })

/** What the settings ask for. */
function variablesOf(dataset: string, settings: Explored, shown: Shown): ExploreQueryVariables {
  const { by, minus, metric, order, words, without, min, max, objects, field, value, after, before } =
    settings
  const size = Math.min(Number(ROWS.includes(settings.rows) ? settings.rows : ROWS[0]), mostRows(shown))
  const list = (text: string, separator: RegExp) => text.split(separator).filter((part) => part !== '')
  const number = (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : null)
  const captionWords = {
    all: list(words, /\s+/),
    none: list(without, /\s+/),
    tokenCount: { min: number(min), max: number(max) },
  }
  const isOfCaptions = [words, without, min, max].some((text) => text !== '')
  const isOfPeople = settings.in === '' || settings.in === PEOPLE
  return {
    dataset,
    systems: [...shown.systems],
    systemCount: Math.max(1, shown.systems.length),
    metrics: [...shown.metrics],
    against: shown.against,
    isWithPeople: shown.sides.includes(PEOPLE),
    filter: {
      ...(isOfCaptions && isOfPeople && { captionWords }),
      ...(isOfCaptions && !isOfPeople && { systemCaption: { system: settings.in, captionWords } }),
      ...(objects !== '' && { objects: list(objects, /\s*,\s*/) }),
      ...(field !== '' && value !== '' && { subset: { field, value } }),
    },
    orderBy:
      by === ''
        ? null
        : {
            field: {
              metric: metric === '' ? (shown.metrics[0] ?? MAIN_METRIC) : metric,
              side: sideOf(by),
              minus: minus === '' ? null : sideOf(minus),
              against: shown.against,
            },
            direction: order === 'DESC' ? 'DESC' : 'ASC',
          },
    ...(before === '' ? { count: size, after: after === '' ? null : after } : { last: size, before }),
  }
}

interface ContentProps {
  readonly dataset: string
  readonly choices: Choices
  readonly settings: Explored
  readonly reload: () => void
}

function Content({ dataset, choices, settings, reload }: ContentProps) {
  const shown = shownOf(choices, settings)
  const variables = variablesOf(dataset, settings, shown)
  const answer = useQuery(ExploreDocument, variables)
  const addressOf = (changes: Partial<Explored>) =>
    exploreAddress(dataset, { ...settings, after: '', before: '', ...changes })
  const change = (changes: Partial<Explored>) => navigate(addressOf(changes))
  const stored = metricsIn(choices, shown.against)
  const isAsPeople = shown.against === 'AS_PEOPLE' || stored.length === 0
  const missing = unscored(choices, shown, isAsPeople)
  useRowKeys()
  return (
    <>
      <Columns choices={choices} shown={shown} settings={settings} stored={stored} change={change} />
      <Filters choices={choices} settings={settings} change={change} />
      <Order shown={shown} settings={settings} stored={stored} change={change} />
      {missing.length > 0 && (
        <Empty>
          {missing.join(', ')}: not all scores of these columns are computed.
          <ComputeButton
            dataset={dataset}
            systems={missing.filter((name) => name !== PEOPLE)}
            metrics={shown.metrics.length > 0 ? shown.metrics : undefined}
            isAsPeople={isAsPeople}
            onDone={() => {
              reload()
              answer.reload()
            }}
          />
        </Empty>
      )}
      <Awaited answer={answer} height={1400}>
        {({ dataset: found }) => {
          const images = found?.images
          if (!images) return null
          if (images.totalCount === 0)
            return (
              <Empty>
                No image of {dataset} fits these conditions.{' '}
                <Link to={exploreAddress(dataset, { systems: settings.systems, metrics: settings.metrics })}>
                  All images
                </Link>
              </Empty>
            )
          return (
            <>
              <p class="note">
                {counted(images.totalCount, 'image')}. Words that a person says of the image are marked; words
                that no person says are underlined.
              </p>
              <PhotographConsent images={images.nodes} />
              <Rows
                dataset={dataset}
                rows={images.nodes}
                imageCount={images.totalCount}
                variables={variables}
                shown={shown}
                stored={stored}
                settings={settings}
                change={change}
              />
              <nav class="controls" aria-label="Pages">
                {images.pageInfo.hasPreviousPage && (
                  <>
                    <Link to={addressOf({})}>First rows</Link>
                    <Link to={addressOf({ before: images.pageInfo.startCursor ?? '' })}>Rows before</Link>
                  </>
                )}
                {images.pageInfo.hasNextPage && (
                  <Link to={addressOf({ after: images.pageInfo.endCursor ?? '' })}>Next rows</Link>
                )}
              </nav>
            </>
          )
        }}
      </Awaited>
    </>
  )
}

/** The shown systems, and people, that have no scores by one of the shown metrics. */
function unscored(choices: Choices, { systems, metrics, against }: Shown, isAsPeople: boolean): string[] {
  const lacks = (own: readonly string[]) =>
    own.length === 0 || metrics.some((metric) => !own.includes(metric))
  const { scores, undefinedReason } = choices.humanAgreement ?? {}
  // People with one caption of each image never have any.
  const mayHave = undefinedReason === null || undefinedReason === 'NOT_COMPUTED'
  const isWithPeople = isAsPeople && mayHave && lacks(namesOf(scores))
  const lacking = captioning(choices)
    .filter(
      ({ name, equal, all }) => systems.includes(name) && lacks(namesOf(against === 'ALL' ? all : equal)),
    )
    .map(({ name }) => name)
  return isWithPeople ? [PEOPLE, ...lacking] : lacking
}

interface ControlsProps {
  readonly choices: Choices
  readonly shown: Shown
  readonly settings: Explored
  /** Metrics by which there are scores. */
  readonly stored: readonly string[]
  readonly change: (changes: Partial<Explored>) => void
}

/** Which systems and metrics are columns. */
function Columns({ choices, shown, settings, stored, change }: ControlsProps) {
  const toggle = (name: 'systems' | 'metrics', among: readonly string[], entry: string) => {
    const had = shown[name]
    const next = had.includes(entry)
      ? had.filter((one) => one !== entry)
      : among.filter((one) => one === entry || had.includes(one))
    if (next.length > 0) change({ [name]: next.join('\n') })
  }
  const boxes = (legend: string, name: 'systems' | 'metrics', among: readonly string[]) => (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {among.map((entry) => (
        <label key={entry}>
          <input
            type="checkbox"
            checked={shown[name].includes(entry)}
            onChange={() => toggle(name, among, entry)}
          />{' '}
          {entry}
        </label>
      ))}
    </fieldset>
  )
  const names = captioning(choices).map(({ name }) => name)
  return (
    <details class="more">
      <summary>
        Columns: {shown.systems.join(', ') || 'no system'}
        {shown.metrics.length > 0 && ` by ${shown.metrics.join(', ')}`}
      </summary>
      {boxes('Systems', 'systems', names)}
      {boxes('Metrics', 'metrics', [...new Set([...stored, ...OFFERED])])}
      <p class="controls">
        <label>
          References{' '}
          <select
            value={shown.against === 'ALL' ? 'all' : 'equal'}
            onChange={({ currentTarget }) =>
              change({ references: currentTarget.value, metrics: '', by: '', minus: '', metric: '' })
            }
          >
            <option value="equal">as many as people have</option>
            <option value="all">all captions of each image</option>
          </select>
        </label>
        <label>
          Rows{' '}
          <select
            value={settings.rows || ROWS[0]}
            onChange={({ currentTarget }) => change({ rows: currentTarget.value })}
          >
            {ROWS.map((rows) => (
              <option key={rows}>{rows}</option>
            ))}
          </select>
        </label>
      </p>
    </details>
  )
}

/** Which images are rows. */
function Filters({ choices, settings, change }: Pick<ControlsProps, 'choices' | 'settings' | 'change'>) {
  const search = (name: keyof Explored, label: string) => (
    <label>
      {label}{' '}
      <input
        type="search"
        value={settings[name]}
        onChange={({ currentTarget }) => change({ [name]: currentTarget.value.trim() })}
      />
    </label>
  )
  const length = (name: 'min' | 'max', label: string) => (
    <label>
      {label}{' '}
      <input
        type="number"
        min={0}
        class="number"
        value={settings[name]}
        onChange={({ currentTarget }) => change({ [name]: currentTarget.value.trim() })}
      />
    </label>
  )
  const subsets = choices.imageSubsets ?? []
  // That of an address may be none, which must be possible to leave.
  const fields = [...new Set([...choices.imageFields, settings.field])].filter((name) => name !== '')
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        In captions of{' '}
        <select
          value={settings.in || PEOPLE}
          onChange={({ currentTarget }) => change({ in: currentTarget.value })}
        >
          <option>{PEOPLE}</option>
          {captioning(choices).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {search('words', 'the words')}
      {search('without', 'without')}
      {length('min', 'words at least')}
      {length('max', 'at most')}
      {search('objects', 'Objects')}
      {fields.length > 0 && (
        <label>
          Images by{' '}
          <select
            value={settings.field}
            onChange={({ currentTarget }) => change({ field: currentTarget.value, value: '' })}
          >
            <option value="">no property</option>
            {fields.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {subsets.length > 0 && (
        <select
          aria-label={`Value of ${settings.field}`}
          value={settings.value}
          onChange={({ currentTarget }) => change({ value: currentTarget.value })}
        >
          <option value="">any</option>
          {subsets.map(({ subset, imageCount }) => (
            <option key={subset} value={subset}>
              {subset} ({counted(imageCount, 'image')})
            </option>
          ))}
        </select>
      )}
    </form>
  )
}

/** What the rows are sorted by. */
function Order({ shown, settings, stored, change }: Omit<ControlsProps, 'choices'>) {
  const { by, minus, order } = settings
  const metric = settings.metric || shown.metrics[0] || ''
  if (stored.length === 0) return null
  const sides = (other: string) => [...new Set([...shown.sides, other])].filter((name) => name !== '')
  return (
    <p class="controls">
      <label>
        Order{' '}
        <select
          value={by}
          onChange={({ currentTarget }) =>
            change({ by: currentTarget.value, ...(currentTarget.value === '' && { minus: '' }) })
          }
        >
          <option value="">of the file</option>
          {sides(by).map((name) => (
            <option key={name} value={name}>
              by the score of {name}
            </option>
          ))}
        </select>
      </label>
      {by !== '' && (
        <>
          <label>
            minus{' '}
            <select value={minus} onChange={({ currentTarget }) => change({ minus: currentTarget.value })}>
              <option value="">nothing</option>
              {sides(minus)
                .filter((name) => name !== by)
                .map((name) => (
                  <option key={name} value={name}>
                    that of {name}
                  </option>
                ))}
            </select>
          </label>
          <select
            aria-label="Metric"
            value={metric}
            onChange={({ currentTarget }) => change({ metric: currentTarget.value })}
          >
            {stored.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <select
            aria-label="Direction"
            value={order || 'ASC'}
            onChange={({ currentTarget }) => change({ order: currentTarget.value })}
          >
            <option value="ASC">lowest first</option>
            <option value="DESC">highest first</option>
          </select>
        </>
      )}
    </p>
  )
}

/** The score of an image: of people the mean of their captions. Undefined for none. */
function scoreIn({ people, systemCaptions }: Row, side: string, metric: string): number | undefined {
  const captions =
    side === PEOPLE
      ? (people ?? [])
      : (systemCaptions?.nodes ?? []).filter(({ system }) => system.name === side)
  const values = captions.flatMap(({ scores }) =>
    (scores ?? []).filter((score) => score.metric.name === metric).map(({ value }) => value),
  )
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

const captionIn = ({ systemCaptions }: Row, name: string) =>
  systemCaptions?.nodes.find(({ system }) => system.name === name)?.text

/** Why an image has no score of a side, in the place of the score. */
function whyUnscored(row: Row, side: string, isStored: boolean): string {
  if (!isStored) return 'not computed'
  const isDescribed = side === PEOPLE ? row.captions.length > 0 : captionIn(row, side) !== undefined
  return isDescribed ? 'no score' : 'no caption'
}

/** A column of scores, and the order by it. */
interface ScoreColumn extends Column<Row> {
  readonly order: Pick<Explored, 'by' | 'minus' | 'metric'>
}

function scoreColumns(
  { sides, metrics }: Shown,
  { by, minus, metric: chosen }: Explored,
  stored: readonly string[],
): ScoreColumn[] {
  const metric = chosen || metrics[0] || ''
  const pairs = sides.flatMap((side) => metrics.map((name) => [side, name] as const))
  const columns = pairs.map(
    ([side, name]): ScoreColumn => ({
      title: `${side} ${name}`,
      value: (row) => scoreIn(row, side, name) ?? null,
      text(row) {
        const score = scoreIn(row, side, name)
        return score === undefined ? whyUnscored(row, side, stored.includes(name)) : scored(score)
      },
      class: side === PEOPLE ? 'people-text' : undefined,
      order: { by: side, minus: '', metric: name },
    }),
  )
  if (by === '' || minus === '') return columns
  const gapOf = (row: Row) => {
    const [one, other] = [scoreIn(row, by, metric), scoreIn(row, minus, metric)]
    return one === undefined || other === undefined ? null : one - other
  }
  const gap = {
    title: `${by} − ${minus} ${metric}`,
    value: gapOf,
    text(row: Row) {
      const difference = gapOf(row)
      return difference === null ? '–' : signed(difference)
    },
    order: { by, minus, metric },
  }
  return [gap, ...columns]
}

const FIRST_PAGE = { count: null, after: null, last: null, before: null }

/** All images of the conditions, in their order. */
async function* allRows(variables: ExploreQueryVariables, count: number, signal: AbortSignal) {
  for (let after: string | null = null; ; ) {
    const part = { ...variables, ...FIRST_PAGE, count, after }
    const answer: ExploreQuery = await ask(ExploreDocument, part, signal)
    const images = answer.dataset?.images
    if (!images) throw new Error(`${variables.dataset} is not there any more.`)
    yield images.nodes
    if (!images.pageInfo.hasNextPage) return
    after = images.pageInfo.endCursor ?? null
  }
}

/** Number of columns for which the text of the page is too narrow. */
const WIDE = 6

interface RowsProps extends Omit<ControlsProps, 'choices'> {
  readonly dataset: string
  readonly rows: readonly Row[]
  /** Of all rows, of which these are some. */
  readonly imageCount: number
  readonly variables: ExploreQueryVariables
}

function Rows({ dataset, rows, imageCount, variables, shown, stored, settings, change }: RowsProps) {
  const scores = scoreColumns(shown, settings, stored)
  const scoresOf = (side: string) => scores.filter(({ order }) => order.minus === '' && order.by === side)
  // Of each side what it says, and beside it how that scores.
  const columns: readonly Column<Row>[] = [
    {
      title: 'image',
      value: ({ externalId }) => externalId,
      show: (image) => (
        <Link to={href('d', dataset, 'images', image.externalId)}>
          <Picture image={image} />
          <span class="note">
            <ImageName image={image} />
          </span>
        </Link>
      ),
    },
    ...scores.filter((column) => column.order.minus !== ''),
    {
      title: PEOPLE,
      value: ({ captions }) => captions.map(({ text }) => text).join(' | '),
      class: 'said',
      show: ({ captions, dataset: { language } }) => (
        <ul>
          {captions.slice(0, 5).map(({ text }, index) => (
            <li key={index}>
              <Said language={language}>{text}</Said>
            </li>
          ))}
        </ul>
      ),
    },
    ...scoresOf(PEOPLE),
    ...shown.systems.flatMap((name): Column<Row>[] => [
      {
        title: name,
        value: (row) => captionIn(row, name) ?? null,
        class: 'said',
        show: (row) => <SystemCaption row={row} system={name} />,
      },
      ...scoresOf(name),
    ]),
  ]
  const { by, minus, metric, order } = settings
  const isSorted = ({ order: own }: ScoreColumn) =>
    own.by === by && own.minus === minus && own.metric === (metric || shown.metrics[0])
  const sorted = scores.find(isSorted)?.title ?? ''
  const label = `Images and systems of ${dataset}`
  const isPart = imageCount > rows.length && !isRecorded
  return (
    <div class={columns.length > WIDE ? 'explored wide' : 'explored'}>
      <Table
        label={label}
        saved={isPart ? `These ${rows.length}:` : undefined}
        columns={columns}
        rows={rows}
        isStacked
        given={{
          by: `${order === 'DESC' ? '-' : ''}${sorted}`,
          titles: new Set(
            scores.filter(({ order }) => stored.includes(order.metric)).map(({ title }) => title),
          ),
          setBy(next) {
            const column = scores.find(({ title }) => title === next.replace(/^-/, ''))
            if (column) change({ ...column.order, order: next.startsWith('-') ? 'DESC' : '' })
          },
        }}
      />
      {isPart && (
        <div class="tools">
          <SaveAll
            key={JSON.stringify({ ...variables, ...FIRST_PAGE })}
            name={label}
            columns={columns}
            count={imageCount}
            what="image"
            read={(signal) => allRows(variables, mostRows(shown), signal)}
          />
        </div>
      )}
    </div>
  )
}

/** What a system says of an image, with what people say marked. */
function SystemCaption({ row, system }: { readonly row: Row; readonly system: string }) {
  const text = captionIn(row, system)
  const { language } = row.dataset
  if (text === undefined) return '–'
  const said = wordsOf(row.captions.map((caption) => caption.text).join(' '), language)
  return (
    <Folded text={text}>
      <Confirmed text={text} said={said} language={language} isMarked />
    </Folded>
  )
}

/** `j` and `k` move to the next row and to the one before, arrows too where a row has the focus; Enter opens its image. */
function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        /INPUT|TEXTAREA|SELECT/.test((target as Element).tagName)
      )
        return
      const rows = [...document.querySelectorAll<HTMLElement>('.explored tbody td:first-child a')]
      const place = rows.indexOf(document.activeElement as HTMLElement)
      const isArrow = place >= 0 && (key === 'ArrowDown' || key === 'ArrowUp')
      if (!isArrow && key !== 'j' && key !== 'k') return
      event.preventDefault()
      const isDown = key === 'j' || key === 'ArrowDown'
      const next = Math.min(Math.max(place + (isDown ? 1 : -1), 0), rows.length - 1)
      rows[next]?.focus()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

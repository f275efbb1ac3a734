/** @jsxImportSource preact */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { Bars } from '../../../web/charts/bars'
import { CoveragePlane } from '../../../web/charts/coverage-plane'
import { DotPlot, type DotRow } from '../../../web/charts/dot-plot'
import { Forest, type ForestRow } from '../../../web/charts/forest'
import { type Bar, Histogram } from '../../../web/charts/histogram'
import { type LinePoint, Lines } from '../../../web/charts/lines'
import { Scatter } from '../../../web/charts/scatter'
import { Slopes } from '../../../web/charts/slopes'
import { type PlaneWord, WordPlane } from '../../../web/charts/word-plane'

// Files beside this one are what charts look like. A file that has changed is looked at in a browser before it is committed.

/** Pixels of a chart on a wide page, in a document, and on a phone. */
const [WIDE, DOCUMENT, PHONE] = [1216, 600, 358]

const page = vi.hoisted(() => ({ width: 0 }))

// Nothing is measured without a browser: the width is that of the case.
vi.mock('../../../web/charts/scale', async (original) => ({
  ...(await original<typeof import('../../../web/charts/scale')>()),
  useWidth: () => ({ ref: { current: null }, width: page.width }),
}))

// Without a window: what reports use in its place.
vi.mock('../../../web/app/router', () => import('../../../web/report/router'))

// Test files share modules: those with mocks in them are not for others.
afterAll(() => void vi.resetModules())

/** A value with an interval around it. */
const around = (value: number, half: number) => ({
  value,
  interval: { lower: value - half, upper: value + half },
})

const systems: readonly DotRow[] = [
  { name: 'good', isHuman: false, ...around(0.874, 0.031), address: '#good' },
  { name: 'people', isHuman: true, ...around(0.812, 0.024), isTiedWithNext: true },
  { name: 'short', isHuman: false, ...around(0.807, 0.052), address: '#short' },
  { name: 'verbose', isHuman: false, value: 0.31, interval: null, address: '#verbose' },
]

const longNamed: readonly DotRow[] = [
  { name: 'captioner-of-the-second-study-with-beam-search-1', isHuman: false, ...around(12.4, 1.2) },
  { name: 'captioner-of-the-second-study-with-beam-search-5', isHuman: false, ...around(-3.1, 2.5) },
  { name: 'people', isHuman: true, ...around(-7.9, 0.8) },
]

const manyRows: readonly DotRow[] = Array.from({ length: 40 }, (_, index) => ({
  name: index === 12 ? 'people' : `entry ${index + 1}`,
  isHuman: index === 12,
  ...around(1.2 - 0.03 * index + 0.001 * (index % 3), 0.02 + 0.002 * (index % 5)),
  isTiedWithNext: index % 4 === 0,
}))

const difference = (name: string, value: number, half: number, isShown = true): ForestRow => ({
  name,
  ...around(value, half),
  isShown,
  address: `#${name}`,
  text: 'told',
})

const pairs = [
  {
    name: 'good − people',
    rows: [
      difference('BLEU-4', 31.2, 8.4),
      difference('CIDEr-D', 12.5, 6),
      { ...difference('METEOR', 1.2, 3.1, false), address: undefined },
    ],
  },
  {
    name: 'verbose − people',
    rows: [
      difference('BLEU-4', -41, 7.7),
      { ...difference('CIDEr-D', -88.3, 0), interval: null },
      difference('METEOR', -12, 2.4),
    ],
  },
]

const longPairs = [
  {
    name: 'captioner-of-the-first-study − captioner-of-the-second-study',
    rows: [
      difference('a-composite-metric-with-a-long-name-1', 2, 3, false),
      difference('a-composite-metric-with-a-long-name-2', 6, 3),
    ],
  },
]

/** Bars of width 1 around whole numbers from 1. */
const counts = (values: readonly number[]): Bar[] =>
  values.map((value, index) => ({ from: index + 0.5, to: index + 1.5, value }))

/** Bars of equal width from 0 to 2. */
const shares = (values: readonly number[]): Bar[] =>
  values.map((value, index) => ({
    from: (2 * index) / values.length,
    to: (2 * (index + 1)) / values.length,
    value,
  }))

const curve = (from: number, gain: number, length: number): LinePoint[] =>
  Array.from({ length }, (_, index) => {
    const y = from + gain * (1 - 1 / (index + 1))
    return { x: index + 1, y, interval: { lower: y - 0.02, upper: y + 0.02 } }
  })

/** Precision against recall, down to `end` at recall 1. */
const detector = (end: number): LinePoint[] =>
  Array.from({ length: 21 }, (_, index) => ({ x: index / 20, y: 1 - (1 - end) * (index / 20) ** 2 }))

const bands = { people: { lower: 0.62, upper: 0.68 } }

const metrics = [
  'BLEU-1',
  'BLEU-4',
  'ROUGE-L',
  'CIDEr-D',
  'METEOR',
  'SPICE',
  'a-composite-metric-with-a-long-name',
]

const word = (text: string, recall: number, precision: number, captionCount: number): PlaneWord => ({
  text,
  partOfSpeech: (['NN', 'VB', 'JJ', 'IN', 'PRP', 'DT', 'OTHER'] as const)[text.length % 7],
  captionCount,
  precision,
  recall,
  precisionInterval: null,
  recallInterval: null,
  address: `#${text}`,
})

const words = [
  word('dog', 0.82, 0.74, 420),
  word('hound', 0.08, 0.31, 12),
  word('puppy', 0.17, 0.33, 31),
  word('park', 0.44, 0.52, 180),
  word('ball', 0.71, 0.69, 240),
  word('frisbee', 0.78, 0.83, 65),
  word('grass', 0.39, 0.47, 211),
  word('running', 0.36, 0.4, 150),
  word('runs', 0.34, 0.41, 144),
  word('a', 0.98, 0.97, 1800),
  word('with', 0.47, 0.51, 520),
  word('beautiful', 0.03, 0.06, 9),
  word('photograph', 0.02, 0.02, 4),
  word('umbrella', 0.91, 0.94, 40),
  word('skateboarder', 0.55, 0.6, 88),
]

const usage = (height: number) =>
  Array.from({ length: 30 }, (_, index) => {
    const recall = index / 29
    return { recall, precision: recall ** (1 / height) }
  })

const dotPlot = (rows: readonly DotRow[]) => <DotPlot label="CIDEr-D" xTitle="CIDEr-D" rows={rows} />

const forest = (groups: typeof pairs) => (
  <Forest label="differences" xTitle="difference in % of the higher score" zero="equal" groups={groups} />
)

const agreement = (
  <Lines
    label="CIDEr-D of people against the number of references"
    xTitle="references"
    yTitle="CIDEr-D"
    xRange={[0, 42]}
    xTicks={[1, 5, 10, 20, 30, 40]}
    lines={[
      { name: 'people', tone: 'people', points: curve(0.5, 0.4, 4) },
      {
        name: 'extrapolated',
        tone: 'quiet',
        isDashed: true,
        points: [
          { x: 4, y: 0.8 },
          { x: 40, y: 0.93 },
        ],
      },
    ]}
    marks={[
      { name: 'published, 5 references', x: 5, y: 0.85, tone: '0' },
      { name: 'published, 40 references', x: 40, y: 0.91, tone: '0' },
    ]}
    height={260}
  />
)

const selection = (
  <Lines
    label="F of selections by the number of boxes"
    xTitle="boxes"
    yTitle="F"
    lines={['largest', 'most central', 'most often named', 'random'].map((name, index) => ({
      name,
      tone: String(index),
      points: curve(0.2, 0.36 - 0.02 * index, 10),
    }))}
    levels={[
      { name: 'people', y: 0.65, tone: 'people', interval: bands.people },
      { name: 'good', y: 0.645, tone: 'system' },
      { name: 'a-captioner-with-quite-a-long-name', y: 0.24, tone: 'system' },
      { name: 'retrieval', y: 0.635, tone: 'quiet' },
    ]}
    height={420}
  />
)

const manyLevels = (
  <Lines
    label="CIDEr-D of bounds by the number of atoms"
    xTitle="atoms"
    yTitle="CIDEr-D"
    lines={[{ name: 'oracle', tone: '0', points: curve(0.3, 0.9, 8) }]}
    levels={Array.from({ length: 12 }, (_, index) => ({
      name: `captioner ${index + 1}`,
      tone: 'system',
      y: 0.36 - 0.005 * index,
    }))}
  />
)

const wordCurves = (
  <Lines
    label="Precision and recall of systems and people on dog"
    xTitle="recall"
    yTitle="precision"
    xRange={[0, 1]}
    yRange={[0, 1]}
    lines={[
      { name: 'detector', tone: '0', hasDots: false, points: detector(0.4) },
      { name: 'other detector', tone: '1', hasDots: false, points: detector(0.38) },
    ]}
    marks={[
      { name: 'good', x: 0.9, y: 0.85, tone: 'system', isNamed: true },
      { name: 'short', x: 0.86, y: 0.88, tone: 'system', isNamed: true },
      { name: 'detector at human recall', x: 0.8, y: 0.62, tone: '0' },
      { name: 'people', x: 0.8, y: 0.74, tone: 'people', isStar: true, isNamed: true },
    ]}
    height={300}
  />
)

const histogram = (
  <Histogram
    label="Images by the number of people who say dog"
    xTitle="people"
    yTitle="images"
    bars={counts([1210, 340, 180, 260, 95])}
    xTicks={[1, 2, 3, 4, 5]}
    outlines={[
      { name: 'model', tone: '0', bars: counts([1150, 400, 210, 190, 130]) },
      { name: 'independent', tone: 'quiet', bars: counts([1400, 520, 60, 4, 0]) },
    ]}
  />
)

const slopes = (
  <Slopes
    label="Correlation with and without people"
    yTitle="Pearson’s r"
    ends={['without people', 'with people']}
    rows={metrics.map((name, index) => ({
      name,
      from: 0.94 - 0.03 * index,
      to: index === 5 ? 0.91 : 0.4 - 0.012 * index,
    }))}
  />
)

const bars = (
  <Bars
    label="Share of the descriptions that mention a concept"
    rows={[
      { name: 'dog', value: 1, text: '100.0 % in 212 images', address: '#dog' },
      { name: 'person on a skateboard', value: 0.624, text: '62.4 % in 1,204 images', address: '#person' },
      { name: 'sky', value: 0, text: '0.0 % in 1 image', address: '#sky' },
    ]}
  />
)

const plane = (
  <WordPlane
    label="Human precision and recall of words"
    words={words}
    language="en"
    curves={[
      { name: 'k = 1', isMain: false, points: usage(1) },
      { name: 'model, k = 4', isMain: true, points: usage(1.6) },
    ]}
    yTitle="human precision (4 references)"
  />
)

const foundInPlane = (
  <WordPlane
    label="Human precision and recall of words"
    words={words}
    language="en"
    curves={[{ name: 'model, k = 1', isMain: true, points: usage(1) }]}
    found={new Set(['dog', 'ball', 'frisbee', 'umbrella'])}
    area={{ recall: [0.6, 0.95], precision: [0.6, 1] }}
    yTitle="human precision (1 reference)"
    toneOf={(text) => ({
      tone: ['gap-below', 'gap-above', 'gap-open', 'gap-none'][text.length % 4],
      told: '',
    })}
  />
)

const annotatedPlane = (
  <WordPlane
    label="Human precision and recall of words"
    words={words}
    language="en"
    curves={[{ name: 'model, k = 4', isMain: true, points: usage(1.6) }]}
    yTitle="human precision (4 references)"
    annotated={{
      text: 'puppy',
      note: 'Where one person says it, 33.0 % of the others do; one that says dog is confirmed more often.',
    }}
  />
)

const scatter = (xTitle: string, yTitle: string) => (
  <Scatter
    label="CIDEr-D of each image"
    xTitle={xTitle}
    yTitle={yTitle}
    ids={['1', '2', '3']}
    xs={[0.1, 1.4, 2.6]}
    ys={[0.3, 1.1, 3.2]}
    addressOf={(id) => `#${id}`}
  />
)

const covered = (name: string, coverage: number, confirmedShare: number) => ({
  name,
  address: `#${name}`,
  coverage,
  coverageInterval: around(coverage, 0.008).interval,
  confirmedShare,
  confirmedShareInterval: around(confirmedShare, 0.005).interval,
})

const coveragePlane = (systems: readonly ReturnType<typeof covered>[]) => (
  <CoveragePlane
    label="Coverage and confirmed share of systems and people"
    people={[
      { ...covered('', 0.228, 0.393), people: 1 },
      { ...covered('', 0.332, 0.332), people: 2 },
      { ...covered('', 0.397, 0.293), people: 3 },
    ]}
    systems={systems}
  />
)

const models = [
  covered('instructblip-short', 0.182, 0.324),
  covered('mmgpt-short', 0.186, 0.316),
  covered('llava-short', 0.387, 0.094),
  covered('minigpt4-brief', 0.402, 0.085),
  covered('a-captioner-of-the-second-study-with-beam-search', 0.318, 0.057),
]

/** More than have room for their names. */
const crowd = Array.from({ length: 12 }, (_, index) =>
  covered(`system ${index + 1}`, 0.3 + 0.002 * index, 0.2),
)

const CASES: readonly (readonly [name: string, width: number, chart: VNode])[] = [
  ['bars', DOCUMENT, bars],
  ['bars-phone', PHONE, bars],
  ['coverage-plane', WIDE, coveragePlane(models)],
  ['coverage-plane-crowd', DOCUMENT, coveragePlane(crowd)],
  ['coverage-plane-people', DOCUMENT, coveragePlane([])],
  ['coverage-plane-phone', PHONE, coveragePlane(models)],
  ['dot-plot', DOCUMENT, dotPlot(systems)],
  ['dot-plot-empty', DOCUMENT, dotPlot([])],
  ['dot-plot-many', WIDE, dotPlot(manyRows)],
  ['dot-plot-names', DOCUMENT, dotPlot(longNamed)],
  ['dot-plot-names-phone', PHONE, dotPlot(longNamed)],
  ['dot-plot-one', DOCUMENT, dotPlot(systems.slice(3))],
  ['dot-plot-range', PHONE, <DotPlot label="SPICE" xTitle="SPICE" rows={systems} range={[0, 1]} />],
  ['forest', DOCUMENT, forest(pairs)],
  ['forest-empty', DOCUMENT, forest([])],
  ['forest-names', DOCUMENT, forest(longPairs)],
  ['forest-names-wide', WIDE, forest(longPairs)],
  ['forest-phone', PHONE, forest([...pairs, ...longPairs])],
  ['histogram', DOCUMENT, histogram],
  ['histogram-phone', PHONE, histogram],
  [
    'histogram-scores',
    DOCUMENT,
    <Histogram
      label="Distribution of CIDEr-D over images"
      xTitle="CIDEr-D"
      yTitle="images"
      tone="system"
      bars={shares([1, 4, 9, 14, 11, 8, 3, 2, 0, 1])}
      height={260}
    />,
  ],
  ['lines-agreement', DOCUMENT, agreement],
  ['lines-agreement-phone', PHONE, agreement],
  ['lines-empty', DOCUMENT, <Lines label="F by boxes" xTitle="boxes" yTitle="F" lines={[]} />],
  ['lines-many', DOCUMENT, manyLevels],
  [
    'lines-one',
    DOCUMENT,
    <Lines
      label="CIDEr-D of submissions"
      xTitle="submission"
      yTitle="CIDEr-D"
      xRange={[0.5, 1.5]}
      xTicks={[1]}
      lines={[{ name: 'team', tone: 'system', points: [{ x: 1, y: 0.7, interval: null }] }]}
    />,
  ],
  ['lines-selection', WIDE, selection],
  ['lines-selection-phone', PHONE, selection],
  ['lines-word', DOCUMENT, wordCurves],
  ['lines-word-phone', PHONE, wordCurves],
  ['scatter', WIDE, scatter('people', 'good')],
  [
    'scatter-names-phone',
    PHONE,
    scatter(
      'captioner-of-the-second-study-with-beam-search-and-reranking-1',
      'captioner-of-the-second-study-with-beam-search-and-reranking-5',
    ),
  ],
  ['scatter-phone', PHONE, scatter('people', 'good')],
  ['slopes', WIDE, slopes],
  ['slopes-phone', PHONE, slopes],
  ['word-plane', WIDE, plane],
  ['word-plane-annotated', DOCUMENT, annotatedPlane],
  ['word-plane-found', DOCUMENT, foundInPlane],
  ['word-plane-phone', PHONE, plane],
]

/** The SVG of a chart as a file that a browser shows as pages do: an element a line, with two decimals. */
function fileOf(width: number, chart: VNode): string {
  page.width = width
  const html = renderToString(chart)
  const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>') + '</svg>'.length)
  return [
    '<?xml-stylesheet href="../../../web/style.css"?>',
    ...svg.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"').split(/(?=<(?!\/))/),
    '',
  ]
    .join('\n')
    .replaceAll(/\d+\.\d{3,}/g, (digits) => String(Number(Number(digits).toFixed(2))))
}

describe('charts', () => {
  it.each(CASES)('%s looks as it did', async (name, width, chart) => {
    await expect(fileOf(width, chart)).toMatchFileSnapshot(`${name}.svg`)
  })

  it('name the outlines of a histogram below it', () => {
    const html = renderToString(histogram)
    expect(html.slice(html.indexOf('<p class="legend">'))).toBe(
      '<p class="legend"><span class="tone-0">model</span><span class="tone-quiet">independent</span></p></div>',
    )
  })

  it('have no pictures of other cases', () => {
    const names = new Set(CASES.map(([name]) => `./${name}.svg`))
    expect(Object.keys(import.meta.glob('./*.svg')).filter((file) => !names.has(file))).toEqual([])
  })
})

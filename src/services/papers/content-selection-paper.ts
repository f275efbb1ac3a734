/** Wang & Gaizauskas 2015, Generating Image Descriptions with Gold Standard Visual Inputs. */

import type { Baseline } from '../../core/selection/baselines.js'
import type { MarkedText } from '../../core/text/mention-markup.js'
import { fixed } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { imagesById } from '../images/images.js'
import type { BaselineReason, SelectionReport, SelectionResult } from '../selection/content-selection.js'
import { datasetsWithBoxes, listImageSelections, selectContent } from '../selection/selection.js'
import type { Accord, Client } from '../shared/accord.js'
import {
  cellOf,
  figureOf,
  type PaperCell,
  type PaperFigure,
  type PaperItem,
  type PaperOptions,
  type PaperTable,
} from './paper-table.js'

const PAPER = 'Wang & Gaizauskas 2015'

async function lacks(accord: Accord, { id }: Dataset): Promise<string | null> {
  return (await datasetsWithBoxes(accord, [id])).has(id) ? null : 'no boxes: see accord import boxes --help'
}

const NEEDS = 'boxes and descriptions that mention them'

type Compute = (report: SelectionReport, show: ShowSentences) => PaperTable | Promise<PaperTable>

function item(id: string, title: string, compute: Compute): PaperItem {
  return {
    id,
    paper: PAPER,
    title,
    needs: NEEDS,
    lacks,
    async compute(accord, { name: dataset }, options, client) {
      const input = { dataset, ...options }
      const report = await selectContent(accord, input, client)
      return compute(report, (baseline, images) => sentencesOf(accord, input, client, baseline, images))
    },
  }
}

export const CONTENT_SELECTION_ITEMS: readonly PaperItem[] = [
  item('selection-table-1', 'Content selection of people and baselines', selectionTable),
  item('selection-figure-3', 'F of baselines by the number of boxes', curvesOfF),
  item('selection-figure-4', 'Precision and recall of baselines by the number of boxes', curvesOfBoth),
  item('selection-figure-5', 'Sentences that baselines generate from 3 boxes', generatedSentences),
  item('selection-figure-6', 'F of textual and visual priors combined', combinedPriors),
]

/** The baselines of the paper by their names there. */
const BASELINES: readonly (readonly [Baseline, string])[] = [
  ['random', 'Random'],
  ['position', 'Bounding Box Position'],
  ['size', 'Bounding Box Size'],
  ['unigram', 'Unigram'],
  ['bigram', 'Bigram'],
]

/** P, SD, R, SD, F, SD in hundredths of people, then of each baseline with 1 to 10 boxes. */
const PUBLISHED_PEOPLE = '77 11 77 11 74 12'
const PUBLISHED: Readonly<Partial<Record<Baseline, string>>> = {
  random: `19 32 06 12 08 16
21 24 12 17 15 19
20 20 18 22 18 20
21 18 26 25 22 20
20 17 29 27 23 19
21 17 36 29 25 19
21 15 43 31 27 18
21 15 48 31 28 18
21 15 50 32 28 18
21 14 56 31 29 17`,
  position: `57 41 21 19 30 25
56 27 40 25 45 25
53 20 54 26 52 21
49 16 65 24 55 17
46 14 72 23 54 15
42 13 77 21 53 14
39 13 81 19 51 12
36 12 84 18 49 12
34 12 87 16 47 12
32 12 89 15 46 12`,
  size: `56 41 21 19 30 25
57 27 41 25 46 25
53 20 55 26 53 21
50 16 66 24 55 17
46 14 73 22 55 15
43 14 78 20 53 13
39 13 82 19 51 12
37 13 85 17 50 12
34 13 87 16 48 12
32 12 89 15 46 12`,
  unigram: `69 40 24 18 34 24
57 29 36 22 43 23
48 22 45 23 45 20
43 19 53 23 46 17
40 17 59 22 45 16
37 16 65 22 45 15
35 15 70 22 44 14
33 14 74 22 44 14
31 14 78 21 43 14
30 13 82 20 42 13`,
  bigram: `85 29 31 17 44 21
65 24 43 21 50 21
55 21 50 22 50 19
50 21 54 23 50 19
47 21 57 23 49 19
46 20 59 23 49 18
45 20 59 23 48 18
44 20 60 23 48 18
44 20 60 24 48 18
44 20 61 23 48 18`,
}

const MEASURES = ['P', 'R', 'F'] as const
type Measure = (typeof MEASURES)[number]

function readPublished(line: string | undefined, measure: Measure): PaperFigure | null {
  if (line === undefined) return null
  const numbers = line.split(' ').map((text) => Number(text) / 100)
  const at = 2 * MEASURES.indexOf(measure)
  return { value: numbers[at], sd: numbers[at + 1] }
}

function publishedOf(baseline: Baseline, k: number, measure: Measure): PaperFigure | null {
  return readPublished(PUBLISHED[baseline]?.split('\n')[k - 1], measure)
}

const REASONS: Readonly<Record<BaselineReason, string>> = {
  NO_PRIORS: 'It requires development data: --priors or --priors-share.',
  NO_IMAGE_SIZE: 'It requires the width and height of every image.',
}

const PROPERTIES = { P: 'precision', R: 'recall', F: 'f' } as const
const UNDEFINED = 'No image has a description that mentions a box.'

function measured(result: SelectionResult | undefined, measure: Measure, reason: string) {
  const property = PROPERTIES[measure]
  return figureOf(result?.[property], reason, {
    sd: result?.[`${property}Sd`],
    interval: result?.intervals?.[property],
  })
}

function pointOf({ baselines }: SelectionReport, baseline: Baseline, k: number, measure: Measure) {
  const found = baselines.find((one) => one.baseline === baseline)
  return {
    k,
    ...measured(
      found?.points[k - 1],
      measure,
      found?.undefinedReason ? REASONS[found.undefinedReason] : UNDEFINED,
    ),
    published: publishedOf(baseline, k, measure),
  }
}

/** Boxes of the paper's table, and of its figures. */
const TABLE_COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const FIGURE_COUNTS = [...TABLE_COUNTS, 11, 12, 13, 14, 15]

const SETTING =
  'The paper has 450 images of ImageCLEF 2015 with boxes of 251 concepts, and priors of 500 other images; these images are others.'
const NO_NUMBERS = 'Published figures are those of Table 1: the paper prints none of more than 10 boxes.'

/** Table 1. */
function selectionTable(report: SelectionReport): PaperTable {
  const people = MEASURES.map((measure) =>
    cellOf({
      row: 'Upper bound',
      column: measure,
      ...measured(report.human, measure, UNDEFINED),
      published: readPublished(PUBLISHED_PEOPLE, measure),
    }),
  )
  const baselines = BASELINES.flatMap(([baseline, row]) =>
    TABLE_COUNTS.flatMap((k) =>
      MEASURES.map((column) => cellOf({ row, column, ...pointOf(report, baseline, k, column) })),
    ),
  )
  return { decimals: 2, counts: 'k', cells: [...people, ...baselines], notes: [SETTING] }
}

/** Figure 3. */
function curvesOfF(report: SelectionReport): PaperTable {
  const cells = FIGURE_COUNTS.flatMap((k) =>
    BASELINES.map(([baseline, column]) => cellOf({ column, ...pointOf(report, baseline, k, 'F') })),
  )
  return { decimals: 2, counts: 'k', cells, notes: [SETTING, NO_NUMBERS] }
}

/** Figure 4. */
function curvesOfBoth(report: SelectionReport): PaperTable {
  const panels: readonly (readonly [string, readonly Baseline[]])[] = [
    ['(a) textual priors', ['unigram', 'bigram']],
    ['(b) visual cues', ['position', 'size']],
  ]
  const cells = panels.flatMap(([panel, shown]) =>
    BASELINES.filter(([baseline]) => shown.includes(baseline)).flatMap(([baseline, row]) =>
      FIGURE_COUNTS.flatMap((k) =>
        (['P', 'R'] as const).map((column) =>
          cellOf({ panel, row, column, ...pointOf(report, baseline, k, column) }),
        ),
      ),
    ),
  )
  return { decimals: 2, counts: 'k', cells, notes: [SETTING, NO_NUMBERS] }
}

/** Figure 6. */
function combinedPriors(report: SelectionReport): PaperTable {
  const shown: readonly Baseline[] = ['unigram', 'bigram', 'position', 'unigram+position', 'bigram+position']
  const cells = shown.flatMap((baseline) =>
    [3, 4].map((k) =>
      cellOf({ row: baseline, ...pointOf(report, baseline, k, 'F'), k: null, column: `k = ${k}` }),
    ),
  )
  return {
    decimals: 2,
    cells,
    notes: [
      SETTING,
      'Published figures of single priors are those of Table 1; the paper plots those of combined ones and prints no numbers.',
    ],
  }
}

/** Boxes of a sentence, and images that are shown. */
const SENTENCE_BOXES = 3
const SENTENCE_IMAGES = 5

interface Sentence {
  readonly image: string
  readonly f: number
  readonly sentence: MarkedText | null
}

/** Sentences of a baseline, or the best described images without them. */
type ShowSentences = (baseline: Baseline | null, images: readonly string[] | null) => Promise<Sentence[]>

async function sentencesOf(
  accord: Accord,
  input: PaperOptions & { readonly dataset: string },
  client: Client,
  baseline: Baseline | null,
  externalIds: readonly string[] | null,
): Promise<Sentence[]> {
  const selector = baseline
    ? ({ kind: 'baseline', baseline, k: SENTENCE_BOXES } as const)
    : ({ kind: 'human' } as const)
  const choice = { selector, externalIds, direction: 'DESC' } as const
  const page = await listImageSelections(accord, input, choice, client).page({
    limit: SENTENCE_IMAGES,
    fromEnd: false,
  })
  const rows = page.rows.map(({ row }) => row)
  const images = await imagesById(
    accord,
    rows.map(({ imageId }) => imageId),
  )
  return rows.map(({ imageId, f, sentence }) => ({ image: images.get(imageId)!.externalId, f, sentence }))
}

/** F and sentence of the baselines random, position, size, unigram and bigram, for the five images of the paper. */
const PUBLISHED_SENTENCES = `.04 [Wall]³ among [necktie]¹ underneath [floor]² .
.00 [Hallway]⁸ below the [wall]³ near the [floor]² .
.39 [Hallway]⁸ behind the [dog]⁰ underneath the [wall]³ .
.05 [Wall]³ near [floor]² with the [dog]⁵ .
.51 [Dog]⁵ against [dog]⁰ beside the [dog]⁶ .
.05 [Park]⁹ behind [wheel]⁷ underneath the [window]⁶ .
.59 [Park]⁹ on the [car]¹ below [river]⁵ .
.44 [Park]⁹ behind the [car]¹ against the [tree]³ .
.42 [Tree]³ beneath [car]¹ by [window]⁶ .
.71 [Car]¹ inside [flag]⁰ underneath the [flag]² .
.43 [Wall]⁴ inside [door]³ around the [bicycle]⁰ .
.79 [Bicycle]⁰ in [floor]¹ below [wall]² .
.79 [Bicycle]⁰ on [floor]¹ with [wall]² .
.34 [Table]⁷ in the [wall]⁴ around [wall]² .
.03 [Table]⁷ near [door]³ .
.66 [Mouse]⁴ inside [field]³ against [helmet]⁰ .
.75 [Field]³ and [mouse]⁴ beside the [gun]¹ .
.75 [Field]³ along [mouse]⁴ underneath [gun]¹ .
.31 [Field]³ inside [hand]² below [helmet]⁰ .
.00 [Hand]² .
.39 [Vest]⁶ at [hat]³ behind the [picture]⁷ .
.49 [Picture]⁷ on [man]² beside the [train]⁴ .
.49 [Picture]⁷ among [man]² on the [train]⁴ .
.77 [Man]² below the [hat]³ at [book]⁰ .
.77 [Man]² around the [hat]³ along the [book]⁰ .`

/** Figure 5, for the images on whose boxes people agree most. */
async function generatedSentences(report: SelectionReport, show: ShowSentences): Promise<PaperTable> {
  const images = (await show(null, null)).map(({ image }) => image)
  const byBaseline = new Map<Baseline, ReadonlyMap<string, Sentence>>()
  for (const { baseline, undefinedReason } of report.baselines) {
    if (undefinedReason !== null || !BASELINES.some(([name]) => name === baseline)) continue
    const sentences = await show(baseline, images)
    byBaseline.set(baseline, new Map(sentences.map((sentence) => [sentence.image, sentence])))
  }
  const ours = images.flatMap((image) =>
    BASELINES.map(([baseline, row]): PaperCell => {
      const reason =
        REASONS[report.baselines.find((one) => one.baseline === baseline)?.undefinedReason ?? 'NO_PRIORS']
      const found = byBaseline.get(baseline)?.get(image)
      return cellOf({
        panel: `image ${image}`,
        row,
        column: 'sentence',
        ...(found?.sentence
          ? figureOf(found.f, reason, { text: showSentence(found.f, markBoxes(found.sentence)) })
          : { reason }),
      })
    }),
  )
  const published = PUBLISHED_SENTENCES.split('\n').map((line, index) => {
    const [, f, text] = /^(\S+) (.*)$/.exec(line) as RegExpExecArray
    return cellOf({
      panel: `paper, image ${Math.floor(index / BASELINES.length) + 1}`,
      row: BASELINES[index % BASELINES.length][1],
      column: 'sentence',
      published: { value: Number(f), text: showSentence(Number(f), text) },
      reason: 'The images and boxes of the paper are not in the dataset.',
    })
  })
  return {
    decimals: 2,
    cells: [...ours, ...published],
    notes: [`The ${images.length} images on whose boxes people agree most; ids of boxes follow their terms.`],
  }
}

const showSentence = (f: number, text: string) => `[F=${fixed(f, 2)}] ${text}`

/** A sentence with the ids of boxes after their terms, as in the paper. */
function markBoxes({ text, mentions }: MarkedText): string {
  let marked = ''
  let at = 0
  for (const { start, end, boxIds } of mentions) {
    marked += `${text.slice(at, start)}[${text.slice(start, end)}](${boxIds.join(',')})`
    at = end
  }
  return marked + text.slice(at)
}

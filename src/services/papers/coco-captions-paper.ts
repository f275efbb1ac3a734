/** Chen et al. 2015, Microsoft COCO Captions. */

import { PUBLISHED_AGREEMENT } from '../../core/agreement/leave-one-out.js'
import { usageCurve } from '../../core/agreement/usage-model.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { fixed, grouped } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { comparePublished, publishedDifferences } from '../agreement/published.js'
import type { Accord, Client } from '../shared/accord.js'
import { clientOfStep } from '../shared/accord.js'
import { reportWords, type WordSummary } from '../words/word-report.js'
import { summarizeWords } from '../words/words.js'
import { cellOf, figureOf, type PaperCell, type PaperItem, type PaperTable, printed } from './paper-table.js'

const PAPER = 'Chen et al. 2015'

async function lacks(_accord: Accord, { captionsPerImage }: Dataset): Promise<string | null> {
  return captionsPerImage < 2 ? 'images with one caption' : null
}

const NEEDS = 'at least 2 captions per image'

export const COCO_CAPTIONS_ITEMS: readonly PaperItem[] = [
  {
    id: 'coco-table-1',
    paper: PAPER,
    title: 'Human agreement on captions by each metric',
    needs: NEEDS,
    lacks,
    compute: (accord, dataset, _options, client) => agreementTable(accord, dataset, client),
  },
  {
    id: 'coco-table-2',
    paper: PAPER,
    title: 'Definitions of the word-usage model',
    needs: NEEDS,
    lacks,
    compute: async (_accord, dataset) => definitions(dataset),
  },
  {
    id: 'coco-figure-3',
    paper: PAPER,
    title: 'Human precision and recall of words, and the word-usage model',
    needs: NEEDS,
    lacks,
    compute: (accord, dataset, _options, client) => wordPoints(accord, dataset, client),
  },
]

/** Table I. */
async function agreementTable(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const rows = await comparePublished(accord, dataset, client)
  const cells = ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR', 'ROUGE-L', 'CIDEr-D'].flatMap((metric) => {
    const own = rows.find((row) => row.metric === metric)
    const published = PUBLISHED_AGREEMENT.get(metric)
    const none = own
      ? publishedDifferences[own.isSameMetric ? 'REFERENCES' : 'PARAPHRASES']
      : 'The metric does not exist for the language or tokens of the captions.'
    const atFive = own?.isSameMetric ? own.curve.find(({ references }) => references === 5) : undefined
    const extrapolated = own?.extrapolation
    return [
      cellOf({
        row: metric,
        column: `${dataset.captionsPerImage - 1} references`,
        ...figureOf(own?.mean, none, { interval: own?.interval }),
      }),
      cellOf({
        row: metric,
        column: 'c5',
        ...figureOf(atFive?.mean ?? extrapolated?.value, none, {
          interval: atFive?.interval,
          ...(atFive || !extrapolated ? {} : { text: `~${fixed(extrapolated.value)}` }),
        }),
        published: printed(published?.c5),
      }),
      cellOf({ row: metric, column: 'c40', published: printed(published?.c40), reason: none }),
    ]
  })
  const differences = new Set(rows.flatMap((row) => row.differences))
  const [extrapolation] = rows.flatMap((row) => row.extrapolation ?? [])
  return {
    decimals: 3,
    cells,
    notes: [
      ...(extrapolation ? [`~: extrapolated (${extrapolation.method}), not measured.`] : []),
      ...Array.from(differences, (difference) => publishedDifferences[difference]),
    ],
  }
}

/** Table II, with the numbers of the dataset. */
function definitions({ imageCount, excludedImageCount, captionsPerImage }: Dataset): PaperTable {
  const images = imageCount - excludedImageCount
  const perWord = 'It is a figure of each word: accord words lists it.'
  const define = (row: string, figure: Pick<PaperCell, 'ours' | 'reason'>) =>
    cellOf({ row, column: 'dataset', ...figure })
  const notation = { ours: null, reason: 'It is a notation.' }
  return {
    decimals: 0,
    cells: [
      define('o = object or visual concept', notation),
      define('w = word associated with o', notation),
      define('n = total number of images', figureOf(images, '', { text: grouped(images) })),
      define('k = number of captions per image', figureOf(captionsPerImage, '')),
      define('q = P(o = 1)', { ours: null, reason: perWord }),
      define('p = P(w = 1 | o = 1)', { ours: null, reason: perWord }),
    ],
    notes: [],
  }
}

const PANELS: readonly (readonly [PartOfSpeech, string])[] = [
  ['NN', 'nouns'],
  ['JJ', 'adjectives'],
  ['VB', 'verbs'],
]

/** Words of a panel that people see. */
const EXAMPLES = 6

/** Points of the curve of the model, from p = 0 to p = 1. */
const CURVE_POINTS = 11

/** Figure 3 as the points that it plots. */
async function wordPoints(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const largest = dataset.captionsPerImage - 1
  const cells: PaperCell[] = []
  const means: PaperCell[] = []
  for (let references = largest; references >= 1; references--) {
    clientOfStep(client, largest - references, largest).progress?.(0, 'reading words')
    const { vocabulary } = await reportWords(accord, { dataset: dataset.name, references, top: 0 })
    const { meanPrecision, meanRecall } = await summarizeWords(accord, dataset, { references })
    if (references === largest) cells.push(...examplesOf(vocabulary, references))
    cells.push(
      ...vocabulary.flatMap((summary) =>
        pointOf('all words', references, summary).map((cell) => ({ ...cell, isDetail: true })),
      ),
    )
    const mean = { panel: 'captions used', row: 'mean of all words', k: references }
    const undefinedMean = 'The figure is undefined for all words.'
    means.push(
      cellOf({ ...mean, column: 'recall', ...figureOf(meanRecall, undefinedMean) }),
      cellOf({ ...mean, column: 'precision', ...figureOf(meanPrecision, undefinedMean) }),
    )
  }
  const curve = usageCurve(largest, CURVE_POINTS).flatMap(({ recall, precision }, point) => {
    const at = { panel: 'model', row: `p = ${fixed(point / (CURVE_POINTS - 1), 1)}`, k: largest }
    return [
      cellOf({ ...at, column: 'recall', ours: { value: recall } }),
      cellOf({ ...at, column: 'precision', ours: { value: precision } }),
    ]
  })
  return {
    decimals: 3,
    counts: 'references',
    cells: [...cells, ...means, ...curve],
    notes: [
      'The paper plots the points and prints no numbers.',
      `Nouns, adjectives and verbs: the ${EXAMPLES} most used ones. JSON, CSV and TSV have all words with each number of references.`,
      'Model precision is that of p = human recall.',
    ],
  }
}

/** Nouns, adjectives and verbs that are used in the most images. */
function examplesOf(vocabulary: readonly WordSummary[], references: number): PaperCell[] {
  return PANELS.flatMap(([partOfSpeech, panel]) =>
    vocabulary
      .filter(({ word }) => word.partOfSpeech === partOfSpeech)
      .toSorted((one, other) => other.word.imageCount - one.word.imageCount)
      .slice(0, EXAMPLES)
      .flatMap((summary) => pointOf(panel, references, summary)),
  )
}

function pointOf(panel: string, references: number, { word, human, moment }: WordSummary): PaperCell[] {
  const at = { panel, row: word.text, k: references }
  const unused = 'No held-out caption uses the word.'
  return [
    cellOf({ ...at, column: 'recall', ...figureOf(human.recall, unused) }),
    cellOf({ ...at, column: 'precision', ...figureOf(human.precision, unused) }),
    cellOf({ ...at, column: 'model precision', ...figureOf(moment.precision, 'The model has no fit.') }),
  ]
}

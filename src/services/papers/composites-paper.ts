/** Sharif et al. 2018, Learning-based Composite Metrics for Improved Caption Evaluation. */

import { type JudgementKind, PASCAL_50S } from '../../core/judgements/judgement.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { findArtefact, PUBLISHED_COMPOSITES } from '../composites/composites.js'
import { judge, judgementsByDataset, type MetaEvaluationRow } from '../judgements/judgements.js'
import type { Accord, Client } from '../shared/accord.js'
import { cellOf, figureOf, type PaperItem, type PaperTable, printed } from './paper-table.js'

const PAPER = 'Sharif et al. 2018'

const lacking =
  (wanted: JudgementKind, missing: string) =>
  async (accord: Accord, { id }: Dataset) =>
    (await judgementsByDataset(accord, [id])).get(id)?.kind === wanted ? null : missing

export const COMPOSITES_ITEMS: readonly PaperItem[] = [
  {
    id: 'composites-table-1',
    paper: PAPER,
    title: 'Kendall’s τ of metrics with human ratings',
    needs: 'ratings of captions by people',
    lacks: lacking('RATINGS', 'no ratings: see accord import judgements --help'),
    compute: (accord, dataset, _options, client) => correlationTable(accord, dataset, client),
  },
  {
    id: 'composites-table-2',
    paper: PAPER,
    title: 'Accuracy of metrics on pairs of captions',
    needs: 'preferences of people between two captions',
    lacks: lacking('PREFERENCES', 'no preferences: see accord import judgements --help'),
    compute: (accord, dataset, _options, client) => accuracyTable(accord, dataset, client),
  },
]

/** Metrics of the paper by their names there, and τ of Table 1. */
const METRICS: readonly (readonly [metric: string, name: string, tau: number])[] = [
  ['BLEU-4', 'BLEU', 0.202],
  ['ROUGE-L', 'ROUGE-L', 0.216],
  ['METEOR', 'METEOR', 0.352],
  ['CIDEr', 'CIDEr', 0.356],
  ['SPICE', 'SPICE', 0.366],
  ['WMD', 'WMD', 0.336],
  ['EvalMS', 'Eval_MS', 0.386],
  ['EvalCS', 'Eval_CS', 0.384],
  ['EvalMCS', 'Eval_MCS', 0.386],
  ['EvalWCS', 'Eval_WCS', 0.379],
  ['EvalMWS', 'Eval_MWS', 0.367],
  ['EvalMWCS', 'Eval_MWCS', 0.378],
]

const panelOf = (metric: string) =>
  metric in PUBLISHED_COMPOSITES ? 'composite metrics' : 'individual metrics'

const UNTRAINED = 'The composite metric is not trained: see accord train --help'
const UNDEFINED = 'The figure is undefined on these judgements.'

/** The metrics of the paper, those that exist judged. */
async function judgeAll(
  accord: Accord,
  { name: dataset }: Dataset,
  client: Client,
): Promise<ReadonlyMap<string, MetaEvaluationRow>> {
  const metrics: string[] = []
  for (const [metric] of METRICS)
    if (!(metric in PUBLISHED_COMPOSITES) || (await findArtefact(accord, metric))) metrics.push(metric)
  const { rows } = await judge(accord, { dataset, metrics }, client)
  return new Map(rows.map((row) => [row.metric, row]))
}

/** Table 1. */
async function correlationTable(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const rows = await judgeAll(accord, dataset, client)
  const cells = METRICS.map(([metric, row, published]) => {
    const figures = rows.get(metric)?.figures
    const own = figures?.kind === 'RATINGS' ? figures : undefined
    return cellOf({
      panel: panelOf(metric),
      row,
      column: 'Kendall τ',
      ...figureOf(own?.tauC, own ? UNDEFINED : UNTRAINED, { interval: own?.interval }),
      published: printed(published),
    })
  })
  return {
    decimals: 3,
    cells,
    notes: [
      'Ours is τ-c over all pairs of a caption and a rating; the paper does not say which τ it is.',
      'The paper has 6,993 captions of Aditya et al. 2017 with one rating each; other captions have other correlations.',
    ],
  }
}

const CATEGORIES = ['HC', 'HI', 'HM', 'MM']

/** Table 2. */
async function accuracyTable(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const rows = await judgeAll(accord, dataset, client)
  const cells = METRICS.flatMap(([metric, row]) => {
    const figures = rows.get(metric)?.figures
    const own = figures?.kind === 'PREFERENCES' ? figures : undefined
    const at = { panel: panelOf(metric), row }
    const published = PASCAL_50S[metric]
    return [
      ...CATEGORIES.map((column, index) =>
        cellOf({
          ...at,
          column,
          ...figureOf(own?.accuracy[column], own ? `The judgements have no category ${column}.` : UNTRAINED),
          published: printed(published[index]),
        }),
      ),
      cellOf({
        ...at,
        column: 'AVG',
        ...figureOf(own?.mean, own ? UNDEFINED : UNTRAINED, { interval: own?.interval }),
        published: printed(published[CATEGORIES.length]),
      }),
    ]
  })
  return { decimals: 3, cells, notes: ['Shares of pairs; the paper prints percentages, of PASCAL-50S.'] }
}

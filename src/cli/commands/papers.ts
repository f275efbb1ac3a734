import { existsSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import { embeddingsOption, meteorDataOption, parseText } from '../../config.js'
import type { PaperCell, PaperFigure, PaperTable } from '../../services/papers/paper-table.js'
import type { PAPER_ITEMS } from '../../services/papers/papers.js'
import type { Accord } from '../../services/shared/accord.js'
import { groupBy } from '../../services/shared/groups.js'
import { fixed } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { withAccord, withDataset } from '../accord.js'
import { datasetOption, priorsOption, priorsShareOption } from '../options.js'
import { interval, NONE, ordinal } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { type Column, type NamedTable, pivot, type Report, type Table, untitled } from '../output/report.js'
import { printsReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly priors?: string
  readonly priorsShare?: number
}

/** `accord papers` */
export function register(program: Command): void {
  const command = program
    .command('papers')
    .summary('tables and figures of the papers, from a dataset beside the published figures')
    .description(
      'List the tables and figures of the four papers that Accord implements, and what a dataset lacks for each; or print one of' +
        ' them in the layout of the paper, from a dataset, beside the published figures, with the reason for every cell that cannot' +
        ' be had. Figures are tables of the plotted series.',
    )
    .addArgument(new Argument('[id]', 'the table or figure, such as coco-table-1').argParser(parseText))
    .addOption(datasetOption())
    .addOption(priorsOption())
    .addOption(priorsShareOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
  const help = {
    examples: [
      'accord papers',
      'accord papers coco-table-1 --dataset coco',
      'accord papers selection-table-1 --dataset flickr --priors flickr-dev --format csv',
    ],
    json: {
      report: 'dataset, items',
      items: ITEMS,
      'report (id)': 'dataset, id, paper, title, notes, cells',
      cells: CELLS,
    },
  }
  printsReport<Options, [id?: string]>(command, help, async (options, id) => {
    if (id === undefined) return listReport(options)
    const { requireItem } = await import('../../services/papers/papers.js')
    requireItem(id)
    return withDataset(options, (accord, dataset) => tableOf(accord, dataset, options, id))
  })
}

/** Columns of the list. */
const ITEMS: readonly Column[] = [
  { path: 'id', title: 'id' },
  { path: 'paper', title: 'paper', isMerged: true, wrap: 20 },
  { path: 'title', title: 'title', wrap: 'fit' },
  { path: 'needs', title: 'needs', wrap: 20 },
  { path: 'lacks' },
]

/** The list, with what a dataset lacks where one is named or there is one alone. */
async function listReport(options: Options): Promise<Report> {
  const { PAPER_ITEMS, lackingForPapers } = await import('../../services/papers/papers.js')
  const { database: location, dataset } = options
  const isThere = existsSync(location) || /^postgres/.test(location)
  if (dataset === undefined && !isThere) return itemReport(PAPER_ITEMS, null, null)
  const { datasetsByName } = await import('../../services/datasets/datasets.js')
  const hasOne =
    dataset !== undefined || (await withAccord({ location, mustExist: true }, datasetsByName)).size === 1
  if (!hasOne) return itemReport(PAPER_ITEMS, null, null)
  return withDataset(options, async (accord, chosen) =>
    itemReport(PAPER_ITEMS, chosen.name, await lackingForPapers(accord, chosen)),
  )
}

/** People read what the dataset lacks instead of what any needs. */
function lackingColumn({ title, wrap, ...column }: Column): Column {
  if (column.path === 'needs') return column
  return column.path === 'lacks' ? { ...column, title: 'lacks', wrap: 20 } : { ...column, title, wrap }
}

function itemReport(
  items: typeof PAPER_ITEMS,
  dataset: string | null,
  lacking: readonly (string | null)[] | null,
): Report {
  const rows = items.map(({ id, paper, title, needs }, index) => ({
    id,
    paper,
    title,
    needs,
    lacks: lacking?.[index] ?? null,
  }))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'items',
    columns: ITEMS,
    rows,
    groupBy: ({ paper }) => paper,
  }
  const shown = { ...table, columns: ITEMS.map((column) => (lacking ? lackingColumn(column) : column)) }
  const note =
    lacking === null
      ? 'accord papers --dataset NAME says what the dataset lacks for each.'
      : `accord papers ID --dataset ${dataset} prints those for which ${dataset} lacks nothing.`
  return { about: { dataset }, tables: [table], parts: [shown, { notes: [note] }] }
}

/** Columns of the cells. */
const CELLS: readonly Column<PaperCell>[] = [
  ...untitled('panel', 'row', 'k', 'column'),
  ...['ours', 'published'].flatMap((figure) => [
    { path: `${figure}.value` },
    { path: `${figure}.sd` },
    { path: `${figure}.text` },
  ]),
  { path: 'ours.interval', format: interval },
  { path: 'reason' },
]

async function tableOf(
  accord: Accord,
  dataset: Dataset,
  { priors, priorsShare }: Options,
  id: string,
): Promise<Report> {
  const { reproduce, requireItem } = await import('../../services/papers/papers.js')
  const found = await withProgress((progress) =>
    reproduce(accord, dataset, { id, priors, priorsShare }, { progress }),
  )
  return paperReport(requireItem(id), dataset.name, found)
}

/** A table of a paper: rows of CSV are its cells. */
function paperReport(
  { id, paper, title }: (typeof PAPER_ITEMS)[number],
  dataset: string,
  { cells, decimals, counts, notes }: PaperTable,
): Report {
  const table: NamedTable<PaperCell> = { name: 'cells', columns: CELLS, rows: cells }
  const shown = cells.filter(({ isDetail }) => !isDetail)
  const reasons = reasonsOf(shown)
  return {
    about: { dataset, id, paper, title, notes },
    tables: [table],
    parts: [
      { notes: [`${title} (${paper}), from ${dataset}:`] },
      ...partsOf(shown).map((part) => layoutOf(part, decimals, counts)),
      { notes: [...reasons, ...notes.filter((note) => !reasons.some((reason) => reason.endsWith(note)))] },
    ],
  }
}

/** All cells, or those of each panel where panels have columns of their own. */
function partsOf(cells: readonly PaperCell[]): readonly (readonly PaperCell[])[] {
  const panels = [...groupBy(cells, ({ panel }) => panel).values()]
  const headings = panels.map((panel) => columnsOf(panel).join('\n'))
  return headings.every((heading) => heading === headings[0]) ? [cells] : panels
}

const columnsOf = (cells: readonly PaperCell[]) => [...new Set(cells.map(({ column }) => column))]

/** A table as in the paper. Figures of the dataset and published ones have columns of their own where a cell has both. */
function layoutOf(cells: readonly PaperCell[], decimals: number, counts: string | undefined): Table {
  const show = (figure: PaperFigure | null) => showFigure(figure, decimals)
  const ours: Column<PaperCell> = { title: 'ours', show: (cell) => show(cell.ours) }
  const published: Column<PaperCell> = { title: 'published', show: (cell) => show(cell.published) }
  const wrap = columnsOf(cells).length === 1 ? 'fit' : undefined
  const either: Column<PaperCell> = { wrap, show: (cell) => show(cell.ours ?? cell.published) }
  const isBeside = cells.some((cell) => cell.ours && cell.published)
  const has = (property: 'panel' | 'row' | 'k') => cells.some((cell) => cell[property] !== null)
  const isSeries = new Set(cells.filter(({ row }) => row === cells.at(-1)?.row).map(({ k }) => k)).size > 1
  return pivot(cells, {
    down: [
      ...(has('panel') ? [{ path: 'panel', title: '', isMerged: true }] : []),
      ...(has('row') ? [{ path: 'row', title: '', isMerged: has('k') }] : []),
      ...(has('k') ? [{ path: 'k', title: counts, format: ordinal }] : []),
    ],
    across: ({ column }) => column,
    cells: isBeside ? [ours, published] : [either],
    groupBy: ({ panel, row }) => `${panel} ${isSeries ? row : ''}`,
  })
}

function showFigure(figure: PaperFigure | null, decimals: number): string {
  if (figure === null) return NONE
  const { value, sd, text } = figure
  if (text !== undefined || value === null) return text ?? NONE
  return sd == null ? fixed(value, decimals) : `${fixed(value, decimals)} ± ${fixed(sd, decimals)}`
}

/** Why cells have no figure of the dataset, a line for each reason. */
function reasonsOf(cells: readonly PaperCell[]): string[] {
  const missing = groupBy(
    cells.filter(({ reason }) => reason !== null),
    ({ reason }) => reason,
  )
  const columnCount = columnsOf(cells).length
  return Array.from(
    missing,
    ([reason, own]) => `Not from the dataset: ${placesOf(own, columnCount)}. ${reason}`,
  )
}

/** The column of cells if it is the only one among several, and otherwise their rows. */
function placesOf(cells: readonly PaperCell[], columnCount: number): string {
  const rows = [...new Set(cells.map(({ panel, row, k }) => row ?? panel ?? String(k)))]
  const columns = columnsOf(cells)
  return columns.length === 1 && columnCount > 1 && rows.length > 1 ? columns[0] : rows.join(', ')
}

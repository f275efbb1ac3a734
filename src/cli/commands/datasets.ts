import type { Command } from 'commander'
import type { DatasetWithSystems } from '../../services/datasets/datasets.js'
import { withAccord } from '../accord.js'
import { count, list, ordinal } from '../output/formats.js'
import type { Column, Report } from '../output/report.js'
import { printsReport } from '../report-command.js'

/** `accord datasets` */
export function register(program: Command): void {
  const command = program
    .command('datasets')
    .summary('list datasets and their systems')
    .description('List the datasets by name, with their sizes and systems.')
  const help = {
    examples: ['accord datasets --format json'],
    json: { report: 'datasets', datasets: DATASETS },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { listDatasetsWithSystems } = await import('../../services/datasets/datasets.js')
    return datasetReport(await withAccord({ location, mustExist: true }, listDatasetsWithSystems))
  })
}

/** Columns of the list of datasets. */
const DATASETS: readonly Column[] = [
  { path: 'name', title: 'dataset' },
  { path: 'captionsPerImage', title: 'K', format: ordinal },
  { path: 'imageCount', title: 'images', format: count },
  { path: 'captionCount', title: 'captions', format: count },
  { path: 'excludedImageCount', title: 'excluded', format: count },
  { path: 'systems', title: 'systems', format: list(', '), wrap: 'fit' as const },
]

/** Datasets by name, with the names of their systems. */
function datasetReport(datasets: readonly DatasetWithSystems[]): Report {
  const table = {
    name: 'datasets',
    columns: DATASETS,
    rows: datasets.map(({ dataset, systems }) => ({ ...dataset, systems: systems.map(({ name }) => name) })),
  }
  const isEmpty = datasets.length === 0
  return {
    tables: [table],
    parts: [table],
    warnings: isEmpty ? ['There are no datasets yet. See accord import captions --help'] : [],
  }
}

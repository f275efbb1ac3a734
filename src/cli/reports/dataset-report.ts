import type { DatasetWithSystems } from '../../services/datasets/datasets.js'
import { count, list, ordinal } from '../output/formats.js'
import type { Report } from '../output/report.js'

/** Datasets by name, with the names of their systems. */
export function datasetReport(datasets: readonly DatasetWithSystems[]): Report {
  const table = {
    name: 'datasets',
    columns: [
      { path: 'name', title: 'dataset' },
      { path: 'captionsPerImage', title: 'K', format: ordinal },
      { path: 'imageCount', title: 'images', format: count },
      { path: 'captionCount', title: 'captions', format: count },
      { path: 'excludedImageCount', title: 'excluded', format: count },
      { path: 'systems', title: 'systems', format: list(', '), wrap: 'fit' as const },
    ],
    rows: datasets.map(({ dataset, systems }) => ({ ...dataset, systems: systems.map(({ name }) => name) })),
  }
  const isEmpty = datasets.length === 0
  return {
    tables: [table],
    parts: [table],
    warnings: isEmpty ? ['There are no datasets yet. See accord import captions --help'] : [],
  }
}

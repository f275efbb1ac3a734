import type { Command } from 'commander'
import { withAccord } from '../accord.js'
import { printsReport } from '../report-command.js'

/** `accord datasets` */
export function registerDatasets(program: Command): void {
  const command = program
    .command('datasets')
    .summary('list datasets and their systems')
    .description('List the datasets by name, with their sizes and systems.')
  const help = {
    examples: ['accord datasets --format json'],
    json: {
      report: 'datasets',
      datasets: 'name, captionsPerImage, imageCount, captionCount, excludedImageCount, systems',
    },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { listDatasetsWithSystems } = await import('../../services/datasets/datasets.js')
    const { datasetReport } = await import('../reports/dataset-report.js')
    return datasetReport(await withAccord({ location, mustExist: true }, listDatasetsWithSystems))
  })
}

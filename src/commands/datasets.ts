import type { Command } from 'commander'
import type { GlobalOptions } from '../config.js'
import type { Database } from '../store/database.js'
import type { Dataset, System } from '../store/entities.js'
import { withDatabase } from './database.js'
import { example } from './options.js'
import { type Format, formatOption, grouped, print, type Renderings, toText } from './output.js'

interface Options extends GlobalOptions {
  readonly format: Format
}

/** `accord datasets` */
export function registerDatasets(program: Command): void {
  program
    .command('datasets')
    .summary('list data sets and their systems')
    .description('List the data sets by name, with their sizes and systems.')
    .addOption(formatOption())
    .addHelpText('after', example('accord datasets --format json'))
    .action(async (_options, command: Command) => {
      const { database: path, format } = command.optsWithGlobals<Options>()
      const datasets = await withDatabase(path, { mustExist: true }, listWithSystems)
      await print(format, renderings(datasets))
      if (datasets.length === 0)
        process.stderr.write('There is no data set yet. See accord import captions --help\n')
    })
}

interface DatasetWithSystems {
  readonly dataset: Dataset
  readonly systems: readonly System[]
}

async function listWithSystems(database: Database): Promise<DatasetWithSystems[]> {
  const { listDatasets } = await import('../store/datasets.js')
  const { listSystems } = await import('../store/systems.js')
  const datasets = await listDatasets(database)
  return Promise.all(
    datasets.map(async (dataset) => ({ dataset, systems: await listSystems(database, dataset.id) })),
  )
}

function renderings(datasets: readonly DatasetWithSystems[]): Renderings {
  return {
    json: () => ({
      datasets: datasets.map(({ dataset, systems }) => ({
        name: dataset.name,
        captionsPerImage: dataset.captionsPerImage,
        imageCount: dataset.imageCount,
        captionCount: dataset.captionCount,
        excludedImageCount: dataset.excludedImageCount,
        systems: systems.map(({ name, kind, imageCount, missingImageCount }) => ({
          name,
          kind,
          imageCount,
          missingImageCount,
        })),
      })),
    }),
    csv: () => ({
      header: ['name', 'captionsPerImage', 'imageCount', 'captionCount', 'excludedImageCount', 'systems'],
      rows: datasets.map(({ dataset, systems }) => [
        dataset.name,
        dataset.captionsPerImage,
        dataset.imageCount,
        dataset.captionCount,
        dataset.excludedImageCount,
        systems.map(({ name }) => name).join('; '),
      ]),
    }),
    table: () =>
      toText({
        columns: [
          { align: 'left' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
          { align: 'left', maxWidth: 44 },
        ],
        head: [['data set', 'K', 'images', 'captions', 'excluded', 'systems']],
        body: [
          datasets.map(({ dataset, systems }) => [
            dataset.name,
            String(dataset.captionsPerImage),
            grouped(dataset.imageCount),
            grouped(dataset.captionCount),
            grouped(dataset.excludedImageCount),
            systems.map(({ name }) => name).join(', '),
          ]),
        ],
      }),
  }
}

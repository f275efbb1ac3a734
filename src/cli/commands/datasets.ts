import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import type { DatasetWithSystems } from '../../services/datasets/datasets.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { formatOption, type OutputOptions, print, type Renderings, widthOption } from '../output/output.js'
import { grouped } from '../output/table.js'

type Options = GlobalOptions & OutputOptions

/** `accord datasets` */
export function registerDatasets(program: Command): void {
  program
    .command('datasets')
    .summary('list datasets and their systems')
    .description('List the datasets by name, with their sizes and systems.')
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord datasets --format json'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location } = options
      const { listDatasetsWithSystems } = await import('../../services/datasets/datasets.js')
      const datasets = await withAccord({ location, mustExist: true }, listDatasetsWithSystems)
      await print(options, renderings(datasets))
      if (datasets.length === 0)
        process.stderr.write('There are no datasets yet. See accord import captions --help\n')
    })
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
    report: () => [
      {
        columns: [
          { align: 'left' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
          { align: 'right' },
          { align: 'left', isText: true },
        ],
        head: [['dataset', 'K', 'images', 'captions', 'excluded', 'systems']],
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
      },
    ],
  }
}

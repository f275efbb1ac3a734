import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import type { SystemOverview } from '../../services/systems/systems.js'
import { withDataset } from '../accord.js'
import { boundsOption, datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, print, type Renderings, widthOption } from '../output/output.js'
import { grouped } from '../output/table.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly bounds?: boolean
}

/** `accord systems` */
export function registerSystems(program: Command): void {
  program
    .command('systems')
    .summary('list the systems of a dataset')
    .description(
      'List the systems of a dataset by name, with what they consist of, how many images they have and lack, and the' +
        ' metrics by which they have been evaluated.',
    )
    .addOption(datasetOption())
    .addOption(boundsOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord systems --dataset coco'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { listSystemOverviews } = await import('../../services/systems/systems.js')
      const listed = await withDataset(
        { location: options.database },
        options.dataset,
        async (accord, dataset) =>
          renderings(dataset.name, await listSystemOverviews(accord, dataset, options.bounds)),
      )
      await print(options, listed)
    })
}

const CONTENTS = {
  CAPTIONS: 'captions',
  WORD_SCORES: 'word scores',
  DESCRIPTIONS: 'descriptions',
} as const

function renderings(dataset: string, systems: readonly SystemOverview[]): Renderings {
  return {
    json: () => ({ dataset, systems: systems.map(toJson) }),
    csv: () => ({
      header: ['system', 'kind', 'imageCount', 'missingImageCount', 'createdAt', 'metrics'],
      rows: systems.map(({ system: { name, kind, imageCount, missingImageCount, createdAt }, metrics }) => [
        name,
        kind,
        imageCount,
        missingImageCount,
        createdAt,
        metrics.join(' '),
      ]),
    }),
    report: () => [
      {
        head: [['system', 'contents', 'images', 'missing', 'evaluated by']],
        body: [
          systems.map(({ system: { name, kind, imageCount, missingImageCount }, metrics }) => [
            name,
            CONTENTS[kind],
            grouped(imageCount),
            grouped(missingImageCount),
            metrics.join(' '),
          ]),
        ],
        columns: [
          { align: 'left' },
          { align: 'left' },
          { align: 'right' },
          { align: 'right' },
          { align: 'left', isText: true },
        ],
      },
    ],
  }
}

function toJson({
  system: { name, kind, imageCount, missingImageCount, createdAt },
  metrics,
}: SystemOverview) {
  return { system: name, kind, imageCount, missingImageCount, createdAt, metrics }
}

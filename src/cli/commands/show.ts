import { Argument, type Command, Option } from 'commander'
import { collectUnique, type GlobalOptions, meteorDataOption, parseText } from '../../config.js'
import type { ImageReport } from '../../services/images/image-report.js'
import { withDataset } from '../accord.js'
import { boundsOption, datasetOption, example, metricsOption } from '../options.js'
import {
  formatOption,
  type OutputOptions,
  percentOption,
  print,
  type Renderings,
  widthOption,
} from '../output/output.js'
import { share, type TextTable } from '../output/table.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly system?: readonly string[]
  readonly bounds?: boolean
  readonly metrics?: readonly string[]
  readonly meteorData?: string
}

/** Those of the COCO caption evaluation, of which all fit. */
const DEFAULT_METRICS = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord show` */
export function registerShow(program: Command): void {
  program
    .command('show')
    .summary('show the captions of an image')
    .description(
      'Show the human captions of an image, and the captions of systems with their stored scores against all human' +
        ' captions. The JSON is {dataset, image, captions, systems}.',
    )
    .addArgument(new Argument('<image>', 'id of the image in the imported file').argParser(parseText))
    .addOption(datasetOption())
    .addOption(
      new Option('--system <name...>', 'only these systems (default: all)').argParser(
        collectUnique(parseText),
      ),
    )
    .addOption(boundsOption())
    .addOption(metricsOption(DEFAULT_METRICS.join(', ')))
    .addOption(meteorDataOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord show 139 --dataset coco'))
    .action(async (image: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, meteorData: meteorFolder, system: names, bounds } = options
      const { metrics = DEFAULT_METRICS } = options
      const { reportImage } = await import('../../services/images/image-report.js')
      const report = await withDataset({ location, meteorFolder }, options.dataset, (accord, dataset) =>
        reportImage(accord, dataset, image, { systems: { names, includeBounds: bounds }, metrics }),
      )
      await print(options, renderings(report))
    })
}

function renderings(report: ImageReport): Renderings {
  const { dataset, image, captions, systems, metrics } = report
  const { externalId, fileName, url, width, height } = image
  return {
    json: () => ({
      dataset: dataset.name,
      image: { id: externalId, fileName, url, width, height },
      captions: captions.map(({ externalId: id, text }) => ({ id, text })),
      systems: systems.map(({ system, text, scores }) => ({
        system,
        text,
        scores: Object.fromEntries(metrics.map((metric, index) => [metric, scores[index]])),
      })),
    }),
    csv: () => ({
      header: ['system', 'text', ...metrics],
      rows: [
        ...captions.map(({ text }) => [null, text, ...metrics.map(() => null)]),
        ...systems.map(({ system, text, scores }) => [system, text, ...scores]),
      ],
    }),
    report: () => [{ notes: [describeImage(report)] }, toTable(report)],
  }
}

function describeImage({ dataset, image }: ImageReport): string {
  const { externalId, fileName, url, width, height } = image
  const size = width !== null && height !== null ? `${width} × ${height} pixels` : null
  return [`Image ${externalId} of ${dataset.name}`, fileName, size, url].filter(Boolean).join(', ')
}

/** Metrics without any score have no column. */
function toTable({ captions, systems, metrics }: ImageReport): TextTable {
  const shown = [...metrics.keys()].filter((metric) => systems.some(({ scores }) => scores[metric] !== null))
  return {
    head: [['', 'caption', ...shown.map((metric) => metrics[metric])]],
    body: [
      captions.map(({ text }) => ['people', text ?? '', ...shown.map(() => '')]),
      systems.map(({ system, text, scores }) => [
        system,
        text,
        ...shown.map((metric) => share(scores[metric])),
      ]),
    ],
    columns: [
      { align: 'left' },
      { align: 'left', isText: true },
      ...shown.map(() => ({ align: 'right' as const })),
    ],
  }
}

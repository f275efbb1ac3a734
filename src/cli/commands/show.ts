import { Argument, type Command } from 'commander'
import { collectList, meteorDataOption, parseText } from '../../config.js'
import type { ImageReport } from '../../services/images/image-report.js'
import { boundsOption, datasetOption, documentFrequenciesOption, metricsOption } from '../options.js'
import { score } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'
import { documentsNote } from '../reports/score-table.js'

interface Options extends ReportOptions {
  readonly system?: readonly string[]
  readonly bounds?: boolean
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
}

/** Those of the COCO caption evaluation, of which all fit. */
const DEFAULT_METRICS = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord show` */
export function register(program: Command): void {
  const command = program
    .command('show')
    .summary('show the captions of an image')
    .description(
      'Show the human captions of an image, and the captions of systems with their stored scores against all human' +
        ' captions. In the JSON, the system is null for people.',
    )
    .addArgument(new Argument('<image>', 'id of the image in the imported file').argParser(parseText))
    .addOption(datasetOption())
    .option('--system <name...>', 'only these systems (default: all)', collectList(parseText))
    .addOption(boundsOption())
    .addOption(metricsOption(DEFAULT_METRICS.join(', ')))
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(meteorDataOption())
    .addOption(percentOption())
  const help = {
    examples: ['accord show 139 --dataset coco'],
    json: { report: 'dataset, image, captions', captions: captionColumns(['']) },
  }
  printsDatasetReport<Options, [image: string]>(command, help, async (accord, dataset, options, image) => {
    const { system: names, bounds, metrics = DEFAULT_METRICS } = options
    const { reportImage } = await import('../../services/images/image-report.js')
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const selection = {
      systems: { names, isBoundIncluded: bounds },
      metrics,
      ...documentsOf(options.documentFrequencies),
    }
    return imageReport(await reportImage(accord, dataset, image, selection), options.documentFrequencies)
  })
}

/** Columns of the captions of an image, with a score by each metric. */
function captionColumns(metrics: readonly string[]): Column<{ readonly system: string | null }>[] {
  return [
    { path: 'system', title: '', show: ({ system }) => system ?? 'people' },
    { path: 'id' },
    { path: 'text', title: 'caption', wrap: 'fit' },
    ...metrics.map((metric) => ({
      path: ['scores', metric],
      title: metric,
      format: score,
      isOptional: true,
    })),
    ...metrics.map((metric) => ({ path: ['signatures', metric] })),
  ]
}

/** The captions of an image: those of people, then those of systems with their scores. */
function imageReport(
  { dataset, image, captions, systems, metrics }: ImageReport,
  documents?: string,
): Report {
  const { externalId: id, fileName, url, width, height } = image
  const rows = [
    ...captions.map(({ externalId, text }) => ({
      system: null,
      id: externalId,
      text,
      scores: null,
      signatures: null,
    })),
    ...systems.map(({ scores, signatures, ...caption }) => ({
      id: null,
      ...caption,
      scores: Object.fromEntries(metrics.map((metric, index) => [metric, scores[index]])),
      signatures: Object.fromEntries(metrics.map((metric, index) => [metric, signatures[index]])),
    })),
  ]
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'captions',
    columns: captionColumns(metrics),
    rows,
    groupBy: ({ system }) => system === null,
  }
  const size = width !== null && height !== null ? `${width} × ${height} pixels` : null
  const hasDocuments = systems.some(({ signatures }) => signatures.some((one) => one?.includes('|df:')))
  const notes = hasDocuments ? [{ notes: [documentsNote(documents)] }] : []
  const about = [`Image ${id} of ${dataset.name}`, fileName, size, url].filter(Boolean).join(', ')
  return {
    about: { dataset: dataset.name, image: { id, fileName, url, width, height } },
    tables: [table],
    parts: [{ notes: [about] }, table, ...notes],
  }
}

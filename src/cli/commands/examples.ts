import { type Command, Option } from 'commander'
import { embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import type { Examples } from '../../services/images/examples.js'
import { PEOPLE } from '../../shared/verdict.js'
import { datasetOption, documentFrequenciesOption } from '../options.js'
import { score } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { documentsNote } from '../reports/score-table.js'

interface Options extends FilesOptions {
  readonly against?: string
  readonly metrics: string
  readonly worst?: number
  readonly documentFrequencies?: string
  readonly best?: number
}

const DEFAULT_COUNT = 10

/** `accord examples` */
export function register(program: Command): void {
  const command = program
    .command('examples')
    .summary('images on which a system is worst or best, with the captions of people')
    .description(
      'Show the images on which a system is worst, or best, by a metric: its caption with the score, and the human' +
        ' captions. With --against, those on which it is worst or best relative to another system. In the JSON, the' +
        ' system is null for people.',
    )
    .addOption(datasetOption())
    .option('--system <name>', 'the system (with files: default: the first)', (name: string) => [
      parseText(name),
    ])
    .option('--against <name>', 'the system to compare with (with two files: default: the second)', parseText)
    .option('--metric, --metrics <name>', 'metric of the scores', parseText, 'CIDEr-D')
    .option('--worst <N>', `the N worst images (default: ${DEFAULT_COUNT})`, wholeNumber(1, 1000))
    .addOption(
      new Option('--best <N>', 'the N best images instead')
        .argParser(wholeNumber(1, 1000))
        .conflicts('worst'),
    )
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
  const help = {
    examples: [
      'accord examples --dataset coco --system mine --against theirs --metric CIDEr-D --worst 10',
      'accord examples captions_val2017.json mine.json --best 5',
    ],
    json: { report: 'dataset, metric, signatures, examples', examples: exampleColumns('') },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, dataset, options) => {
    const { metrics: metric, worst, best } = options
    const [system, second] = options.system ?? []
    if (system === undefined)
      command.error("error: option '--system <name>' or files of systems are required")
    const { findExamples } = await import('../../services/images/examples.js')
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const wanted = {
      ...documentsOf(options.documentFrequencies),
      system: system as string,
      against: options.against ?? second,
      metric,
      count: best ?? worst ?? DEFAULT_COUNT,
      order: best === undefined ? ('WORST' as const) : ('BEST' as const),
    }
    const found = await withProgress((progress) => findExamples(accord, dataset, wanted, { progress }))
    return exampleReport(dataset.name, found, options.documentFrequencies)
  })
}

/** Columns of the examples, with the score by a metric. */
function exampleColumns(metric: string): Column<{ readonly system: string | null }>[] {
  return [
    { path: 'imageId', title: 'image', isMerged: true },
    { path: 'system', title: '', show: ({ system }) => system ?? PEOPLE },
    { path: 'score', title: metric, format: { ...score, none: '' } },
    { path: 'text', title: 'caption', wrap: 'fit' },
  ]
}

/** Images with the captions of people and systems, one caption below the other. */
function exampleReport(
  dataset: string,
  { metric, examples, signatures }: Examples,
  documents?: string,
): Report {
  const rows = examples.flatMap(({ imageId, captions, systems }) => [
    ...systems.map((caption) => ({ imageId, ...caption })),
    ...captions.map((text) => ({ imageId, system: null, text, score: null })),
  ])
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'examples',
    columns: exampleColumns(metric),
    rows,
    groupBy: ({ imageId }) => imageId,
  }
  const hasDocuments = signatures.some((signature) => signature.includes('|df:'))
  const notes = hasDocuments ? [{ notes: [documentsNote(documents)] }] : []
  return { about: { dataset, metric, signatures }, tables: [table], parts: [table, ...notes] }
}

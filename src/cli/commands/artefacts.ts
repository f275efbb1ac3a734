import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import type { Artefact } from '../../store/schema/metric-tables.js'
import { withAccord } from '../accord.js'
import { asksFirst } from '../confirm.js'
import { fileArgument, nameArgument } from '../options.js'
import { list, printable, share } from '../output/formats.js'
import { checkOutput, forceOption, STDOUT, writeText } from '../output/output-file.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { prints, printsReport, printsText } from '../report-command.js'

/** `accord artefacts` */
export function register(program: Command): void {
  const artefacts = program
    .command('artefacts')
    .description('list, show, export, import and remove trained metrics')
  registerList(artefacts)
  registerShow(artefacts)
  registerExport(artefacts)
  registerImport(artefacts)
  registerRemove(artefacts)
}

function registerList(artefacts: Command): void {
  const command = artefacts
    .command('list')
    .summary('trained metrics')
    .description('List the trained metrics.')
  const help = { examples: ['accord artefacts list'], json: { report: 'artefacts', artefacts: ARTEFACTS } }
  printsReport(command, help, async ({ database: location }) => {
    const { listArtefacts } = await import('../../services/composites/composites.js')
    return artefactReport(await withAccord({ location, mustExist: true }, listArtefacts))
  })
}

function registerShow(artefacts: Command): void {
  const command = artefacts
    .command('show')
    .summary('a trained metric as JSON')
    .description(
      'Show a trained metric as JSON: its features with their signatures and standardisation, network, training' +
        ' data, seed, and loss and tau-c of every epoch.',
    )
    .addArgument(nameArgument('name of the metric'))
  printsText<[name: string]>(command, ['accord artefacts show EvalMS'], async (accord, name) => {
    const { requireArtefact } = await import('../../services/composites/composites.js')
    const { hash, header, createdAt } = await requireArtefact(accord, name)
    return `${JSON.stringify({ ...header, hash, createdAt }, null, 2)}\n`
  })
}

function registerExport(artefacts: Command): void {
  const command = artefacts
    .command('export')
    .summary('write a trained metric to a file')
    .description('Write a trained metric to a file, for another database.')
    .addArgument(nameArgument('name of the metric'))
    .addArgument(fileArgument('JSON file; - is stdout'))
    .addOption(forceOption())
  const examples = ['accord artefacts export EvalMS EvalMS.json']
  printsText<[name: string, file: string]>(command, examples, async (accord, name, file) => {
    const { exportArtefact } = await import('../../services/composites/composites.js')
    checkOutput(file, command.opts().force)
    await writeText(file, await exportArtefact(accord, name))
    return file === STDOUT ? '' : `Exported ${printable(name)} to ${printable(file)}\n`
  })
}

function registerImport(artefacts: Command): void {
  const command = artefacts
    .command('import')
    .summary('a trained metric from a file')
    .description('Import a trained metric from a file. A file that was edited is rejected.')
    .addArgument(fileArgument('JSON file of accord artefacts export'))
  const examples = ['accord artefacts import EvalMS.json']
  prints<GlobalOptions, [path: string]>(command, examples, async ({ database: location }, path) => {
    const imported = await withAccord({ location, reads: [path] }, (accord) =>
      accord.run('importArtefact', { file: { path } }),
    )
    return `Imported ${printable(imported.name)}\n`
  })
}

function registerRemove(artefacts: Command): void {
  const command = artefacts
    .command('remove')
    .summary('remove a metric and all scores by it')
    .description('Remove a trained metric, or one of another program, and all scores by it.')
    .addArgument(nameArgument('name of the metric'))
  asksFirst(command, (name) => `Remove the metric ${name} and all scores by it?`)
  printsText<[name: string]>(command, ['accord artefacts remove EvalMS'], async (accord, name) => {
    const { removeArtefact } = await import('../../services/composites/composites.js')
    await removeArtefact(accord, name)
    return `Removed ${printable(name)} and all scores by it\n`
  })
}

/** Characters of a hash that people see. */
const SHOWN_HASH_LENGTH = 12

/** Columns of the list of trained metrics. */
const ARTEFACTS: readonly Column<{ readonly hash: string }>[] = [
  { path: 'name', title: 'name' },
  { path: 'features', title: 'features', format: list(' ') },
  { path: 'objective', title: 'learns' },
  { path: 'data', title: 'data' },
  { path: 'validation', title: 'validation' },
  { path: 'agreement', title: 'agreement', format: share },
  { path: 'hash', title: 'hash', show: ({ hash }) => hash.slice(0, SHOWN_HASH_LENGTH) },
  { path: 'createdAt' },
]

/** The trained metrics, with what they were trained on. */
function artefactReport(artefacts: readonly Artefact[]): Report {
  const rows = artefacts.map(({ name, hash, header, createdAt }) => ({
    name,
    features: header.features.map(({ metric }) => metric),
    data: header.training.dataset,
    validation: header.validation.dataset,
    objective: header.training.objective.toLowerCase(),
    agreement: header.epochs[header.bestEpoch].agreement,
    hash,
    createdAt,
  }))
  const table: NamedTable<(typeof rows)[number]> = { name: 'artefacts', columns: ARTEFACTS, rows }
  return { tables: [table], parts: [table] }
}

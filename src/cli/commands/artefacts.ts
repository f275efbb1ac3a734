import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { AccordError } from '../../errors.js'
import type { Artefact } from '../../store/schema/entities.js'
import { withAccord } from '../accord.js'
import { example, fileArgument, nameArgument } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { printable } from '../output/table.js'

interface ListOptions extends GlobalOptions, OutputOptions {}

/** `accord artefacts` */
export function registerArtefacts(program: Command): void {
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
  artefacts
    .command('list')
    .description(
      'List the trained metrics. The JSON is {artefacts}, with {name, features, data, validation, tauC, hash,' +
        ' createdAt} for each of artefacts.',
    )
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord artefacts list'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>()
      const { database: location } = options
      const { listArtefacts } = await import('../../services/composites/composites.js')
      const rows = await withAccord({ location, mustExist: true }, listArtefacts)
      const { artefactReport } = await import('../reports/artefact-report.js')
      await print(options, artefactReport(rows))
    })
}

function summarize({ hash, header, createdAt }: Artefact) {
  return { ...header, hash, createdAt }
}

function registerShow(artefacts: Command): void {
  artefacts
    .command('show')
    .description(
      'Show a trained metric as JSON: its features with their signatures and standardisation, network, training' +
        ' data, seed, and loss and tau-c of every epoch.',
    )
    .addArgument(nameArgument('name of the metric'))
    .addHelpText('after', example('accord artefacts show EvalMS'))
    .action(async (name: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { requireArtefact } = await import('../../services/composites/composites.js')
      const artefact = await withAccord({ location, mustExist: true }, (accord) =>
        requireArtefact(accord, name),
      )
      process.stdout.write(`${JSON.stringify(summarize(artefact), null, 2)}\n`)
    })
}

function registerExport(artefacts: Command): void {
  artefacts
    .command('export')
    .description('Write a trained metric to a file, for another database.')
    .addArgument(nameArgument('name of the metric'))
    .addArgument(fileArgument('new JSON file'))
    .addHelpText('after', example('accord artefacts export EvalMS EvalMS.json'))
    .action(async (name: string, file: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { exportArtefact } = await import('../../services/composites/composites.js')
      const text = await withAccord({ location, mustExist: true }, (accord) => exportArtefact(accord, name))
      writeNew(file, text)
      process.stdout.write(`Exported ${printable(name)} to ${printable(file)}\n`)
    })
}

/** @throws AccordError NAME_TAKEN for a file that exists; FILE_NOT_FOUND where it cannot be written */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new AccordError('NAME_TAKEN', 'the file exists', { source: file })
    throw new AccordError('FILE_NOT_FOUND', 'the file cannot be written', { source: file, found: code })
  }
}

function registerImport(artefacts: Command): void {
  artefacts
    .command('import')
    .description('Store a trained metric of a file. A file that was edited is refused.')
    .addArgument(fileArgument('JSON file of accord artefacts export'))
    .addHelpText('after', example('accord artefacts import EvalMS.json'))
    .action(async (file: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { importArtefact } = await import('../../services/composites/composites.js')
      const { header } = await withAccord({ location }, (accord) => importArtefact(accord, file))
      process.stdout.write(`Imported ${printable(header.name)}\n`)
    })
}

function registerRemove(artefacts: Command): void {
  artefacts
    .command('remove')
    .description('Remove a trained metric and all scores by it, without confirmation.')
    .addArgument(nameArgument('name of the metric'))
    .addHelpText('after', example('accord artefacts remove EvalMS'))
    .action(async (name: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { removeArtefact } = await import('../../services/composites/composites.js')
      await withAccord({ location, mustExist: true }, (accord) => removeArtefact(accord, name))
      process.stdout.write(`Removed ${printable(name)} and all scores by it\n`)
    })
}

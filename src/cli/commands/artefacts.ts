import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { AccordError } from '../../errors.js'
import type { Artefact } from '../../store/schema/entities.js'
import { withAccord } from '../accord.js'
import { example, fileArgument, nameArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { printsReport } from '../report-command.js'

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
  const command = artefacts
    .command('list')
    .description('List the trained metrics.')
    .addOption(percentOption())
  const help = {
    examples: ['accord artefacts list'],
    json: { report: 'artefacts', artefacts: 'name, features, data, validation, tauC, hash, createdAt' },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { listArtefacts } = await import('../../services/composites/composites.js')
    const { artefactReport } = await import('../reports/artefact-report.js')
    return artefactReport(await withAccord({ location, mustExist: true }, listArtefacts))
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
    .description('Import a trained metric from a file. A file that was edited is rejected.')
    .addArgument(fileArgument('JSON file of accord artefacts export'))
    .addHelpText('after', example('accord artefacts import EvalMS.json'))
    .action(async (file: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { name } = await withAccord({ location, reads: [file] }, (accord) =>
        accord.run('importArtefact', { file: { path: file } }),
      )
      process.stdout.write(`Imported ${printable(name)}\n`)
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

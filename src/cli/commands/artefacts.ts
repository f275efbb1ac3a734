import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { AccordError } from '../../errors.js'
import { withAccord } from '../accord.js'
import { example, fileArgument, nameArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { printsReport, printsText } from '../report-command.js'

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
    json: {
      report: 'artefacts',
      artefacts: 'name, features, objective, data, validation, agreement, hash, createdAt',
    },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { listArtefacts } = await import('../../services/composites/composites.js')
    const { artefactReport } = await import('../reports/artefact-report.js')
    return artefactReport(await withAccord({ location, mustExist: true }, listArtefacts))
  })
}

function registerShow(artefacts: Command): void {
  const command = artefacts
    .command('show')
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
    .description('Write a trained metric to a file, for another database.')
    .addArgument(nameArgument('name of the metric'))
    .addArgument(fileArgument('new JSON file'))
  const examples = ['accord artefacts export EvalMS EvalMS.json']
  printsText<[name: string, file: string]>(command, examples, async (accord, name, file) => {
    const { exportArtefact } = await import('../../services/composites/composites.js')
    writeNew(file, await exportArtefact(accord, name))
    return `Exported ${printable(name)} to ${printable(file)}\n`
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
  const command = artefacts
    .command('remove')
    .description(
      'Remove a trained metric, or one of another program, and all scores by it, without confirmation.',
    )
    .addArgument(nameArgument('name of the metric'))
  printsText<[name: string]>(command, ['accord artefacts remove EvalMS'], async (accord, name) => {
    const { removeArtefact } = await import('../../services/composites/composites.js')
    await removeArtefact(accord, name)
    return `Removed ${printable(name)} and all scores by it\n`
  })
}

import { type Command, Option } from 'commander'
import { type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import type { AtomKind } from '../../core/bounds/atoms.js'
import { AccordError } from '../../errors.js'
import { CHOICES } from '../../services/choices.js'
import { withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly kind?: AtomKind
  readonly top?: number
  readonly compare?: string
}

export const atomKindOption = () =>
  new Option('--kind <kind>', 'kind of atoms (default: all)').choices(CHOICES.atomKinds)

/** `accord atoms` */
export function registerAtoms(program: Command): void {
  program
    .command('atoms')
    .summary('the entities, actions and attributes of human captions')
    .description(
      'List the atoms of the human captions: lemmas of nouns and personal pronouns (entities), verbs (actions) and' +
        ' adjectives (attributes), with the number of words and of images, by kind and rank. The models of accord' +
        ' bounds are given atoms. The JSON is {dataset, atomCounts, comparison, atoms}, with {kind, rank, atom,' +
        ' count, imageCount} for each of atoms.',
    )
    .addOption(datasetOption())
    .addOption(atomKindOption())
    .option('--top <N>', 'only the first N atoms of each kind', wholeNumber(1))
    .option(
      '--compare <file>',
      'CSV list of atoms of the kind, with the columns atom and count: shows the overlap of the first 150 and the' +
        ' rank correlation of the first 1,000',
      parseText,
    )
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord atoms --dataset coco --kind entity --top 20'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location } = options
      if (options.compare !== undefined && options.kind === undefined) throw kindRequired()
      const { reportAtoms } = await import('../../services/bounds/atoms.js')
      const report = await withDataset({ location }, options.dataset, (accord, { name: dataset }) =>
        withProgress((progress) => reportAtoms(accord, { ...options, dataset }, { progress })),
      )
      const { atomReport } = await import('../reports/atom-report.js')
      await print(options, atomReport(report))
    })
}

function kindRequired(): AccordError {
  return new AccordError('OUT_OF_RANGE', 'a list of atoms is of one kind', {
    source: '--compare',
    expected: `--kind ${CHOICES.atomKinds.join(', ')}`,
  })
}

import { type Command, Option } from 'commander'
import { collectUnique, type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import type { AtomKind } from '../../core/bounds/atoms.js'
import { CHOICES } from '../../services/choices.js'
import { withDataset } from '../accord.js'
import { datasetOption, example, fileArgument } from '../options.js'
import { formatOption, type OutputOptions, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { counted } from '../output/table.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
}

interface CastOptions extends GlobalOptions {
  readonly dataset?: string
  readonly voter: string
  readonly kind: AtomKind
  readonly visual?: readonly string[]
  readonly notVisual?: readonly string[]
}

interface ImportOptions extends GlobalOptions {
  readonly dataset?: string
  readonly kind?: AtomKind
  readonly people?: number
}

/** `accord votes` */
export function registerVotes(program: Command): void {
  const votes = program
    .command('votes')
    .summary('which atoms people call visual')
    .description(
      'Show for each kind of atoms how many most voters called visual, and the agreement of voters (Fleiss’ kappa).' +
        ` At least ${CHOICES.minVoters} people decide. The JSON is {dataset, atoms, kinds}, with {kind, atom, visual, voters,` +
        ' isVisual} for each of atoms and {kind, atomCount, decidedCount, visualCount, visualShare, kappa,' +
        ' undefinedReason} for each of kinds.',
    )
    .addOption(datasetOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord votes --dataset coco'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location } = options
      const { reportVotes } = await import('../../services/bounds/votes.js')
      const report = await withDataset({ location }, options.dataset, (accord, { name }) =>
        reportVotes(accord, name),
      )
      const { voteReport } = await import('../reports/vote-report.js')
      await print(options, voteReport(report))
    })
  votes
    .command('cast')
    .summary('vote on atoms')
    .description('Store the votes of a person. A new vote on an atom replaces the old one.')
    .requiredOption('--voter <name>', 'who votes (required)', parseText)
    .addOption(
      new Option('--kind <kind>', 'kind of the atoms (required)')
        .choices(CHOICES.atomKinds)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--visual <atom...>', 'atoms that are visual').argParser(collectUnique(parseText)))
    .addOption(
      new Option('--not-visual <atom...>', 'atoms that are not visual').argParser(collectUnique(parseText)),
    )
    .addHelpText(
      'after',
      example('accord votes cast --dataset coco --voter anna --kind action --visual ride --not-visual have'),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<CastOptions>()
      const { database: location, voter, kind, visual = [], notVisual = [] } = options
      const { castVotes } = await import('../../services/bounds/votes.js')
      const { countAtoms } = await import('../../services/bounds/atoms.js')
      await withDataset({ location }, options.dataset, (accord, { name: dataset }) =>
        withProgress((progress) =>
          castVotes(accord, { dataset, voter, kind, visual, notVisual }, (of) =>
            countAtoms(accord, of, { progress }),
          ),
        ),
      )
      process.stdout.write(`${counted(visual.length + notVisual.length, 'vote')} of ${voter}\n`)
    })
}

/** `accord import votes` */
export function registerImportVotes(imports: Command): void {
  imports
    .command('votes')
    .summary('import votes whether atoms are visual')
    .description(
      'Import votes from a CSV file with the columns atom and visual (yes or no) and, of single votes, voter. Without' +
        ' voter, the file has the decisions of a number of people. A column kind may name the kinds of the atoms.',
    )
    .addArgument(fileArgument('CSV file'))
    .addOption(datasetOption())
    .addOption(new Option('--kind <kind>', 'kind of all atoms of the file').choices(CHOICES.atomKinds))
    .option('--people <N>', 'number of people whose decisions the file has', wholeNumber(1))
    .addHelpText(
      'after',
      example('accord import votes coco_entities.csv --dataset coco --kind entity --people 3'),
    )
    .action(async (file: string, _options, command: Command) => {
      const { database: location, dataset: wanted, kind, people } = command.optsWithGlobals<ImportOptions>()
      const { importVotes } = await import('../../services/bounds/votes.js')
      const { voteCount } = await withDataset({ location }, wanted, (accord, { name: dataset }) =>
        importVotes(accord, { dataset, file, kind, people }),
      )
      process.stdout.write(`imported ${counted(voteCount, 'vote')}\n`)
    })
}

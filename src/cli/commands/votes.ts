import { type Command, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import type { VoteReport } from '../../services/bounds/votes.js'
import { ATOM_KINDS, type AtomKind, MIN_VOTERS } from '../../shared/choices.js'
import { counted } from '../../shared/numbers.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import type { DatasetOptions } from '../accord.js'
import { datasetOption, fileArgument } from '../options.js'
import { count, share } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { type Column, type Report, untitled } from '../output/report.js'
import { printsDatasetReport, printsDatasetText } from '../report-command.js'

interface CastOptions extends DatasetOptions {
  readonly voter: string
  readonly kind: AtomKind
  readonly visual?: readonly string[]
  readonly notVisual?: readonly string[]
}

interface ImportOptions extends DatasetOptions {
  readonly kind?: AtomKind
  readonly people?: number
}

/** `accord votes` */
export function register(program: Command): void {
  const votes = program
    .command('votes')
    .summary('which atoms people call visual')
    .description(
      'Show, for each kind of atoms, how many of them most voters called visual, and the agreement of the voters' +
        ` (Fleiss’ kappa). A decision requires at least ${MIN_VOTERS} voters.`,
    )
    .addOption(datasetOption())
  const help = {
    examples: ['accord votes --dataset coco'],
    json: { report: 'dataset, atoms, kinds', atoms: VOTES, kinds: KINDS },
  }
  printsDatasetReport(votes, help, async (accord, { name }) => {
    const { reportVotes } = await import('../../services/bounds/votes.js')
    return voteReport(await reportVotes(accord, name))
  })
  registerCast(votes)
}

function registerCast(votes: Command): void {
  const command = votes
    .command('cast')
    .summary('vote on atoms')
    .description('Store the votes of a person. A new vote on an atom replaces the old one.')
    .requiredOption('--voter <name>', 'name of the voter (required)', parseText)
    .addOption(
      new Option('--kind <kind>', 'kind of the atoms (required)').choices(ATOM_KINDS).makeOptionMandatory(),
    )
    .option('--visual <atom...>', 'atoms that are visual', collectList(parseText))
    .option('--not-visual <atom...>', 'atoms that are not visual', collectList(parseText))
  const examples = [
    'accord votes cast --dataset coco --voter anna --kind action --visual ride --not-visual have',
  ]
  printsDatasetText<CastOptions>(command, examples, async (accord, { name: dataset }, options) => {
    const { voter, kind, visual = [], notVisual = [] } = options
    const { castVotes } = await import('../../services/bounds/votes.js')
    const votes = { dataset, voter, kind, visual, notVisual }
    await withProgress((progress) => castVotes(accord, votes, { progress }))
    return `Stored ${counted(visual.length + notVisual.length, 'vote')} of ${voter}\n`
  })
}

/** `accord import votes` */
export function registerImportVotes(imports: Command): void {
  const command = imports
    .command('votes')
    .summary('votes on whether atoms are visual')
    .description(
      'Import votes from a CSV file with the columns atom, visual (yes or no) and voter. Without the column voter, each' +
        ' row is the decision of a number of people (--people). An optional column kind has the kind of each atom.',
    )
    .addArgument(fileArgument('CSV file'))
    .addOption(datasetOption())
    .addOption(new Option('--kind <kind>', 'kind of all atoms of the file').choices(ATOM_KINDS))
    .option('--people <N>', 'number of people whose decisions the file has', wholeNumber(1))
  const examples = ['accord import votes coco_entities.csv --dataset coco --kind entity --people 3']
  type Arguments = [file: string]
  printsDatasetText<ImportOptions, Arguments>(command, examples, async (accord, { id }, options, file) => {
    const { kind, people } = options
    const input = { datasetId: id, file: { path: file }, kind, people }
    return `Imported ${counted((await accord.run('importVotes', input)).voteCount, 'vote')}\n`
  })
}

/** Columns of the votes on each atom. */
const VOTES: readonly Column[] = untitled('kind', 'atom', 'visual', 'voters', 'isVisual')

/** Columns of the summary of votes. */
const KINDS: readonly Column[] = [
  { path: 'kind', title: 'kind' },
  { path: 'atomCount', title: 'atoms', format: count },
  { path: 'decidedCount', title: 'decided', format: count },
  { path: 'visualCount', title: 'visual', format: count },
  { path: 'visualShare', title: 'share', format: share },
  { path: 'kappa', title: 'kappa', format: share },
  { path: 'undefinedReason' },
]

/** The votes on atoms. People read a summary by kind. */
function voteReport({ dataset, summaries, counts }: VoteReport): Report {
  const atoms = {
    name: 'atoms',
    columns: VOTES,
    rows: counts.map(({ text, ...vote }) => ({ ...vote, atom: text })),
  }
  const kinds = { name: 'kinds', columns: KINDS, rows: summaries }
  const notes = summaries.flatMap(({ kind, undefinedReason }) =>
    undefinedReason === null ? [] : `${kind}: ${UNDEFINED_REASONS[undefinedReason]}`,
  )
  return { about: { dataset: dataset.name }, tables: [atoms, kinds], parts: [kinds, { notes }] }
}

import { type Command, Option } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import { AccordError } from '../../errors.js'
import type { AtomReport } from '../../services/bounds/atoms.js'
import { ATOM_KINDS, type AtomKind } from '../../shared/choices.js'
import { counted } from '../../shared/numbers.js'
import { datasetOption } from '../options.js'
import { count, shown } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly kind?: AtomKind
  readonly top?: number
  readonly compare?: string
}

/** `accord atoms` */
export function register(program: Command): void {
  const command = program
    .command('atoms')
    .summary('the entities, actions and attributes of human captions')
    .description(
      'List the atoms of the human captions: lemmas of nouns and personal pronouns (entities), verbs (actions) and' +
        ' adjectives (attributes), with the number of words and of images, by kind and rank. They are the input' +
        ' of the models of `accord bounds`.',
    )
    .addOption(datasetOption())
    .addOption(new Option('--kind <kind>', 'kind of atoms (default: all)').choices(ATOM_KINDS))
    .option('--top <N>', 'only the first N atoms of each kind', wholeNumber(1))
    .option(
      '--compare <file>',
      'compare with a CSV list of atoms of the kind (columns atom, count): overlap of the first 150, rank correlation' +
        ' of the counts of its first 1,000',
      parseText,
    )
  const help = {
    examples: ['accord atoms --dataset coco --kind entity --top 20'],
    json: { report: 'dataset, atomCounts, comparison, atoms', atoms: ATOMS },
  }
  printsDatasetReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    if (options.compare !== undefined && options.kind === undefined) throw kindRequired()
    const { reportAtoms } = await import('../../services/bounds/atoms.js')
    return atomReport(
      await withProgress((progress) => reportAtoms(accord, { ...options, dataset }, { progress })),
    )
  })
}

function kindRequired(): AccordError {
  return new AccordError('OUT_OF_RANGE', 'a list of atoms is of one kind', {
    source: '--compare',
    expected: `--kind ${ATOM_KINDS.join(', ')}`,
  })
}

/** Columns of the list of atoms. */
const ATOMS: readonly Column[] = [
  { path: 'kind', title: 'kind' },
  { path: 'rank', title: 'rank', format: count },
  { path: 'atom', title: 'atom' },
  { path: 'count', title: 'count', format: count },
  { path: 'imageCount', title: 'images', format: count },
]

/** The atoms of human captions, by kind and rank. */
function atomReport({ dataset, lists, comparison }: AtomReport): Report {
  const rows = lists.flatMap(({ atoms }) => atoms.map(({ text, ...atom }) => ({ ...atom, atom: text })))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'atoms',
    columns: ATOMS,
    rows,
    groupBy: ({ kind }) => kind,
  }
  const notes = [
    ...lists.map(({ kind, atomCount }) => `${kind}: ${counted(atomCount, 'atom')}`),
    ...(comparison ? describeComparison(comparison) : []),
  ]
  return {
    about: {
      dataset: dataset.name,
      atomCounts: Object.fromEntries(lists.map(({ kind, atomCount }) => [kind, atomCount])),
      comparison,
    },
    tables: [table],
    parts: [table, { notes }],
  }
}

function describeComparison({
  size,
  sharedCount,
  overlap,
  rankCorrelation,
  onlyOurs,
  onlyTheirs,
}: NonNullable<AtomReport['comparison']>): string[] {
  return [
    `Of the first ${size} atoms of the file, ${sharedCount} are among the first ${size} here: overlap ${shown(overlap)}.`,
    `Spearman's rank correlation of the counts of its first 1,000 atoms: ${shown(rankCorrelation)}.`,
    `Only here: ${onlyOurs.join(', ') || 'none'}.`,
    `Only in the file: ${onlyTheirs.join(', ') || 'none'}.`,
  ]
}

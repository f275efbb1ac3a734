import { type Command, Option } from 'commander'
import { type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import type { AtomKind } from '../../core/bounds/atoms.js'
import { AccordError } from '../../errors.js'
import type { AtomReport } from '../../services/bounds/atoms.js'
import { CHOICES } from '../../services/choices.js'
import { withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, print, type Renderings, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { counted, FRACTIONS, grouped, NONE } from '../output/table.js'

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
        ' adjectives (attributes), with the number of words and of images, by kind and rank. They are what the upper' +
        ' bounds of accord bounds are given.',
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
      await print(options, renderings(report))
    })
}

function kindRequired(): AccordError {
  return new AccordError('OUT_OF_RANGE', 'a list of atoms is of one kind', {
    source: '--compare',
    expected: `--kind ${CHOICES.atomKinds.join(', ')}`,
  })
}

function renderings({ dataset, lists, comparison }: AtomReport): Renderings {
  const atoms = lists.flatMap((list) => list.atoms)
  return {
    json: () => ({
      dataset: dataset.name,
      atomCounts: Object.fromEntries(lists.map(({ kind, atomCount }) => [kind, atomCount])),
      atoms: atoms.map(({ kind, rank, text, count, imageCount }) => ({
        kind,
        rank,
        text,
        count,
        imageCount,
      })),
      ...(comparison && { comparison }),
    }),
    csv: () => ({
      header: ['kind', 'rank', 'atom', 'count', 'imageCount'],
      rows: atoms.map(({ kind, rank, text, count, imageCount }) => [kind, rank, text, count, imageCount]),
    }),
    report: () => [
      {
        columns: [
          { align: 'left' },
          { align: 'right' },
          { align: 'left' },
          { align: 'right' },
          { align: 'right' },
        ],
        head: [['kind', 'rank', 'atom', 'count', 'images']],
        body: lists.map((list) =>
          list.atoms.map(({ kind, rank, text, count, imageCount }) => [
            kind,
            grouped(rank),
            text,
            grouped(count),
            grouped(imageCount),
          ]),
        ),
      },
      {
        notes: [
          ...lists.map(({ kind, atomCount }) => `${kind}: ${counted(atomCount, 'atom')}`),
          ...(comparison ? describeComparison(comparison) : []),
        ],
      },
    ],
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
    `Of the first ${size} atoms of the file, ${sharedCount} are among the first ${size} here: overlap ${FRACTIONS.share(overlap)}.`,
    `Spearman's rank correlation of the counts of its first 1,000 atoms: ${rankCorrelation === null ? NONE : FRACTIONS.share(rankCorrelation)}.`,
    `Only here: ${onlyOurs.join(', ') || 'none'}.`,
    `Only in the file: ${onlyTheirs.join(', ') || 'none'}.`,
  ]
}

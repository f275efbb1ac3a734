import { type Command, Option } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import type { AtomKind } from '../../core/bounds/atoms.js'
import { AccordError } from '../../errors.js'
import { CHOICES } from '../../services/choices.js'
import { datasetOption } from '../options.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly kind?: AtomKind
  readonly top?: number
  readonly compare?: string
}

/** `accord atoms` */
export function registerAtoms(program: Command): void {
  const command = program
    .command('atoms')
    .summary('the entities, actions and attributes of human captions')
    .description(
      'List the atoms of the human captions: lemmas of nouns and personal pronouns (entities), verbs (actions) and' +
        ' adjectives (attributes), with the number of words and of images, by kind and rank. They are the input' +
        ' of the models of `accord bounds`.',
    )
    .addOption(datasetOption())
    .addOption(new Option('--kind <kind>', 'kind of atoms (default: all)').choices(CHOICES.atomKinds))
    .option('--top <N>', 'only the first N atoms of each kind', wholeNumber(1))
    .option(
      '--compare <file>',
      'compare with a CSV list of atoms of the kind (columns atom, count): overlap of the first 150, rank correlation' +
        ' of the counts of its first 1,000',
      parseText,
    )
  const help = {
    examples: ['accord atoms --dataset coco --kind entity --top 20'],
    json: { report: 'dataset, atomCounts, comparison, atoms', atoms: 'kind, rank, atom, count, imageCount' },
  }
  printsDatasetReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    if (options.compare !== undefined && options.kind === undefined) throw kindRequired()
    const { reportAtoms } = await import('../../services/bounds/atoms.js')
    const { atomReport } = await import('../reports/atom-report.js')
    return atomReport(
      await withProgress((progress) => reportAtoms(accord, { ...options, dataset }, { progress })),
    )
  })
}

function kindRequired(): AccordError {
  return new AccordError('OUT_OF_RANGE', 'a list of atoms is of one kind', {
    source: '--compare',
    expected: `--kind ${CHOICES.atomKinds.join(', ')}`,
  })
}

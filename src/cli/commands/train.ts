import { type Command, Option } from 'commander'
import {
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../../config.js'
import type { TrainedComposite } from '../../core/composite/artefact.js'
import type { TrainCompositeInput } from '../../services/composites/train-composite.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { grouped } from '../output/formats.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions {
  readonly name?: string
  readonly features?: readonly string[]
  readonly allPublished?: boolean
  readonly data: string
  readonly validation: string
  readonly seed?: number
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord train composite` */
export function registerTrain(program: Command): void {
  program
    .command('train')
    .description('train a metric')
    .command('composite')
    .summary('a composite metric, from the scores of others')
    .description(
      'Train a composite metric (Sharif et al. 2018): a network that distinguishes human captions from those of the' +
        ' captioning systems of a dataset by their scores. Training stops when the correlation with the ratings of' +
        ' another dataset no longer increases. The new metric is used by its name, like any other.',
    )
    .option('--name <name>', 'name of the new metric, such as EvalMS', parseText)
    .option('--features <name...>', 'two or more metrics whose scores it combines', collectUnique(parseText))
    .addOption(
      new Option(
        '--all-published',
        'train the six published composite metrics instead, under their published names',
      ).conflicts(['name', 'features']),
    )
    .requiredOption(
      '--data <dataset>',
      'dataset with human captions and captioning systems (required)',
      parseText,
    )
    .requiredOption(
      '--validation <dataset>',
      'dataset with ratings (required); its images are excluded from training',
      parseText,
    )
    .option('--seed <N>', 'seed of all random choices (default: 1)', wholeNumber(0))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addHelpText(
      'after',
      example(
        'accord train composite --name EvalMW --features METEOR WMD --data val2017 --validation flickr8k',
        'accord train composite --all-published --data val2017 --validation flickr8k',
      ),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
      const services = await import('../../services/composites/composites.js')
      const { data, validation, seed = services.DEFAULT_SEED } = options
      const inputs = chosen(options, services.PUBLISHED_COMPOSITES, command).map(
        ([name, features]): TrainCompositeInput => ({ name, features, data, validation, seed }),
      )
      const trained = await withAccord(
        { location, mustExist: true, meteorFolder, embeddingsFile },
        (accord) => withProgress((progress) => services.trainComposites(accord, inputs, { progress })),
      )
      for (const composite of trained) process.stdout.write(describe(composite))
    })
}

/** Names of the composites to train, with their features. */
function chosen(
  { name, features, allPublished }: Options,
  published: Readonly<Record<string, readonly string[]>>,
  command: Command,
): [name: string, features: readonly string[]][] {
  if (allPublished) return Object.entries(published)
  if (name !== undefined && features !== undefined) return [[name, features]]
  return command.error('accord: --name and --features are required, or --all-published')
}

function describe({ header, hash }: TrainedComposite): string {
  const { name, features, training, validation, epochs, bestEpoch, network } = header
  const { loss, tau } = epochs[bestEpoch]
  const excluded =
    training.excludedImageCount > 0
      ? `, ${grouped(training.excludedImageCount)} images of the validation data excluded`
      : ''
  return `Trained ${name} from ${features.map(({ metric }) => metric).join(', ')}
  training    ${grouped(training.exampleCount)} captions, ${grouped(training.humanCount)} of people, of ${training.dataset}${excluded}
  validation  ${grouped(validation.captionCount)} captions of ${validation.dataset}: τ-c ${tau?.toFixed(3) ?? '–'}, loss ${loss.toFixed(3)}, epoch ${bestEpoch + 1} of ${epochs.length}
  network     hidden units ${network.hidden.join(', ') || 'none'}; ${network.activation}, dropout ${network.dropout}
  artefact    ${hash}
`
}

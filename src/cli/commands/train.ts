import { type Command, Option } from 'commander'
import {
  collectList,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../../config.js'
import type { Objective, TrainedComposite } from '../../core/composite/artefact.js'
import type { TrainCompositeInput } from '../../services/composites/train-composite.js'
import { counted } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { shown } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface Options extends GlobalOptions {
  readonly name?: string
  readonly features?: readonly string[]
  readonly allPublished?: boolean
  readonly objective: string
  readonly linear?: boolean
  readonly data: string
  readonly validation: string
  readonly seed?: number
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord train composite` */
export function register(program: Command): void {
  const command = program
    .command('train')
    .description('train a metric')
    .command('composite')
    .summary('a composite metric, from the scores of others')
    .description(
      'Train a composite metric (Sharif et al. 2018): a network whose inputs are scores of other metrics. It learns to' +
        ' distinguish human captions from those of the captioning systems of a dataset, or to rank captions of an' +
        ' image as people rate or prefer them. Training stops when the agreement with the judgements of' +
        ' --validation no longer increases; the best of five seeds is kept. The new metric is used by its name, like' +
        ' any other. accord judge on other judgements tells whether the training helped.',
    )
    .option('--name <name>', 'name of the new metric, such as EvalMS', parseText)
    .option('--features <name...>', 'two or more metrics whose scores it combines', collectList(parseText))
    .addOption(
      new Option(
        '--all-published',
        'train the six published composite metrics instead, under their published names',
      ).conflicts(['name', 'features']),
    )
    .addOption(
      new Option('--objective <objective>', 'what is learned: who wrote a caption, or how people judge it')
        .choices(['origin', 'ratings', 'preferences'])
        .default('origin'),
    )
    .option('--linear', 'train linear networks only: weighted sums of the features')
    .requiredOption(
      '--dataset, --data <dataset>',
      'dataset with human captions and captioning systems, with ratings or with preferences (required)',
      parseText,
    )
    .requiredOption(
      '--validation <dataset>',
      'dataset with judgements (required); images that they judge are excluded from training',
      parseText,
    )
    .option('--seed <N>', 'first of five seeds of all random choices (default: 1)', wholeNumber(0))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
  const examples = [
    'accord train composite --name EvalMW --features METEOR WMD --dataset val2017 --validation flickr8k',
    'accord train composite --all-published --dataset val2017 --validation flickr8k',
    'accord train composite --name EvalR --features METEOR WMD --objective ratings --dataset flickr8k --validation pascal50s',
  ]
  prints<Options>(command, examples, async (options) => {
    const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
    const services = await import('../../services/composites/composites.js')
    const { data, validation, seed = services.DEFAULT_SEED, linear: isLinear = false } = options
    const objective = options.objective.toUpperCase() as Objective
    const inputs = chosen(options, services.PUBLISHED_COMPOSITES, command).map(
      ([name, features]): TrainCompositeInput => ({
        name,
        features,
        objective,
        isLinear,
        data,
        validation,
        seed,
      }),
    )
    const trained = await withAccord({ location, mustExist: true, meteorFolder, embeddingsFile }, (accord) =>
      withProgress((progress) => services.trainComposites(accord, inputs, { progress })),
    )
    return trained.map(describe).join('')
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
  const { name, features, training, validation, epochs, bestEpoch, network, seed } = header
  const { loss, agreement } = epochs[bestEpoch]
  const figure = validation.kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  const excluded =
    training.excludedImageCount > 0
      ? `, ${counted(training.excludedImageCount, 'image')} of the validation data excluded`
      : ''
  return `Trained ${name} from ${features.map(({ metric }) => metric).join(', ')}
  training    ${counted(training.captionCount, 'caption')} of ${training.dataset} by ${training.objective.toLowerCase()}${excluded}
  validation  ${counted(validation.captionCount, 'caption')} of ${validation.dataset}: ${figure} ${shown(agreement)}, loss ${shown(loss)}, epoch ${bestEpoch + 1} of ${epochs.length}
  network     hidden units ${network.hidden.join(', ') || 'none'}; ${network.activation}, dropout ${network.dropout}, seed ${seed}
  artefact    ${hash}
`
}

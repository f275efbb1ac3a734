import type { Threads } from '../../compute/pool.js'
import type { ArtefactHeader, Objective, TrainedComposite } from '../../core/composite/artefact.js'
import { standardise, toFeatures } from '../../core/composite/features.js'
import { type Curve, SHAPES, train } from '../../core/composite/train-network.js'
import type { LoadedMetric } from '../../core/metrics/metric.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { AccordError } from '../../errors.js'
import { nameOf } from '../../formats/io/files.js'
import { finishArtefact, readArtefact } from '../../formats/models/artefact-file.js'
import { type Progress, part } from '../../progress.js'
import type { Handler } from '../../queue/kind.js'
import { fixed } from '../../shared/numbers.js'
import { requireDataset } from '../../store/datasets.js'
import type { Database } from '../../store/engine/session.js'
import { requireJudgementSet } from '../../store/judgements.js'
import { deleteCurves, insertArtefact, saveCurve } from '../../store/metrics.js'
import { checkNewMetricName } from '../shared/names.js'
import { type FileSource, importJob } from '../uploads/import-job.js'
import { readCompared, readJudged, readOrigins } from './training-examples.js'

export interface TrainCompositeInput {
  /** Name of the new metric. */
  readonly name: string
  /** Names of metrics. */
  readonly features: readonly string[]
  readonly objective: Objective
  /** Whether only linear networks are trained: weighted sums of the features. */
  readonly isLinear: boolean
  /** Name of the dataset whose human captions and captioning systems, or judgements, are the training data. */
  readonly data: string
  /** Name of another dataset with judgements, by which a training is stopped and the network is chosen. */
  readonly validation: string
  /** The first of {@link SEED_COUNT} seeds. */
  readonly seed: number
}

/** Seeds with which networks are trained: how much a figure depends on the seed is shown beside it. */
const SEED_COUNT = 5

/** Trains a composite metric and stores it. A training that is cancelled stores nothing but its curves. */
export const trainCompositeJob: Handler<
  TrainCompositeInput & { readonly datasetId: number },
  { readonly artefactId: number }
> = async ({ id: jobId, input, database, threads, progress, finishWith }) => {
  await deleteCurves(database, jobId)
  const onEpoch = (curve: Curve) => saveCurve(database, { jobId, ...curve })
  const artefact = await computeComposite(database, await threads(), input, progress, onEpoch)
  return finishWith(async (session) => ({ artefactId: await insertArtefact(session, artefact) }))
}

/**
 * Trains a composite metric.
 *
 * @param onEpoch called after each epoch, and waited for
 * @throws AccordError NAME_TAKEN; INVALID_VALUE for the name; UNKNOWN_METRIC; UNKNOWN_DATASET; OUT_OF_RANGE for the
 *   number of features; NOT_APPLICABLE for a feature that is a composite, training data that are of another kind, too few
 *   or the validation data, and validation data without judgements
 */
async function computeComposite(
  database: Database,
  threads: Threads,
  {
    name,
    features: names,
    objective,
    isLinear,
    data: dataName,
    validation: validationName,
    seed,
  }: TrainCompositeInput,
  progress: Progress,
  onEpoch: (curve: Curve) => Promise<void>,
): Promise<TrainedComposite> {
  const features = loadFeatures(threads.registry, name, names)
  const source = { database, threads, features }
  const data = await requireDataset(database, dataName)
  const validation = await requireDataset(database, validationName)
  const set = await requireJudgementSet(database, validation)
  progress(0, 'reading captions')
  const readExamples = objective === 'ORIGIN' ? readOrigins : readCompared
  const examples = await readExamples(source, data, { set, objective, seed }, part(progress, 0.05, 0.5))
  const judged = await readJudged(source, validation, set, part(progress, 0.5, 0.7))
  const standardisations = standardise(examples.columns)
  const [best, ...others] = await train(
    names.length,
    { features: toFeatures(examples.columns, standardisations), comparisons: examples.comparisons },
    { features: toFeatures(judged.columns, standardisations), judgements: judged.judgements },
    {
      seeds: Array.from({ length: SEED_COUNT }, (_, index) => seed + index),
      shapes: isLinear ? SHAPES.slice(0, 1) : SHAPES,
      async onEpoch(curve, share) {
        const { loss, agreement } = curve.epochs[curve.epochs.length - 1]
        const figure = agreement === null ? '' : `, agreement ${fixed(agreement)}`
        progress(0.7 + 0.29 * share, `training: loss ${fixed(loss)}${figure}`)
        await onEpoch(curve)
      },
    },
  )
  const header: ArtefactHeader = {
    format: 1,
    name,
    features: features.map(({ metric, featureSignature }, index) => ({
      metric: metric.name,
      signature: featureSignature,
      ...standardisations[index],
    })),
    network: best.shape,
    others: others.map(({ seed, shape }) => ({ seed, network: shape })),
    training: examples.training,
    validation: {
      kind: set.kind,
      dataset: validation.name,
      revision: set.content,
      captionCount: set.captionCount,
    },
    seed: best.seed,
    epochs: best.epochs,
    bestEpoch: best.bestEpoch,
  }
  return finishArtefact(header, Float64Array.from([best, ...others].flatMap(({ weights }) => [...weights])))
}

function loadFeatures(registry: MetricRegistry, name: string, names: readonly string[]): LoadedMetric[] {
  checkNewMetricName(registry, name, 'name')
  checkFeatures(registry, names, 'features')
  return names.map((feature) => registry.load(feature, 'features'))
}

/**
 * Checks the features of a composite metric.
 *
 * @param source field or file of the features, for errors
 * @throws AccordError UNKNOWN_METRIC; OUT_OF_RANGE unless there are two or more different ones; NOT_APPLICABLE for a composite
 *   metric
 */
function checkFeatures(registry: MetricRegistry, names: readonly string[], source: string): void {
  const metrics = names.map((feature) => registry.require(feature, source))
  if (names.length < 2 || new Set(metrics.map(({ name }) => name)).size !== names.length) {
    throw new AccordError('OUT_OF_RANGE', 'invalid features', {
      source,
      expected: 'two or more different metrics',
      found: names.join(', ') || 'none',
    })
  }
  const composite = metrics.find(({ needs }) => needs.metrics.length > 0)
  if (!composite) return
  throw new AccordError('NOT_APPLICABLE', 'a composite metric cannot be a feature', {
    source,
    expected: 'metrics other than composites',
    found: JSON.stringify(composite.name),
  })
}

export interface ImportArtefactInput {
  /** JSON of `accord artefacts export`. */
  readonly file: FileSource
}

export interface ImportArtefactReport {
  readonly artefactId: number
  readonly name: string
}

/** Stores a composite metric of a file. Fails with NAME_TAKEN; for a file that is not valid, or was edited. */
export const importArtefactJob = importJob<ImportArtefactInput, ImportArtefactReport>(
  async ({ threads, finishWith }, { file }) => {
    const composite = readArtefact(file)
    const { name, features } = composite.header
    const { registry } = await threads()
    checkNewMetricName(registry, name, nameOf(file))
    checkFeatures(
      registry,
      features.map(({ metric }) => metric),
      nameOf(file),
    )
    return finishWith(async (session) => ({ artefactId: await insertArtefact(session, composite), name }))
  },
)

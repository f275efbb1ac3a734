import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import type { ArtefactHeader, TrainedComposite } from '../../core/composite/artefact.js'
import { standardise, toFeatures } from '../../core/composite/features.js'
import { type Curve, train } from '../../core/composite/train-network.js'
import { imagesOf, ratingsOf } from '../../core/judgements/judgement.js'
import type { LoadedMetric } from '../../core/metrics/metric.js'
import { scoreImages, type Trial } from '../../core/metrics/metric.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { createRandom, type Random } from '../../core/stats/random.js'
import { type Corpus, concatenate } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import { finishArtefact } from '../../formats/models/artefact-file.js'
import { type Progress, part } from '../../progress.js'
import type { Handler } from '../../queue/kind.js'
import { deleteCurves, insertArtefact, saveCurve } from '../../store/artefacts.js'
import { requireDataset } from '../../store/datasets.js'
import type { Database, Session } from '../../store/engine/session.js'
import { findImages, readImageIds, readReferenceCaptions } from '../../store/images.js'
import { readJudgedCaptions, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset, JudgementSet, System } from '../../store/schema/entities.js'
import { listUsualSystems, readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import { listReferences } from '../evaluations/reference-lists.js'
import { scoreJudgedCaptions } from '../judgements/judged-scores.js'

export interface TrainCompositeInput {
  /** Name of the new metric. */
  readonly name: string
  /** Names of metrics. */
  readonly features: readonly string[]
  /** Name of the dataset whose human captions and captioning systems are the training data. */
  readonly data: string
  /** Name of a dataset with ratings. */
  readonly validation: string
  readonly seed: number
}

/** What a training tells while it runs. */
export interface TrainingObserver {
  readonly progress: Progress
  /** Called after each epoch, and waited for. */
  readonly onEpoch?: (curve: Curve) => Promise<void>
}

/** Fewest captions of people, and of machines, that a metric is trained on. */
const MIN_EXAMPLES = 100

/** Names of composite metrics. */
const NAME = /^[A-Za-z][\w-]{0,63}$/

/** Trains a composite metric and stores it. A training that is cancelled stores nothing but its curves. */
export const trainCompositeJob: Handler<
  TrainCompositeInput & { readonly datasetId: number },
  { readonly artefactId: number }
> = async ({ id: jobId, input, database, threads, progress, finishWith }) => {
  await deleteCurves(database, jobId)
  const artefact = await computeComposite(database, await threads(), input, {
    progress,
    onEpoch: (curve) => saveCurve(database, { jobId, ...curve }),
  })
  return finishWith(async (session) => ({ artefactId: await insertArtefact(session, artefact) }))
}

/**
 * Trains a composite metric.
 *
 * @throws AccordError NAME_TAKEN; INVALID_VALUE for the name; UNKNOWN_METRIC; UNKNOWN_DATASET; OUT_OF_RANGE for the
 *   number of features; NOT_APPLICABLE for a feature that is a composite, data of one class or of fewer than 100 pairs,
 *   and a validation set without ratings
 */
async function computeComposite(
  database: Database,
  threads: Threads,
  { name, features: names, data: dataName, validation: validationName, seed }: TrainCompositeInput,
  { progress, onEpoch }: TrainingObserver,
): Promise<TrainedComposite> {
  const features = loadFeatures(threads.registry, name, names)
  const resolved = features.map(({ metric }) => metric.name)
  const data = await requireDataset(database, dataName)
  const validation = await requireDataset(database, validationName)
  const set = await requireRatings(database, validation)
  progress(0, 'reading captions')
  const random = createRandom(seed)
  const selected = await selectExamples(database, data, set, random)
  const scored = await scoreExamples(threads, selected, features, part(progress, 0.05, 0.5))
  const rated = await readRated(database, threads, validation, set, resolved, part(progress, 0.5, 0.7))
  const standardisations = standardise(scored.columns)
  const trained = await train(
    names.length,
    { features: toFeatures(scored.columns, standardisations), labels: scored.labels },
    { features: toFeatures(rated.columns, standardisations), ratings: rated.ratings, offsets: rated.offsets },
    {
      seed,
      async onEpoch(curve, share) {
        const { loss, tau } = curve.epochs[curve.epochs.length - 1]
        const correlation = tau === null ? '' : `, τ-c ${tau.toFixed(3)}`
        progress(0.7 + 0.29 * share, `training: loss ${loss.toFixed(3)}${correlation}`)
        await onEpoch?.(curve)
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
    network: trained.shape,
    training: {
      dataset: data.name,
      revision: data.revision,
      systems: selected.systems.map(({ name, content }) => ({ name, content })),
      exampleCount: scored.labels.length,
      humanCount: scored.labels.reduce((sum, label) => sum + label, 0),
      excludedImageCount: selected.excludedImageCount,
    },
    validation: { dataset: validation.name, revision: rated.content, captionCount: rated.offsets.length - 1 },
    seed,
    epochs: trained.epochs,
    bestEpoch: trained.bestEpoch,
  }
  return finishArtefact(header, trained.weights)
}

/**
 * Checks the name of a new metric, which no other one may have in any case.
 *
 * @param source where the name comes from
 * @throws AccordError INVALID_VALUE; NAME_TAKEN
 */
export function checkNewName(registry: MetricRegistry, name: string, source: string): void {
  const found = JSON.stringify(name)
  if (!NAME.test(name)) {
    const expected = 'a letter, and up to 63 letters, digits, hyphens and underscores'
    throw new AccordError('INVALID_VALUE', 'invalid name', { source, expected, found })
  }
  if (registry.has(name)) {
    throw new AccordError('NAME_TAKEN', 'a metric of this name exists', {
      source,
      expected: 'a new name',
      found,
    })
  }
}

function loadFeatures(registry: MetricRegistry, name: string, names: readonly string[]): LoadedMetric[] {
  checkNewName(registry, name, 'name')
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
export function checkFeatures(registry: MetricRegistry, names: readonly string[], source: string): void {
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

/** The captions of the training data. */
interface Examples {
  readonly corpus: Corpus
  /** For each system its captions against K − 1 references; then for each fold the held-out human captions. */
  readonly trials: readonly Trial[]
  /** Per trial, 1 where the caption of the image is an example. */
  readonly isChosen: readonly Uint8Array[]
  readonly systems: readonly System[]
  readonly excludedImageCount: number
}

/**
 * For each image with K human captions and a caption of every captioning system: as many captions of people as of
 * machines. All have K − 1 references: a caption of a person the others, one of a machine all but a random one. Images
 * with rated captions of the validation data are left out.
 */
async function selectExamples(
  session: Session,
  data: Dataset,
  validation: JudgementSet,
  random: Random,
): Promise<Examples> {
  const systems = (await listUsualSystems(session, [data.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const { captionsPerImage: size } = data
  if (systems.length === 0 || size < 2) {
    throw new AccordError('NOT_APPLICABLE', 'the training data has one class only', {
      source: 'data',
      expected: 'captions of people, at least two per image, and of a system',
      found: systems.length === 0 ? 'no captioning system' : `${size} per image`,
    })
  }
  const captions = await readReferenceCaptions(session, data.id)
  const written = await Promise.all(systems.map(({ id }) => readSystemSequences(session, id)))
  const places = written.map(({ imageIds }) => new Map(Array.from(imageIds, (id, place) => [id, place])))
  const excluded = await sharedImages(session, data, validation)
  const complete = Array.from(captions.imageIds, (_, image) => image).filter((image) => {
    const count = captions.firstCaption[image + 1] - captions.firstCaption[image]
    return count >= size && places.every((place) => place.has(captions.imageIds[image]))
  })
  const images = complete.filter((image) => !excluded.has(captions.imageIds[image]))
  const perImage = Math.min(systems.length, size)
  requireExamples(images.length * perImage)
  const folds = leaveOneOutTrials(listReferences(captions, images), size, size - 1).trials
  const starts: number[] = []
  let position = captions.sequences.offsets.length - 1
  for (const { imageIds } of written) {
    starts.push(position)
    position += imageIds.length
  }
  const machines = systems.map((_, system): Trial => {
    const candidates = images.map(
      (image) => starts[system] + (places[system].get(captions.imageIds[image]) as number),
    )
    return { ...drawReferences(folds, random), candidates: Int32Array.from(candidates) }
  })
  const isChosen = [...chooseTrials(systems.length, perImage, images.length, random)]
  isChosen.push(...chooseTrials(size, perImage, images.length, random))
  return {
    corpus: {
      ...concatenate([captions.sequences, ...written.map(({ sequences }) => sequences)]),
      texts: await readTokenTexts(session),
    },
    trials: [...machines, ...folds],
    isChosen,
    systems,
    excludedImageCount: complete.length - images.length,
  }
}

function requireExamples(pairs: number): void {
  if (pairs >= MIN_EXAMPLES) return
  throw new AccordError('NOT_APPLICABLE', 'too few captions to train on', {
    source: 'data',
    expected: `at least ${MIN_EXAMPLES} pairs of a caption of a person and one of a machine`,
    found: String(pairs),
  })
}

/** Ids of the images of the training data that have rated captions in the validation data. */
async function sharedImages(session: Session, data: Dataset, validation: JudgementSet): Promise<Set<number>> {
  const judged = await readJudgedCaptions(session, validation.id)
  const images = await findImages(session, [...new Set(judged.map(({ imageId }) => imageId))])
  const own = await readImageIds(
    session,
    data.id,
    images.map(({ externalId }) => externalId),
  )
  return new Set(own.values())
}

/** For each image the references of a random fold. */
function drawReferences(folds: readonly Trial[], random: Random) {
  const [{ references: first, referenceOffsets }] = folds
  const references = first.slice()
  for (let image = 0; image + 1 < referenceOffsets.length; image++) {
    const fold = folds[random.below(folds.length)]
    const [start, end] = [referenceOffsets[image], referenceOffsets[image + 1]]
    references.set(fold.references.subarray(start, end), start)
  }
  return { references, referenceOffsets }
}

/** For each image `perImage` of some trials at random: per trial 1 where it was chosen. */
function chooseTrials(trials: number, perImage: number, images: number, random: Random): Uint8Array[] {
  const isChosen = Array.from({ length: trials }, () => new Uint8Array(images))
  for (let image = 0; image < images; image++) {
    // Selection sampling (Knuth 1997, algorithm 3.4.2 S).
    for (let trial = 0, left = perImage; left > 0; trial++) {
      if (random.below(trials - trial) >= left) continue
      isChosen[trial][image] = 1
      left--
    }
  }
  return isChosen
}

/** The examples as columns of features. */
async function scoreExamples(
  threads: Threads,
  { corpus, trials, isChosen, systems }: Examples,
  features: readonly LoadedMetric[],
  progress: Progress,
): Promise<{ readonly columns: readonly Float64Array[]; readonly labels: Float64Array }> {
  const families = [...new Set(features.map(({ family }) => family))]
  const { statistics } = await measureTrials(threads, corpus, trials, families, (share, stage) =>
    progress(share, stage),
  )
  const columns = features.map(({ metric, family }) => {
    const ofTrials = statistics[families.indexOf(family)].map(
      (rows) => scoreImages(family, rows)[family.metrics.findIndex(({ name }) => name === metric.name)],
    )
    return joinChosen(ofTrials, isChosen)
  })
  const labels = trials.map(({ candidates }, trial) =>
    new Float64Array(candidates.length).fill(trial < systems.length ? 0 : 1),
  )
  return { columns, labels: joinChosen(labels, isChosen) }
}

function joinChosen(values: readonly Float64Array[], isChosen: readonly Uint8Array[]): Float64Array {
  return Float64Array.from(
    values.flatMap((ofTrial, trial) => [...ofTrial.filter((_, image) => isChosen[trial][image] === 1)]),
  )
}

async function requireRatings(session: Session, dataset: Dataset): Promise<JudgementSet> {
  const set = await requireJudgementSet(session, dataset)
  if (set.kind === 'RATINGS') return set
  throw new AccordError('NOT_APPLICABLE', 'preferences cannot be validation data', {
    source: 'validation',
    expected: 'a dataset with ratings',
    found: JSON.stringify(dataset.name),
  })
}

/** The rated captions of the validation data as columns of features. */
async function readRated(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  features: readonly string[],
  progress: Progress,
) {
  const captions = await readJudgedCaptions(database, set.id)
  const { ratings, offsets } = ratingsOf(
    captions.map((caption) => caption.ratings),
    imagesOf(captions),
    null,
  )
  const choice = threads.registry.choose(features)
  const scored = await scoreJudgedCaptions(database, threads, dataset, set, choice, progress)
  const columns = features.map(
    (feature) => scored.find(({ metric }) => metric.name === feature)?.scores as Float64Array,
  )
  return { columns, ratings, offsets, content: set.content }
}

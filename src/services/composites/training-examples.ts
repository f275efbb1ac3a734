import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import type { Objective, TrainingData } from '../../core/composite/artefact.js'
import type { Comparisons } from '../../core/composite/network.js'
import { compareJudgements, compareOrigins } from '../../core/composite/train-network.js'
import type { Judgements } from '../../core/judgements/judgement.js'
import { captionForm, type LoadedMetric, scoreImages, type Trial } from '../../core/metrics/metric.js'
import { createRandom, type Random } from '../../core/stats/random.js'
import { type CaptionForm, type Corpus, concatenate } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import type { Database, Session } from '../../store/engine/session.js'
import { findImages, readImageIds, readReferenceCaptions } from '../../store/images.js'
import { readJudgedCaptions, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { JudgementSet } from '../../store/schema/judgement-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems, readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import {
  addExternal,
  externalMetricsOf,
  externalScoresOfPeople,
  externalScoresOfSystem,
} from '../evaluations/external-scores.js'
import { listReferences } from '../evaluations/reference-lists.js'
import { readJudgements, scoreJudgedCaptions } from '../judgements/judged-scores.js'
import { tokenizationOf } from '../shared/tokens.js'

/** Where captions are read, and by what they are scored. */
interface Source {
  readonly database: Database
  readonly threads: Threads
  readonly features: readonly LoadedMetric[]
}

/** Captions as columns of features, and which of them are better. */
interface Examples {
  readonly columns: readonly Float64Array[]
  readonly comparisons: Comparisons
  readonly training: TrainingData
}

interface ExampleOptions {
  /** The validation data, whose images are left out. */
  readonly set: JudgementSet
  readonly objective: Objective
  readonly seed: number
}

/** Fewest comparisons that a metric is trained on. */
const MIN_COMPARISONS = 200

function requireComparisons(count: number): void {
  if (count >= MIN_COMPARISONS) return
  throw new AccordError('NOT_APPLICABLE', 'too few captions to train on', {
    source: 'data',
    expected: `at least ${MIN_COMPARISONS} comparisons of captions`,
    found: String(count),
  })
}

/** Captions of people and of systems, scored. @throws AccordError NOT_APPLICABLE for one class, and too few captions */
export async function readOrigins(
  { database, threads, features }: Source,
  data: Dataset,
  { set, objective, seed }: ExampleOptions,
  progress: Progress,
): Promise<Examples> {
  const families = features.map(({ family }) => family)
  const external = externalMetricsOf(threads.registry, families)
  const form = captionForm(families)
  const selected = await selectOrigins(database, data, { set, external, form }, createRandom(seed))
  const { columns, isHuman } = await scoreOrigins(threads, selected, features, progress)
  return {
    columns,
    comparisons: compareOrigins(isHuman),
    training: {
      objective,
      dataset: data.name,
      revision: data.revision,
      systems: selected.systems.map(({ name, content }) => ({ name, content })),
      captionCount: isHuman.length,
      comparisonCount: isHuman.length,
      excludedImageCount: selected.excludedImageCount,
    },
  }
}

/**
 * Captions that people rated or preferred, scored.
 *
 * @throws AccordError NOT_APPLICABLE for judgements of the other kind, those of the validation data, and too few of them
 */
export async function readCompared(
  source: Source,
  data: Dataset,
  { set: validation, objective }: ExampleOptions,
  progress: Progress,
): Promise<Examples> {
  const set = await requireJudgementSet(source.database, data)
  if (set.kind !== objective || set.content === validation.content) {
    throw new AccordError('NOT_APPLICABLE', 'these judgements cannot be trained on', {
      source: 'data',
      expected: `${objective.toLowerCase()} other than the validation data`,
      found: set.kind === objective ? 'the validation data' : set.kind.toLowerCase(),
    })
  }
  const excluded = await sharedImages(source.database, data, validation)
  const captions = await readJudgedCaptions(source.database, set.id)
  const takesPart = (caption: number) => !excluded.has(captions[caption].imageId)
  const { columns, judgements } = await readJudged(source, data, set, progress)
  const comparisons = compareJudgements(judgements, takesPart)
  requireComparisons(comparisons.better.length)
  const used = new Set([...comparisons.better, ...comparisons.worse])
  return {
    // Captions that are in no comparison count as undefined in the standardisation.
    columns: columns.map((scores) =>
      scores.map((score, caption) => (used.has(caption) ? score : Number.NaN)),
    ),
    comparisons,
    training: {
      objective,
      dataset: data.name,
      revision: set.content,
      systems: [],
      captionCount: used.size,
      comparisonCount: comparisons.better.length,
      excludedImageCount: excluded.size,
    },
  }
}

/** Judged captions as columns of features, with their judgements. */
export async function readJudged(
  { database, threads, features }: Source,
  dataset: Dataset,
  set: JudgementSet,
  progress: Progress,
): Promise<{ readonly columns: readonly Float64Array[]; readonly judgements: Judgements }> {
  const choice = threads.registry.choose(
    features.map(({ metric }) => metric.name),
    'features',
    tokenizationOf(dataset),
  )
  const scored = await scoreJudgedCaptions(database, threads, dataset, set, choice, progress)
  const columns = features.map(
    (feature) => scored.find(({ metric }) => metric.name === feature.metric.name)?.scores as Float64Array,
  )
  const captions = await readJudgedCaptions(database, set.id)
  return { columns, judgements: await readJudgements(database, set, captions) }
}

/** Captions of people and of systems. */
interface Origins {
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
 * with judged captions of the validation data are left out.
 */
async function selectOrigins(
  session: Session,
  data: Dataset,
  {
    set,
    external,
    form,
  }: { readonly set: JudgementSet; readonly external: readonly string[]; readonly form: CaptionForm },
  random: Random,
): Promise<Origins> {
  const systems = (await listUsualSystems(session, [data.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const { captionsPerImage: size } = data
  if (systems.length === 0 || size < 2) {
    throw new AccordError('NOT_APPLICABLE', 'the training data has one class only', {
      source: 'data',
      expected: 'captions of people, at least two per image, and of a system',
      found: systems.length === 0 ? 'no captioning system' : `${size} per image`,
    })
  }
  const captions = await readReferenceCaptions(session, data.id, undefined, form)
  const written = await Promise.all(
    systems.map(({ id }) => readSystemSequences(session, id, undefined, form)),
  )
  const places = written.map(({ imageIds }) => new Map(Array.from(imageIds, (id, place) => [id, place])))
  const excluded = await sharedImages(session, data, set)
  const complete = Array.from(captions.imageIds, (_, image) => image).filter((image) => {
    const count = captions.firstCaption[image + 1] - captions.firstCaption[image]
    return count >= size && places.every((place) => place.has(captions.imageIds[image]))
  })
  const images = complete.filter((image) => !excluded.has(captions.imageIds[image]))
  const perImage = Math.min(systems.length, size)
  requireComparisons(2 * images.length * perImage)
  const folds = leaveOneOutTrials(listReferences(captions, images), size, size - 1).trials
  const starts: number[] = []
  let position = captions.sequences.offsets.length - 1
  for (const { imageIds } of written) {
    starts.push(position)
    position += imageIds.length
  }
  const imageIds = Int32Array.from(images, (image) => captions.imageIds[image])
  const drawn = systems.map(() => drawReferences(folds, random))
  const given = await Promise.all(
    systems.map(({ id }) => externalScoresOfSystem(session, id, external, size - 1)),
  )
  const machines = drawn.map(({ foldOf, ...lists }, system): Trial => {
    const candidates = imageIds.map((id) => starts[system] + (places[system].get(id) as number))
    return addExternal({ ...lists, candidates }, imageIds, given[system], (place) => foldOf[place])
  })
  const ofPeople = await externalScoresOfPeople(session, data.id, external, size - 1)
  const isChosen = [...chooseTrials(systems.length, perImage, images.length, random)]
  isChosen.push(...chooseTrials(size, perImage, images.length, random))
  return {
    corpus: {
      ...concatenate([captions.sequences, ...written.map(({ sequences }) => sequences)]),
      texts: await readTokenTexts(session),
    },
    trials: [...machines, ...folds.map((fold, index) => addExternal(fold, imageIds, ofPeople, () => index))],
    isChosen,
    systems,
    excludedImageCount: complete.length - images.length,
  }
}

/** Ids of the images of the training data that have judged captions in the validation data. */
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

/** For each image the references of a random fold, and which one. */
function drawReferences(folds: readonly Trial[], random: Random) {
  const [{ references: first, referenceOffsets }] = folds
  const references = first.slice()
  const foldOf = new Int32Array(referenceOffsets.length - 1)
  for (let image = 0; image + 1 < referenceOffsets.length; image++) {
    foldOf[image] = random.below(folds.length)
    const fold = folds[foldOf[image]]
    const [start, end] = [referenceOffsets[image], referenceOffsets[image + 1]]
    references.set(fold.references.subarray(start, end), start)
  }
  return { references, referenceOffsets, foldOf }
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

/** The chosen captions as columns of features, and per caption 1 for people. */
async function scoreOrigins(
  threads: Threads,
  { corpus, trials, isChosen, systems }: Origins,
  features: readonly LoadedMetric[],
  progress: Progress,
): Promise<{ readonly columns: readonly Float64Array[]; readonly isHuman: Float64Array }> {
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
  const isHuman = trials.map(({ candidates }, trial) =>
    new Float64Array(candidates.length).fill(trial < systems.length ? 0 : 1),
  )
  return { columns, isHuman: joinChosen(isHuman, isChosen) }
}

function joinChosen(values: readonly Float64Array[], isChosen: readonly Uint8Array[]): Float64Array {
  return Float64Array.from(
    values.flatMap((ofTrial, trial) => [...ofTrial.filter((_, image) => isChosen[trial][image] === 1)]),
  )
}

import * as diversity from '../../core/diversity/diversity.js'
import { type ImageRecord, type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import type { TokenSequences } from '../../core/text/sequences.js'
import { AccordError, quote } from '../../errors.js'
import { type Progress, part, step } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { splitImages } from '../../store/image-ranges.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import * as subjects from '../datasets/require-subjects.js'
import { requireSameTokens } from '../evaluations/fixed-documents.js'
import { recordImages } from '../provenance/record-images.js'
import { SEED } from '../provenance/record-provenance.js'
import type { Provenance } from '../provenance/word-provenance.js'

export interface DiversityQuery {
  readonly datasetId: number
  readonly systemIds: readonly number[]
  /** Name of the dataset whose captions systems were trained with. Absent: none. */
  readonly training?: string
}

export interface SystemDiversity extends diversity.Diversity, Provenance {
  readonly systemId: number
  readonly system: string
}

/** Systems beside a person. All figures are over the same images. */
export interface DiversityReport {
  readonly dataset: string
  /** K. */
  readonly captionsPerImage: number
  /** Images with K captions and a caption of every system. */
  readonly imageCount: number
  /** Images that are left out. */
  readonly excludedImageCount: number
  /** Name of the dataset of training; null without. */
  readonly training: string | null
  /** Tokens of each side in which types are counted. */
  readonly tokenCount: number
  readonly people: diversity.Diversity & Provenance
  /** In the order in which they were asked for. */
  readonly systems: readonly SystemDiversity[]
}

export const diversityQuery: QueryHandler<DiversityQuery, DiversityReport> = async ({
  input: { datasetId, systemIds, training },
  database,
  progress,
}) => {
  const dataset = await subjects.requireDatasetById(database, datasetId)
  const systems = await Promise.all(systemIds.map((id) => subjects.requireSystemById(database, id)))
  const known = training === undefined ? null : await requireTraining(database, training, dataset)
  return computeDiversity(database, dataset, systems, known, progress)
}

/** @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE for the dataset itself and for one without captions; errors of `requireSameTokens` */
async function requireTraining(session: Session, name: string, dataset: Dataset): Promise<Dataset> {
  const training = await requireDataset(session, name)
  if (training.id === dataset.id)
    throw new AccordError('NOT_APPLICABLE', 'the dataset itself is no training dataset', {
      source: 'training',
      expected: 'another dataset',
      found: quote(name),
    })
  subjects.requireHumanCaptions(training, 'training')
  requireSameTokens(training, dataset, 'training dataset')
  return training
}

/**
 * Diversity and length of captions of systems and of a person (METHODS section 14), over the images with K captions and a caption
 * of every system.
 *
 * Memory: the tokens of all captions, and of a sample of one side twice.
 *
 * @param training the dataset whose captions systems were trained with, or null
 * @throws AccordError NOT_APPLICABLE for a system without captions, and for a dataset without
 */
async function computeDiversity(
  session: Session,
  dataset: Dataset,
  systems: readonly System[],
  training: Dataset | null,
  progress: Progress,
): Promise<DiversityReport> {
  for (const system of systems) subjects.requireCaptions(system)
  subjects.requireHumanCaptions(dataset)
  const { captionsPerImage } = dataset
  progress(0, 'reading captions')
  const people = await readReferenceCaptions(session, dataset.id)
  const captions = []
  for (const [index, { id }] of systems.entries()) {
    step(part(progress, 0, 0.3), index, systems.length)(0, 'reading captions')
    captions.push(await readSystemSequences(session, id))
  }
  const images = sharedImages(people, captionsPerImage, captions)
  const measured = diversity.measureDiversity(
    {
      people: select(
        people.sequences,
        images.places.map((place) => people.firstCaption[place]),
        captionsPerImage,
      ),
      captionsPerImage,
      systems: captions.map(({ imageIds, sequences }) =>
        select(sequences, placesOf(imageIds, images.ids), 1),
      ),
      training: training && (await readCaptionSet(session, training)),
    },
    SEED,
    part(progress, 0.3, 1),
  )
  const imageRecord = await recordImages(
    session,
    dataset.id,
    Int32Array.from(images.ids),
    dataset.imageCount - dataset.excludedImageCount,
  )
  const recorded = (system: System | null): Provenance => {
    const record = recordDiversity(dataset, system, {
      images: imageRecord,
      tokenCount: measured.tokenCount,
      training,
    })
    return { record, signature: signatureOf(record, VERSION) }
  }
  return {
    dataset: dataset.name,
    captionsPerImage,
    imageCount: images.ids.length,
    excludedImageCount: dataset.imageCount - images.ids.length,
    training: training?.name ?? null,
    tokenCount: measured.tokenCount,
    people: { ...measured.people, ...recorded(null) },
    systems: systems.map((system, index) => ({
      systemId: system.id,
      system: system.name,
      ...measured.systems[index],
      ...recorded(system),
    })),
  }
}

async function readCaptionSet(session: Session, { id }: Dataset): Promise<diversity.CaptionSet> {
  const captions = diversity.createCaptionSet()
  const images = { datasetId: id, minCaptionCount: 1 }
  for (const range of await splitImages(session, images))
    captions.add((await readReferenceCaptions(session, id, range)).sequences)
  return captions
}

/** Images by id, and their places among all. */
interface SharedImages {
  readonly ids: readonly number[]
  readonly places: readonly number[]
}

/** The images with K captions and a caption of every system, which ascend. */
function sharedImages(
  { imageIds, firstCaption }: ReferenceCaptions,
  captionsPerImage: number,
  systems: readonly { readonly imageIds: Int32Array }[],
): SharedImages {
  const described = systems.map((system) => new Set(system.imageIds))
  const places = Array.from(imageIds.keys()).filter(
    (place) =>
      firstCaption[place + 1] - firstCaption[place] >= captionsPerImage &&
      described.every((images) => images.has(imageIds[place])),
  )
  return { ids: places.map((place) => imageIds[place]), places }
}

/** Where the wanted ids are. */
function placesOf(imageIds: Int32Array, wanted: readonly number[]): number[] {
  const places = new Map(Array.from(imageIds, (id, place) => [id, place]))
  return wanted.map((id) => places.get(id) as number)
}

/** Sequences of their own: as many from each of the first ones. */
function select(
  { tokens, offsets }: TokenSequences,
  firsts: readonly number[],
  length: number,
): TokenSequences {
  const selected = new Int32Array(firsts.length * length + 1)
  const total = firsts.reduce((sum, first) => sum + offsets[first + length] - offsets[first], 0)
  const copied = new Int32Array(total)
  for (const [index, first] of firsts.entries()) {
    const start = selected[index * length]
    copied.set(tokens.subarray(offsets[first], offsets[first + length]), start)
    for (let i = 1; i <= length; i++)
      selected[index * length + i] = start + offsets[first + i] - offsets[first]
  }
  return { tokens: copied, offsets: selected }
}

interface Measured {
  readonly images: ImageRecord
  readonly tokenCount: number
  readonly training: Dataset | null
}

/** How the figures of a system, or of people, were made. */
function recordDiversity(
  { revision, captionsPerImage, tokenizer, language }: Dataset,
  system: System | null,
  { images, tokenCount, training }: Measured,
): ProvenanceRecord {
  const references = captionsPerImage - 1
  return {
    dataset: revision,
    subject:
      system === null ? { kind: 'people', content: revision } : { kind: 'system', content: system.content },
    family: 'diversity',
    metric: 'diversity',
    revision: diversity.DIVERSITY_REVISION,
    parameters: { tokens: String(tokenCount) },
    resources: training === null ? {} : { training: training.revision },
    tokenizer,
    language,
    text: 'tokens',
    documentFrequencies: null,
    references: { count: references, least: references, most: references, folds: captionsPerImage },
    images,
    interval: null,
    seed: SEED,
    layoutRevision: null,
  }
}

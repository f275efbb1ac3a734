import { hashSpiceData } from '../../compute/resources.js'
import * as coverage from '../../core/coverage/coverage-figures.js'
import { createGraphUnits } from '../../core/coverage/graph-units.js'
import {
  CANDIDATE_WIDTH,
  type CoverageDesign,
  createImageMeasure,
  peopleWidth,
  requireDesign,
} from '../../core/coverage/image-coverage.js'
import { EQUAL_WEIGHTS, type UnitWeights } from '../../core/coverage/unit-weights.js'
import * as provenance from '../../core/metrics/provenance.js'
import { OBJECT_REVISION, OWN_WORDS } from '../../core/objects/object-mentions.js'
import type { ObjectVocabulary } from '../../core/objects/object-vocabulary.js'
import { PARSER_NAME } from '../../core/text/scene-graph.js'
import { type CaptionForm, type Corpus, sequence, type TokenSequences } from '../../core/text/sequences.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { hashSceneGraphData, openSceneGraphParser } from '../../formats/english/english.js'
import { type Progress, part, step } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { CoverageUnits } from '../../shared/choices.js'
import type { ImageRange } from '../../store/caption-search.js'
import type { Session } from '../../store/engine/session.js'
import { countCaptionedImages, splitImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import * as subjects from '../datasets/require-subjects.js'
import type { DocumentSource } from '../evaluations/document-source.js'
import { foldedImages } from '../evaluations/reference-lists.js'
import { wordImages } from '../provenance/record-provenance.js'
import type { Provenance } from '../provenance/word-provenance.js'
import { requireEnglish } from '../shared/tokens.js'
import { judgeDifferences, type TestedDifference } from './beside-people.js'
import { CAPTIONS_PER_TURN, type ObjectChoice, vocabularyOf } from './object-units.js'
import { weighWords } from './word-weights.js'

/** What is measured. */
export interface CoverageChoice extends ObjectChoice {
  readonly units: CoverageUnits
  /** r, from 1 to K. */
  readonly references: number
}

/** The input of a job. Words weigh by the source of document frequencies; default: by the images with K captions. */
export interface CoverageInput extends CoverageChoice, DocumentSource {}

export interface CoverageQuery extends CoverageInput {
  readonly datasetId: number
  readonly systemIds: readonly number[]
}

/** Several people as one. */
export interface PeopleCoverage extends coverage.CurvePoint {
  /** Mean number of tokens of their captions together. */
  readonly wordsPerCaption: number
}

export interface MeasuredSystem extends coverage.SystemCoverage, Provenance {
  readonly systemId: number
  readonly system: string
  /** Images with K captions that the system has a caption of: figures are over these, those of people beside it too. */
  readonly imageCount: number
  /** Null without images. */
  readonly wordsPerCaption: number | null
  /** See `differencesFromPeople`. */
  readonly differences: readonly TestedDifference[]
}

/** Systems beside people. How the figures of people were made is `record`. */
export interface CoverageReport extends Pick<CoverageInput, 'units' | 'references'>, Provenance {
  readonly dataset: string
  /** K. */
  readonly captionsPerImage: number
  /** Images with K captions. */
  readonly imageCount: number
  /** Images with fewer, which are left out. */
  readonly excludedImageCount: number
  /** The human curve: 1 to K − r people; none if all captions are references. */
  readonly people: readonly PeopleCoverage[]
  /** In the order in which they were asked for. */
  readonly systems: readonly MeasuredSystem[]
}

export const coverageQuery: QueryHandler<CoverageQuery, CoverageReport> = async ({
  input: { datasetId, systemIds, ...input },
  database,
  progress,
}) => {
  const dataset = await subjects.requireDatasetById(database, datasetId)
  const systems = await Promise.all(systemIds.map((id) => subjects.requireSystemById(database, id)))
  return computeCoverage(database, dataset, systems, input, progress)
}

/** What a system says of single images, beside one person. Shares are 0 to 1; null where nothing that counts is said. */
export interface ImageCoverage {
  /** Ids of images with K captions that the system has a caption of. */
  readonly imageIds: readonly number[]
  readonly coverages: readonly (number | null)[]
  readonly confirmedShares: readonly (number | null)[]
  /** The same of one person. Null if all captions are references. */
  readonly peopleCoverages: readonly (number | null)[] | null
  readonly peopleConfirmedShares: readonly (number | null)[] | null
  readonly signature: string
}

export interface ImageCoverageQuery extends CoverageInput {
  readonly datasetId: number
  readonly systemId: number
}

export const imageCoverageQuery: QueryHandler<ImageCoverageQuery, ImageCoverage> = async ({
  input: { datasetId, systemId, ...input },
  database,
  progress,
}) => {
  const dataset = await subjects.requireDatasetById(database, datasetId)
  const system = await subjects.requireSystemById(database, systemId)
  const { design, measured, recorded } = await measure(database, dataset, [system], input, progress)
  const [{ images, rows }] = measured.systems
  const people = { design, rows: rowsOf(measured.rows, design, images) }
  const own = coverage.imageSharesOfSystem(Float64Array.from(rows), people)
  const person = coverage.imageSharesOfPerson(people)
  const definedOf = (shares: Float64Array) =>
    Array.from(shares, (share) => (Number.isNaN(share) ? null : share))
  return {
    imageIds: images.map((image) => measured.imageIds[image]),
    coverages: definedOf(own.coverage),
    confirmedShares: definedOf(own.confirmedShare),
    peopleCoverages: person && definedOf(person.coverage),
    peopleConfirmedShares: person && definedOf(person.confirmedShare),
    signature: provenance.signatureOf(recorded(system), VERSION),
  }
}

/**
 * What systems and several people as one say, and what of it others confirm (METHODS section 14), over the images with K captions.
 *
 * Time: linear in tokens; half a second for 5,000 images with 5 captions and 8 systems. Memory: a row of at most
 * 2 + 3 (K − r) + 3 numbers per image and system, beside the captions of a range of {@link splitImages}.
 *
 * @throws AccordError NOT_APPLICABLE for a system without captions, and for a dataset without; OUT_OF_RANGE for `references`;
 * LANGUAGE_NOT_SUPPORTED for objects and tuples of captions that are not English; errors of `requireSameTokens`
 */
async function computeCoverage(
  session: Session,
  dataset: Dataset,
  systems: readonly System[],
  input: CoverageInput,
  progress: Progress,
): Promise<CoverageReport> {
  const { units, references } = input
  const { captionsPerImage } = dataset
  const { design, imageCount, measured, recorded } = await measure(session, dataset, systems, input, progress)
  progress(0.7, 'computing intervals')
  const record = recorded(null)
  const untested = provenance.hasOwnDocuments(record) ? 'OWN_DOCUMENTS' : null
  const besidePeople = measured.systems.map(({ images, rows }) => {
    const people = { design, rows: rowsOf(measured.rows, design, images), untested } as const
    return {
      figures: coverage.systemCoverage(Float64Array.from(rows), people),
      differences: coverage.differencesFromPeople(Float64Array.from(rows), people, Int32Array.from(images)),
    }
  })
  const differences = judgeDifferences(
    systems.map(({ id }, index) => ({ id, differences: besidePeople[index].differences })),
  )
  return {
    dataset: dataset.name,
    units,
    references,
    captionsPerImage,
    imageCount,
    excludedImageCount: dataset.excludedImageCount,
    people: coverage
      .humanCurve({ design, rows: measured.rows, untested })
      .map((point) => ({
        ...point,
        wordsPerCaption: (point.people * measured.tokens) / (imageCount * captionsPerImage),
      })),
    systems: systems.map((system, index) => {
      const { images, tokens } = measured.systems[index]
      const own = recorded(system)
      return {
        systemId: system.id,
        system: system.name,
        imageCount: images.length,
        wordsPerCaption: images.length === 0 ? null : tokens / images.length,
        ...besidePeople[index].figures,
        differences: differences[index],
        record: own,
        signature: provenance.signatureOf(own, VERSION),
      }
    }),
    record,
    signature: provenance.signatureOf(record, VERSION),
  }
}

/** Images, measured. */
interface Measured {
  readonly design: CoverageDesign
  /** Images with K captions. */
  readonly imageCount: number
  readonly measured: MeasuredImages
  /** How the figures of a system were made, or those of people: null. */
  recorded(system: System | null): provenance.ProvenanceRecord
}

/** The first 70 % of the work. */
async function measure(
  session: Session,
  dataset: Dataset,
  systems: readonly System[],
  input: CoverageInput,
  progress: Progress,
): Promise<Measured> {
  const { units, references } = input
  for (const system of systems) subjects.requireCaptions(system)
  subjects.requireHumanCaptions(dataset)
  const { captionsPerImage } = dataset
  const design = { captionsPerImage, references }
  requireDesign(design)
  const images = foldedImages(dataset)
  const ranges = await splitImages(session, images)
  const counted = await unitsOf(session, dataset, input)
  const imageCount = await countCaptionedImages(session, images)
  const { weights, documents } =
    units === 'words'
      ? await weighWords(session, dataset, input, { ranges, imageCount }, part(progress, 0, 0.3))
      : { weights: EQUAL_WEIGHTS, documents: null }
  const measured = await measureImages(
    session,
    dataset,
    systems,
    { design, weights, ranges, imageCount, counted },
    part(progress, 0.3, 0.7),
  )
  return {
    design,
    imageCount,
    measured,
    recorded: (system) => recordCoverage(dataset, system, input, counted, documents),
  }
}

interface Measuring {
  readonly design: CoverageDesign
  readonly weights: UnitWeights
  readonly ranges: readonly ImageRange[]
  readonly imageCount: number
  readonly counted: Units
}

/** What is counted. */
interface Units {
  /** How units are found, for records. */
  readonly parameters: Readonly<Record<string, string>>
  readonly resources: provenance.ProvenanceRecord['resources']
  /** Whether captions are read as they are written. */
  readonly form: CaptionForm
  /** The units of captions, in place of their tokens. */
  toUnits(captions: Omit<Corpus, 'texts'>): Promise<TokenSequences>
  /** Absent where units are the same only if they are equal. */
  readonly groupsOf?: ObjectVocabulary['groupsOf']
}

/** @throws AccordError LANGUAGE_NOT_SUPPORTED for objects and tuples of captions that are not English */
async function unitsOf(session: Session, dataset: Dataset, input: CoverageInput): Promise<Units> {
  const { units } = input
  if (units === 'words' || units === 'types')
    return { parameters: {}, resources: {}, form: 'tokens', toUnits: async (captions) => captions }
  requireEnglish(dataset, `coverage in ${units}`)
  const texts = await readTokenTexts(session)
  const convert =
    (unitsOfCaption: (corpus: Corpus, caption: number) => readonly number[]) =>
    async (captions: Omit<Corpus, 'texts'>): Promise<TokenSequences> => {
      const corpus = { ...captions, texts }
      const all: number[] = []
      const offsets = new Int32Array(captions.offsets.length)
      for (let caption = 0; caption + 1 < offsets.length; caption++) {
        if (caption % CAPTIONS_PER_TURN === 0) await yieldToEventLoop()
        for (const unit of unitsOfCaption(corpus, caption)) all.push(unit)
        offsets[caption + 1] = all.length
      }
      return { tokens: Int32Array.from(all), offsets }
    }
  if (units === 'tuples') {
    const { unitsOf } = createGraphUnits(openSceneGraphParser())
    return {
      parameters: { parser: PARSER_NAME },
      resources: { 'scene-graphs': hashSceneGraphData() },
      form: 'tokens',
      toUnits: convert(unitsOf),
    }
  }
  const isOpen = units === 'open-objects'
  const vocabulary = vocabularyOf(units, input)
  const { objects, words, ...parameters } = vocabulary.parameters
  return {
    parameters: {
      objects: isOpen ? objects : `${objects}-${OBJECT_REVISION}`,
      ...(words !== undefined && words !== OWN_WORDS && { words }),
      ...parameters,
    },
    resources: isOpen ? { spice: hashSpiceData() } : {},
    form: vocabulary.text,
    toUnits: convert(vocabulary.mentionsOf),
    ...(isOpen && { groupsOf: vocabulary.groupsOf }),
  }
}

/** Rows of people, in the order of the images, and of systems. */
interface MeasuredImages {
  readonly imageIds: Int32Array
  readonly rows: Float64Array
  /** Tokens of the captions of people. */
  readonly tokens: number
  readonly systems: readonly MeasuredCaptions[]
}

interface MeasuredCaptions {
  /** Places among the images. */
  readonly images: number[]
  readonly rows: number[]
  tokens: number
}

async function measureImages(
  session: Session,
  { id, captionsPerImage }: Dataset,
  systems: readonly System[],
  { design, weights, ranges, imageCount, counted }: Measuring,
  progress: Progress,
): Promise<MeasuredImages> {
  const width = peopleWidth(design)
  const rows = new Float64Array(imageCount * width)
  const measuredIds = new Int32Array(imageCount)
  const own = systems.map((): MeasuredCaptions => ({ images: [], rows: [], tokens: 0 }))
  const measure = createImageMeasure(design, weights)
  const row = new Float64Array(CANDIDATE_WIDTH)
  let place = 0
  let tokens = 0
  for (const [index, range] of ranges.entries()) {
    step(progress, index, ranges.length)(0, 'comparing captions')
    const { imageIds, firstCaption, sequences } = await readReferenceCaptions(
      session,
      id,
      range,
      counted.form,
    )
    const unitsOfPeople = await counted.toUnits(sequences)
    const captions = await Promise.all(
      systems.map(async (system) => {
        const read = await readSystemSequences(session, system.id, range, counted.form)
        return { ...read, units: await counted.toUnits(read.sequences) }
      }),
    )
    /** Of each system, the caption of the next image: images ascend in both. */
    const next = systems.map(() => 0)
    for (const [image, imageId] of imageIds.entries()) {
      const first = firstCaption[image]
      const isFolded = firstCaption[image + 1] - first >= captionsPerImage
      const { tokens: units, offsets } = unitsOfPeople
      const ofPeople = units.subarray(offsets[first], offsets[first + captionsPerImage])
      const groupOf = isFolded ? counted.groupsOf?.(ofPeople) : undefined
      if (groupOf) ofPeople.set(ofPeople.map(groupOf))
      if (isFolded) {
        measuredIds[place] = imageId
        measure.addPeople(unitsOfPeople, first, rows.subarray(place * width, (place + 1) * width))
        tokens += sequences.offsets[first + captionsPerImage] - sequences.offsets[first]
      }
      for (const [system, { imageIds: described, sequences: ofSystem, units }] of captions.entries()) {
        if (described[next[system]] !== imageId) continue
        const caption = next[system]++
        if (!isFolded) continue
        const said = sequence(units, caption)
        measure.addSystem(groupOf ? said.map(groupOf) : said, row.fill(0))
        own[system].images.push(place)
        own[system].rows.push(...row)
        own[system].tokens += ofSystem.offsets[caption + 1] - ofSystem.offsets[caption]
      }
      if (isFolded) place++
    }
  }
  return { imageIds: measuredIds, rows, tokens, systems: own }
}

/** The rows of some images. */
function rowsOf(rows: Float64Array, design: CoverageDesign, images: readonly number[]): Float64Array {
  const width = peopleWidth(design)
  if (images.length * width === rows.length) return rows
  const chosen = new Float64Array(images.length * width)
  for (const [index, image] of images.entries())
    chosen.set(rows.subarray(image * width, (image + 1) * width), index * width)
  return chosen
}

/** How the figures of a system, or of people, were made. */
function recordCoverage(
  dataset: Dataset,
  system: System | null,
  { units, references }: CoverageInput,
  { parameters, resources, form }: Units,
  documents: provenance.DocumentFrequencySource | null,
): provenance.ProvenanceRecord {
  const { revision, captionsPerImage, tokenizer, language } = dataset
  return {
    dataset: revision,
    subject:
      system === null ? { kind: 'people', content: revision } : { kind: 'system', content: system.content },
    family: 'coverage',
    metric: 'coverage',
    revision: coverage.COVERAGE_REVISION,
    parameters: { units, ...parameters },
    resources,
    tokenizer,
    language,
    text: form,
    documentFrequencies: documents,
    references: { count: references, least: references, most: references, folds: captionsPerImage },
    images: wordImages(dataset, system),
    interval: 'jackknife',
    seed: null,
    layoutRevision: null,
  }
}

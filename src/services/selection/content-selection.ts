import { createContentHash } from '../../compute/content-hash.js'
import { canonicalJson, type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import {
  BASELINES,
  type Baseline,
  type BaselineInputs,
  baselineNeeds,
  orderBoxes,
} from '../../core/selection/baselines.js'
import { type ConceptImportance, conceptImportance, writeSentence } from '../../core/selection/importance.js'
import { learnPriors, type Priors, splitForPriors } from '../../core/selection/priors.js'
import type { BoxedImage, Description } from '../../core/selection/scenes.js'
import * as measure from '../../core/selection/selection-metric.js'
import { judgeSampleSize } from '../../core/stats/interval.js'
import type { MarkedText } from '../../core/text/mention-markup.js'
import { ENGLISH, recordTokens } from '../../core/text/tokenization.js'
import { AccordError, quote, requireInteger } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import { MAX_SELECTED_BOXES } from '../../shared/choices.js'
import {
  readBoxedImages,
  readHumanDescriptions,
  readStoredImages,
  readSystemSelections,
} from '../../store/boxes.js'
import { requireDataset } from '../../store/datasets.js'
import { type Page, type PageRequest, pageOfRows } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import { requireSystem } from '../../store/systems.js'
import { noBoxes } from './import-boxes.js'

/** Seed of the random baseline, splits and sentences: equal inputs produce equal reports. */
const SEED = 1

/** The dataset to score, and the human descriptions that the text baselines learn priors from. */
export interface SelectionInput {
  readonly dataset: string
  /** Name of another dataset, from whose human descriptions priors are learned. */
  readonly priors?: string
  /** Alternative: the share of the dataset's images to learn from; the others are scored. */
  readonly priorsShare?: number
}

/** Means over images, with deviations and intervals. */
export interface SelectionResult extends measure.SelectionSummary {
  /** Number of images with references that are not scored. */
  readonly imagesLeftOut: number
  /** 95 % intervals, by the jackknife over images. Null, or with intervals that are null, with `undefinedReason`. */
  readonly intervals: measure.SelectionIntervals | null
  /** Whether there are so few images that the intervals are approximate. */
  readonly isSmall: boolean
}

/** The reason why a baseline has no scores. */
export type BaselineReason = 'NO_PRIORS' | 'NO_IMAGE_SIZE'

/** A baseline with 1 to {@link MAX_SELECTED_BOXES} boxes. */
export interface BaselineResult {
  readonly baseline: Baseline
  /** Entry k − 1 has the scores with k boxes; empty if there is a reason. */
  readonly points: readonly SelectionResult[]
  readonly undefinedReason: BaselineReason | null
}

export interface SystemSelectionResult extends SelectionResult {
  readonly system: string
  readonly record: ProvenanceRecord
  readonly signature: string
}

export interface SelectionReport {
  readonly dataset: string
  readonly priors: string | null
  readonly priorsShare: number | null
  /** Number of scored images: those with a human description that mentions a box. */
  readonly imageCount: number
  /** Number of excluded images: those without a human description that mentions a box. */
  readonly imagesWithoutReferences: number
  /** Number of excluded human descriptions: those that do not mention a box. */
  readonly descriptionsWithoutMentions: number
  /** Among the scored images. */
  readonly imagesWithoutSize: number
  readonly human: SelectionResult
  /** All baselines, in the order of {@link BASELINES}. */
  readonly baselines: readonly BaselineResult[]
  /** The systems with descriptions that mention boxes, by name. */
  readonly systems: readonly SystemSelectionResult[]
  /** By importance, then by the number of descriptions that it is computed from, both descending. */
  readonly concepts: readonly ConceptImportance[]
  /** How the figures of people and of baselines were made: those of reports with other records are not comparable. */
  readonly record: ProvenanceRecord
  /** The record in one line. */
  readonly signature: string
}

/**
 * Content selection on a dataset (Wang & Gaizauskas 2015): the human bound, all baselines that the data
 * supports, and its systems.
 *
 * @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE if the dataset has no boxes, if priors are learned from the
 *   dataset itself, or if there is no development data; OUT_OF_RANGE for `priorsShare`
 */
export async function computeSelection(
  session: Session,
  input: SelectionInput,
  progress: Progress,
): Promise<SelectionReport> {
  progress(0, 'reading boxes')
  const material = await readMaterial(session, input)
  const { references, images, descriptions, datasetId } = material
  const human = measure.scoreHumans(references)
  const curves = BASELINES.map((baseline, index) => {
    progress(0.1 + (0.4 * index) / BASELINES.length, 'selecting boxes')
    const undefinedReason = undefinedReasonOf(baseline, material)
    return { baseline, undefinedReason, curve: undefinedReason ? [] : scoreBaseline(baseline, material) }
  })
  const record = recordSelection(material, input)
  const systems = [...(await readSystemSelections(session, datasetId))].map(([system, selections]) => {
    const scores = measure.scoreSelections(references, selections)
    const own = recordSystemSelection(record, selections, scores.imagesLeftOut)
    return { system, scores, record: own, signature: signatureOf(own, VERSION) }
  })
  progress(0.5, 'computing intervals')
  return {
    record,
    signature: signatureOf(record, VERSION),
    dataset: input.dataset,
    priors: input.priors ?? null,
    priorsShare: input.priorsShare ?? null,
    imageCount: references.images.length,
    imagesWithoutReferences: references.imagesWithoutReferences,
    descriptionsWithoutMentions: references.descriptionsWithoutMentions,
    imagesWithoutSize: material.imagesWithoutSize,
    human: toResult(human),
    baselines: curves.map(({ baseline, undefinedReason, curve }) => ({
      baseline,
      undefinedReason,
      points: curve.map(toResult),
    })),
    systems: systems.map(({ scores, ...system }) => ({ ...system, ...toResult(scores) })),
    concepts: byImportance(conceptImportance(images, descriptions)),
  }
}

export const contentSelectionQuery: QueryHandler<SelectionInput, SelectionReport> = ({
  input,
  database,
  progress,
}) => computeSelection(database, input, progress)

/** The row whose image scores are listed: the human bound, a baseline with k boxes, or a system. */
export type Selector =
  | { readonly kind: 'human' }
  | { readonly kind: 'baseline'; readonly baseline: Baseline; readonly k: number }
  | { readonly kind: 'system'; readonly name: string }

export interface ImageSelectionsInput extends SelectionInput {
  readonly selector: Selector
  readonly by: SelectionMeasure
  readonly worstFirst: boolean
  /** Only these images, by external id. */
  readonly externalIds?: readonly string[]
  readonly request: PageRequest
}

export const SELECTION_MEASURES = ['precision', 'recall', 'f'] as const
export type SelectionMeasure = (typeof SELECTION_MEASURES)[number]

/** The scores of one image, 0 to 1, and the selected boxes. */
export interface ImageSelection {
  /** Row id of the image. */
  readonly imageId: number
  readonly precision: number
  readonly recall: number
  readonly f: number
  /** Ids of boxes in the order of selection; null for people, whose scores are means over their descriptions. */
  readonly selected: readonly string[] | null
  /** The sentence that a baseline generates from its boxes; null for people and systems. */
  readonly sentence: MarkedText | null
}

export interface ImageSelectionPage extends Page<ImageSelection> {
  readonly totalCount: number
}

/**
 * A page of image scores; equal scores are in the order of the dataset.
 *
 * @throws AccordError as {@link computeSelection}; UNKNOWN_SYSTEM; OUT_OF_RANGE for k; NOT_APPLICABLE if the
 *   data do not support the baseline, or the system has no descriptions that mention boxes
 */
export async function pageOfImageSelections(
  session: Session,
  { selector, by, worstFirst, externalIds, request, ...input }: ImageSelectionsInput,
): Promise<ImageSelectionPage> {
  const material = await readMaterial(session, input)
  const { scores, describe } = await select(session, material, selector)
  const imageRows = await readStoredImages(session, material.datasetId)
  const wanted = externalIds && new Set(externalIds)
  const column = SELECTION_MEASURES.indexOf(by)
  const sign = worstFirst ? 1 : -1
  const sorted = scores.imageIds
    .map((externalId, index) => {
      const [precision, recall, f] = scores.values.subarray(index * measure.SCORE_WIDTH)
      const value = [precision, recall, f][column]
      return { value, externalId, imageId: imageRows.get(externalId)!.id, precision, recall, f }
    })
    .filter(({ externalId }) => wanted?.has(externalId) ?? true)
    .sort((one, other) => sign * (one.value - other.value) || one.imageId - other.imageId)
  const page = pageOfRows(sorted, ({ imageId }) => imageId, request)
  return {
    ...page,
    rows: page.rows.map(({ row: { externalId, value, ...row }, position }) => ({
      row: { ...row, ...describe(externalId) },
      position,
    })),
    totalCount: sorted.length,
  }
}

export const imageSelectionsQuery: QueryHandler<ImageSelectionsInput, ImageSelectionPage> = ({
  input,
  database,
}) => pageOfImageSelections(database, input)

/** The error for a request of a single baseline that has no scores. */
export function baselineError(
  baseline: Baseline,
  reason: BaselineReason,
  imagesWithoutSize: number,
): AccordError {
  switch (reason) {
    case 'NO_PRIORS':
      return new AccordError('NOT_APPLICABLE', `${baseline} requires development data to learn priors from`, {
        source: 'priors',
        expected: 'another dataset, or a share of this one',
        found: 'neither',
      })
    case 'NO_IMAGE_SIZE':
      return new AccordError('NOT_APPLICABLE', `${baseline} requires the width and height of every image`, {
        source: 'dataset',
        found: `${imagesWithoutSize} without`,
      })
  }
}

/** The data that scores are computed from. */
interface Material {
  readonly datasetId: number
  /** Hash of all boxes and human descriptions, and that of what priors are learned from; null without priors. */
  readonly content: string
  readonly priorsContent: string | null
  /** Those that are scored: all, or the part that priors are not learned from. */
  readonly images: readonly BoxedImage[]
  readonly descriptions: readonly Description[]
  readonly references: measure.SelectionReferences
  /** The images with references, in the same order. */
  readonly scored: readonly BoxedImage[]
  readonly imagesWithoutSize: number
  readonly priors: Priors | null
}

async function readMaterial(
  session: Session,
  { dataset: name, priors: priorsName, priorsShare }: SelectionInput,
): Promise<Material> {
  const { id: datasetId } = await requireDataset(session, name)
  const all = await readBoxedImages(session, datasetId)
  if (all.every(({ boxes }) => boxes.length === 0)) throw noBoxes(name)
  const descriptions = await readHumanDescriptions(session, datasetId)
  if (priorsName !== undefined) checkPriors(name, priorsName, priorsShare)
  const { development, test: images } = await withSource('priorsShare', async () =>
    priorsShare === undefined ? { development: [], test: all } : splitForPriors(all, priorsShare, SEED),
  )
  const references = measure.collectReferences(images, descriptions)
  const byId = new Map(images.map((image) => [image.imageId, image]))
  const scored = references.images.map(({ imageId }) => byId.get(imageId)!)
  const content = hashBoxes(all, descriptions)
  const learned = await withSource('priors', async () => {
    if (priorsName !== undefined) return learnFrom(session, priorsName)
    return priorsShare === undefined ? null : { priors: learnPriors(development, descriptions), content }
  })
  return {
    datasetId,
    content,
    priorsContent: learned?.content ?? null,
    images,
    descriptions,
    references,
    scored,
    imagesWithoutSize: scored.filter(({ width }) => width === null).length,
    priors: learned?.priors ?? null,
  }
}

function checkPriors(dataset: string, priors: string, priorsShare: number | undefined): void {
  if (priorsShare !== undefined) {
    throw new AccordError('NOT_APPLICABLE', 'priors cannot be learned from two sources', {
      source: 'priors',
      expected: 'another dataset, or a share of this one',
      found: 'both',
    })
  }
  if (priors === dataset) {
    throw new AccordError(
      'NOT_APPLICABLE',
      'priors cannot be learned from the descriptions that are scored',
      { source: 'priors', expected: 'another dataset, or a share of this one', found: quote(priors) },
    )
  }
}

/** Priors, and the hash of what they were learned from. */
async function learnFrom(
  session: Session,
  name: string,
): Promise<{ readonly priors: Priors; readonly content: string }> {
  const { id } = await requireDataset(session, name)
  const images = await readBoxedImages(session, id)
  const descriptions = await readHumanDescriptions(session, id)
  return { priors: learnPriors(images, descriptions), content: hashBoxes(images, descriptions) }
}

/** The hash of boxes by image, and of human descriptions, in any order. */
function hashBoxes(images: readonly BoxedImage[], descriptions: readonly Description[]): string {
  const content = createContentHash()
  for (const image of images) content.add(canonicalJson(image))
  for (const description of descriptions) content.add(canonicalJson(description))
  return content.digest(['boxes'])
}

/** Of content selection. Increased whenever the same boxes and descriptions get other figures. */
const REVISION = 1

function recordSelection(
  { content, priorsContent, references: { images } }: Material,
  { priorsShare }: SelectionInput,
): ProvenanceRecord {
  const counts = images.map(({ namedBoxes }) => namedBoxes.length).sort((one, other) => one - other)
  return {
    dataset: content,
    subject: { kind: 'people', content },
    family: 'content selection',
    metric: 'content-selection',
    revision: REVISION,
    parameters: priorsShare === undefined ? {} : { priorsShare: String(priorsShare) },
    resources: priorsContent === null ? {} : { priors: priorsContent },
    ...recordTokens(ENGLISH),
    text: 'raw',
    documentFrequencies: null,
    references: { count: null, least: counts[0] ?? 0, most: counts.at(-1) ?? 0, folds: null },
    // Which ones these are follows from the dataset, the share and the seed.
    images: { count: images.length, of: images.length, hash: null },
    interval: 'jackknife',
    seed: SEED,
    layoutRevision: null,
  }
}

/** The record of a system's figures, by that of people. */
function recordSystemSelection(
  record: ProvenanceRecord,
  selections: ReadonlyMap<string, readonly string[]>,
  imagesLeftOut: number,
): ProvenanceRecord {
  const hash = createContentHash()
  for (const selection of selections) hash.add(canonicalJson(selection))
  const content = hash.digest(['selections'])
  const { count: of } = record.images
  return {
    ...record,
    subject: { kind: 'system', content },
    // Which ones are missing follows from the content of the system.
    images: { count: of - imagesLeftOut, of, hash: imagesLeftOut === 0 ? null : content },
  }
}

/** The reason why the baseline cannot be computed; null if it can. */
function undefinedReasonOf(
  baseline: Baseline,
  { priors, imagesWithoutSize }: Pick<Material, 'priors' | 'imagesWithoutSize'>,
): BaselineReason | null {
  const needs = baselineNeeds(baseline)
  if (needs.priors && priors === null) return 'NO_PRIORS'
  return needs.imageSize && imagesWithoutSize > 0 ? 'NO_IMAGE_SIZE' : null
}

function scoreBaseline(
  baseline: Baseline,
  { references, scored, priors }: Material,
): measure.SelectionScores[] {
  const inputs: BaselineInputs = { seed: SEED, priors }
  const orders = new Map(
    scored.map((image) => [image.imageId, orderBoxes(baseline, image, inputs).map(({ id }) => id)]),
  )
  return measure.scoreOrders(references, orders, MAX_SELECTED_BOXES)
}

/** Image scores and selected boxes. */
interface Selected {
  readonly scores: measure.SelectionScores
  readonly describe: (imageId: string) => Pick<ImageSelection, 'selected' | 'sentence'>
}

async function select(session: Session, material: Material, selector: Selector): Promise<Selected> {
  const { references } = material
  switch (selector.kind) {
    case 'human':
      return { scores: measure.scoreHumans(references), describe: () => ({ selected: null, sentence: null }) }
    case 'baseline':
      return selectByBaseline(material, selector.baseline, selector.k)
    case 'system': {
      const { name } = selector
      await requireSystem(session, material.datasetId, name)
      const selections = (await readSystemSelections(session, material.datasetId, [name])).get(name)
      if (selections === undefined) {
        throw new AccordError('NOT_APPLICABLE', 'the system has no descriptions that mention boxes', {
          source: 'system',
          expected: 'a system with such descriptions',
          found: quote(name),
        })
      }
      const describe = (imageId: string) => ({
        selected: [...new Set(selections.get(imageId))],
        sentence: null,
      })
      return { scores: measure.scoreSelections(references, selections), describe }
    }
  }
}

function selectByBaseline(material: Material, baseline: Baseline, k: number): Selected {
  const reason = undefinedReasonOf(baseline, material)
  if (reason !== null) throw baselineError(baseline, reason, material.imagesWithoutSize)
  requireInteger(k, 1, MAX_SELECTED_BOXES, 'k', 'invalid number of boxes')
  const inputs: BaselineInputs = { seed: SEED, priors: material.priors }
  const selections = new Map(
    material.scored.map((image) => [image.imageId, orderBoxes(baseline, image, inputs).slice(0, k)]),
  )
  const ids = new Map([...selections].map(([imageId, boxes]) => [imageId, boxes.map(({ id }) => id)]))
  return {
    scores: measure.scoreSelections(material.references, ids),
    describe: (imageId) => ({
      selected: ids.get(imageId)!,
      sentence: writeSentence(selections.get(imageId)!, SEED, imageId),
    }),
  }
}

/** Means, deviations and intervals. */
function toResult(scores: measure.SelectionScores): SelectionResult {
  const summary = measure.summarizeScores(scores)
  const { undefinedReason: sizeReason, isSmall } = judgeSampleSize(summary.images)
  const intervals = measure.selectionIntervals(scores)
  const isConstant = intervals !== null && Object.values(intervals).includes(null)
  const undefinedReason = summary.undefinedReason ?? sizeReason ?? (isConstant ? 'NO_VARIATION' : null)
  return { ...summary, imagesLeftOut: scores.imagesLeftOut, intervals, undefinedReason, isSmall }
}

function byImportance(concepts: readonly ConceptImportance[]): ConceptImportance[] {
  return concepts.toSorted(
    (one, other) =>
      (other.importance ?? -1) - (one.importance ?? -1) ||
      other.present - one.present ||
      (one.concept < other.concept ? -1 : 1),
  )
}

/** Runs `work`. Its errors get the argument that caused them as their source. */
async function withSource<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    throw new AccordError(error.code, error.summary, { ...error.detail, source })
  }
}

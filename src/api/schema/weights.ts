import { type ConstDirectiveNode, type GraphQLField, getNamedType, valueFromASTUntyped } from 'graphql'
import { readImageCounts, readSizes } from '../../services/datasets/datasets.js'
import { listMetrics } from '../../services/evaluations/metrics.js'
import type { Accord } from '../../services/shared/accord.js'
import type { DatabaseSizes } from '../../store/datasets.js'

/** Fields of at least this weight are computed for one object; others are read, together with those of other objects. */
export const COMPUTED = 10

/** The weight of a field by its directive `@cost`; 0 without one. */
export function weightOf(field: GraphQLField<unknown, never>): number {
  return Number(directiveOf(field, 'cost')?.weight ?? 0)
}

/** The directive `@listSize` of a field. */
export interface ListSize {
  readonly assumedSize?: number
  readonly slicingArguments?: readonly string[]
  readonly sizedFields?: readonly string[]
}

export function listSizeOf(field: GraphQLField<unknown, never>): ListSize | undefined {
  return directiveOf(field, 'listSize')
}

/** A type or field, with the directives of the schema. */
export interface Annotated {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] } | null
}

/** The arguments of a directive; undefined without it. */
export function directiveOf({ astNode }: Annotated, name: string): Record<string, never> | undefined {
  const directive = astNode?.directives?.find((candidate) => candidate.name.value === name)
  const entries = directive?.arguments?.map((argument) => [
    argument.name.value,
    valueFromASTUntyped(argument.value),
  ])
  return entries && Object.fromEntries(entries)
}

/** The schema has weights of computations over the images of a dataset for so many. */
const USUAL_IMAGES = 5000

/** The weight of a field on a database of these sizes. */
export function weightOn(field: GraphQLField<unknown, never>, { imagesPerDataset }: Sizes): number {
  const isOverImages = directiveOf(field, 'cost')?.isOverImages === true
  return weightOf(field) * (isOverImages ? Math.max(1, imagesPerDataset / USUAL_IMAGES) : 1)
}

/** Whether a field is computed once for the list that its object is an entry of. */
export function isComputedForList(field: GraphQLField<unknown, never>): boolean {
  return directiveOf(field, 'cost')?.isForList === true
}

export type Arguments = (name: string) => unknown

/** Weights of what the arguments of a field say how much it is, beside that of the field. */
const SIZES: Readonly<Record<string, (argument: Arguments) => number>> = {
  // Rendering a character takes up to 5 µs.
  'Query.markdownHtml': (argument) => String(argument('text')).length / 4,
}

export function sizeOf(coordinate: string): ((argument: Arguments) => number) | undefined {
  return SIZES[coordinate]
}

/** Seconds of a worker, by what is asked for and the sizes of the database. */
type Work = (argument: Arguments, sizes: Sizes) => number

/**
 * Seconds of a table of comparisons. An image of a side, left out of all folds, takes 4 µs, and of a pair .1 µs; a word's image, with
 * its replicates, 100 µs; a draw of the table 1 ns for each row and each one that it depends on.
 */
function comparing(metrics: number, words: number, sides: number, pairs: number, images: number): number {
  const measuring = metrics * (4e-6 * sides + 1e-7 * pairs) + 1e-4 * words * sides
  return images * measuring + 1e-5 * (metrics + words) * pairs * (metrics + words) * sides
}

/** Seconds of the means of all systems and people over a vocabulary: a word's image takes .2 µs. */
const meansOverWords: Work = (_argument, { systemsPerDataset, imagesPerDataset, captionsPerImage }) =>
  2e-4 * imagesPerDataset * (systemsPerDataset + captionsPerImage / 5)

/** Seconds of content selection: choosing objects of an image, with intervals. */
const selecting: Work = (_argument, { imagesPerDataset, systemsPerDataset }) =>
  2e-5 * imagesPerDataset * (systemsPerDataset + 15)

/** Units of coverage for which captions are parsed. */
const PARSED_UNITS: ReadonlySet<unknown> = new Set(['OPEN_OBJECTS', 'TUPLES'])

const WORK: Readonly<Record<string, Work>> = {
  'Dataset.comparisons': (argument, { systemsPerDataset, imagesPerDataset }) => {
    const { sides, pairs } = comparedSides(argument, systemsPerDataset)
    const [metrics, words] = ['metrics', 'words'].map((name) => lengthGivenBy(argument(name)) ?? 0)
    return comparing(metrics, words, sides, pairs, imagesPerDataset)
  },
  // All boards have tests of each pair, where standings are asked for.
  'Dataset.wordLeaderboard': meansOverWords,
  'LeaderboardRow.standing': (_argument, { systemsPerDataset, imagesPerDataset }) => {
    const sides = Math.min(systemsPerDataset + 1, MAX_SIDES)
    return comparing(1, 0, sides, (sides * (sides - 1)) / 2, imagesPerDataset)
  },
  'WordAgreementSummary.means': meansOverWords,
  'PhrSummary.means': meansOverWords,
  // A caption takes 8 µs, parsing it 40 µs.
  'Dataset.coverage': (argument, { imagesPerDataset, systemsPerDataset, captionsPerImage }) =>
    (PARSED_UNITS.has(argument('units')) ? 4e-5 : 8e-6) *
    imagesPerDataset *
    (systemsPerDataset + captionsPerImage),
  'System.imageCoverage': (argument, { imagesPerDataset, captionsPerImage }) =>
    (PARSED_UNITS.has(argument('units')) ? 4e-5 : 8e-6) * imagesPerDataset * (1 + captionsPerImage),
  // Ten samples of a caption take 20 µs.
  'Dataset.diversity': (_argument, { imagesPerDataset, systemsPerDataset, captionsPerImage }) =>
    2e-5 * imagesPerDataset * (systemsPerDataset + captionsPerImage),
  // Finding words in a caption takes 8 µs, parsing it 40 µs.
  'System.unconfirmedObjects': (argument, { imagesPerDataset, captionsPerImage }) =>
    (argument('isOpen') === true ? 4e-5 : 8e-6) * imagesPerDataset * (1 + captionsPerImage),
  // Parsing a caption takes 40 µs.
  'Dataset.atoms': (_argument, { imagesPerDataset, captionsPerImage }) =>
    4e-5 * imagesPerDataset * captionsPerImage,
  'Dataset.boundFigures': (_argument, { imagesPerDataset }) => 1e-3 * imagesPerDataset,
  // Ranking one judgement of a resample takes 160 ns.
  'JudgementSet.metaEvaluation': (argument, { judgements, metrics }) =>
    1.6e-7 * (lengthGivenBy(argument('metrics')) ?? metrics) * Number(argument('resampleCount')) * judgements,
  'JudgementSet.disagreements': (_argument, { judgements }) => 1e-4 * judgements,
  'Dataset.contentSelection': selecting,
  'ContentSelection.imageScores': selecting,
  'Phase.board': (_argument, sizes) => onBoard(sizes),
  'Submission.comparisons': (_argument, sizes) => onBoard(sizes),
  'Collection.agreementSoFar': (_argument, { imagesPerDataset, captionsPerImage }) =>
    4e-5 * imagesPerDataset * captionsPerImage,
  'Collection.annotators': (_argument, { imagesPerDataset, captionsPerImage }) =>
    4e-5 * imagesPerDataset * captionsPerImage,
}

/** Seconds of the tests of a board, which compares entries with their neighbours. */
function onBoard({ boardRows, boardMetrics, imagesPerDataset }: Sizes): number {
  const sides = Math.min(boardRows, MAX_SIDES)
  return comparing(boardMetrics, 0, sides, (sides * (sides - 1)) / 2, imagesPerDataset)
}

/** The work that a field gives to workers; undefined for fields that are computed by the server. */
export function workOf(coordinate: string): Work | undefined {
  return WORK[coordinate]
}

/** The systems that a field compares, with people, and their pairs. */
function comparedSides(argument: Arguments, systemsPerDataset: number) {
  const systems = Math.min(lengthGivenBy(argument('systems')) ?? systemsPerDataset, MAX_SIDES - 1)
  const sides = systems + (argument('isHumanIncluded') === true ? 1 : 0)
  return { sides, pairs: argument('baseline') == null ? (sides * (sides - 1)) / 2 : sides }
}

/** Metrics that a field names, or those that there are. */
const metricsOf: Known = ({ metrics }, argument) => lengthGivenBy(argument('metrics')) ?? metrics

/** The length of a list, by the sizes of the database and the arguments of the field. */
type Known = (sizes: Sizes, argument: Arguments) => number

/** Lengths of lists that the database decides, by the field or by the type of the entries. */
const KNOWN: Readonly<Record<string, Known>> = {
  DatasetConnection: ({ datasets }) => datasets,
  System: ({ systemsPerDataset }) => systemsPerDataset,
  SystemConnection: ({ systemsPerDataset }) => systemsPerDataset,
  'Image.systemCaptions': ({ systemsPerDataset }) => systemsPerDataset,
  SystemDescriptionConnection: ({ systemsPerDataset }) => systemsPerDataset,
  SystemCoverageConnection: ({ systemsPerDataset }) => systemsPerDataset,
  SystemDiversityConnection: ({ systemsPerDataset }) => systemsPerDataset,
  SystemSelectionConnection: ({ systemsPerDataset }) => systemsPerDataset,
  LeaderboardRowConnection: ({ systemsPerDataset }) => systemsPerDataset + 1,
  'Word.systemResults': ({ systemsPerDataset }) => systemsPerDataset,
  'Dataset.comparisons': ({ systemsPerDataset }, argument) => {
    const figures = ['metrics', 'words'].map((name) => lengthGivenBy(argument(name)) ?? 0)
    return comparedSides(argument, systemsPerDataset).pairs * (figures[0] + figures[1])
  },
  'Job.comparedSystems': ({ systemsPerDataset }) => Math.min(systemsPerDataset, MAX_SIDES - 1),
  // Boards of more systems have no standings.
  'LeaderboardStanding.tiedWith': ({ systemsPerDataset }) => Math.min(systemsPerDataset, MAX_SIDES - 1),
  'Dataset.leaderboards': ({ metricsPerDataset }, argument) =>
    lengthGivenBy(argument('metrics')) ?? metricsPerDataset,
  'Dataset.scoreTable': ({ systemsPerDataset, metrics }, argument) =>
    ((lengthGivenBy(argument('systems')) ?? systemsPerDataset) +
      (argument('isHumanIncluded') === true ? 1 : 0)) *
    (lengthGivenBy(argument('metrics')) ?? metrics),
  Caption: ({ captionsPerImage }) => captionsPerImage,
  MetricConnection: ({ metrics }) => metrics,
  MetricScore: metricsOf,
  CaptionScore: metricsOf,
  AgreementScore: metricsOf,
  MetricCorrelation: (sizes, argument) => {
    const metrics = metricsOf(sizes, argument)
    return (metrics * (metrics - 1)) / 2
  },
  MetaEvaluationRow: ({ metrics }) => metrics,
  ImageConnection: ({ imagesPerDataset }) => imagesPerDataset,
  ChallengeConnection: ({ challenges }) => challenges,
  'Challenge.phases': ({ phasesPerChallenge }) => phasesPerChallenge,
  SubmissionConnection: ({ submissionsPerPhase }) => submissionsPerPhase,
  BoardRowConnection: ({ boardRows }) => boardRows,
  'BoardRow.scores': ({ boardMetrics }) => boardMetrics,
  'Submission.scores': ({ boardMetrics }) => boardMetrics,
  CollectionConnection: ({ collections }) => collections,
  // Four values take as long as a field.
  'ScoreVector.externalIds': ({ imagesPerDataset }) => imagesPerDataset / 4,
  'ScoreVector.values': ({ imagesPerDataset }) => imagesPerDataset / 4,
  'ScoreTable.externalIds': ({ imagesPerDataset }) => imagesPerDataset / 4,
  'ScoreColumn.values': ({ imagesPerDataset }) => imagesPerDataset / 4,
  // Lists of types of the introspection, whose number is limited.
  '__Schema.types': () => 150,
  '__Type.fields': () => 3,
  '__Type.inputFields': () => 1,
  '__Type.enumValues': () => 2,
  '__Type.interfaces': () => 1,
  '__Type.possibleTypes': () => 1,
  // Most types are not lists, and have no type inside.
  '__Type.ofType': () => 0.5,
  '__Field.args': () => 1,
}

/** Systems that are compared at most, and people. */
const MAX_SIDES = 21

/** The length of a list that the database decides; undefined for others. */
export function knownLength(parent: string, field: GraphQLField<unknown, never>): Known | undefined {
  return KNOWN[`${parent}.${field.name}`] ?? KNOWN[getNamedType(field.type).name]
}

/** Whether a value of an argument gives the length of a list, and which. */
export function lengthGivenBy(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' ? value : undefined
}

/** How often a computation on objects of a type can differ: there are no more objects. */
export function objectsOf(type: string, { datasets, systems }: Sizes): number {
  if (type === 'Dataset') return datasets
  return type === 'System' ? systems : Number.POSITIVE_INFINITY
}

/** Bounds for the lengths of lists, by which the cost of an operation is estimated. */
export interface Sizes extends DatabaseSizes {
  readonly metrics: number
  /** By the names of datasets. */
  readonly imageCounts: ReadonlyMap<string, number>
}

/** The sizes for what is asked of one dataset: those of the database, if it is not known. */
export function sizesOfDataset(sizes: Sizes, name: unknown): Sizes {
  return { ...sizes, imagesPerDataset: sizes.imageCounts.get(String(name)) ?? sizes.imagesPerDataset }
}

/** Milliseconds for which sizes are cached. Longer lists in the meantime are limited while they are computed. */
const CACHED_MS = 60_000

/**
 * Returns a function that reads the sizes of a database, and caches them. Nothing waits for newer ones.
 *
 * @param isPublic without private datasets, because messages about the cost of an operation tell sizes
 */
export function createSizes(accord: Accord, isPublic: boolean): () => Promise<Sizes> {
  let sizes: Promise<Sizes> | undefined
  let readAt = 0
  return () => {
    const now = performance.now()
    const previous = sizes
    if (previous && now - readAt <= CACHED_MS) return previous
    readAt = now
    // Operations that do not use the database are executed without it.
    const found = read(accord, isPublic).catch(() => previous ?? EMPTY)
    if (!previous) sizes = found
    else {
      found.then(() => {
        sizes = found
      })
    }
    return previous ?? found
  }
}

async function read(accord: Accord, isPublic: boolean): Promise<Sizes> {
  const [sizes, imageCounts, metrics] = await Promise.all([
    readSizes(accord, isPublic),
    readImageCounts(accord, isPublic),
    listMetrics(accord),
  ])
  return { ...sizes, imageCounts, metrics: metrics.length }
}

const EMPTY: Sizes = {
  datasets: 1,
  systems: 1,
  systemsPerDataset: 1,
  metricsPerDataset: 1,
  captionsPerImage: 1,
  imagesPerDataset: 1,
  judgements: 1,
  challenges: 1,
  phasesPerChallenge: 1,
  submissionsPerPhase: 1,
  boardRows: 1,
  boardMetrics: 1,
  collections: 1,
  metrics: 1,
  imageCounts: new Map(),
}

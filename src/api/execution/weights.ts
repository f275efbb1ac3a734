import { type GraphQLField, getNamedType, valueFromASTUntyped } from 'graphql'
import type { Sizes } from './sizes.js'

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

function directiveOf(
  { astNode }: GraphQLField<unknown, never>,
  name: string,
): Record<string, never> | undefined {
  const directive = astNode?.directives?.find((candidate) => candidate.name.value === name)
  const entries = directive?.arguments?.map((argument) => [
    argument.name.value,
    valueFromASTUntyped(argument.value),
  ])
  return entries && Object.fromEntries(entries)
}

/** Computations over all images of a dataset. The schema has their weights for {@link USUAL_IMAGES}. */
const OVER_IMAGES = new Set([
  'SystemWordResult.estimates',
  'SystemWordResult.curve',
  'SystemWordResult.mistakes',
  'System.metricCorrelations',
  'MetricScore.distribution',
  'AgreementScore.distribution',
])
const USUAL_IMAGES = 5000

/** The weight of a computation on a database of these sizes. @param weight by the schema */
export function weightOn(coordinate: string, weight: number, { imagesPerDataset }: Sizes): number {
  return OVER_IMAGES.has(coordinate) ? weight * Math.max(1, imagesPerDataset / USUAL_IMAGES) : weight
}

/** Work of workers, with a weight like that of fields: by what is asked for, and the sizes of the database. */
type Work = (argument: (name: string) => unknown, sizes: Sizes) => number

const WORK: Readonly<Record<string, Work>> = {
  // Swapping one image takes 20 ns; resampling a word's image, with its replicates, 100 µs.
  'Dataset.comparisons': (argument, { systemsPerDataset, imagesPerDataset }) => {
    const sides = 1 + Math.min(lengthGivenBy(argument('systems')) ?? systemsPerDataset, MAX_SIDES - 1)
    const pairs = argument('baseline') == null ? (sides * (sides - 1)) / 2 : sides
    const metrics = lengthGivenBy(argument('metrics')) ?? 0
    const words = lengthGivenBy(argument('words')) ?? 0
    const swaps = metrics * pairs * Number(argument('resampleCount'))
    return imagesPerDataset * (swaps / 1000 + 5 * words * sides)
  },
  // Ranking one judgement of a resample takes 160 ns.
  'JudgementSet.metaEvaluation': (argument, { judgements, metrics }) =>
    ((lengthGivenBy(argument('metrics')) ?? metrics) * Number(argument('resampleCount')) * judgements) / 125,
}

/** The work that a field gives to workers; undefined for fields that are computed by the server. */
export function workOf(coordinate: string): Work | undefined {
  return WORK[coordinate]
}

/** Lengths of lists that the database decides, by the field or by the type of the entries. */
const KNOWN: Readonly<Record<string, (sizes: Sizes) => number>> = {
  DatasetConnection: ({ datasets }) => datasets,
  System: ({ systemsPerDataset }) => systemsPerDataset,
  SystemConnection: ({ systemsPerDataset }) => systemsPerDataset,
  'Image.systemCaptions': ({ systemsPerDataset }) => systemsPerDataset,
  SystemDescriptionConnection: ({ systemsPerDataset }) => systemsPerDataset,
  SystemSelectionConnection: ({ systemsPerDataset }) => systemsPerDataset,
  LeaderboardRowConnection: ({ systemsPerDataset }) => systemsPerDataset + 1,
  'Word.systemResults': ({ systemsPerDataset }) => systemsPerDataset,
  Comparison: ({ systemsPerDataset }) => Math.min(systemsPerDataset + 1, MAX_SIDES) ** 2 / 2,
  Caption: ({ captionsPerImage }) => captionsPerImage,
  AgreementFold: ({ captionsPerImage }) => captionsPerImage,
  MetricConnection: ({ metrics }) => metrics,
  MetricScore: ({ metrics }) => metrics,
  CaptionScore: ({ metrics }) => metrics,
  AgreementScore: ({ metrics }) => metrics,
  FoldScore: ({ metrics }) => metrics,
  MetricCorrelation: ({ metrics }) => (metrics * (metrics - 1)) / 2,
  // Four values take as long as a field.
  'ScoreVector.externalIds': ({ imagesPerDataset }) => imagesPerDataset / 4,
  'ScoreVector.values': ({ imagesPerDataset }) => imagesPerDataset / 4,
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
export function knownLength(
  parent: string,
  field: GraphQLField<unknown, never>,
): ((sizes: Sizes) => number) | undefined {
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

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

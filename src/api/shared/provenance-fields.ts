import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { VocabularyRecord } from '../../services/provenance/record-provenance.js'
import {
  type Provenance,
  type WordFigure,
  wordFiguresOf,
  wordProvenance,
} from '../../services/provenance/word-provenance.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { Context } from './context.js'

/** Resolvers of `signature` and `provenance`. Both are null if `find` returns null. */
export function provenanceFields<Parent, Args, Found extends Provenance | null>(
  find: (parent: Parent, args: Args, context: Context) => Promise<Found>,
): {
  signature: Field<Parent, Args, Found, string>
  provenance: Field<Parent, Args, Found, ProvenanceRecord>
} {
  return {
    signature: async (parent, args, context) =>
      ((await find(parent, args, context))?.signature ?? null) as Or<Found, string>,
    provenance: async (parent, args, context) =>
      ((await find(parent, args, context))?.record ?? null) as Or<Found, ProvenanceRecord>,
  }
}

type Or<Found, Value> = Value | Extract<Found, null>

type Field<Parent, Args, Found, Value> = (
  parent: Parent,
  args: Args,
  context: Context,
) => Promise<Or<Found, Value>>

export interface FigureArguments {
  readonly figure?: WordFigure | null
}

/** How a figure was made, the first that the subject has by default. Null for a figure that it does not have, and without k. */
export function figureProvenance(
  dataset: Dataset,
  system: System | null,
  { figure: wanted }: FigureArguments,
  subject: { readonly words: string | VocabularyRecord; readonly references: number | null },
): Provenance | null {
  const figures = wordFiguresOf(system)
  const figure = wanted ?? figures[0]
  const { words, references } = subject
  if (references === null || !figures.includes(figure)) return null
  return wordProvenance(dataset, system, { figure, words, references })
}

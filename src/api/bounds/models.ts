import type { BoundFigures } from '../../services/bounds/bound-figures.js'
import type { VoteReport } from '../../services/bounds/votes.js'
import type { AtomKind, BoundKind } from '../../shared/choices.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import type * as schema from '../shared/schema-types.js'

export type AtomVotesModel = Omit<VoteReport, 'dataset'>
export type BoundResultModel = NonNullable<Bound['outcome']>
export type BoundPointModel = BoundFigures['points'][number]
export type SemanticCapacityModel = BoundFigures['capacities'][number]

/** The name of a kind in the schema: `entity` is `ENTITY`. */
export const toAtomKindName = (kind: AtomKind) => kind.toUpperCase() as schema.AtomKind
export const toBoundKindName = (kind: BoundKind) => kind.toUpperCase() as schema.BoundKind

export const toAtomKind = (name: schema.AtomKind) => name.toLowerCase() as AtomKind
export const toBoundKind = (name: schema.BoundKind) => name.toLowerCase() as BoundKind

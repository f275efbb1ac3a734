import type { AtomKind, BoundKind } from '../../core/bounds/atoms.js'
import type * as schema from '../execution/schema-types.js'

/** The name of a kind in the schema: `entity` is `ENTITY`. */
export const toAtomKindName = (kind: AtomKind) => kind.toUpperCase() as schema.AtomKind
export const toBoundKindName = (kind: BoundKind) => kind.toUpperCase() as schema.BoundKind

/** A kind by its name in the schema. */
export const toAtomKind = (name: schema.AtomKind) => name.toLowerCase() as AtomKind
export const toBoundKind = (name: schema.BoundKind) => name.toLowerCase() as BoundKind

import type { Scope as StoredScope } from '../../store/schema/entities.js'
import type { Scope } from '../execution/schema-types.js'

export function fromScope(scope: StoredScope): Scope {
  return scope.toUpperCase() as Scope
}

export function toScope(scope: Scope): StoredScope {
  return scope.toLowerCase() as StoredScope
}

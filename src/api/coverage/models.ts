import type { UnconfirmedObject } from '../../core/objects/unconfirmed-objects.js'

/** With what it could have been confirmed. */
export interface UnconfirmedObjectModel extends UnconfirmedObject {
  readonly isAnnotated: boolean
}

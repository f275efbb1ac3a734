import type { UnconfirmedObject } from '../../core/objects/unconfirmed-objects.js'
import type { ImageCoverage } from '../../services/coverage/compute-coverage.js'

export interface ImageCoverageModel extends ImageCoverage {
  readonly datasetId: number
}

/** With what it could have been confirmed. */
export interface UnconfirmedObjectModel extends UnconfirmedObject {
  readonly isAnnotated: boolean
}

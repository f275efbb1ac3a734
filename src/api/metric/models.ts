import type { AgreementScore } from '../../store/entities.js'
import type { Connection } from '../connection.js'

/** A score of one caption. */
export interface CaptionScoreModel {
  readonly metric: string
  readonly value: number
  readonly signature: string
}

/** A score of one image in a list of such scores. */
export interface ImageScoreModel {
  readonly imageId: number
  readonly metric: string
  readonly value: number
}

export type ImageScoreConnectionModel = Connection<ImageScoreModel>

/** A leave-one-out table. */
export interface HumanAgreementModel {
  readonly references: number
  readonly rows: readonly AgreementScore[]
}

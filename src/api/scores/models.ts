/** Score of one caption. */
export interface CaptionScoreModel {
  readonly metric: string
  readonly value: number
  readonly signature: string
}

/** The layers of a feed-forward network. */
export interface NetworkShape {
  readonly inputs: number
  readonly hidden: readonly number[]
  readonly activation: 'tanh' | 'relu'
  /** Share of hidden units that are dropped at random while training. */
  readonly dropout: number
}

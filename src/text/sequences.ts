/**
 * Many token sequences in two typed arrays: sequence `i` is
 * `tokens[offsets[i]] … tokens[offsets[i + 1] - 1]`, and `offsets` has one entry more than there are
 * sequences. Tokens are numbers; {@link Corpus.texts} says what they read.
 */
export interface TokenSequences {
  readonly tokens: Int32Array
  readonly offsets: Int32Array
}

/** Captions as tokens, and the text of every token: token `t` reads `texts[t]`. */
export interface Corpus extends TokenSequences {
  readonly texts: readonly string[]
}

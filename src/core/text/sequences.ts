/**
 * Many token sequences in two typed arrays: sequence `i` is
 * `tokens[offsets[i]] … tokens[offsets[i + 1] - 1]`, and `offsets` has one entry more than there are
 * sequences. Tokens are numbers; {@link Corpus.texts} has their texts.
 */
export interface TokenSequences {
  readonly tokens: Int32Array
  readonly offsets: Int32Array
}

/** How something reads captions: as tokens, or as they are written. */
export type CaptionForm = 'tokens' | 'raw'

/** Captions as tokens. */
export interface CaptionSequences extends TokenSequences {
  /** The captions as they are written, where something reads them so. */
  readonly written?: readonly string[]
}

/** Captions as tokens, and the text of every token: `texts[t]` is that of token `t`. */
export interface Corpus extends CaptionSequences {
  readonly texts: readonly string[]
}

/** The same sequences with every token `t` replaced by `ids[t]`. */
export function renumber(sequences: TokenSequences, ids: Int32Array): TokenSequences {
  return { tokens: sequences.tokens.map((token) => ids[token]), offsets: sequences.offsets }
}

/** The sequences of several corpora one after the other, with one number for each text. */
export function joinCorpora(corpora: readonly Corpus[]): Corpus {
  const numbers = new Map<string, number>()
  const parts = corpora.map(({ texts, ...sequences }) => {
    const ids = Int32Array.from(texts, (text) => {
      const known = numbers.get(text)
      if (known === undefined) numbers.set(text, numbers.size)
      return known ?? numbers.size - 1
    })
    return renumber(sequences, ids)
  })
  return { ...concatenate(parts), texts: [...numbers.keys()] }
}

/** The tokens of one sequence, a view. */
export function sequence({ tokens, offsets }: TokenSequences, index: number): Int32Array {
  return tokens.subarray(offsets[index], offsets[index + 1])
}

/** The sequences of all parts, one after the other, as they are written too if they are in all parts. */
export function concatenate(parts: readonly CaptionSequences[]): CaptionSequences {
  const captions = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0)
  const length = parts.reduce((sum, { tokens }) => sum + tokens.length, 0)
  const joined = { tokens: new Int32Array(length), offsets: new Int32Array(captions + 1) }
  let caption = 0
  let token = 0
  for (const { tokens, offsets } of parts) {
    joined.tokens.set(tokens, token)
    for (let i = 1; i < offsets.length; i++) joined.offsets[++caption] = token + offsets[i]
    token += tokens.length
  }
  const written = parts.flatMap(({ written }) => written ?? [])
  return written.length > 0 && written.length === captions ? { ...joined, written } : joined
}

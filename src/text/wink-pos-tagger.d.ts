/** Types for the used part of the library, which has no type declarations. */
declare module 'wink-pos-tagger' {
  interface TaggedToken {
    readonly value: string
    /** A Penn Treebank tag. */
    readonly pos: string
  }

  interface PosTagger {
    /** Tags the tokens of one sentence. Returns one result per token, in order. */
    tagRawTokens(tokens: readonly string[]): TaggedToken[]
  }

  function createPosTagger(): PosTagger
  export = createPosTagger
}

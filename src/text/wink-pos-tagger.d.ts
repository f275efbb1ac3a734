/** The part of the library that is used here; it comes without types. */
declare module 'wink-pos-tagger' {
  interface TaggedToken {
    readonly value: string
    /** A Penn Treebank tag. */
    readonly pos: string
  }

  interface PosTagger {
    /** Tags the tokens of one sentence, in order, one result for each. */
    tagRawTokens(tokens: readonly string[]): TaggedToken[]
  }

  function createPosTagger(): PosTagger
  export = createPosTagger
}

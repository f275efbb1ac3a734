import type { Corpus } from '../../src/core/text/sequences.js'

/** Numbers the tokens of captions in order of appearance, from 0. */
export function toCorpus(captions: Iterable<readonly string[]>): Corpus {
  const ids = new Map<string, number>()
  const texts: string[] = []
  const tokens: number[] = []
  const offsets: number[] = [0]
  for (const caption of captions) {
    for (const text of caption) {
      let id = ids.get(text)
      if (id === undefined) {
        id = texts.length
        ids.set(text, id)
        texts.push(text)
      }
      tokens.push(id)
    }
    offsets.push(tokens.length)
  }
  return { tokens: Int32Array.from(tokens), offsets: Int32Array.from(offsets), texts }
}

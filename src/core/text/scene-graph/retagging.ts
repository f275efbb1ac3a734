import { isNoun, PARTICLES, type Token } from './chunks.js'
import { chooseReading, createDecision, type Judgement } from './decisions.js'

/** Length of the endings for which other tags were learned: "ing". */
const ENDING_LENGTH = 3

/** Tags of nouns, verbs and adjectives. */
const OPEN_CLASS = /^(?:NN|VB|JJ)/

/** Parts: tag, tag of the tagger, word, ending, the words and tags around it. */
const TAG = createDecision('tag', '01 021 031 014 015 016 017 0157 025 027 026 024 0179 0158 018 019 046')

/**
 * Corrects the tags of words that are often tagged wrongly in captions, such as nouns that can be verbs: "bear walking on
 * rock".
 *
 * @param tokenOf the token of a word with another tag
 */
export function retag(
  tokens: readonly Token[],
  judgement: Judgement,
  tokenOf: (word: string, tag: string) => Token,
): Token[] {
  const result = tokens.map((token, i) => (isPreposition(tokens, i) ? tokenOf(token.word, 'IN') : token))
  result.forEach(({ word, tag }, i) => {
    if (!OPEN_CLASS.test(tag)) return
    const tags = tagsOf(judgement, word, tag)
    if (tags.length < 2) return
    const [before, after] = [result[i - 1], result[i + 1]]
    const context = [tag, word, word.slice(-ENDING_LENGTH)]
    const around = [
      before?.word,
      before?.tag,
      after?.word,
      after?.tag,
      result[i - 2]?.tag,
      result[i + 2]?.tag,
    ]
    const chosen = chooseReading(judgement, TAG, tags, [...context, ...around.map((part) => part ?? '')])
    if (chosen !== tag) result[i] = tokenOf(word, chosen)
  })
  return result
}

/** A preposition that is tagged as a noun: "white counter underneath windows", but not "the inside of a bus". */
function isPreposition(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]
  return isNoun(tokens[i]) && PARTICLES.has(tokens[i].word) && before !== undefined && before.tag !== 'DT'
}

/** The tag of a word, and those that it has in similar captions. */
function tagsOf({ variantsOf }: Judgement, word: string, tag: string): string[] {
  const ofWord = variantsOf('tag', `${word}/${tag}`)
  const ofEnding = variantsOf('tag', `-${word.slice(-ENDING_LENGTH)}/${tag}`)
  return [...new Set([tag, ...ofWord, ...ofEnding])]
}

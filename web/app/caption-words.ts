const WORD = /([\p{L}\p{N}'’-]+)/u

/** Languages written without spaces, whose words a dictionary finds. */
const WITHOUT_SPACES: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'km', 'my'])

/** A text in pieces, of which those at odd positions are words. */
export function splitAtWords(text: string, language: string): readonly string[] {
  if (!WITHOUT_SPACES.has(language.split('-', 1)[0])) return text.split(WORD)
  const pieces = ['']
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    if (isWordLike) pieces.push(segment, '')
    else pieces[pieces.length - 1] += segment
  }
  return pieces
}

/** A text in pieces, of which those at odd positions are its tokens, as far as it has them in lower case in their order. */
export function splitAtTokens(text: string, tokens: readonly string[]): readonly string[] {
  const lower = text.toLowerCase()
  const pieces: string[] = []
  let end = 0
  for (const token of lower.length === text.length ? tokens : []) {
    const start = lower.indexOf(token.toLowerCase(), end)
    if (start < 0) continue
    pieces.push(text.slice(end, start), text.slice(start, start + token.length))
    end = start + token.length
  }
  return [...pieces, text.slice(end)]
}

/** Words of a caption, in lower case. */
export interface Marks {
  /** That another person uses. */
  readonly confirmed: ReadonlySet<string>
  /** That nobody else uses. */
  readonly alone: ReadonlySet<string>
  /** Of objects that nothing confirms. */
  readonly unconfirmed: ReadonlySet<string>
}

interface TokenizedCaption {
  readonly isHuman: boolean
  readonly tokens: readonly string[]
  /** Names of the objects that nothing confirms, in the singular. */
  readonly unconfirmed: readonly string[]
}

/**
 * What of each caption of an image others confirm, and what no other caption has.
 *
 * @param telling words that are marked where they are confirmed
 */
export function marksOf(captions: readonly TokenizedCaption[], telling: ReadonlySet<string>): Marks[] {
  const said = captions.map(({ tokens }) => new Set(tokens.map((token) => token.toLowerCase())))
  return said.map((own, index) => {
    const isSaid = (word: string, byPeople: boolean) =>
      said.some(
        (other, place) => place !== index && (!byPeople || captions[place].isHuman) && other.has(word),
      )
    const words = [...own].filter((word) => /[\p{L}\p{N}]/u.test(word))
    const objects = new Set(captions[index].unconfirmed.flatMap(formsOf))
    return {
      unconfirmed: new Set(words.filter((word) => objects.has(word))),
      confirmed: new Set(words.filter((word) => telling.has(word) && isSaid(word, true))),
      alone: new Set(words.filter((word) => !isSaid(word, false))),
    }
  })
}

/** A name in the singular, and its regular plurals. */
function formsOf(name: string): string[] {
  return [name, `${name}s`, `${name}es`, name.replace(/y$/, 'ies'), name.replace(/fe?$/, 'ves')]
}

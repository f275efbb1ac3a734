/** What is seen of the first object of a text, which may be cut off. */
export interface JsonOutline {
  /** The keys of the object, with the first character of their values, two of arrays. */
  readonly members: ReadonlyMap<string, string>
  /** Whether there is the key `sentences` in objects in an array of the object. */
  readonly hasSentences: boolean
  /** Whether another object follows. */
  readonly isFollowed: boolean
  /** Whether the object stands on one line alone; true where its end is not seen. */
  readonly isOnLine: boolean
}

/** Looks at the beginning of a JSON text, from its first bracket. */
export function outlineJson(text: string): JsonOutline {
  const members = new Map<string, string>()
  let hasSentences = false
  let depth = 0
  const tokens = /"((?:[^"\\]|\\.?)*)(?:"|$)(?:\s*:\s*(\[\s*\S?|\S))?|[[\]{}]/gs
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const [whole, name, value] = token
    if (whole === '{' || whole === '[') depth++
    else if (whole === '}' || whole === ']') depth--
    else if (value !== undefined) {
      if (depth === 1) members.set(name, value.replace(/\s/g, ''))
      hasSentences ||= depth === 3 && name === 'sentences'
      tokens.lastIndex -= value.length
    }
    if (depth === 0) {
      const rest = text.slice(tokens.lastIndex)
      const isOnLine = !text.slice(0, tokens.lastIndex).includes('\n') && /^\s*?(?:\n|$)/.test(rest)
      return { members, hasSentences, isFollowed: /^\s*\{/.test(rest), isOnLine }
    }
  }
  return { members, hasSentences, isFollowed: false, isOnLine: true }
}

/** A quoted string of Python or JSON, and what may follow it in a list: NumPy writes no commas. */
const ELEMENT = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,|(?=\])|(?=['"]))/sy

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/**
 * The captions of a list that was written as text, as pandas and the CSV files of some datasets do:
 * `['A dog.', "A dog's ball."]`.
 *
 * @returns null for any other text, which is a caption
 */
export function readListText(text: string): string[] | null {
  const list = text.trim()
  if (!/^\[\s*['"].*['"]\s*,?\s*\]$/s.test(list)) return null
  const captions: string[] = []
  ELEMENT.lastIndex = 1
  for (let place = 1; !/^\s*\]$/.test(list.slice(place)); place = ELEMENT.lastIndex) {
    const element = ELEMENT.exec(list)
    if (element === null) return null
    captions.push(unquote(element[1] ?? element[2]))
  }
  return captions
}

function unquote(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gis, (_, unicode, byte, character) =>
    character === undefined
      ? String.fromCharCode(Number.parseInt(unicode ?? byte, 16))
      : (ESCAPES[character] ?? character),
  )
}

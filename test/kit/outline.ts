/** Attributes that a reader notices: where links lead, what is chosen, and what is said of pictures. */
const ATTRIBUTES =
  /\s(href|src|value|placeholder|title|aria-label|aria-current|aria-sort|min|max|checked|selected|disabled|open|hidden)(?:="([^"]*)")?(?=[\s/>])/g

/** Elements within a line; those of a table or a list of terms are its cells. */
const CELLS = new Set(['td', 'th', 'dt', 'dd'])
const INLINE = new Set<string | undefined>([
  ...CELLS,
  'a',
  'abbr',
  'b',
  'code',
  'em',
  'i',
  'mark',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
])

/**
 * What a reader gets of a page: its texts, a line for each block, each row of a table and each list of terms, and the attributes that matter, in
 * brackets. A picture is its description and the number of its marks: pictures have snapshots of their own.
 */
export function outline(html: string): string {
  const lines: string[] = ['']
  const text = html.replace(/<svg\b([^>]*)>(.*?)<\/svg>/gs, (_svg, attributes: string, content: string) => {
    const marks = (content.match(/<(path|circle|rect|line|use)\b/g) ?? []).length
    return `<figure${attributes}></figure><p>${marks} marks</p>`
  })
  for (const [, tag, attributes = '', words] of text.matchAll(/<\/?([\w-]+)([^>]*)>|([^<]+)/g)) {
    if (words !== undefined) {
      lines.push(lines.pop() + words)
      continue
    }
    if (!INLINE.has(tag)) lines.push('')
    else if (CELLS.has(tag)) lines.push(`${lines.pop()} | `)
    for (const [, name, value] of attributes.matchAll(ATTRIBUTES))
      lines.push(`${lines.pop()}[${name}${value ? ` ${value}` : ''}]`)
  }
  const tidy = lines.map((line) =>
    line
      .replace(/(\| +)+/g, '| ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return `${tidy.filter((line) => line !== '' && line !== '|').join('\n')}\n`
}

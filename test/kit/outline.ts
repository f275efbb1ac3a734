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
  'u',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'wbr',
])

/**
 * What a reader gets of a page: its texts, a line for each block, each row of a table and each list of terms, and the attributes that matter, in
 * brackets. A picture is its description, its kinds of marks and its texts: pictures have snapshots of their own.
 */
export function outline(html: string): string {
  const lines: string[] = ['']
  const text = html.replace(/<svg\b([^>]*)>(.*?)<\/svg>/gs, (_svg, attributes: string, content: string) => {
    const texts = [...content.matchAll(/<text\b[^>]*>(.*?)<\/text>/gs)].map(([, inner]) => inner)
    return `<figure${attributes}></figure><p>${countMarks(content)}</p><p>${texts.join(' · ')}</p>`
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

/** How many marks there are of each element and class. */
function countMarks(svg: string): string {
  const counts = new Map<string, number>()
  for (const [, tag, attributes] of svg.matchAll(/<(path|circle|rect|line|use)\b([^>]*)/g)) {
    const kind = [tag, ...(/\bclass="([^"]*)"/.exec(attributes)?.[1].split(/\s+/) ?? [])].join('.')
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
}

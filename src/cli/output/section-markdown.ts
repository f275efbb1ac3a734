import { escapeMarkdown, toMarkdown } from '../../shared/tables.js'
import { printable } from './formats.js'
import {
  type BibliographyEntry,
  type Block,
  type Inline,
  numberFloats,
  type Section,
  toBibtex,
} from './section.js'

/** The section in the Markdown of GitHub, with the references and their BibTeX at the end. */
export function sectionToMarkdown({ title, version, blocks, bibliography }: Section): string {
  const numbers = numberFloats(blocks)
  const body = blocks.map((block) => blockToMarkdown(block, numbers, bibliography))
  const references = bibliography.map((entry, index) => `${index + 1}. ${referenceOf(entry)}\n`)
  return `## ${textOf(title)}

${body.join('\n')}
### References

${references.join('')}
<details><summary>BibTeX</summary>

\`\`\`bibtex
${toBibtex(bibliography)}\`\`\`

</details>

Written by Accord ${version}.
`
}

const textOf = (text: string) => escapeMarkdown(printable(text))

function blockToMarkdown(
  block: Block,
  numbers: ReadonlyMap<string, string>,
  bibliography: readonly BibliographyEntry[],
): string {
  switch (block.kind) {
    case 'paragraph':
      return `${block.text.map((part) => inlineToMarkdown(part, numbers, bibliography)).join('')}\n`
    case 'signatures':
      return `Signatures:\n\n\`\`\`text\n${block.signatures.map((text) => `${printable(text)}\n`).join('')}\`\`\`\n`
    case 'table':
      return `${captionOf(block, numbers)}\n${toMarkdown(block.table)}`
    case 'coverage':
      return `![${textOf(block.caption)}](${encodeURI(block.picture)})\n\n${captionOf(block, numbers)}`
    case 'examples':
      return `${block.examples
        .map(({ imageId, picture, captions }) => {
          const image =
            picture === null ? `Image ${textOf(imageId)}` : `![${textOf(imageId)}](${encodeURI(picture)})`
          const lines = captions.map(({ by, text }) => `- **${textOf(by)}**: ${textOf(text)}\n`)
          return `${image}\n\n${lines.join('')}`
        })
        .join('\n')}\n${captionOf(block, numbers)}`
  }
}

function captionOf(
  { label, caption }: { readonly label: string; readonly caption: string },
  numbers: ReadonlyMap<string, string>,
): string {
  return `**${numbers.get(label)}.** ${textOf(caption)}\n`
}

function inlineToMarkdown(
  part: Inline,
  numbers: ReadonlyMap<string, string>,
  bibliography: readonly BibliographyEntry[],
): string {
  if (typeof part === 'string') return textOf(part)
  if ('label' in part) return String(numbers.get(part.label))
  const places = part.cite.map((key) => bibliography.findIndex((entry) => entry.key === key) + 1)
  return ` \\[${places.join(', ')}\\]`
}

/** An entry as a sentence. */
function referenceOf({ author, title, booktitle, journal, pages, year }: BibliographyEntry): string {
  const people = author.split(' and ').map((name) => name.split(', ').reverse().join(' '))
  const where = [booktitle ?? journal, ...(pages ? [pages.replace('--', '–')] : []), year].join(', ')
  return textOf(`${people.join(', ')}. ${title}. ${where}.`.replaceAll(/[{}]/g, ''))
}

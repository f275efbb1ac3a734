import type { TaggerModel } from '../../core/text/tagger.js'
import type { Feature } from '../../core/text/tagger-features.js'
import { decodeTextIndex, encodeTextIndex, type TextIndexRow } from '../io/text-index.js'

const KIND = 0x54414731

/** The text of the row with the rows of all tags. Tags are upper-case, and texts of features have a tab. */
const TAGS = 'tags'

/**
 * Encodes the text that scripts/train-tagger.js writes: a line with the tags, followed by a line per feature with its
 * template, its value and pairs of `index:weight`, separated by tabs. Features with other characters than ASCII are
 * left out: they are typographic quotation marks and dashes, which the tokenizer replaces.
 */
export function encodeTaggerModel(text: string): Uint8Array {
  const [head, ...lines] = text.trimEnd().split('\n')
  const tags = head.split(' ')
  const rows: TextIndexRow[] = tags.map((tag) => [tag, []])
  rows.push([TAGS, tags.map((_, row) => row)])
  for (const line of lines) {
    const [template, value, weights = ''] = line.split('\t')
    const feature = textOf([template, value])
    if (/^\p{ASCII}*$/u.test(feature)) rows.push([feature, weights.split(/[ :]/).map(Number)])
  }
  return encodeTextIndex(KIND, 1, rows)
}

/** Returns the model of an encoded file, null if the bytes are not one. */
export function decodeTaggerModel(bytes: Uint8Array): TaggerModel | null {
  const index = decodeTextIndex(bytes, KIND)
  if (!index) return null
  return {
    tags: Array.from(index.valuesOf(index.find(TAGS), 0), index.textOf),
    weightsOf(feature) {
      const row = index.findJoined(feature, '\t')
      return row < 0 ? undefined : index.valuesOf(row, 0)
    },
  }
}

function textOf([template, value]: Feature): string {
  return `${template}\t${value}`
}

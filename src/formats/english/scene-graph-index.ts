import type { SceneGraphModel } from '../../core/text/scene-graph/decisions.js'
import { decodeTextIndex, encodeTextIndex, type TextIndexRow } from '../io/text-index.js'

const KIND = 0x53434732

/** Starts the rows of names that have variants, and those of the variants. */
const NAME = '='
const VARIANT = '"'

/**
 * Encodes the text that scripts/train-scene-graphs.js writes: a line per feature with its weight, and a line per name,
 * which starts with "=" and its kind, with its variants; separated by tabs. Those with other characters than ASCII are
 * left out.
 */
export function encodeSceneGraphModel(text: string): Uint8Array {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => /^\p{ASCII}*$/u.test(line))
    .map((line) => line.split('\t'))
  const rowOf = new Map<string, number>()
  for (const [name, ...variants] of lines)
    if (name.startsWith(NAME))
      for (const variant of variants) if (!rowOf.has(variant)) rowOf.set(variant, rowOf.size)
  const variantRows = [...rowOf.keys()].map((variant): TextIndexRow => [`${VARIANT}${variant}`, []])
  const rows = lines.map(([name, ...values]): TextIndexRow => {
    const numbers = values.map((value) => (name.startsWith(NAME) ? rowOf.get(value)! : Number(value)))
    return [name, numbers]
  })
  return encodeTextIndex(KIND, 1, [...variantRows, ...rows])
}

/** Returns the model of an encoded file, null if the bytes are not one. */
export function decodeSceneGraphModel(bytes: Uint8Array): SceneGraphModel | null {
  const index = decodeTextIndex(bytes, KIND)
  if (!index) return null
  return {
    weightOf(feature) {
      const row = index.findJoined(feature, ' ')
      return row < 0 ? 0 : index.valuesOf(row, 0)[0]
    },
    variantsOf(kind, name) {
      const row = index.findJoined([`${NAME}${kind}`, name], ' ')
      if (row < 0) return []
      return Array.from(index.valuesOf(row, 0), (variant) => index.textOf(variant).slice(VARIANT.length))
    },
  }
}

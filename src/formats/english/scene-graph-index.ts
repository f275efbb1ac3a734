import type { FeatureWeights } from '../../core/text/scene-graph/decisions.js'
import { decodeTextIndex, encodeTextIndex, type TextIndexRow } from '../io/text-index.js'

const KIND = 0x53434731

/**
 * Encodes the text that scripts/train-scene-graphs.js writes: a line per feature with its weight, separated by a tab.
 * Features with other characters than ASCII are left out.
 */
export function encodeSceneGraphModel(text: string): Uint8Array {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line): TextIndexRow => {
      const tab = line.lastIndexOf('\t')
      return [line.slice(0, tab), [Number(line.slice(tab + 1))]]
    })
  return encodeTextIndex(
    KIND,
    1,
    rows.filter(([feature]) => /^\p{ASCII}*$/u.test(feature)),
  )
}

/** Returns the weights of an encoded file, null if the bytes are not one. */
export function decodeSceneGraphModel(bytes: Uint8Array): FeatureWeights | null {
  const index = decodeTextIndex(bytes, KIND)
  if (!index) return null
  return (feature) => {
    const row = index.findJoined(feature, ' ')
    return row < 0 ? 0 : index.valuesOf(row, 0)[0]
  }
}

import { createInterface } from 'node:readline'
import { spiceResources } from '../../compute/resources.js'
import { captionGraphs, matchTuples, mergeTuples, type Tuple } from '../../core/metrics/spice/tuples.js'
import type { SceneGraph } from '../../core/text/scene-graph/decisions.js'
import { tokenize } from '../../core/text/tokenizer.js'
import { AccordError } from '../../errors.js'
import { readLines } from '../../formats/io/lines.js'

export interface ParsedCaption extends SceneGraph {
  readonly caption: string
}

/** A tuple of a candidate. */
export interface MatchedTuple {
  readonly tuple: Tuple
  /** The tuple of the references that SPICE matches with it; undefined if there is none. */
  readonly match: Tuple | undefined
}

/** How files in COCO's formats and lines of JSON begin, and no caption does. */
const JSON_BEGINNING = /^\ufeff?\s*(\[\s*([[{"]|$)|\{\s*("|$))/

/**
 * Parses each line of a file that is not blank.
 *
 * @param file `-` for the standard input
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for bytes that are not UTF-8; INVALID_SHAPE for JSON
 */
export async function* parseCaptions(file: string): AsyncGenerator<ParsedCaption> {
  let isFirst = true
  for await (const text of file === '-' ? standardInput() : linesOf(file)) {
    const caption = text.endsWith('\r') ? text.slice(0, -1) : text
    if (isFirst && JSON_BEGINNING.test(caption)) {
      throw new AccordError('INVALID_SHAPE', 'this is no caption', {
        source: file,
        place: 'line 1',
        expected: 'a caption on each line',
        found: 'JSON',
      })
    }
    isFirst = false
    yield { caption, ...sceneGraphOf(tokenize(caption)) }
  }
}

function* linesOf(file: string): Generator<string> {
  for (const { text } of readLines(file)) yield text
}

async function* standardInput(): AsyncGenerator<string> {
  for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') yield line
}

/** The scene graph of a caption. @param words its tokens */
export function sceneGraphOf(words: readonly string[]): SceneGraph {
  return spiceResources().parse(words)
}

/** The tuples of a candidate, with those of the references that SPICE matches with them. */
export function matchCaption(
  candidate: readonly string[],
  references: readonly (readonly string[])[],
): MatchedTuple[] {
  const { names, tuplesOf } = captionGraphs(spiceResources())
  const tuples = tuplesOf(candidate)
  const merged = mergeTuples(references.map(tuplesOf), names)
  const matches = matchTuples(tuples, merged, names)
  return tuples.map((tuple, i) => ({ tuple, match: merged[matches[i]] }))
}

import { countImages, type FamilyDescription, type Metric, type ReferenceLists } from './metric.js'

/** How captions become tokens, as signatures name it. */
export const TOKENIZER = 'ptb-3.4.1'

/** How scores were made, as far as the metric itself does not say it. */
export interface ScoringContext {
  /** The reference captions of every image; absent for a signature of the metric alone. */
  readonly references?: ReferenceLists
  /** Tokenizer and its version: `ptb-3.4.1`. */
  readonly tokenizer: string
  /** Name of the set whose captions document frequencies were counted in; the references' own when absent. */
  readonly documents?: string
  /** Version of Accord. */
  readonly version: string
}

/**
 * How a score was made, in one line: the metric, its parameters, where document frequencies come from (where
 * the metric uses them), the number of references per image, tokenizer and version. Two scores compare only
 * where their signatures agree. A name with `|`, `:` or blanks in it is percent-encoded.
 *
 *     CIDEr-D|n:4|sigma:6|df:own|refs:5-7|tok:ptb-3.4.1|version:0.1.0
 */
export function signature(
  { needs }: Pick<FamilyDescription, 'needs'>,
  metric: Metric,
  context: ScoringContext,
): string {
  const fields = Object.entries(metric.parameters)
  if (needs.documentFrequencies) {
    fields.push([
      'df',
      context.documents === undefined ? 'own' : `of-${encodeURIComponent(context.documents)}`,
    ])
  }
  if (context.references) fields.push(['refs', referenceRange(context.references)])
  fields.push(['tok', context.tokenizer], ['version', context.version])
  return [metric.name, ...fields.map(([name, value]) => `${name}:${value}`)].join('|')
}

/** The number of references per image: `5`, or `5-7` where it varies. */
export function referenceRange(lists: ReferenceLists): string {
  const images = countImages(lists)
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let image = 0; image < images; image++) {
    const references = lists.referenceOffsets[image + 1] - lists.referenceOffsets[image]
    least = Math.min(least, references)
    most = Math.max(most, references)
  }
  if (images === 0) return '0'
  return least === most ? String(least) : `${least}-${most}`
}

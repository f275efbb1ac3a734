/**
 * SPICE: Anderson, Fernando, Johnson, Gould 2016. SPIDEr: Liu, Zhu, Ye, Guadarrama, Murphy 2017.
 *
 *     tuples of a caption: (object), (object, attribute), (subject, relation, object) of its scene graph
 *     C = tuples of the candidate, R = tuples of all references, M = pairs of C and R that match
 *     SPICE = 2 |M| / (|C| + |R|), 0 without tuples
 *     SPIDEr = (SPICE + CIDEr-D) / 2
 *
 * Tuples match where each of their names is equal or shares a WordNet synset. In a caption and in the references of an
 * image, tuples that match are one tuple, and so are those that a chain of such tuples connects. Each tuple is matched
 * with at most one, as many as possible: scores do not depend on the order of tuples or references. SPICE-object,
 * SPICE-color and so on are the same with the tuples of a kind; they are undefined (NaN) for an image whose references
 * have none, whatever the candidate has. Corpus: mean over the images where the score is defined. Range 0 to 1, of SPIDEr
 * 0 to 5.5.
 *
 * The reference implementation parses with Stanford CoreNLP. The parser here is text/scene-graph.ts, which reads tokens:
 * scores differ from the published ones, and signatures have `parser:accord-N`.
 */
import type { Corpus } from '../text/sequences.js'
import { cider } from './cider.js'
import {
  type ComputeLimits,
  type FamilyDefinition,
  type FamilyDescription,
  type MeasureProgress,
  type Metric,
  type MetricDescription,
  type MetricFamily,
  meanOfImageScores,
  measureImages,
  stepProgress,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { countImages } from './reference-lists.js'
import type { SpiceResources } from './resources.js'
import {
  type CaptionGraphs,
  captionGraphs,
  createCorpusGraphs,
  matchTuples,
  mergeTuples,
  type Tuple,
  type TupleKind,
} from './spice/tuples.js'

/** The kinds that have a metric of their own, in the order of the metrics. */
const KINDS: readonly TupleKind[] = ['object', 'attribute', 'relation', 'color', 'count', 'size']

/** Columns: per metric the score, 0 where it is undefined; per metric 1 where it is defined. */
const METRIC_COUNT = KINDS.length + 1
const WIDTH = 2 * METRIC_COUNT

/** Positions of the metrics that count a tuple: SPICE, and those of its kinds. Colors, counts and sizes are attributes. */
const METRICS_OF_KIND: Readonly<Record<TupleKind, readonly number[]>> = {
  object: [0, 1],
  attribute: [0, 2],
  relation: [0, 3],
  color: [0, 2, 4],
  count: [0, 2, 5],
  size: [0, 2, 6],
}

const CITATION =
  'Anderson, Fernando, Johnson, Gould 2016: SPICE: Semantic Propositional Image Caption Evaluation'
const MEANING =
  'Tuples match if their lemmas are equal or share a WordNet synset; in the references they are one tuple. The corpus score is the mean over images. Scene ' +
  'graphs are those of the parser of Accord, so that scores differ from those of the reference implementation.'

const common = { lowest: 0, highest: 1, higherIsBetter: true, citation: CITATION, revision: 2 }

const description: FamilyDescription = {
  name: 'SPICE',
  layoutRevision: 1,
  width: WIDTH,
  isDefault: false,
  needs: { ...TOKENS_ONLY, english: true, resources: ['spice'] },
  metrics: [
    {
      ...common,
      name: 'SPICE',
      description:
        'F1 of the tuples in the scene graphs of the candidate and of all references: objects, attributes of objects, and ' +
        `relations between objects. ${MEANING}`,
    },
    ...KINDS.map(
      (kind): MetricDescription => ({
        ...common,
        name: `SPICE-${kind}`,
        revision: 3,
        description:
          `F1 of the tuples of SPICE that are ${kind}s. Images whose references have no such tuple have no score, ` +
          `whatever the candidate has. ${MEANING}`,
      }),
    ),
  ],
}

const spiderDescription: FamilyDescription = {
  name: 'SPIDEr',
  layoutRevision: 2,
  // The score, and the row of CIDEr.
  width: 1 + cider.width,
  isDefault: false,
  needs: { ...TOKENS_ONLY, english: true, resources: ['spice'], documentFrequencies: true, ngrams: true },
  metrics: [
    {
      ...common,
      name: 'SPIDEr',
      description:
        'Mean of SPICE and CIDEr-D: SPICE judges what a caption says, CIDEr-D how it says it. CIDEr-D has the scale 0 to 10 ' +
        'and decides most of the score.',
      highest: 5.5,
      citation:
        'Liu, Zhu, Ye, Guadarrama, Murphy 2017: Improved Image Captioning via Policy Gradient optimization of SPIDEr',
    },
  ],
}

export const spice: FamilyDefinition = {
  ...description,
  create: (resourceOf) => createSpice(resourceOf('spice')) as MetricFamily,
}

export const spider: FamilyDefinition = {
  ...spiderDescription,
  create: (resourceOf) => createSpider(resourceOf('spice')) as MetricFamily,
}

interface Prepared {
  readonly tuplesOf: (caption: number) => readonly Tuple[]
}

export function createSpice(resources: SpiceResources): MetricFamily<Prepared> {
  const graphs = captionGraphs(resources)
  return {
    ...description,
    metrics: withParameters(description, parametersOf(resources)),
    prepare: (corpus) => ({ tuplesOf: createCorpusGraphs(graphs, corpus) }),

    measure(prepared, trial, progress) {
      const statistics = new Float64Array(countImages(trial) * WIDTH)
      measureTuples(graphs, prepared, trial, progress, (image, { matched, total, wanted }) => {
        for (let metric = 0; metric < METRIC_COUNT; metric++) {
          const isDefined = metric === 0 || wanted[metric] > 0
          statistics[image * WIDTH + metric] = scoreOf(matched[metric], total[metric])
          statistics[image * WIDTH + METRIC_COUNT + metric] = isDefined ? 1 : 0
        }
      })
      return statistics
    },

    /** Of SPICE alone, as those of its kinds are undefined for most images. */
    createLimits: (prepared, { candidates, metric }) =>
      metric === 0 ? createTupleLimits(graphs, prepared, candidates) : null,

    imageScores: scoreRow,
    corpusScores: { from: 'sums', score: (sums, _images, scores) => scoreRow(sums, 0, scores) },
  }
}

export function createSpider(resources: SpiceResources): MetricFamily<{ spice: Prepared; cider: unknown }> {
  const graphs = captionGraphs(resources)
  const columns = cider.metrics.map(({ name }) => name)
  const ciderD = columns.indexOf('CIDEr-D')
  return {
    ...spiderDescription,
    metrics: withParameters(spiderDescription, {
      ...cider.metrics[ciderD].parameters,
      ...parametersOf(resources),
    }),
    prepare: (corpus: Corpus) => ({
      spice: { tuplesOf: createCorpusGraphs(graphs, corpus) },
      cider: cider.prepare(corpus),
    }),

    measure(prepared, trial, progress) {
      const similarities = cider.measure(prepared.cider as never, trial, stepProgress(progress, 0, 2))
      const { width } = spiderDescription
      const statistics = new Float64Array(countImages(trial) * width)
      measureTuples(
        graphs,
        prepared.spice,
        trial,
        stepProgress(progress, 1, 2),
        (image, { matched, total }) => {
          const row = similarities.subarray(image * cider.width, (image + 1) * cider.width)
          statistics[image * width] = (scoreOf(matched[0], total[0]) + row[ciderD]) / 2
          statistics.set(row, image * width + 1)
        },
      )
      return statistics
    },

    createLimits(prepared, input) {
      const tupleLimits = createTupleLimits(graphs, prepared.spice, input.candidates)
      const ciderLimits = cider.createLimits?.(prepared.cider as never, { ...input, metric: ciderD })
      if (!ciderLimits) return null
      return (references) => {
        const similarities = ciderLimits(references)
        return tupleLimits(references).map((limit, index) => (limit + similarities[index]) / 2)
      }
    },

    ...meanOfImageScores,
    warnings: (trial, sums) => cider.warnings?.(trial, sums.subarray(1)) ?? [],
  }
}

function parametersOf({ parserName, wordNet }: SpiceResources): Metric['parameters'] {
  return { parser: parserName, synonyms: wordNet.name }
}

function withParameters({ metrics }: FamilyDescription, parameters: Metric['parameters']): Metric[] {
  return metrics.map((metric) => ({ ...metric, parameters }))
}

/** Numbers of tuples of an image, per metric. The arrays are overwritten for the next image. */
interface TupleCounts {
  readonly matched: Int32Array
  /** Of the candidate and the references together. */
  readonly total: Int32Array
  /** Of the references. */
  readonly wanted: Int32Array
}

function measureTuples(
  graphs: CaptionGraphs,
  { tuplesOf }: Prepared,
  { candidates, references, referenceOffsets }: Trial,
  progress: MeasureProgress | undefined,
  add: (image: number, counts: TupleCounts) => void,
): void {
  const counts: TupleCounts = {
    matched: new Int32Array(METRIC_COUNT),
    total: new Int32Array(METRIC_COUNT),
    wanted: new Int32Array(METRIC_COUNT),
  }
  measureImages(candidates.length, progress, (start, end) => {
    for (let image = start; image < end; image++) {
      const captions = references.subarray(referenceOffsets[image], referenceOffsets[image + 1])
      const reference = mergeTuples(Array.from(captions, tuplesOf), graphs.names)
      const candidate = tuplesOf(candidates[image])
      const matches = matchTuples(candidate, reference, graphs.names)
      counts.matched.fill(0)
      counts.wanted.fill(0)
      for (const { kind } of reference) countTuple(counts.wanted, kind)
      counts.total.set(counts.wanted)
      candidate.forEach(({ kind }, i) => {
        countTuple(counts.total, kind)
        if (matches[i] >= 0) countTuple(counts.matched, kind)
      })
      add(image, counts)
    }
  })
}

/** Limits by the tuples whose names each have a counterpart in the references, equal or a synonym, in any tuple. */
function createTupleLimits(
  { names }: CaptionGraphs,
  { tuplesOf }: Prepared,
  candidates: Int32Array,
): ComputeLimits {
  const limits = new Float64Array(candidates.length)
  return (references) => {
    const reference = mergeTuples(Array.from(references, tuplesOf), names)
    const wanted = [...new Set(reference.flatMap(({ synonyms }) => synonyms.flat()))]
    const found = new Map<number, boolean>()
    const hasCounterpart = (id: number) => {
      let has = found.get(id)
      if (has === undefined) {
        has = wanted.some((other) => names.isSame(id, other))
        found.set(id, has)
      }
      return has
    }
    for (let c = 0; c < candidates.length; c++) {
      const candidate = tuplesOf(candidates[c])
      let matched = 0
      for (const { synonyms } of candidate) if (synonyms.some((ids) => ids.every(hasCounterpart))) matched++
      limits[c] = scoreOf(Math.min(matched, reference.length), candidate.length + reference.length)
    }
    return limits
  }
}

function countTuple(counts: Int32Array, kind: TupleKind): void {
  for (const metric of METRICS_OF_KIND[kind]) counts[metric]++
}

/** F1 of `matched` pairs among `total` tuples of both sides. */
function scoreOf(matched: number, total: number): number {
  return total === 0 ? 0 : (2 * matched) / total
}

/** Sums of scores, divided by the numbers of images where they are defined. */
function scoreRow(statistics: Float64Array, offset: number, scores: Float64Array): void {
  for (let metric = 0; metric < METRIC_COUNT; metric++) {
    scores[metric] = statistics[offset + metric] / statistics[offset + METRIC_COUNT + metric]
  }
}

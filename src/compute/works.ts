/**
 * The work that is divided between threads. A run is a number of tasks over one input. Any thread can do any task, and
 * the outputs do not depend on the thread. The input is shared between threads.
 */
import {
  createWordReplicator,
  type ReplicatedFigures,
  replicateWord,
  type SubjectOnWord,
} from '../core/agreement/word-replicates.js'
import { searchCaptions } from '../core/bounds/beam.js'
import { type Bags, type Examples, selectRange } from '../core/bounds/engine/examples.js'
import { computeLogProbabilities } from '../core/bounds/engine/language-model.js'
import { computePartGradient, type StepOptions, updateRange } from '../core/bounds/engine/training.js'
import { prepareRetrieval, type RetrievalInput } from '../core/bounds/retrieval.js'
import { type Contest, contestsOf, judgeContest, testContest } from '../core/judgements/contest.js'
import type { Judgements } from '../core/judgements/judgement.js'
import { judgeRaters, judgeScores } from '../core/judgements/meta-evaluation.js'
import type { TestedFigure } from '../core/judgements/metric-tests.js'
import { countPart } from '../core/metrics/document-frequencies.js'
import {
  type MeasureProgress,
  type MetricFamily,
  sliceTrials,
  stepProgress,
  type Trial,
} from '../core/metrics/metric.js'
import type { ReferenceLists } from '../core/metrics/reference-lists.js'
import type { MetricRegistry } from '../core/metrics/registry.js'
import type { ImageGroups } from '../core/stats/jackknife.js'
import type { Corpus, TokenSequences } from '../core/text/sequences.js'
import { tokenizeCorpus } from '../core/text/token-numbers.js'
import type { Tokenization } from '../core/text/tokenization.js'
import { createContentHash } from './content-hash.js'
import { openModel, type SharedModel } from './shared-model.js'

/** How a thread starts to take part in a run of each kind: from the input, a function that does one task. */
const WORKS = {
  /** The only task tokenizes all captions. */
  tokenize:
    ({ captions, tokenization }: TokenizeInput) =>
    () =>
      tokenizeCorpus(captions, tokenization),

  /** The only task hashes the JSON of all records. */
  hash:
    ({ records }: { readonly records: readonly (readonly string[])[] }) =>
    () => {
      const content = createContentHash()
      for (const record of records) content.add(JSON.stringify(record))
      return content.parts()
    },

  /** Task t counts part t of tables of document frequencies. */
  count:
    ({ words, lists, parts, partial }: CountInput) =>
    (part: number, progress: MeasureProgress) => {
      progress(0)
      const counted = countPart(words, lists, { part, parts, partial })
      progress(1)
      return counted
    },

  /** Task t writes the rows of the images starts[t] … starts[t + 1] − 1. */
  measure({ corpus, trials, families: names, starts, statistics }: MeasureInput, registry: MetricRegistry) {
    const families = names.map((name) => registry.family(name))
    return (task: number, progress: MeasureProgress) => {
      // The captions of all images are measured where they are, unless many belong to no trial.
      const slice =
        starts.length === 2 && usesMost(trials[0], corpus)
          ? { corpus, trials }
          : sliceTrials(corpus, trials, starts[task], starts[task + 1])
      const measured = measureShard(families, slice.corpus, slice.trials, progress)
      measured.forEach((rowsOfTrials, family) => {
        rowsOfTrials.forEach((rows, trial) => {
          statistics[family][trial].set(rows, starts[task] * families[family].width)
        })
      })
      return null
    }
  },

  /** Task t computes the gradient of part t of a mini-batch, and returns its loss. */
  modelGradient({
    shared,
    batch,
    options,
  }: ModelInput & { readonly batch: Examples; readonly options: StepOptions }) {
    const { model } = openModel(shared)
    return (part: number) => computePartGradient(model, batch, shared.specification.batch, part, options)
  },

  /** Task t updates range t of the parameters. */
  modelUpdate({ shared, parts, decay }: ModelInput & { readonly parts: number; readonly decay: number }) {
    const { model } = openModel(shared)
    return (range: number) => {
      updateRange(model, range, parts, decay)
      return null
    }
  },

  /** Task t computes log-probabilities of the words of `size` captions from `first` + t · `size`. */
  modelScores({ shared, examples, first, size }: PartInput & { readonly examples: Examples }) {
    const { model } = openModel(shared)
    return (task: number) => {
      const start = first + task * size
      const end = Math.min(start + size, examples.wordOffsets.length - 1)
      return computeLogProbabilities(model, model.layout.arenas[task], selectRange(examples, start, end))
    }
  },

  /** Task t searches the captions of `size` bags of atoms from `first` + t · `size`. */
  modelSearch({
    shared,
    bags,
    first,
    size,
    width,
  }: PartInput & { readonly bags: Bags; readonly width: number }) {
    const { model } = openModel(shared)
    // The end of a caption is one of its words.
    const maxLength = shared.specification.maxLength - 1
    return (task: number) => {
      const start = first + task * size
      const end = Math.min(start + size, bags.atomOffsets.length - 1)
      const part = { atoms: bags.atoms, atomOffsets: bags.atomOffsets.subarray(start, end + 1) }
      return searchCaptions(model, model.layout.arenas[task], part, { width, maxLength })
    }
  },

  /** Task t scores the best candidate of image t. */
  retrieve(input: RetrievalInput, registry: MetricRegistry) {
    const score = prepareRetrieval(input, registry)
    return (image: number, progress: MeasureProgress) => {
      progress(0)
      const best = score(image)
      progress(1)
      return best
    }
  },

  /** Task t computes the replicates of word t. */
  replicateWords({ groups, captionsPerImage, references, words, ...figures }: ReplicateInput) {
    const replicator = createWordReplicator(groups, captionsPerImage, references)
    return (task: number, progress: MeasureProgress) => {
      progress(0)
      const replicates = replicateWord(replicator, words[task], figures)
      progress(1)
      return replicates
    }
  },

  /** Task t judges the scores of metric t by human judgements. After the metrics: the others, without contests. */
  judge({ judgements, scores, others, ...options }: JudgeInput) {
    const contests = judgements.kind === 'RATINGS' ? contestsOf(judgements) : null
    const agreeOnAll = contests && judgeContest(contests.all, options)
    const agreeOnMachines = contests?.withoutPeople && judgeContest(contests.withoutPeople, options)
    return (task: number, onProgress: MeasureProgress) => {
      const own = task < scores.length ? scores[task] : others[task - scores.length]
      const judged = judgeScores(judgements, own, { ...options, onProgress })
      if (agreeOnAll === null || task >= scores.length) return { ...judged, contests: null }
      const withoutPeople = agreeOnMachines ? agreeOnMachines(own) : null
      return { ...judged, contests: { all: agreeOnAll(own), withoutPeople } }
    }
  },

  /** One task: the raters as metrics. */
  judgeRaters({ judgements, ...options }: Omit<JudgeInput, 'scores' | 'others'>) {
    return (_task: number, onProgress: MeasureProgress) =>
      judgements.kind === 'RATINGS' ? judgeRaters(judgements, { ...options, onProgress }) : null
  },

  /** Task t tests the two metrics of test t: the p-value. */
  testMetrics({ contests, scores, tests, ...options }: MetricTestInput) {
    return (task: number, onProgress: MeasureProgress) => {
      const { contest, figure, first, second } = tests[task]
      const pValue = testContest(contests[contest], figure, [scores[first], scores[second]], options)
      onProgress(1)
      return pValue
    }
  },
}

interface ReplicateInput extends ReplicatedFigures {
  readonly groups: ImageGroups
  /** K. */
  readonly captionsPerImage: number
  /** k. */
  readonly references: number
  readonly words: readonly SubjectOnWord[]
}

interface MetricTestInput {
  readonly contests: readonly Contest[]
  /** Of each metric, higher for better. */
  readonly scores: readonly Float64Array[]
  /** Positions of the contest and of the two metrics. */
  readonly tests: readonly {
    readonly contest: number
    readonly figure: TestedFigure
    readonly first: number
    readonly second: number
  }[]
  readonly seed: number
  readonly resamples: number
}

interface TokenizeInput {
  readonly captions: readonly string[]
  readonly tokenization: Tokenization
}

interface CountInput {
  readonly words: TokenSequences
  readonly lists: readonly ReferenceLists[]
  readonly parts: number
  readonly partial: boolean
}

interface MeasureInput {
  readonly corpus: Corpus
  readonly trials: readonly Trial[]
  /** Names of families. */
  readonly families: readonly string[]
  readonly starts: Int32Array
  /** For each family and trial, the rows of all images. */
  readonly statistics: readonly (readonly Float64Array[])[]
}

interface ModelInput {
  readonly shared: SharedModel
}

interface PartInput extends ModelInput {
  readonly first: number
  readonly size: number
}

interface JudgeInput {
  readonly judgements: Judgements
  readonly scores: readonly Float64Array[]
  readonly others: readonly Float64Array[]
  readonly seed: number
  readonly resamples: number
}

/** Input of a run and output of its tasks, by kind of work. */
export type Works = {
  [Kind in WorkKind]: {
    readonly input: Parameters<(typeof WORKS)[Kind]>[0]
    readonly output: ReturnType<ReturnType<(typeof WORKS)[Kind]>>
  }
}

export type WorkKind = keyof typeof WORKS

/** Does one task of a run. */
export type PerformTask<Kind extends WorkKind> = (
  task: number,
  progress: MeasureProgress,
) => Works[Kind]['output']

export const works: {
  readonly [Kind in WorkKind]: (input: Works[Kind]['input'], registry: MetricRegistry) => PerformTask<Kind>
} = WORKS

/** Whether a trial uses most captions of its corpus. */
function usesMost({ candidates, references }: Trial, { offsets }: Corpus): boolean {
  return candidates.length + references.length > (offsets.length - 1) / 2
}

/**
 * Rows of statistics of some images, for each family and trial. They equal the rows from measuring all images at once
 * if every trial has the document frequencies of all images.
 *
 * @param corpus contains the captions of the trials
 * @param trials if they have no document frequencies, these are counted in the references of these images only
 */
export function measureShard(
  families: readonly MetricFamily[],
  corpus: Corpus,
  trials: readonly Trial[],
  progress?: MeasureProgress,
): Float64Array[][] {
  return families.map((family, index) => {
    const familyProgress = stepProgress(progress, index, families.length)
    const prepared = family.prepare(corpus)
    return trials.map((trial, step) =>
      family.measure(prepared, trial, stepProgress(familyProgress, step, trials.length)),
    )
  })
}

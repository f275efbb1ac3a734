import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import * as judgement from '../../core/judgements/judgement.js'
import { captionForm, type Metric, scoreImages, type Trial } from '../../core/metrics/metric.js'
import { type ReferenceLists, rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice } from '../../core/metrics/registry.js'
import { type CaptionForm, type Corpus, concatenate, type TokenSequences } from '../../core/text/sequences.js'
import type { Progress } from '../../progress.js'
import type { Database, Session } from '../../store/engine/session.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../../store/images.js'
import * as store from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { JudgedCaption, JudgementSet } from '../../store/schema/judgement-tables.js'
import { readTokenTexts, type TokenLists } from '../../store/tokens.js'
import { externalMetricsOf } from '../evaluations/external-scores.js'
import { listReferences } from '../evaluations/reference-lists.js'
import { isCurrent, recordDocuments, recordScore } from '../provenance/record-provenance.js'
import { groupBy } from '../shared/groups.js'
import { tokenizationOf } from '../shared/tokens.js'

export interface ScoredCaptions extends store.JudgedScores {
  readonly metric: Metric
  /** The scores, negated where lower ones are better. */
  readonly ordered: Float64Array
}

/**
 * The scores of every judged caption as an image of its own, against the human captions of its image: those that are stored
 * and would be made in the same way, and those that are computed now, and stored unless the database is read-only. In the
 * order of the choice.
 */
export async function scoreJudgedCaptions(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  { families, includes }: MetricChoice,
  progress: Progress,
): Promise<ScoredCaptions[]> {
  const { registry } = threads
  const metrics = families.flatMap((family) => family.metrics.filter(includes))
  const names = metrics.map(({ name }) => name)
  const scored = new Map<string, store.JudgedScores>()
  for (const stored of await store.readJudgedScores(database, set.id, names)) {
    const { record } = stored
    const isOfSet = record.dataset === dataset.revision && record.subject.content === set.content
    if (isOfSet && isCurrent(registry, record)) scored.set(record.metric, stored)
  }
  const missing = names.filter((name) => !scored.has(name))
  if (missing.length > 0) {
    const wanted = registry.choose(missing, 'metrics', tokenizationOf(dataset))
    const given = await readGiven(database, set, externalMetricsOf(registry, wanted.families))
    const computed = await computeJudgedScores(database, threads, dataset, set, wanted, progress, given)
    if (!database.isReadOnly) await store.saveJudgedScores(database, set.id, computed)
    for (const one of computed) scored.set(one.record.metric, one)
  }
  return metrics.map((metric) => {
    const { record, scores } = scored.get(metric.name) as store.JudgedScores
    return { metric, record, scores, ordered: metric.higherIsBetter ? scores : scores.map((score) => -score) }
  })
}

/** How judged captions are among the references of their images. */
export interface OwnReferences {
  /** Judged captions whose tokens are those of one of the references that metrics read. */
  readonly captionCount: number
  /** Whether metrics read the references without the captions of a preference, see `referencesOfPairs`. */
  readonly areLeftOut: boolean
}

/** Compares the tokens of judged captions with those of the human captions of their images. */
export async function findOwnReferences(
  session: Session,
  { id }: Dataset,
  set: JudgementSet,
): Promise<OwnReferences> {
  const own = ownReferences(
    await store.readJudgedTokens(session, set.id),
    await readReferenceCaptions(session, id),
  )
  if (set.kind === 'PREFERENCES' && referencesOfPairs(own) !== null)
    return { captionCount: 0, areLeftOut: true }
  return { captionCount: own.filter(({ places }) => places.length > 0).length, areLeftOut: false }
}

/** The references of a judged caption's image. */
interface JudgedReferences {
  /** Range of their places among all human captions. */
  readonly first: number
  readonly end: number
  /** Places of those whose tokens are those of the judged caption. */
  readonly places: readonly number[]
}

function ownReferences(judged: TokenLists, references: ReferenceCaptions): JudgedReferences[] {
  const keyOf = ({ tokens, offsets }: TokenSequences, caption: number) =>
    tokens.subarray(offsets[caption], offsets[caption + 1]).join(' ')
  const placeOf = new Map(Array.from(references.imageIds, (imageId, place) => [imageId, place]))
  const keysOfImages = new Map<number, readonly string[]>()
  return Array.from(judged.imageIds, (imageId, caption) => {
    const place = placeOf.get(imageId) as number
    const [first, end] = [references.firstCaption[place], references.firstCaption[place + 1]]
    const keys =
      keysOfImages.get(imageId) ??
      Array.from({ length: end - first }, (_, index) => keyOf(references.sequences, first + index))
    keysOfImages.set(imageId, keys)
    const own = keyOf(judged.sequences, caption)
    return { first, end, places: keys.flatMap((key, index) => (key === own ? [first + index] : [])) }
  })
}

/**
 * The references of both captions of each preference, without those captions, where one caption of every preference is a caption of
 * its dataset, as in FOIL (Shekhar et al. 2017): every metric would prefer it. Null for other judgements.
 */
function referencesOfPairs(own: readonly JudgedReferences[]): readonly (readonly number[])[] | null {
  const lists: number[][] = []
  for (let position = 0; position < own.length; position += 2) {
    const [{ first, end, places }, { places: others }] = [own[position], own[position + 1]]
    const left = new Set([...places, ...others])
    if (left.size === 0 || left.size === end - first) return null
    const list = Array.from({ length: end - first }, (_, index) => first + index)
    lists.push(list.filter((place) => !left.has(place)))
  }
  return lists
}

/** The stored scores by other programs, by metric. */
async function readGiven(
  session: Session,
  set: JudgementSet,
  metrics: readonly string[],
): Promise<Record<string, Float64Array>> {
  const stored = metrics.length > 0 ? await store.readJudgedScores(session, set.id, metrics) : []
  return Object.fromEntries(stored.map(({ record, scores }) => [record.metric, scores]))
}

/**
 * Computes the scores of all judged captions. The two captions of preferences are in two corpora: in each, document frequencies
 * count one image per preference. The captions of each system are a corpus as well, in which document frequencies count each
 * image once.
 *
 * @param given scores by other programs, by metric
 */
export async function computeJudgedScores(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  choice: MetricChoice,
  progress: Progress,
  given: Readonly<Record<string, Float64Array>>,
): Promise<store.JudgedScores[]> {
  progress(0, 'reading captions')
  const {
    corpus,
    trials: read,
    positions,
  } = await readJudgedTrials(session, dataset, set, captionForm(choice.families))
  const trials = read.map((trial, index): Trial => {
    const own = Object.entries(given).map(([metric, scores]) => [
      metric,
      Float64Array.from(positions[index], (position) => scores[position]),
    ])
    return { ...trial, external: Object.fromEntries(own) }
  })
  const { statistics } = await measureTrials(threads, corpus, trials, choice.families, (share, stage) =>
    progress(share, stage),
  )
  const { revision, language, tokenizer } = dataset
  const images = { count: set.captionCount, of: set.captionCount, hash: null }
  const documents = { ...images, count: Math.max(...positions.map(({ length }) => length)) }
  const context = {
    dataset: revision,
    subject: { kind: 'judgements', content: set.content },
    references: { count: null, ...rangeOfReferences(trials[0]), folds: null },
    images,
    language,
    tokenizer,
    documentFrequencies: recordDocuments(`${revision} ${set.content}`, documents, 'own'),
  } as const
  return choice.families.flatMap((family, index) => {
    const columns = statistics[index].map((rows) => scoreImages(family, rows))
    return family.metrics.flatMap((metric, column): store.JudgedScores[] => {
      if (!choice.includes(metric)) return []
      const scores = new Float64Array(set.captionCount)
      for (const [trial, ofTrial] of columns.entries()) {
        for (const [place, position] of positions[trial].entries()) scores[position] = ofTrial[column][place]
      }
      return [{ record: recordScore(threads.registry, family, metric, context), scores }]
    })
  })
}

/** Reads the judged captions of each system as a trial; without systems those of ratings as one, those of preferences as two. */
async function readJudgedTrials(
  session: Session,
  { id }: Dataset,
  set: JudgementSet,
  form: CaptionForm,
): Promise<{
  readonly corpus: Corpus
  readonly trials: readonly Trial[]
  /** Per trial, the positions of its captions among all. */
  readonly positions: readonly (readonly number[])[]
}> {
  const judged = await store.readJudgedTokens(session, set.id, form)
  const captions = await readReferenceCaptions(session, id, undefined, form)
  const placeOfImage = new Map(Array.from(captions.imageIds, (imageId, image) => [imageId, image]))
  const captionCount = captions.sequences.offsets.length - 1
  const pairs = set.kind === 'PREFERENCES' ? referencesOfPairs(ownReferences(judged, captions)) : null
  const positions = trialsOfCaptions(await store.readJudgedCaptions(session, set.id), set.kind)
  return {
    corpus: { ...concatenate([captions.sequences, judged.sequences]), texts: await readTokenTexts(session) },
    positions,
    trials: positions.map((own) => {
      const lists = pairs
        ? toReferenceLists(own.map((position) => pairs[Math.floor(position / 2)]))
        : listReferences(
            captions,
            own.map((position) => placeOfImage.get(judged.imageIds[position]) as number),
          )
      return { ...lists, candidates: Int32Array.from(own, (position) => captionCount + position) }
    }),
  }
}

function toReferenceLists(lists: readonly (readonly number[])[]): ReferenceLists {
  const referenceOffsets = new Int32Array(lists.length + 1)
  for (const [index, { length }] of lists.entries())
    referenceOffsets[index + 1] = referenceOffsets[index] + length
  return { references: Int32Array.from(lists.flat()), referenceOffsets }
}

/** The positions of the captions of each trial. The two captions of a preference follow each other. */
function trialsOfCaptions(captions: readonly JudgedCaption[], kind: JudgementSet['kind']): number[][] {
  const keyOf = ({ system }: JudgedCaption, position: number) =>
    kind === 'PREFERENCES' ? position % 2 : system
  const all = captions.map((caption, position) => ({ key: keyOf(caption, position), position }))
  return Array.from(groupBy(all, ({ key }) => key).values(), (group) => group.map(({ position }) => position))
}

/** The judgements of a set, captions numbered in the order of the source. */
export async function readJudgements(
  session: Session,
  { id, kind }: JudgementSet,
  captions: readonly JudgedCaption[],
): Promise<judgement.Judgements> {
  const images = judgement.imagesOf(captions)
  if (kind === 'RATINGS') {
    const ratings = captions.map((caption) => caption.ratings)
    return judgement.ratingsOf(ratings, images, judgement.systemsOf(captions))
  }
  const positions = new Map(captions.map((caption, position) => [caption.id, position]))
  const rows = await store.readPreferences(session, id)
  return judgement.preferencesOf(
    rows.map(({ firstId, secondId, preferred, category }) => ({
      first: positions.get(firstId) as number,
      second: positions.get(secondId) as number,
      preferred: preferred as judgement.Preference['preferred'],
      category,
    })),
    images,
    judgement.systemsOf(captions),
  )
}

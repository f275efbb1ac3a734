import { imagesOf, type Judgements, ratingsOf } from '../../core/judgements/judgement.js'
import { judgeScores } from '../../core/judgements/meta-evaluation.js'
import { correlate } from '../../core/stats/correlation.js'
import type { TokenSequences } from '../../core/text/sequences.js'
import { AccordError, quote } from '../../errors.js'
import { findImages, readCountedImageIds, readReferenceCaptions } from '../../store/images.js'
import { findJudgementSets, readJudgedCaptions } from '../../store/judgements.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listUsualSystems, readSystemSequences, readSystemWords } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import { readVocabularyWords } from '../datasets/vocabulary.js'
import { isNamed } from '../evaluations/metric-names.js'
import { scoresBySystem } from '../evaluations/scores.js'
import { readJudgements, type ScoredCaptions, scoreJudgedCaptions } from '../judgements/judged-scores.js'
import type { Accord } from '../shared/accord.js'
import { tokenizationOf } from '../shared/tokens.js'
import { agreementOnWord } from '../words/word-figures.js'
import { placeWords } from '../words/word-places.js'

/** Figures that are verified together: a first line with their values and definition, then what they are computed from. */
interface Section {
  /** `metrics/SYSTEM`, `words`, `phr/SYSTEM` or `judgements`. */
  readonly name: string
  /** @param only the metric or the word of one figure; default: all */
  lines(only?: string): AsyncGenerator<object>
}

/**
 * What the stored figures of a dataset are computed from, as lines of JSON, so that an independent program can compute
 * them again: `docs/verify.py` does. Scores of metrics against all captions, precision and recall of words, PHR, and
 * correlations with ratings or accuracies on preferences. A line before all of them lists the figures that are left out.
 *
 * @param figure id of a figure: the name of a section, a slash, and a metric or a word; or the name of a section. Default: all
 * @throws AccordError OUT_OF_RANGE for unknown figures
 */
export async function* exportForVerification(
  accord: Accord,
  dataset: Dataset,
  figure?: string,
): AsyncGenerator<string> {
  const sections = await listSections(accord, dataset)
  if (sections.length === 0) throw unknownFigure('a dataset with figures', figure)
  if (figure === undefined) yield `${JSON.stringify({ leftOut: LEFT_OUT })}\n`
  for (const { name, lines } of figure === undefined ? sections : [findSection(sections, figure)]) {
    const only = figure === undefined || figure === name ? undefined : figure.slice(name.length + 1)
    for await (const line of lines(only)) yield `${JSON.stringify(line)}\n`
  }
}

/** Figures that commands show, and that are in no section. */
const LEFT_OUT = [
  'intervals and p-values',
  'comparisons, ranks and clusters',
  'scores of single images, scores against some of the references, and scores of people',
  'average precision, precision and recall of words by systems, and means over words',
  'usage models',
  'content selection',
  'agreement on systems and on captions of the same image, agreement of raters, and strengths of systems',
  'bounds',
  'reports on collected captions',
]

/** The section of a figure: the longest name that fits, since names of systems may have slashes. */
function findSection(sections: readonly Section[], figure: string): Section {
  const [found] = sections
    .filter(({ name }) => figure === name || figure.startsWith(`${name}/`))
    .sort((one, other) => other.name.length - one.name.length)
  if (found) return found
  const names = sections.map(({ name }) => name).join(', ')
  throw unknownFigure(`one of ${names}, or one of them with /METRIC or /WORD`, figure)
}

function unknownFigure(expected: string, found: string | undefined): AccordError {
  return new AccordError('OUT_OF_RANGE', 'no such figures', {
    source: 'figure',
    expected,
    found: found === undefined ? 'none' : quote(found),
  })
}

/** One of some figures, or all. @throws AccordError OUT_OF_RANGE where there is no such one */
function pick<Figure>(
  figures: readonly Figure[],
  only: string | undefined,
  isNamed: (figure: Figure, name: string) => boolean,
): readonly Figure[] {
  if (only === undefined) return figures
  const picked = figures.filter((figure) => isNamed(figure, only))
  if (picked.length > 0) return picked
  throw unknownFigure('a metric or a word with a stored figure', only)
}

async function listSections(accord: Accord, dataset: Dataset): Promise<Section[]> {
  const systems = await listUsualSystems(accord.database, [dataset.id])
  const [judged] = await findJudgementSets(accord.database, [dataset.id])
  const words = await readVocabularyWords(accord.database, dataset)
  const ofKind = (kind: System['kind']) => systems.filter((system) => system.kind === kind)
  return [
    ...ofKind('CAPTIONS').map((system) => ({
      name: `metrics/${system.name}`,
      lines: (only?: string) => metricLines(accord, dataset, system, only),
    })),
    ...(words.length > 0 && dataset.captionsPerImage > 1
      ? [
          { name: 'words', lines: (only?: string) => wordLines(accord, dataset, only) },
          ...ofKind('WORD_SCORES').map((system) => ({
            name: `phr/${system.name}`,
            lines: (only?: string) => phrLines(accord, dataset, system, only),
          })),
        ]
      : []),
    ...(judged
      ? [{ name: 'judgements', lines: (only?: string) => judgementLines(accord, dataset, only) }]
      : []),
  ]
}

/** Images that are named together. */
const IMAGES_PER_READ = 1000

/** The captions of a system beside all human captions, as tokens, in the order of the images. */
async function* metricLines(
  accord: Accord,
  dataset: Dataset,
  system: System,
  only?: string,
): AsyncGenerator<object> {
  const { database } = accord
  const stored = (await scoresBySystem(accord, [system.id])).get(system.id) ?? []
  const scores = pick(stored, only, ({ metric }, name) => isNamed(metric, name))
  yield {
    section: `metrics/${system.name}`,
    definition:
      'Corpus scores of captions (tokens) against all references of their images. BLEU: Papineni et al. 2002 with the constants' +
      ' 1e-15 and 1e-9, closest reference length; ROUGE-L: Lin 2004, beta 1.2, mean over images; CIDEr and CIDEr-D: Vedantam' +
      ' et al. 2015, document frequencies in the references of these images where the signature says df:own.',
    figures: scores.map(({ metric, value, signature }) => ({ metric, value, signature })),
  }
  const texts = await readTokenTexts(database)
  const references = await readReferenceCaptions(database, dataset.id)
  const placeOf = new Map(Array.from(references.imageIds, (id, place) => [id, place]))
  const { imageIds, sequences } = await readSystemSequences(database, system.id)
  for (let start = 0; start < imageIds.length; start += IMAGES_PER_READ) {
    const ids = imageIds.slice(start, start + IMAGES_PER_READ)
    const names = new Map(
      (await findImages(database, [...ids])).map(({ id, externalId }) => [id, externalId]),
    )
    for (const [index, id] of ids.entries()) {
      const place = placeOf.get(id) as number
      const [first, end] = [references.firstCaption[place], references.firstCaption[place + 1]]
      if (first === end) continue
      yield {
        image: names.get(id),
        candidate: tokensOf(sequences, start + index, texts),
        references: Array.from({ length: end - first }, (_, caption) =>
          tokensOf(references.sequences, first + caption, texts),
        ),
      }
    }
  }
}

function tokensOf({ tokens, offsets }: TokenSequences, caption: number, texts: readonly string[]): string[] {
  return Array.from(tokens.subarray(offsets[caption], offsets[caption + 1]), (token) => texts[token])
}

function isWord({ text }: Word, name: string): boolean {
  return text === name
}

/** In how many images 0, 1 … K captions contain each word of the vocabulary. */
async function* wordLines(accord: Accord, dataset: Dataset, only?: string): AsyncGenerator<object> {
  const references = dataset.captionsPerImage - 1
  const words = pick(await readVocabularyWords(accord.database, dataset), only, isWord)
  yield {
    section: 'words',
    definition:
      'Human precision and recall: each of K captions in turn is held out and k of the others, in all choices, are its' +
      ' references; histogram[c] images have c captions with the word (Chen et al. 2015, section 4.2).',
    references,
  }
  for (const word of words) {
    const { precision, recall } = agreementOnWord(word, references)
    yield { word: word.text, histogram: [...word.histogram], precision, recall }
  }
}

/** Per word the scored images with how many captions contain it, and a histogram of the images without a score. */
async function* phrLines(
  accord: Accord,
  dataset: Dataset,
  system: System,
  only?: string,
): AsyncGenerator<object> {
  const { database } = accord
  const words = pick(await readVocabularyWords(database, dataset), only, isWord)
  const references = dataset.captionsPerImage - 1
  yield {
    section: `phr/${system.name}`,
    definition:
      'Precision at the first threshold of the scores with at least human recall; images of equal scores are one threshold,' +
      ' images without a score come last; scored has [score, captions with the word], unscored a histogram of these counts.',
    references,
  }
  const results = await readSystemWords(database, [system.id], references)
  const values = new Map(
    results.map(({ wordId, precisionAtHumanRecall }) => [wordId, precisionAtHumanRecall]),
  )
  const imageIds = await readCountedImageIds(database, dataset.id)
  for await (const { word, images, scores } of placeWords(database, system, words, imageIds)) {
    const counts = new Int32Array(imageIds.length)
    for (let use = 0; use < images.images.length; use++) counts[images.images[use]] = images.counts[use]
    const unscored = [...word.histogram]
    const scored = Array.from(scores?.scores ?? [], (score, index) => {
      const count = counts[scores?.images[index] as number]
      unscored[count]--
      return [score, count]
    })
    yield { word: word.text, scored, unscored, value: values.get(word.id) ?? null }
  }
}

/** Scores of judged captions by the metrics of an evaluation. */
async function* judgementLines(accord: Accord, dataset: Dataset, only?: string): AsyncGenerator<object> {
  const { database } = accord
  const threads = await accord.threads()
  const [set] = await findJudgementSets(database, [dataset.id])
  const captions = await readJudgedCaptions(database, set.id)
  const choice = threads.registry.choose(
    only === undefined ? undefined : [only],
    'figure',
    tokenizationOf(dataset),
  )
  const scored = await scoreJudgedCaptions(database, threads, dataset, set, choice, () => {})
  if (set.kind === 'PREFERENCES') {
    yield* preferenceLines(await readJudgements(database, set, captions), scored)
    return
  }
  const rated = ratingsOf(
    captions.map(({ ratings }) => ratings),
    imagesOf(captions),
    null,
  )
  yield {
    section: 'judgements',
    definition:
      'Kendall’s tau-b and tau-c of all pairs of a caption’s score and one of its ratings: (P − Q) / √((n0 − n1)(n0 − n2)) and' +
      ' 2 (P − Q) / (n² (m − 1) / m), m the smaller number of distinct values; Spearman’s and Pearson’s correlation of these pairs.',
    figures: scored.map(({ metric, ordered }) => {
      const { tauB, tauC, spearman, pearson } = correlate({ ...rated, scores: ordered })
      return { metric: metric.name, tauB, tauC, spearman, pearson }
    }),
  }
  for (const [index, { ratings }] of captions.entries()) {
    yield {
      scores: Object.fromEntries(scored.map(({ metric, ordered }) => [metric.name, ordered[index]])),
      ratings: ratings.map(({ value }) => value),
    }
  }
}

/** Per preference, the scores of the preferred caption and of the other one; ties are left out. */
function* preferenceLines(judgements: Judgements, scored: readonly ScoredCaptions[]): Generator<object> {
  if (judgements.kind !== 'PREFERENCES') return
  const { preferred, other, categories, categoryNames } = judgements
  yield {
    section: 'judgements',
    definition:
      'Accuracy: the share of preferences in which the preferred caption has the higher score, a tie of the metric counting one' +
      ' half, by category, and the mean of the categories; scores has those of the preferred caption and of the other one.',
    figures: scored.map(({ metric, ordered }) => {
      const { figures } = judgeScores(judgements, ordered, { seed: 1, resamples: 1 })
      const { accuracy, mean } = figures.kind === 'PREFERENCES' ? figures : { accuracy: {}, mean: null }
      return { metric: metric.name, accuracy, mean }
    }),
  }
  for (const [pair, caption] of preferred.entries()) {
    yield {
      scores: Object.fromEntries(
        scored.map(({ metric, ordered }) => [metric.name, [ordered[caption], ordered[other[pair]]]]),
      ),
      category: categoryNames[categories[pair]],
    }
  }
}

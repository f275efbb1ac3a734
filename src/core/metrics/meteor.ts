/**
 * METEOR 1.5 for English: Denkowski and Lavie 2014; COCO Captions (Chen et al. 2015), section 3.5.
 *
 *     P = Σ weight(module) · w(matched word) / Σ w(word), over the candidate's words; R likewise, over the reference's
 *     w(word) = 1 − δ for function words, δ for others
 *     F = 1 / ((1 − α)/P + α/R)          penalty = γ · (chunks / matched words)^β
 *     METEOR = F · (1 − penalty)         α = 0.85, β = 0.2, γ = 0.6, δ = 0.75
 *
 * `matched words` is the mean of both sides. A pair whose words all match in one chunk counts as 0 chunks, for the image
 * and in the sum of the corpus: a corpus of copies of references has a score of 1. An image takes the statistics of
 * the reference with the best score (ties: the first); a corpus sums them and combines the sums. No match, or an empty
 * caption: 0. Range 0 to 1. Other languages have parameters of their own, see meteor/parameters.ts. The alignment is the program's, not an exact optimum: see meteor/aligner.ts.
 */
import { stem } from 'porter2'
import { functionWords } from '../text/language-words.js'
import type { Corpus } from '../text/sequences.js'
import { BEAM } from './meteor/alignment-paths.js'
import { type Aligner, createAligner } from './meteor/alignment-search.js'
import { createBounds, createCounterparts, type Limits, type MatchWeights } from './meteor/bounds.js'
import { normalizeCorpus } from './meteor/normalize.js'
import { ENGLISH_PARAMETERS, type MeteorParameters, parametersOfLanguage } from './meteor/parameters.js'
import { findPhrases } from './meteor/paraphrases.js'
import { type AlignableCorpus, MODULES } from './meteor/proposals.js'
import { synsetsOfWord, wordsOfSameStem, wordsOfSameSynset } from './meteor/relations.js'
import {
  type ComputeLimits,
  type FamilyDefinition,
  type FamilyDescription,
  type Metric,
  type MetricFamily,
  measureImages,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { countImages } from './reference-lists.js'
import type { MeteorResources, ResourceName, Stemmers } from './resources.js'

/** Weights of words in units of {@link MeteorParameters}: whole numbers. */
interface Weights {
  readonly content: number
  readonly functional: number
  /** Of a match, by module. */
  readonly contentMatch: readonly number[]
  readonly functionMatch: readonly number[]
}

function weightsOf({ delta, moduleWeights, unit }: MeteorParameters): Weights {
  return {
    content: Math.round(unit * delta),
    functional: Math.round(unit * (1 - delta)),
    contentMatch: moduleWeights.map((weight) => Math.round(unit * delta * weight)),
    functionMatch: moduleWeights.map((weight) => Math.round(unit * (1 - delta) * weight)),
  }
}

/** Columns of the statistics; the first four in units of a word. */
const CANDIDATE_MATCHES = 0
const CANDIDATE_LENGTH = 1
const REFERENCE_MATCHES = 2
const REFERENCE_LENGTH = 3
/** Of candidate and reference together. */
const MATCHED_WORDS = 4
/** 0 where all words match in one chunk. */
const CHUNKS = 5
const WIDTH = 6

interface Prepared extends AlignableCorpus {
  /** Per word of the captions 1 for function words. */
  readonly isFunctionWord: Uint8Array
  /** Per caption, its length in units of a word. */
  readonly weightedLengths: Int32Array
  readonly weights: Weights
  readonly parameters: MeteorParameters
}

const description: FamilyDescription = {
  name: 'METEOR',
  layoutRevision: 2,
  width: WIDTH,
  needs: { ...TOKENS_ONLY, resources: ['meteor'] },
  metrics: [
    {
      name: 'METEOR',
      description:
        'Weighted harmonic mean of unigram precision and recall after an alignment of words that are equal, have ' +
        'the same stem or share a WordNet synset (and of paraphrases, where a paraphrase table is given), times ' +
        'a penalty for matches that are not contiguous. The best reference counts; the corpus score combines ' +
        'summed statistics, to which an image that matches completely adds no chunk. As METEOR 1.5 with its ' +
        'option -norm; without a paraphrase table the score differs from that of METEOR 1.5 with one.',
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Denkowski and Lavie 2014: Meteor Universal: Language Specific Translation Evaluation for Any Target ' +
        'Language; COCO Captions 2015, section 3.5',
      revision: 2,
    },
  ],
}

export const meteor: FamilyDefinition = {
  ...description,
  create: (resourceOf) => createMeteor(resourceOf('meteor')) as MetricFamily,
  inLanguage(language, { stemmers }) {
    if (language === 'en') {
      const english = { ...description, name: `${description.name} en` }
      return {
        ...english,
        create: (resourceOf) => createMeteor(resourceOf('meteor'), english, { language }) as MetricFamily,
      }
    }
    const resources: readonly ResourceName[] = stemmers.read().name(language) === null ? [] : ['stemmers']
    const described = {
      ...description,
      name: `${description.name} ${language}`,
      needs: { ...description.needs, resources },
    }
    return {
      ...described,
      create: (resourceOf) => createOther(described, language, resourceOf('stemmers')) as MetricFamily,
    }
  },
}

/**
 * METEOR of English with the given data; its modules are those that the data allow.
 *
 * @param shown further parameters, of METEOR of English for captions in another language
 */
export function createMeteor(
  resources: MeteorResources,
  described = description,
  shown: Metric['parameters'] = {},
): MetricFamily<Prepared> {
  const lexicon: Lexicon = {
    stemOf: cached(stem),
    synsetsOf: cached((word) => synsetsOfWord(word, resources.wordNet)),
    ...resources,
  }
  return createFamily(described, ENGLISH_PARAMETERS, lexicon, normalizeCorpus, {
    ...englishParameters(resources),
    ...shown,
  })
}

/** METEOR of another language: words are the tokens that occur, modules exact and stem. */
function createOther(
  described: FamilyDescription,
  language: string,
  stemmers: Stemmers,
): MetricFamily<Prepared> {
  const parameters = parametersOfLanguage(language)
  const words = functionWords(language)
  const stemmer = stemmers.name(language)
  const lexicon: Lexicon = {
    stemOf: stemmer === null ? (word) => word : cached(stemmers.of(language)),
    synsetsOf: () => [],
    functionWords: words,
  }
  return createFamily(described, parameters, lexicon, compact, {
    meteor: '1.5',
    ...formulaParameters(parameters, stemmer === null ? 1 : 2),
    ...(stemmer !== null && { stemmer }),
    functionWords: words.size === 0 ? 'none' : `accord-${language}`,
  })
}

function createFamily(
  described: FamilyDescription,
  parameters: MeteorParameters,
  lexicon: Lexicon,
  toWords: (corpus: Corpus) => Corpus,
  shown: Metric['parameters'],
): MetricFamily<Prepared> {
  return {
    ...described,
    metrics: described.metrics.map((metric): Metric => ({ ...metric, parameters: shown })),
    prepare: (corpus) => prepare(toWords(corpus), parameters, lexicon),

    measure(prepared, trial, progress) {
      const images = countImages(trial)
      const statistics = new Float64Array(images * WIDTH)
      const measureImage = createImageMeasure(prepared, trial)
      measureImages(images, progress, (start, end) => {
        for (let image = start; image < end; image++) measureImage(image, statistics)
      })
      return statistics
    },

    createLimits: (prepared, { candidates }) => createScoreLimits(prepared, candidates),

    imageScores: (statistics, offset, scores) => {
      scores[0] = score(parameters, statistics, offset)
    },
    corpusScores: {
      from: 'sums',
      score(sums, _images, scores) {
        scores[0] = score(parameters, sums, 0)
      },
    },
  }
}

/** The corpus with numbers for the tokens that occur alone. */
function compact({ tokens, offsets, texts }: Corpus): Corpus {
  const numbers = new Int32Array(texts.length).fill(-1)
  const used: string[] = []
  const renumbered = tokens.map((token) => {
    if (numbers[token] < 0) numbers[token] = used.push(texts[token]) - 1
    return numbers[token]
  })
  return { tokens: renumbered, offsets, texts: used }
}

/** What relates words, cached from one corpus to the next, and other data of a language. */
interface Lexicon extends Pick<MeteorResources, 'functionWords' | 'paraphrases'> {
  readonly stemOf: (word: string) => string
  readonly synsetsOf: (word: string) => readonly number[]
}

/** The function, computed once per word. */
function cached<Value>(compute: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>()
  return (word) => {
    let value = known.get(word)
    if (value === undefined) {
      value = compute(word)
      known.set(word, value)
    }
    return value
  }
}

function prepare(
  captions: Corpus,
  parameters: MeteorParameters,
  { functionWords, paraphrases, stemOf, synsetsOf }: Lexicon,
): Prepared {
  const weights = weightsOf(parameters)
  const { texts, tokens, offsets } = captions
  const isFunctionWord = new Uint8Array(texts.length)
  for (let word = 0; word < texts.length; word++) if (functionWords.has(texts[word])) isFunctionWord[word] = 1
  const weightedLengths = new Int32Array(offsets.length - 1)
  for (let caption = 0; caption < weightedLengths.length; caption++) {
    let weight = 0
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      weight += isFunctionWord[tokens[i]] === 1 ? weights.functional : weights.content
    }
    weightedLengths[caption] = weight
  }
  return {
    captions,
    sameStem: wordsOfSameStem(texts, stemOf),
    sameSynset: wordsOfSameSynset(texts, synsetsOf),
    phrases: paraphrases && findPhrases(captions, paraphrases),
    isFunctionWord,
    weightedLengths,
    weights,
    parameters,
  }
}

/**
 * Writes the statistics of an image's best reference to its row. References are processed by
 * decreasing upper bound, and those that cannot be the best are not aligned.
 */
function createImageMeasure(prepared: Prepared, { candidates, references, referenceOffsets }: Trial) {
  const aligner = createAligner(prepared)
  const bounds = createBounds(prepared, matchWeights(prepared))
  const current = new Float64Array(WIDTH)
  /** The image's references by decreasing bound: their positions in the trial, and their bounds. */
  const order: number[] = []
  const bound: number[] = []

  return (image: number, statistics: Float64Array): void => {
    const candidate = candidates[image]
    const first = referenceOffsets[image]
    const count = referenceOffsets[image + 1] - first
    rank(candidate, first, count)
    aligner.setCandidate(candidate)
    let best = -1
    let bestPosition = -1
    for (let i = 0; i < count; i++) {
      const position = order[i]
      if (!isBetter(bound[i], position, best, bestPosition)) continue
      const reference = references[position]
      measurePair(prepared, candidate, reference, aligner, current)
      const currentScore = score(prepared.parameters, current, 0)
      if (!isBetter(currentScore, position, best, bestPosition)) continue
      best = currentScore
      bestPosition = position
      statistics.set(current, image * WIDTH)
    }
  }

  /** Sorts the references by decreasing bound; the sort is stable. */
  function rank(candidate: number, first: number, count: number): void {
    const isBounded = bounds.setCandidate(candidate)
    for (let i = 0; i < count; i++) {
      const most = isBounded ? boundOf(candidate, references[first + i]) : Number.POSITIVE_INFINITY
      let place = i
      for (; place > 0 && bound[place - 1] < most; place--) {
        bound[place] = bound[place - 1]
        order[place] = order[place - 1]
      }
      bound[place] = most
      order[place] = first + i
    }
  }

  function boundOf(candidate: number, reference: number): number {
    return boundScore(prepared, candidate, reference, bounds.limit(reference), current)
  }
}

/**
 * Upper limits of the scores of candidates: each of their words is matched where any reference has a counterpart, as one
 * chunk, with the shortest reference. Null where there are paraphrases, whose matches are not known.
 */
function createScoreLimits(prepared: Prepared, candidates: Int32Array): ComputeLimits | null {
  const { captions, weightedLengths, phrases, parameters } = prepared
  if (phrases !== undefined) return null
  const { tokens, offsets } = captions
  const counterparts = createCounterparts(prepared, matchWeights(prepared))
  const limits = new Float64Array(candidates.length)
  const row = new Float64Array(WIDTH)
  return (references) => {
    counterparts.setReferences(references)
    const { onCandidate, onReference } = counterparts
    const shortest = leastPositive(references, weightedLengths)
    const lengths = new Set(Array.from(references, (caption) => captionLength(offsets, caption)))
    for (let c = 0; c < candidates.length; c++) {
      const candidate = candidates[c]
      let matches = 0
      let candidateMatches = 0
      let referenceMatches = 0
      for (let i = offsets[candidate]; i < offsets[candidate + 1]; i++) {
        if (onCandidate[tokens[i]] === 0) continue
        matches++
        candidateMatches += onCandidate[tokens[i]]
        referenceMatches += onReference[tokens[i]]
      }
      const length = captionLength(offsets, candidate)
      row[CANDIDATE_MATCHES] = candidateMatches
      row[CANDIDATE_LENGTH] = weightedLengths[candidate]
      row[REFERENCE_MATCHES] = Math.min(referenceMatches, shortest)
      row[REFERENCE_LENGTH] = shortest
      row[MATCHED_WORDS] = 2 * matches
      // Only a reference of the same length can match completely.
      row[CHUNKS] = matches === length && lengths.has(length) ? 0 : 1
      limits[c] = score(parameters, row, 0)
    }
    return limits
  }
}

/** The length of the shortest caption that is not empty; Infinity where all are. */
function leastPositive(captions: Int32Array, lengths: Int32Array): number {
  let least = Number.POSITIVE_INFINITY
  for (const caption of captions) if (lengths[caption] > 0) least = Math.min(least, lengths[caption])
  return least
}

/** Of equal scores that of the first reference is better. */
function isBetter(value: number, position: number, best: number, bestPosition: number): boolean {
  return value > best || (value === best && position < bestPosition)
}

/**
 * The greatest score that the limits allow. It grows with the number of matches as long as these can make one
 * chunk; beyond, each may add a chunk, and every number of matches is tried.
 */
function boundScore(
  { captions, weightedLengths, parameters }: Prepared,
  candidate: number,
  reference: number,
  limits: Limits,
  row: Float64Array,
): number {
  row[CANDIDATE_LENGTH] = weightedLengths[candidate]
  row[REFERENCE_LENGTH] = weightedLengths[reference]
  const words = captionLength(captions.offsets, candidate) + captionLength(captions.offsets, reference)
  let greatest = 0
  for (let missing = 0; missing < limits.matches; missing++) {
    const matches = limits.matches - missing
    row[CANDIDATE_MATCHES] = limits.candidateWeight - missing * limits.leastCandidateWeight
    row[REFERENCE_MATCHES] = limits.referenceWeight - missing * limits.leastReferenceWeight
    row[MATCHED_WORDS] = 2 * matches
    const chunks = Math.max(1, matches - limits.links)
    row[CHUNKS] = penalizedChunks(chunks, 2 * matches, words)
    greatest = Math.max(greatest, score(parameters, row, 0))
    if (chunks === 1) break
  }
  return greatest
}

/** Weights of matches for the bounds; of the modules that are not exact, the maximum. */
function matchWeights({ isFunctionWord, weights: { contentMatch, functionMatch } }: Prepared): MatchWeights {
  const inexactContent = Math.max(...contentMatch.slice(1))
  const inexactFunctional = Math.max(...functionMatch.slice(1))
  return {
    exact: Int32Array.from(isFunctionWord, (is) => (is ? functionMatch[0] : contentMatch[0])),
    inexact: Int32Array.from(isFunctionWord, (is) => (is ? inexactFunctional : inexactContent)),
  }
}

function measurePair(
  { captions, isFunctionWord, weightedLengths, weights }: Prepared,
  candidate: number,
  reference: number,
  aligner: Aligner,
  row: Float64Array,
): void {
  const { tokens, offsets } = captions
  const chosen = aligner.align(reference)
  const { starts, lengths, referenceLengths, modules } = aligner.matches
  let candidateMatches = 0
  let referenceMatches = 0
  let matchedWords = 0
  let chunks = 0
  let candidateEnd = -1
  let referenceEnd = -1
  for (let start = offsets[reference]; start < offsets[reference + 1]; start++) {
    const match = chosen[start - offsets[reference]]
    if (match < 0) continue
    const content = weights.contentMatch[modules[match]]
    const functional = weights.functionMatch[modules[match]]
    const candidateStart = offsets[candidate] + starts[match]
    if (candidateStart !== candidateEnd || start !== referenceEnd) chunks++
    candidateEnd = candidateStart + lengths[match]
    referenceEnd = start + referenceLengths[match]
    for (let i = candidateStart; i < candidateEnd; i++)
      candidateMatches += isFunctionWord[tokens[i]] === 1 ? functional : content
    for (let i = start; i < referenceEnd; i++)
      referenceMatches += isFunctionWord[tokens[i]] === 1 ? functional : content
    matchedWords += lengths[match] + referenceLengths[match]
  }
  row[CANDIDATE_MATCHES] = candidateMatches
  row[CANDIDATE_LENGTH] = weightedLengths[candidate]
  row[REFERENCE_MATCHES] = referenceMatches
  row[REFERENCE_LENGTH] = weightedLengths[reference]
  row[MATCHED_WORDS] = matchedWords
  const words = captionLength(offsets, candidate) + captionLength(offsets, reference)
  row[CHUNKS] = penalizedChunks(chunks, matchedWords, words)
}

/** @param words of candidate and reference together */
function penalizedChunks(chunks: number, matchedWords: number, words: number): number {
  return chunks === 1 && matchedWords === words ? 0 : chunks
}

function captionLength(offsets: Int32Array, caption: number): number {
  return offsets[caption + 1] - offsets[caption]
}

function score({ alpha, beta, gamma }: MeteorParameters, row: Float64Array, offset: number): number {
  const candidateMatches = row[offset + CANDIDATE_MATCHES]
  const referenceMatches = row[offset + REFERENCE_MATCHES]
  if (candidateMatches === 0 || referenceMatches === 0) return 0
  const precision = candidateMatches / row[offset + CANDIDATE_LENGTH]
  const recall = referenceMatches / row[offset + REFERENCE_LENGTH]
  const mean = 1 / ((1 - alpha) / precision + alpha / recall)
  const fragmentation = row[offset + CHUNKS] / (row[offset + MATCHED_WORDS] / 2)
  return mean * (1 - gamma * fragmentation ** beta)
}

function englishParameters({
  functionWordsName,
  wordNet,
  paraphrases,
}: MeteorResources): Metric['parameters'] {
  return {
    meteor: '1.5',
    normalizer: '1.5',
    ...formulaParameters(ENGLISH_PARAMETERS, paraphrases === undefined ? 3 : MODULES.length),
    stemmer: 'Snowball-English',
    synonyms: wordNet.name,
    functionWords: functionWordsName,
    ...(paraphrases && { paraphrases: paraphrases.name }),
  }
}

/** @param moduleCount of the modules that are used, the first ones */
function formulaParameters(
  { alpha, beta, gamma, delta, moduleWeights }: MeteorParameters,
  moduleCount: number,
): Metric['parameters'] {
  return {
    alpha: String(alpha),
    beta: String(beta),
    gamma: String(gamma),
    delta: String(delta),
    modules: MODULES.slice(0, moduleCount).join('+'),
    weights: moduleWeights.slice(0, moduleCount).join('+'),
    beam: String(BEAM),
  }
}

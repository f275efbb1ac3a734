import { LRUCache } from 'lru-cache'
import type { Lexicon } from './lemmatizer.js'
import {
  classFeatures,
  classPairFeatures,
  type Distance,
  type Feature,
  OUTSIDE,
  previousTagFeature,
  START,
  shapeOf,
  tagAndClassFeatures,
  tagPairFeatures,
  type WordShape,
  wordFeature,
  wordFeatures,
} from './tagger-features.js'

/**
 * Returns the Penn Treebank tag of each token of a sentence. Tokens are those of the tokenizer, in lower case, with or
 * without punctuation.
 */
export type PennTagger = (sentence: readonly string[]) => string[]

/** Weights of the tagger: one integer per feature and tag, most of them 0. */
export interface TaggerModel {
  readonly tags: readonly string[]
  /** Returns pairs of a tag's index and its weight if the model has the feature. */
  weightsOf(feature: Feature): Int32Array | undefined
}

/** Maximum number of words whose weights are cached. */
const MAX_CACHED_WORDS = 50_000

/** Tokens that are punctuation, and their tags. */
// biome-ignore format: a table
const PUNCTUATION_TAGS: Readonly<Record<string, string>> = {
  '.': '.', '?': '.', '!': '.', ',': ',', ':': ':', ';': ':', '-': ':', '--': ':', '...': ':',
  '``': '``', '`': '``', "''": "''", "'": "''",
  '-lrb-': '-LRB-', '-lcb-': '-LRB-', '-rrb-': '-RRB-', '-rcb-': '-RRB-',
}

/** Tags of words that were not in the training data: those of all other classes were. */
const OPEN_CLASS = /^(?:NN|VB|JJ|RB|CD|FW|UH|SYM)/

/** Added to the score of a tag that a word cannot have; larger than any sum of weights. */
const EXCLUDED = -1_000_000

/** Weights of a word for its own tag and for those of the words at the other distances. */
type WeightsByDistance = Readonly<
  Record<'own' | 'asBefore' | 'asBefore2' | 'asAfter' | 'asAfter2', Int32Array>
>

interface CachedWord extends WeightsByDistance {
  readonly shape: WordShape
  readonly punctuation: string | undefined
  readonly classIndex: number
  /** Weights of the word and the preceding tag, by index of that tag. */
  readonly afterTag: Int32Array[]
}

/** Sums of the model's weights, one entry per tag of the model. Previous tags are given by their index. */
interface Weights {
  /** The tags that a word can follow: those of the model and of punctuation, and the start of a sentence. */
  readonly previousTags: readonly string[]
  ofWord(word: string): CachedWord
  ofWordAfterTag(word: CachedWord, previous: number): Int32Array
  ofTags(previous: number, beforePrevious: number): Int32Array
  ofClasses(previous: number, current: CachedWord, next: CachedWord): Int32Array
  readonly outside: CachedWord
}

/**
 * Creates a part-of-speech tagger for English: an averaged perceptron (Collins 2002) that tags from left to right. Its
 * features are the word, its ending, the tags that WordNet allows, the two words before and after, and the two tags
 * before (tagger-features.ts). The time is linear in the number of tokens. The result depends on the sentence alone.
 */
export function createPennTagger(model: TaggerModel, lexicon: Lexicon): PennTagger {
  const { tags } = model
  const weights = createWeights(model, lexicon)
  const { outside, previousTags } = weights
  const indexOfTag = new Map(previousTags.map((tag, index) => [tag, index]))
  const start = indexOfTag.get(START)!
  const scores = new Int32Array(tags.length)

  return (sentence) => {
    const words = sentence.map(weights.ofWord)
    let [before2, before] = [outside, outside]
    let [beforePrevious, previous] = [start, start]
    return words.map((word, position) => {
      let tag = word.punctuation
      if (tag === undefined) {
        const after = words[position + 1] ?? outside
        const { own } = word
        const { asBefore2 } = before2
        const { asBefore } = before
        const { asAfter } = after
        const { asAfter2 } = words[position + 2] ?? outside
        const afterTag = weights.ofWordAfterTag(word, previous)
        const history = weights.ofTags(previous, beforePrevious)
        const classes = weights.ofClasses(previous, word, after)
        for (let t = 0; t < scores.length; t++) {
          const ofWords = own[t] + asBefore2[t] + asBefore[t] + asAfter[t] + asAfter2[t]
          scores[t] = ofWords + afterTag[t] + history[t] + classes[t]
        }
        tag = tags[indexOfMax(scores)]
      }
      before2 = before
      before = word
      beforePrevious = previous
      previous = indexOfTag.get(tag)!
      return tag
    })
  }
}

/** Adds up the weights of features once for each word, pair of tags and combination of classes. */
function createWeights(model: TaggerModel, lexicon: Lexicon): Weights {
  const { tags } = model
  const previousTags = [...tags, ...new Set(Object.values(PUNCTUATION_TAGS)), START]
  const none = new Int32Array(tags.length)
  const closedClassExcluded = Int32Array.from(tags, (tag) => (OPEN_CLASS.test(tag) ? 0 : EXCLUDED))
  const classIndexes = new Map<string, number>()
  const classes = new Map<string, WeightsByDistance>()
  const words = new LRUCache<string, CachedWord>({
    max: MAX_CACHED_WORDS,
    memoMethod: (word) => prepare(shapeOf(word, lexicon)),
  })
  /** By index of a tag and that of the tag before it. */
  const tagPairs: Int32Array[] = []
  /** By index of the class of a word and that of the next one. */
  const classPairs: Int32Array[][] = []
  /** By index of the class of a word and of the preceding tag, and by the class of the next word. */
  const tagsAndClasses: Int32Array[][] = []

  /** Adds the weights of features to `base`, which is returned as it is if there are none. */
  function add(base: Int32Array, features: readonly Feature[]): Int32Array {
    let result = base
    for (const feature of features) {
      const weights = model.weightsOf(feature)
      if (weights === undefined) continue
      if (result === base) result = base.slice()
      for (let i = 0; i < weights.length; i += 2) result[weights[i]] += weights[i + 1]
    }
    return result
  }

  function addByDistance(
    featuresOf: (distance: Distance) => Feature[],
    base?: WeightsByDistance,
  ): WeightsByDistance {
    return {
      own: add(base?.own ?? none, featuresOf(0)),
      asBefore: add(base?.asBefore ?? none, featuresOf(-1)),
      asBefore2: add(base?.asBefore2 ?? none, featuresOf(-2)),
      asAfter: add(base?.asAfter ?? none, featuresOf(1)),
      asAfter2: add(base?.asAfter2 ?? none, featuresOf(2)),
    }
  }

  function prepare(shape: WordShape): CachedWord {
    const isKnown = model.weightsOf(wordFeature(shape)) !== undefined
    const ofClass =
      classes.get(shape.fineClass) ?? addByDistance((distance) => classFeatures(distance, shape))
    classes.set(shape.fineClass, ofClass)
    const ofWord = addByDistance((distance) => wordFeatures(distance, shape), ofClass)
    const classIndex = classIndexes.get(shape.tagClass) ?? classIndexes.size
    classIndexes.set(shape.tagClass, classIndex)
    return {
      ...ofWord,
      own: isKnown ? ofWord.own : ofWord.own.map((weight, t) => weight + closedClassExcluded[t]),
      shape,
      punctuation: Object.hasOwn(PUNCTUATION_TAGS, shape.word) ? PUNCTUATION_TAGS[shape.word] : undefined,
      classIndex,
      afterTag: [],
    }
  }

  return {
    previousTags,
    outside: prepare(OUTSIDE),
    ofWord: (word) => words.memo(word),
    ofWordAfterTag({ afterTag, shape }, previous) {
      afterTag[previous] ??= add(none, [previousTagFeature(previousTags[previous], shape)])
      return afterTag[previous]
    },
    ofTags(previous, beforePrevious) {
      const index = previous * previousTags.length + beforePrevious
      tagPairs[index] ??= add(none, tagPairFeatures(previousTags[previous], previousTags[beforePrevious]))
      return tagPairs[index]
    },
    ofClasses(previous, current, next) {
      const index = current.classIndex * previousTags.length + previous
      tagsAndClasses[index] ??= []
      const ofNext = tagsAndClasses[index]
      if (ofNext[next.classIndex] === undefined) {
        classPairs[current.classIndex] ??= []
        const pairs = classPairs[current.classIndex]
        pairs[next.classIndex] ??= add(none, classPairFeatures(current.shape, next.shape))
        const features = tagAndClassFeatures(previousTags[previous], current.shape, next.shape)
        ofNext[next.classIndex] = add(pairs[next.classIndex], features)
      }
      return ofNext[next.classIndex]
    },
  }
}

function indexOfMax(values: Int32Array): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}

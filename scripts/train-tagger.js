// Trains the part-of-speech tagger and writes its model. It is an averaged perceptron (Collins 2002), trained on
// resources/tagged-captions.txt and on files in CoNLL-U format with Penn Treebank tags, in lower case. The model in the
// repository is trained on the train and dev files of UD English EWT (https://universaldependencies.org). Everything is
// seeded: the same files give the same model.
//
//     npm run build
//     node scripts/train-tagger.js en_ewt-ud-train.conllu en_ewt-ud-dev.conllu [--output resources/english.tagger.gz]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import {
  classFeatures,
  classPairFeatures,
  OUTSIDE,
  previousTagFeature,
  START,
  shapeOf,
  tagAndClassFeatures,
  tagPairFeatures,
  wordFeatures,
} from '../dist/src/core/text/tagger-features.js'
import { readLexicon } from '../dist/src/formats/english/english.js'
import { createRandom, shuffled } from './random.js'

const EPOCHS = 8
/** Copies of each caption, because there are fewer captions than other sentences. */
const CAPTION_COPIES = 6
/** Share of visits that leave out punctuation, which the tokenizer removes from captions. */
const WITHOUT_PUNCTUATION = 0.7
/** Share of visits that hide the identity of an open-class word, so that the tags which WordNet allows get weights. */
const HIDDEN_WORDS = 0.12
/** Features of words and tags that occur less often are left out. */
const MIN_FEATURE_COUNT = 3
/** Averaged weights are multiplied by this and rounded. */
const SCALE = 8
/** Smaller weights are left out of the model. */
const MIN_WEIGHT = 3
const OPEN_CLASS = /^(?:NN|VB|JJ|RB)/
const WORD_FEATURE = /^(?:0w|tw )/
const SEED = 20150401

/** Tags of UD English EWT that the Penn Treebank does not have. */
const PENN_TAGS = { HYPH: ':', NFP: 'SYM', ADD: 'NNP', AFX: 'JJ', GW: 'NN', XX: 'FW' }
const PUNCTUATION = new Set(['.', ',', ':', '``', "''", '-LRB-', '-RRB-'])

const { values, positionals } = parseArgs({ options: { output: { type: 'string' } }, allowPositionals: true })
const resource = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const lexicon = readLexicon()
const captions = readTaggedCaptions(readFileSync(resource('resources/tagged-captions.txt'), 'utf8'))
const sentences = [
  ...positionals.flatMap((file) => readConllu(readFileSync(file, 'utf8'))),
  ...Array.from({ length: CAPTION_COPIES }, () => captions).flat(),
]
writeFileSync(
  values.output ?? resource('resources/english.tagger.gz'),
  gzipSync(train(sentences), { level: 9 }),
)

/** Parses a caption per line, as words and tags: `a/DT dog/NN`. */
function readTaggedCaptions(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) =>
    line.split(' ').map((token) => {
      const slash = token.lastIndexOf('/')
      return { word: token.slice(0, slash), tag: token.slice(slash + 1) }
    }),
  )
}

/** Parses the words and the Penn Treebank tags (column 5) of a CoNLL-U file. */
function readConllu(text) {
  const result = []
  let sentence = []
  for (const line of text.split('\n')) {
    const [id, form, , , tag] = line.split('\t')
    if (/^[0-9]+$/.test(id) && tag !== '_') sentence.push(pennToken(form.toLowerCase(), tag))
    else if (line.trim() === '' && sentence.length > 0) {
      result.push(sentence.map(withLearnable))
      sentence = []
    }
  }
  return result
}

/** UD English EWT tags the preposition "to" as IN; in the Penn Treebank every "to" is TO. */
function pennToken(word, tag) {
  return { word, tag: word === 'to' && tag === 'IN' ? 'TO' : (PENN_TAGS[tag] ?? tag) }
}

/**
 * Proper nouns are recognized by their capitals, which captions do not have: nothing is learned from names that are
 * also words of another class ("Green", "Will").
 */
function withLearnable(token) {
  const isName = token.tag === 'NNP' || token.tag === 'NNPS'
  const isSkipped = isName && ['v', 'a', 'r'].some((of) => lexicon.countOf(token.word, of) !== undefined)
  return { ...token, isSkipped }
}

/** Returns the text of the model. */
function train(sentences) {
  const tags = [...new Set(sentences.flat().map(({ tag }) => tag))]
    .filter((tag) => !PUNCTUATION.has(tag))
    .sort()
  const variants = sentences.map((sentence) => [
    withShapes(sentence),
    withShapes(withoutPunctuation(sentence)),
  ])
  const ids = countFeatures(variants.map(([complete]) => complete))
  const perceptron = createPerceptron(ids.size, tags.length)
  const random = createRandom(SEED)
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    let wrong = 0
    for (const index of shuffled(variants.length, random)) {
      const sentence = variants[index][random() < WITHOUT_PUNCTUATION ? 1 : 0]
      wrong += learn(sentence, tags, ids, perceptron, random)
    }
    console.log(`epoch ${epoch}: ${wrong} of ${sentences.flat().length} tags wrong`)
  }
  const lines = []
  for (const [feature, id] of ids) {
    const pairs = tags.flatMap((_, tag) => {
      const weight = Math.round(perceptron.average(id, tag) * SCALE)
      return Math.abs(weight) < MIN_WEIGHT ? [] : [`${tag}:${weight}`]
    })
    if (pairs.length > 0) lines.push(`${feature}\t${pairs.join(' ')}\n`)
  }
  console.log(`${lines.length} features`)
  return `${tags.join(' ')}\n${lines.sort().join('')}`
}

function withoutPunctuation(sentence) {
  return sentence.filter(({ tag }) => !PUNCTUATION.has(tag))
}

function withShapes(tokens) {
  return { tokens, shapes: tokens.map(({ word }) => shapeOf(word, lexicon)) }
}

/** Tags a sentence from left to right and corrects the weights after each wrong tag. @returns their number */
function learn({ tokens, shapes }, tags, ids, perceptron, random) {
  let wrong = 0
  let [beforePrevious, previous] = [START, START]
  tokens.forEach(({ tag, isSkipped }, i) => {
    let guess = tag
    if (!PUNCTUATION.has(tag)) {
      const isHidden = OPEN_CLASS.test(tag) && random() < HIDDEN_WORDS
      const features = featuresAt(shapes, i, previous, beforePrevious)
        .filter((feature) => ids.has(feature) && !(isHidden && WORD_FEATURE.test(feature)))
        .map((feature) => ids.get(feature))
      const best = perceptron.best(features)
      guess = tags[best]
      if (guess !== tag && !isSkipped) {
        wrong++
        perceptron.correct(features, tags.indexOf(tag), best)
      }
    }
    ;[beforePrevious, previous] = [previous, guess]
  })
  return wrong
}

/** Weights of features and tags, and their averages over all calls of `best`. */
function createPerceptron(featureCount, tagCount) {
  const weights = new Float64Array(featureCount * tagCount)
  const totals = new Float64Array(weights.length)
  const changedAt = new Int32Array(weights.length)
  const scores = new Float64Array(tagCount)
  let time = 0
  const add = (index, change) => {
    totals[index] += (time - changedAt[index]) * weights[index]
    changedAt[index] = time
    weights[index] += change
  }
  return {
    best(features) {
      time++
      scores.fill(0)
      for (const feature of features) {
        for (let tag = 0; tag < tagCount; tag++) scores[tag] += weights[feature * tagCount + tag]
      }
      return scores.indexOf(Math.max(...scores))
    },
    correct(features, correctTag, wrongTag) {
      for (const feature of features) {
        add(feature * tagCount + correctTag, 1)
        add(feature * tagCount + wrongTag, -1)
      }
    },
    average(feature, tag) {
      const index = feature * tagCount + tag
      return (totals[index] + (time - changedAt[index]) * weights[index]) / time
    },
  }
}

/** Returns the features of a position as `template` tab `value`. */
function featuresAt(shapes, i, previous, beforePrevious) {
  const at = (position) => shapes[position] ?? OUTSIDE
  const features = [
    previousTagFeature(previous, at(i)),
    ...tagPairFeatures(previous, beforePrevious),
    ...classPairFeatures(at(i), at(i + 1)),
    ...tagAndClassFeatures(previous, at(i), at(i + 1)),
    ...[-2, -1, 0, 1, 2].flatMap((distance) => [
      ...classFeatures(distance, at(i + distance)),
      ...wordFeatures(distance, at(i + distance)),
    ]),
  ]
  return features.map(([template, value]) => `${template}\t${value}`)
}

/** Returns an id for each feature of the correct tags that occurs often enough. */
function countFeatures(sentences) {
  const counts = new Map()
  for (const { tokens, shapes } of sentences) {
    for (let i = 0; i < tokens.length; i++) {
      for (const feature of featuresAt(shapes, i, tokens[i - 1]?.tag ?? START, tokens[i - 2]?.tag ?? START)) {
        counts.set(feature, (counts.get(feature) ?? 0) + 1)
      }
    }
  }
  const ids = new Map()
  for (const [feature, count] of counts) if (count >= MIN_FEATURE_COUNT) ids.set(feature, ids.size)
  return ids
}

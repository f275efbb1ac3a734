// Trains the decisions of the scene graph parser (src/core/text/scene-graph) and writes their weights, and the variants of
// names. The right options of a caption are those with which its graph is nearest to the graph that a person drew; they
// are found by parsing with each. The weights are those of a logistic regression over the options. The model in the
// repository is trained on the train part of FACTUAL (Li et al. 2023): rows of image_id, region_id, caption and
// scene_graph. Everything is seeded: the same file gives the same model, byte for byte.
//
//     npm run build
//     node scripts/train-scene-graphs.js factual_train.csv.gz [--output resources/english.scene-graphs.gz]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { createLemmatizer } from '../dist/src/core/text/lemmatizer.js'
import { featuresOf } from '../dist/src/core/text/scene-graph/decisions.js'
import { createSceneGraphParser } from '../dist/src/core/text/scene-graph.js'
import { createPennTagger } from '../dist/src/core/text/tagger.js'
import { tokenize } from '../dist/src/core/text/tokenizer.js'
import { readLexicon, readTaggerModel } from '../dist/src/formats/english/english.js'
import { createRandom, shuffled } from './random.js'

/**
 * The first round only finds variants of names: without them, leaving out "hotdog", which people write "hot dog", looks
 * best. The second round starts from first options too, the others from the model of the round before.
 */
const ROUNDS = 3
const EPOCHS = 12
/** Features that occur less often are left out. */
const MIN_FEATURE_COUNT = 3
/** Size of the first step of a weight, and the price of its square. */
const RATE = 0.15
const PENALTY = 0.05
/**
 * In the last round, decisions on which the value of the graph depends more count more. This range of values counts as much
 * as every decision of the other rounds.
 */
const USUAL_RANGE = 0.3
const MAX_IMPORTANCE = 2
/** Weights are multiplied by this and rounded; smaller ones are left out of the model. */
const SCALE = 32
const MIN_WEIGHT = 3
/**
 * Subtracted from the weights of readings that make names rare or leave nouns out. They cost little F1 on FACTUAL, whose
 * captions are short, but SPICE agrees less with people if it has many of them (Kendall's τ-c on Flickr8k-Expert).
 */
const PRICES = { 'nn0 merged': 48, 'sc0 scenery': 30 }
/** A variant of a name occurs so often, and in this share of the occurrences of the name. */
const MIN_VARIANT_COUNT = 5
const MIN_VARIANT_SHARE = 0.01
const MAX_VARIANTS = 8
/** Another tag is a variant of a tag if it improves so many graphs with the word, or with a word of the same ending. */
const MIN_TAG_COUNT = 3
const MIN_ENDING_COUNT = 10
const MAX_TAGS = 3
/** F1 that a graph gains with another tag. */
const MIN_TAG_GAIN = 0.02
const OPEN_CLASS = /^(?:NN|VB|JJ)/
const OPEN_TAGS = ['NN', 'NNS', 'VBG', 'VBN', 'VBZ', 'JJ']
/** A graph that is exactly right counts so much more than one that is nearly right. */
const EXACT_BONUS = 0.1
const SEED = 20230527

const { values, positionals } = parseArgs({ options: { output: { type: 'string' } }, allowPositionals: true })
const lexicon = readLexicon()
const lemmaOf = createLemmatizer(lexicon)
const tagsOf = createPennTagger(readTaggerModel(), lexicon)
const normalized = new Map()
const output =
  values.output ?? fileURLToPath(new URL('../resources/english.scene-graphs.gz', import.meta.url))
writeFileSync(output, gzipSync(train(positionals.flatMap(readGraphs)), { level: 9 }))

function readGraphs(file) {
  const rows = parse(gunzipSync(readFileSync(file)), { columns: true })
  return rows.map((row) => {
    const words = tokenize(row.caption)
    return { words, tags: tagsOf(words), graph: parseGraph(row.scene_graph) }
  })
}

/** Parses `( subject , relation , object ) , ( object , is , attribute ) , ( object )` to the set of its tuples. */
function parseGraph(text) {
  const graph = new Set()
  for (const [, tuple] of text.matchAll(/\(([^()]*)\)/g)) {
    const parts = tuple
      .split(' , ')
      .map(normalize)
      .filter((part) => part !== '')
    const isAttribute = parts.length === 3 && parts[1] === 'is'
    if (isAttribute) graph.add(parts[0]).add(`${parts[0]}\t${parts[2]}`)
    else if (parts.length === 3) graph.add(parts[0]).add(parts[2]).add(parts.join('\t'))
    else if (parts.length === 1) graph.add(parts[0])
  }
  return graph
}

/** Words as the parser names them: nouns in the singular. */
function normalize(text) {
  let known = normalized.get(text)
  if (known === undefined) {
    const words = text.trim().toLowerCase().split(/\s+/)
    known = words.map((word) => (isPlural(word) ? lemmaOf(word, 'NNS') : word)).join(' ')
    normalized.set(text, known)
  }
  return known
}

function isPlural(word) {
  return word.endsWith('s') || lexicon.basesOf(word, 'n').length > 0
}

/** Returns the text of the model: lines of a feature and its weight, and of a name and its variants. */
function train(captions) {
  const variants = new Map()
  let weights = new Map()
  for (let round = 1; round <= ROUNDS; round++) {
    const counts = { names: new Map(), variants: new Map(), tags: new Map() }
    const parseWith = createTracedParser(weights, variants)
    const examples = []
    let [f1, exact] = [0, 0]
    for (const caption of captions) {
      const { best, decisions, seen } = climb(parseWith, caption)
      examples.push(...decisions)
      if (round < ROUNDS) {
        countVariants(counts, seen, best.tuples, caption.graph)
        countTags(counts.tags, parseWith, caption, best)
      }
      const isExact = best.value > 1
      f1 += isExact ? 1 : best.value
      exact += isExact ? 1 : 0
    }
    if (round > 1) weights = weigh(examples, round === ROUNDS)
    addVariants(variants, counts)
    addTags(variants, counts.tags)
    const quality = [f1, exact].map((sum) => (sum / captions.length).toFixed(4)).join(' and ')
    console.log(`round ${round}: ${examples.length} decisions, at best F1 and exact match ${quality}`)
  }
  for (const [feature, price] of Object.entries(PRICES))
    weights.set(feature, (weights.get(feature) ?? 0) - price)
  const lines = [...weights].map((line) => line.join('\t'))
  for (const [name, others] of variants) lines.push(`=${name}\t${others.join('\t')}`)
  return `${lines.sort().join('\n')}\n`
}

/**
 * Creates a parser that takes given options where it has them, and those of a model elsewhere. Its result has the decisions
 * that were met, each with the features of its options and the option of the model.
 */
function createTracedParser(weights, variants) {
  let tags
  let choices
  let decisions
  let met
  const parseCaption = createSceneGraphParser(() => tags, lemmaOf, {
    variantsOf: (kind, name) => variants.get(`${kind} ${name}`) ?? [],
    choose(decision, situation, optionsOf) {
      const key = `${decision.name} ${situation}`
      let known = decisions.get(key)
      if (known === undefined) {
        const options = optionsOf().map((option) =>
          featuresOf(decision, option).map((parts) => parts.join(' ')),
        )
        known = { options, usual: bestOption(options, weights) }
        decisions.set(key, known)
      }
      met.add(key)
      return choices.get(key) ?? known.usual
    },
  })
  return (caption, given, known, captionTags = caption.tags) => {
    tags = captionTags
    choices = given
    decisions = known
    met = new Set()
    const tuples = tuplesOf(parseCaption(caption.words))
    return { choices, decisions, met, tuples, value: worthOf(tuples, caption.graph) }
  }
}

function bestOption(options, weights) {
  const scores = options.map((features) =>
    features.reduce((sum, feature) => sum + (weights.get(feature) ?? 0), 0),
  )
  return scores.indexOf(Math.max(...scores))
}

/**
 * Changes one option after the other, always the one that improves the graph most.
 *
 * @returns the best parse, its decisions with the value of each option, and all tuples that its neighbors have
 */
function climb(parseWith, caption) {
  const known = new Map()
  let best
  let next = parseWith(caption, new Map(), known)
  let decisions
  let seen
  while (next !== undefined) {
    best = next
    next = undefined
    decisions = []
    seen = new Set(best.tuples)
    for (const key of best.met) {
      const { options, usual } = known.get(key)
      const current = best.choices.get(key) ?? usual
      const values = options.map((_, option) => {
        if (option === current) return best.value
        const other = parseWith(caption, new Map(best.choices).set(key, option), known)
        for (const tuple of other.tuples) seen.add(tuple)
        if (other.value > (next ?? best).value) next = other
        return other.value
      })
      if (Math.max(...values) > Math.min(...values)) decisions.push({ options, values })
    }
  }
  return { best, decisions, seen }
}

function tuplesOf({ objects, attributes, relations }) {
  const tuples = new Set(objects.map(normalize))
  for (const tuple of [...attributes, ...relations]) tuples.add(tuple.map(normalize).join('\t'))
  return tuples
}

/** F1 of the tuples, and a bonus for exactly the right ones. */
function worthOf(tuples, graph) {
  let matched = 0
  for (const tuple of tuples) if (graph.has(tuple)) matched++
  const total = tuples.size + graph.size
  return matched * 2 === total ? 1 + EXACT_BONUS : (2 * matched) / total
}

function increase(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Counts the names of the tuples that the parser can find, and the names that the graph has in their place. */
function countVariants(counts, seen, tuples, graph) {
  const missing = [...graph].filter((tuple) => !tuples.has(tuple)).map((tuple) => tuple.split('\t'))
  for (const tuple of seen) {
    const ours = tuple.split('\t')
    const name = nameOf(ours)
    increase(counts.names, name)
    if (graph.has(tuple)) continue
    for (const theirs of missing) {
      const variant = theirs.length === ours.length ? variantOf(ours, theirs) : undefined
      if (variant !== undefined) increase(counts.variants, `${name}\t${variant}`)
    }
  }
}

function nameOf(tuple) {
  if (tuple.length === 1) return `object ${tuple[0]}`
  return tuple.length === 2 ? `attribute ${tuple[1]}` : `relation ${tuple[1]}`
}

/** The name that differs if all others are equal; with "<" if the objects of a relation are exchanged. */
function variantOf(ours, theirs) {
  if (ours.length === 1) return theirs[0]
  if (ours.length === 2) return ours[0] === theirs[0] ? theirs[1] : undefined
  if (ours[0] === theirs[0] && ours[2] === theirs[2]) return theirs[1]
  return ours[0] === theirs[2] && ours[2] === theirs[0] ? `<${theirs[1]}` : undefined
}

/** Counts the tags that improve the graph of a caption most, by word and by ending. */
function countTags(counts, parseWith, { words, tags, ...caption }, { choices, value }) {
  if (value > 1) return
  const gains = []
  tags.forEach((tag, i) => {
    if (!OPEN_CLASS.test(tag)) return
    for (const other of OPEN_TAGS) {
      if (other === tag) continue
      const changed = parseWith({ words, tags, ...caption }, choices, new Map(), tags.with(i, other))
      if (changed.value > value + MIN_TAG_GAIN) gains.push({ value: changed.value, i, other })
    }
  })
  const highest = Math.max(...gains.map((gain) => gain.value))
  for (const { value, i, other } of gains) {
    if (value < highest) continue
    for (const name of [words[i], `-${words[i].slice(-3)}`])
      increase(counts, `tag ${name}/${tags[i]}\t${other}`)
  }
}

function addVariants(variants, counts) {
  addFrequent(variants, counts.variants, MAX_VARIANTS, (name) =>
    Math.max(MIN_VARIANT_COUNT, MIN_VARIANT_SHARE * counts.names.get(name)),
  )
}

function addTags(variants, counts) {
  addFrequent(variants, counts, MAX_TAGS, (name) =>
    name.startsWith('tag -') ? MIN_ENDING_COUNT : MIN_TAG_COUNT,
  )
}

function addFrequent(variants, counts, highest, leastOf) {
  for (const [pair, count] of [...counts].sort((a, b) => b[1] - a[1])) {
    const [name, variant] = pair.split('\t')
    const known = variants.get(name) ?? []
    if (count < leastOf(name) || known.length === highest || known.includes(variant)) continue
    variants.set(name, [...known, variant])
  }
}

/**
 * Returns weights of features, with which the options of the highest value have the highest sums.
 *
 * @param countsByRange whether decisions count by the range of the values of their options
 */
function weigh(decisions, countsByRange) {
  const counts = new Map()
  for (const { options } of decisions) for (const feature of options.flat()) increase(counts, feature)
  const ids = new Map()
  for (const [feature, count] of counts) if (count >= MIN_FEATURE_COUNT) ids.set(feature, ids.size)
  const examples = decisions.map(({ options, values }) => {
    const highest = Math.max(...values)
    const range = highest - Math.min(...values)
    return {
      importance: countsByRange ? Math.min(MAX_IMPORTANCE, range / USUAL_RANGE) : 1,
      options: options.map((features) =>
        features.filter((feature) => ids.has(feature)).map((feature) => ids.get(feature)),
      ),
      isRight: values.map((value) => value === highest),
    }
  })
  const weights = new Float64Array(ids.size)
  const squares = new Float64Array(ids.size).fill(1e-6)
  const random = createRandom(SEED)
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    for (const number of shuffled(examples.length, random)) {
      const { importance, options, isRight } = examples[number]
      const shares = probabilitiesOf(options, weights)
      const right = shares.reduce((sum, share, i) => sum + (isRight[i] ? share : 0), 0)
      options.forEach((features, i) => {
        const gradient = importance * ((isRight[i] ? shares[i] / right : 0) - shares[i])
        for (const feature of features) {
          const slope = gradient - PENALTY * weights[feature]
          squares[feature] += slope * slope
          weights[feature] += (RATE * slope) / Math.sqrt(squares[feature])
        }
      })
    }
  }
  const rounded = [...ids].map(([feature, id]) => [feature, Math.round(weights[id] * SCALE)])
  return new Map(rounded.filter(([, weight]) => Math.abs(weight) >= MIN_WEIGHT))
}

function probabilitiesOf(options, weights) {
  const scores = options.map((features) => features.reduce((sum, feature) => sum + weights[feature], 0))
  const highest = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - highest))
  const total = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / total)
}

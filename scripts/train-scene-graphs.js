// Trains the decisions of the scene graph parser and writes their weights. They are averaged perceptrons (Collins 2002)
// over the options of each decision (src/core/text/scene-graph). The right option is the one whose evidence is in the graph
// that a person drew. The weights in the repository are trained on the train part of FACTUAL (Li et al. 2023): rows of
// image_id, region_id, caption and scene_graph. Everything is seeded: the same file gives the same weights.
//
//     npm run build
//     node scripts/train-scene-graphs.js factual_train.csv.gz [--output resources/english.scene-graphs.gz]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { createLemmatizer } from '../dist/src/core/text/lemmatizer.js'
import { createSceneGraphParser } from '../dist/src/core/text/scene-graph.js'
import { createPennTagger } from '../dist/src/core/text/tagger.js'
import { tokenize } from '../dist/src/core/text/tokenizer.js'
import { readLexicon, readTaggerModel } from '../dist/src/formats/english/english.js'
import { createRandom, shuffled } from './random.js'

const EPOCHS = 6
/** Features that occur less often are left out. */
const MIN_FEATURE_COUNT = 3
/** Averaged weights are multiplied by this and rounded. */
const SCALE = 16
/** Smaller weights are left out of the model. */
const MIN_WEIGHT = 3
const SEED = 20230527

const { values, positionals } = parseArgs({ options: { output: { type: 'string' } }, allowPositionals: true })
const lexicon = readLexicon()
const tagger = createPennTagger(readTaggerModel(), lexicon)
const lemmaOf = createLemmatizer(lexicon)
const output =
  values.output ?? fileURLToPath(new URL('../resources/english.scene-graphs.gz', import.meta.url))
writeFileSync(output, gzipSync(train(collect(positionals.flatMap(readGraphs))), { level: 9 }))

function readGraphs(file) {
  const rows = parse(gunzipSync(readFileSync(file)), { columns: true })
  return rows.map((row) => ({ caption: tokenize(row.caption), graph: parseGraph(row.scene_graph) }))
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
  return [...graph]
}

/** Words as the parser names them: nouns in the singular. */
function normalize(text) {
  const words = text.trim().toLowerCase().split(/\s+/)
  return words.map((word) => (/s$/.test(word) ? lemmaOf(word, 'NNS') : word)).join(' ')
}

/** Parses the captions with the right options. @returns the features of the options of each decision, the right one first */
function collect(captions) {
  const decisions = []
  for (const { caption, graph } of captions) {
    const tuples = new Set(graph)
    createSceneGraphParser(tagger, lemmaOf, (_, optionsOf) => {
      const options = optionsOf()
      const right = options.findIndex(({ evidence }) =>
        evidence().some((pattern) => matches(tuples, graph, pattern)),
      )
      const index = right >= 0 ? right : options.findIndex(({ evidence }) => evidence().length === 0)
      if (index >= 0 && options.length > 1)
        decisions.push({
          options: options.map(({ features }) => features.map((parts) => parts.join(' '))),
          index,
        })
      return Math.max(index, 0)
    })(caption)
  }
  return decisions
}

function matches(tuples, graph, pattern) {
  const parts = pattern.map((part, i) => (pattern.length === 3 && i === 1 ? part : normalize(part)))
  const text = parts.join('\t')
  if (!text.includes('*')) return tuples.has(text)
  const regular = new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^\\t]*')}$`)
  return graph.some((tuple) => regular.test(tuple))
}

/** Returns the text of the model: lines of a feature and its weight. */
function train(decisions) {
  const counts = new Map()
  for (const { options } of decisions)
    for (const feature of options.flat()) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  const ids = new Map()
  for (const [feature, count] of counts) if (count >= MIN_FEATURE_COUNT) ids.set(feature, ids.size)
  const examples = decisions.map(({ options, index }) => ({
    options: options.map((features) =>
      features.filter((feature) => ids.has(feature)).map((feature) => ids.get(feature)),
    ),
    index,
  }))
  const weights = new Float64Array(ids.size)
  const totals = new Float64Array(ids.size)
  const random = createRandom(SEED)
  let time = 0
  const add = (features, change) => {
    for (const feature of features) {
      weights[feature] += change
      totals[feature] += change * time
    }
  }
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    let wrong = 0
    for (const number of shuffled(examples.length, random)) {
      const { options, index } = examples[number]
      time++
      const best = bestOption(options, weights)
      if (best === index) continue
      wrong++
      add(options[index], 1)
      add(options[best], -1)
    }
    console.log(`epoch ${epoch}: ${wrong} of ${examples.length} decisions wrong`)
  }
  const lines = []
  for (const [feature, id] of ids) {
    const weight = Math.round((weights[id] - totals[id] / time) * SCALE)
    if (Math.abs(weight) >= MIN_WEIGHT) lines.push(`${feature}\t${weight}\n`)
  }
  console.log(`${lines.length} features`)
  return lines.sort().join('')
}

function bestOption(options, weights) {
  let best = 0
  let bestScore = Number.NEGATIVE_INFINITY
  options.forEach((features, index) => {
    const score = features.reduce((sum, feature) => sum + weights[feature], 0)
    if (score > bestScore) {
      best = index
      bestScore = score
    }
  })
  return best
}

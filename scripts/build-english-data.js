// Writes the word vectors, the document frequencies of COCO val2017, and the data of the tagger and the lemmatizer in a form that is searched without being parsed: english.tagger, the
// model of the tagger, english.scene-graphs, the weights of the scene graph parser, and english.lexicon, the words of WordNet 3.0 with the frequency of each lemma in its
// sense-tagged corpora and the lemmas of irregular forms. Words that contain `_` are omitted. Runs after the compiler.
//
//     node scripts/build-english-data.js [folder]    (default: dist/resources/english)
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import {
  encodeLexicon,
  encodeSceneGraphModel,
  encodeTaggerModel,
} from '../dist/src/formats/english/english.js'
import { openWordNet } from './wordnet.js'

/** WordNet's numbers of word classes in sense keys; 5 is an adjective in the cluster of another. */
const CLASS_OF_NUMBER = { 1: 'n', 2: 'v', 3: 'a', 4: 'r', 5: 'a' }
const CLASS_OF_LIST = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' }

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/resources/english', import.meta.url))
const wordNet = openWordNet()

const entries = new Map()
addSenses(wordNet.senses())
for (const [list, wordClass] of Object.entries(CLASS_OF_LIST))
  addExceptions(wordNet.exceptions(list), wordClass)
mkdirSync(target, { recursive: true })
writeFileSync(join(target, 'english.lexicon'), encodeLexicon(entries))
copyFileSync(wordNet.license, join(target, 'COPYING.WORDNET'))
const model = gunzipSync(readFileSync(resource('english.tagger.gz'))).toString('utf8')
writeFileSync(join(target, 'english.tagger'), encodeTaggerModel(model))
const decisions = gunzipSync(readFileSync(resource('english.scene-graphs.gz'))).toString('utf8')
writeFileSync(join(target, 'english.scene-graphs'), encodeSceneGraphModel(decisions))
for (const name of [
  'COPYING.TAGGER',
  'COPYING.SCENE-GRAPHS',
  'glove.vectors',
  'COPYING.GLOVE',
  'coco.frequencies',
  'COPYING.FREQUENCIES',
])
  copyFileSync(resource(name), join(target, name))

function resource(name) {
  return fileURLToPath(new URL(`../resources/${name}`, import.meta.url))
}

/** Adds the lemmas of index.sense: lines of `lemma%class:… synset sense-number tag-count`. */
function addSenses(index) {
  const counts = new Map()
  for (const line of index.split('\n')) {
    const [sense, , , tagCount] = line.split(' ')
    const [lemma, key = ''] = sense.split('%')
    if (lemma === '' || lemma.includes('_')) continue
    const item = `${lemma} ${CLASS_OF_NUMBER[key[0]]}`
    counts.set(item, (counts.get(item) ?? 0) + Number(tagCount))
  }
  for (const [item, count] of counts) {
    const [lemma, wordClass] = item.split(' ')
    entryOf(lemma).counts.push([wordClass, count])
  }
}

/** Adds the forms of an exception list: lines of `form base base…`. */
function addExceptions(list, wordClass) {
  for (const line of list.split('\n')) {
    const [form, ...bases] = line.trim().split(/\s+/)
    if (form === '' || form.includes('_')) continue
    const entry = entryOf(form)
    for (const base of bases) {
      const isKnown = entry.bases.some((known) => known[0] === wordClass && known[1] === base)
      if (!base.includes('_') && !isKnown) entry.bases.push([wordClass, base])
    }
  }
}

function entryOf(word) {
  let entry = entries.get(word)
  if (entry === undefined) {
    entry = { counts: [], bases: [] }
    entries.set(word, entry)
  }
  return entry
}

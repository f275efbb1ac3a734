// Writes the word vectors, and the data of the tagger and the lemmatizer: the model of the tagger, and a lexicon from WordNet 3.0. Each line has a word in lower case, followed by its
// lemmas and counts: `n3` says that the word is a noun lemma with 3 occurrences in the sense-tagged corpora of WordNet,
// `v>see` that it is an irregular form of the verb lemma "see". Word classes are n, v, a and r as in WordNet. Words
// that contain `_` are omitted.
//
//     node scripts/build-english-data.js [folder]    (default: dist/resources/english)
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
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
const lines = [...entries]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([word, items]) => `${word} ${items.join(' ')}\n`)
writeFileSync(join(target, 'english.lexicon'), lines.join(''))
copyFileSync(wordNet.license, join(target, 'COPYING.WORDNET'))
writeFileSync(join(target, 'english.tagger'), gunzipSync(readFileSync(resource('english.tagger.gz'))))
for (const name of ['COPYING.TAGGER', 'glove.vectors', 'COPYING.GLOVE']) {
  copyFileSync(resource(name), join(target, name))
}

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
    add(lemma, `${wordClass}${count}`)
  }
}

/** Adds the forms of an exception list: lines of `form base base…`. */
function addExceptions(list, wordClass) {
  for (const line of list.split('\n')) {
    const [form, ...bases] = line.trim().split(/\s+/)
    if (form === '' || form.includes('_')) continue
    for (const base of bases) if (!base.includes('_')) add(form, `${wordClass}>${base}`)
  }
}

function add(word, item) {
  const items = entries.get(word)
  if (items === undefined) entries.set(word, [item])
  else if (!items.includes(item)) items.push(item)
}

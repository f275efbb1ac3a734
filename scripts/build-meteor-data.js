// Writes the WordNet 3.0 tables that METEOR uses to match synonyms, in the format of METEOR's own data files:
// english.synsets (a lemma, followed by a line with the synsets of its senses) and english.exceptions (a base form,
// followed by a line with its irregular forms). METEOR's normalizer splits words at `_`. Forms that contain `_` are
// therefore omitted, as are lemmas that contain `_` and have no irregular form (`comic_strip` has `comics`).
// wordnet.index has the same content in a form that is searched without being parsed. Runs after the compiler.
//
//     node scripts/build-meteor-data.js [folder]    (default: dist/resources/meteor)
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeWordNet } from '../dist/src/formats/english/meteor-data.js'
import { openWordNet } from './wordnet.js'

const EXCEPTION_LISTS = ['adj', 'adv', 'noun', 'verb']

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/resources/meteor', import.meta.url))
const wordNet = openWordNet()

mkdirSync(target, { recursive: true })
const forms = formsOfBases(EXCEPTION_LISTS.map((name) => wordNet.exceptions(name)).join('\n'))
const synsets = synsetsOfLemmas(wordNet.senses(), forms)
writeFileSync(join(target, 'english.exceptions'), pairs(forms))
writeFileSync(join(target, 'english.synsets'), pairs(synsets))
writeFileSync(join(target, 'wordnet.index'), encodeWordNet({ synsets: numbersOf(synsets), forms }))
copyFileSync(wordNet.license, join(target, 'COPYING.WORDNET'))

/** Parses index.sense: lines of `lemma%… synset sense-number tag-count`, sorted by lemma. */
function synsetsOfLemmas(index, formsOf) {
  const synsets = new Map()
  for (const line of index.split('\n')) {
    const [sense, synset] = line.split(' ')
    const lemma = sense.slice(0, sense.indexOf('%'))
    if (lemma === '' || (lemma.includes('_') && !formsOf.has(lemma))) continue
    if (!synsets.has(lemma)) synsets.set(lemma, [])
    synsets.get(lemma).push(synset)
  }
  return synsets
}

/** Parses exception lists: lines of `form base base…`. */
function formsOfBases(list) {
  const forms = new Map()
  for (const line of list.split('\n')) {
    const [form, ...bases] = line.trim().split(/\s+/)
    if (form.includes('_')) continue
    for (const base of bases) {
      if (!forms.has(base)) forms.set(base, [])
      forms.get(base).push(form)
    }
  }
  return new Map([...forms].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Synset numbers as numbers. */
function numbersOf(synsets) {
  return new Map([...synsets].map(([lemma, offsets]) => [lemma, offsets.map(Number)]))
}

function pairs(map) {
  return [...map].map(([key, values]) => `${key}\n${values.join(' ')}\n`).join('')
}

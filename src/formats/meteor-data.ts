import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AccordError, quote } from '../errors.js'
import { ENGLISH_FUNCTION_WORDS } from '../metrics/meteor/function-words.js'
import type { MeteorResources, ParaphraseTable, WordNetTables } from '../metrics/meteor/resources.js'
import { readWhole } from './files.js'
import { readParaphrases } from './meteor-paraphrases.js'

const SYNSETS = 'english.synsets'
const EXCEPTIONS = 'english.exceptions'
const FUNCTION_WORDS = 'english.function.words'
const PARAPHRASES = 'paraphrase-en.gz'

/** Where `npm run build` puts the WordNet files: seen from the compiled module, and from its source. */
const SHIPPED_FOLDERS = ['../../resources/meteor/', '../../dist/resources/meteor/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/**
 * What METEOR needs to know of English. Without a folder: WordNet 3.0 and the function words that come with
 * Accord. A METEOR data folder may hold `english.synsets` with `english.exceptions`,
 * `english.function.words` and `paraphrase-en.gz`; what it does not hold is taken from Accord's own, so that
 * the `data` folder of METEOR, which has paraphrase tables alone, will do.
 *
 * Throws RESOURCE_MISSING for a folder that is not there or lacks what it must have, INVALID_SHAPE for a file
 * that does not read as it should. The paraphrase table is read when the words of a corpus are known.
 */
export function readMeteorData(folder?: string): MeteorResources {
  if (folder === undefined) return { functionWords: ENGLISH_FUNCTION_WORDS, wordNet: readShippedWordNet() }
  const has = inspectFolder(folder)
  return {
    functionWords: has(FUNCTION_WORDS)
      ? readFunctionWords(join(folder, FUNCTION_WORDS))
      : ENGLISH_FUNCTION_WORDS,
    wordNet: has(SYNSETS) ? readWordNet(folder) : readShippedWordNet(),
    ...(has(PARAPHRASES) && { paraphrases: openParaphrases(join(folder, PARAPHRASES)) }),
  }
}

/** Checks that the folder is one of METEOR's; returns which files it has. */
function inspectFolder(folder: string): (name: string) => boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) {
    throw new AccordError('RESOURCE_MISSING', 'there is no METEOR data folder', {
      source: folder,
      expected: `a folder with ${SYNSETS} and ${EXCEPTIONS}, or with ${PARAPHRASES}`,
      found: found === undefined ? 'nothing' : 'a file',
    })
  }
  const has = (name: string) => existsSync(join(folder, name))
  if (has(SYNSETS) !== has(EXCEPTIONS)) {
    const [present, absent] = has(SYNSETS) ? [SYNSETS, EXCEPTIONS] : [EXCEPTIONS, SYNSETS]
    throw new AccordError('RESOURCE_MISSING', 'the METEOR data folder is not complete', {
      source: folder,
      expected: `${absent} beside ${present}`,
      found: `no ${absent}`,
    })
  }
  if (!has(SYNSETS) && !has(PARAPHRASES)) {
    throw new AccordError('RESOURCE_MISSING', 'the folder holds no METEOR data', {
      source: folder,
      expected: `${SYNSETS} and ${EXCEPTIONS}, or ${PARAPHRASES}`,
      found: 'none of them',
    })
  }
  return has
}

function readShippedWordNet(): WordNetTables {
  const folder = SHIPPED_FOLDERS.find((path) => existsSync(join(path, SYNSETS)))
  if (folder !== undefined) return { ...readWordNet(folder), name: 'WordNet-3.0' }
  throw new AccordError('RESOURCE_MISSING', 'the WordNet files that METEOR needs are not built', {
    source: SHIPPED_FOLDERS.at(-1),
    expected: `${SYNSETS}, made by npm run build`,
    found: 'none',
  })
}

function readFunctionWords(path: string): ReadonlySet<string> {
  return new Set(readWhole(path).toString('utf8').split('\n').map(withoutReturn))
}

function openParaphrases(path: string): ParaphraseTable {
  return {
    name: `sha256:${fingerprint(readFileSync(path))}`,
    entriesOf: (words) => readParaphrases(path, words),
  }
}

function readWordNet(folder: string): WordNetTables {
  const synsets = readPairs(join(folder, SYNSETS), 'a lemma', parseSynsets)
  const exceptions = readPairs(join(folder, EXCEPTIONS), 'a base form', parseForms)
  const basesOf = new Map<string, string[]>()
  for (const [base, forms] of exceptions.values) {
    for (const form of forms) {
      const bases = basesOf.get(form)
      if (bases === undefined) basesOf.set(form, [base])
      else bases.push(base)
    }
  }
  return {
    name: `sha256:${fingerprint(synsets.bytes, exceptions.bytes)}`,
    synsetsOf: (lemma) => synsets.values.get(lemma),
    baseFormsOf: (form) => basesOf.get(form),
  }
}

/** Reads a file of line pairs: a key, and below it what belongs to it. */
function readPairs<T>(path: string, key: string, parse: (line: string, place: Place) => T) {
  const bytes = readWhole(path)
  const lines = bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  const values = new Map<string, T>()
  for (let i = 0; i < lines.length; i += 2) {
    const name = withoutReturn(lines[i])
    const place = { source: path, line: i + 1 }
    if (name === '') throw misshapen(place, key, 'an empty line')
    if (i + 1 === lines.length)
      throw misshapen(next(place), `a line below ${quote(name)}`, 'the end of the file')
    values.set(name, parse(withoutReturn(lines[i + 1]), next(place)))
  }
  if (values.size === 0) throw misshapen({ source: path, line: 1 }, key, 'the end of the file')
  return { bytes, values }
}

function parseSynsets(line: string, place: Place): readonly number[] {
  if (!/^[0-9]+(?: +[0-9]+)* *$/.test(line)) throw misshapen(place, 'synset numbers', quote(line))
  return line.trimEnd().split(/ +/).map(Number)
}

function parseForms(line: string, place: Place): readonly string[] {
  const forms = line.split(' ').filter((form) => form !== '')
  if (forms.length === 0) throw misshapen(place, 'irregular forms', 'an empty line')
  return forms
}

interface Place {
  readonly source: string
  readonly line: number
}

function next({ source, line }: Place): Place {
  return { source, line: line + 1 }
}

function misshapen({ source, line }: Place, expected: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'not a METEOR file', {
    source,
    place: `line ${line}`,
    expected,
    found,
  })
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Names a version of the data in a signature. */
function fingerprint(...files: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file)
  return hash.digest('hex').slice(0, 12)
}

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ENGLISH_FUNCTION_WORDS } from '../../core/metrics/meteor/normalize.js'
import type { MeteorResources, ParaphraseTable, WordNetTables } from '../../core/metrics/resources.js'
import { AccordError, quote } from '../../errors.js'
import { builtFile, readBuilt } from '../io/built-files.js'
import { readWhole } from '../io/files.js'
import { decodeTextIndex, encodeTextIndex } from '../io/text-index.js'
import { readParaphrases } from './meteor-paraphrases.js'

const SYNSETS = 'english.synsets'
const EXCEPTIONS = 'english.exceptions'
const FUNCTION_WORDS = 'english.function.words'
const PARAPHRASES = 'paraphrase-en.gz'
/** The bundled WordNet data in a form that is searched without being parsed. */
const INDEX = 'wordnet.index'

/** Names of the bundled data in signatures. Also used for METEOR's own files if their content is equivalent. */
const BUNDLED_WORDNET = 'WordNet-3.0'
const BUNDLED_FUNCTION_WORDS = 'METEOR-1.5'
const METEOR_WORDNET_FINGERPRINT = 'd4e3ad46f0ce'

type FunctionWords = Pick<MeteorResources, 'functionWords' | 'functionWordsName'>

const BUNDLED_WORDS: FunctionWords = {
  functionWords: ENGLISH_FUNCTION_WORDS,
  functionWordsName: BUNDLED_FUNCTION_WORDS,
}

/**
 * Reads the English resources of METEOR. Without a folder: the bundled WordNet 3.0 data and function words. A METEOR
 * data folder can contain `english.synsets` and `english.exceptions`, `english.function.words`, and
 * `paraphrase-en.gz`. Missing files are replaced by the bundled data, so the `data` folder of METEOR, which only
 * contains paraphrase tables, can be used. The paraphrase table is read later, when the words of a corpus are known.
 *
 * @throws AccordError RESOURCE_MISSING for a missing or incomplete folder; INVALID_SHAPE for an invalid file
 */
export function readMeteorData(folder?: string): MeteorResources {
  if (folder === undefined) return { ...BUNDLED_WORDS, wordNet: readBundledWordNet() }
  const has = inspectFolder(folder)
  return {
    ...(has(FUNCTION_WORDS) ? readFunctionWords(join(folder, FUNCTION_WORDS)) : BUNDLED_WORDS),
    wordNet: has(SYNSETS) ? readWordNet(folder) : readBundledWordNet(),
    ...(has(PARAPHRASES) && { paraphrases: openParaphrases(join(folder, PARAPHRASES)) }),
  }
}

/**
 * SHA-256, in hexadecimal digits, of all files that {@link readMeteorData} reads, each preceded by its name.
 *
 * @throws AccordError RESOURCE_MISSING as {@link readMeteorData}
 */
export function hashMeteorData(folder?: string): string {
  const has = folder === undefined ? () => false : inspectFolder(folder)
  const wordNet = has(SYNSETS) ? (folder as string) : dirname(findIndex())
  const hash = createHash('sha256')
  const add = (name: string, content: Buffer | string) => hash.update(`${name}\0`).update(content)
  add(SYNSETS, readWhole(join(wordNet, SYNSETS)))
  add(EXCEPTIONS, readWhole(join(wordNet, EXCEPTIONS)))
  const functionWords = has(FUNCTION_WORDS)
    ? readFunctionWords(join(folder as string, FUNCTION_WORDS)).functionWords
    : ENGLISH_FUNCTION_WORDS
  add(FUNCTION_WORDS, [...functionWords].join('\n'))
  if (has(PARAPHRASES)) add(PARAPHRASES, readFileSync(join(folder as string, PARAPHRASES)))
  return hash.digest('hex')
}

/** Checks that the folder is a METEOR data folder. Returns a function that tells which files it contains. */
function inspectFolder(folder: string): (name: string) => boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) {
    throw new AccordError('RESOURCE_MISSING', 'METEOR data folder not found', {
      source: folder,
      expected: `a folder with ${SYNSETS} and ${EXCEPTIONS}, or with ${PARAPHRASES}`,
      found: found === undefined ? 'nothing' : 'a file',
    })
  }
  const has = (name: string) => existsSync(join(folder, name))
  if (has(SYNSETS) !== has(EXCEPTIONS)) {
    const [present, absent] = has(SYNSETS) ? [SYNSETS, EXCEPTIONS] : [EXCEPTIONS, SYNSETS]
    throw new AccordError('RESOURCE_MISSING', 'incomplete METEOR data folder', {
      source: folder,
      expected: `${absent} in addition to ${present}`,
      found: `no ${absent}`,
    })
  }
  if (!has(SYNSETS) && !has(PARAPHRASES)) {
    throw new AccordError('RESOURCE_MISSING', 'no METEOR data in the folder', {
      source: folder,
      expected: `${SYNSETS} and ${EXCEPTIONS}, or ${PARAPHRASES}`,
      found: 'none of them',
    })
  }
  return has
}

/** The bundled index is read when the first word is looked up: a listing of metrics needs its name only. */
function readBundledWordNet(): WordNetTables {
  const path = findIndex()
  let tables: WordNetTables | undefined
  const load = () => {
    tables ??= readBuilt(path, (bytes) => decodeWordNet(bytes, BUNDLED_WORDNET), 'WordNet index')
    return tables
  }
  return {
    name: BUNDLED_WORDNET,
    synsetsOf: (lemma) => load().synsetsOf(lemma),
    baseFormsOf: (form) => load().baseFormsOf(form),
  }
}

/** @throws AccordError RESOURCE_MISSING */
function findIndex(): string {
  return builtFile(`meteor/${INDEX}`, 'the WordNet files required by METEOR')
}

function readFunctionWords(path: string): FunctionWords {
  const bytes = readWhole(path)
  const functionWords = new Set(bytes.toString('utf8').split('\n').map(stripCarriageReturn))
  functionWords.delete('')
  const isBundled =
    functionWords.size === ENGLISH_FUNCTION_WORDS.size &&
    [...functionWords].every((word) => ENGLISH_FUNCTION_WORDS.has(word))
  return isBundled ? BUNDLED_WORDS : { functionWords, functionWordsName: `sha256:${fingerprint(bytes)}` }
}

function openParaphrases(path: string): ParaphraseTable {
  return {
    name: `sha256:${fingerprint(readFileSync(path))}`,
    entriesOf: (words) => readParaphrases(path, words),
  }
}

function readWordNet(folder: string): WordNetTables {
  const synsets = readPairs(join(folder, SYNSETS), 'a lemma', 'synset numbers', startsWithDigit, parseSynset)
  const exceptions = readPairs(
    join(folder, EXCEPTIONS),
    'a base form',
    'irregular forms',
    isNotBlank,
    parseForm,
  )
  const basesOf = new Map<string, string[]>()
  for (const base of exceptions.keys) {
    for (const form of exceptions.valuesOf(base)!) {
      const bases = basesOf.get(form)
      if (bases === undefined) basesOf.set(form, [base])
      else bases.push(base)
    }
  }
  return {
    name: nameOfWordNet(fingerprint(synsets.bytes, exceptions.bytes)),
    synsetsOf: (lemma) => synsets.valuesOf(lemma),
    baseFormsOf: (form) => basesOf.get(form),
  }
}

function nameOfWordNet(hash: string): string {
  return hash === METEOR_WORDNET_FINGERPRINT ? BUNDLED_WORDNET : `sha256:${hash}`
}

/**
 * Reads a file of line pairs: a key, followed by a line with its values. Only the first character of each line of
 * values is checked here. Values are parsed when they are looked up, because most lemmas never are.
 */
function readPairs<T>(
  path: string,
  key: string,
  expected: string,
  isValidStart: (line: string) => boolean,
  parse: (value: string) => T | undefined,
) {
  const bytes = readWhole(path)
  const lines = bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  const lineOf = new Map<string, number>()
  const parsed = new Map<number, readonly T[]>()
  for (let i = 0; i < lines.length; i += 2) {
    const name = stripCarriageReturn(lines[i])
    if (name === '') throw invalidFile(path, i, key, 'an empty line')
    if (i + 1 === lines.length) throw invalidFile(path, i + 1, expected, 'the end of the file')
    if (!isValidStart(lines[i + 1]))
      throw invalidFile(path, i + 1, expected, quote(stripCarriageReturn(lines[i + 1])))
    lineOf.set(name, i + 1)
  }
  if (lineOf.size === 0) throw invalidFile(path, 0, key, 'the end of the file')
  return {
    bytes,
    keys: lineOf.keys(),
    valuesOf(name: string): readonly T[] | undefined {
      const index = lineOf.get(name)
      if (index === undefined) return undefined
      const cached = parsed.get(index)
      if (cached !== undefined) return cached
      const values = stripCarriageReturn(lines[index]).trim().split(/ +/).map(parse)
      if (values.includes(undefined)) throw invalidFile(path, index, expected, quote(lines[index]))
      parsed.set(index, values as T[])
      return values as T[]
    },
  }
}

/** `index` is 0-based; the line number in the message is 1-based. */
function invalidFile(source: string, index: number, expected: string, found: string): AccordError {
  const place = `line ${index + 1}`
  return new AccordError('INVALID_SHAPE', 'invalid METEOR data file', { source, place, expected, found })
}

function startsWithDigit(line: string): boolean {
  const code = line.charCodeAt(0)
  return code >= 48 && code <= 57
}

function parseSynset(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined
}

function parseForm(text: string): string {
  return text
}

function isNotBlank(text: string): boolean {
  return text.trim() !== ''
}

function stripCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Identifies a version of the data in a signature: the first 12 hex digits of its SHA-256 hash. */
function fingerprint(...files: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file)
  return hash.digest('hex').slice(0, 12)
}

/** The words of WordNet as METEOR reads them: what the text files of a METEOR data folder contain. */
interface WordNetContent {
  /** Synset numbers by lemma, one or more each. */
  readonly synsets: ReadonlyMap<string, readonly number[]>
  /** Irregular forms by base form. */
  readonly forms: ReadonlyMap<string, readonly string[]>
}

const WORDNET = 0x41575832

/** Lists of a row: synset numbers, and rows of the base forms. */
const SYNSET_LIST = 0
const BASES = 1
const LIST_COUNT = 2

/**
 * A file from which words are looked up without parsing it first.
 *
 * @throws RangeError for a word with other characters than ASCII
 */
export function encodeWordNet({ synsets, forms }: WordNetContent): Uint8Array {
  const bases = new Map<string, string[]>()
  for (const [base, formsOfBase] of forms) {
    for (const form of formsOfBase) bases.set(form, [...(bases.get(form) ?? []), base])
  }
  const words = [...new Set([...synsets.keys(), ...forms.keys(), ...bases.keys()])]
  const rowOf = new Map(words.map((word, row) => [word, row]))
  const basesOf = (word: string) => (bases.get(word) ?? []).map((base) => rowOf.get(base) as number)
  return encodeTextIndex(
    WORDNET,
    LIST_COUNT,
    words.map((word) => [word, synsets.get(word) ?? [], basesOf(word)]),
  )
}

/** The tables of an encoded file, null where the bytes are not one. @param name enters signatures of metrics */
export function decodeWordNet(bytes: Uint8Array, name: string): WordNetTables | null {
  const index = decodeTextIndex(bytes, WORDNET)
  if (!index) return null
  const listOf = (word: string, list: number) => {
    const row = index.find(word)
    const values = row < 0 ? [] : Array.from(index.valuesOf(row, list))
    return values.length === 0 ? undefined : values
  }
  return {
    name,
    synsetsOf: (lemma) => listOf(lemma, SYNSET_LIST),
    baseFormsOf: (form) => listOf(form, BASES)?.map(index.textOf),
  }
}

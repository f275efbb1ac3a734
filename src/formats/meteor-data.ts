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

/** Names in signatures of what comes with Accord, and of METEOR's own files where they say the same. */
const SHIPPED_WORDNET = 'WordNet-3.0'
const SHIPPED_FUNCTION_WORDS = 'METEOR-1.5'
const FINGERPRINT_OF_METEORS_WORDNET = 'd4e3ad46f0ce'

/** Where `npm run build` puts the WordNet files: seen from the compiled module, and from its source. */
const SHIPPED_FOLDERS = ['../../resources/meteor/', '../../dist/resources/meteor/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

type FunctionWords = Pick<MeteorResources, 'functionWords' | 'functionWordsName'>

const SHIPPED_WORDS: FunctionWords = {
  functionWords: ENGLISH_FUNCTION_WORDS,
  functionWordsName: SHIPPED_FUNCTION_WORDS,
}

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
  if (folder === undefined) return { ...SHIPPED_WORDS, wordNet: readShippedWordNet() }
  const has = inspectFolder(folder)
  return {
    ...(has(FUNCTION_WORDS) ? readFunctionWords(join(folder, FUNCTION_WORDS)) : SHIPPED_WORDS),
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
  if (folder !== undefined) return readWordNet(folder, SHIPPED_WORDNET)
  throw new AccordError('RESOURCE_MISSING', 'the WordNet files that METEOR needs are not built', {
    source: SHIPPED_FOLDERS.at(-1),
    expected: `${SYNSETS}, made by npm run build`,
    found: 'none',
  })
}

function readFunctionWords(path: string): FunctionWords {
  const bytes = readWhole(path)
  const functionWords = new Set(bytes.toString('utf8').split('\n').map(withoutReturn))
  functionWords.delete('')
  const isShipped =
    functionWords.size === ENGLISH_FUNCTION_WORDS.size &&
    [...functionWords].every((word) => ENGLISH_FUNCTION_WORDS.has(word))
  return isShipped ? SHIPPED_WORDS : { functionWords, functionWordsName: `sha256:${fingerprint(bytes)}` }
}

function openParaphrases(path: string): ParaphraseTable {
  return {
    name: `sha256:${fingerprint(readFileSync(path))}`,
    entriesOf: (words) => readParaphrases(path, words),
  }
}

function readWordNet(folder: string, name?: string): WordNetTables {
  const synsets = readPairs(join(folder, SYNSETS), 'a lemma', 'synset numbers', beginsWithDigit, parseSynset)
  const exceptions = readPairs(
    join(folder, EXCEPTIONS),
    'a base form',
    'irregular forms',
    isFilled,
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
    name: name ?? nameOfWordNet(fingerprint(synsets.bytes, exceptions.bytes)),
    synsetsOf: (lemma) => synsets.valuesOf(lemma),
    baseFormsOf: (form) => basesOf.get(form),
  }
}

function nameOfWordNet(print: string): string {
  return print === FINGERPRINT_OF_METEORS_WORDNET ? SHIPPED_WORDNET : `sha256:${print}`
}

/**
 * Reads a file of line pairs: a key, and below it its values. As only few of WordNet's lemmas are ever looked
 * up, reading checks how values begin, and looking up the rest of them.
 */
function readPairs<T>(
  path: string,
  key: string,
  expected: string,
  begins: (line: string) => boolean,
  parse: (value: string) => T | undefined,
) {
  const bytes = readWhole(path)
  const lines = bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  const lineOf = new Map<string, number>()
  const parsed = new Map<number, readonly T[]>()
  for (let i = 0; i < lines.length; i += 2) {
    const name = withoutReturn(lines[i])
    if (name === '') throw misshapen(path, i, key, 'an empty line')
    if (i + 1 === lines.length) throw misshapen(path, i + 1, expected, 'the end of the file')
    if (!begins(lines[i + 1])) throw misshapen(path, i + 1, expected, quote(withoutReturn(lines[i + 1])))
    lineOf.set(name, i + 1)
  }
  if (lineOf.size === 0) throw misshapen(path, 0, key, 'the end of the file')
  return {
    bytes,
    keys: lineOf.keys(),
    valuesOf(name: string): readonly T[] | undefined {
      const index = lineOf.get(name)
      if (index === undefined) return undefined
      const known = parsed.get(index)
      if (known !== undefined) return known
      const values = withoutReturn(lines[index]).trim().split(/ +/).map(parse)
      if (values.includes(undefined)) throw misshapen(path, index, expected, quote(lines[index]))
      parsed.set(index, values as T[])
      return values as T[]
    },
  }
}

/** `index` counts lines from 0, the message from 1. */
function misshapen(source: string, index: number, expected: string, found: string): AccordError {
  const place = `line ${index + 1}`
  return new AccordError('INVALID_SHAPE', 'not a METEOR file', { source, place, expected, found })
}

function beginsWithDigit(line: string): boolean {
  const code = line.charCodeAt(0)
  return code >= 48 && code <= 57
}

function parseSynset(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined
}

function parseForm(text: string): string {
  return text
}

function isFilled(text: string): boolean {
  return text.trim() !== ''
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

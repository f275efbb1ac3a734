import { createHash } from 'node:crypto'
import { createLemmatizer, type Lexicon, type WordClass } from '../../core/text/lemmatizer.js'
import { createJudgement, type SceneGraphModel } from '../../core/text/scene-graph/decisions.js'
import { createSceneGraphParser, type SceneGraphParser } from '../../core/text/scene-graph.js'
import { createPennTagger, type TaggerModel } from '../../core/text/tagger.js'
import type { Feature } from '../../core/text/tagger-features.js'
import { builtFile, readBuilt } from '../io/built-files.js'
import { readWhole } from '../io/files.js'
import { decodeTextIndex, encodeTextIndex, type TextIndexRow } from '../io/text-index.js'

/**
 * Reads the words of WordNet 3.0 for the tagger and the lemmatizer.
 *
 * @throws AccordError RESOURCE_MISSING if the package has not been built; INVALID_SHAPE for another file
 */
export function readLexicon(): Lexicon {
  return readResource('english.lexicon', decodeLexicon)
}

/** Reads the model of the part-of-speech tagger. */
export function readTaggerModel(): TaggerModel {
  return readResource('english.tagger', decodeTaggerModel)
}

/** Reads what the scene graph parser has learned. */
function readSceneGraphModel(): SceneGraphModel {
  return readResource('english.scene-graphs', decodeSceneGraphModel)
}

/** The parser of scene graphs. Its data are read when the first caption is parsed. */
export function openSceneGraphParser(): SceneGraphParser {
  let parser: SceneGraphParser | undefined
  return (caption) => {
    parser ??= loadSceneGraphParser()
    return parser(caption)
  }
}

function loadSceneGraphParser(): SceneGraphParser {
  const lexicon = readLexicon()
  const tagger = createPennTagger(readTaggerModel(), lexicon)
  return createSceneGraphParser(tagger, createLemmatizer(lexicon), createJudgement(readSceneGraphModel()))
}

/** SHA-256, in hexadecimal digits, of the files that {@link openSceneGraphParser} reads. */
export function hashSceneGraphData(): string {
  const hash = createHash('sha256')
  for (const name of ['english.lexicon', 'english.tagger', 'english.scene-graphs']) {
    hash.update(`${name}\0`).update(readWhole(findResource(name)))
  }
  return hash.digest('hex')
}

function readResource<Content>(name: string, decode: (bytes: Uint8Array) => Content | null): Content {
  return readBuilt(findResource(name), decode, 'language data')
}

function findResource(name: string): string {
  return builtFile(`english/${name}`, 'the language data')
}

/** What WordNet says of a word: its lemmas with their frequency, and the lemmas of an irregular form. */
interface LexiconEntry {
  readonly counts: readonly (readonly [wordClass: WordClass, count: number])[]
  readonly bases: readonly (readonly [wordClass: WordClass, base: string])[]
}

const LEXICON = 0x4c455831

/** Lists of a row: pairs of a class and a count, and pairs of a class and the row of a base. */
const COUNTS = 0
const BASES = 1
const LIST_COUNT = 2

const CLASSES: readonly WordClass[] = ['n', 'v', 'a', 'r']

/** Encodes a lexicon as a file that is searched without being parsed first. */
export function encodeLexicon(entries: ReadonlyMap<string, LexiconEntry>): Uint8Array {
  const bases = [...entries.values()].flatMap((entry) => entry.bases.map(([, base]) => base))
  const words = [...new Set([...entries.keys(), ...bases])]
  const rowOf = new Map(words.map((word, row) => [word, row]))
  return encodeTextIndex(
    LEXICON,
    LIST_COUNT,
    words.map((word) => {
      const { counts = [], bases = [] } = entries.get(word) ?? {}
      const classOf = CLASSES.indexOf.bind(CLASSES)
      return [
        word,
        counts.flatMap(([wordClass, count]) => [classOf(wordClass), count]),
        bases.flatMap(([wordClass, base]) => [classOf(wordClass), rowOf.get(base) as number]),
      ]
    }),
  )
}

/** Returns the lexicon of an encoded file, null if the bytes are not one. */
export function decodeLexicon(bytes: Uint8Array): Lexicon | null {
  const index = decodeTextIndex(bytes, LEXICON)
  if (!index) return null
  const valuesOf = (word: string, list: number, wordClass: WordClass) => {
    const row = index.find(word)
    if (row < 0) return []
    const pairs = index.valuesOf(row, list)
    const values: number[] = []
    for (let i = 0; i < pairs.length; i += 2) if (CLASSES[pairs[i]] === wordClass) values.push(pairs[i + 1])
    return values
  }
  return {
    countOf: (word, wordClass) => valuesOf(word, COUNTS, wordClass)[0],
    basesOf: (form, wordClass) => valuesOf(form, BASES, wordClass).map(index.textOf),
  }
}

const SCENE_GRAPH = 0x53434732

/** Starts the rows of names that have variants, and those of the variants. */
const NAME = '='
const VARIANT = '"'

/**
 * Encodes the text that scripts/train-scene-graphs.js writes: a line per feature with its weight, and a line per name,
 * which starts with "=" and its kind, with its variants; separated by tabs. Those with other characters than ASCII are
 * left out.
 */
export function encodeSceneGraphModel(text: string): Uint8Array {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => /^\p{ASCII}*$/u.test(line))
    .map((line) => line.split('\t'))
  const rowOf = new Map<string, number>()
  for (const [name, ...variants] of lines)
    if (name.startsWith(NAME))
      for (const variant of variants) if (!rowOf.has(variant)) rowOf.set(variant, rowOf.size)
  const variantRows = [...rowOf.keys()].map((variant): TextIndexRow => [`${VARIANT}${variant}`, []])
  const rows = lines.map(([name, ...values]): TextIndexRow => {
    const numbers = values.map((value) => (name.startsWith(NAME) ? rowOf.get(value)! : Number(value)))
    return [name, numbers]
  })
  return encodeTextIndex(SCENE_GRAPH, 1, [...variantRows, ...rows])
}

/** Returns the model of an encoded file, null if the bytes are not one. */
export function decodeSceneGraphModel(bytes: Uint8Array): SceneGraphModel | null {
  const index = decodeTextIndex(bytes, SCENE_GRAPH)
  if (!index) return null
  return {
    weightOf(feature) {
      const row = index.findJoined(feature, ' ')
      return row < 0 ? 0 : index.valuesOf(row, 0)[0]
    },
    variantsOf(kind, name) {
      const row = index.findJoined([`${NAME}${kind}`, name], ' ')
      if (row < 0) return []
      return Array.from(index.valuesOf(row, 0), (variant) => index.textOf(variant).slice(VARIANT.length))
    },
  }
}

const TAGGER = 0x54414731

/** The text of the row with the rows of all tags. Tags are upper-case, and texts of features have a tab. */
const TAGS = 'tags'

/**
 * Encodes the text that scripts/train-tagger.js writes: a line with the tags, followed by a line per feature with its
 * template, its value and pairs of `index:weight`, separated by tabs. Features with other characters than ASCII are
 * left out: they are typographic quotation marks and dashes, which the tokenizer replaces.
 */
export function encodeTaggerModel(text: string): Uint8Array {
  const [head, ...lines] = text.trimEnd().split('\n')
  const tags = head.split(' ')
  const rows: TextIndexRow[] = tags.map((tag) => [tag, []])
  rows.push([TAGS, tags.map((_, row) => row)])
  for (const line of lines) {
    const [template, value, weights = ''] = line.split('\t')
    const feature = textOf([template, value])
    if (/^\p{ASCII}*$/u.test(feature)) rows.push([feature, weights.split(/[ :]/).map(Number)])
  }
  return encodeTextIndex(TAGGER, 1, rows)
}

/** Returns the model of an encoded file, null if the bytes are not one. */
export function decodeTaggerModel(bytes: Uint8Array): TaggerModel | null {
  const index = decodeTextIndex(bytes, TAGGER)
  if (!index) return null
  return {
    tags: Array.from(index.valuesOf(index.find(TAGS), 0), index.textOf),
    weightsOf(feature) {
      const row = index.findJoined(feature, '\t')
      return row < 0 ? undefined : index.valuesOf(row, 0)
    },
  }
}

function textOf([template, value]: Feature): string {
  return `${template}\t${value}`
}

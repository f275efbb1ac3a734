import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLemmatizer } from '../../core/text/lemmatizer.js'
import type { Lexicon } from '../../core/text/lexicon.js'
import { createJudgement, type SceneGraphModel } from '../../core/text/scene-graph/decisions.js'
import { createSceneGraphParser, type SceneGraphParser } from '../../core/text/scene-graph.js'
import { createPennTagger, type TaggerModel } from '../../core/text/tagger.js'
import { AccordError } from '../../errors.js'
import { projectFile } from '../../project.js'
import { readWhole } from '../io/files.js'
import { decodeLexicon } from './lexicon-index.js'
import { decodeSceneGraphModel } from './scene-graph-index.js'
import { decodeTaggerModel } from './tagger-index.js'

/** Output folder of scripts/build-english-data.js. */
const FOLDER = projectFile('dist/resources/english/')

/**
 * Reads the words of WordNet 3.0 for the tagger and the lemmatizer.
 *
 * @throws AccordError RESOURCE_MISSING if the package has not been built; INVALID_SHAPE for another file
 */
export function readLexicon(): Lexicon {
  return readResource('english.lexicon', decodeLexicon)
}

/**
 * Reads the model of the part-of-speech tagger.
 *
 * @throws AccordError as {@link readLexicon}
 */
export function readTaggerModel(): TaggerModel {
  return readResource('english.tagger', decodeTaggerModel)
}

/**
 * Reads what the scene graph parser has learned.
 *
 * @throws AccordError as {@link readLexicon}
 */
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

/**
 * SHA-256, in hexadecimal digits, of the files that {@link openSceneGraphParser} reads.
 *
 * @throws AccordError as {@link readLexicon}
 */
export function hashSceneGraphData(): string {
  const hash = createHash('sha256')
  for (const name of ['english.lexicon', 'english.tagger', 'english.scene-graphs']) {
    hash.update(`${name}\0`).update(readWhole(findResource(name)))
  }
  return hash.digest('hex')
}

function readResource<Content>(name: string, decode: (bytes: Uint8Array) => Content | null): Content {
  const path = findResource(name)
  const content = decode(readWhole(path))
  if (content !== null) return content
  throw new AccordError('INVALID_SHAPE', 'invalid language data', {
    source: path,
    expected: 'a file created by npm run build on this kind of machine',
    found: 'other content',
  })
}

function findResource(name: string): string {
  const path = join(FOLDER, name)
  if (existsSync(path)) return path
  throw new AccordError('RESOURCE_MISSING', 'the language data have not been built', {
    source: FOLDER,
    expected: `${name}, created by npm run build`,
    found: 'none',
  })
}

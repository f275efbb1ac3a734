import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AccordError } from '../errors.js'
import type { Lexicon } from '../text/lexicon.js'
import type { TaggerModel } from '../text/tagger.js'
import { readWhole } from './files.js'
import { decodeLexicon } from './lexicon-index.js'
import { decodeTaggerModel } from './tagger-index.js'

/** Output folder of scripts/build-english-data.js, relative to the compiled module and to the source. */
const FOLDERS = ['../../resources/english/', '../../dist/resources/english/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

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

function readResource<Content>(name: string, decode: (bytes: Uint8Array) => Content | null): Content {
  const path = FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (path === undefined) {
    throw new AccordError('RESOURCE_MISSING', 'the data of the part-of-speech tagger has not been built', {
      source: FOLDERS.at(-1),
      expected: `${name}, created by npm run build`,
      found: 'none',
    })
  }
  const content = decode(readWhole(path))
  if (content !== null) return content
  throw new AccordError('INVALID_SHAPE', 'invalid data of the part-of-speech tagger', {
    source: path,
    expected: 'a file created by npm run build on this kind of machine',
    found: 'other content',
  })
}

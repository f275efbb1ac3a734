import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readCocoCaptions } from '../../src/formats/coco-captions.js'
import { checkResults, readCocoResults } from '../../src/formats/coco-results.js'
import { readVocabulary } from '../../src/formats/vocabulary.js'
import { readWordScores } from '../../src/formats/word-scores.js'

const folder = fileURLToPath(new URL('../../../shared/data/coco/', import.meta.url))
const present = existsSync(folder)
if (!present) console.warn(`SKIPPED: the real files are not at ${folder}`)

const file = (name: string) => `${folder}${name}`

describe.skipIf(!present)('the real files', () => {
  const read = () => readCocoCaptions(file('captions_val2017.json'))
  const imageIds = () => new Set(read().images.map((image) => image.externalId))

  it('captions of COCO val2017', () => {
    const { images, captions, firstCaption } = read()
    expect(images).toHaveLength(5000)
    expect(captions).toHaveLength(25_014)
    expect(images[0]).toEqual({
      externalId: '397133',
      fileName: '000000397133.jpg',
      url: 'http://images.cocodataset.org/val2017/000000397133.jpg',
      width: 640,
      height: 427,
    })
    const counts = images.map((_, i) => firstCaption[i + 1] - firstCaption[i])
    expect(counts.filter((count) => count === 5)).toHaveLength(4987)
    expect(counts.every((count) => count >= 5 && count <= 7)).toBe(true)
    const ordered = images.every((_, i) => {
      const ids = captions
        .slice(firstCaption[i], firstCaption[i + 1])
        .map((caption) => Number(caption.externalId))
      return ids.every((id, j) => j === 0 || id > ids[j - 1])
    })
    expect(ordered).toBe(true)
    expect(captions.find((caption) => caption.externalId === '38')?.text).toBe(
      'A black Honda motorcycle parked in front of a garage.',
    )
  })

  it.each(['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016'])('results of %s', (system) => {
    const source = file(`captions_val2017_${system}_results.json`)
    const { captions, missing } = checkResults(readCocoResults(source), imageIds(), {
      source,
      allowMissing: false,
    })
    expect(captions).toHaveLength(5000)
    expect(missing).toEqual([])
  })

  it('the vocabulary', () => {
    const words = readVocabulary(file('vocabulary_1000.csv'))
    expect(words).toHaveLength(1000)
    expect(words[0]).toEqual({ word: 'a', partOfSpeech: 'DT' })

    const count = (tag: string) => words.filter((word) => word.partOfSpeech === tag).length
    expect(['DT', 'IN', 'JJ', 'NN', 'PRP', 'VB', 'OTHER'].map(count)).toEqual([10, 38, 119, 616, 11, 176, 30])
  })

  it('word scores: the dense file scores every image, the sparse one 50 words of each', () => {
    const known = imageIds()
    const words = readVocabulary(file('vocabulary_1000.csv')).map((entry) => entry.word)
    const labels = { imageIdsFile: file('word_scores_val2017_image_ids.json'), words }
    const dense = readWordScores(file('word_scores_val2017_ensemble9.npy'), labels, known, false)
    const sparse = readWordScores(file('word_scores_val2017_ensemble3.jsonl.gz'), undefined, known, false)
    expect(dense.imageIds).toHaveLength(5000)
    expect(dense.column(999).scores).toHaveLength(5000)
    expect(sparse.imageIds).toEqual(dense.imageIds)
    const counts = sparse.words.map((_, index) => sparse.column(index).scores.length)
    expect(counts.reduce((sum, count) => sum + count)).toBe(250_000)
    expect(sparse.words.every((word) => words.includes(word))).toBe(true)
    const { images, scores } = sparse.column(sparse.words.indexOf('table'))
    expect(scores[images.indexOf(sparse.imageIds.indexOf('139'))]).toBe(0.386475)
  })
})

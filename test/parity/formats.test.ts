import { describe, expect, it } from 'vitest'
import { readResults } from '../../src/formats/captions/caption-files.js'
import {
  type Annotation,
  type DescribedImage,
  readCocoCaptions,
} from '../../src/formats/coco/coco-captions.js'
import { checkResults } from '../../src/formats/coco/coco-results.js'
import { readVocabulary } from '../../src/formats/words/vocabulary.js'
import { readWordScores, type WordScores } from '../../src/formats/words/word-scores.js'
import { dataFile, dataPresent } from '../kit/data.js'

const SYSTEMS = ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016']

const file = (name: string) => dataFile(`coco/${name}`)
const present = dataPresent('reading the real files', [
  'coco/captions_val2017.json',
  ...SYSTEMS.map((system) => `coco/captions_val2017_${system}_results.json`),
  'coco/vocabulary_1000.csv',
  'coco/word_scores_val2017_image_ids.json',
  'coco/word_scores_val2017_ensemble9.npy',
  'coco/word_scores_val2017_ensemble3.jsonl.gz',
])

describe.skipIf(!present)('the real files', () => {
  function read() {
    const images: DescribedImage[] = []
    const annotations: Annotation[] = []
    const imageOfKey = readCocoCaptions(file('captions_val2017.json'), {
      addImage: (image) => images.push(image),
      addAnnotation: (annotation) => annotations.push(annotation),
    })
    return { images, annotations, imageOfKey }
  }
  const imageIds = () => new Set(read().images.map((image) => image.externalId))

  it('reads the captions of COCO val2017', () => {
    const { images, annotations, imageOfKey } = read()
    expect(images).toHaveLength(5000)
    expect(annotations).toHaveLength(25_014)
    expect(images[0]).toEqual({
      externalId: '397133',
      fileName: '000000397133.jpg',
      url: 'http://images.cocodataset.org/val2017/000000397133.jpg',
      width: 640,
      height: 427,
    })
    const counts = new Array(5000).fill(0)
    for (const { imageKey } of annotations) counts[imageOfKey[imageKey]]++
    expect(counts.filter((count) => count === 5)).toHaveLength(4987)
    expect(counts.every((count) => count >= 5 && count <= 7)).toBe(true)
    const [motorcycle] = annotations.filter(({ rank }) => rank === 38)
    expect(motorcycle).toMatchObject({
      externalId: '38',
      text: 'A black Honda motorcycle parked in front of a garage.',
    })
    expect(images[imageOfKey[motorcycle.imageKey]].externalId).toBe('179765')
  })

  it.each(SYSTEMS)('results of %s', (system) => {
    const source = file(`captions_val2017_${system}_results.json`)
    let captions = 0
    const { missing } = checkResults(
      readResults(source),
      { ids: imageIds(), fileNames: new Map(), uncaptioned: new Set() },
      { source, isMissingAllowed: false },
      () => {
        captions++
      },
    )
    expect(captions).toBe(5000)
    expect(missing).toEqual([])
  })

  it('reads the published vocabulary: 1000 words and their parts of speech', () => {
    const words = readVocabulary(file('vocabulary_1000.csv'))
    expect(words).toHaveLength(1000)
    expect(words[0]).toEqual({ word: 'a', partOfSpeech: 'DT' })

    const count = (tag: string) => words.filter((word) => word.partOfSpeech === tag).length
    expect(['DT', 'IN', 'JJ', 'NN', 'PRP', 'VB', 'OTHER'].map(count)).toEqual([10, 38, 119, 616, 11, 176, 30])
  })

  it('reads word scores: the dense file scores every image, the sparse one 50 words of each', () => {
    const known = imageIds()
    const words = readVocabulary(file('vocabulary_1000.csv')).map((entry) => entry.word)
    const labels = { imageIdsFile: file('word_scores_val2017_image_ids.json'), words }
    const dense = readWordScores(file('word_scores_val2017_ensemble9.npy'), labels, known, false)
    const sparse = readWordScores(file('word_scores_val2017_ensemble3.jsonl.gz'), undefined, known, false)
    const columnsOf = (scores: WordScores) => [...scores.columns(new Set(scores.words.keys()))]
    expect(dense.imageIds).toHaveLength(5000)
    expect(columnsOf(dense).map(({ scores }) => scores.length)).toEqual(new Array(1000).fill(5000))
    expect(sparse.imageIds).toEqual(dense.imageIds)
    expect(columnsOf(sparse).reduce((sum, { scores }) => sum + scores.length, 0)).toBe(250_000)
    expect(sparse.words.every((word) => words.includes(word))).toBe(true)
    const [{ images, scores }] = sparse.columns(new Set([sparse.words.indexOf('table')]))
    expect(scores[images.indexOf(sparse.imageIds.indexOf('139'))]).toBe(0.386475)
    dense.close()
    sparse.close()
  })
})

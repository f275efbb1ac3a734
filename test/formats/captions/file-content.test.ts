import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recognizeContent } from '../../../src/formats/captions/file-content.js'
import { captionFormats } from '../../kit/caption-formats.js'
import { cocoCaptions, cocoResults, npyScores, scoreLines, vocabulary } from '../../kit/coco.js'
import { WRITTEN_FILES } from '../../kit/written-files.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const HUMAN = { 1: ['A dog.', 'The dog.'], 2: ['A cat.', 'Cats.'] }
const RESULTS = { 1: 'A dog.', 2: 'A cat.' }

const OTHERS: readonly [kind: string | undefined, name: string, content: string | Buffer | object][] = [
  ['CAPTIONS', 'coco.json', cocoCaptions(HUMAN)],
  // Of people in COCO's format, also where each image has one caption.
  ['CAPTIONS', 'one.json', cocoCaptions({ 1: ['A dog.'], 2: ['A cat.'] })],
  ['CAPTIONS', 'coco.json.gz', cocoCaptions(HUMAN)],
  ['RESULTS', 'results.json', cocoResults(RESULTS)],
  ['WORD_SCORES', 'scores.npy', npyScores([[0.5, 0.25]])],
  ['WORD_SCORES', 'scores.jsonl', scoreLines({ 1: { dog: 0.5 } })],
  ['VOCABULARY', 'words.csv', vocabulary({ dog: 'NN' })],
  ['JUDGEMENTS', 'ratings.jsonl', '{"image_id": 1, "captions": [{"caption": "A dog.", "ratings": [1, 2]}]}'],
  ['JUDGEMENTS', 'pairs.jsonl', '{"image_id": 1, "captions": ["A dog.", "A cat."], "preferred": 0}'],
  ['JUDGEMENTS', 'battles.json', [{ image: '1', caption1: 'A dog.', caption2: 'A cat.', winner: 'equal' }]],
  ['JUDGEMENTS', 'polaris.csv', ',mt,refs,score,imgid\n0,A dog.,"[\'a\']",0.75,1.jpg\n'],
  ['JUDGEMENTS', 'ratings.csv', 'image,caption,rating\n1,A dog.,3\n'],
  ['RESULTS', 'winner.csv', 'image,caption\n1,The winner\n2,"a rating, a winner"\n'],
  [
    'BOXES',
    'boxes.json',
    { images: [{ image_id: 1, boxes: [{ id: 1, concept: 'dog', bbox: [0, 0, 1, 1] }] }] },
  ],
  ['OBJECTS', 'objects.csv', 'image_id,objects\n1,dog|person\n'],
  ['DESCRIPTIONS', 'mentions.json', [{ image_id: 1, mentions: [1] }]],
  [undefined, 'empty.json', ''],
  [undefined, 'list.json', '[]'],
  [undefined, 'prose.txt', 'Nothing that is known.\nNothing else.\n'],
  [undefined, 'broken.json', '[{"image_id": 1, "caption": '],
  [undefined, 'picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
]

describe('a file', () => {
  it.each(OTHERS)('is %s: %s', (kind, name, content) => {
    expect(recognizeContent(write(name, content))?.kind).toBe(kind)
  })

  it.each(captionFormats(HUMAN).filter(({ imageIds }) => imageIds === undefined))(
    'of captions of people is one in $format',
    ({ name, content, format }) => {
      expect(recognizeContent(write(name, content))).toEqual({ kind: 'CAPTIONS', format, images: ['1', '2'] })
    },
  )

  const one = { 1: ['A dog.'], 2: ['A cat.'] }
  it.each(captionFormats(one).filter(({ imageIds }) => imageIds === undefined))(
    'of captions of a system is one in $format',
    ({ name, content, format }) => {
      expect(recognizeContent(write(name, content))).toEqual({ kind: 'RESULTS', format, images: ['1', '2'] })
    },
  )
})

describe('a file as programs write it', () => {
  it.each(WRITTEN_FILES.filter(({ reading }) => reading === 'READ'))(
    'is recognized: $what',
    ({ content, captions }) => {
      const areSeveral = captions.some(({ length }) => length > 1)
      const kind = recognizeContent(write('written', content))?.kind
      expect(kind).toMatch(areSeveral ? /^CAPTIONS$/ : /^(CAPTIONS|RESULTS)$/)
    },
  )

  it.each(WRITTEN_FILES.filter(({ what }) => /^(Excel|a tar of files|a pickle)$/.test(what)))(
    'is refused as such: $what',
    ({ content, reading }) => {
      const { refused } = reading as { readonly refused: RegExp }
      expect(failure(() => recognizeContent(write('written', content)))).toMatch(refused)
    },
  )
})

const cases = new URL('../../../../shared/cases/captions/', import.meta.url).pathname

describe.skipIf(!existsSync(cases))('files that people have', () => {
  /** Files whose images have one caption each. */
  const OF_ONE = ['r_msrvtt.json']
  it.each(readdirSync(existsSync(cases) ? cases : '.'))('%s is recognized', (name) => {
    const isOfPeople = /^(r_|refs)/.test(name) && !OF_ONE.includes(name)
    expect(recognizeContent(join(cases, name))?.kind).toBe(isOfPeople ? 'CAPTIONS' : 'RESULTS')
  })
})

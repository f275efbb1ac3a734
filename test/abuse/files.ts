import { gzipSync } from 'node:zlib'
import type { ArtefactHeader } from '../../src/core/composite/artefact.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import { encodeArtefact, finishArtefact } from '../../src/formats/models/artefact-file.js'
import { PARK, PARK_RESULTS, PARK_SCORES, PARK_VOCABULARY } from '../cli/kit.js'
import { captionFormats } from '../kit/caption-formats.js'
import { npyScores } from '../kit/coco.js'
import { matFile } from '../kit/mat.js'
import { parksFile } from '../kit/parks.js'

/**
 * Files that no reader accepts, generated from a seed: valid files of every format that were damaged in ways that leave none
 * of them valid.
 */
export interface AbusiveFile {
  readonly name: string
  readonly content: Buffer
  /** The command that reads it. */
  readonly command: string
}

/** A format, with a valid file of it. */
interface Reader {
  readonly extension: string
  readonly content: Buffer | string | object
  /** `FILE` stands for the name of the file. */
  readonly command: string
  /** Keys of JSON objects without which the file is not valid. */
  readonly required?: readonly string[]
  /** Whether a damaged file is a valid one by chance. */
  readonly isValid?: (text: string) => boolean
}

const BOXES = {
  images: [
    { image_id: 1, boxes: [{ id: 1, concept: 'dog', bbox: [0, 0, 10, 10] }] },
    { image_id: 2, boxes: [{ id: 1, concept: 'man', bbox: [5, 5, 10, 10], attributes: ['tall'] }] },
  ],
  descriptions: [{ id: 'a', image_id: 1, mentions: [1] }],
}

const INSTANCES = {
  images: [{ id: 1 }, { id: 2 }],
  categories: [{ id: 7, name: 'dog' }],
  annotations: [{ id: 1, image_id: 1, category_id: 7, bbox: [0, 0, 5, 5] }],
}

const JUDGEMENTS = [
  { image_id: 1, references: ['a dog'], captions: [{ caption: 'a dog', ratings: [1, 2] }] },
  { image_id: 2, references: ['a cat'], captions: [{ caption: 'a bird', ratings: { anna: 3 } }] },
]

const CLIPSCORE = {
  1: { image_path: '1.jpg', ground_truth: ['a dog'], human_judgement: [{ caption: 'a cat', rating: 1 }] },
  2: { image_path: '2.jpg', ground_truth: ['a cat'], human_judgement: [{ caption: 'a bird', rating: 2.5 }] },
}

const FOIL = {
  annotations: [
    { id: 7, image_id: 1, caption: 'a dog runs', foil: false },
    { id: 7, image_id: 1, caption: 'a cat runs', foil: true },
  ],
}

const THUMB = [
  { SYS: 'S-A', seg_id: '1', hyp: 'a dog', image: '1', human_score: 3.4 },
  { SYS: 'Human', seg_id: '1', hyp: 'a cat', image: '1', human_score: 4 },
]

const BATTLES = [
  { image: 1, caption1: 'a dog', caption2: 'a cat', source1: 'A', source2: 'B', winner: 'A' },
  { image: 2, caption1: 'a dog', caption2: 'a cat', source1: 'A', source2: 'B', winner: 'tie' },
]

const POLARIS = `imgid,mt,score,refs
1.jpg,a dog runs,0.75,"['a dog', 'dogs']"
2.jpg,"a cat, asleep",0.5,"['a cat']"
`

const PASCAL_PAIRS = {
  fields: ['image', 'first', 'second'],
  elements: [
    ['1.jpg', 'a dog', 'a cat'],
    ['2.jpg', 'a man', 'a boy'],
  ],
}

/** The votes on the pairs of PASCAL-50S. */
export const PASCAL_VOTES = matFile({
  triplets: {
    fields: ['a', 'b', 'c', 'winner'],
    elements: [
      ['dogs', 'a dog', 'a cat', 1],
      ['a child', 'a man', 'a boy', -1],
    ],
  },
})

const feature = (metric: string) => ({ metric, signature: 'x', mean: 0.5, deviation: 0.1 })
const HEADER: ArtefactHeader = {
  format: 1,
  name: 'Two',
  features: [feature('ROUGE-L'), feature('BLEU-1')],
  network: { inputs: 2, hidden: [], activation: 'tanh', dropout: 0 },
  others: [],
  training: {
    objective: 'ORIGIN',
    dataset: 'd',
    revision: 'r',
    systems: [],
    captionCount: 2,
    comparisonCount: 2,
    excludedImageCount: 0,
  },
  validation: { kind: 'RATINGS', dataset: 'v', revision: 'r', captionCount: 3 },
  seed: 1,
  epochs: [{ loss: 0.5, agreement: null }],
  bestEpoch: 0,
}
const ARTEFACT = encodeArtefact(finishArtefact(HEADER, Float64Array.of(0.5, 0.25, -1)))

const CAPTIONS: readonly Reader[] = captionFormats({
  1: ['a dog runs', 'a "dog"', 'one, two'],
  2: ['a man', 'a woman', 'people'],
  3: ['a cat', 'cats', 'the cat'],
})
  // Anything is valid in the other columns of the table.
  .filter(({ name, imageIds }) => imageIds === undefined && name !== 'wide.data')
  .map(({ name, content, format }) => ({
    extension: format === 'JSON Lines' ? 'jsonl' : name.endsWith('.json') ? 'json' : 'data',
    content,
    command: 'import captions FILE --dataset new',
    required: { 'karpathy.json': ['images', 'sentences', 'raw'], 'pairs.jsonl': ['caption'] }[name],
    // The first records of lines and rows are a file as well.
    isValid: (text) => !name.endsWith('.json') && content.startsWith(text),
  }))

/** Scores of the first two human captions of each image of the park. */
const PARK_FOLDS = [1, 2, 3, 4].flatMap((image_id) =>
  [1, 2].map((fold) => ({ image_id, fold, score: 0.1 * image_id + fold / 10 })),
)

const FOLDS_TABLE = `image_id\tfold\tscore
${PARK_FOLDS.map(({ image_id, fold, score }) => `${image_id}\t${fold}\t${score}\n`).join('')}`

const METRIC_SCORES = 'import metric-scores FILE --dataset park --metric New --metric-version 1 --range 0 1'

/** Whether a text is the first of several lines, which is a file as well. */
const isFirstLine = (text: string, lines: readonly object[]) => text.trim() === JSON.stringify(lines[0])

const READERS: readonly Reader[] = [
  {
    extension: 'json',
    content: PARK,
    command: 'import captions FILE --dataset new',
    // A caption without an id has the place of its record, and images are those of the captions where none are listed.
    required: ['annotations', 'image_id', 'caption'],
  },
  {
    extension: 'json',
    // Records one after another, in lines or not, of which there is one.
    content: JSON.stringify({ image: '1.jpg', captions: ['a dog', 'the dog'] }, null, 1),
    command: 'import captions FILE --dataset new',
    required: ['image', 'captions'],
  },
  {
    extension: 'json',
    content: {
      images: [{ id: '1', album_id: '4' }],
      annotations: [
        [{ photo_flickr_id: '1', original_text: 'a dog', album_id: '4' }],
        [{ photo_flickr_id: '1', original_text: 'the dog', album_id: '4' }],
      ],
    },
    command: 'import captions FILE --dataset new',
    required: ['annotations', 'photo_flickr_id', 'original_text'],
  },
  {
    extension: 'csv',
    content: PARK_VOCABULARY,
    command: 'import captions park.json --dataset new --vocabulary FILE',
    // The first rows are a file as well, also if the last one is cut.
    isValid: (text) => PARK_VOCABULARY.startsWith(text),
  },
  {
    extension: 'json',
    content: PARK_RESULTS,
    command: 'import results FILE --dataset park --system new',
    required: ['image_id', 'caption'],
  },
  {
    extension: 'json',
    content: PARK_RESULTS,
    command: 'score park.json FILE',
    required: ['image_id', 'caption'],
  },
  {
    extension: 'csv',
    content: 'image_id,objects\n1,dog\n2,person|dog\n3,cat\n',
    command: 'score park.json results.json --metrics CHAIR --objects FILE',
    // The first rows are a file as well, and rows of other images are left out.
    isValid: (text) =>
      /^image_id,objects\n([^,\n]+,(dog|person|cat)?(\|dog)?\n?)+$/.test(text) && /^[123],/m.test(text),
  },
  {
    extension: 'csv',
    content: 'image_id,objects\n1,dog\n2,person|dog\n3,unicorn\n',
    command: 'import objects FILE --dataset park',
    // Any text is a name, and rows of other images are left out.
    isValid: (text) => /^image_id,objects\n([^,\n]*,[^,\n]*\n?)+$/.test(text) && /^[123],/m.test(text),
  },
  {
    extension: 'csv',
    content: 'object,words\ndog,dog|puppy\nperson,person|man\n',
    command: 'score park.json results.json --metrics CHAIR --object-words FILE --chair-compatible',
    // Any text is a word.
    isValid: (text) => /^object,words\n([^,\n]*[^,\s][^,\n]*,[^,\n]*[^,|\s][^,\n]*\n?|,?\n?)+$/.test(text),
  },
  {
    extension: 'json',
    content: INSTANCES,
    command: 'score park.json results.json --metrics CHAIR --objects FILE',
    required: ['annotations', 'image_id', 'category_id', 'name', 'bbox'],
  },
  {
    extension: 'json',
    content: PARK_RESULTS,
    command: 'coverage park.json FILE',
    required: ['image_id', 'caption'],
  },
  {
    extension: 'jsonl',
    content: PARK_SCORES,
    command: 'import scores FILE --dataset park --system new',
    required: ['image_id', 'words'],
  },
  {
    extension: 'npy',
    content: npyScores([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ]),
    command: 'import scores FILE --vocabulary columns.csv --image-ids ids.json --dataset park --system new',
  },
  {
    extension: 'json',
    content: BOXES,
    command: 'import boxes FILE --dataset park',
    required: ['images', 'image_id', 'boxes', 'id', 'concept', 'bbox', 'mentions'],
  },
  {
    extension: 'json',
    content: INSTANCES,
    command: 'import boxes FILE --dataset park',
    required: ['annotations', 'image_id', 'category_id', 'name', 'bbox'],
  },
  {
    extension: 'jsonl',
    content: JUDGEMENTS.map((line) => `${JSON.stringify(line)}\n`).join(''),
    command: 'import judgements FILE --dataset new',
    // A rater may have rated nothing.
    isValid: (text) => /"ratings":\{"wrong":(null|" *")\}/.test(text),
    required: ['image_id', 'references', 'captions', 'caption', 'ratings'],
  },
  {
    extension: 'jsonl',
    content: PARK_FOLDS.map((line) => `${JSON.stringify(line)}\n`).join(''),
    command: METRIC_SCORES,
    required: ['image_id', 'fold', 'score'],
  },
  { extension: 'json', content: PARK_FOLDS, command: METRIC_SCORES, required: ['image_id', 'fold', 'score'] },
  {
    extension: 'tsv',
    content: FOLDS_TABLE,
    command: METRIC_SCORES,
    // The last number may be cut.
    isValid: (text) => FOLDS_TABLE.startsWith(text),
  },
  {
    extension: 'json',
    content: CLIPSCORE,
    command: 'import judgements FILE --dataset new',
    required: ['ground_truth', 'human_judgement', 'caption', 'rating'],
    // An empty rating is a missing one.
    isValid: (text) => text.includes('"rating":""'),
  },
  {
    extension: 'json',
    content: FOIL,
    command: 'import judgements FILE --dataset park',
    required: ['annotations', 'id', 'image_id', 'caption', 'foil'],
  },
  {
    extension: 'jsonl',
    content: THUMB.map((line) => `${JSON.stringify(line)}\n`).join(''),
    command: 'import judgements FILE --dataset park',
    required: ['hyp', 'image', 'human_score', 'SYS'],
    isValid: (text) => text.includes('"human_score":""') || isFirstLine(text, THUMB),
  },
  {
    extension: 'jsonl',
    content: BATTLES.map((line) => `${JSON.stringify(line)}\n`).join(''),
    command: 'import judgements FILE --dataset park',
    required: ['image', 'caption1', 'caption2', 'winner'],
    isValid: (text) => isFirstLine(text, BATTLES),
  },
  {
    extension: 'csv',
    content: POLARIS,
    command: 'import judgements FILE --dataset new',
    // The first rows are a file as well, also if references are cut.
    isValid: (text) => POLARIS.startsWith(text),
  },
  {
    extension: 'mat',
    content: matFile({ new_input: PASCAL_PAIRS, category: [1, 4] }),
    command: 'import judgements FILE --captions votes.mat --dataset new',
  },
  {
    extension: 'csv',
    content: 'atom,visual,voter\ndog,yes,a\ncat,no,b\n"big, red",yes,c\n',
    command: 'import votes FILE --dataset park --kind entity',
    // The first rows are a file as well.
    isValid: (text) => /^atom,visual,voter\n(\w+,(yes|no),\w\n?)+$/.test(text),
  },
  {
    extension: 'json',
    content: JSON.parse(ARTEFACT),
    command: 'artefacts import FILE',
    required: [
      'accord',
      'hash',
      'header',
      'weights',
      'features',
      'metric',
      'mean',
      'network',
      'inputs',
      'bestEpoch',
    ],
  },
  {
    extension: 'model',
    content: '{"format":"accord bound model"}',
    command: 'bounds import FILE --dataset park',
  },
  {
    extension: 'json',
    content: { images: [1, 2].map((id) => ({ id, coco_url: `https://images.example/${id}.jpg` })) },
    command: 'collect create --images FILE --dataset new',
    required: ['images', 'id', 'coco_url'],
  },
  {
    extension: 'csv',
    content: parksFile(3),
    command: 'collect create --images FILE --dataset new',
    // The first rows are a file as well, also if the last address is cut.
    isValid: (text) => parksFile(3).startsWith(text),
  },
  {
    extension: 'json',
    content: { database: 'accord.sqlite' },
    command: 'datasets --config FILE',
    required: ['database'],
    isValid: (text) => text === '{}',
  },
  ...CAPTIONS,
  {
    extension: 'txt',
    content: 'dog 0.1 0.2 0.3\ncat 0.4 0.5 0.6\n',
    command: 'score park.json results.json --metrics WMD --embeddings FILE',
    isValid: (text) => /^(\S+( [\d.]+){2,}\s*)+$/.test(text),
  },
]

/** Makes a file of a format that is not valid. */
type Damage = (reader: Reader, random: Random) => Buffer

const text = ({ content }: Reader): string =>
  typeof content === 'string'
    ? content
    : Buffer.isBuffer(content)
      ? content.toString('latin1')
      : JSON.stringify(content)
const bytes = ({ content }: Reader): Buffer =>
  Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
const pick = <Item>(items: readonly Item[], random: Random): Item => items[random.below(items.length)]

/** The values of a text with one JSON value, or one on each line. */
const valuesOf = (reader: Reader): unknown[] =>
  reader.extension === 'jsonl'
    ? text(reader)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [JSON.parse(text(reader))]
const textOf = ({ extension }: Reader, values: readonly unknown[]): Buffer =>
  Buffer.from(values.map((value) => JSON.stringify(value)).join('\n') + (extension === 'jsonl' ? '\n' : ''))

type Holder = Record<string, unknown>

/** The objects in a value that have one of some keys, with the key. */
function membersOf(value: unknown, keys: readonly string[]): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value)
    ? []
    : Object.keys(value).flatMap((key): [Holder, string][] =>
        keys.includes(key) ? [[value as Holder, key]] : [],
      )
  return [...own, ...Object.values(value).flatMap((inner) => membersOf(inner, keys))]
}

const SYNTAX: readonly Damage[] = [
  (reader, random) => bytes(reader).subarray(0, 1 + random.below(bytes(reader).length - 3)),
  (reader, random) => {
    const content = text(reader)
    const place = 1 + random.below(content.length - 2)
    return Buffer.from(`${content.slice(0, place)}\u0000${content.slice(place)}`)
  },
  (reader, random) => {
    const [content, place] = [bytes(reader), 1 + random.below(bytes(reader).length - 2)]
    return Buffer.concat([content.subarray(0, place), Buffer.of(0xff, 0xc0), content.subarray(place)])
  },
  (_reader, random) =>
    Buffer.from(pick(['', ' ', 'null', '[]', '{}', '7', '"x"', 'NaN', '<xml/>', '\ufeff'], random)),
  (_reader, random) => Buffer.from(Array.from({ length: 1 + random.below(5000) }, () => random.below(256))),
  (_reader, random) => Buffer.from('['.repeat(100 + random.below(100_000))),
  (_reader, random) => Buffer.from('{"a":'.repeat(100 + random.below(100_000))),
  (reader, random) => {
    const zipped = gzipSync(bytes(reader))
    return zipped.subarray(0, 4 + random.below(zipped.length - 5))
  },
  (_reader, random) => Buffer.alloc(random.below(100_000) + 1),
]

const SHAPE: readonly Damage[] = [
  (reader, random) => changed(reader, random, (holder, key) => delete holder[key]),
  (reader, random) => {
    const wrong = pick<unknown>([null, true, {}, [[]], [{}], '', ' ', { a: { b: [] } }], random)
    return changed(reader, random, (holder, key) => {
      // What is right for some keys is wrong for others.
      holder[key] = typeof holder[key] === 'string' || wrong !== '' ? { wrong } : wrong
    })
  },
  (reader, random) => {
    const values = valuesOf(reader)
    const [, key] = pick(membersOf(values, reader.required!), random)
    const whole = textOf(reader, values).toString()
    return Buffer.from(whole.replace(`"${key}":`, `"${key}":null,"${key}":`))
  },
  (reader, random) => {
    const depth = 65 + random.below(500)
    const marker = '"DEEP"'
    const whole = changed(reader, random, (holder, key) => {
      holder[key] = 'DEEP'
    })
    return Buffer.from(whole.toString().replace(marker, `${'['.repeat(depth)}${']'.repeat(depth)}`))
  },
]

function changed(reader: Reader, random: Random, change: (holder: Holder, key: string) => void): Buffer {
  const values = valuesOf(reader)
  const [holder, key] = pick(membersOf(values, reader.required!), random)
  change(holder, key)
  return textOf(reader, values)
}

/** @returns `count` files, the same ones for the same seed */
export function abusiveFiles(count: number, seed: number): AbusiveFile[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index) => {
    const reader = READERS[index % READERS.length]
    const damages = reader.required && random.next() < 0.6 ? SHAPE : SYNTAX
    let content = pick(damages, random)(reader, random)
    while (reader.isValid?.(content.toString())) content = pick(damages, random)(reader, random)
    const name = `abuse${index}.${reader.extension}`
    return { name, content, command: reader.command.replace('FILE', name) }
  })
}

/**
 * Small files as programs and publications of captioning write them, all of the same two images: what a person brings. The content is
 * our own; keys, columns and layout are theirs.
 */

/** The captions of people of every file, and those of a system, by number of the image. */
const PEOPLE = [
  ['a dog runs on the grass', 'the dog is running'],
  ['a cat sleeps on a sofa', 'a sleeping cat'],
]
const SYSTEM = ['a dog on the grass', 'a cat on a sofa']

/** How a file is read: as it is, by the columns that its refusal names, or not, with this remedy. */
type Reading = 'READ' | { readonly columns: string } | { readonly refused: RegExp }

export interface WrittenFile {
  readonly what: string
  readonly content: string | Buffer | object
  readonly of: 'PEOPLE' | 'SYSTEM'
  readonly reading: Reading
  /** Names of the two images, as they are read. */
  readonly images: readonly [string, string]
  readonly captions: readonly (readonly string[])[]
}

const lines = (records: readonly object[]) =>
  `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
const NAMES = ['1.jpg', '2.jpg'] as const
const IDS = ['1', '2'] as const
const both = [0, 1]
const all = PEOPLE
const first = PEOPLE.map(([caption]) => [caption])
const ours = SYSTEM.map((caption) => [caption])
const listText = (captions: readonly string[]) => `"[${captions.map((one) => `'${one}'`).join(', ')}]"`

const people = (
  what: string,
  images: readonly [string, string],
  captions: readonly (readonly string[])[],
  content: WrittenFile['content'],
  reading: Reading = 'READ',
): WrittenFile => ({ what, of: 'PEOPLE', images, captions, content, reading })
const system = (
  what: string,
  images: readonly [string, string],
  content: WrittenFile['content'],
  reading: Reading = 'READ',
): WrittenFile => ({ what, of: 'SYSTEM', images, captions: ours, content, reading })

const vlmEvalKit = `index,image_path,answer,prediction\n${both
  .map((i) => `${i + 1},/x/${i + 1}.jpg,${listText(PEOPLE[i])},${SYSTEM[i]}`)
  .join('\n')}\n`

/** A sample of lmms-eval as it logs it for COCO. */
const lmmsEval = (i: number) => ({
  doc_id: i,
  target: PEOPLE[i],
  doc: {
    question_id: `COCO_val2014_${i}.jpg`,
    question: 'Please carefully observe the image.',
    answer: PEOPLE[i],
    id: i,
  },
  arguments: { 0: { until: ['\n\n'], max_new_tokens: 64 } },
  resps: [[SYSTEM[i]]],
  filtered_resps: [SYSTEM[i]],
  doc_hash: 'x',
  coco_CIDEr: { answer: PEOPLE[i], pred: SYSTEM[i], image_id: i },
})

const pretrained = (i: number) => ({
  id: `00000000000${i + 1}`,
  image: `coco/train2017/${i + 1}.jpg`,
  conversations: [
    { from: 'human', value: '<image>\nWhat do you see happening in this image?' },
    { from: 'gpt', value: PEOPLE[i][0] },
  ],
})

const crossmodal = (i: number) => ({
  cs: { caption: [`${i} na`], 'caption/tokenized': [`${i} na`] },
  de: { caption: PEOPLE[i], 'caption/tokenized': PEOPLE[i], 'caption/tokenized/lowercase': PEOPLE[i] },
  'image/key': NAMES[i],
  'image/locale': 'de',
})

const docci = (i: number) => ({
  example_id: `test_${i}`,
  split: 'test',
  image_file: NAMES[i],
  description: PEOPLE[i][0],
})

const story = (i: number) => [
  {
    original_text: PEOPLE[i][0],
    album_id: '44277',
    photo_flickr_id: NAMES[i],
    setting: 'first-2-pick-and-tell',
    worker_id: 'X',
    story_id: '30355',
    tier: 'story-in-sequence',
    worker_arranged_photo_order: i,
    text: 'tokenized text',
    storylet_id: `15177${i}`,
  },
]

const report = (i: number) => ({
  id: `CXR${i + 1}_IM`,
  report: PEOPLE[i][0],
  image_path: [`CXR${i + 1}_IM/0.png`, `CXR${i + 1}_IM/1.png`],
})

/** Lists by split: R2Gen's, whose records do not say their split here. */
export const SPLIT_FILE = people('R2Gen and IU X-ray', ['CXR1_IM', 'CXR2_IM'], first, {
  train: [report(0)],
  val: [],
  test: [report(1)],
})

/** What is read, and what is refused with the columns that read it, or with a remedy. */
export const WRITTEN_FILES: readonly WrittenFile[] = [
  system('VLMEvalKit, its predictions', IDS, vlmEvalKit.replaceAll(/\/x\/\d.jpg,|image_path,/g, '')),
  people('VLMEvalKit, its answers', ['/x/1.jpg', '/x/2.jpg'], all, vlmEvalKit),
  system('lmms-eval samples', ['0', '1'], lines(both.map(lmmsEval))),
  people('lmms-eval samples, their targets', ['0', '1'], all, lines(both.map(lmmsEval))),
  system('lmms-eval log', ['0', '1'], {
    args: { model: 'x' },
    model_configs: { task: 'coco' },
    logs: both.map(lmmsEval),
  }),
  system(
    'LLaVA',
    IDS,
    lines(
      both.map((i) => ({
        question_id: i + 1,
        prompt: 'Describe.',
        text: SYSTEM[i],
        answer_id: 'x',
        model_id: 'm',
        metadata: {},
      })),
    ),
  ),
  system(
    'LLaVA, concatenated JSON',
    IDS,
    both
      .map((i) => JSON.stringify({ question_id: i + 1, prompt: 'Describe.', text: SYSTEM[i] }, null, 2))
      .join(''),
  ),
  people(
    'predictions beside references',
    NAMES,
    all,
    both.map((i) => ({ image: NAMES[i], references: PEOPLE[i], prediction: SYSTEM[i] })),
  ),
  people('lists of predictions and references', IDS, all, { predictions: SYSTEM, references: PEOPLE }),
  system('lists of predictions and references, a system', IDS, { predictions: SYSTEM, references: PEOPLE }),
  people('predictions and references by image', IDS, all, {
    predictions: { 1: SYSTEM[0], 2: SYSTEM[1] },
    references: { 1: PEOPLE[0], 2: PEOPLE[1] },
  }),
  system('imgToEval', IDS, {
    overall: { CIDEr: 1.1 },
    imgToEval: Object.fromEntries(
      both.map((i) => [i + 1, { image_id: i + 1, caption: SYSTEM[i], CIDEr: 1 }]),
    ),
  }),
  people(
    'DCASE and Clotho',
    NAMES,
    all,
    `file_name,caption_reference_01,caption_reference_02\n${both.map((i) => [NAMES[i], ...PEOPLE[i]].join()).join('\n')}\n`,
  ),
  system(
    'DCASE and Clotho, a system',
    NAMES,
    `file_name,caption_predicted\n${both.map((i) => `${NAMES[i]},${SYSTEM[i]}\n`).join('')}`,
  ),
  people(
    'imagefolder metadata of Hugging Face',
    NAMES,
    first,
    lines(both.map((i) => ({ file_name: NAMES[i], text: PEOPLE[i][0] }))),
  ),
  people('DOCCI', NAMES, first, lines(both.map(docci))),
  people(
    'ImageInWords',
    NAMES,
    first,
    lines(
      both.map((i) => ({
        'image/key': NAMES[i],
        'image/url': `http://x/${i}`,
        IIW: PEOPLE[i][0],
        'IIW-P5B': 'x y',
      })),
    ),
  ),
  people(
    'DetailCaps',
    NAMES,
    PEOPLE,
    lines(
      both.map((i) => ({
        dataset: 'x',
        image: NAMES[i],
        GT_Caption_GPT4O: PEOPLE[i][0],
        GT_Caption_GPT4V: PEOPLE[i][1],
      })),
    ),
  ),
  people(
    'PixelProse',
    ['u1', 'u2'],
    first,
    `uid,url,key,status,original_caption,vlm_model,vlm_caption\n${both.map((i) => `u${i + 1},http://x/${i},k${i},success,ALT text,gemini,"${PEOPLE[i][0]}"\n`).join('')}`,
  ),
  people(
    'open_clip',
    NAMES,
    first,
    `filepath\ttitle\n${both.map((i) => `${NAMES[i]}\t${PEOPLE[i][0]}\n`).join('')}`,
  ),
  people(
    'Conceptual Captions',
    ['http://x/1.jpg', 'http://x/2.jpg'],
    first,
    both.map((i) => `${PEOPLE[i][0]}\thttp://x/${NAMES[i]}\n`).join(''),
    { columns: 'image=1,caption=0' },
  ),
  people(
    'OFA',
    NAMES,
    all,
    both
      .map((i) => `${i}\t${NAMES[i]}\t${PEOPLE[i].join('&&')}\tdog&&grass\t/9j/4AAQSkZJRgABAQEASABIAAD\n`)
      .join(''),
  ),
  people(
    'ImageCLEF',
    ['ROCO_1', 'ROCO_2'],
    first,
    both.map((i) => `ROCO_${i + 1}|${PEOPLE[i][0]}\n`).join(''),
    { columns: 'image=0,caption=1' },
  ),
  people(
    'ImageCLEF with a header',
    ['ROCO_1', 'ROCO_2'],
    first,
    `ID,Caption\n${both.map((i) => `ROCO_${i + 1},${PEOPLE[i][0]}\n`).join('')}`,
  ),
  SPLIT_FILE,
  people(
    'Visual Genome regions',
    ['11', '12'],
    first,
    both.map((i) => ({
      id: i,
      regions: [{ region_id: 11 + i, width: 8, height: 9, image_id: i, phrase: PEOPLE[i][0], y: 5, x: 4 }],
    })),
    { refused: /captions are of parts: expected .*, found regions of images$/ },
  ),
  people(
    'Visual Genome paragraphs',
    IDS,
    first,
    both.map((i) => ({ url: `http://x/${i}`, image_id: i + 1, paragraph: PEOPLE[i][0] })),
  ),
  people('VIST', NAMES, first, {
    images: both.map((i) => ({ id: NAMES[i], url_o: 'http://x', album_id: '4' })),
    albums: [{ id: '4' }],
    annotations: both.map(story),
  }),
  people(
    'ActivityNet Captions',
    ['v_1', 'v_2'],
    first,
    Object.fromEntries(
      both.map((i) => [
        `v_${i}`,
        {
          duration: 9,
          timestamps: [
            [0, 4],
            [4, 9],
          ],
          sentences: PEOPLE[i],
        },
      ]),
    ),
    { refused: /captions are of parts: expected .*, found segments of videos$/ },
  ),
  people('ShareGPT4V', ['coco/train2017/1.jpg', 'coco/train2017/2.jpg'], first, both.map(pretrained)),
  people('Crossmodal-3600', NAMES, all, lines(both.map(crossmodal).map(({ cs: _cs, ...rest }) => rest)), {
    columns: 'image=image/key,caption=de.caption',
  }),
  people(
    'VATEX',
    NAMES,
    all,
    both.map((i) => ({ videoID: NAMES[i], enCap: PEOPLE[i], chCap: ['一只狗'] })),
  ),
  people('COCO-CN', NAMES, first, both.map((i) => `${NAMES[i]}#zhc#0\t${PEOPLE[i][0]}\n`).join('')),
  people('Flickr8k-CN', NAMES, first, both.map((i) => `${NAMES[i]}#zhc#0 ${PEOPLE[i][0]}\n`).join('')),
  people('STAIR Captions', IDS, first, {
    images: both.map((i) => ({ id: i + 1, file_name: NAMES[i] })),
    annotations: both.map((i) => ({ id: i, image_id: i + 1, caption: PEOPLE[i][0], tokenized_caption: 'x' })),
  }),
  people(
    'SBU',
    ['http://x/1.jpg', 'http://x/2.jpg'],
    first,
    { image_urls: NAMES.map((name) => `http://x/${name}`), user_ids: ['u', 'v'], captions: first.flat() },
    { columns: 'image=image_urls,caption=captions' },
  ),
  people('a tar of files', IDS, first, tar('a.txt', 'a dog'), {
    refused: /a tar file \(unpack it with tar -xf\)$/,
  }),
  people('a pickle', IDS, first, Buffer.from([0x80, 4, 0x95, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0x5d, 0x94]), {
    refused: /a pickle of Python \(save it as JSON: /,
  }),
  people('NumPy', IDS, first, Buffer.from('\x93NUMPY\x01\x00v\x00{}', 'latin1'), {
    refused: /an array of NumPy \(word scores: accord import scores; captions: save .* as JSON\)$/,
  }),
  people(
    'Excel',
    IDS,
    first,
    Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from('[Content_Types].xml')]),
    { refused: /an Excel file \(save it as CSV/ },
  ),
  people('cp1252', IDS, first, Buffer.from('image,caption\n1.jpg,a caf\xe9\n', 'latin1'), {
    refused: /iconv -f cp1252 -t utf-8/i,
  }),
  people('captions that are nan', NAMES, first, 'image,caption\n1.jpg,a dog runs\n2.jpg,nan\n', {
    refused: /line 3, caption: no caption: expected .*, found "nan", as pandas writes a missing value$/,
  }),
]

/** A tar file of one file. */
function tar(name: string, content: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name)
  header.write('0000644\0', 100)
  header.write(content.length.toString(8).padStart(11, '0'), 124)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  return Buffer.concat([header, Buffer.from(content.padEnd(512, '\0')), Buffer.alloc(1024)])
}

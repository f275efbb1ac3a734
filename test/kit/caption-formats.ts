/** Files of captions in formats other than COCO's, from the captions of each image by its id. */

/** A format, and the files that have the captions in it. */
export interface CaptionFileFormat {
  /** Name of the file. It says nothing of the content. */
  readonly name: string
  readonly content: string
  /** The file of image ids, for captions in lines. */
  readonly imageIds?: string
  /** How the format is called. */
  readonly format: string
}

type CaptionsOf = ReadonlyMap<string, readonly string[]>

const field = (text: string) => (/[",\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function table(captionsOf: CaptionsOf, header: readonly string[], delimiter: string, end: string): string {
  const rows = pairs(captionsOf).map(([image, caption]) =>
    header.map((name) => (name === 'caption' ? field(caption) : name === 'note' ? '' : image)),
  )
  return [header, ...rows].map((row) => row.join(delimiter) + end).join('')
}

const pairs = (captionsOf: CaptionsOf) =>
  [...captionsOf].flatMap(([image, captions]) => captions.map((caption) => [image, caption] as const))

const jsonLines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

/** Formats for any number of captions of an image. Captions have no line breaks. */
export function captionFormats(captions: Readonly<Record<string, readonly string[]>>): CaptionFileFormat[] {
  const captionsOf: CaptionsOf = new Map(Object.entries(captions))
  const images = [...captionsOf]
  return [
    {
      name: 'karpathy.json',
      content: JSON.stringify({
        images: images.map(([image, texts], index) => ({
          filepath: 'val2014',
          sentids: texts.map((_, sentence) => sentence),
          filename: `${image}.jpg`,
          imgid: index,
          split: index % 2 === 0 ? 'train' : 'test',
          sentences: texts.map((raw) => ({ tokens: raw.split(' '), raw, imgid: index })),
          cocoid: Number(image),
        })),
        dataset: 'coco',
      }),
      format: 'Karpathy’s JSON',
    },
    {
      name: 'object.json',
      content: JSON.stringify(Object.fromEntries(images), null, 2),
      format: 'JSON of captions by image',
    },
    {
      name: 'lists.txt',
      content: jsonLines(images.map(([image, texts]) => ({ image, captions: texts }))),
      format: 'JSON Lines',
    },
    {
      name: 'pairs.jsonl',
      content: `${jsonLines(pairs(captionsOf).map(([image, caption], id) => ({ id, image_id: Number(image), caption })))}\n`,
      format: 'JSON Lines',
    },
    {
      name: 'table.csv',
      content: table(captionsOf, ['id', 'caption'], ',', '\n'),
      format: 'CSV, columns id, caption',
    },
    {
      name: 'wide.data',
      content: `\ufeff${table(captionsOf, ['note', 'caption', 'image_id', 'id'], ',', '\r\n')}`,
      format: 'CSV, columns image_id, caption',
    },
    {
      name: 'table',
      content: table(captionsOf, ['Image', 'caption'], '\t', '\n').slice(0, -1),
      format: 'TSV, columns Image, caption',
    },
    {
      name: 'flickr.csv',
      content: images
        .flatMap(([image, texts]) => texts.map((caption, index) => `${image}#${index}\t${caption}\r\n`))
        .join(''),
      format: 'lines of Flickr8k and Flickr30k',
    },
    {
      name: 'lines.json',
      content: pairs(captionsOf)
        .map(([, caption]) => `${caption}\r\n`)
        .join(''),
      imageIds: pairs(captionsOf)
        .map(([image]) => `${image}\n`)
        .join(''),
      format: 'a caption per line',
    },
  ]
}

/** Builders of small files in COCO formats and of word scores. Numeric ids are written as numbers. */

type ById<Value> = Readonly<Record<string, Value>>

/** COCO captions format: the captions of each image, by image id; annotation ids count from 1. */
export function cocoCaptions(captionsOf: ById<readonly string[]>) {
  const annotations = Object.entries(captionsOf).flatMap(([image, captions]) =>
    captions.map((caption) => ({ image_id: toId(image), caption })),
  )
  return {
    images: Object.keys(captionsOf).map((image) => ({ id: toId(image), file_name: `${image}.jpg` })),
    annotations: annotations.map((annotation, index) => ({ id: index + 1, ...annotation })),
  }
}

/** COCO results format: one caption of a system for each image, by image id. */
export function cocoResults(captionOf: ById<string>) {
  return Object.entries(captionOf).map(([image, caption]) => ({ image_id: toId(image), caption }))
}

/** Word scores as JSON lines, by image id. */
export function scoreLines(scoresOf: ById<ById<number>>): string {
  const lines = Object.entries(scoresOf).map(([image, words]) => ({ image_id: toId(image), words }))
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** An `.npy` file of version 1.0, float32, images × words. */
export function npyScores(rows: readonly (readonly number[])[]): Buffer {
  const shape = `(${rows.length}, ${rows[0].length})`
  const fields = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`
  const header = `${fields.padEnd(117)}\n`
  const preamble = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0])
  const values = Buffer.from(Float32Array.from(rows.flat()).buffer)
  return Buffer.concat([preamble, Buffer.from(header), values])
}

/** A vocabulary: the part of speech of each word. */
export function vocabulary(partOfSpeechOf: ById<string>): string {
  const lines = Object.entries(partOfSpeechOf).map(
    ([word, tag]) => `"${word.replaceAll('"', '""')}",${tag}\n`,
  )
  return `word,part_of_speech\n${lines.join('')}`
}

/** Many images with five captions each, made of words `w0`, `w1`, …; deterministic. */
export function manyCaptions(images: number, words = 2000) {
  const captionsOf: Record<string, string[]> = {}
  for (let image = 1; image <= images; image++) {
    captionsOf[image] = Array.from({ length: 5 }, (_, person) => {
      const tokens = Array.from(
        { length: 10 },
        (_, i) => `w${(image * 31 + person * 7 + i * i * 13) % words}`,
      )
      return `${tokens.join(' ')}.`
    })
  }
  return cocoCaptions(captionsOf)
}

function toId(key: string): number | string {
  return /^\d+$/.test(key) ? Number(key) : key
}

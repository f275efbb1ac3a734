/**
 * The human judgements that come with Flickr8k (Hodosh, Young, Hockenmaier 2013): tab-separated files of judged
 * captions, which are captions of other images of the dataset.
 */
import { basename, dirname, join } from 'node:path'
import type { Rating } from '../../core/judgements/judgement.js'
import { quote } from '../../errors.js'
import { type InputFile, nameOf, type ReadProgress } from '../io/files.js'
import { type Line, readLines } from '../io/lines.js'
import { captionText, type Locate, locateLine, wrongShape, wrongValue } from '../io/values.js'
import type { JudgedCaptionText, JudgedImage, JudgementFile } from './judgements.js'

/** Name of the file of captions, which is beside the judgements. */
const FLICKR8K_CAPTIONS = 'Flickr8k.token.txt'

/** Columns of `ExpertAnnotations.txt` and `CrowdFlowerAnnotations.txt`. */
const COLUMNS = 5

/**
 * Reads `ExpertAnnotations.txt` (image, caption, three ratings from 1 to 4, lowest first, so that nothing is known about
 * the raters) or `CrowdFlowerAnnotations.txt` (image, caption, share of the votes that the caption describes the image,
 * their number, number of other votes), told apart by the name of the file. Votes are ratings 1 and 0. Captions of the
 * image itself are left out and counted.
 *
 * @param captionsFile `Flickr8k.token.txt`: lines of image#number, a tab, and the caption
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE and INVALID_VALUE with the number of the line; UNKNOWN_IMAGE for an
 *   image without captions
 */
export function readFlickr8kJudgements(
  file: InputFile,
  captionsFile: InputFile = besides(file),
  onProgress?: ReadProgress,
): JudgementFile {
  const texts = readCaptions(captionsFile)
  const toRatings = /crowdflower/i.test(basename(nameOf(file))) ? toVotes : toExpertRatings
  const images = new Map<string, { readonly index: number; readonly image: JudgedImage }>()
  const captions: JudgedCaptionText[] = []
  let ownCaptionCount = 0
  for (const line of readLines(file, onProgress)) {
    const at = locateLine(file, line.number)
    const columns = line.text.split('\t').map((column) => column.trim())
    if (columns.length !== COLUMNS) {
      throw wrongShape(at(), `${COLUMNS} columns separated by tabs`, String(columns.length))
    }
    const [imageFile, captionId, ...judged] = columns
    const ratings = toRatings(judged, at)
    const externalId = toImageId(imageFile)
    const own = texts.get(externalId)
    if (own === undefined) throw unknown('image', imageFile, at, captionsFile)
    const [captionImage, number] = splitId(captionId)
    const text = texts.get(captionImage)?.get(number)
    if (text === undefined) throw unknown('caption', captionId, at, captionsFile)
    if (captionImage === externalId) {
      ownCaptionCount++
      continue
    }
    let known = images.get(externalId)
    if (known === undefined) {
      const references = [...own].sort(([one], [other]) => one - other).map(([, reference]) => reference)
      known = { index: images.size, image: { externalId, references, at } }
      images.set(externalId, known)
    }
    captions.push({ image: known.index, text, system: null, ratings })
  }
  if (captions.length === 0) throw wrongShape({ source: file }, 'at least one judged caption', 'none')
  const all = Array.from(images.values(), ({ image }) => image)
  return { kind: 'RATINGS', images: all, captions, preferences: [], ownCaptionCount }
}

/** The published file of captions in the folder of another file. */
function besides(file: InputFile): string {
  if (typeof file === 'string') return join(dirname(file), FLICKR8K_CAPTIONS)
  const expected = `the captions of Flickr8k, ${FLICKR8K_CAPTIONS}, as a second file`
  throw wrongValue('NOT_APPLICABLE', 'captions are missing', { source: file }, expected, 'only judgements')
}

/** The captions of each image by their numbers; images by their ids. */
function readCaptions(file: InputFile): Map<string, Map<number, string>> {
  const images = new Map<string, Map<number, string>>()
  for (const line of readLines(file)) {
    const [image, number, text] = splitCaption(line, locateLine(file, line.number))
    const captions = images.get(image) ?? new Map<number, string>()
    images.set(image, captions.set(number, text))
  }
  return images
}

function splitCaption({ text: line }: Line, at: Locate): [image: string, number: number, text: string] {
  const tab = line.indexOf('\t')
  const [image, number] = splitId(line.slice(0, Math.max(tab, 0)))
  const text = line.slice(tab + 1).trim()
  if (tab >= 0 && image !== '' && Number.isInteger(number) && text !== '') {
    return [image, number, captionText(text, at)]
  }
  throw wrongShape(at(), 'image#number, a tab, and a caption', quote(line))
}

/** `1000268201_693b08cb0e.jpg#0` as the id of the image and the number; NaN where there is none. */
function splitId(id: string): [image: string, number: number] {
  const mark = id.lastIndexOf('#')
  if (mark < 0) return [toImageId(id), Number.NaN]
  const number = id.slice(mark + 1)
  return [toImageId(id.slice(0, mark)), /^\d+$/.test(number) ? Number(number) : Number.NaN]
}

/** The name of an image's file without its ending. The published captions have one file with the ending `.jpg.1`. */
function toImageId(file: string): string {
  return file.replace(/\.jpg(\.\d+)?$/, '')
}

function toExpertRatings(columns: readonly string[], at: Locate): Rating[] {
  return columns.map((column) => {
    if (/^[1-4]$/.test(column)) return { rater: null, value: Number(column) }
    const expected = 'an integer from 1 to 4 (votes: a file with CrowdFlower in its name)'
    throw wrongValue('INVALID_VALUE', 'invalid rating', at(), expected, quote(column))
  })
}

function toVotes([share, yes, no]: readonly string[], at: Locate): Rating[] {
  const [yesCount, noCount] = [requireCount(yes, at), requireCount(no, at)]
  const expected = yesCount / (yesCount + noCount)
  if (share === '' || !(Math.abs(Number(share) - expected) < MAX_ROUNDING)) {
    const found = `${quote(share)} with ${yesCount} and ${noCount} votes`
    throw wrongValue('INVALID_VALUE', 'invalid share of votes', at(), 'first votes / all votes', found)
  }
  const votes = (length: number, value: number) =>
    Array.from({ length }, (): Rating => ({ rater: null, value }))
  return [...votes(yesCount, 1), ...votes(noCount, 0)]
}

/** Shares may be rounded to two digits. */
const MAX_ROUNDING = 0.006

/** The most votes that one caption can have: more are a damaged file. */
const MAX_VOTES = 1000

function requireCount(text: string, at: Locate): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value <= MAX_VOTES) return value
  const expected = `an integer from 0 to ${MAX_VOTES}`
  throw wrongValue('INVALID_VALUE', 'invalid number of votes', at(), expected, quote(text))
}

function unknown(what: string, id: string, at: Locate, captionsFile: InputFile) {
  const expected = `one of ${basename(nameOf(captionsFile))}`
  return wrongValue('UNKNOWN_IMAGE', `unknown ${what}`, at(), expected, quote(id))
}

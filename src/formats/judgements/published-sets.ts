/**
 * Human judgements in the files in which they were published: Flickr8k (Hodosh, Young, Hockenmaier 2013), also as CLIPScore
 * gives it, FOIL, and PASCAL-50S.
 */

import { basename } from 'node:path'
import type { Rating } from '../../core/judgements/judgement.js'
import { quote } from '../../errors.js'
import { type InputFile, nameOf } from '../io/files.js'
import { readJsonMembers, readJsonObject } from '../io/json-stream.js'
import { type Line, readLines } from '../io/lines.js'
import { type MatValue, readMat } from '../io/mat.js'
import {
  captionText,
  describeValue,
  externalId,
  invalidValue,
  type JsonObject,
  type Locate,
  locateElement,
  locateLine,
  requireArray,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from '../io/values.js'
import { requireReferences } from './judgement-records.js'
import { collectJudgements, type JudgementFile, type JudgementReading } from './judgements.js'

/** Name of the file of captions, which is beside the judgements. */
export const FLICKR8K_CAPTIONS = 'Flickr8k.token.txt'

/** Columns of `ExpertAnnotations.txt` and `CrowdFlowerAnnotations.txt`: tab-separated judged captions, of other images too. */
const COLUMNS = 5

/** The beginning of a line of either file: the file name of an image, a tab, and the id of a caption. */
export const FLICKR8K_LINE = /^[^\t]+\.\w+\t[^\t]+\.\w+#\d/

/**
 * Reads `ExpertAnnotations.txt` (image, caption, three ratings from 1 to 4, lowest first, so that nothing is known about
 * the raters) or `CrowdFlowerAnnotations.txt` (image, caption, share of the votes that the caption describes the image,
 * their number, number of other votes). The share is the rating, as in published figures. Lines tell the files apart: one of
 * them has a share that is a fraction or no votes of one side, the other has three integers from 1. Captions of the image
 * itself are left out and counted.
 *
 * @param captionsFile `Flickr8k.token.txt`: lines of image#number, a tab, and the caption
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE and INVALID_VALUE with the number of the line; UNKNOWN_IMAGE for an
 *   image without captions
 */
export function readFlickr8kJudgements(
  file: InputFile,
  captionsFile: InputFile,
  { onProgress }: JudgementReading = {},
): JudgementFile {
  const texts = readCaptions(captionsFile)
  const collector = collectJudgements()
  const references = new Map<string, readonly string[]>()
  for (const line of readLines(file, onProgress)) {
    const at = locateLine(file, line.number)
    const columns = line.text.split('\t').map((column) => column.trim())
    if (columns.length !== COLUMNS) {
      throw wrongShape(at(), `${COLUMNS} columns separated by tabs`, String(columns.length))
    }
    const [imageFile, captionId, ...judged] = columns
    const values = isVotes(judged) ? toShare(judged, at) : toExpertRatings(judged, at)
    const externalId = toImageId(imageFile)
    const own = texts.get(externalId)
    if (own === undefined) throw unknown('image', imageFile, at, captionsFile)
    const [captionImage, number] = splitId(captionId)
    const caption = texts.get(captionImage)?.get(number)
    if (caption === undefined) throw unknown('caption', captionId, at, captionsFile)
    if (captionImage === externalId) {
      collector.leaveOut()
      continue
    }
    const list = references.get(externalId) ?? inOrder(own)
    references.set(externalId, list)
    const image = collector.imageOf(externalId, list, at)
    const ratings = values.map((value): Rating => ({ rater: null, value }))
    collector.addRatings({ image, caption, system: undefined, ratings }, at)
  }
  return collector.finish(file)
}

const inOrder = (captions: ReadonlyMap<number, string>) =>
  [...captions].sort(([one], [other]) => one - other).map(([, text]) => text)

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

/** Whether the columns are a share and two numbers of votes: one of these is 0, or the share is a fraction. */
function isVotes([share, ...counts]: readonly string[]): boolean {
  return counts.includes('0') || /^[01]?\.\d/.test(share)
}

function toExpertRatings(columns: readonly string[], at: Locate): number[] {
  return columns.map((column) => {
    if (/^[1-4]$/.test(column)) return Number(column)
    const expected = 'an integer from 1 to 4, or a share of votes and their numbers'
    throw invalidValue('invalid rating', at(), expected, quote(column))
  })
}

function toShare([share, yes, no]: readonly string[], at: Locate): [number] {
  const [yesCount, noCount] = [requireCount(yes, at), requireCount(no, at)]
  const expected = yesCount / (yesCount + noCount)
  if (share === '' || !(Math.abs(Number(share) - expected) < MAX_ROUNDING)) {
    const found = `${quote(share)} with ${yesCount} and ${noCount} votes`
    throw invalidValue('invalid share of votes', at(), 'first votes / all votes', found)
  }
  return [expected]
}

/** Shares may be rounded to two digits. */
const MAX_ROUNDING = 0.006

/** Maximum number of votes on one caption: more are a damaged file. */
const MAX_VOTES = 1000

function requireCount(text: string, at: Locate): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value <= MAX_VOTES) return value
  const expected = `an integer from 0 to ${MAX_VOTES}`
  throw invalidValue('invalid number of votes', at(), expected, quote(text))
}

function unknown(what: string, id: string, at: Locate, captionsFile: InputFile) {
  const expected = `one of ${basename(nameOf(captionsFile))}`
  return wrongValue('UNKNOWN_IMAGE', `unknown ${what}`, at(), expected, quote(id))
}

/**
 * Reads the judgements on Flickr8k as CLIPScore (Hessel et al. 2021) and PAC-S (Sarto et al. 2023) publish them, `flickr8k.json`
 * and `crowdflower_flickr8k.json`:
 *
 *     {"1056338697_4f7d7ce270": {"ground_truth": ["..", ".."], "human_judgement": [{"caption", "rating"}]}}
 *
 * Each entry is one rating; those of equal captions of an image are the ratings of one caption. A rating NaN is missing.
 *
 * @throws AccordError the errors of `readJsonMembers`; INVALID_SHAPE and INVALID_VALUE with the key
 */
export function readClipScoreJudgements(
  file: InputFile,
  { onProgress }: JudgementReading = {},
): JudgementFile {
  const source = nameOf(file)
  const collector = collectJudgements()
  for (const { key, value } of readJsonMembers(file, null, onProgress, { isNanNull: true })) {
    const at: Locate = (part) => ({ source, place: part === undefined ? key : `${key}.${part}` })
    const record = requireObject(value, at)
    const references = requireReferences(record, 'ground_truth', at)
    const image = collector.imageOf(
      externalId(key, () => at()),
      references,
      at,
    )
    for (const [index, judgement] of requireArray(record, 'human_judgement', at).entries()) {
      const atJudgement: Locate = (part) =>
        at(`human_judgement[${index}]${part === undefined ? '' : `.${part}`}`)
      const { caption, rating } = requireObject(judgement, atJudgement)
      const ratings = collector.readRating(rating, null, () => atJudgement('rating'))
      collector.addToRatings({ image, caption, system: undefined, ratings }, atJudgement)
    }
  }
  return collector.finish(file)
}

/**
 * Reads pairs of FOIL (Shekhar et al. 2017): captions of COCO, each with foils in which one word is wrong,
 * `{"annotations": [{"id", "image_id", "caption", "foil": false or true, "foil_id"?}]}`; a foil has the `id` of its caption. The
 * caption is preferred. The references are the captions of an existing dataset, without the caption itself.
 *
 * @throws AccordError the errors of `readJsonObject`; INVALID_SHAPE and INVALID_VALUE for an annotation, and for a foil without
 *   its caption; DUPLICATE_ID
 */
export function readFoilPairs(file: InputFile, { onProgress }: JudgementReading = {}): JudgementFile {
  const originals = new Map<string, Annotation>()
  const foils: (Annotation & { readonly id: string; readonly foilId: string })[] = []
  for (const { array, index, value } of readJsonObject(file, { required: ['annotations'] }, onProgress)) {
    const at = locateElement(file, array, index)
    const record = requireObject(value, at)
    const id = requireId(record, 'id', at)
    const annotation = { imageId: requireId(record, 'image_id', at), caption: record.caption, at }
    if (!isFoil(record, at)) originals.set(id, annotation)
    else {
      const foilId = record.foil_id === undefined ? String(index) : requireId(record, 'foil_id', at)
      foils.push({ ...annotation, id, foilId })
    }
  }
  const collector = collectJudgements()
  for (const { id, foilId, imageId, caption, at } of foils) {
    const original = originals.get(id)
    if (original?.imageId !== imageId) {
      const expected = 'the id of a caption of the same image with "foil": false'
      throw invalidValue('a foil without its caption', at('id'), expected, quote(id))
    }
    const image = collector.imageOf(imageId, null, at)
    const captions = [toCaption(original), toCaption({ caption, at })] as const
    collector.addPreference({ image, captions, id: `${id}-${foilId}`, preferred: 0 }, at)
  }
  return collector.finish(file)
}

interface Annotation {
  readonly imageId: string
  /** Not checked yet. */
  readonly caption: unknown
  readonly at: Locate
}

function isFoil(record: JsonObject, at: Locate): boolean {
  if (typeof record.foil === 'boolean') return record.foil
  throw wrongShape(at('foil'), 'true or false (captions alone are no judgements)', describeValue(record.foil))
}

const toCaption = ({ caption, at }: Pick<Annotation, 'caption' | 'at'>) => ({
  caption,
  system: undefined,
  at: () => at('caption'),
  atSystem: at,
})

/** Categories of pairs, from 1: two human captions, one of them of another image, human and machine, two machines. */
const CATEGORIES = ['HC', 'HI', 'HM', 'MM']

/** The file with votes and references, which is beside that of the pairs. */
export const PASCAL50S_VOTES = 'consensus_pascal.mat'

/**
 * Reads the judgements of PASCAL-50S (Vedantam et al. 2015) as its authors publish them: pairs of captions in `pair_pascal.mat`
 * (`new_input`: image, first and second caption; `category`), and in `consensus_pascal.mat` one vote for each reference of a pair
 * (`triplets`: reference, the two captions, 1 for the first and −1 for the second). A pair has as many references as votes. The
 * caption with more votes is preferred; equal numbers are a tie.
 *
 * @throws AccordError the errors of `readMat`; INVALID_SHAPE for a file without these variables, or with others of them
 */
export function readPascal50s(file: InputFile, votesFile: InputFile): JudgementFile {
  const pairs = readMat(file)
  const votes = readMat(votesFile)
  const pairRows = rowsOf(pairs, 'new_input', file, 3)
  const categories = numbersOf(pairs, 'category', file)
  const triplets = rowsOf(votes, 'triplets', votesFile, 4)
  const votesPerPair = triplets.length / pairRows.length
  if (!Number.isSafeInteger(votesPerPair) || votesPerPair === 0) {
    throw wrongShape(
      { source: votesFile, place: 'triplets' },
      `the same number of votes for each of ${pairRows.length} pairs`,
      `${triplets.length} votes`,
    )
  }
  const collector = collectJudgements()
  for (const [index, [imageFile, ...texts]] of pairRows.entries()) {
    const at: Locate = (key) => ({
      source: nameOf(file),
      place: `new_input[${index}]${key === undefined ? '' : `.${key}`}`,
    })
    const [first, second] = texts.map((text) => requireText(text, at))
    const { references, difference } = countVotes(triplets, index * votesPerPair, votesPerPair, votesFile)
    const imageId = externalId(requireText(imageFile, at).replace(/\.jpg$/i, ''), () => at())
    const preferred = difference === 0 ? null : difference > 0 ? 0 : 1
    const captionAt = (caption: string) => ({ caption, system: undefined, at: () => at(), atSystem: at })
    collector.addPreference(
      {
        image: collector.imageOf(imageId, references, at),
        captions: [captionAt(first), captionAt(second)],
        preferred,
        category: CATEGORIES[categories[index] - 1],
      },
      at,
    )
  }
  return collector.finish(file)
}

/** The references of the votes on a pair, and votes for its first caption minus those for its second. */
function countVotes(
  triplets: readonly (readonly MatValue[])[],
  start: number,
  count: number,
  file: InputFile,
) {
  const references: string[] = []
  let difference = 0
  for (let place = start; place < start + count; place++) {
    const at: Locate = () => ({ source: nameOf(file), place: `triplets[${place}]` })
    const [reference, , , vote] = triplets[place]
    references.push(requireText(reference, at))
    const value = single(vote)
    if (value.kind !== 'NUMBERS') throw wrongShape(at(), 'a vote, 1 or -1', 'another value')
    difference += Math.sign(value.numbers[0])
  }
  return { references, difference }
}

/** A value without the cells and structures of one element around it. */
function single(value: MatValue): MatValue {
  if (value.kind === 'CELLS' && value.cells.length === 1) return single(value.cells[0])
  if (value.kind === 'STRUCTURES' && value.elements.length === 1 && value.elements[0].length === 1) {
    return single(value.elements[0][0])
  }
  return value
}

function requireText(value: MatValue, at: Locate): string {
  const text = single(value)
  if (text.kind === 'TEXT' && text.text.trim() !== '') return text.text.trim()
  throw wrongShape(at(), 'text', 'another value')
}

/** The rows of a variable: the fields of its structures, or the elements of its cells of cells. */
function rowsOf(
  variables: ReadonlyMap<string, MatValue>,
  name: string,
  file: InputFile,
  width: number,
): readonly (readonly MatValue[])[] {
  const value = variables.get(name)
  const rows =
    value?.kind === 'STRUCTURES'
      ? value.elements
      : value?.kind === 'CELLS'
        ? value.cells.map((cell) => (cell.kind === 'CELLS' ? cell.cells : [cell]))
        : []
  if (rows.length > 0 && rows.every(({ length }) => length === width)) return rows
  throw missing(name, file, variables)
}

function numbersOf(variables: ReadonlyMap<string, MatValue>, name: string, file: InputFile): Float64Array {
  const value = variables.get(name)
  if (value?.kind === 'NUMBERS') return value.numbers
  throw missing(name, file, variables)
}

function missing(name: string, file: InputFile, variables: ReadonlyMap<string, MatValue>) {
  const expected = `the variable ${name} of PASCAL-50S`
  return wrongShape({ source: file }, expected, [...variables.keys()].join(', ') || 'no variable')
}

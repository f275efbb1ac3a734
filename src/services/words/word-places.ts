import type { PlacedScores, WordImages } from '../../core/agreement/word-replicates.js'
import type { TokenSequences } from '../../core/text/sequences.js'
import { quote, unknownName } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import { readImageCounts, type WordUses } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import { readWordScores, type StoredWordScores } from '../../store/word-scores.js'
import { findWord, listWords } from '../../store/words.js'
import { idsOf } from '../shared/groups.js'

/** A word on some images, which are positions 0 … N − 1. */
export interface PlacedWord {
  readonly word: Word
  readonly images: WordImages
  /** The images whose caption by the system contains the word. Null for people and systems without captions. */
  readonly predicted: readonly number[] | null
  /** Null for people and systems without word scores, and for a word that the system gave no score to. */
  readonly scores: PlacedScores | null
}

/** Words whose images and scores are read at once, to limit memory. */
const WORDS_PER_READ = 50

/**
 * Words with what people and a system, if there is one, have of them on some images, in the order of the words.
 *
 * @param imageIds ascending
 */
export async function* placeWords(
  session: Session,
  system: System | null,
  words: readonly Word[],
  imageIds: Int32Array,
  wordsPerRead = WORDS_PER_READ,
): AsyncGenerator<PlacedWord> {
  const placeOf = placesOf(imageIds)
  const placeScores = createScorePlacer(placeOf)
  const predictions = system?.kind === 'CAPTIONS' ? await readPredictions(session, system, placeOf) : null
  for (let start = 0; start < words.length; start += wordsPerRead) {
    const some = words.slice(start, start + wordsPerRead)
    const ids = idsOf(some)
    const used = await readImageCounts(session, ids)
    const scores = system?.kind === 'WORD_SCORES' ? await readWordScores(session, system.id, ids) : null
    for (const word of some) {
      const stored = scores?.get(word.id)
      yield {
        word,
        images: placeImages(used.get(word.id), placeOf),
        predicted: predictions && (predictions.get(word.tokenId) ?? []),
        scores: stored ? placeScores(stored) : null,
      }
    }
  }
}

type PlaceOf = (imageId: number) => number

/** The place of an image by its id; −1 for other images. @param imageIds ascending */
function placesOf(imageIds: Int32Array): PlaceOf {
  const firstId = imageIds.at(0) ?? 0
  const places = new Int32Array((imageIds.at(-1) ?? firstId - 1) - firstId + 1).fill(-1)
  imageIds.forEach((id, place) => {
    places[id - firstId] = place
  })
  return (id) => places[id - firstId] ?? -1
}

/** Per token the places of the images whose caption by the system contains it. */
async function readPredictions(
  session: Session,
  { id }: System,
  placeOf: PlaceOf,
): Promise<Map<number, number[]>> {
  const { imageIds, sequences } = await readSystemSequences(session, id)
  const places = new Map<number, number[]>()
  for (const [caption, imageId] of imageIds.entries()) {
    const place = placeOf(imageId)
    if (place >= 0) addPlace(places, sequences, caption, place)
  }
  return places
}

/** Adds the place of an image to those of the tokens of its caption. An image has one caption. */
function addPlace(
  places: Map<number, number[]>,
  { tokens, offsets }: TokenSequences,
  caption: number,
  place: number,
): void {
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
    const ofToken = places.get(tokens[i])
    if (ofToken === undefined) places.set(tokens[i], [place])
    else if (ofToken[ofToken.length - 1] !== place) ofToken.push(place)
  }
}

/** Which of the first K captions of images use a token: entry f has the places of the images whose f-th caption uses it. */
type UsersOf = (tokenId: number) => readonly (readonly number[])[]

/** Reads who uses tokens on some images. @param imageIds ascending */
export type ReadUsers = (imageIds: Int32Array) => Promise<UsersOf>

/** Captions are read again only if other images than the last ones are asked for. */
export function createUsersReader(session: Session, dataset: Dataset): ReadUsers {
  let last: { readonly imageIds: Int32Array; readonly users: Promise<UsersOf> } | undefined
  return (imageIds) => {
    const isSame =
      last?.imageIds.length === imageIds.length && last.imageIds.every((id, i) => id === imageIds[i])
    if (last === undefined || !isSame) last = { imageIds, users: readUsers(session, dataset, imageIds) }
    return last.users
  }
}

async function readUsers(
  session: Session,
  { id, captionsPerImage }: Dataset,
  imageIds: Int32Array,
): Promise<UsersOf> {
  const placeOf = placesOf(imageIds)
  const captions = await readReferenceCaptions(session, id)
  const folds = Array.from({ length: captionsPerImage }, () => new Map<number, number[]>())
  for (const [index, image] of captions.imageIds.entries()) {
    const place = placeOf(image)
    if (place < 0) continue
    for (const [fold, places] of folds.entries())
      addPlace(places, captions.sequences, captions.firstCaption[index] + fold, place)
  }
  return (tokenId) => folds.map((places) => places.get(tokenId) ?? [])
}

function placeImages(used: WordUses | undefined, placeOf: PlaceOf): WordImages {
  if (used === undefined) return { images: [], counts: [] }
  const places = used.imageIds.map(placeOf)
  if (!places.includes(-1)) return { images: places, counts: used.captionCounts }
  return { images: places.filter(isPlace), counts: used.captionCounts.filter((_, i) => isPlace(places[i])) }
}

/** Places scores of words: those of a set of images, which words of a dense file share, are found once. */
function createScorePlacer(placeOf: PlaceOf): (stored: StoredWordScores) => PlacedScores {
  let last: { readonly imageIds: Int32Array; readonly places: Int32Array } | undefined
  return ({ imageIds, scores }) => {
    if (last?.imageIds !== imageIds) last = { imageIds, places: imageIds.map(placeOf) }
    const { places } = last
    if (!places.includes(-1)) return { images: places, scores }
    return { images: places.filter(isPlace), scores: scores.filter((_, i) => isPlace(places[i])) }
  }
}

function isPlace(place: number): boolean {
  return place >= 0
}

/** A word of a dataset, in its vocabulary or not. @throws AccordError UNKNOWN_WORD with the word that was probably meant */
export async function requireWord(session: Session, { id, name }: Dataset, text: string): Promise<Word> {
  const found = await findWord(session, id, text)
  if (found) return found
  const known = (await listWords(session, id, {})).map(({ text }) => text)
  const expected = `a word of ${quote(name)}`
  throw unknownName('UNKNOWN_WORD', 'the dataset has no such word', {
    source: 'word',
    known,
    expected,
    found: text,
  })
}

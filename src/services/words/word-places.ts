import type { PlacedScores, WordImages } from '../../core/agreement/word-replicates.js'
import type { Session } from '../../store/engine/session.js'
import { readImageCounts, type WordUses } from '../../store/postings.js'
import type { System, Word } from '../../store/schema/entities.js'
import { readSystemSequences } from '../../store/systems.js'
import { readWordScores, type StoredWordScores } from '../../store/word-scores.js'
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
  const placeOf = new Map(Array.from(imageIds, (id, place) => [id, place]))
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
        scores: stored ? placeScores(stored, placeOf) : null,
      }
    }
  }
}

/** Per token the places of the images whose caption by the system contains it. */
async function readPredictions(
  session: Session,
  { id }: System,
  placeOf: ReadonlyMap<number, number>,
): Promise<Map<number, number[]>> {
  const { imageIds, sequences } = await readSystemSequences(session, id)
  const places = new Map<number, number[]>()
  for (const [caption, imageId] of imageIds.entries()) {
    const place = placeOf.get(imageId)
    if (place === undefined) continue
    const tokens = sequences.tokens.subarray(sequences.offsets[caption], sequences.offsets[caption + 1])
    for (const token of new Set(tokens)) {
      const ofToken = places.get(token)
      if (ofToken) ofToken.push(place)
      else places.set(token, [place])
    }
  }
  return places
}

function placeImages(used: WordUses | undefined, placeOf: ReadonlyMap<number, number>): WordImages {
  const images: number[] = []
  const counts: number[] = []
  for (const [index, id] of used?.imageIds.entries() ?? []) {
    const place = placeOf.get(id)
    if (place === undefined) continue
    images.push(place)
    counts.push(used?.captionCounts[index] as number)
  }
  return { images, counts }
}

function placeScores(stored: StoredWordScores, placeOf: ReadonlyMap<number, number>): PlacedScores {
  const images: number[] = []
  const scores: number[] = []
  for (const [index, id] of stored.imageIds.entries()) {
    const place = placeOf.get(id)
    if (place === undefined) continue
    images.push(place)
    scores.push(stored.scores[index])
  }
  return { images, scores: Float64Array.from(scores) }
}

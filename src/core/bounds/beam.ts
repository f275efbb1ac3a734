import { type Bags, BEGIN, END } from './engine/examples.js'
import { prepareBags } from './engine/forward.js'
import { continueHypotheses, type Hypothesis } from './engine/language-model.js'
import type { Arena } from './engine/layout.js'
import type { LanguageModel } from './engine/memory.js'

/** A caption that was found, and its log-probability, the end included. */
export interface FoundCaption {
  /** Without the end. */
  readonly words: readonly number[]
  readonly logProbability: number
}

/** A hypothesis of the beam, as a list from its last word to its first. */
interface Slot {
  readonly word: number
  readonly before: Slot | null
  readonly logProbability: number
  /** Its row among the hypotheses of the last step. */
  readonly row: number
}

interface Candidate {
  readonly parent: Slot
  readonly word: number
  readonly logProbability: number
}

/**
 * Searches for the most probable caption of each bag of atoms by monotonic beam search (Lemons et al. 2022): slot i of the
 * beam holds the best continuation of slots 1 to i that no earlier slot holds. What a slot holds depends on earlier slots
 * alone: width 1 is greedy search, and a wider beam never finds a less probable caption.
 *
 * @param arena memory for `bags.length` · `width` hypotheses
 * @param maxLength maximum number of words; a longer caption is ended there
 */
export function searchCaptions(
  model: LanguageModel,
  arena: Arena,
  bags: Bags,
  { width, maxLength }: { readonly width: number; readonly maxLength: number },
): FoundCaption[] {
  const count = bags.atomOffsets.length - 1
  const beams: (Slot | null)[][] = Array.from({ length: count }, () => [
    { word: BEGIN, before: null, logProbability: 0, row: -1 },
  ])
  const best: (Candidate | null)[] = new Array(count).fill(null)
  prepareBags(model, arena, bags)
  for (let length = 0; length <= maxLength; length++) {
    const hypotheses: Hypothesis[] = []
    const rows = new Map<Slot, number>()
    for (const [caption, beam] of beams.entries()) {
      for (const slot of beam) {
        if (slot === null) continue
        rows.set(slot, hypotheses.length)
        hypotheses.push({ caption, word: slot.word, parent: slot.row })
      }
    }
    if (hypotheses.length === 0) break
    const { words, logProbabilities, ends } = continueHypotheses(model, arena, hypotheses, width)
    const continuationsOf = (parent: Slot): Candidate[] => {
      const row = rows.get(parent)!
      if (length === maxLength)
        return [{ parent, word: END, logProbability: parent.logProbability + ends[row] }]
      return Array.from({ length: width }, (_, index) => ({
        parent,
        word: words[row * width + index],
        logProbability: parent.logProbability + logProbabilities[row * width + index],
      })).filter(({ word }) => word >= 0)
    }
    for (const [caption, beam] of beams.entries()) {
      const chosen = chooseSlots(beam, width, continuationsOf)
      for (const candidate of chosen)
        if (candidate?.word === END && isBetter(candidate, best[caption])) best[caption] = candidate
      const live = chosen.map((candidate) =>
        candidate === null || candidate.word === END ? null : candidate,
      )
      // Continuations are less probable than what they continue.
      const isDone = live.every((candidate) => candidate === null || !isBetter(candidate, best[caption]))
      beams[caption] = isDone
        ? []
        : live.map(
            (candidate) =>
              candidate && {
                word: candidate.word,
                before: candidate.parent,
                logProbability: candidate.logProbability,
                row: rows.get(candidate.parent)!,
              },
          )
    }
  }
  return best.map((candidate) => ({
    words: wordsOf(candidate!.parent),
    logProbability: candidate!.logProbability,
  }))
}

function chooseSlots(
  beam: readonly (Slot | null)[],
  width: number,
  continuationsOf: (slot: Slot) => readonly Candidate[],
): (Candidate | null)[] {
  const candidates: Candidate[] = []
  return Array.from({ length: width }, (_, index) => {
    const slot = beam[index]
    if (slot) candidates.push(...continuationsOf(slot))
    let best = -1
    for (let i = 0; i < candidates.length; i++)
      if (best < 0 || candidates[i].logProbability > candidates[best].logProbability) best = i
    return best < 0 ? null : candidates.splice(best, 1)[0]
  })
}

const isBetter = (one: Candidate, other: Candidate | null) =>
  other === null || one.logProbability > other.logProbability

function wordsOf(slot: Slot): number[] {
  const words: number[] = []
  for (let at: Slot | null = slot; at !== null && at.before !== null; at = at.before) words.push(at.word)
  return words.reverse()
}

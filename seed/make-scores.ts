import { createRandom, type Random } from '../src/core/stats/random.js'
import { tokenize } from '../src/core/text/tokenizer.js'
import type { Scene, SceneObject } from '../src/formats/boxes/scenes.js'

/**
 * Generates the word scores in `seed/scores/` by simulating word detectors. A detector misses some objects of a
 * scene and falsely detects others. Its detections are cues: categories (`dog.n.01`, and `dog.n.01 several` for two
 * or more objects) and attributes (`brown`). The probability of a word given a cue is estimated from the captions of
 * other scenes with that cue; the captions of the scene itself are not used. The score of a word is that of the
 * strongest cue, with noise.
 */

/** Parameters of a simulated detector. */
export interface Detector {
  readonly name: string
  readonly seed: number
  /** Probability of missing an object of zero size. Decreases with size, to 0 for an object that fills the image. */
  readonly missRate: number
  /** Probability of missing an attribute of a detected object. */
  readonly attributeMissRate: number
  /** Probability of a false detection (a random object of any scene); drawn three times per scene. */
  readonly falseRate: number
  /** Standard deviation of the noise on the log-odds of a word. */
  readonly noise: number
}

export const DETECTORS: readonly Detector[] = [
  { name: 'detector-large', seed: 1, missRate: 0.15, attributeMissRate: 0.3, falseRate: 0.1, noise: 0.6 },
  { name: 'detector-small', seed: 2, missRate: 0.6, attributeMissRate: 0.6, falseRate: 0.4, noise: 1.2 },
]

/** As many words as the vocabulary of a dataset has by default. */
const VOCABULARY_SIZE = 1000

/** A score is kept if it is among the highest of its scene or of its word, so that every word has scores. */
const WORDS_PER_SCENE = 100
const SCENES_PER_WORD = 5

const FALSE_DRAWS = 3

/** Weight of the prior of a cue, as a number of scenes. */
const PRIOR_WEIGHT = 3

/** Prior probability that a caption uses the name of a detected category or attribute. */
const NAME_RATE = 0.5

/** Returns the word scores of all scenes as JSON Lines, one scene per line: `{"image_id", "words": {word: score}}`. */
export function makeScores(scenes: readonly Scene[], detector: Detector): string {
  const random = createRandom(detector.seed)
  const usage = scenes.map(usageOf)
  const vocabulary = mostUsedWords(usage)
  const expectation = learnCues(scenes, usage)
  const scores = scenes.map((scene, index) => {
    const cues = cuesOf(perceive(scenes, scene, detector, random))
    return vocabulary.map((word) => {
      const strongest = Math.max(...cues.map((cue) => expectation(word, cue, index)), 0.001)
      const logOdds = Math.log(strongest / (1 - strongest)) + detector.noise * gaussian(random)
      return Number((1 / (1 + Math.exp(-logOdds))).toFixed(4))
    })
  })
  const leastOfWord = vocabulary.map((_, word) =>
    leastOfHighest(
      scores.map((row) => row[word]),
      SCENES_PER_WORD,
    ),
  )
  return scores
    .map((row, index) => {
      const leastOfScene = leastOfHighest(row, WORDS_PER_SCENE)
      const words = vocabulary.flatMap((word, number): [string, number][] =>
        row[number] >= Math.min(leastOfScene, leastOfWord[number]) ? [[word, row[number]]] : [],
      )
      const { imageId } = scenes[index]
      return `${JSON.stringify({ image_id: imageId, words: Object.fromEntries(words) })}\n`
    })
    .join('')
}

/** Returns the lowest of the `count` highest scores. */
function leastOfHighest(scores: readonly number[], count: number): number {
  return scores.toSorted((one, other) => other - one)[count - 1]
}

/** Returns the fraction of a scene's captions that use each word. */
function usageOf({ captions }: Scene): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const { sentence } of captions) {
    for (const word of new Set(tokenize(sentence.text))) {
      shares.set(word, (shares.get(word) ?? 0) + 1 / captions.length)
    }
  }
  return shares
}

/** Returns the sum of the fractions of some scenes, for each word. */
function totalUsage(usage: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const [word, share] of usage.flatMap((shares) => [...shares])) {
    totals.set(word, (totals.get(word) ?? 0) + share)
  }
  return totals
}

function mostUsedWords(usage: readonly ReadonlyMap<string, number>[]): string[] {
  // Rounding makes totals independent of the order of summation.
  return [...totalUsage(usage)]
    .map(([word, total]) => ({ word, total: Math.round(total * 1e6) }))
    .sort((one, other) => other.total - one.total || (one.word < other.word ? -1 : 1))
    .slice(0, VOCABULARY_SIZE)
    .map(({ word }) => word)
}

interface Cue {
  readonly id: string
  /** The word for the category or attribute. */
  readonly name: string
}

function cuesOf(objects: readonly SceneObject[]): Cue[] {
  const cues = new Map<string, Cue>()
  for (const { concept, attributes } of objects) {
    const several = objects.filter((object) => object.concept === concept).length > 1
    const lemma = concept.slice(0, concept.indexOf('.')).split('_').at(-1) as string
    const id = several ? `${concept} several` : concept
    cues.set(id, { id, name: several ? plural(lemma) : lemma })
    for (const attribute of attributes) cues.set(attribute, { id: attribute, name: attribute })
  }
  return [...cues.values()]
}

function plural(noun: string): string {
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}

/**
 * Returns a function that estimates the fraction of captions that use a word given a cue, from all scenes except the
 * one with index `heldOut`.
 */
function learnCues(
  scenes: readonly Scene[],
  usage: readonly ReadonlyMap<string, number>[],
): (word: string, cue: Cue, heldOut: number) => number {
  const everywhere = totalUsage(usage)
  const scenesWith = new Map<string, Set<number>>()
  for (const [index, { boxes }] of scenes.entries()) {
    for (const { id } of cuesOf(boxes)) scenesWith.set(id, (scenesWith.get(id) ?? new Set()).add(index))
  }
  const totals = new Map(
    Array.from(scenesWith, ([id, indexes]) => [id, totalUsage([...indexes].map((index) => usage[index]))]),
  )
  return (word, cue, heldOut) => {
    const members = scenesWith.get(cue.id)
    const total = totals.get(cue.id)?.get(word) ?? 0
    const own = usage[heldOut].get(word) ?? 0
    const isMember = members?.has(heldOut) === true
    const otherCount = (members?.size ?? 0) - (isMember ? 1 : 0)
    const base = ((everywhere.get(word) as number) - own) / (scenes.length - 1)
    const prior = word === cue.name ? NAME_RATE : base
    const others = Math.max(isMember ? total - own : total, 0)
    return Math.min((others + PRIOR_WEIGHT * prior) / (otherCount + PRIOR_WEIGHT), 0.99)
  }
}

/** Returns the objects that a detector reports for a scene. */
function perceive(
  scenes: readonly Scene[],
  { boxes, width, height }: Scene,
  { missRate, attributeMissRate, falseRate }: Detector,
  random: Random,
): SceneObject[] {
  const seen = boxes.filter(({ bbox }) => {
    const extent = Math.sqrt((bbox[2] * bbox[3]) / (width * height))
    return random.next() >= missRate * (1 - extent)
  })
  for (let draw = 0; draw < FALSE_DRAWS; draw++) {
    const { boxes: others } = scenes[random.below(scenes.length)]
    const falseDetection = others[random.below(others.length)]
    if (random.next() < falseRate) seen.push(falseDetection)
  }
  return seen.map((object) => ({
    ...object,
    attributes: object.attributes.filter(() => random.next() >= attributeMissRate),
  }))
}

/** Draws from the standard normal distribution (Box–Muller transform). */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

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

const VOCABULARY_SIZE = 200
const WORDS_PER_SCENE = 50
const FALSE_DRAWS = 3

/** Weight of the prior of a cue, as a number of scenes. */
const PRIOR_WEIGHT = 3

/** Prior probability that a caption uses the name of a detected category or attribute. */
const NAME_RATE = 0.5

/** Function words. Detectors do not score them. */
const CLOSED_CLASS = new Set(
  `a an the this that these those some any all each every both another other one two three four five several
  many few couple pair lot and or but while as so with without of in on at by to from into onto over under above
  below behind between beside near next through across along around up down out off back away for about against
  like is are was be been being has have having it its his her hers him he she they them their theirs who whom
  whose which what where when there here not no just very too also still way is 's than then if because during
  someone somebody something everyone everybody each toward inside outside past top front side together`.split(
    /\s+/,
  ),
)

/** Returns the word scores of all scenes as JSON Lines, one scene per line: `{"image_id", "words": {word: score}}`. */
export function makeScores(scenes: readonly Scene[], detector: Detector): string {
  const random = createRandom(detector.seed)
  const usage = scenes.map(usageOf)
  const vocabulary = mostUsedWords(usage)
  const expectation = learnCues(scenes, usage, vocabulary)
  return scenes
    .map((scene, index) => {
      const cues = cuesOf(perceive(scenes, scene, detector, random))
      const scores = vocabulary.map((word): [string, number] => {
        const strongest = Math.max(...cues.map((cue) => expectation(word, cue, index)), 0.001)
        const logOdds = Math.log(strongest / (1 - strongest)) + detector.noise * gaussian(random)
        return [word, Number((1 / (1 + Math.exp(-logOdds))).toFixed(4))]
      })
      scores.sort(
        ([word, score], [otherWord, otherScore]) => otherScore - score || (word < otherWord ? -1 : 1),
      )
      const words = Object.fromEntries(scores.slice(0, WORDS_PER_SCENE))
      return `${JSON.stringify({ image_id: scene.imageId, words })}\n`
    })
    .join('')
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

function mostUsedWords(usage: readonly ReadonlyMap<string, number>[]): string[] {
  const totals = new Map<string, number>()
  for (const [word, share] of usage.flatMap((shares) => [...shares])) {
    if (!CLOSED_CLASS.has(word)) totals.set(word, (totals.get(word) ?? 0) + share)
  }
  // Rounding makes totals independent of the order of summation.
  return [...totals]
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
  vocabulary: readonly string[],
): (word: string, cue: Cue, heldOut: number) => number {
  const scenesWith = new Map<string, number[]>()
  for (const [index, { boxes }] of scenes.entries()) {
    for (const { id } of cuesOf(boxes)) scenesWith.set(id, [...(scenesWith.get(id) ?? []), index])
  }
  const total = (word: string, indexes: readonly number[]) =>
    indexes.reduce((sum, index) => sum + (usage[index].get(word) ?? 0), 0)
  const everywhere = new Map(vocabulary.map((word) => [word, total(word, [...scenes.keys()])]))
  return (word, cue, heldOut) => {
    const others = (scenesWith.get(cue.id) ?? []).filter((index) => index !== heldOut)
    const base = ((everywhere.get(word) as number) - total(word, [heldOut])) / (scenes.length - 1)
    const prior = word === cue.name ? NAME_RATE : base
    return Math.min((total(word, others) + PRIOR_WEIGHT * prior) / (others.length + PRIOR_WEIGHT), 0.99)
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

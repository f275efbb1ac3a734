import type { Scene, SceneObject } from '../src/formats/scenes.js'
import { createRandom, type Random } from '../src/stats/random.js'
import { tokenize } from '../src/text/tokenizer.js'

/**
 * Makes the word scores in `seed/scores/`: what a word detector of a given quality might say about a scene. It
 * looks at a scene's objects, overlooks some and imagines others. What it sees are cues: categories (`dog.n.01`,
 * and `dog.n.01 several` for two or more) and attributes (`brown`). A cue speaks for a word as far as captions of
 * other scenes with that cue use the word; the captions of the scene itself are never looked at. The strongest
 * cue decides, with noise.
 */

/** How good a detector is. */
export interface Detector {
  readonly name: string
  readonly seed: number
  /** Probability that a vanishingly small object is overlooked; one that fills the image never is. */
  readonly missRate: number
  /** Probability that an attribute of a seen object is overlooked. */
  readonly attributeMissRate: number
  /** Probability that an object of some other scene is seen; drawn three times a scene. */
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

/** Weight of what is expected of a cue before other scenes are looked at, in scenes. */
const PRIOR_WEIGHT = 3

/** How often a caption is expected to use the name of a thing that is there. */
const NAME_RATE = 0.5

/** Words that name no object, action or quality; detectors do not score them. */
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

/** Word scores for all scenes as lines of JSON, one a scene: `{"image_id", "words": {word: score}}`. */
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

/** The share of a scene's captions that use each word. */
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
  // Shares are summed in an order that depends on the scenes: rounding keeps equal totals equal.
  return [...totals]
    .map(([word, total]) => ({ word, total: Math.round(total * 1e6) }))
    .sort((one, other) => other.total - one.total || (one.word < other.word ? -1 : 1))
    .slice(0, VOCABULARY_SIZE)
    .map(({ word }) => word)
}

interface Cue {
  readonly id: string
  /** The word that names it. */
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
 * How large a share of a scene's captions is expected to use a word where a cue is seen, judged by all scenes but
 * the one at position `heldOut`.
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

/** The objects that a detector sees in a scene. */
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
    const imagined = others[random.below(others.length)]
    if (random.next() < falseRate) seen.push(imagined)
  }
  return seen.map((object) => ({
    ...object,
    attributes: object.attributes.filter(() => random.next() >= attributeMissRate),
  }))
}

/** A number from the standard normal distribution, by the method of Box and Muller. */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

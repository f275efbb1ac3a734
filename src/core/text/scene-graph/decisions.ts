import { LRUCache } from 'lru-cache'

/** A kind of decision. */
export interface Decision {
  readonly name: string
  /** Which parts of an option are a feature together. */
  readonly templates: readonly { readonly name: string; readonly parts: readonly number[] }[]
}

/** @param templates the positions of parts of an option that are a feature together, such as "0 01 02" */
export function createDecision(name: string, templates: string): Decision {
  return {
    name,
    templates: templates
      .split(' ')
      .map((positions, i) => ({ name: `${name}${i}`, parts: Array.from(positions, Number) })),
  }
}

/** One of the ways to read a part of a caption: words and properties of words, as its decision lists them. */
export type Option = readonly string[]

/** A property of an option, in parts: those of the model are the parts joined by spaces. */
export type Feature = readonly string[]

/** What was learned from captions with graphs (scripts/train-scene-graphs.js). */
export interface SceneGraphModel {
  /** Returns the weight of a feature, 0 if the model does not have it. */
  weightOf(feature: Feature): number
  /** Returns the names that people also use for a name, such as "person" for the object "guy". */
  variantsOf(kind: VariantKind, name: string): readonly string[]
}

export type VariantKind = 'object' | 'attribute' | 'relation' | 'tag'

/** Decides where several readings are possible. */
export interface Judgement {
  /**
   * Returns the index of the best option. There is at least one.
   *
   * @param situation decisions of a kind in the same situation have the same options
   */
  choose(decision: Decision, situation: string, options: () => readonly Option[]): number
  variantsOf: SceneGraphModel['variantsOf']
}

/** Maximum number of cached decisions. */
const MAX_CACHED_DECISIONS = 200_000

/** Chooses the option with the highest sum of weights, the first one among equals. */
export function createJudgement({ weightOf, variantsOf }: SceneGraphModel): Judgement {
  const cached = new LRUCache<string, number>({ max: MAX_CACHED_DECISIONS })
  const feature: string[] = []
  const scoreOf = ({ templates }: Decision, option: Option) => {
    let score = 0
    for (const { name, parts } of templates) {
      feature.length = 0
      feature.push(name)
      for (const part of parts) feature.push(option[part])
      score += weightOf(feature)
    }
    return score
  }
  return {
    variantsOf,
    choose(decision, situation, options) {
      const key = `${decision.name} ${situation}`
      let choice = cached.get(key)
      if (choice === undefined) {
        const scores = options().map((option) => scoreOf(decision, option))
        choice = scores.indexOf(Math.max(...scores))
        cached.set(key, choice)
      }
      return choice
    },
  }
}

export function featuresOf({ templates }: Decision, option: Option): Feature[] {
  return templates.map((template) => featureOf(template, option))
}

function featureOf({ name, parts }: Decision['templates'][number], option: Option): Feature {
  const feature = [name]
  for (const part of parts) feature.push(option[part])
  return feature
}

/** Chooses one of several readings in a context. The parts of an option are its reading, followed by the context. */
export function chooseReading(
  { choose }: Judgement,
  decision: Decision,
  readings: readonly string[],
  context: readonly string[],
): string {
  const options = () => readings.map((reading) => [reading, ...context])
  return readings[choose(decision, [...readings, ...context].join(' '), options)]
}

/** Objects, attributes of objects, and relations between objects of a caption. Names are lemmas. */
export interface SceneGraph {
  readonly objects: readonly string[]
  readonly attributes: readonly (readonly [object: string, attribute: string])[]
  readonly relations: readonly (readonly [subject: string, relation: string, object: string])[]
}

/** Collects the tuples of a graph, each once. Objects of attributes and relations are added too. */
export interface GraphBuilder {
  object(name: string): void
  attribute(object: string, attribute: string): void
  relation(subject: string, relation: string, object: string): void
  build(): SceneGraph
}

export function createGraphBuilder(): GraphBuilder {
  const objects = new Set<string>()
  const attributes = new Map<string, readonly [string, string]>()
  const relations = new Map<string, readonly [string, string, string]>()
  return {
    object(name) {
      objects.add(name)
    },
    attribute(object, attribute) {
      objects.add(object)
      attributes.set(`${object}\t${attribute}`, [object, attribute])
    },
    relation(subject, relation, object) {
      objects.add(subject)
      objects.add(object)
      relations.set(`${subject}\t${relation}\t${object}`, [subject, relation, object])
    },
    build: () => ({
      objects: [...objects],
      attributes: [...attributes.values()],
      relations: [...relations.values()],
    }),
  }
}

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

import type { ObjectVocabulary } from '../../objects/object-vocabulary.js'
import { sequence } from '../../text/sequences.js'
import type { SpiceResources } from '../resources.js'
import { captionGraphs, type Names, type Tuple } from './tuples.js'

/**
 * The objects of scene graphs, whatever they are (METHODS section 14, `open`). A caption mentions each once. Names are the same
 * object where they share a WordNet synset, as in SPICE; in an image also where a chain of such names connects them.
 */
export function createOpenVocabulary(resources: SpiceResources): ObjectVocabulary {
  const { names, tuplesOf } = captionGraphs(resources)
  return {
    parameters: { objects: 'open', parser: resources.parserName, synonyms: resources.wordNet.name },
    text: 'tokens',
    mentionsOf: (corpus, caption) =>
      objectsOf(tuplesOf(Array.from(sequence(corpus, caption), (token) => corpus.texts[token]))),
    /** The name is read as a caption; one that names no object to the parser stands for itself. */
    objectsNamed(name) {
      const text = name.toLowerCase()
      const objects = objectsOf(tuplesOf(text.split(' ')))
      return objects.length > 0 ? objects : [names.idOf(text)]
    },
    nameOf: names.nameOf,
    groupsOf: (objects) => groupSynonyms([...new Set(objects)], names),
  }
}

/** The names of the objects among the tuples of a caption, each once. */
function objectsOf(tuples: readonly Tuple[]): number[] {
  return tuples.flatMap(({ names, synonyms }) => (names.length === 1 ? synonyms.map(([id]) => id) : []))
}

function groupSynonyms(objects: readonly number[], { isSame }: Names): (object: number) => number {
  const groups = new Map<number, number>()
  for (const object of objects) {
    const joined = new Set([...groups].filter(([other]) => isSame(object, other)).map(([, group]) => group))
    for (const [other, group] of groups) if (joined.has(group)) groups.set(other, object)
    groups.set(object, object)
  }
  return (object) => {
    const own = groups.get(object)
    if (own !== undefined) return own
    for (const [other, group] of groups) if (isSame(object, other)) return group
    return object
  }
}

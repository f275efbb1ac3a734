import type { MeteorResources } from './meteor/resources.js'
import type { SpiceResources } from './spice/resources.js'
import type { WordVectors } from './wmd/vectors.js'

/** What metrics know beyond the captions, by name. A metric that needs more adds an entry. */
export interface MetricResources {
  /** WordNet, function words, and a paraphrase table where there is one. */
  readonly meteor: MeteorResources
  /** Word vectors. */
  readonly vectors: WordVectors
  /** A parser of scene graphs, and WordNet. */
  readonly spice: SpiceResources
}

export type ResourceName = keyof MetricResources

/** How resources are read: metrics do no input and output of their own. */
export type ResourceReaders = {
  readonly [Name in ResourceName]: {
    /**
     * Reads and checks the resource; called once.
     *
     * @throws AccordError RESOURCE_MISSING; INVALID_SHAPE for content that is not valid
     */
    read(): MetricResources[Name]
    /** SHA-256 of the content, in hexadecimal digits; called once. @throws AccordError as `read` */
    hash(): string
  }
}

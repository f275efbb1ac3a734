import type { SceneGraphParser } from '../../text/scene-graph.js'
import type { WordNetTables } from '../meteor/resources.js'

/** What SPICE knows of English. */
export interface SpiceResources {
  readonly parse: SceneGraphParser
  /** Enters the signature, e.g. `accord-1`. */
  readonly parserName: string
  readonly wordNet: WordNetTables
}

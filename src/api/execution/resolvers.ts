import * as accounts from '../accounts/resolvers.js'
import * as bounds from '../bounds/resolvers.js'
import * as challenges from '../challenges/resolvers.js'
import * as collections from '../collections/resolvers.js'
import * as composites from '../composites/resolvers.js'
import * as datasets from '../datasets/resolvers.js'
import * as images from '../images/resolvers.js'
import * as imports from '../imports/resolvers.js'
import * as jobs from '../jobs/resolvers.js'
import * as judgements from '../judgements/resolvers.js'
import * as node from '../node/resolvers.js'
import * as sceneGraphs from '../scene-graphs/resolvers.js'
import * as scores from '../scores/resolvers.js'
import * as selection from '../selection/resolvers.js'
import * as systems from '../systems/resolvers.js'
import * as words from '../words/resolvers.js'
import type { Resolvers } from './schema-types.js'

/** The resolvers of the areas of the schema. An area exports the fields that it adds to a type by the name of the type. */
export const resolvers: Partial<Resolvers>[] = [
  accounts,
  bounds,
  collections,
  challenges,
  composites,
  datasets,
  images,
  imports,
  jobs,
  judgements,
  node,
  sceneGraphs,
  scores,
  selection,
  systems,
  words,
]

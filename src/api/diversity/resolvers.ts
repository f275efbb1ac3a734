import { diversityNotes, measureDiversity } from '../../services/diversity/diversity.js'
import { connectSorted } from '../shared/connection.js'
import type * as schema from '../shared/schema-types.js'

export const Dataset: schema.DatasetResolvers = {
  diversity(dataset, options, { accord, client, outside }) {
    if (dataset.captionsPerImage === 0) return null
    return outside(measureDiversity(accord, dataset, options, client))
  },
}

export const Diversity: schema.DiversityResolvers = {
  systems: ({ systems }, page) =>
    connectSorted(
      systems.toSorted((one, other) => (one.system < other.system ? -1 : 1)),
      ({ system }) => system,
      page,
    ),
  notes: diversityNotes,
}

export const SystemDiversity: schema.SystemDiversityResolvers = { figures: (figures) => figures }

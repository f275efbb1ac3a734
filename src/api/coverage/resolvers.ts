import { coverageNotes, measureCoverage } from '../../services/coverage/coverage.js'
import type { CoverageUnits } from '../../shared/choices.js'
import { coverageSentence } from '../../shared/coverage-sentence.js'
import { loadSystem } from '../loaders/systems.js'
import { connectSorted } from '../shared/connection.js'
import { present } from '../shared/loader.js'
import type * as schema from '../shared/schema-types.js'

/** Units by their name in the schema. */
const UNITS = {
  WORDS: 'words',
  TYPES: 'types',
  OBJECTS: 'objects',
  OPEN_OBJECTS: 'open-objects',
  TUPLES: 'tuples',
} as const satisfies Record<schema.CoverageUnits, CoverageUnits>

export const Dataset: Pick<schema.DatasetResolvers, 'coverage'> = {
  coverage(dataset, { systems, units, references }, { accord, client, outside }) {
    if (dataset.captionsPerImage === 0) return null
    return outside(
      measureCoverage(accord, dataset, { systems, units: UNITS[units ?? 'WORDS'], references }, client),
    )
  },
}

export const Coverage: schema.CoverageResolvers = {
  units: ({ units }) => units.toUpperCase().replace('-', '_') as schema.CoverageUnits,
  referenceCount: ({ references }) => references,
  systems: ({ systems }, page) =>
    connectSorted(
      systems.toSorted((one, other) => (one.system < other.system ? -1 : 1)),
      ({ system }) => system,
      page,
    ),
  summary: ({ people, systems }) => coverageSentence(people, systems),
  notes: coverageNotes,
  provenance: ({ record }) => record,
}

export const PeopleCoverage: schema.PeopleCoverageResolvers = { peopleCount: ({ people }) => people }

export const SystemCoverage: schema.SystemCoverageResolvers = {
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  peopleEquivalentByConsensus: ({ byConsensus }) => byConsensus.peopleEquivalent,
  confirmedShareBesidePeopleByConsensus: ({ byConsensus }) => byConsensus.confirmedShareBesidePeople,
  provenance: ({ record }) => record,
}

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
  TUPLES: 'tuples',
} as const satisfies Record<schema.CoverageUnits, CoverageUnits>

/** Figures by their name in a report. */
const SHARES = {
  coverage: 'COVERAGE',
  consensusCoverage: 'CONSENSUS_COVERAGE',
  confirmedShare: 'CONFIRMED_SHARE',
} as const satisfies Record<string, schema.CoverageShare>

export const Dataset: Pick<schema.DatasetResolvers, 'coverage'> = {
  coverage(dataset, { units, ...options }, { accord, client, outside }) {
    if (dataset.captionsPerImage === 0) return null
    return outside(measureCoverage(accord, dataset, { ...options, units: UNITS[units ?? 'WORDS'] }, client))
  },
}

export const Coverage: schema.CoverageResolvers = {
  units: ({ units }) => units.toUpperCase() as schema.CoverageUnits,
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

export const CoverageDifference: schema.CoverageDifferenceResolvers = {
  figure: ({ figure }) => SHARES[figure],
  peopleCount: ({ people }) => people,
}

export const SystemCoverage: schema.SystemCoverageResolvers = {
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  besidePeople: ({ differences }) => differences,
  peopleEquivalentByConsensus: ({ byConsensus }) => byConsensus.peopleEquivalent,
  confirmedShareBesidePeopleByConsensus: ({ byConsensus }) => byConsensus.confirmedShareBesidePeople,
  provenance: ({ record }) => record,
}

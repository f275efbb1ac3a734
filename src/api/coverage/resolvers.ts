import {
  coverageNotes,
  measureCoverage,
  measureImageCoverage,
  unconfirmedObjects,
} from '../../services/coverage/coverage.js'
import { externalIdsOf } from '../../services/evaluations/image-scores.js'
import { pagedArray } from '../../services/shared/groups.js'
import type { CoverageUnits } from '../../shared/choices.js'
import { coverageSentence } from '../../shared/coverage-sentence.js'
import { loadDataset, loadImage } from '../loaders/datasets.js'
import { roundAll } from '../shared/arguments.js'
import { connect, connectSorted } from '../shared/connection.js'
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

/** Figures by their name in a report. */
const SHARES = {
  coverage: 'COVERAGE',
  consensusCoverage: 'CONSENSUS_COVERAGE',
  confirmedShare: 'CONFIRMED_SHARE',
} as const satisfies Record<string, schema.CoverageShare>

export const Dataset: schema.DatasetResolvers = {
  coverage(dataset, { units, ...options }, { accord, client, outside }) {
    if (dataset.captionsPerImage === 0) return null
    return outside(measureCoverage(accord, dataset, { ...options, units: UNITS[units ?? 'WORDS'] }, client))
  },
}

export const System: schema.SystemResolvers = {
  async imageCoverage(system, { units, ...options }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    const { accord, client, outside } = context
    const choice = { ...options, units: UNITS[units ?? 'WORDS'] }
    const found = await outside(measureImageCoverage(accord, dataset, system, choice, client))
    return found && { ...found, datasetId: dataset.id }
  },
  async unconfirmedObjects(system, { isOpen, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    const { accord, client, outside } = context
    const units = isOpen ? 'open-objects' : 'objects'
    const report = await outside(unconfirmedObjects(accord, dataset, system, { units }, client))
    if (report === null) return null
    const { objects, isAnnotated } = report
    return connect(
      pagedArray(
        objects.map((object) => ({ ...object, isAnnotated })),
        ({ name }) => name,
      ),
      page,
    )
  },
}

export const ImageCoverage: schema.ImageCoverageResolvers = {
  externalIds: ({ datasetId, imageIds }, _args, { accord }) => externalIdsOf(accord, datasetId, { imageIds }),
  coverages: ({ coverages }, { digits }) => roundAll(coverages, digits),
  confirmedShares: ({ confirmedShares }, { digits }) => roundAll(confirmedShares, digits),
  peopleCoverages: ({ peopleCoverages }, { digits }) => peopleCoverages && roundAll(peopleCoverages, digits),
  peopleConfirmedShares: ({ peopleConfirmedShares }, { digits }) =>
    peopleConfirmedShares && roundAll(peopleConfirmedShares, digits),
}

/** Images of an object that are listed. */
const LISTED_IMAGES = 6

export const UnconfirmedObject: schema.UnconfirmedObjectResolvers = {
  images: ({ images }, _args, context) =>
    Promise.all(images.slice(0, LISTED_IMAGES).map((id) => loadImage(context, id).then(present))),
}

export const Coverage: schema.CoverageResolvers = {
  units: ({ units }) => units.toUpperCase().replace('-', '_') as schema.CoverageUnits,
  people: ({ people }) => (people.length === 0 ? null : people),
  undefinedReason: ({ people }) => (people.length === 0 ? 'NO_CAPTION_LEFT' : null),
  systems: ({ systems }, page) =>
    connectSorted(
      systems.toSorted((one, other) => (one.system < other.system ? -1 : 1)),
      ({ system }) => system,
      page,
    ),
  summary: ({ people, systems }) => coverageSentence(people, systems),
  notes: coverageNotes,
}

export const CoverageDifference: schema.CoverageDifferenceResolvers = {
  figure: ({ figure }) => SHARES[figure],
}

export const SystemCoverage: schema.SystemCoverageResolvers = {
  besidePeople: ({ differences }) => (differences.length === 0 ? null : differences),
}

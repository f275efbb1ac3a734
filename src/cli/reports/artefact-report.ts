import type { Artefact } from '../../store/schema/entities.js'
import { list, share } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

/** Characters of a hash that people see. */
const SHOWN_HASH_LENGTH = 12

/** The trained metrics, with what they were trained on. */
export function artefactReport(artefacts: readonly Artefact[]): Report {
  const rows = artefacts.map(({ name, hash, header, createdAt }) => ({
    name,
    features: header.features.map(({ metric }) => metric),
    data: header.training.dataset,
    validation: header.validation.dataset,
    objective: header.training.objective.toLowerCase(),
    agreement: header.epochs[header.bestEpoch].agreement,
    hash,
    createdAt,
  }))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'artefacts',
    columns: [
      { path: 'name', title: 'name' },
      { path: 'features', title: 'features', format: list(' ') },
      { path: 'objective', title: 'learns' },
      { path: 'data', title: 'data' },
      { path: 'validation', title: 'validation' },
      { path: 'agreement', title: 'agreement', format: share },
      { path: 'hash', title: 'hash', show: ({ hash }) => hash.slice(0, SHOWN_HASH_LENGTH) },
      { path: 'createdAt' },
    ],
    rows,
  }
  return { tables: [table], parts: [table] }
}

import type { VoteReport } from '../../services/bounds/votes.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import { count, share } from '../output/formats.js'
import type { Report } from '../output/report.js'

/** The votes on atoms. People read a summary by kind. */
export function voteReport({ dataset, summaries, counts }: VoteReport): Report {
  const atoms = {
    name: 'atoms',
    columns: ['kind', 'atom', 'visual', 'voters', 'isVisual'].map((path) => ({ path })),
    rows: counts.map(({ text, ...vote }) => ({ ...vote, atom: text })),
  }
  const kinds = {
    name: 'kinds',
    columns: [
      { path: 'kind', title: 'kind' },
      { path: 'atomCount', title: 'atoms', format: count },
      { path: 'decidedCount', title: 'decided', format: count },
      { path: 'visualCount', title: 'visual', format: count },
      { path: 'visualShare', title: 'share', format: share },
      { path: 'kappa', title: 'kappa', format: share },
      { path: 'undefinedReason' },
    ],
    rows: summaries,
  }
  const notes = summaries.flatMap(({ kind, undefinedReason }) =>
    undefinedReason === null ? [] : `${kind}: ${UNDEFINED_REASONS[undefinedReason]}`,
  )
  return { about: { dataset: dataset.name }, tables: [atoms, kinds], parts: [kinds, { notes }] }
}

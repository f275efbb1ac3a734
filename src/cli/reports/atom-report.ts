import type { AtomReport } from '../../services/bounds/atoms.js'
import { count, counted, shown } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

/** The atoms of human captions, by kind and rank. */
export function atomReport({ dataset, lists, comparison }: AtomReport): Report {
  const rows = lists.flatMap(({ atoms }) => atoms.map(({ text, ...atom }) => ({ ...atom, atom: text })))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'atoms',
    columns: [
      { path: 'kind', title: 'kind' },
      { path: 'rank', title: 'rank', format: count },
      { path: 'atom', title: 'atom' },
      { path: 'count', title: 'count', format: count },
      { path: 'imageCount', title: 'images', format: count },
    ],
    rows,
    groupBy: ({ kind }) => kind,
  }
  const notes = [
    ...lists.map(({ kind, atomCount }) => `${kind}: ${counted(atomCount, 'atom')}`),
    ...(comparison ? describeComparison(comparison) : []),
  ]
  return {
    about: {
      dataset: dataset.name,
      atomCounts: Object.fromEntries(lists.map(({ kind, atomCount }) => [kind, atomCount])),
      comparison,
    },
    tables: [table],
    parts: [table, { notes }],
  }
}

function describeComparison({
  size,
  sharedCount,
  overlap,
  rankCorrelation,
  onlyOurs,
  onlyTheirs,
}: NonNullable<AtomReport['comparison']>): string[] {
  return [
    `Of the first ${size} atoms of the file, ${sharedCount} are among the first ${size} here: overlap ${shown(overlap)}.`,
    `Spearman's rank correlation of the counts of its first 1,000 atoms: ${shown(rankCorrelation)}.`,
    `Only here: ${onlyOurs.join(', ') || 'none'}.`,
    `Only in the file: ${onlyTheirs.join(', ') || 'none'}.`,
  ]
}

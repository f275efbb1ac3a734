import type { Diversity } from '../../core/diversity/diversity.js'
import type { DiversityReport } from '../../services/diversity/compute-diversity.js'
import { nameOfPeople } from '../../shared/coverage-sentence.js'
import { decimals, type Format, share } from '../output/formats.js'
import type { Column, NamedTable, Report } from '../output/report.js'

/** A system, or a person. */
interface Row extends Diversity {
  /** Null for people. */
  readonly system: string | null
  readonly signature: string
}

/** Local recall is shown for as many of the other people. */
const SHOWN_PEOPLE = 4

/** @param captionsPerImage K */
export function diversityColumns(captionsPerImage: number): Column<Row>[] {
  const figure = (path: string, title: string | undefined, format: Format = share, group?: string) => [
    { path: `${path}.value`, title, format, group },
    { path: `${path}.undefinedReason` },
  ]
  return [
    { path: 'system', title: 'system', show: ({ system }) => system ?? nameOfPeople(1) },
    ...figure('meanLength', 'mean', decimals(1), 'words'),
    ...figure('lengthDeviation', 'deviation', decimals(1), 'words'),
    ...figure('types', 'types', decimals(0)),
    ...figure('wordTypeTokenRatio', 'words', share, 'type-token ratio'),
    ...figure('bigramTypeTokenRatio', 'bigrams', share, 'type-token ratio'),
    ...figure('distinctShare', 'distinct'),
    ...figure('unseenShare', 'unseen').map((column) => ({ ...column, isOptional: true })),
    ...figure('vocabularyShare', 'vocabulary'),
    ...Array.from({ length: captionsPerImage - 1 }, (_, index) =>
      figure(
        `localRecall.${index}`,
        index < SHOWN_PEOPLE ? String(index + 1) : undefined,
        share,
        'local recall at',
      ),
    ).flat(),
    ...Array.from({ length: captionsPerImage }, (_, index) =>
      figure(`localRecallOfAll.${index}`, undefined),
    ).flat(),
    { path: 'signature' },
  ]
}

/** Systems beside a person, who comes first. */
export function diversityReport(
  { people, systems, ...report }: DiversityReport,
  notes: readonly string[],
): Report {
  const { dataset, captionsPerImage, imageCount, excludedImageCount, training, tokenCount } = report
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: diversityColumns(captionsPerImage),
    rows: [{ ...people, system: null }, ...systems],
    groupBy: ({ system }) => system === null,
  }
  return {
    about: { dataset, captionsPerImage, imageCount, excludedImageCount, training, tokenCount, notes },
    tables: [table],
    parts: [table, { notes: [...notes, `Signature of people: ${people.signature}`] }],
  }
}

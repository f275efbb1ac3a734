import type { CollectionDescription } from '../../services/collections/collections.js'
import type { CollectionCounts } from '../../store/collections.js'
import type { Collection } from '../../store/schema/entities.js'
import { count, counted, decimals, interval, ordinal, pValue, share, showP } from '../output/formats.js'
import type { Report } from '../output/report.js'

/** Collections by name, with how far they are. */
export function collectionListReport(
  collections: readonly Collection[],
  counts: ReadonlyMap<number, CollectionCounts>,
): Report {
  const table = {
    name: 'collections',
    columns: [
      { path: 'name', title: 'collection' },
      { path: 'captionsPerImage', title: 'per image', format: ordinal },
      { path: 'state.imageCount', title: 'images', format: count },
      { path: 'state.completeImageCount', title: 'complete', format: count },
      { path: 'state.captionCount', title: 'captions', format: count },
      { path: 'state.wantedCaptionCount', title: 'wanted', format: count },
      { path: 'state.annotatorCount', title: 'annotators', format: count },
      { path: 'isExtension' },
      { path: 'createdAt' },
    ],
    rows: collections.map(({ id, ...collection }) => ({
      ...collection,
      isExtension: collection.isExtension === 1,
      state: counts.get(id),
    })),
  }
  const isEmpty = collections.length === 0
  return {
    tables: [table],
    parts: [table],
    warnings: isEmpty ? ['There are no collections yet. See accord collect create --help'] : [],
  }
}

/** How far a collection is, and what its host should know. */
export function collectionReport({ collection, state, report, reports }: CollectionDescription): Report {
  const { id: _, ...counts } = state
  const annotators = {
    name: 'annotators',
    columns: [
      { path: 'name', title: 'annotator' },
      { path: 'captionCount', title: 'captions', format: count },
      { path: 'skippedTaskCount', title: 'skipped', format: count },
      { path: 'reportedTaskCount', title: 'reported', format: count },
      { path: 'medianSeconds', title: 'median s', format: decimals(0) },
      { path: 'comparedCaptionCount', format: count },
      { path: 'meanScore', title: 'METEOR', format: share },
      { path: 'meanDifference', title: 'diff.', format: share },
      {
        path: 'pValue',
        title: 'p',
        format: pValue,
        isOptional: true,
        show: (row: { readonly pValue: number | null; readonly isLow: boolean }) =>
          `${showP(row.pValue)}${row.isLow ? ' *' : ''}`,
      },
      { path: 'undefinedReason' },
      { path: 'isLow' },
    ],
    rows: report.annotators.map(({ annotator, agreement, ...figures }) => ({
      name: annotator,
      ...figures,
      comparedCaptionCount: agreement?.captionCount ?? 0,
      meanScore: agreement?.score ?? null,
      meanDifference: agreement?.difference ?? null,
      pValue: agreement?.pValue ?? null,
      undefinedReason: agreement === null ? ('TOO_FEW_IMAGES' as const) : agreement.undefinedReason,
      isLow: agreement?.isLow ?? false,
    })),
  }
  const agreement = {
    name: 'agreement',
    columns: [
      { path: 'references', title: 'references', format: ordinal, isMerged: true },
      { path: 'metric', title: 'metric' },
      { path: 'imageCount', title: 'images', format: count },
      { path: 'value', title: 'people', format: share },
      { path: 'interval', title: '95 % interval', format: interval },
    ],
    rows: report.agreement,
  }
  const remarks = {
    name: 'reports',
    columns: [
      { path: 'image', title: 'reported image' },
      { path: 'annotator', title: 'annotator' },
      { path: 'remark', title: 'remark', wrap: 'fit' as const },
    ],
    rows: reports,
  }
  const { captionCount, wantedCaptionCount, completeImageCount, imageCount, withdrawnImageCount } = counts
  const progress = [
    `${counted(captionCount, 'caption')} of ${wantedCaptionCount}; ${completeImageCount} of ${counted(imageCount, 'image')} complete.`,
    ...(withdrawnImageCount > 0
      ? [`Reported by two annotators, and given to nobody: ${counted(withdrawnImageCount, 'image')}.`]
      : []),
    ...(report.medianSeconds === null
      ? []
      : [`Median time per caption: ${report.medianSeconds.toFixed(0)} s.`]),
  ]
  return {
    about: {
      collection: collection.name,
      captionsPerImage: collection.captionsPerImage,
      state: counts,
      medianSeconds: report.medianSeconds,
    },
    tables: [annotators, agreement, remarks],
    parts: [
      { notes: progress },
      ...(annotators.rows.length > 0 ? [annotators, { notes: [ANNOTATORS_NOTE] }] : []),
      ...(agreement.rows.length > 0 ? [agreement] : []),
      ...(remarks.rows.length > 0 ? [remarks] : []),
    ],
    warnings: report.notes,
  }
}

const ANNOTATORS_NOTE =
  'METEOR: mean score against the other captions of the same images, where there are two others. diff.: from the scores of the' +
  ' others. *: significantly less than others agree with each other.'

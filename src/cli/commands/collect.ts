import type { Command } from 'commander'
import { type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import { OPEN_VIEWER } from '../../services/accounts/viewer.js'
import type { CollectionDescription } from '../../services/collections/collections.js'
import { counted, fixed, grouped, showP } from '../../shared/numbers.js'
import type { CollectionCounts } from '../../store/collections.js'
import type { Collection } from '../../store/schema/collection-tables.js'
import { withAccord } from '../accord.js'
import { asksFirst } from '../confirm.js'
import { toFile } from '../files.js'
import { nameArgument, newDatasetOption } from '../options.js'
import { count, decimals, interval, ordinal, printable, pValue, share } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { type Column, type Report, untitled } from '../output/report.js'
import { prints, printsReport, printsText, type ReportOptions } from '../report-command.js'

interface CreateOptions extends GlobalOptions {
  readonly dataset: string
  readonly images?: string
  readonly perImage: number
}

interface FinishOptions extends GlobalOptions {
  readonly dataset: string
  readonly people?: string
}

/** `accord collect` */
export function register(program: Command): void {
  const collect = program.command('collect').description('collect human captions of images')
  registerCreate(collect)
  registerList(collect)
  registerShow(collect)
  registerFinish(collect)
  registerRemove(collect)
}

function registerCreate(collect: Command): void {
  const command = collect
    .command('create')
    .summary('ask for captions')
    .description(
      'Create a collection: each image is described by a number of different people, in the pages of accord serve. Without' +
        ' --images the images are those of an existing dataset that have an address, or all if it has a folder of pictures,' +
        ' and its captions remain beside the new ones.',
    )
    .addOption(newDatasetOption())
    .option(
      '--images <file>',
      'images of a new dataset: COCO’s JSON {"images": [{"id", "coco_url" or "flickr_url"}]}, or CSV with columns id and url',
      parseText,
    )
    .option('--per-image <K>', 'captions of each image (default: 5)', wholeNumber(1))
  const examples = [
    'accord collect create --dataset parks --images parks.csv --per-image 5',
    'accord collect create --dataset scenes --per-image 1',
  ]
  prints<CreateOptions>(command, examples, async (options) => {
    const { database: location, dataset, images, perImage = 5 } = options
    const file = toFile(images)
    const { imageCount } = await withAccord(
      { location, reads: file && [file.path], mustExist: file === undefined },
      (accord) => accord.run('importCollection', { dataset, captionsPerImage: perImage, file }),
    )
    return `Created collection ${printable(dataset)}: ${counted(perImage, 'caption')} of each of ${counted(imageCount, 'image')}\n`
  })
}

function registerList(collect: Command): void {
  const command = collect
    .command('list')
    .summary('all collections')
    .description('List the collections by name, with how far they are.')
  const help = {
    examples: ['accord collect list'],
    json: { report: 'collections', collections: COLLECTIONS },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { collectionCounts, listCollections } = await import('../../services/collections/collections.js')
    return withAccord({ location, mustExist: true }, async (accord) => {
      const collections = await listCollections(accord)
      const counts = await collectionCounts(
        accord,
        collections.map(({ id }) => id),
      )
      return collectionListReport(collections, counts)
    })
  })
}

function registerShow(collect: Command): void {
  const command = collect
    .command('show')
    .summary('agreement and annotators')
    .description(
      'Show how far a collection is, human agreement so far, and each annotator: time per caption, and the mean score of the' +
        ' captions against those of others (METEOR). Annotators who agree with others significantly less than these do with' +
        ' each other are marked (paired t-test, p < .05 after Holm’s correction).',
    )
    .addArgument(nameArgument('name of the collection'))
  const help = {
    examples: ['accord collect show parks'],
    json: {
      report: 'collection, captionsPerImage, state, medianSeconds, annotators, agreement, reports',
      annotators: ANNOTATORS,
      agreement: AGREEMENT,
      reports: REPORTS,
    },
  }
  printsReport<ReportOptions, [name: string]>(command, help, async ({ database: location }, name) => {
    const { describeCollection } = await import('../../services/collections/collections.js')
    return withAccord({ location, mustExist: true }, async (accord) =>
      collectionReport(
        await withProgress((progress) => describeCollection(accord, OPEN_VIEWER, name, { progress })),
      ),
    )
  })
}

function registerFinish(collect: Command): void {
  const command = collect
    .command('finish')
    .summary('captions as a dataset')
    .description(
      'Create a dataset of the captions collected so far; of a collection on the images of a dataset, of its captions and then' +
        ' the new ones. The collection continues and can be finished again.',
    )
    .addArgument(nameArgument('name of the collection'))
    .addOption(newDatasetOption())
    .option(
      '--people <system>',
      'name of a system that has the last caption of each complete image, so that people can be scored like a system; the other' +
        ' captions are the references',
      parseText,
    )
  const examples = ['accord collect finish parks --dataset parks --people held-out']
  printsText<[collection: string]>(command, examples, async (accord, collection) => {
    const { dataset, people } = command.optsWithGlobals<FinishOptions>()
    const input = { collection, dataset, people }
    const report = await withProgress((progress) => accord.run('finishCollection', input, { progress }))
    const { imageCount, captionCount, captionsPerImage, peopleCaptionCount } = report
    const apart =
      people === undefined
        ? ''
        : `\n  system    ${printable(people)}, ${counted(peopleCaptionCount, 'caption')}`
    return `Created dataset ${printable(dataset)}\n  images    ${grouped(imageCount)}\n  captions  ${grouped(captionCount)} (K = ${captionsPerImage})${apart}\n`
  })
}

function registerRemove(collect: Command): void {
  const command = collect
    .command('remove')
    .summary('remove a collection with its captions')
    .description('Remove a collection with its captions. Datasets made of them remain.')
    .addArgument(nameArgument('name of the collection'))
  asksFirst(command, (name) => `Remove the collection ${name} with its captions?`)
  printsText<[name: string]>(command, ['accord collect remove parks'], async (accord, name) => {
    const { removeCollection } = await import('../../services/collections/collections.js')
    await removeCollection(accord, OPEN_VIEWER, name)
    return `Removed collection ${printable(name)}\n`
  })
}

/** Columns of the list of collections. */
const COLLECTIONS: readonly Column[] = [
  { path: 'name', title: 'collection' },
  { path: 'captionsPerImage', title: 'per image', format: ordinal },
  { path: 'state.imageCount', title: 'images', format: count },
  { path: 'state.completeImageCount', title: 'complete', format: count },
  { path: 'state.captionCount', title: 'captions', format: count },
  { path: 'state.wantedCaptionCount', title: 'wanted', format: count },
  { path: 'state.annotatorCount', title: 'annotators', format: count },
  ...untitled('isExtension', 'createdAt'),
]

/** Collections by name, with how far they are. */
function collectionListReport(
  collections: readonly Collection[],
  counts: ReadonlyMap<number, CollectionCounts>,
): Report {
  const table = {
    name: 'collections',
    columns: COLLECTIONS,
    rows: collections.map(({ id, ...collection }) => ({
      ...collection,
      isExtension: collection.isExtension,
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

/** Columns of what people have described. */
const ANNOTATORS: readonly Column[] = [
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
  ...untitled('undefinedReason', 'isLow'),
]

/** Columns of the agreement so far. */
const AGREEMENT: readonly Column[] = [
  { path: 'references', title: 'references', format: ordinal, isMerged: true },
  { path: 'metric', title: 'metric' },
  { path: 'imageCount', title: 'images', format: count },
  { path: 'value', title: 'people', format: share },
  { path: 'interval', title: '95 % interval', format: interval },
]

/** Columns of what annotators reported. */
const REPORTS: readonly Column[] = [
  { path: 'image', title: 'reported image' },
  { path: 'annotator', title: 'annotator' },
  { path: 'remark', title: 'remark', wrap: 'fit' as const },
]

/** How far a collection is, and what its host should know. */
function collectionReport({ collection, state, report, reports }: CollectionDescription): Report {
  const { id: _, ...counts } = state
  const annotators = {
    name: 'annotators',
    columns: ANNOTATORS,
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
  const agreement = { name: 'agreement', columns: AGREEMENT, rows: report.agreement }
  const remarks = { name: 'reports', columns: REPORTS, rows: reports }
  const { captionCount, wantedCaptionCount, completeImageCount, imageCount, withdrawnImageCount } = counts
  const progress = [
    `${counted(captionCount, 'caption')} of ${grouped(wantedCaptionCount)}; ${grouped(completeImageCount)} of ${counted(imageCount, 'image')} complete.`,
    ...(withdrawnImageCount > 0
      ? [`Reported by two annotators, and given to nobody: ${counted(withdrawnImageCount, 'image')}.`]
      : []),
    ...(report.medianSeconds === null
      ? []
      : [`Median time per caption: ${fixed(report.medianSeconds, 0)} s.`]),
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
      ...(annotators.rows.length > 0 ? [annotators, { notes: [annotatorsNote(annotators.rows)] }] : []),
      ...(agreement.rows.length > 0 ? [agreement] : []),
      ...(remarks.rows.length > 0 ? [remarks] : []),
    ],
    warnings: report.notes,
  }
}

/** What the columns and marks of the annotators are. */
function annotatorsNote(rows: readonly { readonly isLow: boolean }[]): string {
  const figures =
    'METEOR: mean score against the other captions of the same images, where there are two others. diff.: from the scores of the others.'
  return rows.some(({ isLow }) => isLow)
    ? `${figures} *: significantly less than others agree with each other.`
    : figures
}

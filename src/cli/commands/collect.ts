import type { Command } from 'commander'
import { type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import { OPEN_VIEWER } from '../../services/accounts/viewer.js'
import { withAccord } from '../accord.js'
import { example, nameArgument, newDatasetOption } from '../options.js'
import { counted, printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { printsReport, printsText, type ReportOptions } from '../report-command.js'

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
export function registerCollect(program: Command): void {
  const collect = program.command('collect').description('collect human captions of images')
  registerCreate(collect)
  registerList(collect)
  registerShow(collect)
  registerFinish(collect)
  registerRemove(collect)
}

function registerCreate(collect: Command): void {
  collect
    .command('create')
    .summary('ask for captions')
    .description(
      'Create a collection: each image is described by a number of different people, in the pages of accord serve. Without' +
        ' --images the images are those of an existing dataset that have an address or boxes, and its captions remain beside' +
        ' the new ones.',
    )
    .addOption(newDatasetOption())
    .option(
      '--images <file>',
      'images of a new dataset: COCO’s JSON {"images": [{"id", "coco_url" or "flickr_url"}]}, or CSV with columns id and url',
      parseText,
    )
    .option('--per-image <K>', 'captions of each image (default: 5)', wholeNumber(1))
    .addHelpText(
      'after',
      example(
        'accord collect create --dataset parks --images parks.csv --per-image 5',
        'accord collect create --dataset scenes --per-image 1',
      ),
    )
    .action(async (_options, command: Command) => {
      const { database: location, dataset, images, perImage = 5 } = command.optsWithGlobals<CreateOptions>()
      const file = images === undefined ? undefined : { path: images }
      const { imageCount } = await withAccord(
        { location, reads: images === undefined ? undefined : [images], mustExist: images === undefined },
        (accord) => accord.run('importCollection', { dataset, captionsPerImage: perImage, file }),
      )
      process.stdout.write(
        `Created collection ${printable(dataset)}: ${counted(perImage, 'caption')} of each of ${counted(imageCount, 'image')}\n`,
      )
    })
}

function registerList(collect: Command): void {
  const command = collect.command('list').description('List the collections by name, with how far they are.')
  const help = {
    examples: ['accord collect list'],
    json: { report: 'collections', collections: 'name, captionsPerImage, state, isExtension, createdAt' },
  }
  printsReport(command, help, async ({ database: location }) => {
    const { collectionCounts, listCollections } = await import('../../services/collections/collections.js')
    const { collectionListReport } = await import('../reports/collection-report.js')
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
      annotators:
        'name, captionCount, skippedTaskCount, reportedTaskCount, medianSeconds, comparedCaptionCount, meanScore, meanDifference, pValue, undefinedReason, isLow',
      agreement: 'references, metric, imageCount, value, interval',
      reports: 'image, annotator, remark',
    },
  }
  printsReport<ReportOptions, [name: string]>(command, help, async ({ database: location }, name) => {
    const { describeCollection } = await import('../../services/collections/collections.js')
    const { collectionReport } = await import('../reports/collection-report.js')
    return withAccord({ location, mustExist: true }, async (accord) =>
      collectionReport(
        await withProgress((progress) => describeCollection(accord, OPEN_VIEWER, name, { progress })),
      ),
    )
  })
}

function registerFinish(collect: Command): void {
  collect
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
    .addHelpText('after', example('accord collect finish parks --dataset parks --people people'))
    .action(async (name: string, _options, command: Command) => {
      const { database: location, dataset, people } = command.optsWithGlobals<FinishOptions>()
      const report = await withAccord({ location, mustExist: true }, (accord) =>
        withProgress((progress) =>
          accord.run('finishCollection', { collection: name, dataset, people }, { progress }),
        ),
      )
      const { imageCount, captionCount, captionsPerImage, peopleCaptionCount } = report
      const apart =
        people === undefined
          ? ''
          : `\n  system    ${printable(people)}, ${counted(peopleCaptionCount, 'caption')}`
      process.stdout.write(
        `Created dataset ${printable(dataset)}\n  images    ${imageCount}\n  captions  ${captionCount} (K = ${captionsPerImage})${apart}\n`,
      )
    })
}

function registerRemove(collect: Command): void {
  const command = collect
    .command('remove')
    .description('Remove a collection with its captions, without confirmation. Datasets made of them remain.')
    .addArgument(nameArgument('name of the collection'))
  printsText<[name: string]>(command, ['accord collect remove parks'], async (accord, name) => {
    const { removeCollection } = await import('../../services/collections/collections.js')
    await removeCollection(accord, OPEN_VIEWER, name)
    return `Removed collection ${printable(name)}\n`
  })
}

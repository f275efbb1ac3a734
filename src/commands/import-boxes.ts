import { Argument, type Command } from 'commander'
import { type GlobalOptions, parseText } from '../config.js'
import type { ImportBoxesReport } from '../jobs/import-boxes.js'
import { withDatabase } from './database.js'
import { datasetOption, example } from './options.js'
import { counted, grouped, printable } from './output.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
}

/** `accord import boxes` */
export function registerImportBoxes(imports: Command): void {
  imports
    .command('boxes')
    .summary('boxes of images, and descriptions that name them')
    .description(
      'Import the boxes of images, and human descriptions whose words name them. Boxes of a data set that exists' +
        ' join its images, and descriptions its captions; images that it does not have are left out. A data set' +
        ' that does not exist is made of the images, without captions.',
    )
    .addArgument(
      new Argument(
        '<path>',
        'JSON with images (image_id, boxes: id, concept, bbox) and descriptions (id, image_id, and mentions: box' +
          ' ids, or a caption such as "a [woman](2)"); COCO instances JSON; or a folder of Flickr30k Entities' +
          ' (Sentences, Annotations)',
      ).argParser(parseText),
    )
    .addOption(datasetOption())
    .addHelpText(
      'after',
      example(
        'accord import boxes instances_val2017.json --dataset coco',
        'accord import boxes Flickr30kEntities --dataset flickr',
      ),
    )
    .action(async (path: string, _options, command: Command) => {
      const { database: file, dataset } = command.optsWithGlobals<Options>()
      const { importBoxes } = await import('../jobs/import-boxes.js')
      const report = await withDatabase(file, {}, (database) =>
        withProgress((progress) => importBoxes(database, { path, dataset }, progress)),
      )
      process.stdout.write(describe(report))
    })
}

function describe(report: ImportBoxesReport): string {
  const { dataset, isNew, images, boxes, descriptions, captions } = report
  const name = printable(dataset)
  const joined = captions > 0 ? ` (captions of the data set: ${grouped(captions)})` : ''
  return [
    isNew ? `Imported data set ${name}` : `Imported boxes into data set ${name}`,
    `  images        ${grouped(images)}`,
    `  boxes         ${grouped(boxes)}`,
    `  descriptions  ${grouped(descriptions)}${joined}`,
    ...leftOut(report).map((line) => `  left out      ${line}`),
    ...remarks(report).map((line) => `  note          ${line}`),
    '',
  ].join('\n')
}

/** What the source had and the data set has not. */
function leftOut(report: ImportBoxesReport): string[] {
  const counts: readonly [number, string, string][] = [
    [report.unknownImages, 'image', ' that the data set does not have'],
    [report.boxesOutsideImage, 'box', ' outside the image'],
    [report.boxesWithoutArea, 'box', ' without area'],
    [report.boxesWithoutConcept, 'box', ' that no description names, and so without a concept'],
    [report.mentionsWithoutBox, 'mention', ' of what has no box'],
  ]
  return counts.filter(([count]) => count > 0).map(([count, noun, what]) => `${plural(count, noun)}${what}`)
}

/** What is in the data set and worth knowing. */
function remarks(report: ImportBoxesReport): string[] {
  const counts: readonly [number, string, string][] = [
    [report.boxesCut, 'box', ' cut to the part inside the image'],
    [report.imagesWithoutBoxes, 'image', ' without boxes'],
    [report.descriptionsWithoutMentions, 'description', ' without a mention, left out of all scores'],
  ]
  return counts.filter(([count]) => count > 0).map(([count, noun, what]) => `${plural(count, noun)}${what}`)
}

function plural(count: number, noun: string): string {
  return noun === 'box' ? `${grouped(count)} ${count === 1 ? 'box' : 'boxes'}` : counted(count, noun)
}

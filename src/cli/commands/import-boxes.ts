import type { Command } from 'commander'
import { type GlobalOptions, imagesOption } from '../../config.js'
import type { ImportBoxesReport } from '../../services/selection/import-boxes.js'
import { counted, grouped } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { newDatasetOption, privateOption, realFileArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly private?: true
  readonly images?: string
}

/** `accord import boxes` */
export function register(imports: Command): void {
  const command = imports
    .command('boxes')
    .summary('boxes of images, and descriptions that mention them')
    .description(
      'Import the boxes of images, and human descriptions that mention them. If the dataset exists, boxes are' +
        ' added to its images and descriptions to its captions; other images are excluded. Otherwise the dataset' +
        ' is created from the images, without captions.',
    )
    .addArgument(
      realFileArgument(
        'JSON with images (image_id, boxes: id, concept, bbox) and descriptions (id, image_id, and mentions: box' +
          ' ids, or a caption such as "a [woman](2)"); COCO instances JSON; or Flickr30k Entities, the zip file' +
          ' or its folder (Sentences, Annotations)',
        '<path>',
      ),
    )
    .addOption(newDatasetOption())
    .addOption(imagesOption('of a new dataset'))
    .addOption(privateOption())
  const examples = [
    'accord import boxes instances_val2017.json --dataset coco',
    'accord import boxes annotations.zip --dataset flickr',
  ]
  prints<Options, [path: string]>(command, examples, async (options, path) => {
    const { database: location, dataset, private: isPrivate, images: imagesFolder } = options
    const input = { dataset, file: { path }, isPrivate, imagesFolder }
    const report = await withAccord({ location, reads: [path] }, (accord) =>
      withProgress((progress) => accord.run('importBoxes', input, { progress })),
    )
    return describe(dataset, report)
  })
}

function describe(dataset: string, report: ImportBoxesReport): string {
  const { isNew, images, boxes, descriptions, captions } = report
  const name = printable(dataset)
  const joined = captions > 0 ? ` (captions of the dataset: ${grouped(captions)})` : ''
  return [
    isNew ? `Imported dataset ${name}` : `Imported boxes into dataset ${name}`,
    `  images        ${grouped(images)}`,
    `  boxes         ${grouped(boxes)}`,
    `  descriptions  ${grouped(descriptions)}${joined}`,
    ...leftOut(report).map((line) => `  excluded      ${line}`),
    ...remarks(report).map((line) => `  note          ${line}`),
    '',
  ].join('\n')
}

/** The excluded items. */
function leftOut(report: ImportBoxesReport): string[] {
  return describeCounts([
    [report.unknownImages, 'image', ' not in the dataset'],
    [report.boxesOutsideImage, 'box', ' outside the image'],
    [report.boxesWithoutArea, 'box', ' without area'],
    [report.boxesWithoutConcept, 'box', ' without a concept, because no description mentions it'],
    [report.mentionsWithoutBox, 'mention', ' of an object without a box'],
  ])
}

/** Notes on imported items. */
function remarks(report: ImportBoxesReport): string[] {
  return describeCounts([
    [report.boxesCut, 'box', ' clipped to the image'],
    [report.imagesWithoutBoxes, 'image', ' without boxes'],
    [report.descriptionsWithoutMentions, 'description', ' without a mention, excluded from all scores'],
  ])
}

function describeCounts(counts: readonly [count: number, noun: string, what: string][]): string[] {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, noun, what]) => `${counted(count, noun, noun === 'box' ? 'boxes' : undefined)}${what}`)
}

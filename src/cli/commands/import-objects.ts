import type { Command } from 'commander'
import type { ImportObjectsReport } from '../../services/selection/import-objects.js'
import { counted, grouped } from '../../shared/numbers.js'
import type { DatasetOptions } from '../accord.js'
import { datasetOption, fileArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetText } from '../report-command.js'

/** `accord import objects` */
export function register(imports: Command): void {
  const command = imports
    .command('objects')
    .summary('objects that are annotated in images')
    .description(
      'Import the objects that are annotated in images, by which CHAIR and object-recall confirm mentions beside references. They' +
        ' replace those of these images that were imported before. Boxes of a dataset count as annotated objects without a' +
        ' further import.',
    )
    .addArgument(
      fileArgument(
        'COCO instances JSON, or a table image_id,objects with names between bars, such as person|dining table',
      ),
    )
    .addOption(datasetOption())
  const examples = ['accord import objects instances_val2017.json --dataset coco']
  type Arguments = [file: string]
  printsDatasetText<DatasetOptions, Arguments>(command, examples, async (accord, dataset, _options, path) => {
    const input = { datasetId: dataset.id, file: { path } }
    const report = await withProgress((progress) => accord.run('importObjects', input, { progress }))
    return describe(dataset.name, report)
  })
}

function describe(dataset: string, report: ImportObjectsReport): string {
  const { imageCount, objectCount, unknownImageCount, otherNameCount, otherNames } = report
  return [
    `Imported objects into dataset ${printable(dataset)}`,
    `  images    ${grouped(imageCount)}`,
    `  objects   ${grouped(objectCount)}`,
    ...(unknownImageCount > 0
      ? [`  excluded  ${counted(unknownImageCount, 'image')} not in the dataset`]
      : []),
    ...(otherNameCount > 0
      ? [
          `  note      ${counted(otherNameCount, 'name')} of none of COCO’s 80 categories, which only open-CHAIR counts: ${otherNames.map(printable).join(', ')}`,
        ]
      : []),
    '',
  ].join('\n')
}

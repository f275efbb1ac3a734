import { AccordError, quote } from '../../errors.js'
import { readRows } from '../io/csv.js'
import { beginsWith, type InputFile, nameOf } from '../io/files.js'
import { invalidValue, wrongValue } from '../io/values.js'
import { readCocoInstances } from './coco-instances.js'

/**
 * Reads the objects that are annotated in images: COCO instances, or a table with the columns `image_id` and `objects`, whose names
 * are separated by bars and may be none.
 *
 * @param isKnown whether an object of this name is counted. Default: all are
 * @returns names by external id of the image, each once
 * @throws AccordError as `readCocoInstances` and `readRows`; INVALID_VALUE for an unknown object, DUPLICATE_ID for an image in two rows
 */
export function readImageObjects(
  file: InputFile,
  isKnown: (name: string) => boolean = () => true,
): Map<string, ReadonlySet<string>> {
  if (beginsWith(file, Buffer.from('{'))) {
    const { images } = readCocoInstances(file)
    return new Map(
      images.map(({ imageId, boxes }) => [
        imageId,
        new Set(
          boxes.map(({ concept }) => {
            if (isKnown(concept)) return concept
            throw unknownObject(nameOf(file), concept)
          }),
        ),
      ]),
    )
  }
  const objects = new Map<string, ReadonlySet<string>>()
  for (const row of readRows(file, { delimiter: ',', trim: true }, ['image_id', 'objects'])) {
    const image = row.value('image_id')
    if (objects.has(image)) {
      const expected = 'one row of an image'
      throw wrongValue('DUPLICATE_ID', 'duplicate image', row.at('image_id'), expected, quote(image))
    }
    const names = row
      .value('objects')
      .split('|')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const unknown = names.find((name) => !isKnown(name))
    if (unknown !== undefined)
      throw invalidValue('unknown object', row.at('objects'), EXPECTED, quote(unknown))
    objects.set(image, new Set(names))
  }
  return objects
}

const EXPECTED = 'names of objects that are counted, such as person or dining table'

function unknownObject(source: string, name: string): AccordError {
  return new AccordError('INVALID_VALUE', 'unknown object', {
    source,
    place: 'categories',
    expected: EXPECTED,
    found: quote(name),
  })
}

import { AccordError, quote } from '../../errors.js'
import { readRows } from '../io/csv.js'
import { beginsWith, type InputFile, nameOf } from '../io/files.js'
import { wrongValue } from '../io/values.js'
import { readCocoInstances } from './coco-instances.js'

/**
 * Reads the objects that are annotated in images: COCO instances, or a table with the columns `image_id` and `objects`, whose names
 * are separated by bars and may be none.
 *
 * @param categories names of the objects that are known
 * @returns numbers of categories by external id of the image, each once
 * @throws AccordError as `readCocoInstances` and `readRows`; INVALID_VALUE for an unknown object, DUPLICATE_ID for an image in two rows
 */
export function readImageObjects(
  file: InputFile,
  categories: readonly string[],
): Map<string, ReadonlySet<number>> {
  const numberOf = new Map(categories.map((name, number) => [name, number]))
  if (beginsWith(file, Buffer.from('{'))) {
    const { images } = readCocoInstances(file)
    return new Map(
      images.map(({ imageId, boxes }) => [
        imageId,
        new Set(
          boxes.map(({ concept }) => {
            const number = numberOf.get(concept)
            if (number === undefined) throw unknownObject(nameOf(file), concept)
            return number
          }),
        ),
      ]),
    )
  }
  const objects = new Map<string, ReadonlySet<number>>()
  for (const row of readRows(file, { delimiter: ',', trim: true }, ['image_id', 'objects'])) {
    const image = row.value('image_id')
    if (objects.has(image)) {
      const expected = 'one row of an image'
      throw wrongValue('DUPLICATE_ID', 'duplicate image', row.at('image_id'), expected, quote(image))
    }
    const names = row.value('objects').split('|')
    const numbers = names.flatMap((name) => {
      const number = numberOf.get(name.trim())
      if (number !== undefined) return number
      if (name.trim() === '') return []
      throw wrongValue('INVALID_VALUE', 'unknown object', row.at('objects'), EXPECTED, quote(name))
    })
    objects.set(image, new Set(numbers))
  }
  return objects
}

const EXPECTED = 'names of COCO’s 80 categories, such as person or dining table'

function unknownObject(source: string, name: string): AccordError {
  return new AccordError('INVALID_VALUE', 'unknown object', {
    source,
    place: 'categories',
    expected: EXPECTED,
    found: quote(name),
  })
}

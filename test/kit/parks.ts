import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import {
  annotatorOf,
  collectionImagesById,
  submitCaption,
  takeTask,
} from '../../src/services/collections/collections.js'
import type { Accord } from '../../src/services/shared/accord.js'

/** The file of a collection of `count` images, 1 to `count`. */
export function parksFile(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `${index + 1},https://images.example/${index + 1}.jpg`,
  )
  return `id,url\n${rows.join('\n')}\n`
}

const ANIMALS = [
  'dog',
  'cat',
  'horse',
  'duck',
  'sheep',
  'goat',
  'bird',
  'cow',
  'squirrel',
  'rabbit',
  'fox',
  'bear',
  'pig',
]
const PLACES = ['lake', 'bench', 'fountain', 'bridge', 'tree', 'fence', 'statue']
const OPENINGS = [
  'A small',
  'One brown',
  'Some happy',
  'A quiet',
  'The young',
  'Another tall',
  'One more old',
]

/** A caption of an image by an annotator: people agree on its animal and its place. */
export function parkCaption(image: string, annotator: number): string {
  const number = Number(image)
  const animal = ANIMALS[number % ANIMALS.length]
  return `${OPENINGS[annotator % OPENINGS.length]} ${animal} number ${number} stands next to the ${PLACES[number % PLACES.length]} of a park.`
}

/** A caption that agrees with nobody's. */
export function strayCaption(image: string): string {
  return `Several old machines wait inside ${image} dark and noisy factories.`
}

/** Has annotators, named by the keys, describe one image after the other until there is none left for them. */
export async function describeParks(
  accord: Accord,
  collection: string,
  captionsOf: Readonly<Record<string, (image: string) => string>>,
): Promise<void> {
  const left = new Map(Object.entries(captionsOf))
  while (left.size > 0) {
    for (const [name, captionOf] of left) {
      const annotator = annotatorOf(OPEN_VIEWER, name)
      const { task } = await takeTask(accord, { collection, annotator })
      if (!task) {
        left.delete(name)
        continue
      }
      const image = (await collectionImagesById(accord, [task.imageId])).get(task.imageId)
      const problems = await submitCaption(
        accord,
        { taskId: task.id, annotator },
        captionOf(image?.externalId ?? ''),
      )
      if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join(' '))
    }
  }
}

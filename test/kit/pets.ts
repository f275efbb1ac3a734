import type { SeededDataset, World } from './seed.js'

/**
 * Five images are in the statistics (K = 3): 10, 20, 30, 40 and 70. Of the others, 50 has too few captions and 60 has
 * none; the fourth caption of 40 is beyond K. "dog" is in three captions of 10 and in two of 20: h = (3, 0, 1, 1).
 */
export const PETS = {
  10: ['A dog runs on grass.', 'The dog is running.', 'A brown dog outside.'],
  20: ['A dog and a cat.', 'A cat sits near a dog.', 'Two animals on a sofa.'],
  30: ['A cat sleeps on a sofa.', 'The cat is asleep.', 'A kitten on the couch.'],
  40: ['A bird in a tree.', 'A small bird.', 'Something sits in a tree.', 'A dog far away.'],
  50: ['A lonely parrot.'],
  60: [],
  70: ['A street.', 'A car on a street.', 'An empty street.'],
}

/** One human caption of each image, and captions for the images without one: the output of "copycat". */
const COPIED = {
  10: 'A dog runs on grass.',
  20: 'A dog and a cat.',
  30: 'A cat sleeps on a sofa.',
  40: 'A bird in a tree.',
  50: 'A lonely parrot.',
  60: 'Nothing at all.',
  70: 'A street.',
}

const GUESSED = {
  10: 'A dog.',
  20: 'A dog on a sofa.',
  30: 'A dog sleeps.',
  40: 'A tree.',
  50: 'A bird.',
  60: '',
  70: 'A car.',
}

/** "detector" ranks the images for "dog" like people, "noise" in reverse. */
const DETECTED = {
  10: { dog: 0.9, cat: 0.2, sofa: 0.1 },
  20: { dog: 0.8, cat: 0.9, sofa: 0.7 },
  30: { dog: 0.3, cat: 0.8, sofa: 0.9, asleep: 0.5 },
  40: { dog: 0.2, cat: 0.1, unicorn: 1 },
  50: { dog: 0.1 },
  60: { dog: 0.1 },
  70: { dog: 0.1 },
}

const NOISE = {
  10: { dog: 0.1, cat: 0.1 },
  20: { dog: 0.2, cat: 0.2 },
  30: { dog: 0.3, cat: 0.3 },
  40: { dog: 0.4, cat: 0.4 },
  70: { dog: 0.5, cat: 0.5 },
}

/**
 * The dataset `pets`: captioning systems `copycat`, `guesser` and `newcomer`, whose captions are those of copycat;
 * word-score systems `detector` and `noise`, which has no scores for two images.
 */
export async function importPets(world: World, name = 'pets'): Promise<SeededDataset> {
  const pets = await world.dataset(name, { images: PETS })
  await pets.captionSystem('copycat', COPIED)
  await pets.captionSystem('guesser', GUESSED)
  await pets.captionSystem('newcomer', COPIED)
  await pets.scoreSystem('detector', DETECTED)
  await pets.scoreSystem('noise', NOISE)
  return pets
}

/** Like {@link importPets}, with the scores of `copycat` and `guesser`. */
export async function importScoredPets(world: World, name = 'pets'): Promise<SeededDataset> {
  const pets = await importPets(world, name)
  await pets.evaluate('copycat')
  await pets.evaluate('guesser')
  return pets
}

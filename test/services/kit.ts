import type { PageRequest } from '../../src/store/engine/keyset.js'
import type { EngineName } from '../../src/store/engine/sql.js'
import { initWorld, type SeededDataset, type World } from '../kit/seed.js'

/**
 * Three images with three captions and one with two. "dog" is in all captions of image 1, in one of
 * image 2 and in none of image 3: h = (1, 1, 0, 1).
 */
export const PARK = {
  1: ['A dog runs.', 'The dog plays.', 'A small dog.'],
  2: ['A man walks.', 'A man and a dog.', 'Somebody walks outside.'],
  3: ['A cat sleeps.', 'A cat on a sofa.', 'The cat rests.'],
  4: ['A bird.', 'A bird sings.'],
}

export const VOCABULARY = { dog: 'NN', cat: 'NN', walks: 'VB' } as const

/** A world with the dataset `park`, two systems with captions and two with word scores. */
export async function initPark(engine: EngineName): Promise<World & { readonly park: SeededDataset }> {
  const world = await initWorld({ engine })
  const park = await world.dataset('park', { images: PARK, vocabulary: VOCABULARY })
  await park.captionSystem('captioner', { 1: 'A dog.', 2: 'A dog.', 3: 'A cat.', 4: 'A bird.' })
  await park.captionSystem('copier', { 1: 'A dog runs.', 2: 'A man walks.', 3: 'A cat sleeps.' })
  await park.scoreSystem('detector', {
    1: { dog: 0.9 },
    2: { dog: 0.1, cat: 0.3 },
    3: { dog: 0.5, cat: 0.7 },
    4: { dog: 0.2 },
  })
  await park.scoreSystem('oracle', { 1: { dog: 0.9 }, 2: { dog: 0.5, walks: 1 }, 3: { cat: 1 } })
  return { ...world, park }
}

/** The first page of a list. */
export const first = (limit: number, after?: PageRequest['after']): PageRequest => ({
  limit,
  after,
  fromEnd: false,
})

export const ignoreProgress = () => {}

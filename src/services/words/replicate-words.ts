import type { Threads } from '../../compute/pool.js'
import { moveToSharedMemory } from '../../compute/shared-memory.js'
import type { ReplicatedFigures, WordReplicates } from '../../core/agreement/word-replicates.js'
import type { ImageGroups } from '../../core/stats/jackknife.js'
import type { PlacedWord } from './word-places.js'

interface ReplicateMethod extends ReplicatedFigures {
  readonly groups: ImageGroups
  /** K. */
  readonly captionsPerImage: number
  /** k. */
  readonly references: number
}

export interface ReplicatedWord extends PlacedWord {
  readonly replicates: WordReplicates
}

/** Words that are measured at once, to limit memory. */
const WORDS_PER_RUN = 50

/** Replicates of words by all threads, in the order of the words. */
export async function* replicateWords(
  threads: Threads,
  words: AsyncIterable<PlacedWord>,
  method: ReplicateMethod,
): AsyncGenerator<ReplicatedWord> {
  const input = { ...method, groups: moveToSharedMemory(method.groups) }
  const measure = async (some: readonly PlacedWord[]): Promise<ReplicatedWord[]> => {
    const subjects = some.map(({ images, predicted, scores }) => ({ images, predicted, scores }))
    const measured = await threads.run('replicateWords', { ...input, words: subjects }, some.length)
    return some.map((word, index) => ({ ...word, replicates: measured[index] }))
  }
  let some: PlacedWord[] = []
  for await (const word of words) {
    some.push(word)
    if (some.length < WORDS_PER_RUN) continue
    yield* await measure(some)
    some = []
  }
  yield* await measure(some)
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtefactHeader, TrainedComposite } from '../../src/core/composite/artefact.js'
import type { MetricRegistry } from '../../src/core/metrics/registry.js'
import { createRandom } from '../../src/core/stats/random.js'
import { finishArtefact } from '../../src/formats/models/artefact-file.js'
import { importJudgements } from '../../src/services/judgements/import-judgements.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import type { World } from './seed.js'

const ANIMALS = ['dog', 'cat', 'bird', 'horse', 'cow', 'sheep', 'zebra', 'bear']
const PLACES = ['park', 'street', 'field', 'kitchen', 'beach', 'forest', 'garden', 'river']

export const TRAINING_IMAGES = 60

/**
 * The dataset `train`: 60 images with three captions, systems `good` and `bad`, which has the captions of other images;
 * the dataset `rated`: 30 images, the first of which `train` has as well, each with a good and a bad caption that have
 * ratings; the dataset `preferred`: the same as preferences.
 */
export async function addTrainingData(world: World): Promise<void> {
  const random = createRandom(11)
  const draw = (words: readonly string[]) => words[random.below(words.length)]
  const scenes = Array.from({ length: TRAINING_IMAGES }, () => ({
    animal: draw(ANIMALS),
    place: draw(PLACES),
  }))
  const captionsOf = ({ animal, place }: (typeof scenes)[number]) => [
    `a ${animal} in the ${place}`,
    `a ${animal} standing in a ${place}`,
    `one brown ${animal} near the ${place}`,
  ]
  const byImage = <Value>(of: (index: number) => Value) =>
    Object.fromEntries(scenes.map((_, index) => [`i${index}`, of(index)]))
  const train = await world.dataset('train', { images: byImage((index) => captionsOf(scenes[index])) })
  await train.captionSystem(
    'good',
    byImage((index) => `a ${scenes[index].animal} in a ${scenes[index].place}`),
  )
  await train.captionSystem(
    'bad',
    byImage((index) => `the ${scenes[(index + 7) % TRAINING_IMAGES].animal} is there`),
  )
  const judged = Array.from({ length: 30 }, (_, index) => {
    const [scene, other] = [scenes[index], scenes[(index + 13) % TRAINING_IMAGES]]
    return {
      image_id: index === 0 ? 'i0' : `rated${index}`,
      references: captionsOf(scene),
      captions: [`a ${scene.animal} standing in the ${scene.place}`, `a ${other.animal} in a ${other.place}`],
    }
  })
  await importLines(
    world,
    'rated',
    judged.map(({ captions: [good, bad], ...image }) => ({
      ...image,
      captions: [
        { caption: good, ratings: [4, 3] },
        { caption: bad, ratings: [1, 2] },
      ],
    })),
  )
  await importLines(
    world,
    'preferred',
    judged.map((image) => ({ ...image, preferred: 0 })),
  )
}

/** A dataset of preferences for captions with the words of the references. */
export async function addPreferences(world: World, dataset: string, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => {
    const animal = ANIMALS[index % ANIMALS.length]
    const place = PLACES[(index >> 3) % PLACES.length]
    const captions = [`a ${animal} at the ${place}`, `the ${ANIMALS[(index + 1) % ANIMALS.length]} runs`]
    const references = [`a ${animal} in the ${place}`, `one brown ${animal} near the ${place}`]
    return { image_id: `${dataset}${index}`, references, captions, preferred: 0 }
  })
  await importLines(world, dataset, records)
}

async function importLines(world: World, dataset: string, records: readonly object[]): Promise<void> {
  const file = join(world.folder, `${dataset}.jsonl`)
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
  await importJudgements(
    withoutJob(world.accord.database, () => {}),
    { file, dataset },
  )
}

/** A composite metric that was not trained: its score rises with the sum of its features. */
export function simpleComposite(
  registry: MetricRegistry,
  name: string,
  metrics: readonly string[],
): TrainedComposite {
  const features = metrics.map((metric) => ({
    metric,
    signature: registry.load(metric).featureSignature,
    mean: 0.5,
    deviation: 0.2,
  }))
  const header: ArtefactHeader = {
    format: 1,
    name,
    features,
    network: { inputs: metrics.length, hidden: [], activation: 'tanh', dropout: 0 },
    others: [],
    training: {
      ...DATA,
      objective: 'ORIGIN',
      systems: [],
      captionCount: 0,
      comparisonCount: 0,
      excludedImageCount: 0,
    },
    validation: { ...DATA, kind: 'RATINGS', captionCount: 0 },
    seed: 1,
    epochs: [{ loss: 0.5, agreement: 0.5 }],
    bestEpoch: 0,
  }
  return finishArtefact(header, Float64Array.from([...metrics.map(() => 1), 0]))
}

const DATA = { dataset: 'none', revision: '0' }

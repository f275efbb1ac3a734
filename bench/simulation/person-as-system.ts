import { createRandom, type Random, shuffle } from '../../src/core/stats/random.js'
import { compare } from '../../src/services/comparisons/comparisons.js'
import type { CaptionedImage, Population } from '../population.js'
import { type ImportSample, type SampledImage, withImports } from './imported.js'
import { createTally, describeOutside, type Section } from './tally.js'

const SYSTEM = 'a person'

/** The mean difference of word precision from people, of a person whose captions are imported as those of a system. */
export async function simulatePersonAsSystem(
  { images, captionsPerImage }: Pick<Population, 'images' | 'captionsPerImage'>,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Promise<Section> {
  const random = createRandom(seed)
  const rejections = createTally()
  const rows: string[] = []
  await withImports(async (sample) => {
    for (const size of sizes) {
      const gaps: number[] = []
      for (let i = 0; i < samples; i++) {
        const { difference, alone } = await compareWithPeople(sample, draw(images, size, random))
        rejections.count('difference from people', String(size), alone.better !== null)
        gaps.push(difference ?? 0)
      }
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / samples
      const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (samples - 1))
      rows.push(`| ${size} | ${mean.toFixed(4)} | ${(deviation / Math.sqrt(samples)).toFixed(4)} |`)
    }
  })
  const table = rejections.table('test of the')
  return [
    '## A person as a system',
    '',
    `One of the ${captionsPerImage} captions of each image, drawn anew for each, is imported as that of a captioning ` +
      'system, and the system is compared with people, with all defaults: the mean difference of word precision should be 0. ' +
      `${samples.toLocaleString('en')} samples of images with replacement.`,
    '',
    '| images | mean difference | standard error |',
    '|--:|--:|--:|',
    ...rows,
    '',
    'Share of samples in which the system is said to be better or worse than people.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, 0.03, 0.07),
  ]
}

/** Images with one of their captions as that of a system. */
export function draw(
  images: readonly Pick<CaptionedImage, 'people'>[],
  size: number,
  random: Random,
): SampledImage[] {
  return Array.from({ length: size }, () => {
    const captions = [...images[random.below(images.length)].people]
    // The order of the others as well: two people of an image that was drawn twice are as often the same as two systems.
    shuffle(captions, random)
    const [own, ...people] = captions
    return { people, systems: { [SYSTEM]: own } }
  })
}

export async function compareWithPeople(sample: ImportSample, images: readonly SampledImage[]) {
  const { accord, dataset } = await sample(images)
  const [pair] = await compare(accord, dataset, {
    systems: [SYSTEM],
    people: true,
    figure: { kind: 'WORD_PRECISION' },
  })
  return pair
}

/** METHODS section 14, "Diversity", word by word: texts and sets, fold by fold. */
import { createRandom, shuffle } from '../../../src/core/stats/random.js'

type Caption = readonly string[]

export interface Figures {
  readonly meanLength: number
  readonly lengthDeviation: number
  readonly types: number
  readonly wordTypeTokenRatio: number
  readonly bigramTypeTokenRatio: number
  readonly distinctShare: number
  readonly vocabularyShare: number
  readonly localRecall: readonly number[]
}

/** @param images K captions of each @param systems of each a caption of each image */
export function diversity(
  images: readonly (readonly Caption[])[],
  systems: readonly (readonly Caption[])[],
  seed: number,
): { tokenCount: number; sides: Figures[] } {
  const people = images[0].length
  const random = createRandom(seed)
  const samples = Array.from({ length: 10 }, () => {
    const order = [...images.keys()]
    shuffle(order, random)
    return order.map((image) => ({ image, person: random.below(people) }))
  })
  const choices: ((image: number, person: number) => Caption)[] = [
    (image, person) => images[image][person],
    ...systems.map((captions) => (image: number) => captions[image]),
  ]
  const tokensOf = (choose: (typeof choices)[number], sample: (typeof samples)[number]) =>
    sample.flatMap(({ image, person }) => choose(image, person))
  const tokenCount = Math.min(
    ...choices.flatMap((choose) => samples.map((sample) => tokensOf(choose, sample).length)),
  )
  const sides = choices.map((choose, side) => {
    const meanOf = (figure: (sample: (typeof samples)[number]) => number) =>
      samples.reduce((sum, sample) => sum + figure(sample), 0) / samples.length
    const lengths = (side === 0 ? images.flat() : systems[side - 1]).map(({ length }) => length)
    const meanLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    const squares = lengths.reduce((sum, length) => sum + (length - meanLength) ** 2, 0)
    return {
      meanLength,
      lengthDeviation: Math.sqrt(squares / (lengths.length - 1)),
      types: meanOf((sample) =>
        tokenCount === 0 ? Number.NaN : new Set(tokensOf(choose, sample).slice(0, tokenCount)).size,
      ),
      wordTypeTokenRatio: meanOf((sample) => segmentRatio(tokensOf(choose, sample))),
      bigramTypeTokenRatio: meanOf((sample) =>
        segmentRatio(
          sample.flatMap(({ image, person }) => {
            const caption = choose(image, person)
            return caption.slice(1).map((word, i) => `${caption[i]} ${word}`)
          }),
        ),
      ),
      distinctShare: meanOf(
        (sample) =>
          new Set(sample.map(({ image, person }) => choose(image, person).join(' '))).size / images.length,
      ),
      vocabularyShare: meanOf((sample) => {
        const types = new Set(tokensOf(choose, sample).slice(0, tokenCount))
        const others = new Set(
          sample.flatMap(({ image, person }) => images[image].toSpliced(person, 1).flat()),
        )
        return tokenCount === 0
          ? Number.NaN
          : [...others].filter((word) => types.has(word)).length / others.size
      }),
      localRecall: Array.from({ length: people - 1 }, (_, i) => {
        let [found, all] = [0, 0]
        for (const [image, captions] of images.entries()) {
          for (let fold = 0; fold < people; fold++) {
            const others = captions.toSpliced(fold, 1)
            const words = [...new Set(others.flat())].filter(
              (word) => others.filter((caption) => caption.includes(word)).length === i + 1,
            )
            all += words.length
            found += words.filter((word) => choose(image, fold).includes(word)).length
          }
        }
        return found / all
      }),
    }
  })
  return { tokenCount, sides }
}

function segmentRatio(values: readonly string[]): number {
  const ratios = []
  for (let start = 0; start + 1000 <= values.length; start += 1000)
    ratios.push(new Set(values.slice(start, start + 1000)).size / 1000)
  return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
}

/** METHODS section 14, word by word: sets, one after the other, without rows and without running counts. */

/** Per image its captions, each a list of units. */
export type Captions = readonly (readonly (readonly string[])[])[]

export interface Shares {
  readonly confirmedShare: number
  readonly coverage: number
  readonly consensusCoverage: number
}

/** ln(N / df), or 1. */
export function weigh(images: Captions, isWeighted: boolean): (unit: string) => number {
  return (unit) => {
    if (!isWeighted) return 1
    const df = images.filter((captions) => captions.some((caption) => caption.includes(unit))).length
    return Math.log(images.length / Math.max(1, df))
  }
}

/** @param candidatesOf the units of the candidate of an image in a fold */
export function shares(
  images: Captions,
  references: number,
  weightOf: (unit: string) => number,
  candidateOf: (image: number, fold: number) => ReadonlySet<string>,
): Shares {
  const sum = (units: Iterable<string>) => [...units].reduce((total, unit) => total + weightOf(unit), 0)
  const sums = { said: 0, confirmed: 0, agreed: 0, anyone: 0, everyone: 0 }
  for (const [image, captions] of images.entries()) {
    for (const fold of captions.keys()) {
      const others = Array.from(
        { length: captions.length - 1 },
        (_, i) => captions[(fold + 1 + i) % captions.length],
      )
      // With as many references as captions a fold has all of them.
      const chosen = references === captions.length ? captions : others.slice(-references)
      const anyone = new Set(chosen.flat())
      const everyone = new Set(
        [...anyone].filter((unit) => chosen.every((caption) => caption.includes(unit))),
      )
      const candidate = candidateOf(image, fold)
      sums.said += sum(candidate)
      sums.confirmed += sum([...candidate].filter((unit) => anyone.has(unit)))
      sums.agreed += sum([...candidate].filter((unit) => everyone.has(unit)))
      sums.anyone += sum(anyone)
      sums.everyone += sum(everyone)
    }
  }
  return {
    confirmedShare: sums.confirmed / sums.said,
    coverage: sums.confirmed / sums.anyone,
    consensusCoverage: sums.agreed / sums.everyone,
  }
}

/** j people as one. */
export function peopleAsOne(images: Captions, people: number): (image: number, fold: number) => Set<string> {
  return (image, fold) => {
    const captions = images[image]
    return new Set(Array.from({ length: people }, (_, i) => captions[(fold + i) % captions.length]).flat())
  }
}

/** Human judgements on captions, for judging metrics: Sharif et al. 2018, section 5. */

/** How well a caption describes its image, as rated by one person or several. */
export interface Rating {
  /** Null where the source does not tell who gave which rating. */
  readonly rater: string | null
  readonly value: number
}

/** Which of two captions of an image people prefer. */
export interface Preference {
  /** Positions of the two captions among all judged captions. */
  readonly first: number
  readonly second: number
  /** 0 for the first caption, 1 for the second. */
  readonly preferred: 0 | 1
  readonly category: string
}

export type JudgementKind = 'RATINGS' | 'PREFERENCES'

/** Judgements on captions 0 … n − 1, each of which has a score. */
export type Judgements =
  | {
      readonly kind: 'RATINGS'
      /** Caption c has the ratings `ratings[offsets[c]] … ratings[offsets[c + 1] - 1]`. */
      readonly ratings: Float64Array
      readonly offsets: Int32Array
    }
  | {
      readonly kind: 'PREFERENCES'
      /** Per preference, the position of the preferred caption and of the other one. */
      readonly preferred: Int32Array
      readonly other: Int32Array
      /** Per preference, the position of its category. */
      readonly categories: Int32Array
      readonly categoryNames: readonly string[]
    }

/** Ratings of captions as {@link Judgements}. */
export function ratingsOf(captions: readonly (readonly Rating[])[]): Judgements & { kind: 'RATINGS' } {
  const offsets = new Int32Array(captions.length + 1)
  for (const [index, ratings] of captions.entries()) offsets[index + 1] = offsets[index] + ratings.length
  const ratings = Float64Array.from(captions.flatMap((own) => own.map(({ value }) => value)))
  return { kind: 'RATINGS', ratings, offsets }
}

/** Preferences as {@link Judgements}, categories in the order of their names. */
export function preferencesOf(
  preferences: readonly Preference[],
): Judgements & { readonly kind: 'PREFERENCES' } {
  const categoryNames = [...new Set(preferences.map(({ category }) => category))].sort()
  const places = new Map(categoryNames.map((name, place) => [name, place]))
  const choose = (isPreferred: boolean) =>
    Int32Array.from(preferences, ({ first, second, preferred }) =>
      (preferred === 0) === isPreferred ? first : second,
    )
  return {
    kind: 'PREFERENCES',
    preferred: choose(true),
    other: choose(false),
    categories: Int32Array.from(preferences, ({ category }) => places.get(category) as number),
    categoryNames,
  }
}

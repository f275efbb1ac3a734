/**
 * METEOR of other languages than English: modules exact and stem, without synonyms and paraphrases. Parameters and weights are
 * those that METEOR 1.5 has for a language without paraphrases: tuned ones for Czech, French, Spanish, German and Russian, the
 * language-independent ones for ten others that it has a stemmer for, and the universal ones (Denkowski and Lavie 2014,
 * section 4) for the rest. These have no stem module; where there is a stemmer it gets the weight of the paraphrases.
 */

/** α, β, γ, δ, and the weight of each module. */
export interface MeteorParameters {
  readonly alpha: number
  readonly beta: number
  readonly gamma: number
  readonly delta: number
  readonly moduleWeights: readonly number[]
  /**
   * Parts of a word in which weights are counted, so that each is a whole number: sums have no rounding, whatever the order
   * of images.
   */
  readonly unit: number
}

export const ENGLISH_PARAMETERS: MeteorParameters = {
  alpha: 0.85,
  beta: 0.2,
  gamma: 0.6,
  delta: 0.75,
  moduleWeights: [1, 0.6, 0.8, 0.6],
  unit: 20,
}

const UNIT = 100

/** Tuned, with the weight of stems; Czech has no stemmer. */
const TUNED: Readonly<Record<string, MeteorParameters>> = {
  cs: { alpha: 0.95, beta: 0.2, gamma: 0.6, delta: 0.8, moduleWeights: [1, 0], unit: UNIT },
  fr: { alpha: 0.9, beta: 1.4, gamma: 0.6, delta: 0.65, moduleWeights: [1, 0.2], unit: UNIT },
  es: { alpha: 0.65, beta: 1.3, gamma: 0.5, delta: 0.8, moduleWeights: [1, 0.8], unit: UNIT },
  de: { alpha: 0.95, beta: 1, gamma: 0.55, delta: 0.55, moduleWeights: [1, 0.8], unit: UNIT },
  ru: { alpha: 0.75, beta: 1.4, gamma: 0.7, delta: 0.5, moduleWeights: [1, 0.5], unit: UNIT },
}

const LANGUAGE_INDEPENDENT: MeteorParameters = {
  alpha: 0.75,
  beta: 1.4,
  gamma: 0.7,
  delta: 0.5,
  moduleWeights: [1, 0.5],
  unit: UNIT,
}

const WITH_STEMMER: readonly string[] = ['pt', 'da', 'ro', 'hu', 'tr', 'fi', 'nl', 'it', 'nb', 'no', 'sv']

const UNIVERSAL: MeteorParameters = {
  alpha: 0.7,
  beta: 1.4,
  gamma: 0.3,
  delta: 0.7,
  moduleWeights: [1, 0.6],
  unit: UNIT,
}

/** @param language without region */
export function parametersOfLanguage(language: string): MeteorParameters {
  return TUNED[language] ?? (WITH_STEMMER.includes(language) ? LANGUAGE_INDEPENDENT : UNIVERSAL)
}

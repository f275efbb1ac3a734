/**
 * Published figures of metrics on two sets of judgements, to show beside ours.
 *
 * Flickr8k-Expert (Hodosh et al. 2013), τ-c: Hessel et al. 2021 (CLIPScore), table 1; SPICE: Li et al. 2023 (FACTUAL).
 * PASCAL-50S (Vedantam et al. 2015), accuracy: Sharif et al. 2018, table 2.
 */

/** Published figures of one metric: τ-c on ratings, or the accuracy by category. */
export type PublishedFigures =
  | { readonly tauC: number }
  | { readonly accuracy: Readonly<Record<string, number>>; readonly mean: number }

const FLICKR8K_EXPERT: Readonly<Record<string, number>> = {
  'BLEU-1': 0.323,
  'BLEU-4': 0.308,
  'ROUGE-L': 0.323,
  METEOR: 0.418,
  'CIDEr-D': 0.439,
  SPICE: 0.449,
}

/** HC, HI, HM, MM and their mean. */
const PASCAL_50S: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'BLEU-4': [0.537, 0.932, 0.856, 0.61, 0.734],
  'ROUGE-L': [0.565, 0.953, 0.934, 0.585, 0.759],
  METEOR: [0.611, 0.976, 0.946, 0.62, 0.788],
  CIDEr: [0.578, 0.98, 0.888, 0.682, 0.782],
  SPICE: [0.58, 0.967, 0.884, 0.716, 0.787],
  WMD: [0.562, 0.984, 0.917, 0.715, 0.795],
  EvalMS: [0.628, 0.979, 0.935, 0.696, 0.809],
  EvalCS: [0.595, 0.983, 0.907, 0.713, 0.799],
  EvalMCS: [0.602, 0.983, 0.918, 0.718, 0.805],
  EvalWCS: [0.582, 0.987, 0.917, 0.706, 0.798],
  EvalMWS: [0.569, 0.984, 0.913, 0.712, 0.794],
  EvalMWCS: [0.59, 0.985, 0.907, 0.702, 0.796],
}

/** The published sets by the content hash of their judgements. */
const SETS: Readonly<Record<string, 'FLICKR8K_EXPERT' | 'PASCAL_50S'>> = {
  '40a350d693b2e7b92afe99a0889748f03d82af7df5fa9cce8bbc7e24cd40b21f': 'FLICKR8K_EXPERT',
  '82ac1a669af5bceb2decb922f4d99d7e0dd77c4de3ad6698abde81e92b4e7842': 'PASCAL_50S',
}

/** The published figures of a metric on a set of judgements; null where there are none. */
export function publishedFigures(setHash: string, metric: string): PublishedFigures | null {
  switch (SETS[setHash]) {
    case 'FLICKR8K_EXPERT': {
      const tauC = FLICKR8K_EXPERT[metric]
      return tauC === undefined ? null : { tauC }
    }
    case 'PASCAL_50S': {
      const figures = PASCAL_50S[metric]
      if (figures === undefined) return null
      const [HC, HI, HM, MM, mean] = figures
      return { accuracy: { HC, HI, HM, MM }, mean }
    }
    default:
      return null
  }
}

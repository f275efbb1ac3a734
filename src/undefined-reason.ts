/** Why a value is null, in every layer and in the schema. {@link UNDEFINED_REASONS} has a sentence for each code. */
export type UndefinedReason = keyof typeof UNDEFINED_REASONS

/** The sentences are those of the schema. */
export const UNDEFINED_REASONS = {
  NO_CAPTIONS: 'The dataset or the system has no captions that can be scored.',
  ONE_CAPTION: 'Images have one caption: none can be held out.',
  NOT_COMPUTED: 'The figure was not computed yet.',
  UNDEFINED_FIGURE:
    'The figure is undefined: of the word, of all words of a mean, or of one of the two sides.',

  TOO_FEW_IMAGES: 'Fewer than 10 images: no interval and no test is reliable.',
  RARE_WORD: 'The word is used in fewer than 20 images: they do not determine the interval.',
  COMMON_WORD: 'Fewer than 20 images do not use the word: they do not determine the interval.',
  RARELY_PREDICTED: 'The system uses the word in fewer than 20 images: they do not determine the interval.',
  NO_VARIATION: 'The figure stays the same when images are left out, so that its uncertainty is unknown.',

  NO_CAPTION_USES_WORD: 'No human caption uses the word, so its recall is undefined.',
  NEVER_PREDICTED: 'No caption of the system uses the word, so its precision is undefined.',
  HUMAN_RECALL_ZERO:
    'No image has two human captions with the word, so human recall is 0 and every threshold reaches it.',
  NOT_IDENTIFIABLE:
    'Different model parameters explain the counts of the word equally well, so the fit is not unique.',
  TOO_FEW_WORDS: 'Fewer than two words have both a predicted and an empirical precision.',
  CONSTANT_PRECISION:
    'The empirical precision is the same for all words, so there is no variance to explain.',
  TAUTOLOGY:
    'The moment fit takes p from human recall, which equals human precision with one reference: nothing is predicted.',

  OTHER_DATASET: 'The figures were computed on different content of the dataset.',
  OTHER_METRIC: 'The figures were computed by different metrics.',
  OTHER_REVISION: 'The figures were computed by different revisions of the metric: evaluate again.',
  OTHER_PARAMETERS: 'The figures were made with different parameters of the metric.',
  OTHER_RESOURCES: 'The figures were made with different word lists or other resources.',
  OTHER_TOKENIZER: 'The captions were tokenized in different ways: evaluate again.',
  OTHER_DOCUMENT_FREQUENCIES:
    'Document frequencies were counted in different images: name one dataset for both, or compare on folds of references.',
  OTHER_REFERENCES: 'The figures have different numbers of references per image.',
  OTHER_LAYOUT: 'The stored statistics have different layouts: evaluate again.',
  OTHER_INTERVALS: 'The intervals were made in different ways: evaluate again.',
  PARTIAL: 'The figure is over a part of the images only.',
  OTHER_IMAGES: 'The figures are over different images.',
  NO_SHARED_IMAGES: 'No image was described by both.',
  BEYOND_CURVE: 'The score is beyond the curve, which is not continued.',

  NO_IMAGES: 'No image can be scored.',
  NO_DESCRIPTIONS: 'No image that shows the concept has a description that mentions a box.',
  NO_PRIORS: 'The baseline learns from development descriptions, but none were given.',
  NO_IMAGE_SIZE: 'The baseline requires the width and height of every image.',

  TOO_FEW_RATINGS: 'There are fewer than two ratings.',
  CONSTANT_RATINGS: 'All ratings are equal: neither a correlation nor the agreement of raters is defined.',
  UNCONNECTED_SYSTEMS:
    'Some systems are never preferred to the others, or are not compared with them: strengths are undefined.',
  CONSTANT_SCORES: 'All scores are equal: the correlation is undefined.',
  SINGLE_RATER: 'No caption has two ratings: the agreement of raters is undefined.',
  TOO_FEW_VOTERS: 'No atom has the votes of two people: the agreement of voters is undefined.',
  SAME_VOTES: 'All votes are the same: the agreement of voters is undefined.',
} as const satisfies Record<string, string>

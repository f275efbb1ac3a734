/** Why a value is null, in every layer and in the schema. {@link UNDEFINED_REASONS} has a sentence for each code. */
export type UndefinedReason = keyof typeof UNDEFINED_REASONS

/** The sentences are those of the schema. */
export const UNDEFINED_REASONS = {
  NO_CAPTIONS: 'The dataset or the system has no captions that can be scored.',
  ONE_CAPTION: 'Images have one caption: none can be held out.',
  NOT_COMPUTED: 'No computation of the figure is stored.',
  UNDEFINED_FIGURE:
    'The figure is undefined: of the word, of all words of a mean, or of one of the two sides.',

  TOO_FEW_IMAGES: 'Fewer than 10 images: no interval and no test is reliable.',
  OWN_DOCUMENTS:
    'The document frequencies are those of the measured images, and change with them: no interval would cover the score of many images. With the built-in ones (coco, English) there is an interval; differences of scores have one with any.',
  RARE_WORD: 'The word is used in fewer than 20 images: they do not determine the interval.',
  COMMON_WORD: 'Fewer than 20 images do not use the word: they do not determine the interval.',
  RARELY_PREDICTED: 'The system uses the word in fewer than 20 images: they do not determine the interval.',
  NO_VARIATION: 'The figure stays the same when images are left out, so that its uncertainty is unknown.',

  WORDS_OF_PEOPLE:
    'The words are those that the captions of people use most, which favours systems over these people: name no vocabulary, or one of other captions.',

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
  TOO_MANY_SYSTEMS: 'There are more than 20 ranked systems: their pairs are not tested.',
  BEYOND_CURVE: 'The score is beyond the curve, which is not continued.',
  NO_CAPTION_LEFT: 'All captions of an image are references: none is left for people.',
  LESS_THAN_ONE_PERSON: 'The system says less than one person, where the human curve begins.',
  MORE_THAN_ALL_PEOPLE: 'The system says more than all people together, where the human curve ends.',
  TOO_FEW_TOKENS: 'There are fewer than 1,000 tokens, or bigrams: not one full segment.',

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

/** A reason within a table, which has its sentence below: `other references`. */
export function reasonName(reason: UndefinedReason): string {
  return reason.toLowerCase().replaceAll('_', ' ')
}

/** A reason within a sentence, after what is undefined: `undefined: there are no captions`. */
export const REASON_PHRASES: Readonly<Record<UndefinedReason, string>> = {
  NO_CAPTIONS: 'there are no captions',
  ONE_CAPTION: 'images have one caption each',
  NOT_COMPUTED: 'it is not computed yet',
  UNDEFINED_FIGURE: 'a figure that it is made of is undefined',

  TOO_FEW_IMAGES: 'there are too few images',
  OWN_DOCUMENTS: 'the document frequencies are those of the measured images',
  RARE_WORD: 'too few images use the word',
  COMMON_WORD: 'nearly all images use the word',
  RARELY_PREDICTED: 'the system uses the word too rarely',
  NO_VARIATION: 'all images have the same value',

  WORDS_OF_PEOPLE: 'the words were chosen by these people',

  NO_CAPTION_USES_WORD: 'no caption uses the word',
  NEVER_PREDICTED: 'the system never uses the word',
  HUMAN_RECALL_ZERO: 'no two people use the word for the same image',
  NOT_IDENTIFIABLE: 'different parameters explain the counts equally well',
  TOO_FEW_WORDS: 'there are too few words',
  CONSTANT_PRECISION: 'all words have the same precision',
  TAUTOLOGY: 'with one reference the model predicts nothing',

  OTHER_DATASET: 'it was computed on other content of the dataset',
  OTHER_METRIC: 'it was computed by another metric',
  OTHER_REVISION: 'it was computed by another revision of the metric',
  OTHER_PARAMETERS: 'it was computed with other parameters of the metric',
  OTHER_RESOURCES: 'it was computed with other word lists',
  OTHER_TOKENIZER: 'its captions were tokenized in another way',
  OTHER_DOCUMENT_FREQUENCIES: 'it was computed with other document frequencies',
  OTHER_REFERENCES: 'it was computed with other references',
  OTHER_LAYOUT: 'its stored statistics have another layout',
  OTHER_INTERVALS: 'its interval was made in another way',
  PARTIAL: 'it is over a part of the images',
  OTHER_IMAGES: 'it is over other images',
  NO_SHARED_IMAGES: 'no image was described by both',
  TOO_MANY_SYSTEMS: 'there are too many systems to test every pair',
  BEYOND_CURVE: 'the score is beyond the curve',
  NO_CAPTION_LEFT: 'all captions are references',
  LESS_THAN_ONE_PERSON: 'the system says less than one person',
  MORE_THAN_ALL_PEOPLE: 'the system says more than all people together',
  TOO_FEW_TOKENS: 'there are fewer than 1,000 tokens',

  NO_IMAGES: 'no image can be scored',
  NO_DESCRIPTIONS: 'no description of an image with the concept mentions a box',
  NO_PRIORS: 'the baseline has no development descriptions to learn from',
  NO_IMAGE_SIZE: 'images have no width and height',

  TOO_FEW_RATINGS: 'there are too few ratings',
  CONSTANT_RATINGS: 'all ratings are equal',
  UNCONNECTED_SYSTEMS: 'some systems are not connected by preferences',
  CONSTANT_SCORES: 'all scores are equal',
  SINGLE_RATER: 'no caption has two ratings',
  TOO_FEW_VOTERS: 'no atom has the votes of two people',
  SAME_VOTES: 'all votes are the same',
}

/** Why a figure of a word is null. {@link wordReasons} has a sentence for each code. */
export type WordReason = keyof typeof wordReasons

/** Description of each reason, identical to the description in the API schema, as of the others below. */
export const wordReasons = {
  NO_CAPTION_USES_WORD: 'No human caption uses the word, so its recall is undefined.',
  NEVER_PREDICTED: 'No caption of the system uses the word, so its precision is undefined.',
  HUMAN_RECALL_ZERO:
    'No image has two human captions with the word, so human recall is 0 and every threshold reaches it.',
} as const satisfies Record<string, string>

/** Why a word has no usage model. */
export type UsageModelReason = keyof typeof usageModelReasons

export const usageModelReasons = {
  NO_CAPTION_USES_WORD: wordReasons.NO_CAPTION_USES_WORD,
  HUMAN_RECALL_ZERO: wordReasons.HUMAN_RECALL_ZERO,
  NOT_IDENTIFIABLE:
    'Different model parameters explain the counts of the word equally well, so the fit is not unique.',
} as const satisfies Record<string, string>

/** Why the goodness of fit of usage models is null. */
export type UsageFitReason = keyof typeof usageFitReasons

export const usageFitReasons = {
  TOO_FEW_WORDS: 'Fewer than two words have both a predicted and an empirical precision.',
  NO_VARIATION: 'The empirical precision is the same for all words, so there is no variance to explain.',
  TAUTOLOGY:
    'The moment fit takes p from human recall, which equals human precision with one reference: nothing is predicted.',
} as const satisfies Record<string, string>

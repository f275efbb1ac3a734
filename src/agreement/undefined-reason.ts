/** Why a value of word agreement is null. {@link undefinedReasons} has a sentence for each code. */
export type UndefinedReason = keyof typeof undefinedReasons

/** Description of each reason, identical to the description in the API schema. */
export const undefinedReasons = {
  NO_CAPTION_USES_WORD: 'No human caption uses the word, so its recall is undefined.',
  NEVER_PREDICTED: 'No caption of the system uses the word, so its precision is undefined.',
  HUMAN_RECALL_ZERO:
    'No image has two human captions with the word, so human recall is 0 and every threshold reaches it.',
  NOT_IDENTIFIABLE:
    'Different model parameters explain the counts of the word equally well, so the fit is not unique.',
  TOO_FEW_WORDS: 'Fewer than two words have both a predicted and an empirical precision.',
  NO_VARIATION: 'The empirical precision is the same for all words, so there is no variance to explain.',
  TAUTOLOGY:
    'The moment fit takes p from human recall, which equals human precision with one reference: nothing is predicted.',
} as const satisfies Record<string, string>

/** Why a number of word agreement is null. Each code has its sentence in {@link undefinedReasons}. */
export type UndefinedReason = keyof typeof undefinedReasons

/** One sentence for every reason, as the API shows it. */
export const undefinedReasons = {
  NO_CAPTION_USES_WORD: 'None of the human captions uses the word, so there is nothing to recall.',
  NEVER_PREDICTED: 'The system uses the word in none of its captions, so it has no precision.',
  HUMAN_RECALL_ZERO:
    'No image has two human captions with the word, so human recall is 0 and every threshold reaches it.',
  NOT_IDENTIFIABLE:
    'Different parameters of the model explain the counts of the word equally well, so none can be reported.',
  TOO_FEW_WORDS: 'Fewer than two words have both a predicted and an empirical precision.',
  NO_VARIATION: 'The empirical precision is the same for all words, so there is no variance to explain.',
} as const satisfies Record<string, string>

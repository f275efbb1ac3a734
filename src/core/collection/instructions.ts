/** The task of COCO Captions (Chen et al. 2015), section 2: what annotators are told. */

/** The seven instructions of the paper, in its order and words. */
export const INSTRUCTIONS: readonly string[] = [
  'Describe all the important parts of the scene.',
  'Do not start the sentences with “There is”.',
  'Do not describe unimportant details.',
  'Do not describe things that might have happened in the future or past.',
  'Do not describe what a person might say.',
  'Do not give people proper names.',
  'The sentences should contain at least 8 words.',
]

/** Captions that show annotators what is wanted. They are no captions of the images that are described. */
export const EXAMPLES: readonly string[] = [
  'A man in a red jacket rides a brown horse along the beach.',
  'Two children share a slice of pizza at a small wooden table.',
]

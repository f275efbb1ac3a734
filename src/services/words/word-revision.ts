/**
 * Revision of the statistics of words: counts, human precision and recall, PHR and average precision. Increased whenever
 * the same captions or scores get other figures.
 */
export const WORD_REVISION = 1

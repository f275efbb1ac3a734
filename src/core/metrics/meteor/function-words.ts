/**
 * English function words of METEOR 1.5 (Denkowski and Lavie 2014, section 2: words whose relative frequency
 * in large monolingual text is above 10⁻³), as published with it, punctuation included.
 */
export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [
    'the , . to of and a in that for " is on \'s it with was as said at he by be from have has are his but an',
    'this not i will \u2019 they ) -rrb- ( -lrb- who their had we which were been more or s its would about',
    'new one after you : also up when there than $ all out her people she year two - can if last first',
    "\u201c over other \u201d into some what so -- no time years could ? 't \u2014 '",
  ].flatMap((line) => line.split(' ')),
)

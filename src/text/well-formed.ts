/**
 * The text with U+FFFD for each surrogate without its partner, which JSON can write as `"\ud83d"` but which is no
 * character: UTF-8 has no form for it, so that texts that differ in such halves alone would become one in a database.
 */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd')
}

const LONE_SURROGATE = /\p{Surrogate}/gu

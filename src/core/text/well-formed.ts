/**
 * Replaces each unpaired surrogate by U+FFFD. JSON can contain unpaired surrogates (`"\ud83d"`), but UTF-8 cannot
 * encode them, so different strings could become equal in a database.
 */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd')
}

const LONE_SURROGATE = /\p{Surrogate}/gu

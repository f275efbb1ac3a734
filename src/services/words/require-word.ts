import { quote, unknownName } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset, Word } from '../../store/schema/entities.js'
import { findWord, listWords } from '../../store/words.js'

/** A word of a dataset, in its vocabulary or not. @throws AccordError UNKNOWN_WORD with the word that was probably meant */
export async function requireWord(session: Session, { id, name }: Dataset, text: string): Promise<Word> {
  const found = await findWord(session, id, text)
  if (found) return found
  const known = (await listWords(session, id, {})).map(({ text }) => text)
  const expected = `a word of ${quote(name)}`
  throw unknownName('UNKNOWN_WORD', 'the dataset has no such word', {
    source: 'word',
    known,
    expected,
    found: text,
  })
}

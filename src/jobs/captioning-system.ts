import { AccordError } from '../errors.js'
import type { System, SystemKind } from '../store/entities.js'

const GIVES: Readonly<Record<SystemKind, string>> = {
  CAPTIONS: 'captions',
  WORD_SCORES: 'word scores',
  DESCRIPTIONS: 'descriptions of boxes',
}

/** @throws AccordError NOT_APPLICABLE unless the system gave captions */
export function requireCaptions({ name, kind }: System): void {
  if (kind === 'CAPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'only captions can be scored by caption metrics', {
    source: 'system',
    expected: 'a captioning system',
    found: `${JSON.stringify(name)}, which gave ${GIVES[kind]}`,
  })
}

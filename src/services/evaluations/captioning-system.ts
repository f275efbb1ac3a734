import { AccordError } from '../../errors.js'
import type { System, SystemKind } from '../../store/schema/entities.js'

const CONTENTS: Readonly<Record<SystemKind, string>> = {
  CAPTIONS: 'captions',
  WORD_SCORES: 'word scores',
  DESCRIPTIONS: 'descriptions of boxes',
}

/** @throws AccordError NOT_APPLICABLE unless the system is a captioning system */
export function requireCaptions({ name, kind }: System): void {
  if (kind === 'CAPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'caption metrics require captions', {
    source: 'system',
    expected: 'a captioning system',
    found: `${JSON.stringify(name)}, a system of ${CONTENTS[kind]}`,
  })
}

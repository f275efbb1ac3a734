import { type LeaveOneOutTrials, leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import { requireReferences } from '../../core/agreement/references.js'
import type { Corpus } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import type { ImageRange } from '../../store/caption-search.js'
import type { Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/entities.js'
import { readTokenTexts } from '../../store/tokens.js'
import { listAllReferences } from './reference-lists.js'

/** @throws AccordError NOT_APPLICABLE where images have one caption; OUT_OF_RANGE for k */
export function checkReferences({ captionsPerImage }: Dataset, references: number): void {
  if (captionsPerImage < 2) {
    throw new AccordError('NOT_APPLICABLE', 'people can be compared only if they describe the same image', {
      source: 'dataset',
      expected: 'at least two captions per image',
      found: String(captionsPerImage),
    })
  }
  requireReferences(captionsPerImage, references)
}

/** The folds of people over a range of images, at least one of which has K captions. */
export async function readFolds(
  session: Session,
  { id, captionsPerImage }: Dataset,
  references: number,
  range: ImageRange,
): Promise<Pick<LeaveOneOutTrials, 'trials'> & { readonly corpus: Corpus }> {
  const captions = await readReferenceCaptions(session, id, range)
  const { lists } = listAllReferences(captions)
  return {
    corpus: { ...captions.sequences, texts: await readTokenTexts(session) },
    trials: leaveOneOutTrials(lists, captionsPerImage, references).trials,
  }
}

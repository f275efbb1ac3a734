import {
  imagesOf,
  type Judgements,
  type Preference,
  preferencesOf,
  ratingsOf,
  systemsOf,
} from '../../core/judgements/judgement.js'
import type { Session } from '../../store/engine/session.js'
import { readPreferences } from '../../store/judgements.js'
import type { JudgedCaption, JudgementSet } from '../../store/schema/entities.js'

/** The judgements of a set, captions numbered in the order of the source. */
export async function readJudgements(
  session: Session,
  { id, kind }: JudgementSet,
  captions: readonly JudgedCaption[],
): Promise<Judgements> {
  const images = imagesOf(captions)
  if (kind === 'RATINGS') {
    const ratings = captions.map((caption) => caption.ratings)
    return ratingsOf(ratings, images, systemsOf(captions))
  }
  const positions = new Map(captions.map((caption, position) => [caption.id, position]))
  const rows = await readPreferences(session, id)
  return preferencesOf(
    rows.map(({ firstId, secondId, preferred, category }) => ({
      first: positions.get(firstId) as number,
      second: positions.get(secondId) as number,
      preferred: preferred as Preference['preferred'],
      category,
    })),
    images,
    systemsOf(captions),
  )
}

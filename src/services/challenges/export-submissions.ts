import { findPhasesOfChallenges } from '../../store/challenges.js'
import { readNamedCaptions } from '../../store/check.js'
import * as store from '../../store/submissions.js'
import type { Accord } from '../accord.js'
import type { Viewer } from '../accounts/viewer.js'
import { storedScoresOfSubmissions } from './board.js'
import { requireChallenge, requireHost } from './challenges.js'

/**
 * All submissions to a challenge with their scores and captions, by phase and age, as JSON with a line for each. The captions
 * are in COCO's format of results.
 *
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function* exportSubmissions(
  accord: Accord,
  viewer: Viewer,
  name: string,
): AsyncGenerator<string> {
  const challenge = await requireChallenge(accord, name)
  requireHost(viewer, challenge)
  for (const phase of await findPhasesOfChallenges(accord.database, [challenge.id])) {
    const submissions = await store.listSubmissions(accord.database, [phase.id])
    const scores = await storedScoresOfSubmissions(accord, { challenge, phase }, submissions)
    for (const {
      id,
      jobId: _job,
      systemId,
      phaseId: _phase,
      uploadId: _upload,
      ...submission
    } of submissions) {
      const captions = systemId === null ? [] : await readNamedCaptions(accord.database, systemId)
      const results = captions.map(({ imageId, text }) => ({ image_id: imageId, caption: text }))
      yield `${JSON.stringify({ phase: phase.name, ...submission, scores: scores.get(id), captions: results })}\n`
    }
  }
}

import type { Submission } from '../../store/schema/challenge-tables.js'
import { findSystems } from '../../store/systems.js'
import type { Viewer } from '../accounts/viewer.js'
import { type Comparison, compareWithFirst } from '../comparisons/comparisons.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import type { Accord, Client } from '../shared/accord.js'
import { baselinesOf } from './board-figures.js'
import { isHostOf, maySee } from './hosts.js'
import type { ChallengePhase } from './phases.js'

/**
 * People and the baselines of a phase beside a submission, which is the second of each pair, by the metrics of the phase: paired
 * over images. Null where the rules do not show its team the scores of single images, and until its captions are stored.
 */
export async function distancesOf(
  accord: Accord,
  viewer: Viewer,
  { challenge, phase }: ChallengePhase,
  submission: Submission,
  client: Client = {},
): Promise<Comparison[] | null> {
  const { metrics, references, isImageScoreShown } = phase.settings
  const isShown = isHostOf(viewer, challenge) || (isImageScoreShown && maySee(viewer, challenge, submission))
  if (!isShown || submission.systemId === null) return null
  const { database } = accord
  const [own] = await findSystems(database, [submission.systemId])
  if (!own) return null
  const systems = [own, ...(await baselinesOf(database, phase))]
  const people = references !== null
  if (systems.length === 1 && !people) return []
  const dataset = await requireDatasetById(database, phase.datasetId)
  return compareWithFirst(accord, dataset, systems, { metrics, references, people }, client)
}

import { type Diversity, SAMPLES, SEGMENT_LENGTH } from '../../core/diversity/diversity.js'
import { counted, grouped } from '../../shared/numbers.js'
import { UNDEFINED_REASONS, type UndefinedReason } from '../../shared/undefined-reason.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listUsualSystems } from '../../store/systems.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import type { DiversityReport } from './compute-diversity.js'

export interface DiversityOptions {
  /** Names. Default: all captioning systems of the dataset but captions of upper bounds. */
  readonly systems?: readonly string[] | null
  /** Name of the dataset whose captions systems were trained with. Default: none. */
  readonly training?: string | null
}

/**
 * Diversity and length of captions of systems beside those of a person (METHODS section 14).
 *
 * @throws AccordError UNKNOWN_SYSTEM, UNKNOWN_DATASET; NOT_APPLICABLE for a system or a dataset without captions, and for the dataset
 * itself as `training`; QUEUE_FULL; errors of `requireSameTokens`
 */
export async function measureDiversity(
  accord: Accord,
  dataset: Dataset,
  { systems, training }: DiversityOptions = {},
  client: Client = {},
): Promise<DiversityReport> {
  const chosen = systems
    ? await requireSystems(accord, dataset, systems)
    : (await listUsualSystems(accord.database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const input = { datasetId: dataset.id, systemIds: idsOf(chosen), ...(training != null && { training }) }
  return accord.run('diversity', input, client)
}

/** What the figures are, and why some are undefined. */
export function diversityNotes({
  captionsPerImage,
  imageCount,
  excludedImageCount,
  training,
  tokenCount,
  people,
  systems,
}: DiversityReport): string[] {
  const reasons = new Set([people, ...systems].flatMap(reasonsOf))
  const besideSystems = systems.length > 0 ? ' and a caption of every system' : ''
  return [
    `Over ${counted(imageCount, 'image')} with ${counted(captionsPerImage, 'caption')} by people${besideSystems}.`,
    ...(excludedImageCount > 0 ? [`Left out: ${counted(excludedImageCount, 'image')} without these.`] : []),
    `words: of a caption, mean and standard deviation. types: distinct words among ${counted(tokenCount, 'word')} of each side. type-token ratio: distinct ones among ${grouped(SEGMENT_LENGTH)} words or bigrams, on average. distinct: share of distinct captions.`,
    ...noteOnOthers(captionsPerImage - 1),
    ...(training === null
      ? []
      : [
          `unseen: share of captions whose words are not those of a caption of ${training}, in the same order.`,
        ]),
    `${training === null ? 'Length and local recall' : 'Length, local recall and unseen captions'} are over all captions; the others are means over ${SAMPLES} random samples: orders of the images, and one person for each image.`,
    ...[...reasons].map((reason) => `Undefined: ${UNDEFINED_REASONS[reason]}`),
  ]
}

/** @param others people beside the one that systems are compared with */
function noteOnOthers(others: number): string[] {
  if (others === 0) return []
  const [whose, used] =
    others === 1
      ? ['another person', 'local recall at 1: of the words that this person uses']
      : [`${others} other people`, 'local recall at c: of the words that c of them use']
  return [
    `vocabulary: of the distinct words of ${whose}, the share that is among the types. ${used} for an image, the share that the caption has.`,
  ]
}

function reasonsOf({
  meanLength,
  lengthDeviation,
  types,
  wordTypeTokenRatio,
  bigramTypeTokenRatio,
  distinctShare,
  vocabularyShare,
  localRecall,
}: Diversity): UndefinedReason[] {
  const ratios = [wordTypeTokenRatio, bigramTypeTokenRatio, distinctShare, vocabularyShare]
  return [meanLength, lengthDeviation, types, ...ratios, ...localRecall].flatMap(
    ({ undefinedReason }) => undefinedReason ?? [],
  )
}

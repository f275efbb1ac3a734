import { namedObjects } from '../../core/objects/object-vocabulary.js'
import { createUnconfirmedCounter, type UnconfirmedObject } from '../../core/objects/unconfirmed-objects.js'
import { type Corpus, sequence } from '../../core/text/sequences.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { type Progress, step } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import { splitImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import { requireCaptions, requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { objectsOfTrial } from '../evaluations/annotated-objects.js'
import { storedObjects } from '../evaluations/stored-objects.js'
import { requireEnglish } from '../shared/tokens.js'
import { CAPTIONS_PER_TURN, type ObjectChoice, type ObjectUnits, vocabularyOf } from './object-units.js'

export interface UnconfirmedQuery extends ObjectChoice {
  readonly datasetId: number
  readonly systemId: number
  readonly units: ObjectUnits
}

/** The objects that a system mentions and nothing confirms. */
export interface UnconfirmedReport {
  /** Images with a caption of the system and one of people. */
  readonly imageCount: number
  /** Whether annotated objects confirm as well, or captions of people alone. */
  readonly isAnnotated: boolean
  /** The most frequent first. Images are ids. */
  readonly objects: readonly UnconfirmedObject[]
}

export const unconfirmedObjectsQuery: QueryHandler<UnconfirmedQuery, UnconfirmedReport> = async ({
  input: { datasetId, systemId, ...input },
  database,
  progress,
}) => {
  const dataset = await requireDatasetById(database, datasetId)
  return findUnconfirmed(database, dataset, await requireSystemById(database, systemId), input, progress)
}

/**
 * The objects that a system mentions and that neither a caption of the image by people nor an annotation confirms, as CHAIR
 * against all captions counts them.
 *
 * @throws AccordError NOT_APPLICABLE for a system without captions; LANGUAGE_NOT_SUPPORTED for captions that are not English
 */
async function findUnconfirmed(
  session: Session,
  dataset: Dataset,
  system: System,
  { units, ...choice }: Pick<UnconfirmedQuery, 'units' | 'objectWords' | 'isChairCompatible'>,
  progress: Progress,
): Promise<UnconfirmedReport> {
  requireCaptions(system)
  requireEnglish(dataset, `coverage in ${units}`)
  const vocabulary = vocabularyOf(units, choice)
  const counter = createUnconfirmedCounter(vocabulary)
  const texts = await readTokenTexts(session)
  const annotated = await storedObjects(session, dataset.id)
  const ranges = await splitImages(session, { datasetId: dataset.id, minCaptionCount: 1 })
  let imageCount = 0
  for (const [index, range] of ranges.entries()) {
    step(progress, index, ranges.length)(0, 'finding objects')
    const { imageIds, firstCaption, sequences } = await readReferenceCaptions(
      session,
      dataset.id,
      range,
      vocabulary.text,
    )
    const own = await readSystemSequences(session, system.id, range, vocabulary.text)
    const people: Corpus = { ...sequences, texts }
    const said: Corpus = { ...own.sequences, texts }
    const objects = annotated && namedObjects(objectsOfTrial(annotated, own.imageIds), vocabulary)
    const placeOf = new Map(Array.from(imageIds, (id, place) => [id, place]))
    for (const [caption, imageId] of own.imageIds.entries()) {
      if (caption % CAPTIONS_PER_TURN === 0) await yieldToEventLoop()
      const place = placeOf.get(imageId)
      if (place === undefined || firstCaption[place] === firstCaption[place + 1]) continue
      imageCount++
      counter.add(imageId, {
        said: vocabulary.mentionsOf(said, caption),
        references: Array.from({ length: firstCaption[place + 1] - firstCaption[place] }, (_, reference) =>
          vocabulary.mentionsOf(people, firstCaption[place] + reference),
        ),
        annotated: objects ? sequence(objects, caption) : [],
      })
    }
  }
  return { imageCount, isAnnotated: annotated !== null, objects: counter.list() }
}

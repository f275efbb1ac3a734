import type { CaptionText } from '../../store/images.js'
import type { Dataset, Image } from '../../store/schema/dataset-tables.js'
import type { SystemSelection } from '../../store/systems.js'
import { type DocumentOptions, hashOfDocuments, requireDocuments } from '../evaluations/document-source.js'
import { imageScoresById, scoreOfImage } from '../evaluations/image-scores.js'
import { scoresBySystem } from '../evaluations/scores.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { idsOf } from '../shared/groups.js'
import { requireSystems, systemsById } from '../systems/systems.js'
import { captionsByImage, requireImage, systemCaptionsByImage } from './images.js'

/** The captions of an image, with stored scores. */
export interface ImageReport {
  readonly dataset: Dataset
  readonly image: Image
  /** Human captions in their order. */
  readonly captions: readonly CaptionText[]
  /** Names of metrics. */
  readonly metrics: readonly string[]
  /** By name. */
  readonly systems: readonly {
    readonly system: string
    readonly text: string
    /** Against all human captions, aligned to `metrics`; null if the system was not evaluated by the metric. */
    readonly scores: readonly (number | null)[]
    /** How they were made, aligned to `metrics`. */
    readonly signatures: readonly (string | null)[]
  }[]
}

export interface ImageReportOptions extends DocumentOptions {
  /** Of those with a caption of the image. */
  readonly systems: SystemSelection
  /** Names. */
  readonly metrics: readonly string[]
}

/** @throws AccordError UNKNOWN_IMAGE, UNKNOWN_SYSTEM, UNKNOWN_METRIC */
export async function reportImage(
  accord: Accord,
  dataset: Dataset,
  externalId: string,
  { systems: selection, metrics: wanted, ...documents }: ImageReportOptions,
): Promise<ImageReport> {
  await refreshMetrics(accord)
  const metrics = metricsOf(accord).resolve(wanted)
  const image = await requireImage(accord, dataset, externalId)
  if (selection.names) await requireSystems(accord, dataset, selection.names)
  const captions = (await captionsByImage(accord, [image.id])).get(image.id) ?? []
  const written = (await systemCaptionsByImage(accord, [image.id], selection)).get(image.id) ?? []
  const ids = written.map(({ systemId }) => systemId)
  const systems = await systemsById(accord, ids)
  const source = await requireDocuments(accord.database, documents)
  const scores = await scoresBySystem(accord, ids, null, await hashOfDocuments(accord.database, source))
  const values = await imageScoresById(accord, idsOf([...scores.values()].flat()))
  const scoreOf = (systemId: number, metric: string) => {
    const score = scores.get(systemId)?.find((row) => row.metric === metric)
    const ofImages = score && values.get(score.id)
    return (ofImages && scoreOfImage(ofImages, image.id)) ?? null
  }
  return {
    dataset,
    image,
    captions,
    metrics,
    systems: written.map(({ systemId, text }) => ({
      system: systems.get(systemId)?.name as string,
      text,
      scores: metrics.map((metric) => scoreOf(systemId, metric)),
      signatures: metrics.map(
        (metric) => scores.get(systemId)?.find((row) => row.metric === metric)?.signature ?? null,
      ),
    })),
  }
}

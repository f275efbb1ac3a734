import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { ImageScores } from '../../store/scores.js'
import { computeMissing } from '../comparisons/compute-missing.js'
import * as documentSource from '../evaluations/document-source.js'
import { imageScoresById, scoreOfImage } from '../evaluations/image-scores.js'
import { requireMetric, resolveMetric } from '../evaluations/metrics.js'
import { scoresBySystem } from '../evaluations/scores.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import { captionsByImage, imagesById, systemCaptionsByImage } from './images.js'

/** An image on which a system is good or bad. */
export interface Example {
  /** External id of the image. */
  readonly imageId: string
  /** Human captions in their order. */
  readonly captions: readonly string[]
  /** Of the system, then of the one that it is compared with. */
  readonly systems: readonly { readonly system: string; readonly text: string; readonly score: number }[]
}

export interface Examples {
  /** Name of the metric. */
  readonly metric: string
  /** Of the scores of each system. */
  readonly signatures: readonly string[]
  readonly examples: readonly Example[]
}

export interface ExamplesOptions extends documentSource.DocumentOptions {
  /** Name. */
  readonly system: string
  /** Name of a system to compare with: examples are where the first is worst, or best, relative to it. */
  readonly against?: string
  /** Name. */
  readonly metric: string
  readonly count: number
  readonly order: 'WORST' | 'BEST'
}

/**
 * Images on which a system is worst or best by a metric, against all human captions; ties in the order of the images.
 * Missing scores are computed. With another system, images that only one of them describes are left out.
 *
 * @throws AccordError UNKNOWN_SYSTEM, UNKNOWN_METRIC; and as an evaluation
 */
export async function findExamples(
  accord: Accord,
  dataset: Dataset,
  { system, against, metric: name, count, order, documents, documentsFile }: ExamplesOptions,
  client: Client = {},
): Promise<Examples> {
  const { name: metric } = await resolveMetric(accord, name)
  const names = against === undefined ? [system] : [system, against]
  const systems = await requireSystems(accord, dataset, names)
  const source = await documentSource.requireDocuments(accord.database, { documents, documentsFile })
  await computeMissing(
    accord,
    dataset,
    { systems, people: false, metrics: [metric], references: null, source },
    client,
  )
  const { signatures, scores } = await imageScoresOf(accord, systems, metric, source)
  const sign = (requireMetric(accord, metric).higherIsBetter ? 1 : -1) * (order === 'WORST' ? 1 : -1)
  const rows = Array.from(scores[0].imageIds, (imageId) => {
    const values = scores.map((ofSystem) => scoreOfImage(ofSystem, imageId))
    return {
      imageId,
      values,
      key: sign * ((values[0] ?? Number.NaN) - (values.length > 1 ? (values[1] ?? Number.NaN) : 0)),
    }
  })
  const chosen = rows
    .filter(({ key }) => !Number.isNaN(key))
    .toSorted((one, other) => one.key - other.key)
    .slice(0, count)
  const ids = chosen.map(({ imageId }) => imageId)
  const [images, captions, written] = [
    await imagesById(accord, ids),
    await captionsByImage(accord, ids),
    await systemCaptionsByImage(accord, ids, { names, isBoundIncluded: true }),
  ]
  const examples = chosen.map(({ imageId, values }) => ({
    imageId: images.get(imageId)?.externalId as string,
    captions: captions.get(imageId)?.map(({ text }) => text) ?? [],
    systems: systems.map(({ id, name: ofSystem }, index) => ({
      system: ofSystem,
      text: written.get(imageId)?.find(({ systemId }) => systemId === id)?.text as string,
      score: values[index] as number,
    })),
  }))
  return { metric, signatures, examples }
}

async function imageScoresOf(
  accord: Accord,
  systems: readonly System[],
  metric: string,
  source: documentSource.DocumentSource,
) {
  const hash = await documentSource.hashOfDocuments(accord.database, source)
  const scores = await scoresBySystem(accord, idsOf(systems), null, hash)
  const rows = systems.map(({ id }) => scores.get(id)?.find((score) => score.metric === metric))
  const images = await imageScoresById(
    accord,
    rows.map((row) => row?.id as number),
  )
  return {
    signatures: rows.map((row) => row?.signature as string),
    scores: rows.map((row) => images.get(row?.id as number) as ImageScores),
  }
}

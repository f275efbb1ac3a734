import { agreementByDataset } from '../../services/agreement/agreement.js'
import { provenanceById } from '../../services/evaluations/provenance.js'
import { foldScoresById, imageScoresById, scoresBySystem } from '../../services/evaluations/scores.js'
import type { AgreementScore, MetricScore } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

/** Corpus scores of a system, the newest of each metric: on folds of k references, or against all if they are null. */
export const loadScores = defineLoader<
  { readonly systemId: number; readonly references: number | null },
  number,
  readonly MetricScore[]
>({
  group: ({ references }) => String(references),
  part: ({ systemId }) => systemId,
  read: (accord, keys) =>
    scoresBySystem(
      accord,
      keys.map(({ systemId }) => systemId),
      keys[0].references,
    ),
  absent: [],
})

/** How a figure was computed. */
export const loadProvenance = defineRowLoader(provenanceById)

/** Image scores of a corpus score. */
export const loadImageScores = defineRowLoader(imageScoresById)

/** The stored leave-one-out table of a dataset, by default with K − 1 references. Empty before it has been computed. */
export const loadAgreement = defineLoader<
  { readonly datasetId: number; readonly references?: number },
  number,
  readonly AgreementScore[]
>({
  group: ({ references }) => String(references),
  part: ({ datasetId }) => datasetId,
  read: (accord, keys) =>
    agreementByDataset(
      accord,
      keys.map(({ datasetId }) => datasetId),
      keys[0].references,
    ),
  absent: [],
})

/** Image scores of all folds, by row of a leave-one-out table. */
export const loadFoldScores = defineRowLoader(foldScoresById)

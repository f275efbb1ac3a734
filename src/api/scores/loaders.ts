import { agreementByDataset } from '../../services/agreement/agreement.js'
import { provenanceById } from '../../services/evaluations/provenance.js'
import { foldScoresById, imageScoresById, scoresBySystem } from '../../services/evaluations/scores.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

/** Corpus scores of a system, the newest of each metric: on folds of k references, or against all if they are null. */
export const loadScores = defineLoader({
  part: ({ systemId }: { systemId: number; references: number | null }) => systemId,
  group: ({ references }) => references,
  read: (accord, systemIds, [{ references }]) => scoresBySystem(accord, systemIds, references),
  absent: [],
})

/** How a figure was computed. */
export const loadProvenance = defineRowLoader(provenanceById)

/** Image scores of a corpus score. */
export const loadImageScores = defineRowLoader(imageScoresById)

/** The stored leave-one-out table of a dataset, by default with K − 1 references. Empty before it has been computed. */
export const loadAgreement = defineLoader({
  part: ({ datasetId }: { datasetId: number; references?: number }) => datasetId,
  group: ({ references }) => references,
  read: (accord, datasetIds, [{ references }]) => agreementByDataset(accord, datasetIds, references),
  absent: [],
})

/** Image scores of all folds, by row of a leave-one-out table. */
export const loadFoldScores = defineRowLoader(foldScoresById)

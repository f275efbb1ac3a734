import type { ArtefactHeader, Epoch } from '../../core/composite/artefact.js'
import type { NetworkShape } from '../../core/composite/network.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const METRIC_TABLES = entities

/** A metric of another program, whose scores are imported. */
export const ExternalMetricEntity = entity('external_metric', [], {
  id: t.id(),
  name: t.distinct(t.text()),
  /** Version and settings as the user states them. */
  version: t.text(),
  lowest: t.double(),
  highest: t.double(),
  higherIsBetter: t.boolean(),
  createdAt: t.time(),
})

/** A trained composite metric. */
export const ArtefactEntity = entity('artefact', [], {
  id: t.id(),
  name: t.distinct(t.text()),
  /** SHA-256 of header and weights, see composite/artefact.ts. */
  hash: t.text(),
  header: t.json<ArtefactHeader>(),
  /** Doubles. */
  weights: t.bytes(),
  createdAt: t.time(),
})
export type Artefact = t.Row<typeof ArtefactEntity>

/** Loss and agreement of a network that a job trains, or has trained, for a composite metric. */
export const TrainingCurveEntity = entity('training_curve', [], {
  jobId: t.key(t.reference('job')),
  /** From 0, in the order of training. */
  position: t.key(t.integer()),
  network: t.json<NetworkShape>(),
  seed: t.integer(),
  /** So far. */
  epochs: t.json<readonly Epoch[]>(),
})
export type TrainingCurve = t.Row<typeof TrainingCurveEntity>

/** Document frequencies of a file, which scores were made with. */
export const FrequenciesEntity = entity('frequencies', [], {
  /** SHA-256 of the content in hexadecimal digits. */
  hash: t.key(t.text()),
  /** As `accord export frequencies` writes it. */
  content: t.bytes(),
})

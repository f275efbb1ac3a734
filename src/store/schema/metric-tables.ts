import type { ArtefactHeader, Epoch } from '../../core/composite/artefact.js'
import type { NetworkShape } from '../../core/composite/network.js'
import {
  boolean,
  bytes,
  distinct,
  double,
  id,
  integer,
  json,
  key,
  type Row,
  reference,
  tableList,
  text,
  time,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const METRIC_TABLES = tables.entities

/** A metric of another program, whose scores are imported. */
export const ExternalMetricEntity = entity('external_metric', [], {
  id: id(),
  name: distinct(text()),
  /** Version and settings as the user states them. */
  version: text(),
  lowest: double(),
  highest: double(),
  higherIsBetter: boolean(),
  createdAt: time(),
})

/** A trained composite metric. */
export const ArtefactEntity = entity('artefact', [], {
  id: id(),
  name: distinct(text()),
  /** SHA-256 of header and weights, see composite/artefact.ts. */
  hash: text(),
  header: json<ArtefactHeader>(),
  /** Doubles. */
  weights: bytes(),
  createdAt: time(),
})
export type Artefact = Row<typeof ArtefactEntity>

/** Loss and agreement of a network that a job trains, or has trained, for a composite metric. */
export const TrainingCurveEntity = entity('training_curve', [], {
  jobId: key(reference('job')),
  /** From 0, in the order of training. */
  position: key(integer()),
  network: json<NetworkShape>(),
  seed: integer(),
  /** So far. */
  epochs: json<readonly Epoch[]>(),
})
export type TrainingCurve = Row<typeof TrainingCurveEntity>

/** Document frequencies of a file, which scores were made with. */
export const FrequenciesEntity = entity('frequencies', [], {
  /** SHA-256 of the content in hexadecimal digits. */
  hash: key(text()),
  /** As `accord export frequencies` writes it. */
  content: bytes(),
})

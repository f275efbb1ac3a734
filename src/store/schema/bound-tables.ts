import type { BoundOutcome, BoundProgress, CheckpointHeader } from '../../core/bounds/settings.js'
import type { AtomKind, BoundSettings } from '../../shared/choices.js'
import {
  boolean,
  bytes,
  double,
  id,
  indexed,
  integer,
  json,
  key,
  optional,
  type Row,
  reference,
  tableList,
  text,
  time,
  unique,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const BOUND_TABLES = tables.entities

/** Atoms of the human captions of a dataset, stored when they are first requested. */
export const AtomEntity = entity('atom', [unique('datasetId', 'kind', 'text')], {
  datasetId: key(reference('dataset')),
  kind: key(text<AtomKind>()),
  /** From 1, by descending count. */
  rank: key(integer()),
  text: text(),
  count: integer(),
  imageCount: integer(),
})
export type AtomRow = Row<typeof AtomEntity>

/** A person's vote whether an atom is visual, or a published decision. */
export const AtomVoteEntity = entity('atom_vote', [], {
  datasetId: key(reference('dataset')),
  kind: key(text<AtomKind>()),
  text: key(text()),
  voter: key(text()),
  /** Whether the atom is visual. */
  isVisual: boolean(),
  /** 1 for the vote of a person; for a published decision the number of people whose majority it is. */
  people: integer(),
})
export type AtomVote = Row<typeof AtomVoteEntity>

/** Images of a dataset for training, for choosing the best model, and for the figures. */
export const BoundSplitEntity = entity('bound_split', [unique('datasetId', 'key')], {
  id: id(),
  datasetId: reference('dataset'),
  /** The seed and the numbers of images. */
  key: text(),
  /** 32-bit ids, ascending. */
  trainingIds: bytes(),
  validationIds: bytes(),
  testIds: bytes(),
})

/** A point of an upper bound: a language model given some atoms, with its captions and figures. */
export const BoundEntity = entity('bound', [unique('datasetId', 'key')], {
  id: id(),
  datasetId: reference('dataset'),
  splitId: indexed(reference('bound_split')),
  /** The settings and, for visual atoms alone, the votes; equal keys are the same point. */
  key: text(),
  settings: json<BoundSettings>(),
  /** How far the training has come, while it runs or after it was interrupted. */
  progress: optional(json<BoundProgress>()),
  /** The last job that trained or imported it: while that job is unfinished, no other one may. */
  jobId: optional(integer()),
  /** Null if there is none; its content is in bound_checkpoint. */
  checkpoint: optional(json<CheckpointHeader>()),
  /** Its captions of the test images, once it is trained. */
  systemId: indexed(optional(reference('system'))),
  /** What the training led to; null until it is trained. */
  outcome: optional(json<BoundOutcome>()),
  /** The model as a file, see formats/models/bound-model.ts. */
  model: optional(bytes()),
  /** Of the human captions of the test images: 32-bit ids, log-likelihoods as doubles, 32-bit numbers of words. */
  captionIds: optional(bytes()),
  logLikelihoods: optional(bytes()),
  wordCounts: optional(bytes()),
  createdAt: time(),
  endedAt: optional(time()),
})
export type Bound = Row<typeof BoundEntity>

/** Losses of a training: mean negative log-likelihoods per word. */
export const BoundLossEntity = entity('bound_loss', [], {
  boundId: key(reference('bound')),
  /** The number of mini-batches. */
  step: key(integer()),
  /** Of the mini-batches since the previous row. */
  training: double(),
  /** Of the validation captions; null where it was not computed. */
  validation: optional(double()),
})
export type BoundLoss = Row<typeof BoundLossEntity>

/** The newest checkpoint of a training, in parts. */
export const BoundCheckpointEntity = entity('bound_checkpoint', [], {
  boundId: key(reference('bound')),
  part: key(integer()),
  content: bytes(),
})

/** The retrieval bound of a split: for each test image the best score that a training caption reaches. */
export const RetrievalBoundEntity = entity('retrieval_bound', [], {
  splitId: key(reference('bound_split')),
  /** Name and revision of the metric. */
  metric: key(text()),
  /** The mean over the test images. */
  value: double(),
  /** Ends of its 95 % interval; null for too few images. */
  lower: optional(double()),
  upper: optional(double()),
  /** Doubles, one for each test image. */
  imageScores: bytes(),
})
export type RetrievalBound = Row<typeof RetrievalBoundEntity>

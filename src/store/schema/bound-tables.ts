import type { BoundOutcome, BoundProgress, CheckpointHeader } from '../../core/bounds/settings.js'
import type { AtomKind, BoundSettings } from '../../shared/choices.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const BOUND_TABLES = entities

/** Atoms of the human captions of a dataset, stored when they are first requested. */
export const AtomEntity = entity('atom', [t.unique('datasetId', 'kind', 'text')], {
  datasetId: t.key(t.reference('dataset')),
  kind: t.key(t.text<AtomKind>()),
  /** From 1, by descending count. */
  rank: t.key(t.integer()),
  text: t.text(),
  count: t.integer(),
  imageCount: t.integer(),
})
export type AtomRow = t.Row<typeof AtomEntity>

/** A person's vote whether an atom is visual, or a published decision. */
export const AtomVoteEntity = entity('atom_vote', [], {
  datasetId: t.key(t.reference('dataset')),
  kind: t.key(t.text<AtomKind>()),
  text: t.key(t.text()),
  voter: t.key(t.text()),
  /** Whether the atom is visual. */
  isVisual: t.boolean(),
  /** 1 for the vote of a person; for a published decision the number of people whose majority it is. */
  people: t.integer(),
})
export type AtomVote = t.Row<typeof AtomVoteEntity>

/** Images of a dataset for training, for choosing the best model, and for the figures. */
export const BoundSplitEntity = entity('bound_split', [t.unique('datasetId', 'key')], {
  id: t.id(),
  datasetId: t.reference('dataset'),
  /** The seed and the numbers of images. */
  key: t.text(),
  /** 32-bit ids, ascending. */
  trainingIds: t.bytes(),
  validationIds: t.bytes(),
  testIds: t.bytes(),
})

/** A point of an upper bound: a language model given some atoms, with its captions and figures. */
export const BoundEntity = entity('bound', [t.unique('datasetId', 'key')], {
  id: t.id(),
  datasetId: t.reference('dataset'),
  splitId: t.indexed(t.reference('bound_split')),
  /** The settings and, for visual atoms alone, the votes; equal keys are the same point. */
  key: t.text(),
  settings: t.json<BoundSettings>(),
  /** How far the training has come, while it runs or after it was interrupted. */
  progress: t.optional(t.json<BoundProgress>()),
  /** The last job that trained or imported it: while that job is unfinished, no other one may. */
  jobId: t.optional(t.integer()),
  /** Null if there is none; its content is in bound_checkpoint. */
  checkpoint: t.optional(t.json<CheckpointHeader>()),
  /** Its captions of the test images, once it is trained. */
  systemId: t.indexed(t.optional(t.reference('system'))),
  /** What the training led to; null until it is trained. */
  outcome: t.optional(t.json<BoundOutcome>()),
  /** The model as a file, see formats/models/bound-model.ts. */
  model: t.optional(t.bytes()),
  /** Of the human captions of the test images: 32-bit ids, log-likelihoods as doubles, 32-bit numbers of words. */
  captionIds: t.optional(t.bytes()),
  logLikelihoods: t.optional(t.bytes()),
  wordCounts: t.optional(t.bytes()),
  createdAt: t.time(),
  endedAt: t.optional(t.time()),
})
export type Bound = t.Row<typeof BoundEntity>

/** Losses of a training: mean negative log-likelihoods per word. */
export const BoundLossEntity = entity('bound_loss', [], {
  boundId: t.key(t.reference('bound')),
  /** The number of mini-batches. */
  step: t.key(t.integer()),
  /** Of the mini-batches since the previous row. */
  training: t.double(),
  /** Of the validation captions; null where it was not computed. */
  validation: t.optional(t.double()),
})
export type BoundLoss = t.Row<typeof BoundLossEntity>

/** The newest checkpoint of a training, in parts. */
export const BoundCheckpointEntity = entity('bound_checkpoint', [], {
  boundId: t.key(t.reference('bound')),
  part: t.key(t.integer()),
  content: t.bytes(),
})

/** The retrieval bound of a split: for each test image the best score that a training caption reaches. */
export const RetrievalBoundEntity = entity('retrieval_bound', [], {
  splitId: t.key(t.reference('bound_split')),
  /** Name and revision of the metric. */
  metric: t.key(t.text()),
  /** The mean over the test images. */
  value: t.double(),
  /** Ends of its 95 % interval; null for too few images. */
  lower: t.optional(t.double()),
  upper: t.optional(t.double()),
  /** Doubles, one for each test image. */
  imageScores: t.bytes(),
})
export type RetrievalBound = t.Row<typeof RetrievalBoundEntity>

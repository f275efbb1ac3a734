import type { AtomKind } from '../../core/bounds/atoms.js'
import type {
  BoundOutcome,
  BoundProgress,
  BoundSettings,
  CheckpointHeader,
} from '../../core/bounds/settings.js'
import type { ArtefactHeader, Epoch } from '../../core/composite/artefact.js'
import type { NetworkShape } from '../../core/composite/network.js'
import type { JudgementKind, Rating } from '../../core/judgements/judgement.js'
import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { SourceCounts } from '../../core/selection/scenes.js'
import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { ErrorCode, ErrorDetail } from '../../errors.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import {
  bytes,
  checksum,
  deferredReference,
  distinct,
  double,
  id,
  index,
  indexed,
  integer,
  json,
  key,
  optional,
  permanentReference,
  type Row,
  reference,
  tableList,
  text,
  textReference,
  unique,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** All tables, each after those that it refers to: in the order of this file. */
export const ENTITIES = tables.entities

/** The tokens of all datasets: document frequencies counted in one dataset are valid in another. */
export const TokenEntity = entity('token', [], {
  id: id(),
  text: distinct(text('text')),
  checksum: checksum(),
})

/** A set of images with human captions, boxes, or both. */
export const DatasetEntity = entity('dataset', [], {
  id: id(),
  name: distinct(text()),
  /** K: captions per image used by the statistics; 0 for a dataset without captions. */
  captionsPerImage: integer(),
  imageCount: integer(),
  captionCount: integer(),
  /** Images with fewer than K captions, which are excluded from the statistics. */
  excludedImageCount: integer(),
  /** Hash of the content, see content-hash.ts. */
  revision: text(),
  /** Revision of the statistics of its words; null for a dataset without captions. */
  wordRevision: optional(integer()),
  /** Hash of the vocabulary that replaced that of the import; null while none did. */
  vocabulary: optional(text()),
  /** 1 for a dataset that only hosts and administrators see, on a server with accounts. */
  isPrivate: integer(),
  createdAt: text(),
  checksum: checksum(),
})
export type Dataset = Row<typeof DatasetEntity>

/** Images of a dataset, in the order of the imported file. */
export const ImageEntity = entity('image', [unique('datasetId', 'externalId'), index('datasetId', 'id')], {
  id: id(),
  datasetId: reference('dataset'),
  externalId: text(),
  fileName: optional(text()),
  url: optional(text()),
  /** Pixels. */
  width: optional(integer()),
  height: optional(integer()),
  captionCount: integer(),
  checksum: checksum('width', 'height'),
})
export type Image = Row<typeof ImageEntity>

/** A human caption. */
export const CaptionEntity = entity('caption', [unique('imageId', 'position')], {
  id: id(),
  imageId: reference('image'),
  /** Index of the caption among those of its image, from 0, by annotation id. */
  position: integer(),
  externalId: text(),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes('imageId'),
  checksum: checksum(),
})
export type Caption = Row<typeof CaptionEntity>

/** A word of a dataset with its counts over the first K captions of each image. */
export const WordEntity = entity(
  'word',
  [unique('datasetId', 'text'), index('datasetId', 'vocabularyRank')],
  {
    id: id(),
    datasetId: reference('dataset'),
    tokenId: indexed(permanentReference('token')),
    text: text(),
    partOfSpeech: text<PartOfSpeech>(),
    /** Rank in the vocabulary, from 1; null for words outside the vocabulary. */
    vocabularyRank: optional(integer()),
    imageCount: integer(),
    captionCount: integer(),
    /** h_0 … h_K: the number of images in which exactly c of the K captions contain the word. */
    histogram: json<number[]>(),
    /** With K − 1 references; null if undefined. */
    humanPrecision: optional(double()),
    humanRecall: optional(double()),
    checksum: checksum('vocabularyRank', 'partOfSpeech'),
  },
)
export type Word = Row<typeof WordEntity>

/**
 * The images in which a word is used by one of the first K captions. Images are grouped in blocks of consecutive ids
 * (see postings.ts); a word has one row for each block with such an image.
 */
export const PostingEntity = entity('posting', [], {
  /** Postings of a block are written before the words. */
  wordId: key(deferredReference('word')),
  block: key(integer()),
  /** 32-bit ids of the images, ascending. */
  imageIds: bytes('wordId'),
  /** One byte per image: the number of its first K captions that use the word. */
  captionCounts: bytes('wordId'),
  checksum: checksum(),
})

export type SystemKind = 'CAPTIONS' | 'WORD_SCORES' | 'DESCRIPTIONS'

export const SystemEntity = entity('system', [unique('datasetId', 'name')], {
  id: id(),
  datasetId: reference('dataset'),
  name: text(),
  kind: text<SystemKind>(),
  imageCount: integer(),
  missingImageCount: integer(),
  /** Of the missing images those with K captions, which statistics count. */
  missingCountedCount: integer(),
  /** Hash of its captions, scores or descriptions, see content-hash.ts. */
  content: text(),
  /** Revision of its results on words; null where it has none. */
  wordRevision: optional(integer()),
  createdAt: text(),
  checksum: checksum(),
})
export type System = Row<typeof SystemEntity>

/** A system's caption of an image. */
export const SystemCaptionEntity = entity('system_caption', [unique('systemId', 'imageId')], {
  id: id(),
  systemId: reference('system'),
  imageId: indexed(reference('image')),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes('imageId'),
  checksum: checksum(),
})
export type SystemCaption = Row<typeof SystemCaptionEntity>

/** A system's results on one word, for one number of references. */
export const SystemWordEntity = entity('system_word', [], {
  systemId: key(reference('system')),
  referenceCount: key(integer()),
  /** No foreign key, which would require another index: words are removed only with their dataset. */
  wordId: key(integer()),
  precisionAtHumanRecall: optional(double()),
  averagePrecision: optional(double()),
  precision: optional(double()),
  recall: optional(double()),
  undefinedReason: optional(text<UndefinedReason>()),
  checksum: checksum(),
})
export type SystemWord = Row<typeof SystemWordEntity>

/** Image ids, ascending, to which rows of other tables are aligned. */
export const ImageSetEntity = entity('image_set', [], {
  id: id(),
  systemId: indexed(reference('system')),
  /** 32-bit ids. */
  imageIds: bytes(),
  checksum: checksum(),
})

/** A system's scores of images for one word. */
export const WordScoresEntity = entity('word_scores', [], {
  systemId: key(reference('system')),
  /** No foreign key: words are removed only with their dataset. */
  wordId: key(integer()),
  imageSetId: indexed(reference('image_set')),
  /** 4 for single precision, 8 for double precision. */
  bytesPerScore: integer(),
  /** One score for each image of the set. */
  scores: bytes('wordId'),
  checksum: checksum(),
})

/** How figures were made, see provenance.ts. Equal records are one row. */
export const ProvenanceEntity = entity('provenance', [], {
  id: id(),
  /** SHA-256 of the record, hexadecimal. */
  hash: distinct(text()),
  record: json<ProvenanceRecord>(),
})

/**
 * Rows of sufficient statistics of a family of metrics, one for each image of the set. Of a score on folds of
 * references: those of all images for the first fold, then for the second.
 */
export const MetricStatisticsEntity = entity('metric_statistics', [], {
  id: id(),
  systemId: indexed(reference('system')),
  imageSetId: indexed(reference('image_set')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: text(),
  layoutRevision: integer(),
  /** Doubles, row by row. */
  statistics: bytes(),
  checksum: checksum(),
})

/** A system's score on its images, for one signature. */
export const MetricScoreEntity = entity('metric_score', [unique('systemId', 'signature')], {
  id: id(),
  systemId: reference('system'),
  statisticsId: indexed(reference('metric_statistics')),
  provenanceId: permanentReference('provenance'),
  metric: text(),
  signature: text(),
  /** References per image; the minimum if the number varies. */
  referenceCount: integer(),
  /** Corpus score on each fold of references, which the value is the mean of; null for a score against all references. */
  folds: optional(json<number[]>()),
  value: double(),
  /** Ends of the 95 % interval; null for too few images. */
  lower: optional(double()),
  upper: optional(double()),
  warnings: json<string[]>(),
  /** Doubles, one for each image of the set of the statistics; means over folds. */
  imageScores: bytes(),
  checksum: checksum(),
})
export type MetricScore = Row<typeof MetricScoreEntity>

/** Rows of sufficient statistics of people's held-out captions: of all images for the first fold, then for the second. */
export const AgreementStatisticsEntity = entity('agreement_statistics', [], {
  id: id(),
  datasetId: indexed(reference('dataset')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: text(),
  layoutRevision: integer(),
  /** 32-bit ids. */
  imageIds: bytes(),
  /** Doubles, row by row. */
  statistics: bytes(),
  checksum: checksum(),
})

/** One metric of a leave-one-out table. */
export const AgreementScoreEntity = entity(
  'agreement_score',
  [unique('datasetId', 'referenceCount', 'signature')],
  {
    id: id(),
    datasetId: reference('dataset'),
    statisticsId: indexed(reference('agreement_statistics')),
    provenanceId: permanentReference('provenance'),
    referenceCount: integer(),
    metric: text(),
    signature: text(),
    imageCount: integer(),
    /** Corpus score of each fold. */
    folds: json<number[]>(),
    mean: double(),
    standardDeviation: double(),
    /** Ends of the 95 % interval; null for too few images. */
    lower: optional(double()),
    upper: optional(double()),
    warnings: json<string[]>(),
    /** 32-bit ids of the images. */
    imageIds: bytes(),
    /** Doubles, fold by fold, aligned to `imageIds`: the score of the caption that the fold holds out. */
    imageScores: bytes(),
    checksum: checksum(),
  },
)
export type AgreementScore = Row<typeof AgreementScoreEntity>

/** The bounding box of an object in an image. */
export const BoxEntity = entity('box', [unique('imageId', 'externalId')], {
  id: id(),
  imageId: reference('image'),
  /** Unique within the image. */
  externalId: text(),
  /** A category, noun or WordNet synset, as imported. */
  concept: text(),
  /** Pixels; x and y are the upper left corner, relative to the upper left corner of the image. */
  x: double(),
  y: double(),
  width: double(),
  height: double(),
  /** Words that describe the object, such as its colour; null if the source has none. */
  attributes: optional(json<string[]>()),
  /** Distance from the camera, in the unit of the source; null if unknown. */
  depth: optional(double()),
  checksum: checksum(),
})
export type Box = Row<typeof BoxEntity>

/** A sentence of a person or a system about an image, as the sequence of boxes that it mentions. */
export const DescriptionEntity = entity(
  'description',
  [unique('imageId', 'externalId'), unique('systemId', 'imageId')],
  {
    id: id(),
    imageId: reference('image'),
    /** Null for a human description. */
    systemId: optional(reference('system')),
    /** Null for a system's description. */
    externalId: optional(text()),
    /** The linked human caption, which contains the text. */
    captionId: distinct(optional(reference('caption'))),
    /** The linked caption of the system, which contains the text. */
    systemCaptionId: distinct(optional(reference('system_caption'))),
    /** Null if a caption is linked, or if the source contains only the mentioned boxes. */
    text: optional(text()),
    checksum: checksum(),
  },
)
export type Description = Row<typeof DescriptionEntity>

/** A box that a description mentions. */
export const MentionEntity = entity('mention', [], {
  descriptionId: key(reference('description')),
  /** Index of the mention in the description, from 0. */
  position: key(integer()),
  boxId: indexed(reference('box')),
  /** The words that refer to the box, `text.slice(start, end)`; both null if the source does not contain them. */
  start: optional(integer('span_start')),
  end: optional(integer('span_end')),
  checksum: checksum(),
})

/** The numbers of items that an import of boxes added and excluded. */
export interface BoxImportCounts extends SourceCounts {
  readonly images: number
  readonly boxes: number
  readonly descriptions: number
  /** Of the descriptions: those linked to captions of the dataset. */
  readonly captions: number
  /** Excluded images that are not in the dataset, with their boxes and descriptions. */
  readonly unknownImages: number
}

export const BoxImportEntity = entity('box_import', [], {
  id: id(),
  datasetId: indexed(reference('dataset')),
  counts: json<BoxImportCounts>(),
  createdAt: text(),
  checksum: checksum(),
})
export type BoxImport = Row<typeof BoxImportEntity>

/** Atoms of the human captions of a dataset, stored when they are first requested. */
export const AtomEntity = entity('atom', [unique('datasetId', 'kind', 'text')], {
  datasetId: key(reference('dataset')),
  kind: key(text<AtomKind>()),
  /** From 1, by descending count. */
  rank: key(integer()),
  text: text(),
  count: integer(),
  imageCount: integer(),
  checksum: checksum(),
})
export type AtomRow = Row<typeof AtomEntity>

/** A person's vote whether an atom is visual, or a published decision. */
export const AtomVoteEntity = entity('atom_vote', [], {
  datasetId: key(reference('dataset')),
  kind: key(text<AtomKind>()),
  text: key(text()),
  voter: key(text()),
  /** 1 if the atom is visual, otherwise 0. */
  isVisual: integer(),
  /** 1 for the vote of a person; for a published decision the number of people whose majority it is. */
  people: integer(),
  checksum: checksum(),
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
  checksum: checksum(),
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
  /** The model as a file, see formats/bound-model.ts. */
  model: optional(bytes()),
  /** Of the human captions of the test images: 32-bit ids, log-likelihoods as doubles, 32-bit numbers of words. */
  captionIds: optional(bytes()),
  logLikelihoods: optional(bytes()),
  wordCounts: optional(bytes()),
  createdAt: text(),
  endedAt: optional(text()),
  checksum: checksum(),
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
  checksum: checksum(),
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
  checksum: checksum(),
})
export type RetrievalBound = Row<typeof RetrievalBoundEntity>

/** Human judgements on captions of a dataset's images; a dataset has at most one set. */
export const JudgementSetEntity = entity('judgement_set', [], {
  id: id(),
  datasetId: distinct(reference('dataset')),
  kind: text<JudgementKind>(),
  /** Judged captions. */
  captionCount: integer(),
  /** Ratings, or preferences. */
  judgementCount: integer(),
  /** Captions of the source that were left out because they are references of the same image. */
  ownCaptionCount: integer(),
  /** Preferences between equal captions: every metric ties. */
  equalPairCount: integer(),
  /** Hash of the captions and judgements. */
  content: text(),
  createdAt: text(),
  checksum: checksum(),
})
export type JudgementSet = Row<typeof JudgementSetEntity>

/**
 * A caption that people judged, in the order of the source. Its references are the human captions of its image. The two
 * captions of a preference follow each other.
 */
export const JudgedCaptionEntity = entity('judged_caption', [index('setId', 'id')], {
  id: id(),
  setId: reference('judgement_set'),
  imageId: indexed(reference('image')),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes('imageId'),
  /** Name of the system that wrote the caption; null where the source names none. */
  system: optional(text()),
  /** Empty for captions of preferences. */
  ratings: json<Rating[]>(),
  checksum: checksum(),
})
export type JudgedCaption = Row<typeof JudgedCaptionEntity>

/** Which of two captions of an image people prefer, if any. */
export const PreferenceEntity = entity('preference', [unique('setId', 'externalId')], {
  id: id(),
  setId: reference('judgement_set'),
  externalId: text(),
  firstId: indexed(reference('judged_caption')),
  secondId: indexed(reference('judged_caption')),
  /** 0 for the first caption, 1 for the second, null for a tie. */
  preferred: optional(integer()),
  category: text(),
  checksum: checksum(),
})
export type PreferenceRow = Row<typeof PreferenceEntity>

/** The scores of the captions of a set by one metric. */
export const JudgedScoreEntity = entity('judged_score', [unique('setId', 'provenanceId')], {
  id: id(),
  setId: reference('judgement_set'),
  provenanceId: permanentReference('provenance'),
  metric: text(),
  /** Doubles, one for each caption in the order of the source; NaN where a score is undefined. */
  scores: bytes(),
  checksum: checksum(),
})

/** A metric of another program, whose scores are imported. */
export const ExternalMetricEntity = entity('external_metric', [], {
  id: id(),
  name: distinct(text()),
  /** Version and settings as the user states them. */
  version: text(),
  lowest: double(),
  highest: double(),
  /** 1 if higher scores are better, otherwise 0. */
  higherIsBetter: integer(),
  createdAt: text(),
  checksum: checksum(),
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
  createdAt: text(),
  checksum: checksum(),
})
export type Artefact = Row<typeof ArtefactEntity>

/** Document frequencies of a file, which scores were made with. */
export const FrequenciesEntity = entity('frequencies', [], {
  /** SHA-256 of the content in hexadecimal digits. */
  hash: key(text()),
  /** As `accord export frequencies` writes it. */
  content: bytes(),
})

export type JobStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'

/** Why a job failed: an AccordError, or `INTERNAL` with a message for a bug. */
export interface JobFailure {
  readonly code: ErrorCode | 'INTERNAL'
  readonly message: string
  readonly summary: string
  readonly detail: ErrorDetail
}

/** A job, executed by any worker. Times ending in `At` are ISO 8601; leases are milliseconds since 1970. */
export const JobEntity = entity(
  'job',
  [index('status', 'owner', 'priority', 'id'), index('owner', 'startedAt')],
  {
    id: id(),
    kind: text(),
    /** The client that requested it; workers alternate between owners. */
    owner: text(),
    /** At most one unfinished job has this key. */
    uniqueKey: distinct(optional(text()), "status IN ('QUEUED', 'RUNNING')"),
    /** Of queries: their input and the state of what they ask about. Its result is the answer to equal queries. */
    cacheKey: indexed(optional(text())),
    /** Jobs of one owner are executed by descending priority; below 0, when no other job is queued. */
    priority: integer(),
    /** A job that waits for its parts is RUNNING without a worker. */
    status: text<JobStatus>(),
    input: json<unknown>(),
    /** Null until the job is done, and for jobs without a result. */
    result: optional(json<unknown>()),
    /** Checksum of the result; null without one. */
    resultChecksum: optional(integer()),
    failure: optional(json<JobFailure>()),
    /** 0 to 1, with a message about the current step. */
    progress: double(),
    message: optional(text()),
    /** Number of starts by workers since it was added or last waited for shards. */
    attempts: integer(),
    /** The claim of the worker that runs it, and the time until which the lease is valid. */
    worker: optional(text()),
    leaseUntil: optional(double()),
    /** 1 after its cancellation was requested. */
    cancelRequested: integer(),
    /** Number of requests that wait for it; null if it is executed even when nobody waits. */
    waiterCount: optional(integer()),
    /** The job of which it is a shard. */
    parentId: indexed(optional(reference('job'))),
    /** The subject of the job, which is removed with it. */
    datasetId: indexed(optional(reference('dataset'))),
    systemId: indexed(optional(reference('system'))),
    createdAt: text(),
    startedAt: optional(text()),
    endedAt: optional(text()),
  },
)
export type Job = Row<typeof JobEntity>

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

/** Output of the shards of a job, read by the job. */
export const ShardEntity = entity('shard', [], {
  jobId: key(reference('job')),
  /** Step of the job, such as document frequencies. */
  step: key(text()),
  position: key(integer()),
  content: bytes(),
})

/** A file that a client sent, to be imported by any worker. It is removed by its import, or after it has expired. */
export const UploadEntity = entity('upload', [], {
  /** Random: whoever knows it may import the file. */
  id: key(text()),
  /** The client that sent it. */
  owner: indexed(text()),
  /** Name of the file for errors and readers. */
  name: text(),
  /** Size of its pieces so far. */
  bytes: double(),
  /** In hexadecimal digits; null until all bytes have arrived. */
  sha256: optional(text()),
  /** The last job that imports it, which may have ended. */
  jobId: optional(integer()),
  /** Milliseconds since 1970. While its job is unfinished it does not expire. */
  expiresAt: double(),
})
export type Upload = Row<typeof UploadEntity>

/** The content of an upload, in pieces that are written one at a time. */
export const UploadPieceEntity = entity('upload_piece', [], {
  uploadId: key(textReference('upload')),
  position: key(integer()),
  content: bytes(),
})

/**
 * Users, their sessions and passwords, teams and invitations, as better-auth names their properties; it finds them by its adapter
 * in services/accounts/auth.ts. Times are ISO 8601, ids random texts.
 */

/** A person with an account. */
export const UserEntity = entity('account_user', [], {
  id: key(text()),
  name: text(),
  /** Stands for the name: equal for names that cannot be told apart. No mail is sent. */
  email: distinct(text()),
  emailVerified: integer(),
  role: text<UserRole>(),
  /** 1 for a user who may not sign in. */
  banned: integer(),
  createdAt: text(),
  updatedAt: text(),
})
export type UserRole = 'user' | 'host' | 'admin'
export type User = Row<typeof UserEntity>

/** A browser that has signed in. */
export const SessionEntity = entity('account_session', [], {
  id: key(text()),
  /** SHA-256 of what the cookie contains. */
  token: distinct(text()),
  userId: indexed(textReference('account_user')),
  expiresAt: text(),
  createdAt: text(),
  updatedAt: text(),
})

/** The password of a user. */
export const PasswordEntity = entity('account_password', [], {
  id: key(text()),
  userId: distinct(textReference('account_user')),
  accountId: text(),
  providerId: text(),
  /** Hash by scrypt, with its salt. */
  password: optional(text()),
  createdAt: text(),
  updatedAt: text(),
})

/** What proves once that a user may set a new password. */
export const VerificationEntity = entity('account_verification', [], {
  id: key(text()),
  /** SHA-256 of what was given to the user. */
  identifier: indexed(text()),
  value: text(),
  expiresAt: text(),
  createdAt: text(),
  updatedAt: text(),
})

/** Users who submit together. */
export const TeamEntity = entity('team', [], {
  id: key(text()),
  name: text(),
  /** Stands for the name: equal for names that cannot be told apart. */
  slug: distinct(text()),
  createdAt: text(),
})
export type Team = Row<typeof TeamEntity>

/** A user in a team. */
export const TeamMemberEntity = entity('team_member', [unique('organizationId', 'userId')], {
  id: key(text()),
  organizationId: textReference('team'),
  userId: indexed(textReference('account_user')),
  role: text(),
  createdAt: text(),
})

/** An invitation to a team, for the user of a name, who may not have an account yet. */
export const TeamInvitationEntity = entity('team_invitation', [], {
  id: key(text()),
  organizationId: indexed(textReference('team')),
  /** Stands for the name of the user, as that of users. */
  email: indexed(text()),
  role: text(),
  status: text(),
  inviterId: indexed(textReference('account_user')),
  expiresAt: text(),
  createdAt: text(),
})

/** What programs send instead of a password. */
export const AccessTokenEntity = entity('access_token', [], {
  id: key(text()),
  userId: indexed(textReference('account_user')),
  /** By which the user tells it from others. */
  name: text(),
  /** SHA-256 of the token, which is not stored. */
  hash: distinct(text()),
  /** Its first characters. */
  start: text(),
  scope: text<Scope>(),
  /** Milliseconds since 1970. */
  expiresAt: double(),
  /** The last use, to the minute; null for none. */
  usedAt: optional(double()),
  createdAt: text(),
})
/**
 * What a token or a user may do: read, submit captions of a team to challenges, or host: import, evaluate and remove. Each
 * includes those before it.
 */
export type Scope = 'read' | 'submit' | 'host'
export type AccessToken = Row<typeof AccessTokenEntity>

/** How a phase of a challenge is scored and what its teams may do. Times are ISO 8601. */
export interface PhaseSettings {
  /** Submissions are accepted from the first time until before the second. */
  readonly opensAt: string
  readonly closesAt: string
  /** Names, in the order of the columns. */
  readonly metrics: readonly string[]
  /** One of the metrics. */
  readonly rankedBy: string
  /** Digits behind the decimal point of everything that the board shows. */
  readonly decimals: number
  /** k: on the folds of k references, with people; null: against all captions of each image, which people cannot be. */
  readonly references: number | null
  /** When everybody sees the board; null: from the beginning. */
  readonly boardFrom: string | null
  readonly isImageScoreShown: boolean
  /** Ids of teams; null: every team. */
  readonly admittedTeams: readonly string[] | null
  /** Maximum number of submissions of a team. Null: no limit. */
  readonly limits: SubmissionLimits
  /** Names of systems of the dataset that the board shows outside the ranking. */
  readonly baselines: readonly string[]
}

/** Maximum numbers of submissions of a team to a phase; null: no limit. */
export interface SubmissionLimits {
  /** On a day in the time zone of the challenge. */
  readonly perDay: number | null
  readonly total: number | null
  /** At the same time. */
  readonly concurrent: number | null
  /** With those that failed or were cancelled, which the other limits do not count. */
  readonly attempts: number | null
}

/** A competition of teams. */
export const ChallengeEntity = entity('challenge', [], {
  id: id(),
  name: distinct(text()),
  title: text(),
  /** Markdown, as it was written. */
  description: text(),
  /** IANA name of the time zone in which days begin. */
  timeZone: text(),
  /** Id of the team that hosts it. */
  hostTeam: text(),
  /** 1 while no submissions are accepted. */
  isPaused: integer(),
  createdAt: text(),
})
export type Challenge = Row<typeof ChallengeEntity>

/** A part of a challenge with its own dataset, dates and board. Its dataset cannot be removed. */
export const PhaseEntity = entity('phase', [unique('challengeId', 'name')], {
  id: id(),
  challengeId: reference('challenge'),
  name: text(),
  datasetId: indexed(permanentReference('dataset')),
  settings: json<PhaseSettings>(),
})
export type Phase = Row<typeof PhaseEntity>

/**
 * An entry of the ledger of a team: a results file that was accepted. It is charged on acceptance; while its job has failed
 * or was cancelled, it counts only as an attempt.
 */
export const SubmissionEntity = entity('submission', [index('phaseId', 'team', 'id')], {
  id: id(),
  phaseId: reference('phase'),
  team: text(),
  /** Name of the team when it submitted. */
  teamName: text(),
  /** Id of the user. Null after the account was deleted. */
  submitter: optional(text()),
  /** The job that evaluates it; null only within the transaction that accepts it. */
  jobId: distinct(optional(permanentReference('job'))),
  /** Its captions; null until they are stored. */
  systemId: distinct(optional(permanentReference('system'))),
  /** The file, until its captions are stored, and its name in a zip file. */
  uploadId: indexed(optional(text())),
  entry: optional(text()),
  fileName: text(),
  /** The date in the time zone of the challenge, such as 2026-01-31. */
  day: text(),
  acceptedAt: text(),
  /** 1 if it is charged to what hosts have granted. */
  isGranted: integer(),
  /** Markdown, as it was written. */
  method: text(),
  links: json<readonly string[]>(),
  /** 1 if others do not see the team before the end of the phase. */
  isAnonymous: integer(),
  /** 1 if the team has withdrawn it from the board. */
  isWithdrawn: integer(),
  /** 1 if it is the entry of the team on the board. */
  isChosen: integer(),
})
export type Submission = Row<typeof SubmissionEntity>

/** Submissions beyond the limits that hosts granted a team. */
export const GrantEntity = entity('submission_grant', [index('phaseId', 'team')], {
  id: id(),
  phaseId: reference('phase'),
  team: text(),
  count: integer(),
  grantedAt: text(),
})

/** What was done by whom. Entries are never changed. */
export const AuditEntryEntity = entity('audit_entry', [index('createdAt', 'id')], {
  id: id(),
  /** Name of the user at that time; null for the command line. */
  actor: optional(text()),
  /** For example `removeDataset`. */
  action: text(),
  /** On what: the name of a dataset, user, team or challenge. */
  subject: optional(text()),
  /** The challenge that it concerns, and what was given, as JSON. */
  challengeId: indexed(optional(reference('challenge'))),
  detail: optional(json<Readonly<Record<string, unknown>>>()),
  createdAt: text(),
})
export type AuditEntry = Row<typeof AuditEntryEntity>

/** Captions that people are asked for: each image is described by a number of different annotators. */
export const CollectionEntity = entity('collection', [], {
  id: id(),
  /** Of the dataset whose images are described, or of the new one. */
  name: distinct(text()),
  /** Captions of each image. */
  captionsPerImage: integer(),
  /** 1 if the images are those of the dataset of this name, otherwise 0. */
  isExtension: integer(),
  createdAt: text(),
  checksum: checksum(),
})
export type Collection = Row<typeof CollectionEntity>

/** Images of a collection, in the order in which they were given. */
export const CollectionImageEntity = entity(
  'collection_image',
  [unique('collectionId', 'externalId'), index('collectionId', 'takenCount', 'id')],
  {
    id: id(),
    collectionId: reference('collection'),
    externalId: text(),
    fileName: optional(text()),
    url: optional(text()),
    /** Pixels. */
    width: optional(integer()),
    height: optional(integer()),
    /** Captions, and tasks whose annotators have not ended them yet. */
    takenCount: integer(),
    captionCount: integer(),
    /** Annotators who have reported the image. */
    reportCount: integer(),
    checksum: checksum('takenCount', 'captionCount', 'reportCount'),
  },
)
export type CollectionImage = Row<typeof CollectionImageEntity>

export type TaskStatus = 'TAKEN' | 'DESCRIBED' | 'SKIPPED' | 'REPORTED'

/** An image that an annotator was asked to describe. */
export const CollectionTaskEntity = entity(
  'collection_task',
  [unique('imageId', 'annotator'), index('collectionId', 'annotator'), index('collectionId', 'status', 'id')],
  {
    id: id(),
    collectionId: reference('collection'),
    imageId: reference('collection_image'),
    /** Who was asked. */
    annotator: text(),
    status: text<TaskStatus>(),
    /** Milliseconds since 1970. */
    takenAt: double(),
    /** Of a task that is taken: when its image may be given to another annotator. Milliseconds since 1970. */
    expiresAt: double(),
    /** Milliseconds since 1970; null while it is taken. */
    endedAt: optional(double()),
    caption: optional(text()),
    /** The tokens of the caption, joined by spaces. */
    tokens: optional(text()),
    /** Why the image was reported. */
    reason: optional(text()),
    checksum: checksum(),
  },
)
export type CollectionTask = Row<typeof CollectionTaskEntity>

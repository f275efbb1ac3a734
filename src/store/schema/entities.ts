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
  deferredReference,
  double,
  type Entity,
  entity,
  id,
  integer,
  json,
  key,
  optional,
  permanentReference,
  type Row,
  reference,
  text,
} from '../engine/columns.js'

/** The tokens of all datasets: document frequencies counted in one dataset are valid in another. */
export const TokenEntity = entity(
  'token',
  { id: id(), text: text('text') },
  { uniques: [{ columns: ['text'] }] },
)

/** A set of images with human captions, boxes, or both. */
export const DatasetEntity = entity(
  'dataset',
  {
    id: id(),
    name: text('name'),
    /** K: captions per image used by the statistics; 0 for a dataset without captions. */
    captionsPerImage: integer('captions_per_image'),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    /** Images with fewer than K captions, which are excluded from the statistics. */
    excludedImageCount: integer('excluded_image_count'),
    /** Hash of the content, see content-hash.ts. */
    revision: text('revision'),
    /** Revision of the statistics of its words; null for a dataset without captions. */
    wordRevision: optional(integer('word_revision')),
    /** Hash of the vocabulary that replaced that of the import; null while none did. */
    vocabulary: optional(text('vocabulary')),
    createdAt: text('created_at'),
  },
  { uniques: [{ columns: ['name'] }] },
)
export type Dataset = Row<typeof DatasetEntity>

/** Images of a dataset, in the order of the imported file. */
export const ImageEntity = entity(
  'image',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    externalId: text('external_id'),
    fileName: optional(text('file_name')),
    url: optional(text('url')),
    /** Pixels. */
    width: optional(integer('width')),
    height: optional(integer('height')),
    captionCount: integer('caption_count'),
  },
  {
    uniques: [{ columns: ['datasetId', 'externalId'] }],
    indices: [{ name: 'image_by_dataset', columns: ['datasetId', 'id'] }],
  },
)
export type Image = Row<typeof ImageEntity>

/** A human caption. */
export const CaptionEntity = entity(
  'caption',
  {
    id: id(),
    imageId: reference('image_id', 'image'),
    /** Index of the caption among those of its image, from 0, by annotation id. */
    position: integer('position'),
    externalId: text('external_id'),
    text: text('text'),
    /** 32-bit token ids. */
    tokens: bytes('tokens'),
  },
  { uniques: [{ columns: ['imageId', 'position'] }] },
)
export type Caption = Row<typeof CaptionEntity>

/** A word of a dataset with its counts over the first K captions of each image. */
export const WordEntity = entity(
  'word',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    tokenId: permanentReference('token_id', 'token'),
    text: text('text'),
    partOfSpeech: text<PartOfSpeech>('part_of_speech'),
    /** Rank in the vocabulary, from 1; null for words outside the vocabulary. */
    vocabularyRank: optional(integer('vocabulary_rank')),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    /** h_0 … h_K: the number of images in which exactly c of the K captions contain the word. */
    histogram: json<number[]>('histogram'),
    /** With K − 1 references; null if undefined. */
    humanPrecision: optional(double('human_precision')),
    humanRecall: optional(double('human_recall')),
  },
  {
    uniques: [{ columns: ['datasetId', 'text'] }],
    indices: [
      { name: 'word_by_rank', columns: ['datasetId', 'vocabularyRank'] },
      { name: 'word_by_token', columns: ['tokenId'] },
    ],
  },
)
export type Word = Row<typeof WordEntity>

/**
 * The images in which a word is used by one of the first K captions. Images are grouped in blocks of consecutive ids
 * (see postings.ts); a word has one row for each block with such an image.
 */
export const PostingEntity = entity('posting', {
  /** Postings of a block are written before the words. */
  wordId: key(deferredReference('word_id', 'word')),
  block: key(integer('block')),
  /** 32-bit ids of the images, ascending. */
  imageIds: bytes('image_ids'),
  /** One byte per image: the number of its first K captions that use the word. */
  captionCounts: bytes('caption_counts'),
})

export type SystemKind = 'CAPTIONS' | 'WORD_SCORES' | 'DESCRIPTIONS'

export const SystemEntity = entity(
  'system',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    name: text('name'),
    kind: text<SystemKind>('kind'),
    imageCount: integer('image_count'),
    missingImageCount: integer('missing_image_count'),
    /** Of the missing images those with K captions, which statistics count. */
    missingCountedCount: integer('missing_counted_count'),
    /** Hash of its captions, scores or descriptions, see content-hash.ts. */
    content: text('content'),
    /** Revision of its results on words; null where it has none. */
    wordRevision: optional(integer('word_revision')),
    createdAt: text('created_at'),
  },
  { uniques: [{ columns: ['datasetId', 'name'] }] },
)
export type System = Row<typeof SystemEntity>

/** A system's caption of an image. */
export const SystemCaptionEntity = entity(
  'system_caption',
  {
    id: id(),
    systemId: reference('system_id', 'system'),
    imageId: reference('image_id', 'image'),
    text: text('text'),
    /** 32-bit token ids. */
    tokens: bytes('tokens'),
  },
  {
    uniques: [{ columns: ['systemId', 'imageId'] }],
    indices: [{ name: 'system_caption_by_image', columns: ['imageId'] }],
  },
)
export type SystemCaption = Row<typeof SystemCaptionEntity>

/** A system's results on one word, for one number of references. */
export const SystemWordEntity = entity('system_word', {
  systemId: key(reference('system_id', 'system')),
  referenceCount: key(integer('reference_count')),
  /** No foreign key, which would require another index: words are removed only with their dataset. */
  wordId: key(integer('word_id')),
  precisionAtHumanRecall: optional(double('precision_at_human_recall')),
  averagePrecision: optional(double('average_precision')),
  precision: optional(double('precision')),
  recall: optional(double('recall')),
  undefinedReason: optional(text<UndefinedReason>('undefined_reason')),
})
export type SystemWord = Row<typeof SystemWordEntity>

/** Image ids, ascending, to which rows of other tables are aligned. */
export const ImageSetEntity = entity(
  'image_set',
  {
    id: id(),
    systemId: reference('system_id', 'system'),
    /** 32-bit ids. */
    imageIds: bytes('image_ids'),
  },
  { indices: [{ name: 'image_set_by_system', columns: ['systemId'] }] },
)

/** A system's scores of images for one word. */
export const WordScoresEntity = entity(
  'word_scores',
  {
    systemId: key(reference('system_id', 'system')),
    /** No foreign key: words are removed only with their dataset. */
    wordId: key(integer('word_id')),
    imageSetId: reference('image_set_id', 'image_set'),
    /** 4 for single precision, 8 for double precision. */
    bytesPerScore: integer('bytes_per_score'),
    /** One score for each image of the set. */
    scores: bytes('scores'),
  },
  {
    indices: [{ name: 'word_scores_by_image_set', columns: ['imageSetId'] }],
  },
)

/** How figures were made, see provenance.ts. Equal records are one row. */
export const ProvenanceEntity = entity(
  'provenance',
  {
    id: id(),
    /** SHA-256 of the record, hexadecimal. */
    hash: text('hash'),
    record: json<ProvenanceRecord>('record'),
  },
  { uniques: [{ columns: ['hash'] }] },
)

/**
 * Rows of sufficient statistics of a family of metrics, one for each image of the set. Of a score on folds of
 * references: those of all images for the first fold, then for the second.
 */
export const MetricStatisticsEntity = entity(
  'metric_statistics',
  {
    id: id(),
    systemId: reference('system_id', 'system'),
    imageSetId: reference('image_set_id', 'image_set'),
    /** Name of the family, and the revision of the layout of its rows. */
    family: text('family'),
    layoutRevision: integer('layout_revision'),
    /** Doubles, row by row. */
    statistics: bytes('statistics'),
  },
  {
    indices: [
      { name: 'metric_statistics_by_system', columns: ['systemId'] },
      { name: 'metric_statistics_by_image_set', columns: ['imageSetId'] },
    ],
  },
)

/** A system's score on its images, for one signature. */
export const MetricScoreEntity = entity(
  'metric_score',
  {
    id: id(),
    systemId: reference('system_id', 'system'),
    statisticsId: reference('statistics_id', 'metric_statistics'),
    provenanceId: permanentReference('provenance_id', 'provenance'),
    metric: text('metric'),
    signature: text('signature'),
    /** References per image; the minimum if the number varies. */
    referenceCount: integer('reference_count'),
    /** Corpus score on each fold of references, which the value is the mean of; null for a score against all references. */
    folds: optional(json<number[]>('folds')),
    value: double('value'),
    /** Ends of the 95 % interval; null for too few images. */
    lower: optional(double('lower')),
    upper: optional(double('upper')),
    warnings: json<string[]>('warnings'),
    /** Doubles, one for each image of the set of the statistics; means over folds. */
    imageScores: bytes('image_scores'),
  },
  {
    uniques: [{ columns: ['systemId', 'signature'] }],
    indices: [{ name: 'metric_score_by_statistics', columns: ['statisticsId'] }],
  },
)
export type MetricScore = Row<typeof MetricScoreEntity>

/** Rows of sufficient statistics of people's held-out captions: of all images for the first fold, then for the second. */
export const AgreementStatisticsEntity = entity(
  'agreement_statistics',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    /** Name of the family, and the revision of the layout of its rows. */
    family: text('family'),
    layoutRevision: integer('layout_revision'),
    /** 32-bit ids. */
    imageIds: bytes('image_ids'),
    /** Doubles, row by row. */
    statistics: bytes('statistics'),
  },
  { indices: [{ name: 'agreement_statistics_by_dataset', columns: ['datasetId'] }] },
)

/** One metric of a leave-one-out table. */
export const AgreementScoreEntity = entity(
  'agreement_score',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    statisticsId: reference('statistics_id', 'agreement_statistics'),
    provenanceId: permanentReference('provenance_id', 'provenance'),
    referenceCount: integer('reference_count'),
    metric: text('metric'),
    signature: text('signature'),
    imageCount: integer('image_count'),
    /** Corpus score of each fold. */
    folds: json<number[]>('folds'),
    mean: double('mean'),
    standardDeviation: double('standard_deviation'),
    /** Ends of the 95 % interval; null for too few images. */
    lower: optional(double('lower')),
    upper: optional(double('upper')),
    warnings: json<string[]>('warnings'),
    /** 32-bit ids of the images. */
    imageIds: bytes('image_ids'),
    /** Doubles, fold by fold, aligned to `imageIds`: the score of the caption that the fold holds out. */
    imageScores: bytes('image_scores'),
  },
  {
    uniques: [{ columns: ['datasetId', 'referenceCount', 'signature'] }],
    indices: [{ name: 'agreement_score_by_statistics', columns: ['statisticsId'] }],
  },
)
export type AgreementScore = Row<typeof AgreementScoreEntity>

/** The bounding box of an object in an image. */
export const BoxEntity = entity(
  'box',
  {
    id: id(),
    imageId: reference('image_id', 'image'),
    /** Unique within the image. */
    externalId: text('external_id'),
    /** A category, noun or WordNet synset, as imported. */
    concept: text('concept'),
    /** Pixels; x and y are the upper left corner, relative to the upper left corner of the image. */
    x: double('x'),
    y: double('y'),
    width: double('width'),
    height: double('height'),
    /** Words that describe the object, such as its colour; null if the source has none. */
    attributes: optional(json<string[]>('attributes')),
    /** Distance from the camera, in the unit of the source; null if unknown. */
    depth: optional(double('depth')),
  },
  { uniques: [{ columns: ['imageId', 'externalId'] }] },
)
export type Box = Row<typeof BoxEntity>

/** A sentence of a person or a system about an image, as the sequence of boxes that it mentions. */
export const DescriptionEntity = entity(
  'description',
  {
    id: id(),
    imageId: reference('image_id', 'image'),
    /** Null for a human description. */
    systemId: optional(reference('system_id', 'system')),
    /** Null for a system's description. */
    externalId: optional(text('external_id')),
    /** The linked human caption, which contains the text. */
    captionId: optional(reference('caption_id', 'caption')),
    /** The linked caption of the system, which contains the text. */
    systemCaptionId: optional(reference('system_caption_id', 'system_caption')),
    /** Null if a caption is linked, or if the source contains only the mentioned boxes. */
    text: optional(text('text')),
  },
  {
    uniques: [
      { columns: ['imageId', 'externalId'] },
      { columns: ['systemId', 'imageId'] },
      { columns: ['captionId'] },
      { columns: ['systemCaptionId'] },
    ],
  },
)
export type Description = Row<typeof DescriptionEntity>

/** A box that a description mentions. */
export const MentionEntity = entity(
  'mention',
  {
    descriptionId: key(reference('description_id', 'description')),
    /** Index of the mention in the description, from 0. */
    position: key(integer('position')),
    boxId: reference('box_id', 'box'),
    /** The words that refer to the box, `text.slice(start, end)`; both null if the source does not contain them. */
    start: optional(integer('span_start')),
    end: optional(integer('span_end')),
  },
  { indices: [{ name: 'mention_by_box', columns: ['boxId'] }] },
)
export type Mention = Row<typeof MentionEntity>

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

export const BoxImportEntity = entity(
  'box_import',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    counts: json<BoxImportCounts>('counts'),
    createdAt: text('created_at'),
  },
  { indices: [{ name: 'box_import_by_dataset', columns: ['datasetId'] }] },
)
export type BoxImport = Row<typeof BoxImportEntity>

/** Human judgements on captions of a dataset's images; a dataset has at most one set. */
export const JudgementSetEntity = entity(
  'judgement_set',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    kind: text<JudgementKind>('kind'),
    /** Judged captions. */
    captionCount: integer('caption_count'),
    /** Ratings, or preferences. */
    judgementCount: integer('judgement_count'),
    /** Captions of the source that were left out because they are references of the same image. */
    ownCaptionCount: integer('own_caption_count'),
    /** Preferences between equal captions: every metric ties. */
    equalPairCount: integer('equal_pair_count'),
    /** Hash of the captions and judgements. */
    content: text('content'),
    createdAt: text('created_at'),
  },
  { uniques: [{ columns: ['datasetId'] }] },
)
export type JudgementSet = Row<typeof JudgementSetEntity>

/**
 * A caption that people judged, in the order of the source. Its references are the human captions of its image. The two
 * captions of a preference follow each other.
 */
export const JudgedCaptionEntity = entity(
  'judged_caption',
  {
    id: id(),
    setId: reference('set_id', 'judgement_set'),
    imageId: reference('image_id', 'image'),
    text: text('text'),
    /** 32-bit token ids. */
    tokens: bytes('tokens'),
    /** Empty for captions of preferences. */
    ratings: json<Rating[]>('ratings'),
  },
  {
    indices: [
      { name: 'judged_caption_by_set', columns: ['setId', 'id'] },
      { name: 'judged_caption_by_image', columns: ['imageId'] },
    ],
  },
)
export type JudgedCaption = Row<typeof JudgedCaptionEntity>

/** Which of two captions of an image people prefer. */
export const PreferenceEntity = entity(
  'preference',
  {
    id: id(),
    setId: reference('set_id', 'judgement_set'),
    externalId: text('external_id'),
    firstId: reference('first_id', 'judged_caption'),
    secondId: reference('second_id', 'judged_caption'),
    /** 0 for the first caption, 1 for the second. */
    preferred: integer('preferred'),
    category: text('category'),
  },
  {
    uniques: [{ columns: ['setId', 'externalId'] }],
    indices: [
      { name: 'preference_by_first', columns: ['firstId'] },
      { name: 'preference_by_second', columns: ['secondId'] },
    ],
  },
)
export type PreferenceRow = Row<typeof PreferenceEntity>

/** A trained composite metric. */
export const ArtefactEntity = entity(
  'artefact',
  {
    id: id(),
    name: text('name'),
    /** SHA-256 of header and weights, see composite/artefact.ts. */
    hash: text('hash'),
    header: json<ArtefactHeader>('header'),
    /** Doubles. */
    weights: bytes('weights'),
    createdAt: text('created_at'),
  },
  { uniques: [{ columns: ['name'] }] },
)
export type Artefact = Row<typeof ArtefactEntity>

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
  {
    id: id(),
    kind: text('kind'),
    /** The client that requested it; workers alternate between owners. */
    owner: text('owner'),
    /** At most one unfinished job has this key. */
    uniqueKey: optional(text('unique_key')),
    /** Jobs of one owner are executed by descending priority; below 0, when no other job is queued. */
    priority: integer('priority'),
    /** A job that waits for its parts is RUNNING without a worker. */
    status: text<JobStatus>('status'),
    input: json<unknown>('input'),
    /** Null until the job is done, and for jobs without a result. */
    result: optional(json<unknown>('result')),
    failure: optional(json<JobFailure>('failure')),
    /** 0 to 1, with a message about the current step. */
    progress: double('progress'),
    message: optional(text('message')),
    /** Number of starts by workers since it was added or last waited for shards. */
    attempts: integer('attempts'),
    /** The claim of the worker that runs it, and the time until which the lease is valid. */
    worker: optional(text('worker')),
    leaseUntil: optional(double('lease_until')),
    /** 1 after its cancellation was requested. */
    cancelRequested: integer('cancel_requested'),
    /** The job of which it is a shard. */
    parentId: optional(reference('parent_id', 'job')),
    /** The subject of the job, which is removed with it. */
    datasetId: optional(reference('dataset_id', 'dataset')),
    systemId: optional(reference('system_id', 'system')),
    createdAt: text('created_at'),
    startedAt: optional(text('started_at')),
    endedAt: optional(text('ended_at')),
  },
  {
    indices: [
      { name: 'job_by_status', columns: ['status', 'owner', 'priority', 'id'] },
      { name: 'job_by_owner', columns: ['owner', 'startedAt'] },
      { name: 'job_by_parent', columns: ['parentId'] },
      { name: 'job_by_dataset', columns: ['datasetId'] },
      { name: 'job_by_system', columns: ['systemId'] },
      {
        name: 'job_by_unique_key',
        columns: ['uniqueKey'],
        unique: true,
        where: "status IN ('QUEUED', 'RUNNING')",
      },
    ],
  },
)
export type Job = Row<typeof JobEntity>

/** Loss and τ of a network that a job trains, or has trained, for a composite metric. */
export const TrainingCurveEntity = entity('training_curve', {
  jobId: key(reference('job_id', 'job')),
  /** From 0, in the order of training. */
  position: key(integer('position')),
  network: json<NetworkShape>('network'),
  /** So far. */
  epochs: json<readonly Epoch[]>('epochs'),
})
export type TrainingCurve = Row<typeof TrainingCurveEntity>

/** Output of the shards of a job, read by the job. */
export const ShardEntity = entity('shard', {
  jobId: key(reference('job_id', 'job')),
  /** Step of the job, such as document frequencies. */
  step: key(text('step')),
  position: key(integer('position')),
  content: bytes('content'),
})

/** A file that a client sent, to be imported by any worker. It is removed by its import, or after it has expired. */
export const UploadEntity = entity(
  'upload',
  {
    /** Random: whoever knows it may import the file. */
    id: key(text('id')),
    /** The client that sent it. */
    owner: text('owner'),
    /** Name of the file for errors and readers. */
    name: text('name'),
    /** Size of its pieces so far. */
    bytes: double('bytes'),
    /** In hexadecimal digits; null until all bytes have arrived. */
    sha256: optional(text('sha256')),
    /** The last job that imports it, which may have ended. */
    jobId: optional(integer('job_id')),
    /** Milliseconds since 1970. While its job is unfinished it does not expire. */
    expiresAt: double('expires_at'),
  },
  { indices: [{ name: 'upload_by_owner', columns: ['owner'] }] },
)
export type Upload = Row<typeof UploadEntity>

/** The content of an upload, in pieces that are written one at a time. */
export const UploadPieceEntity = entity('upload_piece', {
  uploadId: key({ ...text('upload_id'), foreignKey: { target: 'upload', onDelete: 'CASCADE' } }),
  position: key(integer('position')),
  content: bytes('content'),
})

/** Atoms of the human captions of a dataset, stored when they are first requested. */
export const AtomEntity = entity(
  'atom',
  {
    datasetId: key(reference('dataset_id', 'dataset')),
    kind: key(text<AtomKind>('kind')),
    /** From 1, by descending count. */
    rank: key(integer('rank')),
    text: text('text'),
    count: integer('count'),
    imageCount: integer('image_count'),
  },
  { uniques: [{ columns: ['datasetId', 'kind', 'text'] }] },
)
export type AtomRow = Row<typeof AtomEntity>

/** A person's vote whether an atom is visual, or a published decision. */
export const AtomVoteEntity = entity('atom_vote', {
  datasetId: key(reference('dataset_id', 'dataset')),
  kind: key(text<AtomKind>('kind')),
  text: key(text('text')),
  voter: key(text('voter')),
  /** 1 if the atom is visual, otherwise 0. */
  isVisual: integer('is_visual'),
  /** 1 for the vote of a person; for a published decision the number of people whose majority it is. */
  people: integer('people'),
})
export type AtomVote = Row<typeof AtomVoteEntity>

/** Images of a dataset for training, for choosing the best model, and for the figures. */
export const BoundSplitEntity = entity(
  'bound_split',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    /** The seed and the numbers of images. */
    key: text('key'),
    /** 32-bit ids, ascending. */
    trainingIds: bytes('training_ids'),
    validationIds: bytes('validation_ids'),
    testIds: bytes('test_ids'),
  },
  { uniques: [{ columns: ['datasetId', 'key'] }] },
)

/** A point of an upper bound: a language model given some atoms, with its captions and figures. */
export const BoundEntity = entity(
  'bound',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    splitId: reference('split_id', 'bound_split'),
    /** The settings and, for visual atoms alone, the votes; equal keys are the same point. */
    key: text('key'),
    settings: json<BoundSettings>('settings'),
    /** How far the training has come, while it runs or after it was interrupted. */
    progress: optional(json<BoundProgress>('progress')),
    /** The last job that trained or imported it: while that job is unfinished, no other one may. */
    jobId: optional(integer('job_id')),
    /** Null if there is none; its content is in bound_checkpoint. */
    checkpoint: optional(json<CheckpointHeader>('checkpoint')),
    /** Its captions of the test images, once it is trained. */
    systemId: optional(reference('system_id', 'system')),
    /** What the training led to; null until it is trained. */
    outcome: optional(json<BoundOutcome>('outcome')),
    /** The model as a file, see formats/bound-model.ts. */
    model: optional(bytes('model')),
    /** Of the human captions of the test images: 32-bit ids, log-likelihoods as doubles, 32-bit numbers of words. */
    captionIds: optional(bytes('caption_ids')),
    logLikelihoods: optional(bytes('log_likelihoods')),
    wordCounts: optional(bytes('word_counts')),
    createdAt: text('created_at'),
    endedAt: optional(text('ended_at')),
  },
  {
    uniques: [{ columns: ['datasetId', 'key'] }],
    indices: [
      { name: 'bound_by_split', columns: ['splitId'] },
      { name: 'bound_by_system', columns: ['systemId'] },
    ],
  },
)
export type Bound = Row<typeof BoundEntity>

/** Losses of a training: mean negative log-likelihoods per word. */
export const BoundLossEntity = entity('bound_loss', {
  boundId: key(reference('bound_id', 'bound')),
  /** The number of mini-batches. */
  step: key(integer('step')),
  /** Of the mini-batches since the previous row. */
  training: double('training'),
  /** Of the validation captions; null where it was not computed. */
  validation: optional(double('validation')),
})
export type BoundLoss = Row<typeof BoundLossEntity>

/** The newest checkpoint of a training, in parts. */
export const BoundCheckpointEntity = entity('bound_checkpoint', {
  boundId: key(reference('bound_id', 'bound')),
  part: key(integer('part')),
  content: bytes('content'),
})

/** The retrieval bound of a split: for each test image the best score that a training caption reaches. */
export const RetrievalBoundEntity = entity('retrieval_bound', {
  splitId: key(reference('split_id', 'bound_split')),
  /** Name and revision of the metric. */
  metric: key(text('metric')),
  /** The mean over the test images. */
  value: double('value'),
  /** Ends of its 95 % interval; null for too few images. */
  lower: optional(double('lower')),
  upper: optional(double('upper')),
  /** Doubles, one for each test image. */
  imageScores: bytes('image_scores'),
})
export type RetrievalBound = Row<typeof RetrievalBoundEntity>

/** All tables, each after those that it refers to. */
export const ENTITIES: readonly Entity[] = [
  TokenEntity,
  DatasetEntity,
  ImageEntity,
  CaptionEntity,
  WordEntity,
  PostingEntity,
  SystemEntity,
  SystemCaptionEntity,
  SystemWordEntity,
  ImageSetEntity,
  WordScoresEntity,
  ProvenanceEntity,
  MetricStatisticsEntity,
  MetricScoreEntity,
  AgreementStatisticsEntity,
  AgreementScoreEntity,
  BoxEntity,
  DescriptionEntity,
  MentionEntity,
  BoxImportEntity,
  AtomEntity,
  AtomVoteEntity,
  BoundSplitEntity,
  BoundEntity,
  BoundLossEntity,
  BoundCheckpointEntity,
  RetrievalBoundEntity,
  JudgementSetEntity,
  JudgedCaptionEntity,
  PreferenceEntity,
  ArtefactEntity,
  JobEntity,
  TrainingCurveEntity,
  ShardEntity,
  UploadEntity,
  UploadPieceEntity,
]

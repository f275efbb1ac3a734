import type { UndefinedReason } from '../agreement/undefined-reason.js'
import type { ErrorCode, ErrorDetail } from '../errors.js'
import type { SourceCounts } from '../selection/types.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
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
  unselected,
} from './columns.js'

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
    /** K: captions per image that the statistics use; 0 for a dataset without captions. */
    captionsPerImage: integer('captions_per_image'),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    /** Images with fewer than K captions, which the statistics leave out. */
    excludedImageCount: integer('excluded_image_count'),
    /** Hash of the content; null where it is not known. */
    revision: optional(text('revision')),
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
    /** Numbers an image's captions from 0, in the order of their annotation ids. */
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
    /** Place in the vocabulary, from 1; null for words that are not reported by default. */
    vocabularyRank: optional(integer('vocabulary_rank')),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    /** h_0 … h_K: the number of images where exactly c of the K captions contain the word. */
    histogram: json<number[]>('histogram'),
    /** With K − 1 references; null where undefined. */
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
 * The images that use a word in one of their first K captions. Images are grouped in blocks of consecutive ids (see
 * postings.ts); a word has one row for each block with such an image.
 */
export const PostingEntity = entity('posting', {
  /** Postings of a block are written before all words are counted. */
  wordId: key(deferredReference('word_id', 'word')),
  block: key(integer('block')),
  /** 32-bit ids of the images, ascending. */
  imageIds: bytes('image_ids'),
  /** For each image a byte: how many of its first K captions use the word. */
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
  /** No foreign key, which would need an index of its own: words are removed only with their dataset. */
  wordId: key(integer('word_id')),
  precisionAtHumanRecall: optional(double('precision_at_human_recall')),
  averagePrecision: optional(double('average_precision')),
  precision: optional(double('precision')),
  recall: optional(double('recall')),
  undefinedReason: optional(text<UndefinedReason>('undefined_reason')),
})
export type SystemWord = Row<typeof SystemWordEntity>

/** Ids of images, ascending, that rows of other tables are aligned to. */
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
    /** 4: single precision, 8: double precision. */
    bytesPerScore: integer('bytes_per_score'),
    /** One number for each image of the set. */
    scores: bytes('scores'),
  },
  {
    indices: [{ name: 'word_scores_by_image_set', columns: ['imageSetId'] }],
  },
)

/** How figures were made; see METHODS of signatures. Equal records are one row. */
export const ProvenanceEntity = entity(
  'provenance',
  {
    id: id(),
    /** SHA-256 of the record, hexadecimal. */
    hash: text('hash'),
    record: json<Readonly<Record<string, unknown>>>('record'),
  },
  { uniques: [{ columns: ['hash'] }] },
)

/** Rows of sufficient statistics of a family of metrics, one for each image of the set. */
export const MetricStatisticsEntity = entity(
  'metric_statistics',
  {
    id: id(),
    systemId: reference('system_id', 'system'),
    imageSetId: reference('image_set_id', 'image_set'),
    provenanceId: optional(permanentReference('provenance_id', 'provenance')),
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
    provenanceId: optional(permanentReference('provenance_id', 'provenance')),
    metric: text('metric'),
    signature: text('signature'),
    /** References per image; the smallest number where it varies. */
    referenceCount: integer('reference_count'),
    value: double('value'),
    lower: double('lower'),
    upper: double('upper'),
    warnings: json<string[]>('warnings'),
    /** Doubles, one for each image of the set of the statistics. */
    imageScores: bytes('image_scores'),
  },
  {
    uniques: [{ columns: ['systemId', 'signature'] }],
    indices: [{ name: 'metric_score_by_statistics', columns: ['statisticsId'] }],
  },
)
export type MetricScore = Row<typeof MetricScoreEntity>

/** One metric of a leave-one-out table. */
export const AgreementScoreEntity = entity(
  'agreement_score',
  {
    id: id(),
    datasetId: reference('dataset_id', 'dataset'),
    provenanceId: optional(permanentReference('provenance_id', 'provenance')),
    referenceCount: integer('reference_count'),
    metric: text('metric'),
    signature: text('signature'),
    imageCount: integer('image_count'),
    /** Corpus score of each fold. */
    folds: json<number[]>('folds'),
    mean: double('mean'),
    standardDeviation: double('standard_deviation'),
    lower: double('lower'),
    upper: double('upper'),
    warnings: json<string[]>('warnings'),
    /** 32-bit ids of the images. */
    imageIds: bytes('image_ids'),
    /** Doubles, fold by fold, aligned to `imageIds`: the score of the image's caption that the fold holds out. */
    imageScores: bytes('image_scores'),
  },
  { uniques: [{ columns: ['datasetId', 'referenceCount', 'signature'] }] },
)
export type AgreementScore = Row<typeof AgreementScoreEntity>

/** An object of an image: what it is and where. */
export const BoxEntity = entity(
  'box',
  {
    id: id(),
    imageId: reference('image_id', 'image'),
    /** Unique within the image. */
    externalId: text('external_id'),
    /** A category, noun or WordNet synset, as imported. */
    concept: text('concept'),
    /** Pixels; x and y are the upper left corner, counted from the image's own, 0, 0. */
    x: double('x'),
    y: double('y'),
    width: double('width'),
    height: double('height'),
  },
  { uniques: [{ columns: ['imageId', 'externalId'] }] },
)
export type Box = Row<typeof BoxEntity>

/** What a person or a system says about an image, as the boxes that its words name. */
export const DescriptionEntity = entity(
  'description',
  {
    id: id(),
    imageId: reference('image_id', 'image'),
    /** Null where a person wrote it. */
    systemId: optional(reference('system_id', 'system')),
    /** Null where a system wrote it. */
    externalId: optional(text('external_id')),
    /** The human caption that it is, which then has its text. */
    captionId: optional(reference('caption_id', 'caption')),
    /** The system's caption that it is, which then has its text. */
    systemCaptionId: optional(reference('system_caption_id', 'system_caption')),
    /** Null also where the source says only which boxes are named. */
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

/** A box that a description names. */
export const MentionEntity = entity(
  'mention',
  {
    descriptionId: key(reference('description_id', 'description')),
    /** Numbers a description's mentions from 0, in the order named. */
    position: key(integer('position')),
    boxId: reference('box_id', 'box'),
    /** The words that name it, `text.slice(start, end)`; both null where the source does not say. */
    start: optional(integer('span_start')),
    end: optional(integer('span_end')),
  },
  { indices: [{ name: 'mention_by_box', columns: ['boxId'] }] },
)
export type Mention = Row<typeof MentionEntity>

/** What an import of boxes added and left out. */
export interface BoxImportCounts extends SourceCounts {
  readonly images: number
  readonly boxes: number
  readonly descriptions: number
  /** Of the descriptions: those that are captions of the dataset. */
  readonly captions: number
  /** Left out, with their boxes and descriptions: images that the dataset does not have. */
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

export type JobState = 'QUEUED' | 'RUNNING' | 'WAITING' | 'DONE' | 'FAILED' | 'CANCELLED'

/** Why a job failed: an AccordError, or `INTERNAL` with a message for what is a bug. */
export interface JobFailure {
  readonly code: ErrorCode | 'INTERNAL'
  readonly message: string
  readonly summary: string
  readonly detail: ErrorDetail
}

/** A piece of work that any worker may take. Times ending in `At` are ISO 8601; leases are milliseconds since 1970. */
export const JobEntity = entity(
  'job',
  {
    id: id(),
    kind: text('kind'),
    /** Who asked for it: workers alternate between owners. */
    owner: text('owner'),
    /** Jobs with the same key are the same job while one of them is not finished. */
    uniqueKey: optional(text('unique_key')),
    /** Higher is earlier, within one owner. */
    priority: integer('priority'),
    state: text<JobState>('state'),
    /** May be a whole upload; null once it has ended. */
    input: unselected(json<unknown>('input')),
    /** Null until it is done, and where the work is the result. */
    result: optional(json<unknown>('result')),
    failure: optional(json<JobFailure>('failure')),
    /** 0 to 1, and what it is doing. */
    progress: double('progress'),
    message: optional(text('message')),
    /** How often workers have started it, or started it anew after its shards. */
    attempts: integer('attempts'),
    /** Names the claim of the worker that runs it, and until when that one may do so without a heartbeat. */
    worker: optional(text('worker')),
    leaseUntil: optional(double('lease_until')),
    /** 1 once somebody has asked for its cancellation. */
    cancelRequested: integer('cancel_requested'),
    /** The job that it is a shard of. */
    parentId: optional(reference('parent_id', 'job')),
    /** What it is about; it goes when that is removed. */
    datasetId: optional(reference('dataset_id', 'dataset')),
    systemId: optional(reference('system_id', 'system')),
    createdAt: text('created_at'),
    startedAt: optional(text('started_at')),
    finishedAt: optional(text('finished_at')),
  },
  {
    indices: [
      { name: 'job_by_state', columns: ['state', 'owner', 'priority', 'id'] },
      { name: 'job_by_owner', columns: ['owner', 'startedAt'] },
      { name: 'job_by_parent', columns: ['parentId'] },
      { name: 'job_by_dataset', columns: ['datasetId'] },
      { name: 'job_by_system', columns: ['systemId'] },
      {
        name: 'job_by_unique_key',
        columns: ['uniqueKey'],
        unique: true,
        where: "state IN ('QUEUED', 'RUNNING', 'WAITING')",
      },
    ],
  },
)
export type Job = Row<typeof JobEntity>

/** What the shards of a job hand to the job that joins them. */
export const ShardEntity = entity('shard', {
  jobId: key(reference('job_id', 'job')),
  /** Which step of the job, such as document frequencies. */
  step: key(text('step')),
  position: key(integer('position')),
  content: bytes('content'),
})

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
  AgreementScoreEntity,
  BoxEntity,
  DescriptionEntity,
  MentionEntity,
  BoxImportEntity,
  JobEntity,
  ShardEntity,
]

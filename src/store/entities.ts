import type { UndefinedReason } from '../agreement/undefined-reason.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import { EntitySchema } from './typeorm.js'

/** A set of images with human captions. */
export interface Dataset {
  id: number
  name: string
  /** K: captions per image that the statistics use; 0 where a data set has boxes but no captions. */
  captionsPerImage: number
  imageCount: number
  captionCount: number
  /** Images with fewer than K captions, left out of the statistics. */
  excludedImageCount: number
  createdAt: string
}

export interface Image {
  id: number
  datasetId: number
  externalId: string
  fileName: string | null
  url: string | null
  width: number | null
  height: number | null
  captionCount: number
}

/** A human caption. */
export interface Caption {
  id: number
  imageId: number
  /** Counts an image's captions from 0, by annotation id. */
  position: number
  externalId: string
  text: string
  /** 32-bit token ids, little-endian. */
  tokens: Buffer
}

/** A word of a data set with its counts over the first K captions of each image. */
export interface Word {
  id: number
  datasetId: number
  tokenId: number
  text: string
  partOfSpeech: PartOfSpeech
  /** Place in the vocabulary, from 1; null for words that are not reported by default. */
  vocabularyRank: number | null
  imageCount: number
  captionCount: number
  /** h_0 … h_K: number of images where exactly c of the K captions use the word. */
  histogram: number[]
  /** With K − 1 references; null where undefined. */
  humanPrecision: number | null
  humanRecall: number | null
}

/** How many of an image's first K captions use a word, 1 or more. */
export interface ImageWord {
  wordId: number
  captionCount: number
  imageId: number
}

export type SystemKind = 'CAPTIONS' | 'WORD_SCORES' | 'DESCRIPTIONS'

export interface System {
  id: number
  datasetId: number
  name: string
  kind: SystemKind
  imageCount: number
  missingImageCount: number
  createdAt: string
}

export interface SystemCaption {
  id: number
  systemId: number
  imageId: number
  text: string
  /** 32-bit token ids, little-endian. */
  tokens: Buffer
}

/** Where a system stands on one word, for one number of references. */
export interface SystemWord {
  systemId: number
  referenceCount: number
  wordId: number
  precisionAtHumanRecall: number | null
  averagePrecision: number | null
  precision: number | null
  recall: number | null
  undefinedReason: UndefinedReason | null
}

export type EvaluationStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED'

/** The computing of a system's metric scores, as a job of a server. */
export interface Evaluation {
  id: number
  systemId: number
  status: EvaluationStatus
  /** Why it failed, or what it is doing. */
  message: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

/** A system's score on its images, for one way of making it. */
export interface MetricScore {
  id: number
  systemId: number
  statisticsId: number
  metric: string
  signature: string
  /** References per image; where it varies, the smallest number. */
  referenceCount: number
  value: number
  lower: number
  upper: number
  warnings: string[]
  /** Doubles aligned to the image set of the statistics. */
  imageScores: Buffer
}

/** One metric of a leave-one-out table. */
export interface AgreementScore {
  id: number
  datasetId: number
  referenceCount: number
  metric: string
  signature: string
  imageCount: number
  /** Corpus score of each fold. */
  folds: number[]
  mean: number
  standardDeviation: number
  lower: number
  upper: number
  warnings: string[]
  /** 32-bit ids of the images. */
  imageIds: Buffer
  /** Doubles, fold by fold, aligned to `imageIds`: the score of the image's caption that the fold holds out. */
  imageScores: Buffer
}

const id = { type: 'integer', primary: true, generated: true } as const
const integer = (name: string) => ({ type: 'integer', name }) as const
const text = (name: string) => ({ type: 'text', name }) as const
const optional = <T extends object>(column: T) => ({ ...column, nullable: true }) as const
const number = (name: string) => ({ type: 'real', name }) as const
const json = (name: string) => ({ type: 'simple-json', name }) as const
const real = (name: string) => ({ type: 'real', name, nullable: true }) as const
const blob = (name: string) => ({ type: 'blob', name, select: false }) as const
const key = (name: string) => ({ type: 'integer', name, primary: true }) as const

export const DatasetEntity = new EntitySchema<Dataset>({
  name: 'dataset',
  columns: {
    id,
    name: text('name'),
    captionsPerImage: integer('captions_per_image'),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    excludedImageCount: integer('excluded_image_count'),
    createdAt: text('created_at'),
  },
})

export const ImageEntity = new EntitySchema<Image>({
  name: 'image',
  columns: {
    id,
    datasetId: integer('dataset_id'),
    externalId: text('external_id'),
    fileName: optional(text('file_name')),
    url: optional(text('url')),
    width: optional(integer('width')),
    height: optional(integer('height')),
    captionCount: integer('caption_count'),
  },
})

export const CaptionEntity = new EntitySchema<Caption>({
  name: 'caption',
  columns: {
    id,
    imageId: integer('image_id'),
    position: integer('position'),
    externalId: text('external_id'),
    text: text('text'),
    tokens: blob('tokens'),
  },
})

export const WordEntity = new EntitySchema<Word>({
  name: 'word',
  columns: {
    id,
    datasetId: integer('dataset_id'),
    tokenId: integer('token_id'),
    text: text('text'),
    partOfSpeech: text('part_of_speech'),
    vocabularyRank: optional(integer('vocabulary_rank')),
    imageCount: integer('image_count'),
    captionCount: integer('caption_count'),
    histogram: json('histogram'),
    humanPrecision: real('human_precision'),
    humanRecall: real('human_recall'),
  },
})

export const ImageWordEntity = new EntitySchema<ImageWord>({
  name: 'image_word',
  columns: { wordId: key('word_id'), captionCount: key('caption_count'), imageId: key('image_id') },
})

export const SystemEntity = new EntitySchema<System>({
  name: 'system',
  columns: {
    id,
    datasetId: integer('dataset_id'),
    name: text('name'),
    kind: text('kind'),
    imageCount: integer('image_count'),
    missingImageCount: integer('missing_image_count'),
    createdAt: text('created_at'),
  },
})

export const SystemCaptionEntity = new EntitySchema<SystemCaption>({
  name: 'system_caption',
  columns: {
    id,
    systemId: integer('system_id'),
    imageId: integer('image_id'),
    text: text('text'),
    tokens: blob('tokens'),
  },
})

export const SystemWordEntity = new EntitySchema<SystemWord>({
  name: 'system_word',
  columns: {
    systemId: key('system_id'),
    referenceCount: key('reference_count'),
    wordId: key('word_id'),
    precisionAtHumanRecall: real('precision_at_human_recall'),
    averagePrecision: real('average_precision'),
    precision: real('precision'),
    recall: real('recall'),
    undefinedReason: optional(text('undefined_reason')),
  },
})

export const EvaluationEntity = new EntitySchema<Evaluation>({
  name: 'evaluation',
  columns: {
    id,
    systemId: integer('system_id'),
    status: text('status'),
    message: optional(text('message')),
    createdAt: text('created_at'),
    startedAt: optional(text('started_at')),
    finishedAt: optional(text('finished_at')),
  },
})

export const MetricScoreEntity = new EntitySchema<MetricScore>({
  name: 'metric_score',
  columns: {
    id,
    systemId: integer('system_id'),
    statisticsId: integer('statistics_id'),
    metric: text('metric'),
    signature: text('signature'),
    referenceCount: integer('reference_count'),
    value: number('value'),
    lower: number('lower'),
    upper: number('upper'),
    warnings: json('warnings'),
    imageScores: blob('image_scores'),
  },
})

export const AgreementScoreEntity = new EntitySchema<AgreementScore>({
  name: 'agreement_score',
  columns: {
    id,
    datasetId: integer('dataset_id'),
    referenceCount: integer('reference_count'),
    metric: text('metric'),
    signature: text('signature'),
    imageCount: integer('image_count'),
    folds: json('folds'),
    mean: number('mean'),
    standardDeviation: number('standard_deviation'),
    lower: number('lower'),
    upper: number('upper'),
    warnings: json('warnings'),
    imageIds: blob('image_ids'),
    imageScores: blob('image_scores'),
  },
})

export const ENTITIES = [
  DatasetEntity,
  ImageEntity,
  CaptionEntity,
  WordEntity,
  ImageWordEntity,
  SystemEntity,
  SystemCaptionEntity,
  SystemWordEntity,
  EvaluationEntity,
  MetricScoreEntity,
  AgreementScoreEntity,
]

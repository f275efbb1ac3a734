import type { Entity } from '../engine/columns.js'
import { ACCOUNT_TABLES } from './account-tables.js'
import { BOUND_TABLES } from './bound-tables.js'
import { BOX_TABLES } from './box-tables.js'
import { CHALLENGE_TABLES } from './challenge-tables.js'
import { COLLECTION_TABLES } from './collection-tables.js'
import { DATASET_TABLES } from './dataset-tables.js'
import { JOB_TABLES } from './job-tables.js'
import { JUDGEMENT_TABLES } from './judgement-tables.js'
import { METRIC_TABLES } from './metric-tables.js'
import { SCORE_TABLES } from './score-tables.js'
import { SYSTEM_TABLES } from './system-tables.js'

/** All tables, each after those that it refers to. */
export const ENTITIES: readonly Entity[] = [
  ...DATASET_TABLES,
  ...SYSTEM_TABLES,
  ...SCORE_TABLES,
  ...BOX_TABLES,
  ...BOUND_TABLES,
  ...JUDGEMENT_TABLES,
  ...JOB_TABLES,
  ...METRIC_TABLES,
  ...ACCOUNT_TABLES,
  ...CHALLENGE_TABLES,
  ...COLLECTION_TABLES,
]

import type { UndefinedReason } from '../../shared/undefined-reason.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const CHALLENGE_TABLES = entities

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
  /** Teams for which a user submits, or of which a user is a member. */
  readonly teamsPerUser: number | null
}

/** A competition of teams. */
export const ChallengeEntity = entity('challenge', [], {
  id: t.id(),
  name: t.distinct(t.text()),
  title: t.text(),
  /** Markdown, as it was written. */
  description: t.text(),
  /** IANA name of the time zone in which days begin. */
  timeZone: t.text(),
  /** Id of the team that hosts it. */
  hostTeam: t.text(),
  /** While it is, no submissions are accepted. */
  isPaused: t.boolean(),
  /** Until its hosts have opened it: nobody else sees it. */
  isDraft: t.boolean(),
  createdAt: t.time(),
})
export type Challenge = t.Row<typeof ChallengeEntity>

/** A part of a challenge with its own dataset, dates and board. Its dataset cannot be removed. */
export const PhaseEntity = entity('phase', [t.unique('challengeId', 'name')], {
  id: t.id(),
  challengeId: t.reference('challenge'),
  name: t.text(),
  datasetId: t.indexed(t.permanentReference('dataset')),
  settings: t.json<PhaseSettings>(),
})
export type Phase = t.Row<typeof PhaseEntity>

/**
 * An entry of the ledger of a team: a results file that was accepted. It is charged on acceptance; while its job has failed
 * or was cancelled, it counts only as an attempt.
 */
export const SubmissionEntity = entity('submission', [t.index('phaseId', 'team', 'id')], {
  id: t.id(),
  phaseId: t.reference('phase'),
  team: t.text(),
  /** Name of the team when it submitted. */
  teamName: t.text(),
  /** Id of the user. Null after the account was deleted. */
  submitter: t.optional(t.text()),
  /** The job that evaluates it; null only within the transaction that accepts it. */
  jobId: t.distinct(t.optional(t.permanentReference('job'))),
  /** Its captions; null until they are stored. */
  systemId: t.distinct(t.optional(t.permanentReference('system'))),
  /** The file, until its captions are stored, and its name in a zip file. */
  uploadId: t.indexed(t.optional(t.text())),
  entry: t.optional(t.text()),
  fileName: t.text(),
  /** The date in the time zone of the challenge, such as 2026-01-31. */
  day: t.text(),
  acceptedAt: t.time(),
  /** SHA-256, in hexadecimal digits, of the key that its client sends again when it repeats the request. */
  idempotencyKey: t.optional(t.text()),
  /** Whether it is charged to what hosts have granted. */
  isGranted: t.boolean(),
  /** Markdown, as it was written. */
  method: t.onRequest(t.text()),
  links: t.json<readonly string[]>(),
  /** Whether others do not see the team before the end of the phase. */
  isAnonymous: t.boolean(),
  /** Whether the team has withdrawn it from the board. */
  isWithdrawn: t.boolean(),
  /** Whether it is the entry of the team on the board. */
  isChosen: t.boolean(),
})
export type Submission = Omit<t.Row<typeof SubmissionEntity>, 'method'>

/** A figure of a stored board, rounded as its phase says. */
export interface StoredBoardScore {
  readonly value: number | null
  readonly interval: { readonly lower: number; readonly upper: number } | null
  /** Its place among the signatures of the board. Null without a value. */
  readonly signature: number | null
  readonly undefinedReason: UndefinedReason | null
}

export interface StoredBoardRow {
  readonly rank: number | null
  readonly kind: 'ENTRY' | 'BASELINE' | 'HUMAN'
  /** Name of the team or the baseline; null for people. */
  readonly name: string | null
  /** The entry of a team; null for other rows. */
  readonly submission: BoardSubmission | null
  /** In the order of the metrics of the board. */
  readonly scores: readonly StoredBoardScore[]
}

/** What a board needs to know of a submission. */
export interface BoardSubmission {
  readonly id: number
  /** Id. */
  readonly team: string
  readonly acceptedAt: string
  readonly isAnonymous: boolean
}

/** The board of a phase as everybody reads it. */
export interface StoredBoard {
  /** Of the procedure that ranks the entries. */
  readonly revision: number
  readonly metrics: readonly string[]
  readonly rankedBy: string
  readonly decimals: number
  /** The different signatures of its scores. */
  readonly signatures: readonly string[]
  /** By rank; baselines and people at the place of their score, entries without a score at the end. */
  readonly rows: readonly StoredBoardRow[]
  /**
   * Tests of its ranks, which the next computation takes over, by the figures that were compared: the position of the first system
   * that differs from the best one; null if none does.
   */
  readonly tests: Readonly<Record<string, number | null>>
}

/** The board of a phase, as it was computed last. */
export const BoardEntity = entity('board', [], {
  phaseId: t.key(t.reference('phase')),
  /** Increases with each computation. */
  version: t.integer(),
  /** Id of the newest change that it contains. */
  newestChange: t.integer(),
  content: t.json<StoredBoard>(),
})

/** A change of what a board shows, until the board is computed again. */
export const BoardChangeEntity = entity('board_change', [], {
  id: t.id(),
  phaseId: t.indexed(t.reference('phase')),
})

/** Submissions beyond the limits that hosts granted a team. */
export const GrantEntity = entity('submission_grant', [t.index('phaseId', 'team')], {
  id: t.id(),
  phaseId: t.reference('phase'),
  team: t.text(),
  count: t.integer(),
  grantedAt: t.time(),
})

/** What was done by whom. Entries are never changed. */
export const AuditEntryEntity = entity('audit_entry', [t.index('createdAt', 'id')], {
  id: t.id(),
  /** Name of the user at that time; null for the command line. */
  actor: t.optional(t.text()),
  /** For example `removeDataset`. */
  action: t.text(),
  /** On what: the name of a dataset, user, team or challenge. */
  subject: t.optional(t.text()),
  /** The challenge that it concerns, and what was given, as JSON. */
  challengeId: t.indexed(t.optional(t.reference('challenge'))),
  detail: t.optional(t.json<Readonly<Record<string, unknown>>>()),
  createdAt: t.time(),
})
export type AuditEntry = t.Row<typeof AuditEntryEntity>

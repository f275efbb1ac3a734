import { AccordError, quote } from '../../errors.js'
import { readBoard } from '../../services/challenges/board.js'
import {
  type ChallengeInput,
  createChallenge,
  findChallenge,
  isHostOf,
  listChallenges,
  maySee,
  type PhaseInput,
  readAudit,
  removeChallenge,
  rerunChallenge,
  stageOf,
  updateChallenge,
} from '../../services/challenges/challenges.js'
import { renderMarkdown } from '../../services/challenges/markdown.js'
import { withPreset } from '../../services/challenges/presets.js'
import {
  cancelSubmission,
  chooseEntry,
  grantSubmissions,
  listSubmissions,
  queuePlaces,
  quotaOf,
  submit,
  withdrawSubmission,
} from '../../services/challenges/submissions.js'
import type { Submission as SubmissionModel } from '../../store/schema/entities.js'
import { loadUser } from '../accounts/loaders.js'
import { loadDataset } from '../datasets/loaders.js'
import { connectById, connectRows } from '../execution/connection.js'
import type { Context } from '../execution/context.js'
import { rowIdOf, toGlobalId } from '../execution/ids.js'
import { asData } from '../execution/mutation-error.js'
import { present } from '../execution/present.js'
import type * as schema from '../execution/schema-types.js'
import { loadJob } from '../jobs/loaders.js'
import { loadSystem } from '../systems/loaders.js'
import {
  chosenOf,
  isHiddenSubmission,
  loadChallenge,
  loadPhase,
  loadPhasesOfChallenge,
  loadStoredScores,
  loadSubmissionScores,
} from './loaders.js'

export const Query: Pick<schema.QueryResolvers, 'challenge' | 'challenges' | 'markdownHtml'> = {
  challenge: (_parent, { name }, { accord }) => findChallenge(accord, name),
  challenges: (_parent, page, { accord }) => connectById('challenges', listChallenges(accord), page),
  markdownHtml: (_parent, { text }) => renderMarkdown(text),
}

const FAILURES = ['InvalidInputError', 'NotFoundError'] as const

const PRESETS = { COCO_CAPTIONS_2015: 'coco-captions-2015' } as const

export const Mutation: Pick<
  schema.MutationResolvers,
  | 'createChallenge'
  | 'updateChallenge'
  | 'rerunChallenge'
  | 'removeChallenge'
  | 'submit'
  | 'cancelSubmission'
  | 'withdrawSubmission'
  | 'chooseEntry'
  | 'grantSubmissions'
> = {
  createChallenge: (_parent, { input: { preset, team, phases, ...input } }, { accord, viewer, client }) =>
    asData('CreateChallengeSuccess', [...FAILURES, 'NameTakenError'], async () => {
      const given = phases?.map(toPhase) ?? []
      const described: ChallengeInput = {
        ...withoutNulls(input),
        phases: preset ? withPreset(PRESETS[preset], given) : given,
      }
      return { challenge: await createChallenge(accord, viewer, described, team, client) }
    }),

  updateChallenge: (_parent, { input: { challenge: name, phases, ...input } }, { accord, viewer, client }) =>
    asData('UpdateChallengeSuccess', FAILURES, async () => {
      const changes = { ...withoutNulls(input), name, phases: phases?.map(toPhase) }
      return { challenge: await updateChallenge(accord, viewer, changes, client) }
    }),

  rerunChallenge: (_parent, { input: { challenge: name } }, { accord, viewer, client }) =>
    asData('RerunChallengeSuccess', FAILURES, async () => ({
      evaluationCount: await rerunChallenge(accord, viewer, name, client),
      challenge: await findChallenge(accord, name).then(present),
    })),

  removeChallenge: (_parent, { input: { challenge: name } }, { accord, viewer, client, outside }) =>
    asData('RemoveChallengeSuccess', FAILURES, async () => ({
      name,
      submissionCount: await outside(removeChallenge(accord, viewer, name, client)),
    })),

  submit: (_parent, { input: { phaseNames: phases, ...input } }, { accord, viewer, client, outside }) =>
    asData('SubmitSuccess', FAILURES, async () => ({
      submissions: await outside(submit(accord, viewer, { ...input, phases }, client)),
    })),

  cancelSubmission: (_parent, { input: { id } }, { accord, viewer, client, outside }) =>
    asData('CancelSubmissionSuccess', FAILURES, async () => ({
      submission: await outside(cancelSubmission(accord, viewer, requireId(id), client)),
    })),

  withdrawSubmission: (_parent, { input: { id } }, { accord, viewer }) =>
    asData('WithdrawSubmissionSuccess', FAILURES, async () => ({
      submission: await withdrawSubmission(accord, viewer, requireId(id)),
    })),

  chooseEntry: (_parent, { input: { id, isChosen } }, { accord, viewer }) =>
    asData('ChooseEntrySuccess', FAILURES, async () => ({
      submission: await chooseEntry(accord, viewer, requireId(id), isChosen ?? true),
    })),

  grantSubmissions: (_parent, { input: { submissionCount: count, ...input } }, { accord, viewer }) =>
    asData('GrantSubmissionsSuccess', FAILURES, () => grantSubmissions(accord, viewer, { ...input, count })),
}

/** Null is the same as absent, but for what null is a value of. */
function toPhase({ boardFrom, admittedTeams, limits, ...input }: schema.PhaseInput): PhaseInput {
  return {
    ...withoutNulls(input),
    ...(boardFrom !== undefined && { boardFrom }),
    ...(admittedTeams !== undefined && { admittedTeams }),
    ...(limits != null && { limits }),
  }
}

type WithoutNulls<Input> = { [Name in keyof Input]: Exclude<Input[Name], null> }

function withoutNulls<Input extends object>(input: Input): WithoutNulls<Input> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null),
  ) as WithoutNulls<Input>
}

function requireId(globalId: string): number {
  const id = rowIdOf('Submission', globalId)
  if (id !== null) return id
  throw new AccordError('UNKNOWN_SUBMISSION', 'unknown submission', {
    source: 'id',
    expected: 'the id of a submission',
    found: quote(globalId),
  })
}

export const Challenge: schema.ChallengeResolvers = {
  id: ({ id }) => toGlobalId('Challenge', id),
  descriptionHtml: ({ description }) => renderMarkdown(description),
  isPaused: ({ isPaused }) => isPaused === 1,
  isHosted: (challenge, _args, { viewer }) => isHostOf(viewer, challenge),
  phases: ({ id }, _args, context) => loadPhasesOfChallenge(context, id),
  phase: async ({ id }, { name }, context) =>
    (await loadPhasesOfChallenge(context, id)).find((phase) => phase.name === name) ?? null,
  auditLog: async (challenge, page, { accord, viewer }) =>
    isHostOf(viewer, challenge)
      ? connectById(`audit ${challenge.id}`, readAudit(accord, viewer, challenge), page)
      : null,
}

export const AuditEntry: schema.AuditEntryResolvers = {
  id: ({ id }) => toGlobalId('AuditEntry', id),
  detail: ({ detail }) => JSON.stringify(detail),
}

export const Phase: schema.PhaseResolvers = {
  id: ({ id }) => toGlobalId('Phase', id),
  challenge: ({ challengeId }, _args, context) => loadChallenge(context, challengeId).then(present),
  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId),
  stage: async (phase, _args, context) => stageOf(phase, (await chosenOf(context, phase.id)).challenge),
  opensAt: ({ settings }) => settings.opensAt,
  closesAt: ({ settings }) => settings.closesAt,
  isPrivate: async ({ datasetId }, _args, context) =>
    (await loadDataset(context, datasetId).then(present)).isPrivate === 1,
  metricNames: ({ settings }) => settings.metrics,
  rankedBy: ({ settings }) => settings.rankedBy,
  decimals: ({ settings }) => settings.decimals,
  references: ({ settings }) => settings.references,
  boardFrom: ({ settings }) => settings.boardFrom,
  isImageScoreShown: ({ settings }) => settings.isImageScoreShown,
  admittedTeams: ({ settings }) => settings.admittedTeams,
  limits: ({ settings }) => settings.limits,
  baselineNames: ({ settings }) => settings.baselines,
  board: async ({ id }, { orderBy }, context) => {
    const { accord, viewer, client, outside } = context
    const order = orderBy ? { metric: orderBy.field, isWorstFirst: orderBy.direction === 'DESC' } : null
    return outside(readBoard(accord, viewer, await chosenOf(context, id), order, client))
  },
  quota: async ({ id }, { team }, context) => {
    const chosen = await chosenOf(context, id)
    const { accord, viewer } = context
    const wanted = team ?? viewer.teams.at(0)?.id
    if (wanted === undefined || !maySee(viewer, chosen.challenge, { team: wanted })) return null
    return quotaOf(accord, viewer, chosen, wanted)
  },
  submissions: async ({ id }, { team, ...page }, context) => {
    const rows = listSubmissions(context.accord, context.viewer, await chosenOf(context, id), team)
    return connectById(`submissions ${id}`, rows, page)
  },
}

export const SubmissionQuota: schema.SubmissionQuotaResolvers = {
  leftCount: ({ left }) => left,
  leftTodayCount: ({ leftToday }) => leftToday,
  leftInTotalCount: ({ leftInTotal }) => leftInTotal,
  leftGrantCount: ({ leftGrants }) => leftGrants,
  usedTodayCount: ({ used }) => used.day,
  usedInTotalCount: ({ used }) => used.total,
  unfinishedCount: ({ used }) => used.unfinished,
  attemptCount: ({ used }) => used.attempts,
}

export const Board: schema.BoardResolvers = {
  metricNames: ({ metrics }) => metrics,
  rows: ({ rows, rankedBy }, page) =>
    connectRows(
      `board ${rankedBy}`,
      rows,
      ({ kind, submission, name }) => `${kind} ${submission?.id ?? name}`,
      page,
    ),
}

export const BoardRow: schema.BoardRowResolvers = {
  isOwn: ({ submission }, _args, { viewer }) => viewer.teams.some(({ id }) => id === submission?.team),
  acceptedAt: ({ submission }) => submission?.acceptedAt ?? null,
  method: ({ submission, name }) => (submission && name !== null ? submission.method : null),
  links: ({ submission, name }) => (submission && name !== null ? submission.links : null),
  submission: async ({ submission }, _args, context) =>
    submission && (await isSeen(context, submission)) ? submission : null,
}

async function isSeen(context: Context, submission: SubmissionModel): Promise<boolean> {
  return maySee(context.viewer, (await chosenOf(context, submission.phaseId)).challenge, submission)
}

export const BoardScore: schema.BoardScoreResolvers = { metricName: ({ metric }) => metric }

export const Submission: schema.SubmissionResolvers = {
  id: ({ id }) => toGlobalId('Submission', id),
  phase: ({ phaseId }, _args, context) => loadPhase(context, phaseId).then(present),
  teamId: ({ team }) => team,
  submitterName: async ({ submitter }, _args, context) =>
    submitter === null ? null : ((await loadUser(context, submitter))?.name ?? null),
  job: (submission, _args, context) => jobOf(submission, context),
  isCharged: async (submission, _args, context) =>
    !['FAILED', 'CANCELLED'].includes((await jobOf(submission, context)).status),
  queuedBeforeCount: async (submission, _args, context) =>
    (await placeOf(submission, context))?.before ?? null,
  expectedWait: async (submission, _args, context) => {
    const { waitMs = null } = (await placeOf(submission, context)) ?? {}
    return waitMs === null ? null : waitMs / 1000
  },
  isAnonymous: ({ isAnonymous }) => isAnonymous === 1,
  isWithdrawn: ({ isWithdrawn }) => isWithdrawn === 1,
  isChosen: ({ isChosen }) => isChosen === 1,
  scores: (submission, _args, context) => loadSubmissionScores(context, submission),
  storedScores: (submission, _args, context) => loadStoredScores(context, submission),
  system: async ({ systemId }, _args, context) =>
    systemId === null || (await isHiddenSubmission(context, systemId)) ? null : loadSystem(context, systemId),
}

function jobOf({ jobId }: SubmissionModel, context: Context) {
  return loadJob(context, jobId as number).then(present)
}

/** The place of a submission in the queue; all places are read once per request. */
async function placeOf({ jobId }: SubmissionModel, { accord, once }: Context) {
  return (await once('queue places', () => queuePlaces(accord))).get(jobId as number)
}

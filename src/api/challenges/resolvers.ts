import { AccordError, quote } from '../../errors.js'
import { readBoard, watchBoard } from '../../services/challenges/board.js'
import * as challenges from '../../services/challenges/challenges.js'
import { distancesOf } from '../../services/challenges/distances.js'
import { findChallenge, isHostOf, listChallenges } from '../../services/challenges/hosts.js'
import { renderMarkdown } from '../../services/challenges/markdown.js'
import { unknownPhase } from '../../services/challenges/phases.js'
import { withPreset } from '../../services/challenges/presets.js'
import type { PhaseInput } from '../../services/challenges/resolve-phase.js'
import * as submissions from '../../services/challenges/submissions.js'
import { submit } from '../../services/challenges/submit.js'
import { storedMetric } from '../../services/evaluations/metrics.js'
import type { Submission as SubmissionModel } from '../../store/schema/challenge-tables.js'
import * as loaders from '../loaders/challenges.js'
import { loadDataset } from '../loaders/datasets.js'
import { loadJob } from '../loaders/jobs.js'
import { connect, connectById, connectByName, connectRows } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { rowIdOf, textKeyOf, toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { asData } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'

export const Query: schema.QueryResolvers = {
  challenge: (_parent, { name }, { accord, viewer }) => findChallenge(accord.database, viewer, name),
  challenges: (_parent, page, { accord, viewer }) =>
    connectByName(listChallenges(accord.database, viewer), page),
  markdownHtml: (_parent, { text }, { turn }) => renderMarkdown(text, turn),
}

const PRESETS = { COCO_CAPTIONS_2015: 'coco-captions-2015' } as const

export const Mutation: schema.MutationResolvers = {
  createChallenge: (_parent, { input: { preset, team, phases, ...input } }, { accord, viewer, client }) =>
    asData('ChallengeSuccess', async () => {
      const given = phases?.map(toPhase) ?? []
      const described: challenges.ChallengeInput = {
        ...withoutNulls(input),
        phases: preset ? withPreset(PRESETS[preset], given) : given,
      }
      return challenges.createChallenge(accord, viewer, described, team && textKeyOf('Team', team), client)
    }),

  updateChallenge: (_parent, { input: { challenge: name, phases, ...input } }, { accord, viewer, client }) =>
    asData('ChallengeSuccess', async () => {
      const changes = { ...withoutNulls(input), name, phases: phases?.map(toPhase) }
      return challenges.updateChallenge(accord, viewer, changes, client)
    }),

  rerunChallenge: (_parent, { input: { challenge: name } }, { accord, viewer, client }) =>
    asData('ChallengeSuccess', () => challenges.rerunChallenge(accord, viewer, name, client)),

  removeChallenge: (_parent, { input: { challenge: name } }, { accord, viewer }) =>
    asData('RemovalSuccess', async () => {
      const { id, submissionCount } = await challenges.removeChallenge(accord, viewer, name)
      return { removedId: toGlobalId('Challenge', id), submissionCount }
    }),

  submit: (_parent, { input: { phaseNames: phases, ...input } }, { accord, viewer, client, outside }) =>
    asData('SubmitSuccess', async () => {
      const team = input.team && textKeyOf('Team', input.team)
      return { submissions: await outside(submit(accord, viewer, { ...input, team, phases }, client)) }
    }),

  cancelSubmission: (_parent, { input: { id } }, { accord, viewer, client, outside }) =>
    asData('SubmissionSuccess', async () => ({
      submission: await outside(submissions.cancelSubmission(accord, viewer, requireId(id), client)),
    })),

  rerunSubmission: (_parent, { input: { id } }, { accord, viewer }) =>
    asData('SubmissionSuccess', async () => ({
      submission: await submissions.rerunSubmission(accord, viewer, requireId(id)),
    })),

  withdrawSubmission: (_parent, { input: { id } }, { accord, viewer }) =>
    asData('SubmissionSuccess', async () => ({
      submission: await submissions.withdrawSubmission(accord, viewer, requireId(id)),
    })),

  chooseEntry: (_parent, { input: { id, isChosen } }, { accord, viewer }) =>
    asData('SubmissionSuccess', async () => ({
      submission: await submissions.chooseEntry(accord, viewer, requireId(id), isChosen ?? true),
    })),

  grantSubmissions: (_parent, { input: { submissionCount: count, team, ...input } }, { accord, viewer }) =>
    asData('GrantSubmissionsSuccess', () =>
      submissions.grantSubmissions(accord, viewer, { ...input, team: textKeyOf('Team', team), count }),
    ),
}

export const Subscription: schema.SubscriptionResolvers = {
  boardChanges: {
    subscribe(_parent, { id }, { accord, viewer, client }) {
      const phaseId = rowIdOf('Phase', id)
      if (phaseId === null) throw unknownPhase()
      return watchBoard(accord, viewer, phaseId, client)
    },
    resolve: (_event: unknown, { id }: schema.SubscriptionBoardChangesArgs, context: Context) =>
      loaders.loadKnownPhase(context, rowIdOf('Phase', id) as number),
  },
}

/** Null is the same as absent, but for what null is a value of. */
function toPhase({ boardFrom, admittedTeams, limits, ...input }: schema.PhaseInput): PhaseInput {
  return {
    ...withoutNulls(input),
    ...(boardFrom !== undefined && { boardFrom }),
    ...(admittedTeams !== undefined && {
      admittedTeams: admittedTeams?.map((team) => textKeyOf('Team', team)) ?? null,
    }),
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
  hostTeam: ({ hostTeam }, _args, context) => loaders.teamOf(context, hostTeam),
  descriptionHtml: ({ description }, _args, { turn }) => renderMarkdown(description, turn),
  isHosted: (challenge, _args, { viewer }) => isHostOf(viewer, challenge),
  phases: ({ id }, _args, context) => loaders.loadPhasesOfChallenge(context, id),
  phase: async ({ id }, { name }, context) =>
    (await loaders.loadPhasesOfChallenge(context, id)).find((phase) => phase.name === name) ?? null,
  auditLog: async (challenge, page, { accord, viewer }) =>
    isHostOf(viewer, challenge) ? connectById(challenges.readAudit(accord, viewer, challenge), page) : null,
}

export const AuditEntry: schema.AuditEntryResolvers = { detail: ({ detail }) => JSON.stringify(detail) }

export const Phase: schema.PhaseResolvers = {
  challenge: ({ challengeId }, _args, context) => loaders.loadChallenge(context, challengeId).then(present),
  stage: async (phase, _args, context) =>
    challenges.stageOf(phase, (await loaders.chosenOf(context, phase.id)).challenge),
  isPrivate: async ({ datasetId }, _args, context) =>
    (await loadDataset(context, datasetId).then(present)).isPrivate,
  metrics: ({ settings }, _args, { accord }) => settings.metrics.map((name) => storedMetric(accord, name)),
  rankedBy: ({ settings }, _args, { accord }) => storedMetric(accord, settings.rankedBy),
  admittedTeamCount: ({ settings }) => settings.admittedTeams?.length ?? null,
  admittedTeams: async ({ id, settings: { admittedTeams } }, _args, context) => {
    const { challenge } = await loaders.chosenOf(context, id)
    if (admittedTeams === null || !isHostOf(context.viewer, challenge)) return null
    return Promise.all(admittedTeams.map((team) => loaders.teamOf(context, team)))
  },
  board: async ({ id }, { orderBy }, context) => {
    const { accord, viewer, client, outside } = context
    const order = orderBy ? { metric: orderBy.field, isWorstFirst: orderBy.direction === 'DESC' } : null
    return outside(readBoard(accord, viewer, await loaders.chosenOf(context, id), order, client))
  },
  quota({ id }, { team }, context) {
    const wanted = team == null ? context.viewer.teams.at(0)?.id : textKeyOf('Team', team)
    return wanted === undefined ? null : loaders.findQuota(context, id, wanted)
  },
  submissions: async ({ id }, { team, ...page }, context) => {
    const list = submissions.listSubmissions(
      context.accord,
      context.viewer,
      await loaders.chosenOf(context, id),
      team && textKeyOf('Team', team),
    )
    return connect(list, page)
  },
}

export const SubmissionQuota: schema.SubmissionQuotaResolvers = {
  id: ({ phaseId, team }) => toGlobalId('SubmissionQuota', phaseId, team),
}

export const Board: schema.BoardResolvers = {
  metrics: ({ metrics }, _args, { accord }) => metrics.map((name) => storedMetric(accord, name)),
  rankedBy: ({ rankedBy }, _args, { accord }) => storedMetric(accord, rankedBy),
  rows: ({ rows }, page) =>
    connectRows(rows, ({ kind, submission, name }) => `${kind} ${submission?.id ?? name}`, page),
}

export const BoardRow: schema.BoardRowResolvers = {
  isOwn: ({ submission }, _args, { viewer }) => viewer.teams.some(({ id }) => id === submission?.team),
  method: ({ submission, name }, _args, context) =>
    submission && name !== null ? loaders.loadMethod(context, submission.id) : null,
  links: async ({ submission, name }, _args, context) =>
    submission && name !== null
      ? ((await loaders.loadAnySubmission(context, submission.id))?.links ?? null)
      : null,
  submission: ({ submission }, _args, context) =>
    submission === null ? null : loaders.loadSubmission(context, submission.id),
}

export const BoardScore: schema.BoardScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => storedMetric(accord, metric),
}

export const Submission: schema.SubmissionResolvers = {
  phase: ({ phaseId }, _args, context) => loaders.loadPhase(context, phaseId).then(present),
  team: ({ team }, _args, context) => loaders.teamOf(context, team),
  submitter: ({ submitter }, _args, context) =>
    submitter === null ? null : loaders.loadUser(context, submitter),
  job: (submission, _args, context) => jobOf(submission, context),
  isCharged: async (submission, _args, context) =>
    !['FAILED', 'CANCELLED'].includes((await jobOf(submission, context)).status),
  queuedBeforeCount: async (submission, _args, context) =>
    (await placeOf(submission, context))?.before ?? null,
  expectedWait: async (submission, _args, context) => {
    const { waitMs = null } = (await placeOf(submission, context)) ?? {}
    return waitMs === null ? null : waitMs / 1000
  },
  method: ({ id }, _args, context) => loaders.loadMethod(context, id).then(present),
  scores: (submission, _args, context) => loaders.loadSubmissionScores(context, submission),
  storedScores: (submission, _args, context) => loaders.loadStoredScores(context, submission),
  comparisons: async (submission, _args, context) => {
    const { accord, viewer, client, outside } = context
    const chosen = await loaders.chosenOf(context, submission.phaseId)
    return outside(distancesOf(accord, viewer, chosen, submission, client))
  },
}

function jobOf({ jobId }: SubmissionModel, context: Context) {
  return loadJob(context, jobId as number).then(present)
}

/** The place of a submission in the queue; all places are read once per request. */
async function placeOf({ jobId }: SubmissionModel, { accord, once }: Context) {
  return (await once('queue places', () => submissions.queuePlaces(accord))).get(jobId as number)
}

import { timeNow } from '../../clock.js'
import { AccordError, quote, requireInteger } from '../../errors.js'
import { lockDataset, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Phase, PhaseSettings, SubmissionLimits } from '../../store/schema/challenge-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { requireSystem } from '../../store/systems.js'
import { requireTeams } from '../accounts/teams.js'
import { requireCaptions, requireDatasetById } from '../datasets/require-subjects.js'
import { resolveMetrics, usualMetrics } from '../evaluations/metrics.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { TIME_FORMAT, toUtc } from '../shared/times.js'

/** A phase as hosts describe it. What is absent has its default, or stays as it is; null stands for no limit or no date. */
export interface PhaseInput {
  /** Unique in the challenge; like that of a challenge. */
  readonly name: string
  /** Name of the dataset. Required for a new phase. */
  readonly dataset?: string
  /** RFC 3339. Default: now. */
  readonly opensAt?: string
  /** RFC 3339, after `opensAt`. Required for a new phase. */
  readonly closesAt?: string
  /** True makes its dataset private, which it then stays: only hosts and administrators see it. Default: as the dataset is. */
  readonly isPrivate?: boolean
  /** Names. Default: those that are computed by default. */
  readonly metrics?: readonly string[]
  /** Default: the first of CIDEr-D, METEOR, ROUGE-L and BLEU-4 that is on the board, else its first metric. */
  readonly rankedBy?: string
  /** 0 to 10. Default: 3. */
  readonly decimals?: number
  /**
   * k: on the folds of k references, with people, if images have more captions; against all captions where they have k.
   * Default: K − 1.
   */
  readonly references?: number
  readonly boardFrom?: string | null
  /** Default: false. */
  readonly isImageScoreShown?: boolean
  readonly admittedTeams?: readonly string[] | null
  /** Default: one team of a user, and no other limits. */
  readonly limits?: Partial<SubmissionLimits>
  /** Default: none. */
  readonly baselines?: readonly string[]
}

const DEFAULT_LIMITS: SubmissionLimits = {
  perDay: null,
  total: null,
  concurrent: null,
  attempts: null,
  teamsPerUser: 1,
}

const MAX_DECIMALS = 10

interface ResolvedPhase {
  readonly row: Omit<Phase, 'id' | 'challengeId'>
  readonly isPrivate: boolean
}

/** Pages of a challenge, beside the boards of its phases. */
const PAGES = ['host', 'submit']

/** Names stand in addresses, on the command line and in names of files. */
const SLUG = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/

const MAX_NAME_LENGTH = 64

const checkPhaseName = (name: string) => checkSlug('phases.name', name, PAGES)

/** @throws AccordError INVALID_VALUE for a name that is no slug, or whose page would have the address of another one */
export function checkSlug(source: string, name: string, pages: readonly string[]): void {
  const isSlug = SLUG.test(name) && name.length <= MAX_NAME_LENGTH
  if (isSlug && !pages.includes(name)) return
  throw new AccordError('INVALID_VALUE', 'invalid name', {
    source,
    expected: isSlug
      ? `another name than ${pages.join(' and ')}, which the dashboard uses for a page`
      : `1 to ${MAX_NAME_LENGTH} small letters and digits, with single ., - or _ between them; the title of a challenge is free text`,
    found: quote(name),
  })
}

/** The row of a phase: the known one with the changes of the input. */
export async function resolvePhase(
  accord: Accord,
  session: Session,
  known: Phase | undefined,
  { name, dataset: datasetName, isPrivate, references, limits, ...given }: PhaseInput,
): Promise<ResolvedPhase> {
  checkPhaseName(name)
  const dataset = known
    ? await requireDatasetById(session, known.datasetId)
    : await requireDataset(session, required('dataset', datasetName))
  if (known && datasetName !== undefined && datasetName !== dataset.name) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset of a phase cannot change; add another phase', {
      source: 'phases.dataset',
      expected: quote(dataset.name),
      found: quote(datasetName),
    })
  }
  const before: Partial<PhaseSettings> = known?.settings ?? {}
  const metrics = await chooseMetrics(accord, given.metrics ?? before.metrics)
  const settings: PhaseSettings = {
    opensAt: toTime('opensAt', given.opensAt ?? before.opensAt ?? timeNow()),
    closesAt: toTime('closesAt', required('closesAt', given.closesAt ?? before.closesAt)),
    metrics,
    rankedBy: await chooseRanking(accord, metrics, given.rankedBy ?? before.rankedBy),
    decimals: requireInteger(given.decimals ?? before.decimals ?? 3, 0, MAX_DECIMALS, 'phases.decimals'),
    references:
      known && references === undefined ? known.settings.references : chooseFolds(dataset, references),
    boardFrom:
      given.boardFrom === undefined
        ? (before.boardFrom ?? null)
        : given.boardFrom === null
          ? null
          : toTime('boardFrom', given.boardFrom),
    isImageScoreShown: given.isImageScoreShown ?? before.isImageScoreShown ?? false,
    admittedTeams:
      given.admittedTeams === undefined
        ? (before.admittedTeams ?? null)
        : await checkTeams(session, given.admittedTeams),
    limits: checkLimits({ ...DEFAULT_LIMITS, ...before.limits, ...limits }),
    baselines: await checkBaselines(session, dataset, given.baselines ?? before.baselines ?? []),
  }
  if (settings.closesAt <= settings.opensAt) {
    throw new AccordError('OUT_OF_RANGE', 'the phase ends before it begins', {
      source: 'phases.closesAt',
      expected: `a time after ${settings.opensAt}`,
      found: settings.closesAt,
    })
  }
  if (isPrivate === false && dataset.isPrivate) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset of the phase is private', {
      source: 'phases.isPrivate',
      expected: 'true, or no value',
    })
  }
  return { row: { name, datasetId: dataset.id, settings }, isPrivate: isPrivate === true }
}

function required(source: string, value: string | null | undefined): string {
  if (value != null) return value
  throw new AccordError('INVALID_SHAPE', 'a new phase requires it', {
    source: `phases.${source}`,
    found: 'nothing',
  })
}

function toTime(source: string, text: string): string {
  const time = toUtc(text)
  if (time !== null) return time
  throw new AccordError('INVALID_VALUE', 'invalid time', {
    source: `phases.${source}`,
    expected: TIME_FORMAT,
    found: quote(text),
  })
}

const MAX_LIMIT = 1_000_000

function checkLimits(limits: SubmissionLimits): SubmissionLimits {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== null) requireInteger(limit, 0, MAX_LIMIT, `phases.limits.${name}`)
  }
  return limits
}

/** Metrics that are computed here. */
async function chooseMetrics(accord: Accord, names: readonly string[] | undefined): Promise<string[]> {
  const metrics = names === undefined ? usualMetrics(accord) : await resolveMetrics(accord, names)
  if (metrics.length === 0) {
    throw new AccordError('OUT_OF_RANGE', 'no metrics', {
      source: 'phases.metrics',
      expected: 'at least one name',
    })
  }
  const external = metrics.find((name) => metricsOf(accord).require(name).needs.text === 'external')
  if (external === undefined) return [...new Set(metrics)]
  throw new AccordError('NOT_APPLICABLE', 'the scores of this metric are imported', {
    source: 'phases.metrics',
    expected: 'metrics that Accord computes',
    found: external,
  })
}

/** Metrics that rank where a host does not say: the first one on the board. BLEU-1 agrees least with people. */
const USUAL_RANKING = ['CIDEr-D', 'METEOR', 'ROUGE-L', 'BLEU-4']

async function chooseRanking(
  accord: Accord,
  metrics: readonly string[],
  name: string | undefined,
): Promise<string> {
  if (name === undefined) return USUAL_RANKING.find((one) => metrics.includes(one)) ?? metrics[0]
  const [metric] = await resolveMetrics(accord, [name])
  if (metrics.includes(metric)) return metric
  throw new AccordError('INVALID_VALUE', 'the board does not show the metric that ranks', {
    source: 'phases.rankedBy',
    expected: `one of ${metrics.join(', ')}`,
    found: quote(name),
  })
}

/** k of folds; null where k captions are all that images have. */
function chooseFolds({ name, captionsPerImage }: Dataset, wanted: number | undefined): number | null {
  const references = wanted ?? Math.max(1, captionsPerImage - 1)
  if (references >= 1 && references <= captionsPerImage) {
    return references === captionsPerImage ? null : references
  }
  throw new AccordError('OUT_OF_RANGE', 'too few captions of each image', {
    source: 'phases.references',
    expected: `1 to ${captionsPerImage}, the captions per image of ${quote(name)}`,
    found: String(references),
  })
}

async function checkTeams(
  session: Session,
  teams: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (teams === null) return null
  return [...new Set(await requireTeams(session, teams, 'phases.admittedTeams'))]
}

/** Systems that cannot be removed from then on. */
async function checkBaselines(
  session: Session,
  dataset: Dataset,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length > 0) await lockDataset(session, dataset.id)
  for (const name of names) requireCaptions(await requireSystem(session, dataset.id, name))
  return [...new Set(names)]
}

import { createHash } from 'node:crypto'
import type { Computation, QueryHandler } from '../../queue/kind.js'
import { readBoardChanges, readStoredBoard, saveBoard } from '../../store/boards.js'
import { findPhases } from '../../store/challenges.js'
import type {
  Phase,
  StoredBoard,
  StoredBoardRow,
  StoredBoardScore,
} from '../../store/schema/challenge-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listSubmissions, type SubmissionWithJob } from '../../store/submissions.js'
import { findSystems } from '../../store/systems.js'
import { createMetricComparer } from '../comparisons/compare.js'
import { judgeTable } from '../comparisons/pair-comparison.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { type LeaderboardRow, rankByMetric } from '../leaderboard/ranking.js'
import { keyBy } from '../shared/groups.js'
import { BOARD_REVISION, baselinesOf, roundFigure, sortRows, systemIdsOf } from './board-figures.js'

/** A phase, and its dataset, with which the job is removed. */
export interface BoardInput {
  readonly phaseId: number
  readonly datasetId: number
}

/** Computes the board of a phase, unless nothing that it shows has changed, and stores it. */
export const boardQuery: QueryHandler<BoardInput, null> = async (context) => {
  const { database, input } = context
  const changes = await readBoardChanges(database, input.phaseId)
  const known = await readStoredBoard(database, input.phaseId)
  const isCurrent = known?.content.revision === BOARD_REVISION
  if (isCurrent && changes.ids.length === 0) return null
  const board = await computeBoard(context, isCurrent ? known.content.tests : {})
  if (board) await saveBoard(database, input.phaseId, board, changes)
  return null
}

/** Figures of the rows of a metric, by id of the system; those of people under {@link PEOPLE}. */
type Column = ReadonlyMap<number, LeaderboardRow>

const PEOPLE = 0

/**
 * The board of a phase: the entry of each team, which it has chosen or which is its best one, with baselines and people.
 *
 * @param tests those of the former board
 * @returns null if the phase was removed
 */
export async function computeBoard(
  context: Computation<BoardInput>,
  tests: StoredBoard['tests'] = {},
): Promise<StoredBoard | null> {
  const { database, input } = context
  const [phase] = await findPhases(database, [input.phaseId])
  if (!phase) return null
  const { registry } = await context.threads()
  const { metrics, rankedBy, decimals, references } = phase.settings
  const dataset = await requireDatasetById(database, phase.datasetId)
  const submissions = (await listSubmissions(database, [phase.id])).filter(
    ({ isWithdrawn, status, cancelRequested }) =>
      !isWithdrawn && status !== 'CANCELLED' && (status === 'DONE' || !cancelRequested),
  )
  const baselines = await baselinesOf(database, phase)
  const submitted = await findSystems(database, systemIdsOf(submissions))
  const columnOf = async (metric: string, systems: readonly System[]) =>
    rankByMetric(database, registry, dataset, systems, { metric, references })
  const ranking = await columnOf(rankedBy, [...submitted, ...baselines])
  const entries = entriesOf(submissions, ranking)
  const systemOf = keyBy(submitted, ({ id }) => id)
  const shown = [...entries.flatMap(({ systemId }) => systemOf.get(systemId ?? 0) ?? []), ...baselines]
  const columns: Column[] = []
  for (const metric of metrics) {
    const rows = metric === rankedBy ? ranking : await columnOf(metric, shown)
    columns.push(keyBy(rows, ({ system }) => system?.id ?? PEOPLE))
  }
  const isEntry = new Set(entries.map(({ systemId }) => systemId))
  const ranked = ranking.filter(
    ({ system, undefinedReason }) => system !== null && undefinedReason === null && isEntry.has(system.id),
  )
  const ranks = await rankTogether(context, dataset, ranked, phase, tests)
  const signatures = new Map<string, number>()
  const scoresOf = (systemId: number) =>
    columns.map((column) => scoreOf(column.get(systemId), decimals, signatures))
  const rows: StoredBoardRow[] = [
    ...entries.map(({ id, systemId, team, teamName, acceptedAt, isAnonymous }) => ({
      rank: ranks.places.get(systemId ?? 0) ?? null,
      kind: 'ENTRY' as const,
      name: teamName,
      submission: { id, team, acceptedAt, isAnonymous },
      scores: systemId === null ? metrics.map(() => NOT_COMPUTED) : scoresOf(systemId),
    })),
    ...baselines.map(({ id, name }) => ({
      rank: null,
      kind: 'BASELINE' as const,
      name,
      submission: null,
      scores: scoresOf(id),
    })),
    { rank: null, kind: 'HUMAN', name: null, submission: null, scores: scoresOf(PEOPLE) },
  ]
  return {
    revision: BOARD_REVISION,
    metrics,
    rankedBy,
    decimals,
    signatures: [...signatures.keys()],
    rows: sortRows(rows, metrics.indexOf(rankedBy), registry.require(rankedBy).higherIsBetter),
    tests: ranks.tests,
  }
}

/** One submission of each team: the one that it chose; otherwise the best one; without a score the newest. */
function entriesOf(
  submissions: readonly SubmissionWithJob[],
  ranking: readonly LeaderboardRow[],
): SubmissionWithJob[] {
  const places = new Map(
    ranking.flatMap(({ system, undefinedReason }, place) =>
      system && undefinedReason === null ? [[system.id, place]] : [],
    ),
  )
  const placeOf = ({ systemId }: SubmissionWithJob) => places.get(systemId ?? 0) ?? Number.POSITIVE_INFINITY
  const entries = new Map<string, SubmissionWithJob>()
  for (const submission of submissions) {
    const known = entries.get(submission.team)
    if (known?.isChosen) continue
    const isBetter = !known || submission.isChosen || placeOf(submission) < placeOf(known)
    const isNewer = known && placeOf(known) === Number.POSITIVE_INFINITY
    if (isBetter || isNewer) entries.set(submission.team, submission)
  }
  return [...entries.values()]
}

/** Entries that one comparison takes, beside the one that they are compared with. */
const COMPARED_AT_ONCE = 19

interface Ranks {
  /** By id of the system. */
  readonly places: ReadonlyMap<number, number>
  readonly tests: Record<string, number | null>
}

/**
 * The ranks of systems. Each is compared with the best one of the current rank by a paired test over images; the first that
 * differs from it begins the next rank. Those that are compared at once are one table.
 *
 * @param ranked best first
 * @param known tests of the former board; those of equal figures are not computed again
 */
async function rankTogether(
  { database, threads }: Computation<BoardInput>,
  dataset: Dataset,
  ranked: readonly LeaderboardRow[],
  { settings: { rankedBy, references } }: Phase,
  known: StoredBoard['tests'],
): Promise<Ranks> {
  const figure = { kind: 'METRIC' as const, metric: rankedBy, references }
  const compareOn = createMetricComparer(database, await threads(), dataset)
  const places = new Map<number, number>()
  const tests: Record<string, number | null> = {}
  const systemOf = ({ system }: LeaderboardRow) => system as System
  /** The position of the first of the others that differs from the leader; null if none does. */
  const firstThatDiffers = async (leader: LeaderboardRow, others: readonly LeaderboardRow[]) => {
    const systems = [...others, leader].map((row, position) => ({ position, system: systemOf(row) }))
    const pairs = await compareOn(figure, systems, { people: null, baseline: others.length })
    const different = judgeTable(pairs)
      .filter(({ together: { better } }) => better !== null)
      .map(({ first, second }) => Math.min(first, second))
    return different.length === 0 ? null : Math.min(...different)
  }
  for (let first = 0; first < ranked.length; ) {
    const leader = ranked[first]
    let next = first + 1
    for (let isOpen = true; isOpen && next < ranked.length; ) {
      const others = ranked.slice(next, next + COMPARED_AT_ONCE)
      const key = testKey(leader, others)
      const differs = known[key] !== undefined ? known[key] : await firstThatDiffers(leader, others)
      tests[key] = differs
      isOpen = differs === null
      next += differs ?? others.length
    }
    for (const row of ranked.slice(first, next)) places.set(systemOf(row).id, first + 1)
    first = next
  }
  return { places, tests }
}

/** The figures that a table compares. */
function testKey(leader: LeaderboardRow, others: readonly LeaderboardRow[]): string {
  const figures = [leader, ...others].map(({ system, value, signature }) => [system?.id, value, signature])
  return createHash('sha256').update(JSON.stringify(figures)).digest('hex')
}

const NOT_COMPUTED: StoredBoardScore = {
  value: null,
  interval: null,
  signature: null,
  undefinedReason: 'NOT_COMPUTED',
}

function scoreOf(
  row: LeaderboardRow | undefined,
  decimals: number,
  signatures: Map<string, number>,
): StoredBoardScore {
  if (!row) return NOT_COMPUTED
  const { value, interval, signature, undefinedReason } = row
  if (signature !== null && !signatures.has(signature)) signatures.set(signature, signatures.size)
  return {
    ...roundFigure(value, interval, decimals),
    signature: signature === null ? null : (signatures.get(signature) as number),
    undefinedReason,
  }
}

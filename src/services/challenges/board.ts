import { currentTime } from '../../clock.js'
import type { Interval } from '../../core/stats/interval.js'
import { unknownName } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { PEOPLE } from '../../shared/verdict.js'
import { readBoardState, readStoredBoard } from '../../store/boards.js'
import type { BoardSubmission, Phase, StoredBoard, Submission } from '../../store/schema/challenge-tables.js'
import { isOf, readScores } from '../../store/scores.js'
import { findSystems } from '../../store/systems.js'
import type { Viewer } from '../accounts/viewer.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { type LeaderboardRow, rankByMetric } from '../leaderboard/ranking.js'
import type { Accord, Client } from '../shared/accord.js'
import { createCache } from '../shared/cache.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, keyBy } from '../shared/groups.js'
import { toInterval } from '../shared/intervals.js'
import { BOARD_REVISION, roundFigure, sortRows, systemIdsOf } from './board-figures.js'
import type { BoardInput } from './compute-board.js'
import { isHostOf, mayKnow, maySee } from './hosts.js'
import { boardOf, type ChallengePhase, requirePhaseById, unknownPhase } from './phases.js'

/** A figure of a row of a board, rounded as the phase says. */
export interface BoardScore {
  readonly metric: string
  readonly value: number | null
  readonly interval: Interval | null
  readonly signature: string | null
  /** Why it has no value, or cannot be compared with the ranked ones. */
  readonly undefinedReason: UndefinedReason | null
}

export type BoardRowKind = 'ENTRY' | 'BASELINE' | 'HUMAN'

export interface BoardRow {
  /** From 1; entries that a paired test does not tell apart share a rank. Null for entries without a score, and other rows. */
  readonly rank: number | null
  readonly kind: BoardRowKind
  /** Name of the team or the baseline, or {@link PEOPLE}. Null for an anonymous team until the end of the phase. */
  readonly name: string | null
  /** The entry of a team. */
  readonly submission: BoardSubmission | null
  /** In the order of the metrics of the phase. */
  readonly scores: readonly BoardScore[]
}

export interface Board {
  readonly metrics: readonly string[]
  readonly rankedBy: string
  readonly decimals: number
  /** By rank; baselines and people at the place of their score, entries without a score at the end. */
  readonly rows: readonly BoardRow[]
}

/** A column by which a board is ordered, and whether its best values come first. Default: they do. */
export interface BoardOrder {
  readonly metric: string
  readonly isWorstFirst?: boolean | null
}

/**
 * The board of a phase: the entry of each team, which it has chosen or which is its best one, with baselines and people. It is
 * read as it is stored, and computed before if something that it shows has changed.
 *
 * @returns null before the board is shown; hosts see it at any time
 * @throws AccordError UNKNOWN_METRIC for the order; QUEUE_FULL; UNKNOWN_CHALLENGE if the phase was removed
 */
export async function readBoard(
  accord: Accord,
  viewer: Viewer,
  chosen: ChallengePhase,
  order: BoardOrder | null = null,
  client: Client = {},
): Promise<Board | null> {
  if (!isBoardShown(viewer, chosen)) return null
  const board = await currentBoard(accord, chosen.phase, client)
  const rows = order === null ? board.rows : await orderRows(accord, board, order)
  return {
    ...board,
    rows: rows.map((row) => (isNameShown(viewer, chosen, row) ? row : { ...row, name: null })),
  }
}

/**
 * Yields now and whenever the board of a phase has changed for the viewer, also because it is shown from now on, or its phase has
 * ended.
 *
 * @throws AccordError UNKNOWN_CHALLENGE if the viewer knows of no such phase, or it was removed; as {@link readBoard}; the reason of
 *   the signal
 */
export async function* watchBoard(
  accord: Accord,
  viewer: Viewer,
  phaseId: number,
  client: Client,
): AsyncGenerator<undefined> {
  let last: string | undefined
  for await (const _ of accord.queue.looks(client.signal)) {
    const chosen = await requirePhaseById(accord.database, phaseId)
    if (!mayKnow(viewer, chosen.challenge)) throw unknownPhase()
    const isShown = isBoardShown(viewer, chosen)
    const version = isShown ? await currentVersion(accord, chosen.phase, client) : null
    const hasEnded = currentTime() >= Date.parse(chosen.phase.settings.closesAt)
    const current = JSON.stringify([isShown, version, hasEnded])
    if (current !== last) yield
    last = current
  }
}

/** The version of a board; null where a read-only database has none. It is computed before if something that it shows has changed. */
async function currentVersion(accord: Accord, phase: Phase, client: Client): Promise<number | null> {
  const { database } = accord
  const state = await readBoardState(database, phase.id)
  if ((state && !state.isStale) || database.isReadOnly) return state?.version ?? null
  await currentBoard(accord, phase, client)
  return (await readBoardState(database, phase.id))?.version ?? null
}

function isBoardShown(viewer: Viewer, { challenge, phase: { settings } }: ChallengePhase): boolean {
  const { boardFrom } = settings
  return boardFrom === null || currentTime() >= Date.parse(boardFrom) || isHostOf(viewer, challenge)
}

/** Boards that are cached in memory, with their version. */
const boardsOf = createCache<{ readonly version: number; readonly board: Board }>(64)

async function currentBoard(accord: Accord, phase: Phase, client: Client): Promise<Board> {
  const { database } = accord
  const input = boardOf(phase)
  const state = await readBoardState(database, phase.id)
  if (!state || state.isStale) {
    if (database.isReadOnly) return toBoard(await computeHere(accord, input, client))
    await accord.run('board', input, client)
  }
  const boards = boardsOf(database)
  const known = boards.get(String(phase.id))
  if (state && !state.isStale && known?.version === state.version) return known.board
  let stored = await readStoredBoard(database, phase.id)
  if (stored && stored.content.revision !== BOARD_REVISION) {
    if (database.isReadOnly) return toBoard(await computeHere(accord, input, client))
    await accord.run('board', input, client)
    stored = await readStoredBoard(database, phase.id)
  }
  if (!stored) throw unknownPhase()
  const board = toBoard(stored.content)
  boards.set(String(phase.id), { version: stored.version, board })
  return board
}

/** The board of a database that cannot store it. */
async function computeHere(
  accord: Accord,
  input: BoardInput,
  { signal, progress }: Client,
): Promise<StoredBoard> {
  const { computeBoard } = await import('./compute-board.js')
  const board = await computeBoard({
    input,
    database: accord.database,
    threads: accord.threads,
    progress(fraction, message) {
      signal?.throwIfAborted()
      progress?.(fraction, message)
    },
  })
  if (board) return board
  throw unknownPhase()
}

function toBoard({ metrics, rankedBy, decimals, signatures, rows }: StoredBoard): Board {
  return {
    metrics,
    rankedBy,
    decimals,
    rows: rows.map((row) => ({
      ...row,
      name: row.kind === 'HUMAN' ? PEOPLE : row.name,
      scores: row.scores.map(({ signature, ...score }, index) => ({
        metric: metrics[index],
        ...score,
        signature: signature === null ? null : signatures[signature],
      })),
    })),
  }
}

async function orderRows(
  accord: Accord,
  { metrics, rows }: Board,
  { metric, isWorstFirst }: BoardOrder,
): Promise<BoardRow[]> {
  await refreshMetrics(accord)
  const { name, higherIsBetter } = metricsOf(accord).require(metric)
  if (!metrics.includes(name))
    throw unknownName('UNKNOWN_METRIC', 'the board has no column of this metric', {
      source: 'metric',
      known: metrics,
      found: metric,
    })
  return sortRows(rows, metrics.indexOf(name), higherIsBetter !== (isWorstFirst === true))
}

function isNameShown(
  viewer: Viewer,
  { challenge, phase }: ChallengePhase,
  { submission }: BoardRow,
): boolean {
  if (!submission?.isAnonymous) return true
  return currentTime() >= Date.parse(phase.settings.closesAt) || maySee(viewer, challenge, submission)
}

const NO_SCORE = { value: null, interval: null, signature: null }

function scoreOf(
  metric: string,
  table: ReadonlyMap<number | undefined, LeaderboardRow>,
  systemId: number,
  decimals: number,
): BoardScore {
  const row = table.get(systemId)
  if (!row) return { ...NO_SCORE, metric, undefinedReason: 'NOT_COMPUTED' }
  return {
    metric,
    ...roundFigure(row.value, row.interval, decimals),
    signature: row.signature,
    undefinedReason: row.undefinedReason,
  }
}

/** The scores of submissions of a phase, by the id of the submission, as their teams see them. */
export async function scoresOfSubmissions(
  accord: Accord,
  { phase }: ChallengePhase,
  submissions: readonly Pick<Submission, 'id' | 'systemId'>[],
): Promise<Map<number, readonly BoardScore[]>> {
  await refreshMetrics(accord)
  const { metrics, references, decimals } = phase.settings
  const dataset = await requireDatasetById(accord.database, phase.datasetId)
  const systems = await findSystems(accord.database, systemIdsOf(submissions))
  const tables: Map<number | undefined, LeaderboardRow>[] = []
  for (const metric of metrics) {
    const figure = { metric, references }
    const rows = await rankByMetric(accord.database, metricsOf(accord), dataset, systems, figure)
    tables.push(keyBy(rows, ({ system }) => system?.id))
  }
  return new Map(
    submissions.map(({ id, systemId }) => [
      id,
      metrics.map((metric, index) => scoreOf(metric, tables[index], systemId ?? 0, decimals)),
    ]),
  )
}

/**
 * All stored scores of submissions to a phase, oldest first, by the id of the submission: also those that a former version of a
 * metric computed, which are told apart by their signatures.
 */
export async function storedScoresOfSubmissions(
  { database }: Accord,
  { phase }: ChallengePhase,
  submissions: readonly Pick<Submission, 'id' | 'systemId'>[],
): Promise<Map<number, readonly BoardScore[]>> {
  const { references, decimals } = phase.settings
  const rows = await readScores(database, systemIdsOf(submissions))
  const bySystem = groupBy(rows.filter(isOf(references)), ({ systemId }) => systemId)
  return new Map(
    submissions.map(({ id, systemId }) => [
      id,
      (bySystem.get(systemId ?? 0) ?? []).map(({ metric, value, signature, ...ends }) => ({
        metric,
        ...roundFigure(value, toInterval(ends), decimals),
        signature,
        undefinedReason: null,
      })),
    ]),
  )
}

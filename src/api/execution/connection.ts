import type { VoteCount } from '../../core/bounds/votes.js'
import type { ConceptImportance } from '../../core/selection/importance.js'
import { AccordError, requireInteger } from '../../errors.js'
import type { CaptionLikelihood } from '../../services/bounds/bounds.js'
import type { BoardRow } from '../../services/challenges/board.js'
import type { AnnotatorReport } from '../../services/collections/collection-report.js'
import type { ImageScore, MetricWithSignature } from '../../services/evaluations/scores.js'
import type { Job } from '../../services/jobs/jobs.js'
import type { ImageSelection } from '../../services/selection/content-selection.js'
import { type PagedList, pagedArray } from '../../services/shared/paging.js'
import type { WordMistake } from '../../services/words/mistakes.js'
import type { SystemDescriptionRow } from '../../store/boxes.js'
import type { PageRequest, Position } from '../../store/engine/keyset.js'
import type { CaptionText } from '../../store/images.js'
import type {
  Artefact,
  AtomRow,
  AuditEntry,
  Bound,
  BoxImport,
  Challenge,
  Collection,
  CollectionImage,
  CollectionTask,
  Dataset,
  Image,
  Submission,
  System,
  SystemWord,
  Word,
} from '../../store/schema/entities.js'
import type { SystemCaptionText } from '../../store/systems.js'
import type { LeaderboardRowModel } from '../datasets/models.js'
import type { SystemSelectionModel } from '../selection/models.js'
import type { Context } from './context.js'
import { fromCursor, toCursor } from './ids.js'
import type { PageInfo } from './schema-types.js'

/** A Relay connection. */
export interface Connection<Node> {
  /** Called only if the field is requested: cursors take longer than the rest of a page. */
  readonly edges: () => readonly { readonly cursor: string; readonly node: Node }[]
  readonly nodes: readonly Node[]
  readonly pageInfo: PageInfo
  /** Called only if the field is requested. */
  readonly totalCount: () => Promise<number>
}

export type AnnotatorConnectionModel = Connection<AnnotatorReport>
export type AuditEntryConnectionModel = Connection<AuditEntry>
export type BoardRowConnectionModel = Connection<BoardRow>
export type ChallengeConnectionModel = Connection<Challenge>
export type SubmissionConnectionModel = Connection<Submission>
export type ArtefactConnectionModel = Connection<Artefact>
export type AtomConnectionModel = Connection<AtomRow>
export type AtomVoteCountConnectionModel = Connection<VoteCount>
export type BoundConnectionModel = Connection<Bound>
export type BoxImportConnectionModel = Connection<BoxImport>
export type CaptionLikelihoodConnectionModel = Connection<CaptionLikelihood>
export type CollectionConnectionModel = Connection<Collection>
export type CollectionImageConnectionModel = Connection<CollectionImage>
export type CollectionTaskConnectionModel = Connection<CollectionTask>
export type DatasetConnectionModel = Connection<Dataset>
export type LeaderboardRowConnectionModel = Connection<LeaderboardRowModel>
export type MetricConnectionModel = Connection<MetricWithSignature>
export type SystemConnectionModel = Connection<System>
export type SystemDescriptionConnectionModel = Connection<SystemDescriptionRow>
export type SystemSelectionConnectionModel = Connection<SystemSelectionModel>
export type ImageConnectionModel = Connection<Image>
export type CaptionConnectionModel = Connection<CaptionText>
export type SystemCaptionConnectionModel = Connection<SystemCaptionText>
export type JobConnectionModel = Connection<Job>
export type WordMistakeConnectionModel = Connection<WordMistake>
export type WordConnectionModel = Connection<Word>
export type SystemWordConnectionModel = Connection<SystemWord>
export type ImageScoreConnectionModel = Connection<ImageScore>
export type ImageSelectionConnectionModel = Connection<ImageSelection>
export type ConceptImportanceConnectionModel = Connection<ConceptImportance>

/** Arguments of a connection field. Null is the same as absent. */
export interface PageArguments {
  readonly first?: number | null
  readonly after?: string | null
  readonly last?: number | null
  readonly before?: string | null
}

/** Maximum page size of all lists. */
export const MAX_PAGE_SIZE = 1000

/** Page size if neither `first` nor `last` is given. */
const DEFAULT_PAGE_SIZE = 20

/**
 * The page of a list requested by the arguments of a connection field.
 *
 * @throws AccordError OUT_OF_RANGE for an invalid page size or both `first` and `last`, INVALID_CURSOR
 */
export async function connect<Row>(list: PagedList<Row>, args: PageArguments): Promise<Connection<Row>> {
  const { rows, hasNextPage, hasPreviousPage } = await list.page(toPageRequest(list.order, args))
  const cursorOf = (position: Position | undefined) => position && toCursor(list.order, position)
  return {
    edges: () => rows.map(({ row, position }) => ({ cursor: toCursor(list.order, position), node: row })),
    nodes: rows.map(({ row }) => row),
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      startCursor: cursorOf(rows.at(0)?.position) ?? null,
      endCursor: cursorOf(rows.at(-1)?.position) ?? null,
    },
    totalCount: () => list.count(),
  }
}

/** {@link connect} for rows that are read together with those of other objects. @param keyOf a key that no other row has */
export async function connectRows<Row>(
  order: string,
  rows: readonly Row[] | Promise<readonly Row[]>,
  keyOf: (row: Row) => string | number,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connect(pagedArray(order, await rows, keyOf), args)
}

/** {@link connectRows} for rows of the database. */
export function connectById<Row extends { readonly id: number }>(
  order: string,
  rows: readonly Row[] | Promise<readonly Row[]>,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connectRows(order, rows, ({ id }) => id, args)
}

/** {@link connect} for a list that another thread or the database server reads. */
export function connectAside<Row>(
  list: PagedList<Row>,
  args: PageArguments,
  { outside }: Pick<Context, 'outside'>,
): Promise<Connection<Row>> {
  return outside(connect({ ...list, count: () => outside(list.count()) }, args))
}

/** The resolvers of all connection types. */
export const connectionResolvers = {
  edges: ({ edges }: Connection<unknown>) => edges(),
  totalCount: ({ totalCount }: Connection<unknown>) => totalCount(),
}

function toPageRequest(order: string, { first, after, last, before }: PageArguments): PageRequest {
  if (first != null && last != null) {
    throw new AccordError('OUT_OF_RANGE', 'first and last cannot be used together', {
      source: 'first, last',
      expected: 'one of them',
      found: 'both',
    })
  }
  const fromEnd = last != null
  const size = first ?? last ?? DEFAULT_PAGE_SIZE
  return {
    limit: requireInteger(size, 0, MAX_PAGE_SIZE, fromEnd ? 'last' : 'first', 'invalid page size'),
    after: after == null ? undefined : fromCursor(order, after, 'after'),
    before: before == null ? undefined : fromCursor(order, before, 'before'),
    fromEnd,
  }
}

import { AccordError } from '../errors.js'
import type { Entity } from './engine/columns.js'
import { columnsOf, count, insertRows, quoteColumn, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, type Parameter, raw, type Sql, sql } from './engine/sql.js'
import {
  PasswordEntity,
  SessionEntity,
  TeamEntity,
  TeamInvitationEntity,
  TeamMemberEntity,
  UserEntity,
  VerificationEntity,
} from './schema/entities.js'

/** Rows of accounts by conditions, as better-auth asks for them. Queries of our own are in accounts.ts. */

/** The tables by the names that better-auth has for them. */
const MODELS: Readonly<Record<string, Entity>> = {
  user: UserEntity,
  session: SessionEntity,
  account: PasswordEntity,
  verification: VerificationEntity,
  organization: TeamEntity,
  member: TeamMemberEntity,
  invitation: TeamInvitationEntity,
}

export type AccountRow = Readonly<Record<string, unknown>>

/** A condition on a property. */
export interface Condition {
  readonly field: string
  readonly operator: string
  readonly value: unknown
  readonly connector: 'AND' | 'OR'
}

/** Which rows are read. */
export interface Selection {
  readonly where?: readonly Condition[]
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' }
  readonly limit?: number
  readonly offset?: number
}

/** Adds a row. Properties that have no column must be null. */
export async function insertAccountRow(session: Session, model: string, row: AccountRow): Promise<void> {
  const entity = entityOf(model)
  const known = Object.entries(row).filter(([property, value]) => hasColumn(entity, property, value))
  const missing = Object.keys(entity.columns).map((property) => [property, null])
  await insertRows(session, entity, [Object.fromEntries([...missing, ...known])])
}

export async function findAccountRows(
  session: Session,
  model: string,
  { where = [], sortBy, limit, offset = 0 }: Selection,
): Promise<AccountRow[]> {
  const entity = entityOf(model)
  const order = sortBy
    ? sql`ORDER BY ${column(entity, sortBy.field)} ${raw(sortBy.direction === 'asc' ? 'ASC' : 'DESC')}`
    : EMPTY
  const page = limit === undefined ? EMPTY : sql`LIMIT ${limit} OFFSET ${offset}`
  return session.all<AccountRow>(
    sql`SELECT ${columnsOf(entity)} FROM ${raw(entity.name)} WHERE ${conditionOf(entity, where)} ${order} ${page}`,
  )
}

/** @returns the number of changed rows */
export async function updateAccountRows(
  session: Session,
  model: string,
  where: readonly Condition[],
  changes: AccountRow,
): Promise<number> {
  const entity = entityOf(model)
  const known = Object.entries(changes).filter(([property, value]) => hasColumn(entity, property, value))
  if (known.length === 0) return countAccountRows(session, model, where)
  return update(session, entity, Object.fromEntries(known), conditionOf(entity, where))
}

/** @returns the number of removed rows */
export function deleteAccountRows(
  session: Session,
  model: string,
  where: readonly Condition[],
): Promise<number> {
  const entity = entityOf(model)
  return session.run(sql`DELETE FROM ${raw(entity.name)} WHERE ${conditionOf(entity, where)}`)
}

export function countAccountRows(
  session: Session,
  model: string,
  where: readonly Condition[] = [],
): Promise<number> {
  const entity = entityOf(model)
  return count(session, sql`FROM ${raw(entity.name)} WHERE ${conditionOf(entity, where)}`)
}

function entityOf(model: string): Entity {
  const entity = MODELS[model]
  if (!entity) throw new Error(`There is no table for ${model}.`)
  return entity
}

/** Properties of which nothing is stored. */
const NOT_STORED = ['ipAddress', 'userAgent', 'activeOrganizationId']

function hasColumn(entity: Entity, property: string, value: unknown): boolean {
  if (property in entity.columns) return true
  if (value === null || value === undefined || NOT_STORED.includes(property)) return false
  throw new Error(`The table ${entity.name} has no column for ${property}.`)
}

function column(entity: Entity, property: string): Sql {
  if (!(property in entity.columns))
    throw new Error(`The table ${entity.name} has no column for ${property}.`)
  return raw(`${entity.name}.${quoteColumn(entity, property)}`)
}

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** All conditions connected by AND, and one of those connected by OR, if there are any. */
function conditionOf(entity: Entity, where: readonly Condition[]): Sql {
  const all = where.filter(({ connector }) => connector !== 'OR').map((one) => comparison(entity, one))
  const some = where.filter(({ connector }) => connector === 'OR').map((one) => comparison(entity, one))
  const [first = sql`TRUE`, ...others] = some
  const either = others.reduce((left, right) => sql`${left} OR ${right}`, first)
  return all.reduce((left, right) => sql`${left} AND ${right}`, sql`(${either})`)
}

function comparison(entity: Entity, { field, operator, value }: Condition): Sql {
  const left = column(entity, field)
  if (operator === 'in') return sql`${left} ${among(value as string[])}`
  if (value === null && operator === 'eq') return sql`${left} IS NULL`
  if (value === null && operator === 'ne') return sql`${left} IS NOT NULL`
  const sign = COMPARISONS[operator]
  if (!sign) throw new AccordError('NOT_APPLICABLE', 'unknown comparison', { found: operator })
  return sql`${left} ${raw(sign)} ${value as Parameter}`
}

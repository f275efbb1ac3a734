import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { AccordError } from '../../errors.js'
import * as access from '../../services/accounts/access.js'
import type { Job } from '../../services/jobs/jobs.js'
import type { Artefact } from '../../store/schema/metric-tables.js'
import { isJobOfOthers } from '../loaders/challenges.js'
import { DATASET_OF, NODES, showsHiddenSubmission } from '../node/nodes.js'
import type { Context } from '../shared/context.js'
import { fromGlobalId, type KeyPart } from '../shared/ids.js'
import { asData } from '../shared/mutation-error.js'
import type { Audience } from '../shared/schema-types.js'
import { READ_ONLY } from './limits.js'
import { type Annotated, directiveOf } from './weights.js'

type Field = GraphQLField<unknown, Context>
type Resolver = GraphQLFieldResolver<unknown, Context>

/** For whom something of the schema is, by its directive `@access`: hosts, if it has none. */
export function audienceOf(annotated: Annotated): Audience {
  return ownAudienceOf(annotated) ?? 'HOST'
}

function ownAudienceOf(annotated: Annotated): Audience | undefined {
  return directiveOf(annotated, 'access')?.for
}

/** For whom the objects of each type are. */
type TypeRules = ReadonlyMap<string, Audience>

export function readTypeRules(schema: GraphQLSchema): TypeRules {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  return new Map(types.map((type) => [type.name, audienceOf(type)]))
}

/**
 * Applies the rules of the schema (`@access`) to a field, whichever resolver it has. For administrators, and on a server without
 * accounts, nothing is checked; for hosts, that they see no captions of submissions to challenges of others. What others may
 * not see is absent, as if it did not exist: null, or not in the list.
 */
export function applyRules(
  schema: GraphQLSchema,
  rules: TypeRules,
  parent: GraphQLObjectType,
  field: Field,
): void {
  if (parent === schema.getMutationType()) field.resolve = withMutationRule(field)
  else if (parent === schema.getSubscriptionType()) field.subscribe = withAudience(field)
  else if (isTextOfJob(parent, field)) field.resolve = withoutText(field)
  else {
    if (isLimited(schema, rules, parent, field)) field.resolve = withTypeRule(field, rules)
    if (namesDatasets(field.args)) field.resolve = withNameCheck(field)
  }
}

/** Whether a field is one of jobs that is for hosts: a text, which may say something about single images. */
function isTextOfJob(parent: GraphQLObjectType, field: Field): boolean {
  return parent.name === 'Job' && ownAudienceOf(field) === 'HOST'
}

/**
 * Whether objects of a field may be hidden. What belongs to a dataset is checked where it is reached from outside it. What others
 * get from their own mutations is theirs.
 */
function isLimited(
  schema: GraphQLSchema,
  rules: TypeRules,
  parent: GraphQLObjectType,
  field: Field,
): boolean {
  const result = getNamedType(field.type)
  const results = isAbstractType(result) ? schema.getPossibleTypes(result) : [result]
  const parentRule = rules.get(parent.name)
  const isOwn =
    parentRule === 'HOST' || parent.name.endsWith('Success') || ownAudienceOf(field) === 'EVERYBODY'
  return results.filter(isObjectType).some((one) => {
    const rule = rules.get(one.name)
    return rule === 'DATASET' ? parentRule !== 'DATASET' : rule === 'HOST' && !isOwn
  })
}

/** Whether an argument, or a field of one, is the name of a dataset. */
function namesDatasets(args: readonly (GraphQLArgument | GraphQLInputField)[]): boolean {
  return args.some(({ name, type }) => {
    const input = getNamedType(type)
    return (
      access.namesDataset(name) ||
      (isInputObjectType(input) && namesDatasets(Object.values(input.getFields())))
    )
  })
}

/** Refuses a mutation as data. Those of hosts, and those on accounts, are noted in the audit log. */
function withMutationRule(field: Field): Resolver {
  const { name, resolve = defaultFieldResolver } = field
  const audience = audienceOf(field)
  const isNoted =
    (audience === 'HOST' || audience === 'USER') && directiveOf(field, 'access')?.isNoted !== false
  return async (parent, args, context, info) => {
    const { account, viewer, isReadOnly } = context
    if (isReadOnly) return asData('Allowed', readOnly)
    if (account === null) return resolve(parent, args, context, info)
    const refusal = await asData('Allowed', async () => {
      access.requireAudience(viewer, audience)
      return {}
    })
    if (refusal.__typename !== 'Allowed') return refusal
    const result = (await resolve(parent, args, context, info)) as { readonly __typename: string }
    if (isNoted && !result.__typename.endsWith('Error'))
      await account.accounts.audit(viewer, name, subjectOf(args.input))
    return result
  }
}

function readOnly(): never {
  throw new AccordError('FORBIDDEN', READ_ONLY)
}

/** What a mutation was about. */
function subjectOf(input: Readonly<Record<string, unknown>> = {}): string | null {
  const { dataset, name, team, id } = input
  const subject = dataset ?? name ?? team ?? id
  return typeof subject === 'string' ? subject : null
}

/** Event streams of jobs are for hosts, since texts name files, datasets and images. */
function withAudience(field: Field): Resolver {
  const { subscribe = defaultFieldResolver } = field
  return (parent, args, context, info) => {
    access.requireAudience(context.viewer, audienceOf(field))
    return subscribe(parent, args, context, info)
  }
}

function publicDatasets(context: Context): Promise<access.PublicDatasets> {
  return context.once('public datasets', () => access.readPublicDatasets(context.accord))
}

/** Names of private datasets in arguments are unknown. */
function withNameCheck({ resolve = defaultFieldResolver }: Field): Resolver {
  return async (parent, args, context, info) => {
    if (!access.isHost(context.viewer)) access.checkArguments(args, await publicDatasets(context))
    return resolve(parent, args, context, info)
  }
}

/** Texts of jobs are for hosts, those of submissions for the hosts of their challenges. */
function withoutText(field: Field): Resolver {
  const { resolve = defaultFieldResolver } = field
  const absent = isNonNullType(field.type) ? [] : null
  return async (parent, args, context, info) => {
    const isSeen =
      context.viewer.isAdministrator ||
      (access.isHost(context.viewer) && !(await isJobOfOthers(context, parent as Job)))
    return isSeen ? resolve(parent, args, context, info) : absent
  }
}

function withTypeRule(field: Field, rules: TypeRules): Resolver {
  const { resolve = defaultFieldResolver } = field
  const type = getNamedType(field.type).name
  const isRequired = isNonNullType(field.type)
  async function resolveVisible(...[parent, args, context, info]: Parameters<Resolver>): Promise<unknown> {
    const datasets = access.isHost(context.viewer) ? null : await publicDatasets(context)
    const id = typeof args.id === 'string' ? fromGlobalId(args.id) : null
    // Not even looked up.
    if (datasets !== null && type === 'Node' && !isForOthers(rules, id?.type)) return null
    const found: unknown = await resolve(parent, args, context, info)
    if (found === null || found === undefined) return found
    // A figure was found by the rules of its object, and of the field that it is the value of.
    if (type === 'Node' && !Object.hasOwn(NODES, id?.type ?? '')) return found
    const key = id?.key
    const isSeen = (object: unknown) =>
      isVisible(context, rules, datasets, { type, key, ...(object as object) })
    if (Array.isArray(found)) {
      const seen = await Promise.all(found.map(isSeen))
      return found.filter((_object, index) => seen[index])
    }
    if (await isSeen(found)) return found
    if (isRequired) throw new AccordError('FORBIDDEN', 'this is not allowed', { expected: 'the scope host' })
    return null
  }
  return (parent, args, context, info) =>
    context.viewer.isAdministrator
      ? resolve(parent, args, context, info)
      : resolveVisible(parent, args, context, info)
}

function isForOthers(rules: TypeRules, type = ''): boolean {
  const rule = rules.get(type)
  return rule === 'EVERYBODY' || rule === 'DATASET'
}

/** An object, with the type of the field that returned it, and the key of the id by which it was asked for. */
interface Found {
  readonly __typename?: string
  readonly type: string
  readonly key?: readonly KeyPart[]
}

/** @param datasets those that the viewer sees; null for all */
async function isVisible(
  context: Context,
  rules: TypeRules,
  datasets: access.PublicDatasets | null,
  found: Found,
): Promise<boolean> {
  const { __typename: type = found.type, key = [] } = found
  if (await showsHiddenSubmission(context, type, found as object, key)) return false
  if (datasets === null) return true
  if (rules.get(type) !== 'DATASET') return rules.get(type) === 'EVERYBODY'
  if (type === 'Artefact') return access.isPublicArtefact(found as unknown as Artefact, datasets)
  const datasetId = await DATASET_OF[type]?.(context, found as object, key)
  return datasetId !== undefined && datasets.ids.has(datasetId)
}

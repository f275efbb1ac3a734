import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { AccordError } from '../../errors.js'
import {
  checkArguments,
  isHost,
  isNoted,
  isPublicArtefact,
  isTextOfJob,
  namesDataset,
  type PublicDatasets,
  readPublicDatasets,
  requireMutation,
  returnsOwnObjects,
  ruleOfType,
} from '../../services/accounts/access.js'
import { requireScope } from '../../services/accounts/viewer.js'
import type { Artefact } from '../../store/schema/entities.js'
import { DATASET_OF } from '../node/nodes.js'
import type { Context } from './context.js'
import { fromGlobalId, type KeyPart } from './ids.js'
import { asData } from './mutation-error.js'

type Field = GraphQLField<unknown, Context>
type Resolver = GraphQLFieldResolver<unknown, Context>

/**
 * Applies the rules of services/accounts/access.ts to a field, whichever resolver it has. For hosts, and on a server without
 * accounts, nothing is checked. For others, what they may not see is absent, as if it did not exist: null, or not in the list.
 */
export function applyRules(schema: GraphQLSchema, parent: string, field: Field): void {
  if (parent === 'Mutation') field.resolve = withMutationRule(field)
  else if (parent === 'Subscription') field.subscribe = withScope(field)
  else if (isTextOfJob(field.name) && isJob(schema, parent)) field.resolve = withoutText(field)
  else {
    if (isLimited(schema, parent, field)) field.resolve = withTypeRule(field)
    if (namesDatasets(field.args)) field.resolve = withNameCheck(field)
  }
}

function isJob(schema: GraphQLSchema, name: string): boolean {
  const type = schema.getType(name)
  return isObjectType(type) && type.getInterfaces().some((one) => one.name === 'Job')
}

/** Whether objects of a field may be hidden. What belongs to a dataset is checked where it is reached from outside it. */
function isLimited(schema: GraphQLSchema, parent: string, { name, type }: Field): boolean {
  const result = getNamedType(type)
  const results = isAbstractType(result) ? schema.getPossibleTypes(result) : [result]
  const parentRule = ruleOfType(parent)
  const isOwn = parentRule === 'HOST' || returnsOwnObjects(`${parent}.${name}`)
  return results.filter(isObjectType).some((one) => {
    const rule = ruleOfType(one.name) ?? 'HOST'
    return rule === 'HOST' ? !isOwn : rule === 'DATASET' && parentRule !== 'DATASET'
  })
}

/** Whether an argument, or a field of one, is the name of a dataset. */
function namesDatasets(args: readonly (GraphQLArgument | GraphQLInputField)[]): boolean {
  return args.some(({ name, type }) => {
    const input = getNamedType(type)
    return namesDataset(name) || (isInputObjectType(input) && namesDatasets(Object.values(input.getFields())))
  })
}

/** Refuses a mutation as data. Some are noted in the audit log. */
function withMutationRule({ name, resolve = defaultFieldResolver }: Field): Resolver {
  return async (parent, args, context, info) => {
    const { account, viewer } = context
    if (account === null) return resolve(parent, args, context, info)
    const refusal = await asData('Allowed', [], async () => {
      requireMutation(viewer, name)
      return {}
    })
    if (refusal.__typename !== 'Allowed') return refusal
    const result = (await resolve(parent, args, context, info)) as { readonly __typename: string }
    if (isNoted(name) && !result.__typename.endsWith('Error'))
      await account.accounts.audit(viewer, name, subjectOf(args.input))
    return result
  }
}

/** What a mutation was about. */
function subjectOf(input: Readonly<Record<string, unknown>> = {}): string | null {
  const { dataset, name, team, id } = input
  const subject = dataset ?? name ?? team ?? id
  return typeof subject === 'string' ? subject : null
}

/** Event streams are those of jobs, whose texts name files, datasets and images. */
function withScope({ subscribe = defaultFieldResolver }: Field): Resolver {
  return (parent, args, context, info) => {
    requireScope(context.viewer, 'host')
    return subscribe(parent, args, context, info)
  }
}

function publicDatasets(context: Context): Promise<PublicDatasets> {
  return context.once('public datasets', () => readPublicDatasets(context.accord))
}

/** Names of private datasets in arguments are unknown. */
function withNameCheck({ resolve = defaultFieldResolver }: Field): Resolver {
  return async (parent, args, context, info) => {
    if (!isHost(context.viewer)) checkArguments(args, await publicDatasets(context))
    return resolve(parent, args, context, info)
  }
}

/** Texts of jobs are for hosts. */
function withoutText(field: Field): Resolver {
  const { resolve = defaultFieldResolver } = field
  const absent = isNonNullType(field.type) ? '{}' : null
  return (parent, args, context, info) =>
    isHost(context.viewer) ? resolve(parent, args, context, info) : absent
}

function withTypeRule(field: Field): Resolver {
  const { resolve = defaultFieldResolver } = field
  const type = getNamedType(field.type).name
  const isRequired = isNonNullType(field.type)
  async function resolveVisible(...[parent, args, context, info]: Parameters<Resolver>): Promise<unknown> {
    const datasets = await publicDatasets(context)
    const id = typeof args.id === 'string' ? fromGlobalId(args.id) : null
    // Not even looked up.
    if (type === 'Node' && !isForOthers(id?.type)) return null
    const found: unknown = await resolve(parent, args, context, info)
    if (found === null || found === undefined) return found
    const key = id?.key
    const isSeen = (object: unknown) => isVisible(context, datasets, { type, key, ...(object as object) })
    if (Array.isArray(found)) {
      const seen = await Promise.all(found.map(isSeen))
      return found.filter((_object, index) => seen[index])
    }
    if (await isSeen(found)) return found
    if (isRequired) throw new AccordError('FORBIDDEN', 'this is not allowed', { expected: 'the scope host' })
    return null
  }
  return (parent, args, context, info) =>
    isHost(context.viewer)
      ? resolve(parent, args, context, info)
      : resolveVisible(parent, args, context, info)
}

function isForOthers(type = ''): boolean {
  return ruleOfType(type) === 'ALL' || ruleOfType(type) === 'DATASET'
}

/** An object, with the type of the field that returned it, and the key of the id by which it was asked for. */
interface Found {
  readonly __typename?: string
  readonly type: string
  readonly key?: readonly KeyPart[]
}

async function isVisible(context: Context, datasets: PublicDatasets, found: Found): Promise<boolean> {
  const { __typename: type = found.type, key = [] } = found
  if (ruleOfType(type) !== 'DATASET') return ruleOfType(type) === 'ALL'
  if (type === 'Artefact') return isPublicArtefact(found as unknown as Artefact, datasets)
  // Text baselines learn from another dataset, whose name is a part of the key.
  const names = type === 'ContentSelection' && typeof key[1] === 'string' ? [key[1]] : []
  if (!names.every((name) => datasets.names.has(name))) return false
  const datasetId = await DATASET_OF[type]?.(context, found as object, key)
  return datasetId !== undefined && datasets.ids.has(datasetId)
}

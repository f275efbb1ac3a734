import type { ApolloServerPlugin } from '@apollo/server'
import { unwrapResolverError } from '@apollo/server/errors'
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getVariableValues,
  isValueNode,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { AccordError } from '../../errors.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { createSemaphore } from '../../semaphore.js'
import type { Context } from '../shared/context.js'
import { publicErrorLogged } from '../shared/mutation-error.js'
import { type Cost, type CostPlan, planCost } from './cost.js'
import { badInput, checkSizes, forbidden, LIMITS, refusal, shortenQuotes } from './limits.js'
import type { Sizes } from './weights.js'

/** Introspections whose results are cached: clients send the same one. */
const MAX_INTROSPECTIONS = 4

/**
 * Few of the operations whose response has this many fields are executed at once: the more objects are alive, the longer
 * garbage collection stops the thread.
 */
const LARGE_RESPONSE = 2000
const LARGE_AT_ONCE = 2

type Variables = Readonly<Record<string, unknown>>

/** An operation of a validated document, and what a request needs to execute it. */
export interface Request {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Variables
  readonly context: Context
}

export interface Operations {
  /**
   * Checks the variables and the estimated cost before an operation is executed.
   *
   * @returns the cost
   * @throws GraphQLError that says what was expected
   */
  check(request: Request): Promise<Cost>
  /** Executes a query or a mutation. @param cost as it was estimated */
  execute(request: Request, cost: Cost): Promise<FormattedResult>
  /**
   * Counts what workers compute for a client outside of an operation, among its operations.
   *
   * @param work seconds
   * @returns gives them back
   * @throws GraphQLError TOO_COSTLY, OVERLOADED
   */
  take(owner: string | undefined, work: number): () => void
}

export interface FormattedResult {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly GraphQLFormattedError[]
}

/**
 * Operations on a schema. The plans of their costs are cached as long as their documents are.
 *
 * @param sizes bounds for the lengths of lists
 */
export function createOperations(schema: GraphQLSchema, sizes: () => Promise<Sizes>): Operations {
  const plans = new WeakMap<OperationDefinitionNode, CostPlan>()
  const introspections = new LRUCache<OperationDefinitionNode, FormattedResult>({ max: MAX_INTROSPECTIONS })
  const semaphore = createSemaphore(LARGE_AT_ONCE)
  const budgets = createBudgets()

  function planOf({ document, operation }: Request): CostPlan {
    const cached = plans.get(operation)
    if (cached) return cached
    const fragments = new Map(
      document.definitions
        .filter(
          (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
        )
        .map((fragment) => [fragment.name.value, fragment]),
    )
    const plan = planCost(schema, operation, fragments)
    plans.set(operation, plan)
    return plan
  }

  return {
    async check(request) {
      const { operation, variables, context } = request
      // On a read-only server, mutations answer that it is one, as data.
      if (operation.operation === 'mutation' && !context.mayChange && !context.isReadOnly) throw forbidden()
      await yieldToEventLoop(plans.has(operation))
      for (const [name, value] of Object.entries(variables)) checkSizes(value, `The variable $${name}`)
      const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
        maxErrors: 1,
      })
      if (errors) throw badInput(shortenQuotes(errors[0].message))
      const cost = planOf(request).estimate(coerced, await sizes())
      requireAffordable(cost)
      return cost
    },

    take(owner, work) {
      requireAffordable({ fields: 0, weight: 0, work })
      return budgets.take(owner ?? '', work)
    },

    async execute(request, { fields, work }) {
      const { document, operation, variables, context } = request
      const known = introspections.get(operation)
      if (known) return known
      const isLarge = fields >= LARGE_RESPONSE
      const giveBack = budgets.take(context.client.owner ?? '', work)
      let release = () => {}
      try {
        if (isLarge) release = await context.outside(semaphore.acquire(context.client))
        context.holdPlace(release)
        await yieldToEventLoop(!isLarge)
        const execution = execute({
          schema,
          document,
          operationName: operation.name?.value,
          contextValue: context,
          variableValues: variables,
        })
        const result = formatResult(await unlessGivenUp(context, execution))
        if (planOf(request).isIntrospection && !operation.variableDefinitions?.length && !result.errors)
          introspections.set(operation, result)
        return result
      } catch (error) {
        // The client has gone while the operation waited for a place.
        if (!context.client.signal?.aborted) throw error
        return formatResult({ data: null, errors: [locatedError(error, undefined, [])] })
      } finally {
        release()
        giveBack()
      }
    },
  }
}

/** The seconds of workers that the operations of clients may take which have not ended. */
function createBudgets() {
  const taken = new Map<string, number>()
  return {
    /** @returns gives them back @throws GraphQLError OVERLOADED */
    take(owner: string, seconds: number): () => void {
      if (seconds === 0) return () => {}
      const others = taken.get(owner) ?? 0
      if (others + seconds > LIMITS.clientWork) {
        const found = `${Math.ceil(others)} s are asked for, and this one may take ${Math.ceil(seconds)} s`
        throw refusal(
          `Too many expensive queries at the same time: expected at most ${LIMITS.clientWork} s of workers, ${found}. Try again when others have ended.`,
          'OVERLOADED',
          429,
        )
      }
      taken.set(owner, others + seconds)
      return () => {
        const left = (taken.get(owner) as number) - seconds
        // Sums of fractions are not exact.
        if (left > 1e-9) taken.set(owner, left)
        else taken.delete(owner)
      }
    },
  }
}

/** Executes the operations of requests to Apollo Server. */
export function operationsPlugin(operations: Operations): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      let checked:
        | { readonly request: Request; readonly cost: Cost; readonly isCostShown: boolean }
        | undefined
      return {
        async didResolveOperation({
          document,
          operation,
          request: { variables = {}, extensions },
          contextValue: context,
        }) {
          if (!operation) return
          if (operation.operation === 'subscription') throw needsEventStream()
          const request = { document, operation, variables, context }
          const cost = await operations.check(request)
          checked = { request, cost, isCostShown: extensions?.cost === true }
        },
        async responseForOperation({ response }) {
          // Apollo Server reports a name that no operation has.
          if (!checked) return null
          const { request, cost, isCostShown } = checked
          const result = await operations.execute(request, cost)
          const singleResult = isCostShown ? { ...result, extensions: { cost: shownCost(cost) } } : result
          return { http: response.http, body: { kind: 'single', singleResult } }
        },
      }
    },
  }
}

function needsEventStream(): GraphQLError {
  return refusal(
    'Subscriptions are sent as server-sent events: expected the header `Accept: text/event-stream`.',
    'BAD_REQUEST',
    406,
  )
}

/** An estimate as clients see it, with the limits. */
function shownCost({ fields, weight, work }: Cost) {
  return {
    fields: Math.ceil(fields),
    weight: Math.ceil(weight),
    work: Math.ceil(work),
    limits: { fields: LIMITS.fields, weight: LIMITS.weight, work: LIMITS.work },
  }
}

function requireAffordable({ fields, weight, work }: Cost): void {
  if (fields > LIMITS.fields) {
    throw tooCostly(
      `expected at most ${LIMITS.fields} fields in the response, found up to ${Math.ceil(fields)}`,
    )
  }
  if (weight > LIMITS.weight) {
    throw tooCostly(`expected a cost of at most ${LIMITS.weight}, found up to ${Math.ceil(weight)}`)
  }
  if (work > LIMITS.work) {
    throw tooCostly(`expected at most ${LIMITS.work} s of a worker, found up to ${Math.ceil(work)} s`)
  }
}

function tooCostly(reason: string): GraphQLError {
  return refusal(
    `The query is too expensive: ${reason}. Request smaller pages or fewer fields.`,
    'TOO_COSTLY',
  )
}

/** The result of an execution, or the error for which its context gives it up. */
async function unlessGivenUp<Result>(
  { givenUp }: Context,
  execution: Result | Promise<Result>,
): Promise<Result | ExecutionResult> {
  try {
    return execution instanceof Promise ? await Promise.race([execution, givenUp]) : execution
  } catch (error) {
    if (error instanceof GraphQLError) return { data: null, errors: [error] }
    throw error
  }
}

/** The result with its errors as they are sent. */
export function formatResult({ data, errors }: ExecutionResult): FormattedResult {
  return errors ? { errors: errors.map(toFormatted), data } : { data }
}

function toFormatted(error: GraphQLError): GraphQLFormattedError {
  const { extensions: { http: _status, ...extensions } = {}, ...formatted } = error.toJSON()
  const code = 'INTERNAL_SERVER_ERROR'
  return formatError({ ...formatted, extensions: { code, ...extensions } }, error)
}

/** Adds code and details to expected failures. Bugs are written to stderr and hidden from clients. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error)
  if (original instanceof AccordError) {
    const { message, ...details } = publicErrorLogged(original)
    return { ...formatted, message, extensions: { ...formatted.extensions, ...details } }
  }
  if (formatted.extensions?.code !== 'INTERNAL_SERVER_ERROR') {
    return { ...formatted, message: shortenQuotes(formatted.message) }
  }
  if (isOfArgument(original)) {
    const message = shortenQuotes(formatted.message)
    return { ...formatted, message, extensions: { ...formatted.extensions, code: 'BAD_USER_INPUT' } }
  }
  // Apollo Server gives no code to a request whose persisted query has another hash.
  if (original instanceof GraphQLError && original.extensions.http !== undefined) {
    return { ...formatted, extensions: { ...formatted.extensions, code: 'BAD_REQUEST' } }
  }
  console.error(original)
  return { ...formatted, message: 'Internal error. The log of the server has the details.' }
}

/** Whether an argument has no valid value: variables that are null, or omitted, may stand where defaults allow them. */
function isOfArgument(error: unknown): boolean {
  const [node] = (error instanceof GraphQLError && error.nodes) || []
  return node !== undefined && isValueNode(node)
}

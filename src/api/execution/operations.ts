import type { ApolloServerPlugin } from '@apollo/server'
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import { createPlaces } from '../../places.js'
import { giveWay } from '../../turns.js'
import { badInput, forbidden, refusal } from '../http/bad-input.js'
import type { Context } from './context.js'
import { type Cost, type CostPlan, planCost } from './cost.js'
import { formatError } from './format-error.js'
import { checkSizes, LIMITS, shortenQuotes } from './limits.js'
import type { Sizes } from './sizes.js'

/** Introspections whose results are cached: clients send the same one. */
const MAX_INTROSPECTIONS = 4

/**
 * Operations whose response has this many fields are compiled when they are executed for the first time, and few of them
 * are executed at once: the more objects are alive, the longer garbage collection stops the thread.
 */
const LARGE_RESPONSE = 2000
const LARGE_AT_ONCE = 2

export interface OperationsOptions {
  /**
   * How often an operation with a small response is interpreted before it is compiled. Default: once. Compiling takes as
   * long as interpreting it several times.
   */
  readonly interpretations?: number
}

type Variables = Readonly<Record<string, unknown>>

/** An operation of a validated document, and what a request needs to execute it. */
export interface Request {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Variables
  readonly context: Context
}

/** Checks and executes operations. */
export interface Operations {
  /**
   * Checks the variables and the estimated cost before an operation is executed.
   *
   * @throws GraphQLError that says what was expected
   */
  check(request: Request): Promise<void>
  /** Executes a query or a mutation. */
  execute(request: Request): Promise<FormattedResult>
}

export interface FormattedResult {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly GraphQLFormattedError[]
}

/** What is prepared once for an operation of a document. */
interface Plan extends CostPlan {
  executions: number
  compiled?: CompiledQuery
}

/**
 * Operations on a schema. Plans and compiled queries are cached as long as the document of the operation is.
 *
 * @param sizes bounds for the lengths of lists
 */
export function createOperations(
  schema: GraphQLSchema,
  sizes: () => Promise<Sizes>,
  { interpretations = 1 }: OperationsOptions = {},
): Operations {
  const plans = new WeakMap<OperationDefinitionNode, Plan>()
  const introspections = new LRUCache<OperationDefinitionNode, FormattedResult>({ max: MAX_INTROSPECTIONS })
  const places = createPlaces(LARGE_AT_ONCE)

  function planOf({ document, operation }: Request): Plan {
    const cached = plans.get(operation)
    if (cached) return cached
    const fragments = new Map(
      document.definitions
        .filter(
          (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
        )
        .map((fragment) => [fragment.name.value, fragment]),
    )
    const plan: Plan = { ...planCost(schema, operation, fragments), executions: 0 }
    plans.set(operation, plan)
    return plan
  }

  /** The compiled query; undefined if the operation should be interpreted. */
  function compiledOf(plan: Plan, request: Request, isLarge: boolean): CompiledQuery | undefined {
    if (plan.compiled || !plan.isCompilable) return plan.compiled
    if (plan.executions++ < interpretations && !isLarge) return undefined
    const { document, operation } = request
    const compiled = compileQuery(schema, document, operation.name?.value, {
      disablingCapturingStackErrors: true,
    })
    if (isCompiledQuery(compiled)) plan.compiled = compiled
    return plan.compiled
  }

  return {
    async check(request) {
      const { operation, variables, context } = request
      if (operation.operation === 'mutation' && !context.mayChange)
        throw forbidden(context.account?.isReadOnly)
      await giveWay()
      for (const [name, value] of Object.entries(variables)) checkSizes(value, `The variable $${name}`)
      const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
        maxErrors: 1,
      })
      if (errors) throw badInput(shortenQuotes(errors[0].message))
      const { estimate, isCompilable } = planOf(request)
      requireAffordable(
        estimate(variables, await sizes()),
        isCompilable ? LIMITS.fields : LIMITS.interpretedFields,
      )
    },

    async execute(request) {
      const { document, operation, variables, context } = request
      const plan = planOf(request)
      const known = introspections.get(operation)
      if (known) return known
      const isLarge = plan.estimate(variables, await sizes()).fields >= LARGE_RESPONSE
      let leave = () => {}
      try {
        if (isLarge) leave = await context.outside(places.take(context.client))
        context.holdPlace(leave)
        const compiled = compiledOf(plan, request, isLarge)
        await giveWay()
        const execution = compiled
          ? compiled.query({}, context, variables as Record<string, unknown>)
          : execute({
              schema,
              document,
              operationName: operation.name?.value,
              contextValue: context,
              variableValues: variables,
            })
        const result = formatResult(await unlessGivenUp(context, execution as ExecutionResult))
        if (plan.isIntrospection && !operation.variableDefinitions?.length)
          introspections.set(operation, result)
        return result
      } catch (error) {
        // The client has gone while the operation waited for a place.
        if (!context.client.signal?.aborted) throw error
        return formatResult({ data: null, errors: [locatedError(error, undefined, [])] })
      } finally {
        leave()
      }
    },
  }
}

/** Executes the operations of requests to Apollo Server. */
export function operationsPlugin(operations: Operations): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      let checked: Request | undefined
      return {
        async didResolveOperation({ document, operation, request, contextValue: context }) {
          if (!operation) return
          if (operation.operation === 'subscription') throw needsEventStream()
          const checking = { document, operation, variables: request.variables ?? {}, context }
          await operations.check(checking)
          checked = checking
        },
        async responseForOperation({ response }) {
          // Apollo Server reports a name that no operation has.
          if (!checked) return null
          const singleResult = await operations.execute(checked)
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

function requireAffordable({ fields, weight, work }: Cost, maxFields: number): void {
  if (fields > maxFields) {
    throw tooCostly(`expected at most ${maxFields} fields in the response, found up to ${Math.ceil(fields)}`)
  }
  if (weight > LIMITS.weight) {
    throw tooCostly(`expected a cost of at most ${LIMITS.weight}, found up to ${Math.ceil(weight)}`)
  }
  if (work > LIMITS.work) {
    throw tooCostly(`expected a cost for workers of at most ${LIMITS.work}, found up to ${Math.ceil(work)}`)
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

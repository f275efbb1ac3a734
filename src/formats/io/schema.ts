import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, SchemaObject, ValidateFunction } from 'ajv'
import { quote } from '../../errors.js'
import { describeValue, type Locate, wrongShape } from './values.js'

/** Returns a value that has a shape. @throws AccordError INVALID_SHAPE with the path of what has another shape */
type ShapeCheck<Value> = (value: unknown, at: Locate) => Value

/**
 * A check of the shape of what a file contains. Numbers are finite.
 *
 * @param schema JSON Schema of `Value`; other keys than those that it lists are allowed
 */
export function shapeCheck<Value>(schema: SchemaObject): ShapeCheck<Value> {
  let validate: ValidateFunction<Value> | undefined
  return (value, at) => {
    validate ??= compile(schema)
    if (validate(value)) return value
    const [error] = validate.errors!
    if (error.keyword === 'additionalProperties') {
      const { additionalProperty: key } = error.params
      const known = Object.keys(error.parentSchema?.properties ?? {})
      throw wrongShape(
        at(toPlace(`${error.instancePath}/${key}`)),
        `one of the keys ${known.join(', ')}`,
        quote(key),
      )
    }
    throw wrongShape(at(toPlace(error.instancePath)), describeExpected(error), describeValue(error.data))
  }
}

/** With the first value: the package and each schema take tens of milliseconds, and most commands check no shape. */
function compile<Value>(schema: SchemaObject): ValidateFunction<Value> {
  const ajv: { Ajv: typeof Ajv } = createRequire(import.meta.url)('ajv')
  return new ajv.Ajv({ verbose: true }).compile<Value>(schema)
}

function describeExpected({ keyword, params, message = '' }: ErrorObject): string {
  if (keyword === 'const') return quote(params.allowedValue)
  if (keyword === 'enum') return `one of ${params.allowedValues.join(', ')}`
  return message.replace(/^must be /, '').replace(/^must have required property/, 'the key')
}

/** `/features/0/mean` as `features[0].mean`. */
function toPlace(path: string): string | undefined {
  const steps = path.split('/').slice(1)
  const place = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  return place.replace(/^\./, '') || undefined
}

/** The schema of an object that has all of these keys. */
export function objectOf(properties: Readonly<Record<string, SchemaObject>>): SchemaObject {
  return { type: 'object', required: Object.keys(properties), properties }
}

export function listOf(items: SchemaObject, minItems = 0, maxItems?: number): SchemaObject {
  return { type: 'array', items, minItems, ...(maxItems !== undefined && { maxItems }) }
}

/** The schema of an integer in a range. */
export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): SchemaObject {
  return { type: 'integer', minimum, maximum }
}

export const TEXT: SchemaObject = { type: 'string' }
export const NUMBER: SchemaObject = { type: 'number' }
export const COUNT: SchemaObject = integerFrom(0)

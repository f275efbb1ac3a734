import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLEnumType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { undefinedReasons } from '../../src/agreement/undefined-reason.js'
import { ERROR_CODES } from '../../src/errors.js'
import { projectFile } from '../../src/project.js'
import { comparisonReasons } from '../../src/services/comparisons.js'
import { correlationReasons, raterReasons } from '../../src/services/judgements.js'
import { publishedDifferences } from '../../src/services/published.js'
import { wordIntervalReasons } from '../../src/services/word-intervals.js'
import { PARTS_OF_SPEECH } from '../../src/text/part-of-speech.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const types = Object.values(schema.getTypeMap()).filter(
  ({ name, astNode }) => astNode !== undefined && !name.startsWith('__'),
)

/** Reasons of content selection. */
const SELECTION_REASONS = ['NO_DESCRIPTIONS', 'NO_IMAGES', 'NO_IMAGE_SIZE', 'NO_PRIORS']

const valuesOf = (name: string) =>
  (schema.getType(name) as GraphQLEnumType).getValues().map((value) => value.name)

describe('the schema', () => {
  it('has the values of the enumerations in the code', () => {
    expect(valuesOf('UndefinedReason').toSorted()).toEqual(
      [...Object.keys(undefinedReasons), ...SELECTION_REASONS].toSorted(),
    )
    expect(valuesOf('ErrorCode').toSorted()).toEqual(ERROR_CODES.toSorted())
    expect(valuesOf('PartOfSpeech')).toEqual(PARTS_OF_SPEECH)
  })

  const described = (name: string) =>
    Object.fromEntries(
      (schema.getType(name) as GraphQLEnumType)
        .getValues()
        .map((value) => [value.name, value.description?.replaceAll(/\s+/g, ' ')]),
    )

  it('describes reasons as the code does', () => {
    expect(described('UndefinedReason')).toMatchObject(undefinedReasons)
  })

  it.each([
    ['ComparisonReason', comparisonReasons],
    ['PublishedDifference', publishedDifferences],
    ['CorrelationReason', correlationReasons],
    ['RaterReason', raterReasons],
    ['WordIntervalReason', wordIntervalReasons],
  ])('has the values of %s in the code, and describes them as the code does', (name, sentences) => {
    expect(described(name)).toEqual(sentences)
  })

  it('describes every type, field, argument and value', () => {
    const undescribed: string[] = []
    const check = (name: string, { description }: { description?: string | null }) => {
      if (!description?.trim()) undescribed.push(name)
    }
    for (const type of types) {
      check(type.name, type)
      if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
      if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
        for (const field of Object.values(type.getFields())) {
          check(`${type.name}.${field.name}`, field)
          for (const arg of 'args' in field ? field.args : []) {
            check(`${type.name}.${field.name}(${arg.name})`, arg)
          }
        }
      }
    }
    expect(undescribed).toEqual([])
  })
})

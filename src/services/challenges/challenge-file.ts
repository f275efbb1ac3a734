import type { SchemaObject } from 'ajv'
import { readJsonFile } from '../../formats/io/json-file.js'
import { listOf, shapeCheck, TEXT } from '../../formats/io/schema.js'
import type { ChallengeInput } from './challenges.js'

/** Maximum size of the description of a challenge in bytes. */
const MAX_BYTES = 1024 * 1024

const BOOLEAN: SchemaObject = { type: 'boolean' }
const INTEGER: SchemaObject = { type: 'integer' }
const LIMIT: SchemaObject = { type: ['integer', 'null'] }

/** An object with these keys and no others. */
function onlyOf(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[] = [],
): SchemaObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false }
}

const PHASE = onlyOf(
  {
    name: TEXT,
    dataset: TEXT,
    opensAt: TEXT,
    closesAt: TEXT,
    isPrivate: BOOLEAN,
    metrics: listOf(TEXT),
    rankedBy: TEXT,
    decimals: INTEGER,
    references: INTEGER,
    boardFrom: { type: ['string', 'null'] },
    isImageScoreShown: BOOLEAN,
    admittedTeams: { type: ['array', 'null'], items: TEXT },
    limits: onlyOf({ perDay: LIMIT, total: LIMIT, concurrent: LIMIT, attempts: LIMIT }),
    baselines: listOf(TEXT),
  },
  ['name'],
)

const check = shapeCheck<Omit<ChallengeInput, 'name'>>(
  onlyOf({ title: TEXT, description: TEXT, timeZone: TEXT, isPaused: BOOLEAN, phases: listOf(PHASE) }),
)

/**
 * Reads the description of a challenge: JSON with the properties of {@link ChallengeInput} but its name.
 *
 * @throws AccordError FILE_NOT_FOUND, INVALID_JSON; INVALID_SHAPE for another value or key
 */
export function readChallengeFile(
  path: string,
): Omit<ChallengeInput, 'name'> & { readonly isPaused?: boolean } {
  return check(readJsonFile(path, MAX_BYTES), (place) => ({ source: path, place }))
}

import { AccordError, quote } from '../../errors.js'

/** Some images of a dataset: those with one value of a field. */
export interface Subset<Id> {
  readonly value: string
  /** In the order of the dataset. */
  readonly images: readonly Id[]
}

/** Maximum number of subsets: a field with more values tells images apart, and not kinds of them. */
export const MAX_SUBSETS = 50

/**
 * The images of a file by the values of a field.
 *
 * @throws AccordError NOT_APPLICABLE for a field that no image has; OUT_OF_RANGE for one with more than 50 values
 */
export function subsetsOfFile<Id>(fields: ImageFieldsById<Id>, field: string, source: string): Subset<Id>[] {
  const subsets = groupByField(fields, field, source)
  if (subsets === null) throw noField(fields, field, source)
  return subsets
}

export type ImageFieldsById<Id> = ReadonlyMap<Id, Readonly<Record<string, string>>>

export function groupByField<Id>(
  fields: ImageFieldsById<Id>,
  field: string,
  source: string,
): Subset<Id>[] | null {
  const groups = new Map<string, Id[]>()
  for (const [image, { [field]: value }] of fields) {
    if (value === undefined) continue
    const group = groups.get(value) ?? []
    group.push(image)
    groups.set(value, group)
  }
  if (groups.size === 0) return null
  if (groups.size > MAX_SUBSETS) {
    throw new AccordError('OUT_OF_RANGE', `${quote(field)} has too many values`, {
      source,
      expected: `at most ${MAX_SUBSETS}`,
      found: String(groups.size),
    })
  }
  return Array.from(groups, ([value, images]) => ({ value, images })).sort((one, other) =>
    compareValues(one.value, other.value),
  )
}

/** Numbers by value, before texts by code units. */
function compareValues(one: string, other: string): number {
  const [first, second] = [Number.parseFloat(one), Number.parseFloat(other)]
  if (Number.isNaN(first) !== Number.isNaN(second)) return Number.isNaN(first) ? 1 : -1
  if (first !== second && !Number.isNaN(first)) return first - second
  return one < other ? -1 : one > other ? 1 : 0
}

export function noField<Id>(fields: ImageFieldsById<Id>, field: string, source: string): AccordError {
  const known = new Set([...fields.values()].flatMap((own) => Object.keys(own)))
  const names = [...known].slice(0, 10).join(', ')
  return new AccordError('NOT_APPLICABLE', 'no image has this field', {
    source,
    expected: names === '' ? 'a dataset whose images have fields, or boxes' : `one of ${names}`,
    found: quote(field),
  })
}

/** A mean over the values that are defined. */
export interface DefinedMean {
  /** Null if no value is defined. */
  readonly mean: number | null
  /** Number of defined values. */
  readonly defined: number
  /** Number of all values. */
  readonly total: number
}

/** The mean of the values that are not null, with counts. */
export function definedMean(values: Iterable<number | null>): DefinedMean {
  let sum = 0
  let defined = 0
  let total = 0
  for (const value of values) {
    total++
    if (value === null) continue
    sum += value
    defined++
  }
  return { mean: defined === 0 ? null : sum / defined, defined, total }
}

/** {@link definedMean} of each group of items. Groups are in the order of their first item. */
export function definedMeanByGroup<Item, Group>(
  items: Iterable<Item>,
  groupOf: (item: Item) => Group,
  getValue: (item: Item) => number | null,
): Map<Group, DefinedMean> {
  const valuesByGroup = new Map<Group, (number | null)[]>()
  for (const item of items) {
    const group = groupOf(item)
    const values = valuesByGroup.get(group)
    if (values) values.push(getValue(item))
    else valuesByGroup.set(group, [getValue(item)])
  }
  return new Map(Array.from(valuesByGroup, ([group, values]) => [group, definedMean(values)]))
}

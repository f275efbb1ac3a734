/** A mean over the words where a figure is defined. */
export interface DefinedMean {
  /** Null where the figure is defined for no word. */
  readonly mean: number | null
  /** How many words the mean is over. */
  readonly defined: number
  /** How many words there are. */
  readonly total: number
}

/** The mean of the values that are not null, and how many those are. */
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

/** {@link definedMean} for every group of items, groups in the order of their first item. */
export function definedMeanByGroup<Item, Group>(
  items: Iterable<Item>,
  groupOf: (item: Item) => Group,
  figureOf: (item: Item) => number | null,
): Map<Group, DefinedMean> {
  const valuesByGroup = new Map<Group, (number | null)[]>()
  for (const item of items) {
    const group = groupOf(item)
    const values = valuesByGroup.get(group)
    if (values) values.push(figureOf(item))
    else valuesByGroup.set(group, [figureOf(item)])
  }
  return new Map(Array.from(valuesByGroup, ([group, values]) => [group, definedMean(values)]))
}

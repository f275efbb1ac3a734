import type { PeopleDifference } from '../../core/coverage/coverage-figures.js'
import { judgeTable, type TestResult, withoutFigures } from '../comparisons/pair-comparison.js'

/** A system minus people, with what tests say of it alone and as one of all differences of the report. */
export interface TestedDifference extends Omit<PeopleDifference, 'uncertainty'> {
  /** `FIRST`: the system has more; `SECOND`: people have. */
  readonly alone: TestResult
  readonly together: TestResult
}

/**
 * What tests say of the differences of all systems from people, in the order of the systems: they are one table, in the order of
 * figures and of the ids of systems.
 */
export function judgeDifferences(
  systems: readonly { readonly id: number; readonly differences: readonly PeopleDifference[] }[],
): TestedDifference[][] {
  const table = systems
    .flatMap(({ id, differences }, position) =>
      differences.map((difference, place) => ({ id, position, place, difference })),
    )
    .sort((one, other) => one.place - other.place || one.id - other.id)
  const judged = judgeTable(
    table.map(({ position, difference: { difference, uncertainty, isSmall, ...rest } }) => ({
      ...withoutFigures(position, systems.length, rest.undefinedReason ?? 'UNDEFINED_FIGURE'),
      firstScore: rest.systemValue,
      secondScore: rest.peopleValue,
      difference,
      uncertainty,
      isSmall,
    })),
  )
  const all = table.map(({ position, difference: { uncertainty: _, ...difference } }, row) => {
    const { alone, together } = judged[row]
    return { position, tested: { ...difference, alone, together } }
  })
  return systems.map((_, index) =>
    all.filter(({ position }) => position === index).map(({ tested }) => tested),
  )
}

import type { System } from '../../store/schema/system-tables.js'

const PEOPLE = { __typename: 'People', name: 'people' } as const

/** A system, or people, as a subject of figures. */
export function toSubject(system: System | null) {
  return system === null ? PEOPLE : ({ __typename: 'System', ...system } as const)
}

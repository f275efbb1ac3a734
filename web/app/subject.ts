/** Whose figures something has, as queries ask for it. */
export interface Subject {
  readonly __typename: 'System' | 'People'
  readonly name: string
}

/** The name of a system; null for people. */
export function systemOf({ __typename, name }: Subject): string | null {
  return __typename === 'System' ? name : null
}

export function isPeople({ __typename }: Subject): boolean {
  return __typename === 'People'
}

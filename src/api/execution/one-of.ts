import { AccordError } from '../../errors.js'

/** The error for `people: false` in an input with one field, which names no alternative. */
export function mustBeTrue(source: string): AccordError {
  return new AccordError('INVALID_VALUE', 'people is true or absent', {
    source,
    expected: 'true',
    found: 'false',
  })
}

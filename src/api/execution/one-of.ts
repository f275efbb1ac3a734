import { AccordError } from '../../errors.js'

/** The error for `isHuman: false` in an input with one field, which names no alternative. */
export function mustBeTrue(source: string): AccordError {
  return new AccordError('INVALID_VALUE', 'isHuman is true or absent', {
    source,
    expected: 'true',
    found: 'false',
  })
}

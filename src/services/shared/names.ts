import { AccordError, quote } from '../../errors.js'

/**
 * Checks the name of a new dataset or system.
 *
 * @param source `dataset` or `system`
 * @throws AccordError INVALID_VALUE if it is blank or contains U+0000, which PostgreSQL cannot store
 */
export function checkName(source: string, name: string): void {
  if (name.trim() !== '' && !name.includes('\0')) return
  throw new AccordError('INVALID_VALUE', 'invalid name', {
    source,
    expected: 'non-blank text without U+0000',
    found: quote(name),
  })
}

import { isPeople } from '../../core/judgements/judgement.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { AccordError, nameTaken, quote } from '../../errors.js'

/** Characters that no name has: they control terminals, or show text in another order. */
export const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** The same, but tabs and line breaks. */
export const CONTROLS_OF_TEXT = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/**
 * Checks the name of a new dataset or system.
 *
 * @param source `dataset` or `system`
 * @throws AccordError INVALID_VALUE if it is blank or contains {@link CONTROLS}; PostgreSQL cannot store U+0000
 */
export function checkName(source: string, name: string): void {
  if (name.trim() !== '' && !CONTROLS.test(name)) return
  throw new AccordError('INVALID_VALUE', 'invalid name', {
    source,
    expected: 'non-blank text without control characters, and without those that change its direction',
    found: quote(name),
  })
}

/**
 * Checks the name of a new system.
 *
 * @throws AccordError INVALID_VALUE as {@link checkName}, and for a name that stands for people
 */
export function checkSystemName(name: string): void {
  checkName('system', name)
  if (!isPeople(name)) return
  throw new AccordError('INVALID_VALUE', 'reserved name', {
    source: 'system',
    expected: 'another name: this one stands for those who wrote the references',
    found: quote(name),
  })
}

const METRIC_NAME = /^[A-Za-z][\w-]{0,63}$/

/**
 * Checks the name of a new metric, which no other one may have in any case.
 *
 * @param source where the name comes from
 * @throws AccordError INVALID_VALUE; NAME_TAKEN
 */
export function checkNewMetricName(registry: MetricRegistry, name: string, source: string): void {
  if (!METRIC_NAME.test(name)) {
    const expected = 'a letter, and up to 63 letters, digits, hyphens and underscores'
    throw new AccordError('INVALID_VALUE', 'invalid name', { source, expected, found: JSON.stringify(name) })
  }
  if (registry.has(name)) throw nameTaken('a metric of this name exists', source, name)
}

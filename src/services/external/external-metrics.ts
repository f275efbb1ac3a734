import type { ExternalMetric } from '../../core/metrics/external-family.js'
import { type MetricRegistry, normalizeMetricName } from '../../core/metrics/registry.js'
import { AccordError, quote } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import { readExternalMetrics } from '../../store/metrics.js'
import { checkNewMetricName } from '../shared/names.js'

/** A metric of another program as a client states it: of one that exists, the name is enough. */
export interface StatedMetric {
  readonly name: string
  /** Version and settings. */
  readonly version?: string
  readonly lowest?: number
  readonly highest?: number
  readonly higherIsBetter?: boolean
}

/** Longest version and settings. */
const MAX_VERSION = 200

/**
 * The external metric that is stated, and whether it is new.
 *
 * @throws AccordError INVALID_VALUE for the name or the version; NAME_TAKEN for another metric of this name, or another
 *   version, range or direction than that of the existing one; OUT_OF_RANGE for a range that is missing, or empty
 */
export async function stateMetric(
  session: Session,
  registry: MetricRegistry,
  stated: StatedMetric,
): Promise<{ readonly metric: ExternalMetric; readonly isNew: boolean }> {
  const key = normalizeMetricName(stated.name)
  const existing = (await readExternalMetrics(session)).find(({ name }) => normalizeMetricName(name) === key)
  if (existing === undefined) {
    checkNewMetricName(registry, stated.name, 'metric')
    return { metric: complete(stated), isNew: true }
  }
  for (const aspect of ['version', 'lowest', 'highest', 'higherIsBetter'] as const) {
    if (stated[aspect] === undefined || stated[aspect] === existing[aspect]) continue
    throw new AccordError('NAME_TAKEN', `${existing.name} exists with another ${ASPECTS[aspect]}`, {
      source: 'metric',
      expected: `${quote(existing[aspect])}, or another name`,
      found: quote(stated[aspect]),
    })
  }
  return { metric: existing, isNew: false }
}

const ASPECTS = {
  version: 'version',
  lowest: 'lowest score',
  highest: 'highest score',
  higherIsBetter: 'direction',
} as const

function complete({
  name,
  version = '',
  lowest,
  highest,
  higherIsBetter = true,
}: StatedMetric): ExternalMetric {
  // The signature separates its fields with |.
  if (version.trim() === '' || version.length > MAX_VERSION || /[|\p{Cc}]/u.test(version)) {
    throw new AccordError('INVALID_VALUE', 'invalid version of the metric', {
      source: 'metric version',
      expected: `version and settings, at most ${MAX_VERSION} characters without |`,
      found: version === '' ? 'none' : quote(version),
    })
  }
  if (
    lowest === undefined ||
    highest === undefined ||
    !(lowest < highest) ||
    !Number.isFinite(highest - lowest)
  ) {
    throw new AccordError('OUT_OF_RANGE', 'invalid range of the metric', {
      source: 'metric range',
      expected: 'the lowest and the highest possible score',
      found: lowest === undefined || highest === undefined ? 'none' : `${lowest} to ${highest}`,
    })
  }
  return { name, version, lowest, highest, higherIsBetter }
}
